// Analysing: values that deepen, the best lines, the tree of moves, and the review of the game.

import { button, choice, kept, make, renew, set } from "../parts/dom.js";
import { Engine, valued } from "../game/engine.js";
import { fresh } from "../game/fresh.js";
import { Moves } from "../game/moves.js";
import { paste } from "../game/paste.js";
import { Review } from "./review.js";
import { Setup } from "../game/setup.js";
import { share } from "../game/share.js";
import { words } from "../parts/words.js";

const w = words.analyse;
const COUNTS = [1, 3, 5, 8, 200];
const LINES = 3;
const SHOWN_MOVES = 12;

export class Analysis {
  #app;
  #engine;
  #paused = false;
  #lined = "[]";
  single = true;

  constructor(app) {
    this.#app = app;
    const { table, board } = app;
    this.#engine = new Engine(app, (message) => this.#heard(message));
    this.moves = new Moves(table, true);
    this.review = new Review(app, (running) => (running ? this.#pause() : this.#resume()));
    this.setup = new Setup(app, board, () => this.#app.refresh());
    this.switch = make("input", { type: "checkbox", role: "switch", onchange: () => this.toggle(this.switch.checked) });
    this.count = choice(
      COUNTS.map((count) => [count, count === 200 ? w.all : w.count(count)]),
      Number(kept.get("values", 200)),
      { "aria-label": w.moves, onchange: () => this.#recount() },
    );
    this.value = make("strong", { class: "value" });
    this.facts = make("p", { class: "facts" });
    this.solved = make("p", { class: "solved", hidden: true });
    this.lines = make("ol", { class: "lines", tabindex: -1 });
    const tools = make(
      "div",
      { class: "actions tools-row" },
      button(w.paste, () => paste(app)),
      button(w.setup, () => this.setup.toggle()),
      button(w.share, () => share(app)),
      button(w.playOn, () => fresh.ask(app, { text: table.game.position, game: table.game.game })),
    );
    this.engineBox = make(
      "section",
      { class: "engine", "aria-label": w.engine },
      make(
        "div",
        { class: "engine-head" },
        make(
          "label",
          { class: "switch" },
          this.switch,
          make("span", { class: "track", "aria-hidden": "true" }),
          make("span", {}, w.engine),
        ),
        this.value,
      ),
      make("div", { class: "facts-row" }, this.facts, make("label", { class: "compact" }, this.count)),
      this.solved,
      this.lines,
    );
    this.element = make(
      "div",
      { class: "analyse" },
      this.engineBox,
      this.setup.element,
      make("h2", { class: "unseen" }, words.moves.title),
      this.moves.element,
      this.review.element,
      tools,
    );
  }

  enter() {
    this.toggle(kept.get("engine", "on") === "on", true);
  }

  leave() {
    this.#engine.halt();
    this.#engine.on = this.#paused = false;
    this.review.halted();
    this.setup.close();
  }

  again() {
    this.#engine.again();
    this.review.halted();
    this.#search();
  }

  open() {
    return !this.setup.open;
  }

  /** The engine on or off; as a person chose it, it is kept. */
  toggle(on = !this.#engine.on, quiet = false) {
    this.#engine.on = on;
    this.switch.checked = on;
    if (!quiet) kept.set("engine", on ? "on" : "off");
    if (on) this.#search();
    else {
      this.#engine.halt();
      this.#engine.last = null;
      this.#heard(null);
    }
  }

  update(game) {
    this.moves.show(game);
    this.review.show(game);
    this.setup.show(game);
    this.engineBox.hidden = this.setup.open;
    if (this.#engine.last && this.#engine.last.node === game.node && this.#engine.last.id === game.id)
      this.#heard(this.#engine.last);
    else if (this.#engine.on) this.#heard(null);
    if (!this.review.running && !this.setup.open) this.#search();
  }

  #recount() {
    kept.set("values", this.count.value);
    this.#search();
  }

  #search() {
    const { game } = this.#app.table;
    if (game) this.#engine.search(game, { moves: Number(this.count.value) });
  }

  /** A review needs the search to itself. */
  #pause() {
    const on = this.#engine.on;
    this.toggle(false, true);
    this.#paused = on;
  }

  #resume() {
    if (this.#paused) this.toggle(true, true);
    this.#paused = false;
  }

  #heard(message) {
    const { game } = this.#app.table;
    if (!game) return;
    if (!message || message.node !== game.node || message.id !== game.id) return this.#silent(game);
    if (message.moves.length && !this.setup.open) this.#app.board.value(valued(message, game));
    this.value.textContent = message.value_text && w.value(message.value_text, game.turn);
    const facts = [
      w.depth(message.depth, message.at_depth, message.selectivity),
      message.nodes > 0 && w.nodes(message.nodes),
      message.speed > 0 && w.speed(message.speed),
    ];
    this.facts.textContent = message.compiling
      ? w.compiling
      : message.waiting && !message.depth
        ? w.waiting
        : facts.filter(Boolean).join(" · ");
    this.solved.hidden = !(message.exact || message.proved_text);
    this.solved.textContent = message.exact
      ? [w.solved, message.value_text].filter(Boolean).join(": ")
      : w.proved(message.proved_text);
    this.#line(message.moves.slice(0, Math.min(LINES, Number(this.count.value))));
    set(this.engineBox, { "data-done": message.done && "yes", "data-depth": message.depth });
  }

  #silent(game) {
    this.switch.checked = this.#engine.on;
    if (!this.#engine.on && !this.setup.open) this.#app.board.value([]);
    this.value.textContent = "";
    this.solved.hidden = true;
    this.#line([]);
    this.facts.textContent = game.outcome ? w.over : this.#engine.on ? w.first : w.off;
    set(this.engineBox, { "data-done": null, "data-depth": null });
  }

  /** Lines of play; a click plays up to there. What has not changed stays, or a click would find it gone. */
  #line(valued) {
    const lined = JSON.stringify(valued);
    if (lined === this.#lined) return;
    this.#lined = lined;
    const shown = valued.map(({ move, value_text: valueText, exact, line = [] }, rank) => {
      const moves = (line[0] === move ? line : [move, ...line]).slice(0, SHOWN_MOVES);
      const each = (name, index) =>
        button(name, () => this.#follow(moves.slice(0, index + 1)), { class: "move", "data-key": `${rank} ${index}` });
      return make(
        "li",
        {},
        make("span", { class: exact ? "worth exact" : "worth" }, valueText),
        make("span", { class: "line" }, moves.map(each)),
      );
    });
    renew(this.lines, shown);
  }

  async #follow(moves) {
    for (const move of moves) await this.#app.table.play(move);
  }
}
