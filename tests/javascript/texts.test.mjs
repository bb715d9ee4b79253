// Figures, clocks and sentences, and the values that the board shows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./helpers.mjs";

const { byteText, clockText, percent, secondsText, shortNumber, signedNumber, timeText, minusSigns } = await load("parts/figures.js");
const { words } = await load("parts/words.js");
const { moveValues } = await load("game/engine.js");
const { blackShare } = await load("game/evaluation_bar.js");

/** Assert the text of each value. */
const texts = (function_, expected) => {
  for (const [value, text] of expected) assert.equal(function_(value), text, `${function_.name}(${value})`);
};

test("values have a sign and a decimal", () => {
  texts(signedNumber, [
    [0.04, "0"],
    [-0.04, "0"],
    [4, "+4"],
    [-2.36, "−2.4"],
  ]);
  texts(words.moves.valued, [
    [-1.25, "−1.3 for black"],
    [1e9, "won for black"],
    [-1e9, "won for white"],
  ]);
  texts(percent, [
    [0.654, "65 %"],
    [0.004, "< 1 %"],
    [0, "0 %"],
    [1, "100 %"],
  ]);
  texts((loss) => words.moves.loses(loss, "discs"), [
    [2.5, "loses 2.5 discs"],
    [1, "loses 1 disc"],
    [1e9, "loses the game"],
  ]);
});

test("the server's numbers have the page's minus sign, and names keep their hyphens", () => {
  texts(minusSigns, [
    ["-10.5", "−10.5"],
    ["white played b7 (-9.9 discs)", "white played b7 (−9.9 discs)"],
    ["Rose-v-Toth b7-4 2-1", "Rose-v-Toth b7-4 2-1"],
    ["+3", "+3"],
  ]);
  assert.equal(words.analyse.value("-4", "black"), "−4 for black");
});

test("the bar of the evaluation grows with black's value", () => {
  const share = (value) => blackShare(value, "squares");
  assert.deepEqual([-1e9, -10, 0, 10, 1e9].map(share), [0, 0.25, 0.5, 0.75, 1]);
  assert.equal(blackShare(1, "hexagons"), 0.75);
});

test("numbers of nodes have a unit and at most three digits", () => {
  texts(shortNumber, [
    [0, "0"],
    [0.4, "0"],
    [999, "999"],
    [1000, "1.0 k"],
    [1234, "1.2 k"],
    [12345, "12 k"],
    [5e6, "5.0 M"],
    [2.5e10, "25 G"],
  ]);
});

test("a number just below a unit is not rounded up to a thousand of the smaller one", () => {
  texts(shortNumber, [
    [999.7, "1.0 k"],
    [9999, "10 k"],
    [999999, "1.0 M"],
    [999.6e6, "1.0 G"],
  ]);
});

test("sizes are powers of two", () => {
  texts(byteText, [
    [0, "0 bytes"],
    [1023, "1023 bytes"],
    [1024, "1 KiB"],
    [64 * 2 ** 20, "64 MiB"],
    [2 ** 31, "2 GiB"],
  ]);
});

test("clocks show tenths below ten seconds, and never run backwards", () => {
  texts(clockText, [
    [-1, "0:00.0"],
    [0, "0:00.0"],
    [8.34, "0:08.3"],
    [10, "0:10"],
    [59.2, "1:00"],
    [249, "4:09"],
    [3599.5, "1:00:00"],
    [3661, "1:01:01"],
  ]);
});

test("no clock shows ten seconds as 0:010.0", () => {
  for (let seconds = 0; seconds < 12; seconds += 0.01) assert.match(clockText(seconds), /^0:(0\d\.\d|\d\d)$/);
});

test("durations have hundredths, seconds or minutes", () => {
  texts(secondsText, [
    [0.123, "0.12 s"],
    [9.99, "9.99 s"],
    [9.999, "10 s"],
    [45.4, "45 s"],
    [119, "119 s"],
    [119.9, "2 min"],
    [120, "2 min"],
  ]);
});

test("a time of today has no date", () => {
  assert.match(timeText(Date.now() / 1000), /^\d\d:\d\d$/);
  assert.match(timeText(new Date(2020, 1, 29, 13, 5).getTime() / 1000), /^29 Feb 2020, 13:05$/);
});

test("sentences agree with their numbers", () => {
  assert.equal(words.play.played(1), "1 move");
  assert.equal(words.play.played(0), "0 moves");
  assert.match(words.watch.many(2, 1), /^2 workers on 1 core:/);
});

test("a seat is named as people would name it", () => {
  texts(words.seat, [
    ["human", "Person"],
    ["computer level=12", "Computer, level 12"],
    ["computer", "Computer"],
    ["computer level=3 book=no", "computer level=3 book=no"],
  ]);
});

test("the depth of a search shows selectivity and the depth in work", () => {
  assert.equal(words.analyse.depth(12, 13, 100), "depth 12, now 13");
  assert.equal(words.analyse.depth(0, 1, 73), "now depth 1");
  assert.equal(words.analyse.depth(20, 20, 73), "depth 20 (73 % sure)");
  assert.equal(words.analyse.depthHint(0, 0, 100), "");
  assert.match(words.analyse.depthHint(12, 13, 100), /12 moves deep.* 13 moves deep/);
  assert.match(words.analyse.depthHint(20, 20, 73), /20 moves deep.* right in about 73 %/);
  assert.equal(words.watch.at("", 0), "");
  assert.equal(words.watch.at("d3", 4), "d3 · depth 4");
});

test("the title of the page leaves out what is not there", () => {
  assert.equal(words.pageTitle("Lab", ""), "Lab · outflank");
  assert.equal(words.pageTitle("Play", "Othello"), "Othello · Play · outflank");
});

test("values of moves are relative to the best, and only of legal moves", () => {
  const legal = [{ move: "d3" }, { move: "c4" }, { move: "f5" }];
  const moves = [
    { move: "c4", value: 4, value_text: "+4", exact: true },
    { move: "d3", value: 4, value_text: "+4" },
    { move: "a1", value: 2, value_text: "+2" },
    { move: "f5", value: -1e9, value_text: "lost" },
  ];
  const values = moveValues({ moves }, { legal });
  assert.deepEqual(
    values.map(({ gesture, loss, exact, best, rank }) => [gesture.move, loss, exact, best, rank]),
    [
      ["c4", 0, true, true, 0],
      ["d3", 0, false, true, 1],
      ["f5", 1e6, false, false, 2],
    ],
  );
  assert.deepEqual(moveValues({ moves: [] }, { legal }), []);
});

test("a review counts blunders, mistakes and doubtful moves apart", () => {
  texts(words.review.marked, [
    [["", "?!", "?", "??", "?!", "?!"], "1 blunder, 1 mistake, 3 doubtful moves"],
    [["?", "", "?"], "2 mistakes"],
    [["?!"], "1 doubtful move"],
    [["", ""], ""],
  ]);
});

test("a player is told the own result, and others what the server says", () => {
  const seats = (black, white, owners = ["", ""]) => ({ seats: { black, white, clock: "none" }, owners });
  const over = { winner: "black", reason: "no moves", text: "black wins by 8 discs: no moves", counts: [36, 28] };
  const computer = "computer level=3";
  texts(words.play.result, [
    [{ outcome: over, ...seats("human", computer) }, "You won 36–28"],
    [{ outcome: over, ...seats(computer, "human") }, "You lost 28–36"],
    [{ outcome: over, ...seats("human", "human") }, over.text],
    [{ outcome: over, ...seats("random", computer) }, over.text],
    [{ outcome: over, ...seats("human", "human", ["other", "you"]) }, "You lost 28–36"],
    [{ outcome: over, ...seats("human", "human", ["other", "other"]) }, over.text],
    [{ outcome: { ...over, winner: null, counts: [32, 32] }, ...seats("human", computer) }, "A draw 32–32"],
    [
      { outcome: { ...over, reason: "black resigned", winner: "white", counts: null }, ...seats("human", computer) },
      "You lost: black resigned",
    ],
  ]);
});
