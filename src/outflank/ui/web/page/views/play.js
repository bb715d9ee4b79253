// Playing: who plays, whose move it is, the moves so far, and what can be done instead of moving.

import { confirm } from "../parts/dialog.js";
import { button, make, renew, set } from "../parts/dom.js";
import { fresh } from "../game/fresh.js";
import { Moves } from "../game/moves.js";
import { Players } from "../game/players.js";
import { words } from "../parts/words.js";

const w = words.play;

export class PlayPanel {
  #app;
  single = false;

  constructor(app) {
    this.#app = app;
    const { table } = app;
    this.players = new Players();
    this.moves = new Moves(table, false);
    this.status = make("p", { class: "status" });
    this.remark = make("p", { class: "quiet remark" });
    this.over = make("div", { class: "over", tabindex: -1, hidden: true });
    this.buttons = {
      undo: button(w.undo, () => table.back(), { accesskey: "u" }),
      redo: button(w.redo, () => table.forth()),
      go: button(w.go, () => this.#sit(table.game.seats), { class: "primary" }),
      swap: button(w.swap, () => this.#swap()),
      resign: button(w.resign, () => this.#resign()),
      fresh: button(w.fresh, () => fresh.ask(app)),
    };
    this.element = make(
      "div",
      { class: "play" },
      this.players.element,
      make("div", { class: "state" }, this.status, this.over, this.remark),
      make("h2", { class: "unseen" }, w.moves),
      this.moves.element,
      make("div", { class: "actions" }, Object.values(this.buttons)),
    );
  }

  enter() {
    this.#app.link.ready && this.#app.link.ask({ kind: "halt" }).catch(() => {});
  }

  leave() {
    this.players.stop();
  }

  /** Whether a hand may move: not for a computer. */
  open(game) {
    return !game.outcome && !game.thinking && game.seats[game.turn] === "human";
  }

  update(game) {
    this.players.show(game);
    this.moves.show(game);
    this.status.textContent = this.#said(game);
    this.status.hidden = game.outcome !== null;
    this.remark.textContent = game.remark ? w.remark(game.remark) : "";
    this.over.hidden = !game.outcome;
    if (game.outcome) {
      renew(
        this.over,
        make("h2", {}, game.outcome.text),
        make(
          "div",
          { class: "actions" },
          button(w.rematch, () => this.#rematch(), { class: "primary", "data-key": "rematch" }),
          button(w.analyse, () => this.#app.go("analyse"), { "data-key": "analyse" }),
        ),
      );
    }
    const { tree } = this.#app.table;
    const waits = !game.outcome && !game.thinking && game.seats[game.turn] !== "human";
    set(this.buttons.undo, { disabled: tree.parent(game.node) === null });
    set(this.buttons.redo, { disabled: !tree.children(game.node).length });
    this.buttons.go.hidden = !waits;
    this.buttons.swap.hidden = game.seats.black === game.seats.white;
    this.buttons.resign.hidden = game.outcome !== null || !this.#resigning(game);
  }

  #said(game) {
    if (game.outcome) return "";
    if (game.thinking) return w.thinking(game.thinking);
    if (game.seats[game.turn] !== "human") return w.waits(game.turn);
    if (game.passes) return w.mustPass(game.turn);
    return game.seats.black === game.seats.white ? w.turn(game.turn) : w.yours(game.turn);
  }

  /** The side that gives up when a person does: the one to move, or the only person. */
  #resigning(game) {
    if (game.seats[game.turn] === "human") return game.turn;
    return ["black", "white"].find((side) => game.seats[side] === "human");
  }

  #sit(seats) {
    return this.#app.table.change("sit", { seats });
  }

  #swap() {
    const { black, white, clock } = this.#app.table.game.seats;
    return this.#sit({ black: white, white: black, clock });
  }

  async #resign() {
    if (await confirm(w.sure, w.resign))
      this.#app.table.change("resign", { side: this.#resigning(this.#app.table.game) });
  }

  /** Again, with the sides exchanged. */
  async #rematch() {
    const { game, options, seats, start } = this.#app.table.game;
    try {
      const begun = await this.#app.table.begin({
        kind: "new",
        game,
        options,
        text: start,
        seats: { black: seats.white, white: seats.black, clock: seats.clock },
      });
      this.#app.visit(`#/game/${begun.id}`);
    } catch (error) {
      this.#app.wrong(error.message || words.link.offline);
    }
  }
}
