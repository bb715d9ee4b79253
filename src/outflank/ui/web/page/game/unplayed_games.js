// Games of this window without moves: the server deletes them when they are not watched, and they can be begun again.

import { sessionStore } from "../parts/dom.js";

/** @import { Game, RequestOf } from "../types.js" */

const MOST_GAMES = 30;

export class UnplayedGames {
  /** @type {Map<string, { message: RequestOf<"new">, blank: boolean }>} */
  #games = new Map(JSON.parse(sessionStore.get("begun", "[]")));

  /** Remember the request that began a game at its usual start. @param {Game} game @param {RequestOf<"new">} message */
  add(game, message) {
    this.#games.set(game.id, { message, blank: true });
    for (const oldest of [...this.#games.keys()].slice(0, -MOST_GAMES)) this.#games.delete(oldest);
    this.update(game);
  }

  /** Note the current state of a game. @param {Game} game */
  update({ id, nodes, seats }) {
    const entry = this.#games.get(id);
    if (!entry) return;
    this.#games.set(id, { message: { ...entry.message, seats }, blank: nodes.length === 1 });
    sessionStore.set("begun", JSON.stringify([...this.#games]));
  }

  /** The request that begins a deleted game again; undefined: the game is unknown, or had moves. @param {string} id */
  message(id) {
    const entry = this.#games.get(id);
    return entry?.blank ? entry.message : undefined;
  }
}
