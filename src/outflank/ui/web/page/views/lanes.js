// A table row for each worker of a search: its current job, its speed, and the share of useful time.

import { make, setChildren, setAttributes } from "../parts/dom.js";
import { shortNumber } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { WorkerState } from "../types.js" */

const w = words.watch;
const COUNTS = /** @type {const} */ (["spawned", "steals", "aborts", "wasted"]);
const COLUMNS = /** @type {const} */ (["worker", "at", "speed", "useful", ...COUNTS]);

export class Lanes {
  /** @type {{ element: HTMLElement, show: (worker: WorkerState, fastest: number) => void }[]} */
  #rows = [];

  constructor() {
    this.body = make("tbody");
    const heads = COLUMNS.map((name) => make("th", { scope: "col", class: name }, w.heads[name]));
    this.element = make(
      "div",
      { class: "lanes-box", tabindex: 0, role: "group", "aria-label": w.heads.worker, hidden: true },
      make("table", { class: "lanes" }, make("thead", {}, make("tr", {}, heads)), this.body),
    );
  }

  /** @param {WorkerState[]} workers as in `analysis` */
  show(workers) {
    this.element.hidden = !workers.length;
    while (this.#rows.length < workers.length) this.#rows.push(this.#row(this.#rows.length + 1));
    if (this.body.childElementCount !== workers.length)
      setChildren(
        this.body,
        this.#rows.slice(0, workers.length).map((row) => row.element),
      );
    const fastest = Math.max(1, ...workers.map((worker) => worker.speed));
    workers.forEach((worker, index) => this.#rows[index].show(worker, fastest));
    this.element.classList.toggle("many", workers.length > 8);
  }

  /** @param {number} number */
  #row(number) {
    const cells = Object.fromEntries(
      COLUMNS.map((name) => [
        name,
        // A narrow table has no head: the style sheet writes the column's name into the cell.
        make(name === "worker" ? "th" : "td", {
          class: name,
          "data-head": w.heads[name],
          scope: name === "worker" && "row",
        }),
      ]),
    );
    cells.worker.textContent = String(number);
    const move = make("span", { class: "at-move" });
    const origin = make("span", { class: "whose" });
    cells.at.append(move, origin);
    const bar = make("progress", { max: 1, value: 0, "aria-label": w.heads.speed });
    const speed = make("span");
    cells.speed.append(speed, bar);
    const element = make("tr", {}, Object.values(cells));
    /** @param {WorkerState} worker @param {number} fastest */
    const show = (worker, fastest) => {
      element.classList.toggle("busy", worker.busy);
      move.textContent = worker.busy ? w.at(worker.move, worker.depth) || "…" : w.idle;
      origin.textContent = worker.busy ? (worker.stolen ? w.stolen : w.own) : "";
      setAttributes(origin, { "data-stolen": worker.stolen ? "yes" : "no" });
      bar.value = worker.speed / fastest;
      speed.textContent = shortNumber(worker.speed);
      cells.useful.textContent = `${Math.round(100 * worker.useful)} %`;
      for (const name of COUNTS) cells[name].textContent = shortNumber(worker[name]);
    };
    return { element, show };
  }
}
