// The tree that workers share: a picture of its split points, each as wide as the work below it.

import { make } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { Box, LiveNode } from "../types.js" */

const w = words.watch;
const LEVEL_HEIGHT = 18;
const FEWEST_LEVELS = 6;
const MOST_HEIGHT = 450;
const SETTLING_MS = 70; // after this time, a box has gone two thirds of its way
const FADING_MS = 350;
const GOLDEN_ANGLE = 137.508;

/**
 * The boxes of a tree, each after its parent.
 * @param {LiveNode[]} nodes each after its parent
 * @param {string} zoomed the key of the node that fills the width; the root, or the nearest that lives, if it is gone
 */
export function boxes(nodes, zoomed = "") {
  const children = nodes.map(() => /** @type {number[]} */ ([]));
  const weights = nodes.map(() => 0);
  nodes.forEach(({ parent }, index) => parent !== null && parent !== undefined && children[parent].push(index));
  for (let index = nodes.length - 1; index >= 0; index--) {
    weights[index] = Math.max(1, weights[index]);
    const { parent } = nodes[index];
    if (parent !== null && parent !== undefined) weights[parent] += weights[index];
    children[index].sort((first, second) => nodes[first].order - nodes[second].order || first - second);
  }
  /** @type {Box[]} */
  const all = [];
  /** @type {Set<string>} */
  const keys = new Set();
  const add = (/** @type {number} */ index, /** @type {Box | null} */ parent, /** @type {number} */ left) => {
    const node = nodes[index];
    const line = parent ? [...parent.line, node.move ?? ""] : [];
    let key = line.join(" ");
    while (keys.has(key)) key += "′"; // the tree may have changed while it was read
    keys.add(key);
    const right = left + weights[index];
    /** @type {Box} */
    const box = { key, node, line, level: parent ? parent.level + 1 : 0, left, right, parent };
    all.push(box);
    let start = left;
    for (const child of children[index]) {
      add(child, box, start);
      start += weights[child];
    }
  };
  if (nodes.length) add(0, null, 0);
  return zoomTo(all, zoomed);
}

/** Scale boxes so that one of them fills the width; those beside it are left out. @param {Box[]} all @param {string} zoomed */
function zoomTo(all, zoomed) {
  let words = zoomed.split(" ");
  let box = all.find((box) => box.key === zoomed);
  while (!box && words.length) {
    words = words.slice(0, -1);
    const key = words.join(" ");
    box = all.find((box) => box.key === key);
  }
  if (!box) return [];
  const { left, right } = box;
  return all
    .filter((other) => other.left < right && other.right > left)
    .map((other) => ({
      ...other,
      left: (Math.max(other.left, left) - left) / (right - left),
      right: (Math.min(other.right, right) - left) / (right - left),
    }));
}

/** The colour of a worker. @param {number} worker @param {boolean} isDark @param {boolean} isAlone whether it searches alone */
export function workerColour(worker, isDark, isAlone) {
  const lightness = isDark ? (isAlone ? 42 : 25) : isAlone ? 72 : 87;
  return `hsl(${Math.round(worker * GOLDEN_ANGLE + 150) % 360} ${isAlone ? 60 : 45}% ${lightness}%)`;
}

/** The colours of text in a canvas, and whether the theme is dark. @param {Element} element */
export function canvasTheme(element) {
  const { color } = getComputedStyle(element);
  const [red, green, blue] = (color.match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number);
  return { ink: color, isDark: red + green + blue > 380 };
}

/** Fit a canvas to its place, and scale it so that coordinates are CSS pixels. @param {HTMLCanvasElement} canvas */
export function fitted(canvas) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight)
    [canvas.width, canvas.height] = [pixelWidth, pixelHeight];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height, ratio };
}

/** @typedef {{ left: number, right: number, level: number, opacity: number, box: Box, lives: boolean }} Shown */

export class Icicle {
  #onSelect;
  /** @type {LiveNode[]} */
  #nodes = [];
  /** @type {Map<string, Shown>} */
  #shown = new Map();
  /** @type {Box[]} */
  #boxes = [];
  #zoomed = "";
  /** @type {string | null} */
  #pointed = null;
  #frame = 0;
  #time = 0;
  #levels = 1;
  #mostLevels = 1; // so far: the picture grows, but does not jump

  /** @param {(box: Box | null) => void} onSelect called with the node under the pointer, or reached with keys */
  constructor(onSelect) {
    this.#onSelect = onSelect;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.element = make(
      "div",
      {
        class: "icicle",
        tabindex: 0,
        role: "group",
        "aria-label": w.tree,
        onpointermove: (/** @type {PointerEvent} */ event) => this.#point(this.#boxAt(event)),
        onpointerleave: () => this.#point(null),
        onclick: (/** @type {PointerEvent} */ event) => this.#zoom(this.#boxAt(event)),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#step(event),
      },
      this.canvas,
    );
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** @param {LiveNode[]} nodes @param {boolean} smoothly whether boxes move from their last places */
  show(nodes, smoothly) {
    this.#nodes = nodes;
    this.#boxes = boxes(nodes, this.#zoomed);
    this.#levels = Math.max(FEWEST_LEVELS, ...this.#boxes.map((box) => box.level + 1));
    this.#mostLevels = Math.max(this.#mostLevels, this.#levels);
    this.element.style.height = `${Math.min(this.#mostLevels * LEVEL_HEIGHT, MOST_HEIGHT)}px`;
    const move = smoothly && !matchMedia("(prefers-reduced-motion: reduce)").matches && !document.hidden;
    const living = new Set(this.#boxes.map((box) => box.key));
    for (const [key, shown] of this.#shown) {
      if (!move && !living.has(key)) this.#shown.delete(key);
      else shown.lives = living.has(key);
    }
    for (const box of this.#boxes) {
      const { left, right, level } = box;
      const shown = this.#shown.get(box.key);
      if (shown && move) Object.assign(shown, { box, level });
      else {
        const middle = (left + right) / 2;
        const [from, to] = move ? [middle, middle] : [left, right];
        this.#shown.set(box.key, { left: from, right: to, level, opacity: move ? 0 : 1, box, lives: true });
      }
    }
    const pointed = this.#pointed === null ? null : this.#boxes.find((box) => box.key === this.#pointed);
    if (pointed) this.#onSelect(pointed);
    if (move) this.#animate();
    else this.#draw();
  }

  get isZoomed() {
    return this.#zoomed !== "";
  }

  /** @param {Box | null | undefined} box */
  #zoom(box) {
    // A click on the node that fills the width already shows the one above.
    const target = box && box.key === this.#zoomed ? box.parent : box;
    this.#zoomed = target?.key ?? "";
    this.show(this.#nodes, true);
  }

  #animate() {
    if (this.#frame) return;
    this.#time = performance.now();
    const step = (/** @type {number} */ now) => {
      const passed = Math.max(1, now - this.#time);
      this.#time = now;
      this.#frame = this.#move(passed) ? requestAnimationFrame(step) : 0;
      this.#draw();
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Move the boxes; whether they are still on their way. @param {number} passed milliseconds */
  #move(passed) {
    const part = 1 - Math.exp(-passed / SETTLING_MS);
    let moving = false;
    for (const [key, shown] of this.#shown) {
      if (!shown.lives) {
        shown.opacity -= passed / FADING_MS;
        if (shown.opacity <= 0) this.#shown.delete(key);
        moving = true;
        continue;
      }
      const { left, right } = shown.box;
      shown.left += part * (left - shown.left);
      shown.right += part * (right - shown.right);
      shown.opacity += part * (1 - shown.opacity);
      const rest = Math.abs(left - shown.left) + Math.abs(right - shown.right) + 1 - shown.opacity;
      if (rest > 0.002) moving = true;
      else Object.assign(shown, { left, right, opacity: 1 });
    }
    return moving;
  }

  #draw() {
    const { context, width, height } = fitted(this.canvas);
    const { ink, isDark } = canvasTheme(this.element);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const step = Math.min(LEVEL_HEIGHT, height / this.#levels);
    for (const { left, right, level, opacity, box, lives } of this.#shown.values()) {
      const [x, y] = [left * width, level * step];
      const wide = (right - left) * width - 1;
      if (wide <= 0 || y >= height) continue;
      const { node } = box;
      context.globalAlpha = lives ? opacity : opacity / 2;
      context.fillStyle = lives ? workerColour(node.worker, isDark, !node.moves) : isDark ? "#555" : "#ccc";
      context.fillRect(x, y, wide, step - 1);
      if (box.key === this.#pointed) {
        context.strokeStyle = ink;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, wide - 2, step - 3);
      }
      const text = level ? (node.moves ? node.move : `${node.move} · ${node.worker + 1}`) : w.rootNode;
      if (wide < 18 || step < 12) continue;
      context.fillStyle = ink;
      context.save();
      context.beginPath();
      context.rect(x, y, wide - 2, step);
      context.clip();
      context.fillText(text, x + 4, y + step / 2);
      context.restore();
    }
    context.globalAlpha = 1;
  }

  /** @param {MouseEvent} event */
  #boxAt(event) {
    const place = this.canvas.getBoundingClientRect();
    const step = Math.min(LEVEL_HEIGHT, place.height / this.#levels);
    const [x, level] = [(event.clientX - place.left) / place.width, Math.floor((event.clientY - place.top) / step)];
    return this.#boxes.find((box) => box.level === level && box.left <= x && x < box.right) ?? null;
  }

  /** @param {Box | null} box */
  #point(box) {
    if (this.#pointed === (box?.key ?? null)) return;
    this.#pointed = box?.key ?? null;
    this.#onSelect(box);
    if (!this.#frame) this.#draw();
  }

  /** Arrow keys go through the tree; Enter zooms, and Escape zooms out. @param {KeyboardEvent} event */
  #step(event) {
    const current = this.#boxes.find((box) => box.key === this.#pointed) ?? this.#boxes[0];
    if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
    const row = this.#boxes.filter((box) => box.level === current.level);
    const place = row.indexOf(current);
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowUp: () => this.#point(this.#boxes.find((box) => box.key === current.parent?.key) ?? current),
      ArrowDown: () => this.#point(this.#boxes.find((box) => box.parent?.key === current.key && box !== current) ?? current),
      ArrowLeft: () => this.#point(row[place - 1] ?? current),
      ArrowRight: () => this.#point(row[place + 1] ?? current),
      Enter: () => this.#zoom(current),
      Escape: () => this.#zoom(null),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
}
