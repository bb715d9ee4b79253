// Speed-up of parallel search: measured on request, and listed with earlier measurements of the same position.

import { make, setChildren } from "../parts/dom.js";
import { secondsText } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { App, Compared, Game, SearchOptions, StreamFailure } from "../types.js" */

const w = words.watch;

export class Comparisons {
  #app;
  #onRunning;
  #number = 0;
  /** @type {Map<string, Compared[]>} */
  #results = new Map(); // by position
  /** @type {string | null} */
  #position = null; // of the running measurement
  #shown = ""; // the position on the board

  /**
   * @param {App} app
   * @param {() => void} onRunning called when a measurement has started or ended
   */
  constructor(app, onRunning) {
    this.#app = app;
    this.#onRunning = onRunning;
    const heads = Object.values(w.columns).map((name) => make("th", { scope: "col" }, name));
    this.body = make("tbody");
    this.stage = make("p", { class: "quiet", "aria-live": "polite" });
    this.table = make(
      "div",
      { class: "lanes-box", tabindex: 0, role: "group", "aria-label": w.measured },
      make("table", { class: "lanes measured" }, make("thead", {}, make("tr", {}, heads)), this.body),
    );
    this.element = make(
      "section",
      { "aria-label": w.measured, hidden: true },
      make("h3", {}, w.measured),
      this.stage,
      this.table,
    );
  }

  /** Whether a measurement is running. */
  get running() {
    return this.#position !== null;
  }

  /** @param {SearchOptions} options */
  run(options) {
    const { game } = this.#app.openGame;
    this.element.hidden = false;
    this.stage.textContent = w.stage.together;
    this.#position = game.position;
    this.#number = this.#app.connection.follow({ kind: "compare", id: game.id, node: game.node, options }, (message) =>
      this.#receive(message),
    );
    this.#onRunning();
  }

  stop() {
    if (!this.running) return;
    this.#app.connection.forget(this.#number);
    if (this.#app.connection.ready) this.#app.connection.ask({ kind: "halt" }).catch(() => {});
    this.#end(w.stage.stopped);
  }

  /** @param {string} stage */
  #end(stage = "") {
    this.#position = null;
    this.stage.textContent = stage;
    this.#onRunning();
  }

  /** @param {Game} game */
  show(game) {
    if (!this.running && this.#shown !== game.position) this.stage.textContent = "";
    this.#shown = game.position;
    const results = this.#results.get(game.position) ?? [];
    this.element.hidden = !results.length && !this.stage.textContent;
    this.table.hidden = !results.length;
    setChildren(
      this.body,
      results.map((result) => this.#row(result)),
    );
  }

  /** @param {Compared | StreamFailure} message */
  #receive(message) {
    if (message.kind === "refused") {
      if (!message.lost) this.#app.showError(message.why);
      this.#end();
      return;
    }
    this.stage.textContent = w.stage[message.stage];
    if (!message.done) return;
    if (message.speed_up !== null)
      this.#results.set(this.#position, [...(this.#results.get(this.#position) ?? []), message]);
    this.#end();
    this.show(this.#app.openGame.game);
  }

  /** @param {Compared} result */
  #row(result) {
    const percent = (/** @type {number | null} */ number) => (number === null ? "" : `${Math.round(100 * number)} %`);
    const cells = [
      result.scheme,
      result.workers,
      result.depth,
      secondsText(result.together_seconds),
      secondsText(result.alone_seconds),
      result.speed_up === null ? "" : `${result.speed_up.toFixed(2)}×`,
      percent(result.efficiency),
      percent(result.overhead),
      result.same === null ? "" : result.same ? w.same : w.differs,
    ];
    const columns = Object.entries(w.columns);
    return make(
      "tr",
      {},
      cells.map((text, index) => {
        const [name, head] = columns[index];
        return make(index ? "td" : "th", { class: name, "data-head": head, scope: !index && "row" }, text);
      }),
    );
  }
}
