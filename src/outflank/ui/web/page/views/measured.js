// What sharing a search gains: measured on demand, and kept beside earlier measurements of the same position.

import { make, put } from "../parts/dom.js";
import { seconds } from "../parts/figures.js";
import { words } from "../parts/words.js";

const w = words.watch;

export class Measured {
  #app;
  #begun;
  #number = 0;
  #found = new Map(); // by position
  #under = null;

  constructor(app, begun) {
    this.#app = app;
    this.#begun = begun;
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

  run(options) {
    const { game } = this.#app.table;
    this.#begun();
    this.element.hidden = false;
    this.stage.textContent = w.stage.together;
    this.#under = game.position;
    this.#number = this.#app.link.follow({ kind: "compare", id: game.id, node: game.node, options }, (message) =>
      this.#heard(message),
    );
  }

  halted() {
    if (this.#under === null) return;
    this.#app.link.forget(this.#number);
    if (this.#app.link.ready) this.#app.link.ask({ kind: "halt" }).catch(() => {});
    this.#under = null;
    this.stage.textContent = "";
  }

  show(game) {
    const found = this.#found.get(game.position) ?? [];
    this.element.hidden = !found.length && this.#under === null;
    this.table.hidden = !found.length;
    put(
      this.body,
      found.map((each) => this.#row(each)),
    );
  }

  #heard(message) {
    if (message.kind === "refused") {
      if (!message.lost) this.#app.wrong(message.why);
      this.#under = null;
      this.stage.textContent = "";
      return;
    }
    this.stage.textContent = message.done ? "" : w.stage[message.stage];
    if (!message.done) return;
    if (message.speed_up !== null) this.#found.set(this.#under, [...(this.#found.get(this.#under) ?? []), message]);
    this.#under = null;
    this.show(this.#app.table.game);
  }

  #row(each) {
    const part = (number) => (number === null ? "" : `${Math.round(100 * number)} %`);
    const cells = [
      each.scheme,
      each.workers,
      each.depth,
      seconds(each.together_seconds),
      seconds(each.alone_seconds),
      each.speed_up === null ? "" : `${each.speed_up.toFixed(2)}×`,
      part(each.efficiency),
      part(each.overhead),
      each.same === null ? "" : each.same ? w.same : w.differs,
    ];
    const name = Object.keys(w.columns);
    return make(
      "tr",
      {},
      cells.map((text, index) =>
        index ? make("td", { class: name[index] }, text) : make("th", { scope: "row" }, text),
      ),
    );
  }
}
