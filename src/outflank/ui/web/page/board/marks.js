// Marks on the board: what a move is worth, arrows of good moves, and handles that say which way a line goes.

import { draw } from "../parts/dom.js";
import { words } from "../parts/words.js";

// What a poor move and a bad one lose, where single pieces change hands by dozens and where each is dear.
const GRADES = { squares: [2, 6], hexagons: [0.2, 0.6] };

/** How bad a loss is, as a class. */
function grade(loss, shape) {
  const [poor, bad] = GRADES[shape.kind];
  return loss < poor ? "good" : loss < bad ? "poor" : "bad";
}

/** A value at a place: the best is ringed, what is proved has a line below. */
export function tag({ valueText, loss, exact, best }, { x, y, size = 1 }, shape) {
  const long = valueText.length > 4;
  return draw(
    "g",
    { class: `tag ${best ? "best" : grade(loss, shape)}`, transform: `translate(${x} ${y}) scale(${size})` },
    draw("circle", { class: "chip", r: 0.4 }),
    draw("text", { class: long ? "long" : false, y: exact ? -0.02 : 0.01 }, valueText),
    exact && draw("path", { class: "exact", d: "M-0.16 0.19H0.16" }),
  );
}

const middle = (names, shape) => {
  const cells = names.map((name) => shape.at.get(name));
  const mean = (key) => cells.reduce((sum, cell) => sum + cell[key], 0) / cells.length;
  return [mean("x"), mean("y")];
};

/** How far a line's front is from its middle, along its way. */
function reach(gesture, [x, y], shape) {
  const [dx, dy] = gesture.way;
  return Math.max(...gesture.picked.map((name) => (shape.at.get(name).x - x) * dx + (shape.at.get(name).y - y) * dy));
}

/** The arrow of a move; the first is the boldest. */
export function arrow(gesture, shape, rank, valueText) {
  const [x, y] = middle(gesture.picked, shape);
  const [dx, dy] = gesture.way;
  const front = reach(gesture, [x, y], shape);
  const [x1, y1, x2, y2] = [x - dx * front, y - dy * front, x + dx * (front + 0.62), y + dy * (front + 0.62)];
  const head = [
    [0.24, 0],
    [-0.02, 0.19],
    [-0.02, -0.19],
  ].map(([a, b]) => `${x2 + dx * a - dy * b},${y2 + dy * a + dx * b}`);
  return draw(
    "g",
    { class: `arrow rank${rank}` },
    gesture.picked.length > 1 &&
      draw("polyline", {
        class: "line",
        points: gesture.picked.map((name) => `${shape.at.get(name).x},${shape.at.get(name).y}`).join(" "),
      }),
    draw("line", { x1, y1, x2, y2 }),
    draw("polygon", { points: head.join(" ") }),
    rank === 0 &&
      draw(
        "g",
        { transform: `translate(${x} ${y})` },
        draw("rect", { class: "chip", x: -0.36, y: -0.17, width: 0.72, height: 0.34, rx: 0.17 }),
        draw("text", {}, valueText),
      ),
  );
}

/** Where the handle of a move is, or what lies so far beyond it. */
export function ahead(gesture, shape, beyond = 0) {
  const [x, y] = middle(gesture.picked, shape);
  const [dx, dy] = gesture.way;
  const far = reach(gesture, [x, y], shape) + 0.86 + beyond;
  return { x: x + dx * far, y: y + dy * far };
}

/** A handle in front of what is taken up: it goes that way. */
export function handle(gesture, shape, chosen) {
  const { x, y } = ahead(gesture, shape);
  const [dx, dy] = gesture.way;
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const group = draw(
    "g",
    {
      class: "handle",
      role: "button",
      tabindex: 0,
      "aria-label": words.board.way(gesture.move, wayName(dx, dy)),
      transform: `translate(${x} ${y})`,
      "data-move": gesture.move,
    },
    draw("circle", { r: 0.27 }),
    draw("path", { d: "M-0.1 -0.13L0.09 0L-0.1 0.13", transform: `rotate(${angle.toFixed(1)})` }),
  );
  group.addEventListener("click", (event) => {
    event.stopPropagation();
    chosen();
  });
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    chosen();
  });
  return group;
}

function wayName(dx, dy) {
  const up = dy < -0.2 ? words.ways.up : dy > 0.2 ? words.ways.down : "";
  const side = dx < -0.2 ? words.ways.left : dx > 0.2 ? words.ways.right : "";
  return [up, side].filter(Boolean).join(" ");
}
