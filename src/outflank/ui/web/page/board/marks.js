// Marks on the board: values of moves, arrows of good moves, and handles for the directions of a line.

import { draw } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { Shape } from "./shape.js" */
/** @import { Arrow, Gesture, MoveValue } from "../types.js" */

// Loss of a poor and of a bad move: in Othello dozens of discs change sides, in Abalone a single marble counts.
const GRADES = { squares: [2, 6], hexagons: [0.2, 0.6] };

const HANDLE_RADIUS = 0.27; // on a large board
const FINGER_PIXELS = 41; // minimum width of a handle: a finger hits 40 pixels, and a layout may round them down

/** The CSS class of a loss. @param {number} loss @param {Shape} shape */
function grade(loss, shape) {
  const [poor, bad] = GRADES[shape.kind];
  return loss < poor ? "good" : loss < bad ? "poor" : "bad";
}

/**
 * A value at a place: the best one has a ring, an exact one is underlined.
 * @param {MoveValue} value
 * @param {{ x: number, y: number, size?: number }} place
 * @param {Shape} shape
 */
export function valueTag({ valueText, loss, exact, best }, { x, y, size = 1 }, shape) {
  const isLong = valueText.length > 4;
  return draw(
    "g",
    { class: `tag ${best ? "best" : grade(loss, shape)}`, transform: `translate(${x} ${y}) scale(${size})` },
    draw("circle", { class: "chip", r: 0.4 }),
    draw("text", { class: isLong ? "long" : false, y: exact ? -0.02 : 0.01 }, valueText),
    exact && draw("path", { class: "exact", d: "M-0.16 0.19H0.16" }),
  );
}

/** @param {string[]} names @param {Shape} shape @returns {[x: number, y: number]} */
const centre = (names, shape) => {
  const cells = names.map((name) => shape.at.get(name));
  const mean = (/** @type {"x" | "y"} */ key) => cells.reduce((sum, cell) => sum + cell[key], 0) / cells.length;
  return [mean("x"), mean("y")];
};

/**
 * The distance from a line's centre to its front, in the direction of the move.
 * @param {Gesture} gesture
 * @param {[x: number, y: number]} centre
 * @param {Shape} shape
 */
function reach(gesture, [x, y], shape) {
  const [dx, dy] = gesture.way;
  return Math.max(...gesture.picked.map((name) => (shape.at.get(name).x - x) * dx + (shape.at.get(name).y - y) * dy));
}

/**
 * The corners of an arrow's head at the end of its line.
 * @param {[x: number, y: number]} end
 * @param {[dx: number, dy: number]} direction
 */
function headPoints([x, y], [dx, dy]) {
  return [
    [0.24, 0],
    [-0.02, 0.19],
    [-0.02, -0.19],
  ]
    .map(([along, across]) => `${x + dx * along - dy * across},${y + dy * along + dx * across}`)
    .join(" ");
}

/**
 * The arrow of a move; that of rank 0 is the boldest.
 * @param {Gesture} gesture
 * @param {Shape} shape
 * @param {number} rank
 * @param {string} valueText
 */
export function arrow(gesture, shape, rank, valueText) {
  const [x, y] = centre(gesture.picked, shape);
  const [dx, dy] = gesture.way;
  const front = reach(gesture, [x, y], shape);
  const [x1, y1, x2, y2] = [x - dx * front, y - dy * front, x + dx * (front + 0.62), y + dy * (front + 0.62)];
  return draw(
    "g",
    { class: `arrow rank${rank}` },
    gesture.picked.length > 1 &&
      draw("polyline", {
        class: "line",
        points: gesture.picked.map((name) => `${shape.at.get(name).x},${shape.at.get(name).y}`).join(" "),
      }),
    draw("line", { x1, y1, x2, y2 }),
    draw("polygon", { points: headPoints([x2, y2], [dx, dy]) }),
    rank === 0 &&
      draw(
        "g",
        { transform: `translate(${x} ${y})` },
        draw("rect", { class: "chip", x: -0.36, y: -0.17, width: 0.72, height: 0.34, rx: 0.17 }),
        draw("text", {}, valueText),
      ),
  );
}

/**
 * An arrow that a user drew between the centres of two cells, or a circle around one; null: the board lacks a cell.
 * @param {Arrow} arrow
 * @param {Shape} shape
 */
export function drawnArrow([from, to], shape) {
  const [start, end] = [shape.at.get(from), shape.at.get(to)];
  if (!start || !end) return null;
  if (from === to) return draw("circle", { class: "drawn", cx: start.x, cy: start.y, r: 0.42 });
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  const [dx, dy] = [(end.x - start.x) / length, (end.y - start.y) / length];
  const [x, y] = [end.x - 0.3 * dx, end.y - 0.3 * dy];
  return draw(
    "g",
    { class: "drawn" },
    draw("line", { x1: start.x, y1: start.y, x2: x, y2: y }),
    draw("polygon", { points: headPoints([x, y], [dx, dy]) }),
  );
}

/** The radius of a handle, in cells, where a cell is so many pixels wide. @param {number} cellPixels */
export function handleRadius(cellPixels) {
  return Math.max(HANDLE_RADIUS, FINGER_PIXELS / 2 / cellPixels);
}

/**
 * The place of the handle of a move, or a place `beyond` it. Handles of neighbouring directions do not overlap.
 * @param {Gesture} gesture
 * @param {Shape} shape
 * @param {number} radius of the handle
 */
export function handlePlace(gesture, shape, radius, beyond = 0) {
  const [x, y] = centre(gesture.picked, shape);
  const [dx, dy] = gesture.way;
  const distance = reach(gesture, [x, y], shape) + Math.max(0.86, 2 * radius + 0.04) + beyond;
  return { x: x + dx * distance, y: y + dy * distance };
}

/**
 * A handle in front of the selected line, which moves it in that direction.
 * @param {Gesture} gesture
 * @param {Shape} shape
 * @param {number} radius
 * @param {() => void} onChoose
 */
export function handle(gesture, shape, radius, onChoose) {
  const { x, y } = handlePlace(gesture, shape, radius);
  const [dx, dy] = gesture.way;
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const group = draw(
    "g",
    {
      class: "handle",
      role: "button",
      tabindex: 0,
      "aria-label": words.board.way(gesture.move, directionName(dx, dy)),
      transform: `translate(${x} ${y}) scale(${radius / HANDLE_RADIUS})`,
      "data-move": gesture.move,
    },
    draw("circle", { r: HANDLE_RADIUS }),
    draw("path", { d: "M-0.1 -0.13L0.09 0L-0.1 0.13", transform: `rotate(${angle.toFixed(1)})` }),
  );
  group.addEventListener("click", (event) => {
    event.stopPropagation();
    onChoose();
  });
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    onChoose();
  });
  return group;
}

/** @param {number} dx @param {number} dy */
function directionName(dx, dy) {
  const vertical = dy < -0.2 ? words.ways.up : dy > 0.2 ? words.ways.down : "";
  const horizontal = dx < -0.2 ? words.ways.left : dx > 0.2 ? words.ways.right : "";
  return [vertical, horizontal].filter(Boolean).join(" ");
}
