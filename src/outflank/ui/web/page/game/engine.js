// A running analysis: requested anew whenever another position is shown.

import { CERTAIN, minusSigns } from "../parts/figures.js";

/** @import { Analysis, App, Game, MoveValue, RequestOf, StreamFailure } from "../types.js" */

/** Follows one analysis; calls `listener` with every message, and with null if there is nothing to search. */
export class Engine {
  #app;
  #listener;
  #number = 0;
  #searched = "";
  #position = ""; // id and node of the last searched position
  on = false;
  /** @type {Analysis | null} */
  last = null;

  /** @param {App} app @param {(message: Analysis | null) => void} listener */
  constructor(app, listener) {
    this.#app = app;
    this.#listener = listener;
  }

  /**
   * Search the current node of a game with these parameters, unless that is already running.
   * @param {Game} game
   * @param {Pick<RequestOf<"analyse">, "moves" | "tree" | "options">} parameters
   */
  search(game, parameters) {
    const key = JSON.stringify([game.id, game.node, parameters]);
    if (!this.on || !this.#app.connection.ready) return;
    if (key === this.#searched) return;
    this.#app.connection.forget(this.#number);
    this.#searched = key;
    this.#position = `${game.id} ${game.node}`;
    this.last = null;
    if (!game.legal.length || game.outcome) {
      this.halt();
      this.#listener(null);
      return;
    }
    this.#number = this.#app.connection.follow(
      { kind: "analyse", id: game.id, node: game.node, ...parameters },
      (message) => this.#receive(message),
    );
  }

  /** @param {Analysis | StreamFailure} message */
  #receive(message) {
    if (message.kind === "refused") {
      this.#searched = "";
      if (!message.lost) this.#app.showError(message.why);
      if (!message.lost) this.on = false;
      this.#listener(null);
      return;
    }
    if (message.kind !== "analysis") return;
    this.last = message;
    this.#listener(message);
  }

  /** Whether the last search is not of the current node of this game. @param {Game} game */
  isElsewhere({ id, node }) {
    return this.#position !== `${id} ${node}`;
  }

  halt() {
    this.#app.connection.forget(this.#number);
    if (this.#number) this.#app.connection.ask({ kind: "halt" }).catch(() => {}); // a lost search ends by itself
    this.#number = 0;
    this.#searched = "";
  }

  /** The connection was re-established: the earlier search is not running any more. */
  reconnected() {
    this.#searched = "";
    this.#number = 0;
  }
}

/**
 * The values for the board: each move with its gesture and its loss.
 * @param {Pick<Analysis, "moves">} message
 * @param {Pick<Game, "legal">} game
 * @returns {MoveValue[]}
 */
export function moveValues(message, game) {
  const gestures = new Map(game.legal.map((gesture) => [gesture.move, gesture]));
  const best = message.moves[0]?.value ?? 0;
  return message.moves
    .filter((entry) => gestures.has(entry.move))
    .map((entry, rank) => ({
      gesture: gestures.get(entry.move),
      valueText: minusSigns(entry.value_text),
      loss: Math.min(best - entry.value, CERTAIN),
      exact: entry.exact ?? false,
      best: entry.value === best,
      rank,
    }));
}
