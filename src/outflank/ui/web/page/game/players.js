// The players: a line for each side with its name, its count and its clock; the side to move is marked.

import { make, setAttributes } from "../parts/dom.js";
import { clockText } from "../parts/figures.js";
import { words } from "../parts/words.js";

const TICK_MS = 100;
const SHORT_S = 10;

export class Players {
  #lines = {};
  #game = null;
  #receivedAt = 0;
  #timer = 0;

  constructor() {
    this.element = make(
      "div",
      { class: "players" },
      ["black", "white"].map((side) => this.#line(side)),
    );
  }

  #line(side) {
    const parts = {
      name: make("span", { class: "name" }),
      count: make("span", { class: "count" }),
      time: make("span", { class: "time", role: "timer" }),
    };
    parts.line = make(
      "div",
      { class: `player ${side}` },
      make("span", { class: "stone", role: "img", "aria-label": words.colours[side] }),
      parts.name,
      parts.count,
      parts.time,
    );
    this.#lines[side] = parts;
    return parts.line;
  }

  show(game) {
    if (this.#game?.clock !== game.clock) this.#receivedAt = performance.now();
    this.#game = game;
    ["black", "white"].forEach((side, index) => {
      const { line, name, count, time } = this.#lines[side];
      name.textContent = game.names[index] || words.seat(game.seats[side]);
      count.textContent = game.counts[index];
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
    for (const side of ["black", "white"]) {
      const elapsed = clock.running === side ? (performance.now() - this.#receivedAt) / 1000 : 0;
      const secondsLeft = clock[side] === null ? null : clock[side] - elapsed;
      const { time } = this.#lines[side];
      time.textContent = secondsLeft === null ? "" : clockText(secondsLeft);
      time.classList.toggle("short", secondsLeft !== null && secondsLeft < SHORT_S && clock.running === side);
    }
  }
}
