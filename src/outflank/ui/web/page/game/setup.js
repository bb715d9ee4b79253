// A position set up by hand: pieces from a palette, and who is to move.

import { button, make, put, set } from "../parts/dom.js";
import { shared } from "../route.js";
import { words } from "../parts/words.js";

const w = words.setup;

export class Setup {
  #app;
  #board;
  #changed;
  #pieces = "";
  #sign = "X";
  #turn = "black";
  open = false;

  constructor(app, board, changed) {
    this.#app = app;
    this.#board = board;
    this.#changed = changed;
    this.palette = this.#choices(w.put, "sign", Object.entries(w.pieces), (sign) => (this.#sign = sign));
    this.turns = this.#choices(w.turn, "turn", Object.entries(words.colours), (turn) => (this.#turn = turn));
    this.element = make(
      "section",
      { class: "setup", "aria-label": w.title, hidden: true },
      make("h2", {}, w.title),
      make("p", { class: "quiet" }, w.hint),
      this.palette,
      this.turns,
      make(
        "div",
        { class: "actions" },
        button(w.clear, () => this.#clear()),
        button(words.cancel, () => this.close(true)),
        button(w.done, () => this.#done(), { class: "primary" }),
      ),
    );
  }

  #choices(legend, name, pairs, chosen) {
    const each = ([value, text], index) =>
      make(
        "label",
        { class: "pick" },
        make("input", { type: "radio", name, value, checked: index === 0, onchange: () => chosen(value) }),
        make("span", {}, text),
      );
    return make("fieldset", {}, make("legend", {}, legend), pairs.map(each));
  }

  toggle() {
    if (this.open) return this.close(true);
    const { game } = this.#app.table;
    this.open = true;
    this.element.hidden = false;
    this.#pieces = game.pieces;
    this.#turn = game.turn;
    this.turns.querySelector(`[value=${game.turn}]`).checked = true;
    this.#board.paint((index) => this.#paint(index));
    this.#changed();
    return this.#draw();
  }

  close(again = false) {
    if (!this.open) return;
    this.open = false;
    this.element.hidden = true;
    this.#board.paint(null);
    if (again) this.#changed();
  }

  /** Whatever the game does meanwhile, the board shows what is set up. */
  show() {
    if (this.open) this.#draw();
  }

  #paint(index) {
    const sign = this.#pieces[index] === this.#sign ? "." : this.#sign;
    this.#pieces = this.#pieces.slice(0, index) + sign + this.#pieces.slice(index + 1);
    this.#draw();
  }

  #clear() {
    this.#pieces = ".".repeat(this.#pieces.length);
    this.#draw();
  }

  #draw() {
    this.#board.show({ ...this.#app.table.game, pieces: this.#pieces, legal: [], last: null }, { open: true });
  }

  async #done() {
    const { game, options } = this.#app.table.game;
    const wanted = { kind: "place", game, options, pieces: this.#pieces, turn: this.#turn };
    try {
      const placed = await this.#app.table.begin(wanted);
      this.close();
      this.#app.visit(shared("analyse", placed, this.#app.table.tree), { state: { id: placed.id } });
      this.#changed();
    } catch (error) {
      this.#app.wrong(error.message || words.link.offline);
    }
  }
}
