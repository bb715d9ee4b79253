// The value of the position as a bar: the longer the dark part, the better for black.

import { draw, make, setAttributes } from "../parts/dom.js";
import { CERTAIN } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { Game } from "../types.js" */

/** Values at which three quarters of the bar belong to the side that is ahead. */
const CLEAR = { squares: 10, hexagons: 1 };

/**
 * Black's part of the bar, from 0 to 1.
 * @param {number} value for black, in the game's unit
 * @param {Game["shape"]} shape
 */
export function blackShare(value, shape) {
  if (Math.abs(value) >= CERTAIN) return value > 0 ? 1 : 0;
  return 1 / (1 + 3 ** (-value / CLEAR[shape]));
}

export class EvaluationBar {
  constructor() {
    this.black = draw("rect", { class: "black", width: 50, height: 1 });
    const svg = draw(
      "svg",
      { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { class: "white", width: 100, height: 1 }),
      this.black,
      draw("line", { x1: 50, x2: 50, y1: 0, y2: 1 }),
    );
    this.element = make(
      "div",
      {
        class: "evaluation",
        role: "meter",
        "aria-label": words.analyse.evaluation,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        hidden: true,
      },
      svg,
    );
  }

  /**
   * Show a value; null: there is none.
   * @param {number | null | undefined} value for black, in the game's unit
   * @param {Game} game
   * @param {string} text
   */
  show(value, { shape }, text) {
    const isKnown = value !== null && value !== undefined;
    this.element.hidden = !isKnown;
    if (!isKnown) return;
    const share = Math.round(100 * blackShare(value, shape));
    setAttributes(this.black, { width: share });
    setAttributes(this.element, { "aria-valuenow": share, "aria-valuetext": text, title: text });
  }
}
