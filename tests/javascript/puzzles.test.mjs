// The rating of puzzles, the results of a day, and the mistakes that can be tried again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, NODES } from "./helpers.mjs";

const { dayText, PuzzleRecord, ratingAfter } = await load("game/puzzle_record.js");
const { mistakes } = await load("views/retry.js");
const { Tree } = await load("game/tree.js");

/** A browser's storage with this content. */
function withStorage(content = {}) {
  const values = new Map(Object.entries(content));
  globalThis.localStorage = { getItem: (name) => values.get(name) ?? null, setItem: (name, value) => values.set(name, value) };
  return values;
}

test("a rating changes by Elo's formula", () => {
  assert.equal(ratingAfter(1200, 1200, true), 1216);
  assert.equal(ratingAfter(1200, 1200, false), 1184);
  assert.ok(ratingAfter(1200, 1600, true) > 1228);
  assert.ok(ratingAfter(1200, 1600, false) > 1197);
});

test("the day is that of the user's clock", () => {
  assert.equal(dayText(new Date(2026, 4, 7, 23, 59)), "2026-05-07");
});

test("only the first result of a puzzle on a day is rated, and all is stored", () => {
  const values = withStorage();
  const puzzle = { position: "one", rating: 1200 };
  const record = new PuzzleRecord();
  assert.equal(record.result("2026-05-07", "one"), undefined);
  assert.equal(record.add("2026-05-07", puzzle, false), -16);
  assert.equal(record.add("2026-05-07", puzzle, true), null);
  assert.equal(record.result("2026-05-07", "one"), false);
  const later = new PuzzleRecord();
  assert.equal(later.rating, 1184);
  assert.equal(later.result("2026-05-07", "one"), false);
  assert.equal(later.result("2026-05-08", "one"), undefined);
  assert.ok(later.add("2026-05-08", puzzle, true) > 16);
  assert.deepEqual(JSON.parse(values.get("puzzles")).results, { one: true });
});

test("damaged storage begins anew", () => {
  for (const text of ["nonsense", "null", '{"rating":"x","day":3}']) {
    withStorage({ puzzles: text });
    assert.equal(new PuzzleRecord().rating, 1200);
  }
});

test("mistakes and blunders on the main line can be tried again, those of humans against computers", () => {
  const marks = { 1: "?", 2: "??", 3: "?!", 4: "?", 5: "??" };
  const tree = new Tree(NODES.map((node) => ({ ...node, mark: marks[node.id] })));
  const ids = (seats) => mistakes({ seats }, tree).map((node) => node.id);
  assert.deepEqual(ids({ black: "human", white: "human" }), [1, 2, 4]);
  assert.deepEqual(ids({ black: "human", white: "computer level=3" }), [1]);
  assert.deepEqual(ids({ black: "random", white: "computer level=3" }), [1, 2, 4]);
});
