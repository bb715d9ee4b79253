// Setting up a position by hand: pieces from a palette, and the side to move.

import { ignoreWhileRunning } from "../parts/dialog.js";
import { button, make } from "../parts/dom.js";
import { positionAddress } from "../route.js";
import { words } from "../parts/words.js";

/** @import { Board } from "../board/board.js" */
/** @import { App, Colour, RequestOf } from "../types.js" */

const w = words.setup;

export class Setup {
  #app;
  #board;
  #onChange;
  #pieces = "";
  #sign = "X";
  /** @type {Colour} */
  #turn = "black";
  open = false;

  /** @param {App} app @param {Board} board @param {() => void} onChange */
  constructor(app, board, onChange) {
    this.#app = app;
    this.#board = board;
    this.#onChange = onChange;
    this.palette = this.#choices(w.put, "sign", Object.entries(w.pieces), (sign) => (this.#sign = sign));
    this.turns = this.#choices(w.turn, "turn", Object.entries(words.colours), (turn) => {
      this.#turn = /** @type {Colour} */ (turn);
    });
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
        button(
          w.done,
          ignoreWhileRunning(() => this.#done()),
          { class: "primary" },
        ),
      ),
    );
  }

  /**
   * @param {string} legend
   * @param {string} name
   * @param {[value: string, text: string][]} pairs
   * @param {(value: string) => void} onChoose
   */
  #choices(legend, name, pairs, onChoose) {
    /** @param {[value: string, text: string]} pair @param {number} index */
    const radioButton = ([value, text], index) =>
      make(
        "label",
        { class: "pick" },
        make("input", { type: "radio", name, value, checked: index === 0, onchange: () => onChoose(value) }),
        make("span", {}, text),
      );
    return make("fieldset", {}, make("legend", {}, legend), pairs.map(radioButton));
  }

  toggle() {
    if (this.open) return this.close(true);
    const { game } = this.#app.openGame;
    this.open = true;
    this.element.hidden = false;
    this.#pieces = game.pieces;
    this.#turn = game.turn;
    /** @type {HTMLInputElement} */
    const radioButton = this.turns.querySelector(`[value=${game.turn}]`);
    radioButton.checked = true;
    this.#board.paint((index) => this.#paint(index));
    this.#onChange();
    return this.#draw();
  }

  close(refresh = false) {
    if (!this.open) return;
    this.open = false;
    this.element.hidden = true;
    this.#board.paint(null);
    if (refresh) this.#onChange();
  }

  /** Redraw the position being set up, although the game may have changed. */
  show() {
    if (this.open) this.#draw();
  }

  /** @param {number} index */
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
    this.#board.show({ ...this.#app.openGame.game, pieces: this.#pieces, legal: [], last: null }, { canMove: true });
  }

  async #done() {
    const { game, options } = this.#app.openGame.game;
    /** @type {RequestOf<"place">} */
    const request = { kind: "place", game, options, pieces: this.#pieces, turn: this.#turn };
    try {
      const begun = await this.#app.openGame.begin(request);
      this.close();
      this.#app.visit(positionAddress("analyse", begun, this.#app.openGame.tree), { state: { id: begun.id } });
      this.#onChange();
    } catch (error) {
      this.#app.showError(error.message || words.connection.offline);
    }
  }
}
