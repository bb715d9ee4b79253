// The Watch view's pure parts: recordings of searches, trace files, the boxes of trees, and recorded searches.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./helpers.mjs";

const { ACTIVITIES, columnShares, KEPT_SECONDS, readTrace, Recording } = await load("views/recording.js");
const { boxes } = await load("views/icicle.js");
const { markStep, paintLane, shortTime } = await load("views/timeline.js");
const { readSteps, stepText } = await load("views/steps.js");

const worker = (changes = {}) => ({
  busy: true,
  move: "d3",
  nodes: 0,
  wasted: 0,
  steals: 0,
  busy_seconds: 0,
  idle_seconds: 0,
  ...changes,
});

/** The slices as `activity share`. */
const shares = (lane) => lane.map(({ activity, share }) => `${activity} ${share.toFixed(2)}`);

test("a slice of a running search has the shares of what a worker did", () => {
  const recording = new Recording();
  recording.add({ seconds: 1, workers: [worker()], tree: [] });
  assert.deepEqual(shares(recording.lanes[0]), []);
  recording.add({
    seconds: 1.1,
    workers: [worker({ busy_seconds: 0.075, idle_seconds: 0.025, nodes: 1000, wasted: 200 })],
    tree: [],
  });
  assert.deepEqual(shares(recording.lanes[0]), ["search 0.60", "abort 0.15", "idle 0.25"]);
  assert.equal(recording.sliceAt(0, 1.05).line, "d3");
  assert.equal(recording.sliceAt(0, 1.2), undefined);
});

test("a message that repeats a time adds nothing, and without times a worker is busy or not", () => {
  const recording = new Recording();
  recording.add({ seconds: 1, workers: [worker()], tree: [] });
  recording.add({ seconds: 1, workers: [worker()], tree: [] });
  recording.add({ seconds: 2, workers: [worker({ busy: false })], tree: [] });
  assert.equal(recording.samples.length, 2);
  assert.deepEqual(shares(recording.lanes[0]), ["idle 1.00"]);
});

test("between two iterations nothing is added", () => {
  const recording = new Recording();
  recording.add({ seconds: 1, workers: [worker()], tree: [{ order: 0, depth: 1, worker: 0 }] });
  recording.add({ seconds: 2, workers: [worker()], tree: [] });
  assert.deepEqual([recording.end, recording.treeAt(2).length], [1, 1]);
});

test("the last minute is kept", () => {
  const recording = new Recording();
  for (let tenth = 0; tenth <= 900; tenth++)
    recording.add({ seconds: 1 + tenth / 10, workers: [worker({ busy_seconds: tenth / 10 })], tree: [] });
  assert.ok(Math.abs(recording.end - recording.begin - KEPT_SECONDS) < 1e-9);
  assert.ok(recording.samples.length <= 602 && recording.lanes[0].length <= 602);
  assert.ok(recording.samples[0].time >= recording.begin);
  assert.equal(recording.samples[recording.sampleAt(50.05)].time, 50);
  assert.equal(recording.sampleAt(0), 0);
});

test("columns add up to what the slices have", () => {
  const lane = [
    { begin: 0, end: 1, activity: "search", share: 0.75 },
    { begin: 0, end: 1, activity: "idle", share: 0.25 },
    { begin: 1, end: 1.5, activity: "steal", share: 1 },
  ];
  const shares = columnShares(lane, 0, 2, 4);
  const column = (number) => [...shares.slice(number * ACTIVITIES.length, (number + 1) * ACTIVITIES.length)];
  assert.deepEqual(column(0), [0.75, 0, 0, 0, 0.25]);
  assert.deepEqual(column(1), [0.75, 0, 0, 0, 0.25]);
  assert.deepEqual(column(2), [0, 0, 0, 1, 0]);
  assert.deepEqual(column(3), [0, 0, 0, 0, 0]);
  // From the middle of a slice on, and with a slice inside a column.
  assert.deepEqual([...columnShares(lane, 0.5, 2.5, 1)].map((share) => Number(share.toFixed(4))), [
    0.1875, 0, 0, 0.25, 0.0625,
  ]);
});

test("a lane is painted from the bottom", () => {
  const words = new Uint32Array(2 * 4);
  paintLane(words, new Float32Array([0.5, 0.25, 0, 0, 0.25, 0, 0, 0, 0, 1]), 2, 4, [1, 2, 3, 4, 5]);
  assert.deepEqual([...words], [5, 5, 2, 5, 1, 5, 1, 5]);
});

test("marks of the time axis are round", () => {
  assert.equal(markStep(10, 8), 2);
  assert.equal(markStep(0.07, 10), 0.01);
  assert.equal(shortTime(0.0034), "3.4 ms");
  assert.equal(shortTime(12e-6), "12 µs");
  assert.equal(shortTime(2), "2 s");
});

const event = (changes) => ({
  name: "search",
  ph: "X",
  pid: 1,
  tid: 0,
  ts: 0,
  dur: 1000,
  args: { line: "depth 3 d3", nodes: 5 },
  ...changes,
});
const trace = (...traceEvents) => JSON.stringify({ displayTimeUnit: "ms", traceEvents });

test("a trace is read into lanes, and has the tree of the workers' lines", () => {
  const recording = readTrace(
    trace(
      { name: "process_name", ph: "M", pid: 1, tid: 0, args: { name: "outflank" } },
      event({ ts: 2000, name: "schedule" }),
      event({}),
      event({ tid: 2, dur: 3000, args: { line: "depth 3 d3 c5", nodes: 7 } }),
      { name: "busy workers", ph: "C", pid: 1, ts: 0, args: { busy: 2 } },
    ),
    "t.json",
  );
  assert.deepEqual(
    recording.lanes.map((lane) => lane.map(({ activity, begin }) => [activity, begin])),
    [
      [
        ["search", 0],
        ["share", 0.002],
      ],
      [],
      [["search", 0]],
    ],
  );
  assert.deepEqual([recording.begin, recording.end], [0, 0.003]);
  assert.deepEqual(
    recording.treeAt(0.0005).map(({ parent, move, moves, worker }) => [parent, move, moves, worker]),
    [
      [null, "", 1, 0],
      [0, "d3", 0, 0],
      [1, "c5", 0, 2],
    ],
  );
  assert.deepEqual(
    recording.treeAt(0.0015).map(({ move }) => move),
    ["", "d3", "c5"],
  );
});

test("a file that is no trace is refused in one line", () => {
  for (const [text, reason] of [
    ["{", /^t.json is no trace: a file of “outflank search --trace” was expected$/],
    ["[]", /is no trace/],
    ["null", /is no trace/],
    [trace(), /^t.json: the trace has no activity of any worker$/],
    [trace(event({ name: "constructor" })), /event 1 is no activity of a worker: “constructor”/],
    [trace(event({}), event({ tid: 1e9 })), /event 2 has no number of a worker/],
    [trace(event({ dur: -1 })), /has no begin and length/],
    [trace(event({ ts: "soon" })), /has no begin and length/],
  ])
    assert.throws(() => readTrace(text, "t.json"), { message: reason });
});

const TREE = [
  { parent: null, order: 0, depth: 9, moves: 4, worker: 0 },
  { parent: 0, order: 2, move: "c5", depth: 8, worker: 1 },
  { parent: 0, order: 1, move: "f4", depth: 8, moves: 3, worker: 0 },
  { parent: 2, order: 0, move: "d6", depth: 7, worker: 2 },
  { parent: 2, order: 1, move: "e3", depth: 7, worker: 0 },
];

test("boxes are as wide as the work below them, in the order of the moves", () => {
  assert.deepEqual(
    boxes(TREE).map(({ key, level, left, right }) => [key, level, left, right]),
    [
      ["", 0, 0, 1],
      ["f4", 1, 0, 2 / 3],
      ["f4 d6", 2, 0, 1 / 3],
      ["f4 e3", 2, 1 / 3, 2 / 3],
      ["c5", 1, 2 / 3, 1],
    ],
  );
  assert.deepEqual(boxes([]), []);
});

test("a node that fills the width leaves out its neighbours; a dead one gives its place to the one above", () => {
  const keys = (zoomed) => boxes(TREE, zoomed).map(({ key, left, right }) => [key, left, right]);
  assert.deepEqual(keys("f4"), [
    ["", 0, 1],
    ["f4", 0, 1],
    ["f4 d6", 0, 0.5],
    ["f4 e3", 0.5, 1],
  ]);
  assert.deepEqual(keys("f4 c4 e6"), keys("f4"));
  assert.deepEqual(keys("a1 a2"), keys(""));
});

test("nodes with the same moves, read at different moments, are both shown", () => {
  const doubled = [...TREE, { parent: 0, order: 2, move: "c5", depth: 8, worker: 3 }];
  assert.equal(new Set(boxes(doubled).map((box) => box.key)).size, 6);
});

/** Two moves of two replies each; the second move is cut off by its first reply. */
const RECORDED = {
  schema: "outflank/recorded-search/1",
  game: "othello",
  position: "",
  turn: "black",
  algorithm: "alphabeta",
  depth: 2,
  unit: "discs",
  nodes: [
    { depth: 2, value: 3, text: "+3", best: "a" },
    { parent: 0, move: "a", depth: 1, value: -3, text: "-3", best: "d" },
    { parent: 1, move: "c", depth: 0, value: 5, text: "+5" },
    { parent: 1, move: "d", depth: 0, beta: -5, value: 3, text: "+3" },
    { parent: 0, move: "b", depth: 1, beta: -3, value: -1, text: "-1", bound: "lower", best: "c", pruned: ["d", "e"] },
    { parent: 4, move: "c", depth: 0, alpha: 3, value: 1, text: "+1", bound: "upper" },
  ],
};

test("a recorded search is stepped through in the order of the search", () => {
  const steps = readSteps(JSON.stringify(RECORDED), "s.json");
  assert.deepEqual(steps.order, [0, 1, 2, 2, 3, 3, 1, 4, 5, 5, 4, 0]);
  assert.deepEqual(
    [0, 1, 3, 10].map((step) => steps.nodes.map((_, index) => steps.state(index, step))),
    [
      ["open", "ahead", "ahead", "ahead", "ahead", "ahead"],
      ["open", "open", "ahead", "ahead", "ahead", "ahead"],
      ["open", "open", "exact", "ahead", "ahead", "ahead"],
      ["open", "exact", "exact", "exact", "cut", "upper"],
    ],
  );
  assert.deepEqual(steps.places[5], { left: 2, width: 1, level: 2 });
  assert.equal(steps.weights[0], 5); // two leaves, and a leaf with two moves that are not searched
  assert.deepEqual([steps.cutOff(0, 1), steps.cutOff(10, 1), steps.cutOff(11, -1)], [10, 10, 10]);
});

test("a cut-off has a reason above it", () => {
  const steps = readSteps(JSON.stringify(RECORDED), "s.json");
  assert.deepEqual(steps.reason(4), { node: 0, move: "a", text: "+3" });
  assert.equal(steps.reason(1), null);
  const text = stepText(steps, 4, 10);
  assert.match(text, /^b: c is worth −1, which reaches beta: 2 moves not searched \(d, e\)\./);
  assert.match(text, /The reason is a after root, worth \+3 there/);
  assert.match(stepText(steps, 4, 7), /window −∞ … −3, 1 ply deep/);
  assert.match(stepText(steps, 5, 9), /a leaf, evaluated as \+1/);
  assert.match(stepText(steps, 0, 11), /best move is a, worth \+3/);
});

test("a file that is no recorded search is refused in one line", () => {
  const damaged = (changes) => JSON.stringify({ ...RECORDED, nodes: [RECORDED.nodes[0], changes] });
  for (const [text, reason] of [
    ["", /^s.json is no recorded search: a file of “outflank search --steps” was expected$/],
    ["[1]", /is no recorded search/],
    [JSON.stringify({ ...RECORDED, nodes: [] }), /is no recorded search/],
    [damaged({ parent: 1, depth: 1, text: "" }), /^s.json is damaged: node 2 has no node above it$/],
    [damaged({ parent: 0, depth: "1", text: "" }), /node 2 has no depth, value or list of moves/],
  ])
    assert.throws(() => readSteps(text, "s.json"), { message: reason });
});
