// The value over a game, for black: a curve; clicks and arrow keys select a move, and the pointer shows a move's value.

import { draw, make, setChildren, setAttributes } from "../parts/dom.js";
import { CERTAIN, signedNumber } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { Tree } from "./tree.js" */
/** @import { Game } from "../types.js" */

const [WIDTH, HEIGHT, EDGE] = [400, 130, 8];
/** @type {Record<string, string>} */
const GRADE = { "?!": "doubtful", "?": "mistake", "??": "blunder" };
const MIN_RANGE = { squares: 8, hexagons: 1 }; // minimum range of the graph, for even games

export class Graph {
  #onVisit;
  /** @type {number[]} */
  #mainLine = [];
  #ply = 0;
  /** @type {Tree | null} */
  #tree = null;

  /** @param {(node: number) => void} onVisit */
  constructor(onVisit) {
    this.#onVisit = onVisit;
    this.svg = draw("svg", {
      class: "graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
    this.pointed = draw("line", { class: "pointed", y1: 0, y2: HEIGHT, visibility: "hidden" });
    this.hint = make("span", { class: "graph-hint", hidden: true, "aria-hidden": "true" });
    this.most = make("span", { class: "graph-most", "aria-hidden": "true" });
    this.least = make("span", { class: "graph-least", "aria-hidden": "true" });
    this.element = make(
      "div",
      {
        class: "graph-box",
        role: "slider",
        tabindex: 0,
        "aria-label": words.review.graph,
        "aria-orientation": "horizontal",
        hidden: true,
      },
      this.svg,
      this.most,
      this.least,
      this.hint,
    );
    this.element.addEventListener("click", (event) => this.#go(this.#plyAt(event)));
    this.element.addEventListener("pointermove", (event) => this.#point(this.#plyAt(event)));
    this.element.addEventListener("pointerleave", () => this.#point(null));
    this.element.addEventListener("keydown", (event) => {
      /** @type {Record<string, number>} */
      const plies = {
        ArrowLeft: this.#ply - 1,
        ArrowRight: this.#ply + 1,
        Home: 0,
        End: this.#mainLine.length - 1,
      };
      const ply = plies[event.key];
      if (ply === undefined) return;
      event.preventDefault();
      this.#go(ply);
    });
  }

  get #step() {
    return (WIDTH - 2 * EDGE) / Math.max(1, this.#mainLine.length - 1);
  }

  /** @param {MouseEvent} event */
  #plyAt(event) {
    const box = this.svg.getBoundingClientRect();
    const ply = Math.round((((event.clientX - box.left) / box.width) * WIDTH - EDGE) / this.#step);
    return this.#within(ply);
  }

  /** @param {number} ply */
  #within(ply) {
    return Math.max(0, Math.min(this.#mainLine.length - 1, ply));
  }

  /** @param {number} ply */
  #go(ply) {
    this.#onVisit(this.#mainLine[this.#within(ply)]);
  }

  /** Show the move and the value at which the pointer is; null: it is elsewhere. @param {number | null} ply */
  #point(ply) {
    const isShown = ply !== null && ply < this.#mainLine.length;
    this.hint.hidden = !isShown;
    setAttributes(this.pointed, { visibility: isShown ? "visible" : "hidden" });
    if (!isShown) return;
    const x = EDGE + ply * this.#step;
    setAttributes(this.pointed, { x1: x, x2: x });
    this.hint.textContent = this.#textAt(ply);
  }

  /** The move, its mark and the value after it. @param {number} ply */
  #textAt(ply) {
    const id = this.#mainLine[ply];
    const { move, mark = "", value } = this.#tree.node(id);
    if (!move) return words.review.begin;
    const isKnown = value !== undefined && value !== null;
    return words.review.at(this.#tree.numberedMove(id) + mark, isKnown ? words.moves.valued(value) : "");
  }

  /** @param {Game} game @param {Tree} tree */
  show(game, tree) {
    this.#mainLine = tree.mainLine();
    this.#tree = tree;
    const path = tree.path(game.node);
    this.#ply = path.filter((id) => this.#mainLine.includes(id)).length - 1;
    const values = this.#mainLine.map((id) => tree.node(id).value ?? null);
    const range = Math.max(
      MIN_RANGE[game.shape],
      ...values.map((value) => Math.abs(value ?? 0)).filter((value) => value < CERTAIN),
    );
    const x = (/** @type {number} */ ply) => EDGE + ply * this.#step;
    const y = (/** @type {number} */ value) =>
      HEIGHT / 2 - (Math.max(-1, Math.min(1, value / range)) * (HEIGHT - 2 * EDGE)) / 2;
    const points = values.map((value, ply) => (value === null ? null : [x(ply), y(value)])).filter(Boolean);
    const curve = points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
    const marks = this.#mainLine
      .map((id, ply) => ({ node: tree.node(id), ply }))
      .filter(({ node, ply }) => node.mark && values[ply] !== null);
    const area = points.length > 1 && `M${points[0][0]} ${HEIGHT / 2}L${curve}L${points.at(-1)[0]} ${HEIGHT / 2}Z`;
    setChildren(
      this.svg,
      draw("rect", { class: "above", width: WIDTH, height: HEIGHT / 2 }),
      draw("rect", { class: "below", y: HEIGHT / 2, width: WIDTH, height: HEIGHT / 2 }),
      area && draw("path", { class: "area", d: area }),
      draw("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      points.length > 1 && draw("path", { class: "curve", d: `M${curve}` }),
      this.pointed,
      draw("line", { class: "now", x1: x(this.#ply), x2: x(this.#ply), y1: 0, y2: HEIGHT }),
      marks.map(({ node, ply }) =>
        draw(
          "circle",
          { class: GRADE[node.mark], cx: x(ply), cy: y(values[ply]), r: 4 },
          draw("title", {}, `${tree.numberedMove(node.id)}${node.mark}`),
        ),
      ),
    );
    this.most.textContent = words.review.range("black", signedNumber(range));
    this.least.textContent = words.review.range("white", signedNumber(range));
    this.#point(null);
    setAttributes(this.element, {
      "aria-valuemin": 0,
      "aria-valuemax": this.#mainLine.length - 1,
      "aria-valuenow": this.#ply,
      "aria-valuetext": this.#textAt(this.#ply),
    });
  }
}
