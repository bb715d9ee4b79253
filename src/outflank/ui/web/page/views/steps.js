// A small search, recorded node by node: stepped through, with its tree, and with the reason of every cut-off.

import { button, iconButton, make, setAttributes } from "../parts/dom.js";
import { minusSigns, signedNumber } from "../parts/figures.js";
import { icon } from "../parts/icons.js";
import { words } from "../parts/words.js";
import { canvasTheme, fitted } from "./icicle.js";

/** @import { RecordedNode, RecordedSearch } from "../types.js" */

const w = words.steps;
const SCHEMA = "outflank/recorded-search/1";
const LEVEL_HEIGHT = 24;
const MOST_LEAVES = 40; // beside each other
const STATES = /** @type {const} */ (["open", "exact", "upper", "cut", "pruned"]);

/** A place where a move was cut off, or a node. */
/** @typedef {{ left: number, width: number, level: number }} Place */

/** A recorded search with the order of its steps. */
export class Steps {
  /** Step at which each node is entered, and at which its value is known. @type {number[]} */
  entered = [];
  /** @type {number[]} */
  left = [];
  /** Node of each step. @type {number[]} */
  order = [];
  /** Children of each node. @type {number[][]} */
  children;
  /** Number of leaves and of cut off moves below each node. @type {number[]} */
  weights;
  /** Where each node is in the tree. @type {Place[]} */
  places;

  /** @param {RecordedSearch} recorded */
  constructor(recorded) {
    this.recorded = recorded;
    const nodes = recorded.nodes.map((node) => ({ ...node, text: minusSigns(node.text) }));
    this.nodes = nodes;
    this.children = nodes.map(() => /** @type {number[]} */ ([]));
    nodes.forEach(({ parent }, index) => typeof parent === "number" && this.children[parent].push(index));
    this.weights = nodes.map(() => 0);
    for (let index = nodes.length - 1; index >= 0; index--) {
      this.weights[index] = Math.max(1, this.weights[index] + (nodes[index].pruned?.length ?? 0));
      const { parent } = nodes[index];
      if (typeof parent === "number") this.weights[parent] += this.weights[index];
    }
    this.places = [];
    /** @type {number[]} */
    const ends = []; // right end of the last child of each node so far
    nodes.forEach(({ parent }, index) => {
      const isRoot = typeof parent !== "number";
      const left = isRoot ? 0 : ends[parent];
      this.places[index] = { left, width: this.weights[index], level: isRoot ? 0 : this.places[parent].level + 1 };
      ends[index] = left;
      if (!isRoot) ends[parent] = left + this.weights[index];
    });
    this.#walk(0);
  }

  /** @param {number} index */
  #walk(index) {
    this.entered[index] = this.order.length;
    this.order.push(index);
    for (const child of this.children[index]) this.#walk(child);
    this.left[index] = this.order.length;
    this.order.push(index);
  }

  get count() {
    return this.order.length;
  }

  /** The moves from the root to a node. @param {number} index @returns {string[]} */
  line(index) {
    const { parent, move = "" } = this.nodes[index];
    return typeof parent === "number" ? [...this.line(parent), move] : [];
  }

  /** What is known of a node after a step. @param {number} index @param {number} step */
  state(index, step) {
    if (step < this.entered[index]) return "ahead";
    if (step < this.left[index]) return "open";
    const { pruned, bound = "exact" } = this.nodes[index];
    return pruned?.length ? "cut" : bound === "upper" ? "upper" : "exact";
  }

  /** The next or previous step at which moves are cut off; the current one if there is none. @param {number} step @param {1 | -1} way */
  cutOff(step, way) {
    for (let next = step + way; next >= 0 && next < this.count; next += way) {
      const index = this.order[next];
      if (next === this.left[index] && this.nodes[index].pruned?.length) return next;
    }
    return step;
  }

  /**
   * The node above whose earlier move is the reason of a node's beta: it lies an odd number of plies above.
   * @param {number} index
   * @returns {{ node: number, move: string, text: string } | null} null if beta is the end of the root's window
   */
  reason(index) {
    for (let below = index; ; ) {
      const parent = this.nodes[below].parent;
      if (typeof parent !== "number") return null;
      // The best move before `below`: its value is the alpha that became beta below.
      const before = this.children[parent].filter((child) => child < below);
      const best = before.reduce(
        (/** @type {number | null} */ first, child) =>
          first === null || -number(this.nodes[child]) > -number(this.nodes[first]) ? child : first,
        null,
      );
      const alpha = this.nodes[parent].alpha ?? -Infinity;
      if (best !== null && -number(this.nodes[best]) > alpha)
        return { node: parent, move: this.nodes[best].move ?? "", text: negated(this.nodes[best]) };
      const grandparent = this.nodes[parent].parent;
      if (typeof grandparent !== "number") return null;
      below = grandparent;
    }
  }
}

/** The value of a node for its side to move. @param {RecordedNode} node */
function number({ value, text }) {
  return value ?? (text === "lost" ? -Infinity : text === "won" ? Infinity : 0);
}

/** The value of a node for the side above, as text. @param {RecordedNode} node */
function negated(node) {
  const value = -number(node);
  return Number.isFinite(value) ? signedNumber(value) : value > 0 ? w.won : w.lost;
}

/**
 * Read a file of `outflank search --steps`.
 * @param {string} text
 * @param {string} name
 * @returns {Steps} throws an `Error` whose message is one line, if it is no such file
 */
export function readSteps(text, name) {
  /** @type {RecordedSearch | null} */
  let recorded = null;
  try {
    recorded = JSON.parse(text);
  } catch {
    // explained below
  }
  const problem = (/** @type {string} */ what) => new Error(`${name} ${what}`);
  if (recorded?.schema !== SCHEMA || !Array.isArray(recorded.nodes) || !recorded.nodes.length)
    throw problem("is no recorded search: a file of “outflank search --steps” was expected");
  recorded.nodes.forEach(({ parent = null, depth, text, pruned = [] }, index) => {
    const isPlaced = index ? Number.isInteger(parent) && parent >= 0 && parent < index : parent === null;
    if (!isPlaced) throw problem(`is damaged: node ${index + 1} has no node above it`);
    if (!Number.isInteger(depth) || typeof text !== "string" || !Array.isArray(pruned))
      throw problem(`is damaged: node ${index + 1} has no depth, value or list of moves`);
  });
  return new Steps(recorded);
}

export class StepPlayer {
  /** @type {Steps | null} */
  #steps = null;
  #step = 0;
  #top = 0; // the node that fills the width

  constructor() {
    this.title = make("h3", {});
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.tree = make(
      "div",
      { class: "icicle steps-tree", onclick: (/** @type {MouseEvent} */ event) => this.#goToNode(event) },
      this.canvas,
    );
    this.about = make("p", { class: "step-text", "aria-live": "polite" });
    /** @type {HTMLInputElement} */
    this.slider = make("input", {
      type: "range",
      min: 0,
      "aria-label": w.step,
      oninput: () => void this.#go(Number(this.slider.value)),
    });
    this.count = make("output", { class: "quiet" });
    this.swatches = STATES.map((state) => make("i", { class: `swatch ${state}` }));
    this.element = make(
      "div",
      {
        class: "search-player",
        role: "group",
        tabindex: 0,
        "aria-label": w.title,
        hidden: true,
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      },
      make("div", { class: "view-head" }, this.title, button(w.close, () => this.#close())),
      this.about,
      make(
        "div",
        { class: "playback" },
        iconButton(icon("first"), w.previousCut, () => this.#go(this.#steps.cutOff(this.#step, -1))),
        iconButton(icon("back"), w.back, () => this.#go(this.#step - 1)),
        this.slider,
        iconButton(icon("forth"), w.forth, () => this.#go(this.#step + 1)),
        iconButton(icon("last"), w.nextCut, () => this.#go(this.#steps.cutOff(this.#step, 1))),
        this.count,
      ),
      this.tree,
      make(
        "ul",
        { class: "legend" },
        STATES.map((state, index) => make("li", {}, this.swatches[index], make("span", {}, w.states[state]))),
      ),
    );
    new ResizeObserver(() => this.#draw()).observe(this.tree);
  }

  /** @param {Steps} steps */
  show(steps) {
    this.#steps = steps;
    const { algorithm, depth } = steps.recorded;
    this.title.textContent = w.of(algorithm, depth, steps.nodes.length);
    this.element.hidden = false;
    setAttributes(this.slider, { max: steps.count - 1 });
    const levels = 2 + Math.max(...steps.places.map((place) => place.level));
    this.tree.style.height = `${levels * LEVEL_HEIGHT}px`;
    this.#go(0);
    this.element.scrollIntoView({ block: "nearest" });
    this.element.focus({ preventScroll: true });
  }

  #close() {
    this.#steps = null;
    this.element.hidden = true;
  }

  /** @param {number} step */
  #go(step) {
    const steps = this.#steps;
    this.#step = Math.min(Math.max(0, step), steps.count - 1);
    const index = steps.order[this.#step];
    this.slider.value = String(this.#step);
    this.count.textContent = `${this.#step + 1} / ${steps.count}`;
    this.about.textContent = stepText(steps, index, this.#step);
    // As much of the tree as can be read, with this node in it.
    this.#top = index;
    for (let above = index; ; ) {
      const { parent } = steps.nodes[above];
      if (typeof parent !== "number" || steps.weights[parent] > MOST_LEAVES) break;
      this.#top = above = parent;
    }
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#steps || event.ctrlKey || event.altKey || event.metaKey || event.target === this.slider) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.#go(this.#step - 1),
      ArrowRight: () => this.#go(this.#step + 1),
      ArrowUp: () => this.#go(this.#steps.cutOff(this.#step, -1)),
      ArrowDown: () => this.#go(this.#steps.cutOff(this.#step, 1)),
      Home: () => this.#go(0),
      End: () => this.#go(this.#steps.count - 1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }

  /** The scale of the picture: leaves from `left` on, each of `unit` pixels. */
  #scale() {
    const { left, width } = this.#steps.places[this.#top];
    return { left, unit: this.canvas.clientWidth / width };
  }

  /** @param {MouseEvent} event */
  #goToNode(event) {
    const steps = this.#steps;
    const place = this.canvas.getBoundingClientRect();
    const { left, unit } = this.#scale();
    const leaf = left + (event.clientX - place.left) / unit;
    const level = Math.floor((event.clientY - place.top) / LEVEL_HEIGHT);
    const index = steps.places.findIndex(
      (place) => place.level === level && place.left <= leaf && leaf < place.left + place.width,
    );
    if (index >= 0) this.#go(steps.left[index]);
  }

  #draw() {
    const steps = this.#steps;
    if (!steps || !this.element.isConnected) return;
    const { context, width, height } = fitted(this.canvas);
    const { ink } = canvasTheme(this.element);
    const colours = Object.fromEntries(
      STATES.map((state, index) => [state, getComputedStyle(this.swatches[index]).backgroundColor]),
    );
    const { left, unit } = this.#scale();
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const box = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ level) => {
      const [start, end] = [Math.max(0, (from - left) * unit), Math.min(width, (to - left) * unit)];
      return end > start ? { x: start, y: level * LEVEL_HEIGHT, wide: Math.max(0.5, end - start - 1) } : null;
    };
    const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ wide) => {
      if (wide < 16) return;
      context.save();
      context.beginPath();
      context.rect(x, y, wide, LEVEL_HEIGHT);
      context.clip();
      context.fillStyle = ink;
      context.fillText(text, x + 3, y + LEVEL_HEIGHT / 2);
      context.restore();
    };
    const current = steps.order[this.#step];
    steps.nodes.forEach((node, index) => {
      const place = steps.places[index];
      const shape = box(place.left, place.left + place.width, place.level);
      if (!shape) return;
      const { x, y, wide } = shape;
      const state = steps.state(index, this.#step);
      if (state === "ahead") {
        context.strokeStyle = colours.pruned;
        context.lineWidth = 1;
        if (wide > 2) context.strokeRect(x + 0.5, y + 0.5, wide - 1, LEVEL_HEIGHT - 2);
      } else {
        context.fillStyle = colours[state];
        context.fillRect(x, y, wide, LEVEL_HEIGHT - 1);
        const value = state === "open" ? "" : ` ${sign(node)}${node.text}`;
        write(`${index ? node.move : w.root}${value}`, x, y, wide);
      }
      if (state === "cut") {
        const count = node.pruned.length;
        node.pruned.forEach((move, number) => {
          const from = place.left + place.width - count + number;
          const shape = box(from, from + 1, place.level + 1);
          if (!shape) return;
          context.fillStyle = colours.pruned;
          context.fillRect(shape.x, shape.y, shape.wide, LEVEL_HEIGHT - 1);
          write(move, shape.x, shape.y, shape.wide);
        });
      }
      if (index === current) {
        context.strokeStyle = ink;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(1, wide - 2), LEVEL_HEIGHT - 3);
      }
    });
  }
}

/** @param {RecordedNode} node */
function sign({ bound }) {
  return bound === "lower" ? "≥ " : bound === "upper" ? "≤ " : "";
}

/** @param {Steps} steps @param {number} index @param {number} step */
export function stepText(steps, index, step) {
  const node = steps.nodes[index];
  const line = steps.line(index).join(" ") || w.root;
  if (step < steps.left[index] && steps.children[index].length) {
    const end = (/** @type {number | null | undefined} */ value, /** @type {string} */ none) =>
      value === null || value === undefined ? none : signedNumber(value);
    return w.enters(line, end(node.alpha, "−∞"), end(node.beta, "+∞"), node.depth);
  }
  if (!steps.children[index].length) return w.leaf(line, node.text);
  if (node.pruned?.length) {
    const reason = steps.reason(index);
    const above = reason ? w.because(steps.line(reason.node).join(" ") || w.root, reason.move, reason.text) : "";
    return [w.cutOff(line, node.best ?? "", node.text, node.pruned), above].filter(Boolean).join(" ");
  }
  if (node.bound === "lower") return w.lastMove(line, node.best ?? "", node.text);
  if (node.bound === "upper") return w.failsLow(line, node.text);
  return w.exact(line, node.best ?? "", node.text);
}
