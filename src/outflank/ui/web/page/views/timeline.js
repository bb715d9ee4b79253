// Lanes of time: what each worker did, drawn from slices of time.

import { make } from "../parts/dom.js";
import { canvasTheme, fitted } from "./icicle.js";
import { ACTIVITIES, columnShares, KEPT_SECONDS } from "./recording.js";
import { words } from "../parts/words.js";

/** @import { Recording } from "./recording.js" */
/** @import { Slice } from "../types.js" */

const w = words.watch;
const AXIS_HEIGHT = 18;
const MOST_LANE_HEIGHT = 16;
const LEFT = 22; // the numbers of the workers
const LIVE_SECONDS = 10; // shown at first
const SHORTEST_SECONDS = 2e-6;
const ZOOM_STEP = 1.5;
const TRACED_ONLY = ["share", "steal"]; // the counters of a running search do not tell these apart

/** Seconds between two marks of the time axis: 1, 2 or 5 times a power of ten. @param {number} seconds @param {number} most marks */
export function markStep(seconds, most) {
  const least = seconds / most;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}

/** `1.25 s`, `3.4 ms`, `12 µs`. @param {number} seconds */
export function shortTime(seconds) {
  const [size, unit] = Math.abs(seconds) >= 1 ? [1, "s"] : Math.abs(seconds) >= 1e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
  return `${Number((seconds / size).toPrecision(4))} ${unit}`;
}

export class Timeline {
  #onTime;
  /** @type {Recording | null} */
  #recording = null;
  #cursor = 0;
  #seconds = LIVE_SECONDS; // shown
  #from = 0;
  #follows = true; // whether the right end is the end of the recording
  #frame = 0;
  /** @type {{ x: number, from: number, moved: boolean } | null} */
  #drag = null;

  /** @param {(time: number) => void} onTime called when the user chooses a time */
  constructor(onTime) {
    this.#onTime = onTime;
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.about = make("p", { class: "pointed" });
    this.swatches = ACTIVITIES.map((activity) => make("i", { class: `swatch ${activity}` }));
    this.legend = ACTIVITIES.map((activity, index) =>
      make("li", {}, this.swatches[index], make("span", {}, w.activities[activity])),
    );
    this.box = make(
      "div",
      {
        class: "timeline",
        tabindex: 0,
        role: "group",
        "aria-label": w.lanes,
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
        onpointerdown: (/** @type {PointerEvent} */ event) => this.#grab(event),
        onpointermove: (/** @type {PointerEvent} */ event) => this.#move(event),
        onpointerup: (/** @type {PointerEvent} */ event) => this.#release(event),
        onpointercancel: () => (this.#drag = null),
      },
      this.canvas,
    );
    this.box.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.element = make("div", { class: "timeline-box" }, this.box, this.about, make("ul", { class: "legend" }, this.legend));
    new ResizeObserver(() => this.#draw()).observe(this.box);
  }

  /** @param {Recording} recording @param {number} cursor the time whose tree is shown @param {boolean} isLive */
  show(recording, cursor, isLive) {
    const isOther = recording !== this.#recording;
    this.#recording = recording;
    this.#cursor = cursor;
    if (isOther) {
      this.#follows = !recording.name;
      this.#seconds = recording.name ? recording.end - recording.begin || SHORTEST_SECONDS : LIVE_SECONDS;
      this.#from = recording.begin;
      this.about.textContent = "";
      ACTIVITIES.forEach((activity, index) => (this.legend[index].hidden = !recording.name && TRACED_ONLY.includes(activity)));
    }
    if (!recording.name) this.#follows = isLive;
    this.box.style.height = `${AXIS_HEIGHT + recording.lanes.length * this.#laneHeight()}px`;
    this.#limit();
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  /** Stop following a running search, because the user looks elsewhere. */
  #hold() {
    if (this.#follows && !this.#recording.name) this.#onTime(this.#cursor);
    this.#follows = false;
  }

  #laneHeight() {
    return Math.max(4, Math.min(MOST_LANE_HEIGHT, Math.floor(480 / Math.max(1, this.#recording.lanes.length))));
  }

  /** Keep the shown time within the recording. */
  #limit() {
    const { begin, end, name } = this.#recording;
    this.#seconds = Math.min(Math.max(SHORTEST_SECONDS, this.#seconds), name ? end - begin : KEPT_SECONDS);
    if (this.#follows) this.#from = Math.max(begin, end - this.#seconds);
    else this.#from = Math.min(Math.max(this.#from, begin), Math.max(begin, end - this.#seconds));
  }

  /** @param {number} factor below 1: closer @param {number} centre the time that stays in its place */
  zoom(factor, centre = this.#cursor) {
    if (!this.#recording) return;
    const [before, part] = [this.#seconds, (centre - this.#from) / this.#seconds];
    this.#seconds *= factor;
    this.#limit();
    if (this.#seconds === before) return;
    // What is seen stays at the end of a running search.
    if (!(this.#follows && !this.#recording.name)) {
      this.#follows = false;
      this.#from = centre - part * this.#seconds;
    }
    this.#limit();
    this.#draw();
  }

  zoomIn() {
    this.zoom(1 / ZOOM_STEP);
  }

  zoomOut() {
    this.zoom(ZOOM_STEP);
  }

  /** @param {MouseEvent} event @returns the time and the worker at the pointer */
  #at(event) {
    const place = this.canvas.getBoundingClientRect();
    const time = this.#from + ((event.clientX - place.left - LEFT) / (place.width - LEFT)) * this.#seconds;
    return { time, worker: Math.floor((event.clientY - place.top) / this.#laneHeight()) };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!this.#recording || !event.deltaY || event.shiftKey) return;
    event.preventDefault();
    this.zoom(ZOOM_STEP ** Math.sign(event.deltaY), this.#at(event).time);
  }

  /** @param {PointerEvent} event */
  #grab(event) {
    if (event.button || !this.#recording) return;
    this.#drag = { x: event.clientX, from: this.#from, moved: false };
    this.box.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.#recording) return;
    if (this.#drag) {
      const way = event.clientX - this.#drag.x;
      if (!this.#drag.moved && Math.abs(way) < 4) return;
      if (!this.#drag.moved) this.#hold();
      this.#drag.moved = true;
      this.#from = this.#drag.from - (way / (this.canvas.clientWidth - LEFT)) * this.#seconds;
      this.#limit();
      this.#draw();
      return;
    }
    const { time, worker } = this.#at(event);
    const slice = this.#recording.sliceAt(worker, time);
    this.about.textContent = slice ? sliceText(worker, slice) : "";
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const moved = this.#drag?.moved ?? true;
    this.#drag = null;
    if (!moved) this.#onTime(this.#at(event).time);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.#recording) return;
    const shift = (/** @type {number} */ part) => {
      this.#hold();
      this.#from += part * this.#seconds;
      this.#limit();
      this.#draw();
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      "+": () => this.zoomIn(),
      "-": () => this.zoomOut(),
      ArrowLeft: () => shift(-0.2),
      ArrowRight: () => shift(0.2),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }

  #draw() {
    if (!this.#recording || !this.element.isConnected) return;
    const { context, width, height, ratio } = fitted(this.canvas);
    const [pixels, laneHeight] = [Math.floor((width - LEFT) * ratio), this.#laneHeight()];
    if (pixels <= 0) return;
    context.clearRect(0, 0, width, height);
    const { ink } = canvasTheme(this.element);
    const colours = this.swatches.map((swatch) => colourWord(getComputedStyle(swatch).backgroundColor));
    const [from, to] = [this.#from, this.#from + this.#seconds];
    const lanePixels = Math.max(1, Math.floor((laneHeight - 1) * ratio));
    const image = context.createImageData(pixels, lanePixels);
    const words = new Uint32Array(image.data.buffer);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = ink;
    this.#recording.lanes.forEach((lane, worker) => {
      words.fill(0);
      paintLane(words, columnShares(lane, from, to, pixels), pixels, lanePixels, colours);
      context.putImageData(image, Math.round(LEFT * ratio), Math.round(worker * laneHeight * ratio));
      if (laneHeight >= 10 || worker % 5 === 4)
        context.fillText(String(worker + 1), LEFT - 5, (worker + 0.5) * laneHeight);
    });
    this.#drawAxis(context, width, height, ink);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {string} ink */
  #drawAxis(context, width, height, ink) {
    const x = (/** @type {number} */ time) => LEFT + ((time - this.#from) / this.#seconds) * (width - LEFT);
    const step = markStep(this.#seconds, (width - LEFT) / 80);
    context.textAlign = "left";
    for (let mark = Math.ceil(this.#from / step); mark * step < this.#from + this.#seconds; mark++) {
      context.fillRect(Math.round(x(mark * step)), height - AXIS_HEIGHT, 1, 5);
      const text = shortTime(mark * step);
      const at = x(mark * step) + 3;
      if (mark >= 0 && at + context.measureText(text).width <= width)
        context.fillText(text, at, height - AXIS_HEIGHT / 2 + 1);
    }
    const cursor = x(this.#cursor);
    if (cursor < LEFT || cursor > width + 1) return;
    context.fillStyle = ink;
    context.fillRect(Math.min(cursor, width - 2) - 1, 0, 2, height - AXIS_HEIGHT);
  }
}

/**
 * Paint the columns of a lane, the activities of each above each other from the bottom.
 * @param {Uint32Array} words the pixels
 * @param {Float32Array} shares as of `columnShares`
 * @param {number} width
 * @param {number} height
 * @param {number[]} colours
 */
export function paintLane(words, shares, width, height, colours) {
  const kinds = colours.length;
  for (let column = 0; column < width; column++) {
    let sum = 0;
    let row = height;
    for (let kind = 0; kind < kinds; kind++) {
      sum += shares[column * kinds + kind];
      const top = Math.max(0, Math.round(height * (1 - sum)));
      while (row > top) words[--row * width + column] = colours[kind];
    }
  }
}

/** A colour of a style as a pixel. @param {string} colour `rgb(…)` */
function colourWord(colour) {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** @param {number} worker @param {Slice} slice */
function sliceText(worker, slice) {
  const { activity, share, begin, end, line, nodes, steals } = slice;
  return [
    w.worker(worker + 1),
    share < 1 ? `${Math.round(100 * share)} % ${w.activities[activity]}` : w.activities[activity],
    shortTime(end - begin),
    line,
    nodes ? words.analyse.nodes(nodes) : "",
    steals ? w.steals(steals) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
