// Notes on the position on the board: a comment, and arrows and circles that are drawn by hand.

import { button, make, setAttributes } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { Board } from "../board/board.js" */
/** @import { App, Arrow, Game } from "../types.js" */

const w = words.notes;
const MOST_LETTERS = 2000;
const PAUSE = 700; // milliseconds without a key after which a comment is saved

export class Notes {
  #app;
  #board;
  #onDrawing;
  /** Notes as the server has them, and the position that they belong to. */
  #saved = { id: "", node: 0, comment: "", arrows: /** @type {Arrow[]} */ ([]) };
  /** @type {string | null} */
  #from = null; // the cell at the start of the next arrow
  #timer = 0;
  #unanswered = 0; // requests to save: until they are answered, the server sends older notes
  drawing = false;

  /** @param {App} app @param {Board} board @param {() => void} onDrawing called when drawing begins or ends */
  constructor(app, board, onDrawing) {
    this.#app = app;
    this.#board = board;
    this.#onDrawing = onDrawing;
    this.text = make("textarea", {
      rows: 2,
      maxlength: MOST_LETTERS,
      placeholder: w.comment,
      "aria-label": w.comment,
      onchange: () => this.#saveComment(),
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#saveComment(), PAUSE);
      },
    });
    this.drawn = make("p", { class: "quiet" });
    this.drawButton = button(w.draw, () => this.draw(!this.drawing), { title: w.mouse, "aria-pressed": "false" });
    this.clearButton = button(w.clear, () => this.#save({ arrows: [] }), { hidden: true });
    this.element = make(
      "section",
      { class: "notes", "aria-label": w.title },
      this.text,
      make("div", { class: "notes-row" }, this.drawn, this.clearButton, this.drawButton),
    );
  }

  /** Show the notes on the current position. @param {Game} game */
  show(game) {
    const isOther = this.#saved.id !== game.id || this.#saved.node !== game.node;
    const { comment = "", arrows = [] } =
      this.#unanswered && !isOther ? this.#saved : this.#app.openGame.tree.node(game.node);
    if (isOther) {
      this.#saveComment(); // of the position that was shown
      this.#from = null;
    }
    const isWritten = !isOther && this.text.value.trim() !== this.#saved.comment; // and not saved yet
    this.#saved = { id: game.id, node: game.node, comment, arrows };
    if (!isWritten && this.text.value.trim() !== comment) this.text.value = comment;
    this.#showDrawing();
    this.#board.draws = (from, to) => this.#toggle(from, to);
  }

  /** Hide the drawing, and save what was written. */
  leave() {
    this.draw(false);
    this.#saveComment();
    this.#board.draws = null;
    this.#board.showDrawing([]);
  }

  /** Let chosen cells draw instead of making moves. @param {boolean} on */
  draw(on) {
    if (on === this.drawing) return;
    this.drawing = on;
    this.#from = null;
    this.drawButton.textContent = on ? w.stop : w.draw;
    setAttributes(this.drawButton, { "aria-pressed": String(on) });
    this.#board.paint(on ? (index) => this.#choose(this.#app.openGame.game.cells[index].name) : null);
    this.#showDrawing();
    this.#onDrawing();
  }

  /** @param {string} cell */
  #choose(cell) {
    if (this.#from === null) {
      this.#from = cell;
      this.#showDrawing();
      return;
    }
    const from = this.#from;
    this.#from = null;
    this.#toggle(from, cell);
  }

  /** Add an arrow, or remove it if it is there. @param {string} from @param {string} to */
  #toggle(from, to) {
    const others = this.#saved.arrows.filter((arrow) => arrow[0] !== from || arrow[1] !== to);
    this.#save({ arrows: others.length < this.#saved.arrows.length ? others : [...others, [from, to]] });
  }

  #showDrawing() {
    const { arrows } = this.#saved;
    this.#board.showDrawing(this.#from === null ? arrows : [...arrows, [this.#from, this.#from]]);
    this.drawn.textContent = this.drawing ? w.hint : arrows.map(([from, to]) => w.drawn(from, to)).join(", ");
    this.clearButton.hidden = !arrows.length;
  }

  #saveComment() {
    clearTimeout(this.#timer);
    const comment = this.text.value.trim();
    if (this.#saved.id && comment !== this.#saved.comment) this.#save({ comment });
  }

  /**
   * Save the notes, which are shown at once.
   * @param {{ comment?: string, arrows?: Arrow[] }} changed
   */
  async #save(changed) {
    const notes = { ...this.#saved, ...changed };
    this.#saved = notes;
    this.#showDrawing();
    this.#unanswered += 1;
    try {
      await this.#app.connection.ask({ kind: "annotate", ...notes });
    } catch (error) {
      this.#app.showError(error.message || words.connection.offline);
    } finally {
      this.#unanswered -= 1;
    }
  }
}
