// The review of a game: every move judged, the value over the game, mistakes, and where it turned.

import { button, choice, make, put, set } from "../parts/dom.js";
import { Graph } from "../game/graph.js";
import { words } from "../parts/words.js";

const w = words.review;
const TIMES = [0.1, 0.5, 1, 3];

export class Review {
  #app;
  #told;
  #number = 0;
  running = false;

  /** @param told hears that a review begins (true) or is over (false) */
  constructor(app, told) {
    this.#app = app;
    this.#told = told;
    this.graph = new Graph((node) => app.table.go(node));
    this.progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": w.title });
    this.status = make("p", { class: "quiet", "aria-live": "polite" });
    this.story = make("ul", { class: "story" });
    this.time = choice(
      TIMES.map((time) => [time, `${time} s`]),
      0.5,
      { "aria-label": w.time },
    );
    this.button = button(w.run, () => (this.running ? this.stop() : this.run()));
    this.element = make(
      "section",
      { class: "review", "aria-label": w.title },
      make(
        "div",
        { class: "review-head" },
        make("h2", {}, w.title),
        make("label", { class: "compact", title: w.time }, this.time),
        this.button,
      ),
      this.progress,
      this.graph.element,
      this.status,
      this.story,
    );
  }

  show(game) {
    const { tree } = this.#app.table;
    const main = tree.main();
    const judged = main.filter((id) => tree.node(id).value !== undefined && tree.node(id).value !== null).length;
    const mistakes = main.filter((id) => tree.node(id).mark).length;
    this.graph.show(game, tree);
    this.graph.element.hidden = judged < 2;
    set(this.button, { disabled: main.length < 2 });
    if (this.running) return;
    put(this.button, judged ? w.again : w.run);
    this.status.textContent = judged < 2 ? w.empty : mistakes ? w.count(mistakes) : w.none;
  }

  run() {
    const { game } = this.#app.table;
    this.#told(true);
    put(this.story);
    this.running = true;
    this.progress.hidden = false;
    this.progress.value = 0;
    put(this.button, w.stop);
    this.#number = this.#app.link.follow({ kind: "review", id: game.id, seconds: Number(this.time.value) }, (message) =>
      this.#heard(message),
    );
  }

  stop() {
    this.#app.link.ask({ kind: "halt" }).catch(() => {});
    this.halted();
  }

  /** It is not under way any more. */
  halted() {
    if (!this.running) return;
    this.#app.link.forget(this.#number);
    this.running = false;
    this.progress.hidden = true;
    if (this.#app.table.game) this.show(this.#app.table.game);
    this.#told(false);
  }

  #heard(message) {
    if (message.kind === "refused") {
      if (!message.lost) this.#app.wrong(message.why);
      return this.halted();
    }
    this.progress.value = message.plies ? message.ply / message.plies : 1;
    this.status.textContent = w.progress(message.ply, message.plies);
    if (!message.done) return undefined;
    this.halted();
    const turn = ({ node, text }) =>
      make("li", {}, make("button", { type: "button", class: "link", onclick: () => this.#app.table.go(node) }, text));
    return put(this.story, (message.story ?? []).map(turn));
  }
}
