// What the workers of a search did: the last minute of a running search, or all of a trace file.

/** @import { Activity, Analysis, LiveNode, Slice, WorkerState } from "../types.js" */

export const KEPT_SECONDS = 60;

/** @type {Activity[]} */
export const ACTIVITIES = ["search", "abort", "share", "steal", "idle"];

/** The names of activities in a trace file. @type {Record<string, Activity>} */
const TRACED = { search: "search", spawn: "share", schedule: "share", steal: "steal", abort: "abort", idle: "idle" };

const MOST_WORKERS = 1024;

/** The first index from which on a condition holds. @param {number} count @param {(index: number) => boolean} holds */
export function firstIndex(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What workers did over time, and the split points that lived. */
export class Recording {
  /** The slices of each worker, in the order of time. @type {Slice[][]} */
  lanes = [];
  /** @type {{ time: number, tree: LiveNode[] }[]} */
  samples = [];
  /** The last state of each worker. @type {WorkerState[]} */
  #last = [];
  begin = 0;
  end = 0;
  name = ""; // of the trace file; empty: a running search

  /** Add the state of a running search. @param {Pick<Analysis, "seconds" | "workers" | "tree">} message */
  add({ seconds, workers, tree }) {
    if (!workers.length || seconds <= this.end) return;
    // Between two iterations there is no tree for a moment, which would only flicker.
    if (!tree.length && this.hasTree) return;
    workers.forEach((worker, index) => {
      this.lanes[index] ??= [];
      if (this.#last[index]) this.lanes[index].push(...slices(this.#last[index], worker, this.end, seconds));
    });
    if (!this.samples.length) this.begin = seconds;
    this.#last = workers;
    this.end = seconds;
    this.samples.push({ time: seconds, tree });
    const kept = seconds - KEPT_SECONDS;
    if (this.begin >= kept) return;
    this.begin = kept;
    this.samples.splice(0, firstIndex(this.samples.length, (index) => this.samples[index].time >= kept));
    for (const lane of this.lanes) lane.splice(0, firstIndex(lane.length, (index) => lane[index].end > kept));
  }

  get hasTree() {
    return Boolean(this.name) || (this.samples.at(-1)?.tree.length ?? 0) > 0;
  }

  /** The index of the last sample at a time or before it. @param {number} time */
  sampleAt(time) {
    return Math.max(0, firstIndex(this.samples.length, (index) => this.samples[index].time > time) - 1);
  }

  /** What a worker did at a time. @param {number} worker @param {number} time @returns {Slice | undefined} */
  sliceAt(worker, time) {
    const lane = this.lanes[worker] ?? [];
    const slice = lane[firstIndex(lane.length, (index) => lane[index].end > time)];
    return slice && slice.begin <= time ? slice : undefined;
  }

  /** The split points at a time; in a trace those that are known from the workers' lines. @param {number} time */
  treeAt(time) {
    if (!this.name) return this.samples[this.sampleAt(time)]?.tree ?? [];
    return treeOfLines(this.lanes.map((_, worker) => this.sliceAt(worker, time)));
  }
}

/**
 * What a worker did between two of its states.
 * @param {WorkerState} before
 * @param {WorkerState} after
 * @param {number} begin
 * @param {number} end
 * @returns {Slice[]}
 */
function slices(before, after, begin, end) {
  const [busySeconds, idleSeconds] = [
    Math.max(0, after.busy_seconds - before.busy_seconds),
    Math.max(0, after.idle_seconds - before.idle_seconds),
  ];
  const seconds = busySeconds + idleSeconds;
  const busy = seconds > 0 ? busySeconds / seconds : after.busy ? 1 : 0;
  const nodes = Math.max(0, after.nodes - before.nodes);
  // The nodes of an aborted job are counted at its end, and may have been searched before `begin`.
  const wasted = Math.min(1, Math.max(0, after.wasted - before.wasted) / Math.max(1, nodes));
  const [line, steals] = [after.move, Math.max(0, after.steals - before.steals)];
  /** @type {Slice[]} */
  const all = [
    { begin, end, activity: "search", share: busy * (1 - wasted), line, nodes, steals },
    { begin, end, activity: "abort", share: busy * wasted, line, nodes: after.wasted - before.wasted },
    { begin, end, activity: "idle", share: 1 - busy },
  ];
  return all.filter((slice) => slice.share > 0.001);
}

/** The tree of the lines that workers search at one moment. @param {(Slice | undefined)[]} current @returns {LiveNode[]} */
function treeOfLines(current) {
  /** @type {LiveNode[]} */
  const nodes = [];
  /** @type {Map<string, number>} */
  const places = new Map();
  current.forEach((slice, worker) => {
    if (!slice?.line || slice.activity === "idle") return;
    const words = slice.line.split(" ");
    const first = words.splice(0, words[0] === "depth" || words[0] === "turn" ? 2 : 0).join(" ");
    /** @type {number | null} */
    let parent = null;
    [first, ...words].forEach((move, ply) => {
      const key = [first, ...words.slice(0, ply)].join(" ");
      if (!places.has(key)) {
        places.set(key, nodes.length);
        nodes.push({ parent, order: 0, move: ply ? move : "", depth: 0, worker, moves: 1 });
      }
      parent = places.get(key);
    });
    nodes[parent].worker = worker;
    if (["search", "abort"].includes(slice.activity)) nodes[parent].moves = 0;
  });
  return nodes;
}

/**
 * The share of each activity in each column of a picture: `width` columns from `begin` to `end`, and for each the shares
 * in the order of `ACTIVITIES`.
 * @param {Slice[]} lane
 * @param {number} begin
 * @param {number} end
 * @param {number} width
 */
export function columnShares(lane, begin, end, width) {
  const [kinds, shares] = [ACTIVITIES.length, new Float32Array(width * ACTIVITIES.length)];
  const scale = width / (end - begin);
  for (let index = firstIndex(lane.length, (place) => lane[place].end > begin); index < lane.length; index++) {
    const slice = lane[index];
    if (slice.begin >= end) break;
    const kind = ACTIVITIES.indexOf(slice.activity);
    const left = Math.max(0, (slice.begin - begin) * scale);
    const right = Math.min(width, (slice.end - begin) * scale);
    for (let column = Math.floor(left); column < right; column++)
      shares[column * kinds + kind] += slice.share * (Math.min(column + 1, right) - Math.max(column, left));
  }
  return shares;
}

/**
 * Read a trace file that `outflank search --trace` has written.
 * @param {string} text
 * @param {string} name of the file
 * @returns {Recording} throws an `Error` whose message is one line, if it is no such file
 */
export function readTrace(text, name) {
  const events = parsed(text)?.traceEvents;
  if (!Array.isArray(events)) throw new Error(`${name} is no trace: a file of “outflank search --trace” was expected`);
  const recording = new Recording();
  recording.name = name;
  recording.begin = Infinity;
  events.forEach((event, index) => {
    if (event?.ph !== "X") return;
    const problem = (/** @type {string} */ what) => new Error(`${name}: event ${index + 1} ${what}`);
    const activity = Object.hasOwn(TRACED, event.name) ? TRACED[event.name] : null;
    if (!activity) throw problem(`is no activity of a worker: “${String(event.name).slice(0, 40)}”`);
    if (!(Number.isInteger(event.tid) && event.tid >= 0 && event.tid < MOST_WORKERS))
      throw problem(`has no number of a worker (“tid”, below ${MOST_WORKERS})`);
    if (!(Number.isFinite(event.ts) && Number.isFinite(event.dur) && event.dur >= 0))
      throw problem("has no begin and length (“ts” and “dur”, in microseconds)");
    const [begin, end] = [event.ts / 1e6, (event.ts + event.dur) / 1e6];
    while (recording.lanes.length <= event.tid) recording.lanes.push([]);
    const { line, nodes } = event.args ?? {};
    recording.lanes[event.tid].push({
      begin,
      end,
      activity,
      share: 1,
      line: typeof line === "string" ? line : "",
      nodes: Number.isFinite(nodes) ? nodes : 0,
    });
    recording.begin = Math.min(recording.begin, begin);
    recording.end = Math.max(recording.end, end);
  });
  if (!recording.lanes.length) throw new Error(`${name}: the trace has no activity of any worker`);
  for (const lane of recording.lanes) lane.sort((first, second) => first.begin - second.begin);
  return recording;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
