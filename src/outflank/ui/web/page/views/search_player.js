// A running search, or a trace file: the tree of its split points and the lanes of its workers, with pause and steps back.

import { button, iconButton, make, setAttributes, setChildren } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { words } from "../parts/words.js";
import { Icicle } from "./icicle.js";
import { Recording } from "./recording.js";
import { shortTime, Timeline } from "./timeline.js";

/** @import { Analysis, Box } from "../types.js" */

const w = words.watch;
const SOON_SECONDS = 2; // within which a search with split points has shown some
const TRACE_STEPS = 1000; // of the slider

export class SearchPlayer {
  #live = new Recording();
  /** @type {Recording | null} */
  #trace = null;
  #cursor = 0;
  #isLive = true; // whether the newest state is shown

  constructor() {
    this.title = make("h3", {}, w.tree);
    this.pause = button(w.pause, () => (this.#isLive ? this.#seek(this.#cursor) : this.#follow()));
    this.back = iconButton(icon("back"), w.stepBack, () => this.#step(-1));
    this.forth = iconButton(icon("forth"), w.stepForth, () => this.#step(1));
    /** @type {HTMLInputElement} */
    this.slider = make("input", {
      type: "range",
      "aria-label": w.time,
      oninput: () => void this.#seek(Number(this.slider.value)),
    });
    this.timeText = make("output", { class: "quiet" });
    this.closeTrace = button(w.closeTrace, () => this.#close());
    this.note = make("p", { class: "quiet" });
    this.about = make("p", { class: "pointed" });
    this.icicle = new Icicle((box) => (this.about.textContent = box ? boxText(box) : w.treeHint));
    this.timeline = new Timeline((time) => this.#seek(time));
    const zoomIn = button("+", () => this.timeline.zoomIn(), { "aria-label": w.zoomIn, title: w.zoomIn });
    const zoomOut = button("−", () => this.timeline.zoomOut(), { "aria-label": w.zoomOut, title: w.zoomOut });
    this.controls = make(
      "div",
      { class: "playback" },
      this.pause,
      this.back,
      this.slider,
      this.forth,
      this.timeText,
      zoomOut,
      zoomIn,
    );
    this.element = make(
      "div",
      { class: "search-player", role: "group", "aria-label": w.tree, hidden: true },
      make("div", { class: "view-head" }, this.title, this.closeTrace),
      this.controls, // above the tree, which grows while the search runs
      this.icicle.element,
      this.about,
      this.note,
      this.timeline.element,
    );
  }

  get #recording() {
    return this.#trace ?? this.#live;
  }

  /** Begin the recording of another search. */
  reset() {
    this.#live = new Recording();
    if (!this.#trace) this.#follow();
  }

  /** @param {Analysis} message */
  add(message) {
    this.#live.add(message);
    if (this.#trace) return;
    this.#cursor = this.#isLive ? this.#live.end : Math.max(this.#cursor, this.#live.begin);
    this.#show(this.#isLive);
  }

  /** @param {Recording} trace */
  showTrace(trace) {
    this.#trace = trace;
    this.#isLive = false;
    this.#cursor = this.#trace.begin;
    this.#show(false);
    this.element.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.#trace = null;
    this.#follow();
  }

  #follow() {
    this.#isLive = true;
    this.#cursor = this.#live.end;
    this.#show(false);
  }

  /** Pause at a time. @param {number} time */
  #seek(time) {
    const { begin, end } = this.#recording;
    this.#isLive = false;
    this.#cursor = Math.min(Math.max(time, begin), end);
    this.#show(true);
  }

  /** @param {number} count of states, or in a trace of parts of what the slider shows */
  #step(count) {
    const recording = this.#recording;
    if (recording.name) return this.#seek(this.#cursor + (count * (recording.end - recording.begin)) / TRACE_STEPS);
    const index = recording.sampleAt(this.#cursor) + count;
    return this.#seek(recording.samples[Math.min(Math.max(0, index), recording.samples.length - 1)]?.time ?? 0);
  }

  /** @param {boolean} smoothly */
  #show(smoothly) {
    const recording = this.#recording;
    const { begin, end, name } = recording;
    const isShown = recording.lanes.length > 0;
    this.element.hidden = !isShown;
    if (!isShown) return;
    const tree = recording.treeAt(this.#cursor);
    this.title.textContent = name ? w.traceTitle(name) : w.tree;
    this.closeTrace.hidden = !name;
    this.pause.hidden = Boolean(name);
    setChildren(this.pause, this.#isLive ? w.pause : w.resume);
    setAttributes(this.slider, { min: begin, max: end, step: (end - begin) / TRACE_STEPS || 1 });
    this.slider.value = String(this.#cursor);
    const ago = this.#cursor - end;
    this.timeText.textContent = name ? shortTime(this.#cursor) : this.#isLive ? w.now : `−${(-ago).toFixed(1)} s`;
    const { hasTree } = recording;
    this.icicle.element.hidden = !hasTree;
    this.about.hidden = !hasTree;
    if (!this.about.textContent) this.about.textContent = w.treeHint;
    const lacksTree = !hasTree && end - begin > SOON_SECONDS;
    this.note.textContent = name ? w.traceNote : lacksTree ? w.noSplitPoints : w.sampled;
    if (hasTree) this.icicle.show(tree, smoothly);
    this.timeline.show(recording, this.#cursor, this.#isLive);
  }
}

/** Moves, window and value of a node. @param {Box} box */
function boxText({ node, line }) {
  const { moves = 0, begun = 0, alpha, beta, value, depth, worker } = node;
  const window = alpha || beta ? w.window(alpha || "−∞", beta || "+∞") : "";
  return [
    line.join(" ") || w.rootNode,
    depth && w.depthLeft(depth),
    window,
    value && w.best(value),
    moves && depth ? w.begun(begun, moves) : "",
    moves ? w.sharedBy(worker + 1) : w.searchedBy(worker + 1),
  ]
    .filter(Boolean)
    .join(" · ");
}
