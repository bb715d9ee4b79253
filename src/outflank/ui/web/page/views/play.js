// The play view: the players, the side to move, the moves so far, and actions such as undo and resign.

import { confirm, ignoreWhileRunning } from "../parts/dialog.js";
import { button, make, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { Engine, moveValues } from "../game/engine.js";
import { newGame } from "../game/new_game.js";
import { Moves } from "../game/moves.js";
import { Players } from "../game/players.js";
import {
  isBetweenBrowsers,
  isGuarded,
  isTaken,
  mayMove,
  ownSides,
  playOnTwoMachines,
  SeatOwners,
} from "../game/seat_owners.js";
import { words } from "../parts/words.js";

/** @import { Analysis, Colour, Game, PanelApp, Seats } from "../types.js" */

const w = words.play;
const HINT_SECONDS = 1;

export class PlayPanel {
  #app;
  #engine;
  #rematchOnce = ignoreWhileRunning(() => this.#rematch());
  singleStep = false;

  /** @param {PanelApp} app */
  constructor(app) {
    this.#app = app;
    const { openGame } = app;
    this.#engine = new Engine(app, (message) => this.#showHint(message));
    this.players = new Players();
    this.owners = new SeatOwners(app);
    this.moves = new Moves(openGame, false);
    this.status = make("p", { class: "status" });
    this.opening = make("p", { class: "quiet opening" });
    this.remark = make("p", { class: "quiet remark" });
    this.compiling = make("progress", { max: 1, value: 0, "aria-label": w.compilingBar, hidden: true });
    this.over = make("div", { class: "over", tabindex: -1, hidden: true });
    this.buttons = {
      undo: button(w.undo, () => openGame.back(), { accesskey: "u" }),
      redo: button(w.redo, () => openGame.forth()),
      takeBack: button(w.takeBack, () => openGame.change({ kind: "offer", what: "takeback" })),
      hint: button(w.hint, () => this.hint()),
      go: button(w.go, () => this.#sit(openGame.game.seats), { class: "primary" }),
      swap: button(w.swap, () => this.#swap()),
      resign: button(w.resign, () => this.#resign()),
      twoMachines: button(w.twoMachines, () => playOnTwoMachines(app)),
      newGame: button(w.newGame, () => newGame.openDialog(app)),
    };
    this.element = make(
      "div",
      { class: "play" },
      this.players.element,
      this.owners.element,
      make("div", { class: "state" }, this.status, this.over, this.opening, this.compiling, this.remark),
      make("h2", { class: "unseen" }, w.moves),
      this.moves.element,
      make("div", { class: "actions" }, Object.values(this.buttons)),
    );
  }

  enter() {
    if (this.#app.connection.ready) this.#app.connection.ask({ kind: "halt" }).catch(() => {});
  }

  leave() {
    this.#forgetHint();
    this.players.stop();
  }

  /** Whether the user may move: a human is to move, and the game is not over. @param {Game} game */
  canMove(game) {
    return !game.outcome && !game.thinking && game.seats[game.turn] === "human" && mayMove(game);
  }

  /** Whether stepping back would not be an undo. @param {Game} game */
  canStepByWheel(game) {
    return game.outcome !== null;
  }

  /** Show the best move that a short search finds. */
  hint() {
    const { game } = this.#app.openGame;
    if (!this.canMove(game)) return;
    this.#engine.on = true;
    this.#engine.search(game, { moves: 1, options: { seconds: HINT_SECONDS } });
  }

  #forgetHint() {
    this.#engine.halt();
    this.#engine.on = false;
  }

  reconnected() {
    this.#engine.reconnected();
    this.#engine.on = false;
  }

  /** @param {Analysis | null} message */
  #showHint(message) {
    const { game } = this.#app.openGame;
    if (!message?.moves.length || message.id !== game.id || message.node !== game.node) return;
    this.#app.board.showValues(moveValues(message, game));
    const [{ move, value_text: valueText }] = message.moves;
    this.remark.textContent = w.hinted(move, valueText);
    if (message.done) this.#app.announce(w.hinted(move, valueText));
  }

  /** @param {Game} game */
  update(game) {
    if (this.#engine.on && this.#engine.isElsewhere(game)) this.#forgetHint();
    this.players.show(game);
    this.owners.show(game);
    this.moves.show(game);
    this.status.textContent = this.#statusText(game);
    this.status.hidden = game.outcome !== null;
    this.opening.textContent = words.opening(game.opening);
    this.opening.hidden = !game.opening;
    const { compiling } = game;
    if (compiling) this.remark.textContent = words.compiling(...compiling);
    else if (!this.#engine.on) this.remark.textContent = game.remark ? w.remark(game.remark) : "";
    this.compiling.hidden = !compiling;
    this.compiling.value = compiling ? compiling[0] / compiling[1] : 0;
    this.over.hidden = !game.outcome;
    if (game.outcome) {
      setChildrenKeepingFocus(
        this.over,
        make("h2", {}, w.result(game)),
        make(
          "div",
          { class: "actions" },
          (!isTaken(game) || ownSides(game).length > 0) &&
            button(w.rematch, this.#rematchOnce, { class: "primary", "data-key": "rematch" }),
          button(w.analyse, () => this.#app.go("analyse"), { "data-key": "analyse" }),
        ),
      );
    }
    const { tree } = this.#app.openGame;
    const computerWaits = !game.outcome && !game.thinking && game.seats[game.turn] !== "human";
    this.buttons.hint.hidden = !this.canMove(game);
    setAttributes(this.buttons.undo, { disabled: tree.parent(game.node) === null });
    setAttributes(this.buttons.redo, { disabled: !tree.children(game.node).length });
    this.buttons.go.hidden = !computerWaits;
    const noUndo = isGuarded(game);
    this.buttons.undo.hidden = this.buttons.redo.hidden = noUndo;
    this.buttons.takeBack.hidden = !isBetweenBrowsers(game) || !game.guarded || game.offer !== "";
    this.buttons.twoMachines.hidden = isTaken(game) || game.outcome !== null || !this.#resigning(game);
    this.buttons.swap.hidden = game.seats.black === game.seats.white || noUndo;
    this.buttons.resign.hidden = game.outcome !== null || !this.#resigning(game);
  }

  /** @param {Game} game */
  #statusText(game) {
    if (game.outcome) return "";
    if (game.thinking) return game.compiling ? w.compiling(game.thinking) : w.thinking(game.thinking);
    if (game.seats[game.turn] !== "human") return w.waits(game.turn);
    if (!mayMove(game)) return w.turn(game.turn);
    if (game.passes) return w.mustPass(game.turn);
    if (isTaken(game)) return w.yours(game.turn);
    return game.seats.black === game.seats.white ? w.turn(game.turn) : w.yours(game.turn);
  }

  /**
   * The side that the user resigns for: the side to move if it is human, else the other one; undefined: none is human.
   * @param {Game} game
   * @returns {Colour | undefined}
   */
  #resigning(game) {
    /** @type {Colour} */
    const other = game.turn === "black" ? "white" : "black";
    const own = ownSides(game);
    return [game.turn, other].find((side) => game.seats[side] === "human" && (!isTaken(game) || own.includes(side)));
  }

  /** @param {Seats} seats */
  #sit(seats) {
    return this.#app.openGame.change({ kind: "sit", seats });
  }

  #swap() {
    const { black, white, clock } = this.#app.openGame.game.seats;
    return this.#sit({ black: white, white: black, clock });
  }

  async #resign() {
    if (await confirm(w.sure, w.resign))
      this.#app.openGame.change({ kind: "resign", side: this.#resigning(this.#app.openGame.game) });
  }

  /** Begin the same game again with exchanged sides. */
  /** @returns {Promise<void>} */
  async #rematch() {
    const { game, options, seats, start } = this.#app.openGame.game;
    if (isBetweenBrowsers(this.#app.openGame.game))
      return void this.#app.openGame.change({ kind: "offer", what: "rematch" });
    try {
      const begun = await this.#app.openGame.begin({
        kind: "new",
        game,
        options,
        text: start,
        keep: false,
        seats: { black: seats.white, white: seats.black, clock: seats.clock },
      });
      this.#app.visit(`#/game/${begun.id}`);
    } catch (error) {
      this.#app.showError(error.message || words.connection.offline);
    }
  }
}
