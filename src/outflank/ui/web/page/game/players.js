// The players: a line for each side with its name, its count and its clock; the side to move is marked.

import { make, setAttributes } from "../parts/dom.js";
import { clockText } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { Colour, Game } from "../types.js" */

/** @type {Colour[]} */
const SIDES = ["black", "white"];
const TICK_MS = 100;
const SHORT_S = 10;

export class Players {
  /** @type {Partial<Record<Colour, Record<"line" | "name" | "count" | "time", HTMLElement>>>} */
  #lines = {};
  /** @type {Game | null} */
  #game = null;
  #receivedAt = 0;
  #timer = 0;
  #small;

  /** @param {{ small?: boolean }} options small: both sides on one line, and no word for a person without a name */
  constructor({ small = false } = {}) {
    this.#small = small;
    this.element = make(
      "div",
      { class: small ? "players small" : "players" },
      SIDES.map((side) => this.#line(side)),
    );
  }

  /** @param {Colour} side */
  #line(side) {
    const name = make("span", { class: "name" });
    const count = make("span", { class: "count" });
    const time = make("span", { class: "time", role: "timer" });
    const line = make(
      "div",
      { class: `player ${side}` },
      make("span", { class: "stone", role: "img", "aria-label": words.colours[side] }),
      name,
      count,
      time,
    );
    this.#lines[side] = { line, name, count, time };
    return line;
  }

  /** @param {Game} game */
  show(game) {
    if (this.#game?.clock !== game.clock) this.#receivedAt = performance.now();
    this.#game = game;
    SIDES.forEach((side, index) => {
      const { line, name, count, time } = this.#lines[side];
      const isUnnamed = this.#small && game.seats[side] === "human";
      name.textContent = game.names[index] || (isUnnamed ? words.colours[side] : words.seat(game.seats[side]));
      count.textContent = String(game.counts[index]);
      setAttributes(count, { title: game.counted, "aria-label": `${game.counts[index]} ${game.counted}` });
      line.classList.toggle("turn", game.turn === side && !game.outcome);
      line.classList.toggle("winner", game.outcome?.winner === side);
      line.classList.toggle("thinking", game.thinking === side);
      time.hidden = !game.clock;
    });
    this.#tick();
    clearInterval(this.#timer);
    if (game.clock?.running) this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  #tick() {
    const clock = this.#game.clock;
    if (!clock) return;
    for (const side of SIDES) {
      const elapsed = clock.running === side ? (performance.now() - this.#receivedAt) / 1000 : 0;
      const secondsLeft = clock[side] === null ? null : clock[side] - elapsed;
      const { time } = this.#lines[side];
      time.textContent = secondsLeft === null ? "" : clockText(secondsLeft);
      time.classList.toggle("short", secondsLeft !== null && secondsLeft < SHORT_S && clock.running === side);
    }
  }
}
