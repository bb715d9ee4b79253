// Another try at the mistakes of a reviewed game: each position is shown before the mistake, and the user looks for a
// better move.

import { button, make, setAttributes } from "../parts/dom.js";
import { CERTAIN, signedNumber } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { App, Game, Node, Retried, StreamFailure } from "../types.js" */
/** @import { Board } from "../board/board.js" */
/** @import { Tree } from "../game/tree.js" */

const w = words.retry;

/**
 * The mistakes and blunders on the main line, of the sides that a human plays, or of both if none or both are human.
 * @param {Pick<Game, "seats">} game
 * @param {Tree} tree
 */
export function mistakes({ seats }, tree) {
  const isOwn = (/** @type {Node} */ { side }) =>
    (seats.black === "human") === (seats.white === "human") || seats[side] === "human";
  return tree
    .mainLine()
    .map((id) => tree.node(id))
    .filter((node) => (node.mark === "?" || node.mark === "??") && isOwn(node));
}

export class Retry {
  #app;
  #board;
  #onChange;
  /** @type {Node[]} */
  #mistakes = [];
  #index = 0;
  #solved = 0;
  #asked = 0;
  #isAnswered = false; // solved, or the answer was shown
  #targetNode = -1; // node before the mistake: shown, or requested
  #previousNode = -1; // node that is shown until the requested one arrives; -1: none
  #id = ""; // id of the game that is reviewed
  seconds = 0.5;
  open = false;

  /**
   * @param {App} app
   * @param {Board} board
   * @param {(refresh: boolean) => void} onChange called when it begins or ends; `refresh`: show the game again
   */
  constructor(app, board, onChange) {
    this.#app = app;
    this.#board = board;
    this.#onChange = onChange;
    this.status = make("p", { class: "status" });
    this.verdict = make("p", { class: "verdict" });
    this.answer = make("div", { class: "over", hidden: true }, this.verdict);
    this.buttons = {
      next: button(w.next, () => this.#show(this.#index + 1), { class: "primary" }),
      solution: button(w.solution, () => this.#showBest()),
      end: button(w.end, () => this.close()),
    };
    this.element = make(
      "section",
      { class: "retry", "aria-label": w.title, hidden: true },
      make("h2", {}, w.title),
      make("p", { class: "quiet" }, w.hint),
      this.status,
      this.answer,
      make("div", { class: "actions" }, Object.values(this.buttons)),
    );
  }

  /** @param {number} seconds the time of each judgement, as in the review */
  begin(seconds) {
    const { game, tree } = this.#app.openGame;
    this.seconds = seconds;
    this.#id = game.id;
    this.#mistakes = mistakes(game, tree);
    this.#solved = 0;
    this.status.textContent = "";
    this.open = true;
    this.element.hidden = false;
    this.#onChange(false);
    this.#show(0);
  }

  close(refresh = true) {
    if (!this.open) return;
    this.#app.connection.forget(this.#asked);
    this.open = false;
    this.element.hidden = true;
    this.#onChange(refresh);
  }

  /** The game has changed: another position ends the tries. @param {Game} game */
  update(game) {
    if (!this.open) return;
    // The last judgement of a review may arrive after the review's end, before the requested position is shown; it must
    // not end the tries.
    if (game.id !== this.#id || (game.node !== this.#targetNode && game.node !== this.#previousNode)) this.close();
    else if (game.node === this.#targetNode) this.#previousNode = -1;
  }

  get #node() {
    return this.#mistakes[this.#index];
  }

  /** @param {number} index @returns {Promise<void>} */
  async #show(index) {
    this.#index = index;
    this.#isAnswered = false;
    this.answer.hidden = true;
    if (index >= this.#mistakes.length) return this.#finish();
    const { openGame } = this.#app;
    this.#targetNode = this.#node.parent;
    this.buttons.solution.hidden = this.buttons.next.hidden = true;
    this.#board.showValues([]);
    if (openGame.game.node !== this.#targetNode) {
      this.#previousNode = openGame.game.node;
      this.#onChange(true); // until the requested position is shown, no move is accepted
      if ((await openGame.go(this.#targetNode)) === null) return this.close();
      if (!this.open || this.#index !== index) return undefined;
    }
    this.buttons.solution.hidden = false;
    const move = openGame.tree.numberedMove(this.#node.id);
    this.status.textContent = w.position(index + 1, this.#mistakes.length, move, this.#node.side);
    return undefined;
  }

  #finish() {
    this.status.textContent = w.finished(this.#solved, this.#mistakes.length);
    this.#app.announce(this.status.textContent);
    this.#targetNode = this.#app.openGame.game.node;
    this.buttons.solution.hidden = this.buttons.next.hidden = true;
    this.buttons.end.focus();
  }

  /** Whether the user may try a move. */
  canMove() {
    return this.#index < this.#mistakes.length && this.#app.openGame.game.node === this.#targetNode;
  }

  /** @param {string} move */
  try(move) {
    const { connection, openGame } = this.#app;
    connection.forget(this.#asked);
    this.#say(w.judging(move), false);
    this.#asked = connection.follow(
      { kind: "retry", id: openGame.game.id, node: this.#node.id, move, seconds: this.seconds },
      (message) => this.#receive(message),
    );
  }

  /** @param {Retried | StreamFailure} message @returns {void} */
  #receive(message) {
    if (message.kind === "refused") {
      this.answer.hidden = true;
      if (!message.lost) this.#app.showError(message.why);
      return;
    }
    const { move, loss, solved } = message;
    this.#showMove(move, loss);
    const { unit } = this.#app.openGame.kind;
    this.#say(solved ? w.right(move, loss, unit) : w.wrong(move, loss, unit), !solved);
    if (!solved) return;
    if (!this.#isAnswered) this.#solved += 1;
    this.#answered();
  }

  #showBest() {
    const { best } = this.#node;
    this.#showMove(best, 0);
    this.#say(w.best(best), false);
    this.#answered();
  }

  #answered() {
    this.#isAnswered = true;
    this.buttons.solution.hidden = true;
    this.buttons.next.hidden = false;
    this.buttons.next.focus();
  }

  /** Show a move with its loss on the board. @param {string} move @param {number} loss */
  #showMove(move, loss) {
    const gesture = this.#app.openGame.game.legal.find((legal) => legal.move === move);
    const valueText = loss < CERTAIN ? signedNumber(-loss) : "−∞";
    if (gesture) this.#board.showValues([{ gesture, valueText, loss, exact: false, best: loss === 0, rank: 0 }]);
  }

  /** @param {string} text @param {boolean} isWrong */
  #say(text, isWrong) {
    this.verdict.textContent = text;
    this.answer.hidden = false;
    setAttributes(this.answer, { "data-wrong": isWrong && "yes" });
    this.#app.announce(text);
  }
}
