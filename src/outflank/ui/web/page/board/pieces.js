// The look of boards and pieces: felt with discs, or wood with marbles; for the live board and for thumbnails.

import { draw } from "../parts/dom.js";

/** @import { Shape } from "./shape.js" */

const RADIUS = { squares: 0.42, hexagons: 0.455 };
const HOLLOW = 0.44;
/** @type {Record<string, string>} */
const NAMES = { X: "black", O: "white" };

/** @typedef {[offset: number, colour: string][]} Stops */

/** @param {Stops} pairs */
const stops = (pairs) => pairs.map(([offset, colour]) => draw("stop", { offset, "stop-color": colour }));
/** @param {string} id @param {number} cx @param {number} cy @param {Stops} pairs */
const radialGradient = (id, cx, cy, pairs) =>
  draw("radialGradient", { id, cx, cy, r: 0.75, fx: cx, fy: cy }, stops(pairs));

/** The colour gradients, once for the whole page. */
export function gradients() {
  const defs = draw(
    "defs",
    {},
    radialGradient("disc-black", 0.36, 0.3, [
      [0, "#4a5055"],
      [0.45, "#262a2d"],
      [1, "#131517"],
    ]),
    radialGradient("disc-white", 0.36, 0.3, [
      [0, "#ffffff"],
      [0.6, "#f1eee6"],
      [1, "#d5d0c4"],
    ]),
    radialGradient("marble-black", 0.34, 0.28, [
      [0, "#8b949c"],
      [0.18, "#4c535a"],
      [0.55, "#23272b"],
      [1, "#0d0f10"],
    ]),
    radialGradient("marble-white", 0.34, 0.28, [
      [0, "#ffffff"],
      [0.35, "#faf7f0"],
      [0.75, "#dcd5c6"],
      [1, "#a89f8c"],
    ]),
    draw(
      "linearGradient",
      { id: "felt", x1: 0, y1: 0, x2: 1, y2: 1 },
      stops([
        [0, "#2f8a63"],
        [1, "#236b4c"],
      ]),
    ),
    draw(
      "linearGradient",
      { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 },
      stops([
        [0, "#c9a06c"],
        [1, "#a97f4d"],
      ]),
    ),
    radialGradient("hollow", 0.5, 0.35, [
      [0, "#7d5a31"],
      [0.8, "#93703f"],
      [1, "#a5804c"],
    ]),
  );
  return draw("svg", { class: "paints", width: 0, height: 0, "aria-hidden": "true", focusable: "false" }, defs);
}

/** The board without pieces. @param {Shape} shape */
export function boardGround(shape, plain = false) {
  return shape.kind === "squares" ? felt(shape, plain) : wood(shape, plain);
}

/** @param {Shape} shape @param {boolean} plain */
function felt(shape, plain) {
  const [left, right, top, bottom] = [shape.left - 0.5, shape.right + 0.5, shape.top - 0.5, shape.bottom + 0.5];
  const [width, height] = [right - left, bottom - top];
  const frame = plain ? 0.1 : 0.35;
  const lines = [];
  for (let x = left + 1; x < right - 0.5; x += 1) lines.push(`M${x} ${top}V${bottom}`);
  for (let y = top + 1; y < bottom - 0.5; y += 1) lines.push(`M${left} ${y}H${right}`);
  const dots =
    width >= 8 && height >= 8
      ? [left + 2, right - 2].flatMap((cx) => [top + 2, bottom - 2].map((cy) => ({ cx, cy })))
      : [];
  return draw(
    "g",
    { class: "ground", "aria-hidden": "true" },
    draw("rect", {
      class: "frame",
      x: left - frame,
      y: top - frame,
      width: width + 2 * frame,
      height: height + 2 * frame,
      rx: 0.14,
    }),
    draw("rect", { fill: "url(#felt)", x: left, y: top, width, height }),
    draw("path", { class: "rules", d: lines.join("") }),
    dots.map((dot) => draw("circle", { class: "dot", r: 0.07, ...dot })),
  );
}

/** @param {Shape} shape @param {boolean} plain */
function wood(shape, plain) {
  const corners = (/** @type {number} */ edge) =>
    shape
      .outline(edge)
      .map((point) => point.map((coordinate) => coordinate.toFixed(3)).join(","))
      .join(" ");
  return draw(
    "g",
    { class: "ground", "aria-hidden": "true" },
    draw("polygon", { class: "frame", points: corners(plain ? 0.72 : 0.98) }),
    draw("polygon", { class: "wood", fill: "url(#wood)", points: corners(0.62) }),
    shape.cells.map(({ x, y }) => draw("circle", { cx: x, cy: y, r: HOLLOW, fill: "url(#hollow)" })),
  );
}

/**
 * A piece: a group at its place; animations move the `body` in it.
 * @param {Shape} shape
 * @param {string} sign
 * @param {{ x: number, y: number }} place
 */
export function piece(shape, sign, { x, y }) {
  const r = RADIUS[shape.kind];
  const body = draw(
    "g",
    { class: "body" },
    draw("circle", { class: "shadow", cy: 0.05, r }),
    draw("circle", { class: "top", r }),
  );
  const group = draw("g", { class: "piece", transform: `translate(${x} ${y})` }, body);
  showSide(group, shape, sign);
  return group;
}

/** Show the black or the white side of a piece. @param {SVGGElement} group @param {Shape} shape @param {string} sign */
export function showSide(group, shape, sign) {
  const name = NAMES[sign];
  group.dataset.sign = sign;
  group.querySelector(".top").setAttribute("fill", `url(#${shape.kind === "squares" ? "disc" : "marble"}-${name})`);
  group.querySelector(".top").setAttribute("class", `top ${name}`);
}

/** A thumbnail of a position. @param {Shape} shape @param {string} pieces @param {string} label */
export function thumbnail(shape, pieces, label) {
  return draw(
    "svg",
    { class: "picture", viewBox: shape.box(shape.kind === "squares" ? 0.6 : 0.75), role: "img", "aria-label": label },
    boardGround(shape, true),
    [...pieces].map((sign, index) => (sign in NAMES ? piece(shape, sign, shape.cells[index]) : null)),
  );
}
