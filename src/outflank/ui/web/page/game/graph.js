// The value over a game, for black: a curve that is clicked, or walked with the arrow keys, to come to a move.

import { draw, make, put, set } from "../parts/dom.js";
import { words } from "../parts/words.js";

const [WIDTH, HEIGHT, EDGE] = [400, 130, 8];
const GRADE = { "?!": "doubtful", "?": "mistake", "??": "blunder" };
const LEAST = { squares: 8, hexagons: 1 }; // what the graph reaches to, where a game is even

export class Graph {
  #visit;
  #main = [];
  #at = 0;

  constructor(visit) {
    this.#visit = visit;
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
      const to = { ArrowLeft: this.#at - 1, ArrowRight: this.#at + 1, Home: 0, End: this.#main.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.#go(to);
    });
  }

  get #step() {
    return (WIDTH - 2 * EDGE) / Math.max(1, this.#main.length - 1);
  }

  #go(ply) {
    this.#visit(this.#main[Math.max(0, Math.min(this.#main.length - 1, ply))]);
  }

  show(game, tree) {
    this.#main = tree.main();
    const path = tree.path(game.node);
    this.#at = path.filter((id) => this.#main.includes(id)).length - 1;
    const values = this.#main.map((id) => tree.node(id).value ?? null);
    const most = Math.max(
      LEAST[game.shape],
      ...values.map((value) => Math.abs(value ?? 0)).filter((value) => value < 1e6),
    );
    const x = (ply) => EDGE + ply * this.#step;
    const y = (value) => HEIGHT / 2 - (Math.max(-1, Math.min(1, value / most)) * (HEIGHT - 2 * EDGE)) / 2;
    const points = values.map((value, ply) => (value === null ? null : [x(ply), y(value)])).filter(Boolean);
    const path_ = points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
    const marks = this.#main
      .map((id, ply) => [tree.node(id), ply])
      .filter(([node, ply]) => node.mark && values[ply] !== null);
    const area = points.length > 1 && `M${points[0][0]} ${HEIGHT / 2}L${path_}L${points.at(-1)[0]} ${HEIGHT / 2}Z`;
    put(
      this.svg,
      draw("rect", { class: "above", width: WIDTH, height: HEIGHT / 2 }),
      draw("rect", { class: "below", y: HEIGHT / 2, width: WIDTH, height: HEIGHT / 2 }),
      area && draw("path", { class: "area", d: area }),
      draw("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      points.length > 1 && draw("path", { class: "curve", d: `M${path_}` }),
      draw("line", { class: "now", x1: x(this.#at), x2: x(this.#at), y1: 0, y2: HEIGHT }),
      marks.map(([node, ply]) =>
        draw(
          "circle",
          { class: GRADE[node.mark], cx: x(ply), cy: y(values[ply]), r: 4 },
          draw("title", {}, `${node.move}${node.mark}`),
        ),
      ),
    );
    const node = tree.node(this.#main[this.#at]);
    const value = node.value === undefined || node.value === null ? "" : node.value.toFixed(1);
    set(this.element, {
      "aria-valuemin": 0,
      "aria-valuemax": this.#main.length - 1,
      "aria-valuenow": this.#at,
      "aria-valuetext": node.move ? words.review.at(this.#at, node.move, value) : words.review.begin,
    });
  }
}
