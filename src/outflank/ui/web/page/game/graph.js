// The value over a game, for black: a curve; clicks and arrow keys select a move.

import { draw, make, setChildren, setAttributes } from "../parts/dom.js";
import { CERTAIN } from "../parts/figures.js";
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

  /** @param {(node: number) => void} onVisit */
  constructor(onVisit) {
    this.#onVisit = onVisit;
    this.svg = draw("svg", {
      class: "graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    });
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
    );
    this.element.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      this.#go(Math.round((((event.clientX - box.left) / box.width) * WIDTH - EDGE) / this.#step));
    });
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

  /** @param {number} ply */
  #go(ply) {
    this.#onVisit(this.#mainLine[Math.max(0, Math.min(this.#mainLine.length - 1, ply))]);
  }

  /** @param {Game} game @param {Tree} tree */
  show(game, tree) {
    this.#mainLine = tree.mainLine();
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
      draw("line", { class: "now", x1: x(this.#ply), x2: x(this.#ply), y1: 0, y2: HEIGHT }),
      marks.map(({ node, ply }) =>
        draw(
          "circle",
          { class: GRADE[node.mark], cx: x(ply), cy: y(values[ply]), r: 4 },
          draw("title", {}, `${node.move}${node.mark}`),
        ),
      ),
    );
    const node = tree.node(this.#mainLine[this.#ply]);
    const value = node.value === undefined || node.value === null ? "" : node.value.toFixed(1);
    setAttributes(this.element, {
      "aria-valuemin": 0,
      "aria-valuemax": this.#mainLine.length - 1,
      "aria-valuenow": this.#ply,
      "aria-valuetext": node.move ? words.review.at(this.#ply, node.move, value) : words.review.begin,
    });
  }
}
