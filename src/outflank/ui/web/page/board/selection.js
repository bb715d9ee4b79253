// The selection of pieces on the board, and the legal moves that it allows: a piece is placed, or a line is moved.

/** @import { Cell, Gesture } from "../types.js" */

/** @param {string[]} first @param {string[]} second */
const sameCells = (first, second) => first.length === second.length && first.every((cell) => second.includes(cell));
const MIN_COSINE = Math.cos(Math.PI / 6);

export class Selection {
  /** @type {Gesture[]} */
  #legal = [];
  /** The cells of the selected pieces. @type {string[]} */
  picked = [];

  /** Set the legal moves of another position, and clear the selection. @param {Gesture[]} legal */
  reset(legal) {
    this.#legal = legal;
    this.picked = [];
  }

  clear() {
    this.picked = [];
  }

  /**
   * Choose a cell.
   * @param {string} cell
   * @returns the move that this makes; null: none, but the selection may have changed
   */
  choose(cell) {
    const gesture = this.targets().get(cell);
    if (gesture) return gesture;
    if (this.picked.includes(cell)) {
      const remaining = this.picked.filter((picked) => picked !== cell);
      this.picked = this.#lines().some((line) => sameCells(line, remaining)) ? remaining : [];
    } else if (this.movable().has(cell)) {
      this.picked = this.#shortestLineWith(cell) ?? [cell];
    } else this.picked = [];
    return null;
  }

  /** The moves that can be made by choosing a cell, by cell. */
  targets() {
    /** @type {Map<string, Gesture>} */
    const targets = new Map();
    if (!this.picked.length) {
      for (const gesture of this.#legal) if (gesture.to && !gesture.picked?.length) targets.set(gesture.to, gesture);
      return targets;
    }
    const gestures = this.gestures();
    for (const gesture of gestures) if (gesture.to) targets.set(gesture.to, gesture);
    /** @type {Map<string, Gesture[]>} */
    const byTarget = new Map();
    for (const gesture of gestures) {
      for (const [, to] of gesture.goes ?? []) if (to) byTarget.set(to, [...(byTarget.get(to) ?? []), gesture]);
    }
    for (const [to, gestures] of byTarget) {
      if (gestures.length === 1 && !targets.has(to) && !this.picked.includes(to)) targets.set(to, gestures[0]);
    }
    return targets;
  }

  /** The moves of exactly the selected pieces. */
  gestures() {
    return this.picked.length ? this.#legal.filter((gesture) => sameCells(gesture.picked ?? [], this.picked)) : [];
  }

  /** The cells of pieces that can be selected. */
  movable() {
    return new Set(this.#legal.flatMap((gesture) => gesture.picked ?? []));
  }

  /** The cells of pieces that can be added to the selection. */
  joining() {
    if (!this.picked.length) return new Set();
    const lines = this.#lines().filter((line) => this.picked.every((picked) => line.includes(picked)));
    return new Set(lines.flat().filter((piece) => !this.picked.includes(piece)));
  }

  /**
   * The move that dragging a piece along a vector makes: it moves the selected line, or the line that the piece pushes
   * from behind.
   * @param {string} cell
   * @param {[number, number]} vector
   * @param {(name: string) => Cell} cellAt
   */
  draggedGesture(cell, [x, y], cellAt) {
    const length = Math.hypot(x, y) || 1;
    const isAlong = (/** @type {Gesture} */ gesture) =>
      gesture.way && (gesture.way[0] * x + gesture.way[1] * y) / length / Math.hypot(...gesture.way) > MIN_COSINE;
    if (this.picked.length > 1 && this.picked.includes(cell)) return this.gestures().find(isAlong) ?? null;
    const from = cellAt(cell);
    const pushesFromBehind = (/** @type {Gesture} */ gesture) =>
      gesture.picked.every((piece) => {
        const [dx, dy] = [cellAt(piece).x - from.x, cellAt(piece).y - from.y];
        const ahead = dx * gesture.way[0] + dy * gesture.way[1];
        return Math.abs(dx * gesture.way[1] - dy * gesture.way[0]) < 1e-6 && ahead > -1e-6;
      });
    return (
      this.#legal.find((gesture) => gesture.picked?.includes(cell) && isAlong(gesture) && pushesFromBehind(gesture)) ??
      null
    );
  }

  #lines() {
    return this.#legal.filter((gesture) => gesture.picked?.length).map((gesture) => gesture.picked);
  }

  /** The shortest movable line that contains the selection and another piece. @param {string} cell */
  #shortestLineWith(cell) {
    if (!this.picked.length) return null;
    const pieces = [...this.picked, cell];
    const lines = this.#lines().filter((line) => pieces.every((piece) => line.includes(piece)));
    return lines.reduce((shortest, line) => (shortest && shortest.length <= line.length ? shortest : line), null);
  }
}
