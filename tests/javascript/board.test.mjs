// The geometry of boards, and the selection of pieces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hexagons, load, squares } from "./helpers.mjs";

const { Shape } = await load("board/shape.js");
const { Selection } = await load("board/selection.js");

const othello = new Shape("squares", squares(8));
const abalone = new Shape("hexagons", hexagons());

test("a square board has a frame around its outermost cells", () => {
  assert.equal(othello.box(), "-0.85 -0.85 8.7 8.7");
  assert.equal(othello.box(0.5), "-0.5 -0.5 8 8");
  assert.deepEqual(othello.outline(1), [
    [-1, -1],
    [8, -1],
    [8, 8],
    [-1, 8],
  ]);
});

test("a board of hexagons has 61 cells, nine rows and six corners", () => {
  assert.deepEqual(
    abalone.rows.map((row) => row.length),
    [5, 6, 7, 8, 9, 8, 7, 6, 5],
  );
  const corners = abalone.outline(0);
  const names = corners.map(([x, y]) => abalone.cells.find((cell) => Math.hypot(cell.x - x, cell.y - y) < 1e-9)?.name);
  assert.deepEqual(names, ["i5", "i9", "e9", "a5", "a1", "e1"]);
  const [middleX, middleY] = [3, 2 * Math.sqrt(3)];
  for (const [x, y] of abalone.outline(0.5)) assert.ok(Math.abs(Math.hypot(x - middleX, y - middleY) - 4.5) < 1e-9);
});

test("a shape recognises boards with the same cells", () => {
  assert.ok(othello.like("squares", squares(8)));
  assert.ok(!othello.like("squares", squares(6)));
  assert.ok(!othello.like("hexagons", squares(8)));
});

test("coordinates stand above and beside squares", () => {
  const coordinates = othello.coordinates();
  assert.deepEqual(
    coordinates.map(({ text }) => text),
    [..."abcdefgh12345678"],
  );
  assert.ok(coordinates.slice(0, 8).every(({ y }) => y < othello.top - 0.5));
  assert.ok(coordinates.slice(8).every(({ x }) => x < othello.left - 0.5));
});

test("coordinates of hexagons stand before each row and below each diagonal", () => {
  const coordinates = abalone.coordinates();
  assert.deepEqual(coordinates.map(({ text }) => text).sort(), [..."123456789ABCDEFGHI"]);
  const six = coordinates.find(({ text }) => text === "6");
  const { x, y } = abalone.at.get("b6"); // the lowest cell of its diagonal
  assert.ok(Math.abs(six.x - x - 0.37) < 1e-9);
  assert.ok(Math.abs(six.y - y - 0.64) < 1e-9);
});

test("cells without a letter and a number have no coordinates", () => {
  assert.deepEqual(new Shape("squares", [{ name: "17", row: 0, x: 0, y: 0 }]).coordinates(), []);
});

test("arrow keys move to a neighbour, and not off the board", () => {
  assert.equal(othello.beside("d4", "ArrowLeft"), "c4");
  assert.equal(othello.beside("d4", "ArrowRight"), "e4");
  assert.equal(othello.beside("d4", "ArrowUp"), "d3");
  assert.equal(othello.beside("d4", "ArrowDown"), "d5");
  assert.equal(othello.beside("a1", "ArrowLeft"), undefined);
  assert.equal(othello.beside("a1", "ArrowUp"), undefined);
  assert.equal(othello.beside("h8", "ArrowRight"), undefined);
  assert.equal(othello.beside("h8", "ArrowDown"), undefined);
});

test("on hexagons, down undoes up wherever up stays above the cell", () => {
  assert.equal(abalone.beside("e5", "ArrowUp"), "f5");
  assert.equal(abalone.beside("f5", "ArrowDown"), "e5");
  for (const cell of abalone.cells) {
    const above = abalone.beside(cell.name, "ArrowUp");
    if (above && abalone.at.get(above).x < cell.x) assert.equal(abalone.beside(above, "ArrowDown"), cell.name);
  }
});

// --- the selection ---

const PLACEMENTS = [{ move: "d3", to: "d3" }, { move: "c4", to: "c4" }, { move: "pass" }];

test("a piece is placed by choosing its cell", () => {
  const selection = new Selection();
  selection.reset(PLACEMENTS);
  assert.deepEqual([...selection.targets().keys()], ["d3", "c4"]);
  assert.equal(selection.choose("c4").move, "c4");
  assert.equal(selection.choose("a1"), null);
  assert.deepEqual(selection.picked, []);
  assert.equal(selection.movable().size, 0);
});

// Marbles on e4, e5 and e6 that move along their row, and e4 with e5 to the upper left as well.
const LINES = [
  { move: "e4", picked: ["e4"], to: "f4", way: [-0.5, -0.866], goes: [["e4", "f4"]] },
  {
    move: "e4-e5",
    picked: ["e4", "e5"],
    way: [-0.5, -0.866],
    goes: [
      ["e4", "f4"],
      ["e5", "f5"],
    ],
  },
  {
    move: "e4-e6",
    picked: ["e4", "e5", "e6"],
    to: "e7",
    way: [1, 0],
    goes: [
      ["e6", "e7"],
      ["e5", "e6"],
      ["e4", "e5"],
    ],
  },
];

function selected(...cells) {
  const selection = new Selection();
  selection.reset(LINES);
  for (const cell of cells) selection.choose(cell);
  return selection;
}

test("choosing pieces extends the line, and choosing one again takes it off", () => {
  assert.deepEqual([...selected().movable()].sort(), ["e4", "e5", "e6"]);
  assert.deepEqual(selected("e4").picked, ["e4"]);
  assert.deepEqual([...selected("e4").joining()].sort(), ["e5", "e6"]);
  assert.deepEqual(selected("e4", "e5").picked, ["e4", "e5"]);
  assert.deepEqual(selected("e4", "e6").picked, ["e4", "e5", "e6"]);
  assert.deepEqual(selected("e4", "e5", "e5").picked, ["e4"]);
  assert.deepEqual(selected("e4", "e5", "e4").picked, []); // e5 alone cannot move
  assert.deepEqual(selected("e4", "a1").picked, []);
});

test("a selected line moves to a cell that only one move reaches", () => {
  assert.deepEqual([...selected("e4", "e5").targets().keys()], ["f4", "f5"]);
  assert.deepEqual([...selected("e4", "e6").targets().keys()], ["e7"]); // not to cells of the line itself
  assert.equal(selected("e4", "e6").choose("e7").move, "e4-e6");
  assert.equal(selected("e4", "e5").choose("f5").move, "e4-e5");
});

test("a dragged piece pushes the line in front of it, or moves the selected line", () => {
  const cellAt = (name) => abalone.at.get(name);
  assert.equal(selected().draggedGesture("e4", [0.8, 0.1], cellAt).move, "e4-e6");
  assert.equal(selected().draggedGesture("e6", [0.8, 0.1], cellAt), null); // e4 and e5 are behind it
  assert.equal(selected().draggedGesture("e4", [-0.5, -0.8], cellAt).move, "e4");
  assert.equal(selected("e4", "e5").draggedGesture("e5", [-0.5, -0.8], cellAt).move, "e4-e5");
  assert.equal(selected("e4", "e5").draggedGesture("e5", [0, 1], cellAt), null);
});
