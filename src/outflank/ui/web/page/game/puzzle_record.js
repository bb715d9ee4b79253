// A user's rating in puzzles, and the results of the day. The browser stores both: a server has no accounts, and people
// who share a server each have their own rating.

import { localStore } from "../parts/dom.js";

const FIRST_RATING = 1200;
const STEP = 32; // the most that a puzzle changes a rating

/**
 * A rating after a puzzle, by Elo's formula.
 * @param {number} rating
 * @param {number} puzzleRating
 * @param {boolean} isSolved
 */
export function ratingAfter(rating, puzzleRating, isSolved) {
  const expected = 1 / (1 + 10 ** ((puzzleRating - rating) / 400));
  return rating + STEP * (Number(isSolved) - expected);
}

/** A date where the user is: `2026-05-17`. @param {Date} date */
export function dayText(date) {
  const twoDigits = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export class PuzzleRecord {
  rating = FIRST_RATING;
  #day = "";
  /** @type {Record<string, boolean>} */
  #results = {}; // of the day, by the position of the puzzle

  constructor() {
    try {
      const { rating, day, results } = JSON.parse(localStore.get("puzzles", "{}"));
      if (Number.isFinite(rating)) this.rating = rating;
      if (typeof day === "string" && results && typeof results === "object") [this.#day, this.#results] = [day, results];
    } catch {
      // damaged: the rating begins anew
    }
  }

  /** Whether a puzzle of a day was solved; undefined: it was not tried. @param {string} day @param {string} position */
  result(day, position) {
    return day === this.#day ? this.#results[position] : undefined;
  }

  /**
   * Note the first result of a puzzle on a day.
   * @param {string} day
   * @param {{ position: string, rating: number }} puzzle
   * @param {boolean} isSolved
   * @returns the change of the rating; null: the puzzle was rated before
   */
  add(day, puzzle, isSolved) {
    if (this.result(day, puzzle.position) !== undefined) return null;
    if (day !== this.#day) [this.#day, this.#results] = [day, {}];
    const before = this.rating;
    this.rating = ratingAfter(before, puzzle.rating, isSolved);
    this.#results[puzzle.position] = isSolved;
    localStore.set("puzzles", JSON.stringify({ rating: this.rating, day, results: this.#results }));
    return Math.round(this.rating) - Math.round(before);
  }
}
