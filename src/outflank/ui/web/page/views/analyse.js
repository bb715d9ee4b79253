// The analysis view: values of moves, the best lines, the tree of moves, and the review of the game.

import { button, dropdown, localStore, make, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { Engine, moveValues } from "../game/engine.js";
import { EvaluationBar } from "../game/evaluation_bar.js";
import { Explorer } from "../game/explorer.js";
import { newGame } from "../game/new_game.js";
import { Moves } from "../game/moves.js";
import { Notes } from "../game/notes.js";
import { chooseFiles } from "../game/open_files.js";
import { Players } from "../game/players.js";
import { paste } from "../game/paste.js";
import { Retry } from "./retry.js";
import { Review } from "./review.js";
import { Setup } from "../game/setup.js";
import { share } from "../game/share.js";
import { minusSigns } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import * as types from "../types.js" */
/** @import { Game, PanelApp, ValuedMove } from "../types.js" */

const w = words.analyse;
const COUNTS = [1, 3, 5, 8, 200];
const LINES = 3;
const SHOWN_MOVES = 12;

export class Analysis {
  #app;
  #engine;
  #paused = false;
  #shownLines = "";
  singleStep = true;

  /** @param {PanelApp} app */
  constructor(app) {
    this.#app = app;
    const { openGame, board } = app;
    this.#engine = new Engine(app, (message) => this.#show(message));
    this.players = new Players({ small: true });
    this.opening = make("p", { class: "quiet opening", hidden: true });
    this.moves = new Moves(openGame, true);
    this.notes = new Notes(app, board, () => this.#app.refresh());
    this.explorer = new Explorer(app);
    this.retry = new Retry(app, board, (refresh) => this.#retryChanged(refresh));
    this.review = new Review(app, {
      onRunning: (running) => (running ? this.#pause() : this.#resume()),
      onRetry: (seconds) => this.retry.begin(seconds),
    });
    this.setup = new Setup(app, board, () => this.#app.refresh());
    /** @type {HTMLInputElement} */
    this.switch = make("input", { type: "checkbox", role: "switch", onchange: () => this.toggle(this.switch.checked) });
    this.count = dropdown(
      COUNTS.map((count) => /** @type {const} */ ([count, count === 200 ? w.all : w.count(count)])),
      Number(localStore.get("values", "200")),
      { "aria-label": w.moves, onchange: () => this.#countChanged() },
    );
    this.value = make("strong", { class: "value" });
    this.bar = new EvaluationBar();
    this.facts = make("p", { class: "facts" });
    this.solved = make("p", { class: "solved", hidden: true });
    this.lines = make("ol", { class: "lines", tabindex: -1, hidden: true });
    this.tools = make(
      "div",
      { class: "actions tools-row" },
      button(w.paste, () => paste(app)),
      button(words.files.open, () => chooseFiles(app)),
      button(w.setup, () => this.#toggleSetup()),
      button(w.share, () => share(app)),
      button(w.playOn, () => newGame.openDialog(app, { text: openGame.game.position, game: openGame.game.game })),
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
      this.bar.element,
      make("div", { class: "facts-row" }, this.facts, make("label", { class: "compact" }, this.count)),
      this.solved,
      this.lines,
    );
    this.element = make(
      "div",
      { class: "analyse" },
      make("div", { class: "game-head" }, this.players.element, this.opening),
      this.engineBox,
      this.setup.element,
      this.retry.element,
      make("h2", { class: "unseen" }, words.moves.title),
      this.moves.element,
      this.review.element,
      this.notes.element,
      this.explorer.element,
      this.tools,
    );
  }

  enter() {
    this.toggle(localStore.get("engine", "on") === "on", true);
  }

  leave() {
    this.#engine.halt();
    this.#engine.on = this.#paused = false;
    this.review.markStopped();
    this.notes.leave();
    this.setup.close();
    this.retry.close(false);
    this.players.stop();
    this.explorer.leave();
  }

  reconnected() {
    this.#engine.reconnected();
    this.review.markStopped();
    this.explorer.leave();
    if (this.#app.openGame.game) this.explorer.show(this.#app.openGame.game);
    this.#search();
  }

  canMove() {
    return !this.setup.open && !this.notes.drawing && (!this.retry.open || this.retry.canMove());
  }

  canStepByWheel() {
    return !this.setup.open && !this.retry.open;
  }

  /** Judge a move instead of making it, while mistakes are tried again. @param {string} move */
  judges(move) {
    if (this.retry.open && this.retry.canMove()) this.retry.try(move);
    return this.retry.open;
  }

  /** Switch the engine on or off; remember the user's choice unless `quiet`. */
  toggle(on = !this.#engine.on, quiet = false) {
    if (this.retry.open) return; // the engine would show the answer
    this.#engine.on = on;
    this.switch.checked = on;
    if (!quiet) localStore.set("engine", on ? "on" : "off");
    if (on) this.#search();
    else {
      this.#engine.halt();
      this.#engine.last = null;
      this.#show(null);
    }
  }

  /** @param {Game} game */
  update(game) {
    this.players.show(game);
    this.opening.textContent = words.opening(game.opening);
    this.opening.hidden = !game.opening;
    this.moves.show(game);
    this.notes.element.hidden = this.setup.open || this.retry.open;
    if (this.notes.element.hidden) this.notes.leave();
    else this.notes.show(game);
    this.explorer.show(game);
    this.review.show(game);
    this.setup.show();
    this.retry.update(game);
    if (this.retry.open) return;
    this.engineBox.hidden = this.setup.open;
    if (this.#engine.last && this.#engine.last.node === game.node && this.#engine.last.id === game.id)
      this.#show(this.#engine.last);
    else if (this.#engine.on) this.#show(null);
    if (!this.review.running && !this.setup.open) this.#search();
  }

  #toggleSetup() {
    this.notes.draw(false);
    this.setup.toggle();
  }

  #countChanged() {
    localStore.set("values", this.count.value);
    this.#search();
  }

  #search() {
    const { game } = this.#app.openGame;
    if (game && !this.retry.open) this.#engine.search(game, { moves: Number(this.count.value) });
  }

  /** Pause the engine during a review: a connection has one search at a time. */
  #pause() {
    const on = this.#engine.on;
    this.toggle(false, true);
    this.#paused = on;
  }

  /** Hide everything that shows values while mistakes are tried again. @param {boolean} refresh */
  #retryChanged(refresh) {
    const { open } = this.retry;
    if (open) {
      this.notes.draw(false);
      this.setup.close();
      this.#engine.halt();
    }
    const parts = [this.engineBox, this.moves.element, this.explorer.element, this.review.element, this.tools];
    for (const part of parts) part.hidden = open;
    if (refresh) this.#app.refresh();
  }

  #resume() {
    if (this.#paused) this.toggle(true, true);
    this.#paused = false;
  }

  /** @param {types.Analysis | null} message */
  #show(message) {
    const { game } = this.#app.openGame;
    if (!game) return;
    if (!message || message.node !== game.node || message.id !== game.id) return this.#clear(game);
    if (message.moves.length && !this.setup.open) this.#app.board.showValues(moveValues(message, game));
    this.value.textContent = message.value_text && w.value(message.value_text, game.turn);
    if (message.moves.length) {
      const value = message.moves[0].value;
      this.bar.show(game.turn === "black" ? value : -value, game, this.value.textContent);
    }
    const depths = /** @type {const} */ ([message.depth, message.at_depth, message.selectivity]);
    const facts = [
      w.depth(...depths),
      message.nodes > 0 && w.nodes(message.nodes),
      message.speed > 0 && w.speed(message.speed),
    ];
    this.facts.title = w.depthHint(...depths);
    this.facts.textContent = message.compiling
      ? words.compiling(...message.compiling)
      : message.waiting && !message.depth
        ? w.waiting
        : facts.filter(Boolean).join(" · ");
    this.solved.hidden = !(message.exact || message.proved_text);
    this.solved.classList.remove("unknown");
    this.solved.textContent = message.exact
      ? w.solved(message.value_text)
      : w.proved(message.proved_text);
    this.lines.hidden = false;
    this.#showLines(message.moves.slice(0, Math.min(LINES, Number(this.count.value))), message.node);
    setAttributes(this.engineBox, { "data-done": message.done && "yes", "data-depth": message.depth });
  }

  /** @param {Game} game */
  #clear(game) {
    this.switch.checked = this.#engine.on;
    if (!this.#engine.on && !this.setup.open) this.#app.board.showValues([]);
    this.value.textContent = "";
    // Without a search, the value of a review; a search that begins keeps the bar still until its first value.
    const { value } = this.#app.openGame.tree.node(game.node);
    const isKnown = value !== undefined && value !== null;
    if (isKnown) this.bar.show(value, game, words.moves.valued(value));
    else if (!this.#engine.on || game.outcome) this.bar.show(null, game, "");
    // While a new search has no result, the space for its lines is kept, so that the buttons below do not move.
    const isSearching = this.#engine.on && !game.outcome;
    this.solved.classList.toggle("unknown", isSearching);
    if (!isSearching) this.solved.hidden = true;
    this.lines.hidden = !isSearching;
    this.#showLines([], game.node);
    this.facts.title = "";
    this.facts.textContent = game.outcome ? w.over : this.#engine.on ? w.first : w.off;
    setAttributes(this.engineBox, { "data-done": null, "data-depth": null });
  }

  /**
   * Show lines of play; a click plays up to that move. Unchanged lines stay, because a click could miss new ones.
   * @param {ValuedMove[]} moves
   * @param {number} node
   */
  #showLines(moves, node) {
    const content = JSON.stringify([moves, node]);
    if (content === this.#shownLines) return;
    this.#shownLines = content;
    const items = moves.map(({ move, value_text: valueText, exact, line = [] }, rank) => {
      const shownMoves = (line[0] === move ? line : [move, ...line]).slice(0, SHOWN_MOVES);
      /** @param {string} name @param {number} index */
      const moveButton = (name, index) =>
        button(name, () => this.#follow(shownMoves.slice(0, index + 1), node), {
          class: "move",
          "data-key": `${rank} ${index}`,
        });
      return make(
        "li",
        {},
        make("span", { class: exact ? "worth exact" : "worth" }, minusSigns(valueText)),
        make("span", { class: "line" }, shownMoves.map(moveButton)),
      );
    });
    setChildrenKeepingFocus(this.lines, items);
  }

  /** Play `moves` if `node` is still shown. @param {string[]} moves @param {number} node */
  async #follow(moves, node) {
    const { openGame } = this.#app;
    if (openGame.game?.node !== node) return;
    for (const move of moves) await openGame.play(move);
  }
}
