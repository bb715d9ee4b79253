// Games of this window in which nothing was changed: the server deletes them when they are not watched, and they can be
// begun again.

import { sessionStore } from "../parts/dom.js";

/** @import { Game, RequestOf } from "../types.js" */

const MOST_GAMES = 30;

export class DisposableGames {
  /** @type {Map<string, { message: RequestOf<"new">, node: number, disposable: boolean }>} */
  #games = new Map(JSON.parse(sessionStore.get("begun", "[]")));

  /** Remember the request that began a disposable game. @param {Game} game @param {RequestOf<"new">} message */
  add(game, message) {
    this.#games.set(game.id, { message, node: game.node, disposable: true });
    for (const oldest of [...this.#games.keys()].slice(0, -MOST_GAMES)) this.#games.delete(oldest);
    this.update(game);
  }

  /** Note the current state of a game. @param {Game} game */
  update({ id, node, seats, disposable }) {
    const entry = this.#games.get(id);
    if (!entry) return;
    this.#games.set(id, { message: { ...entry.message, seats }, node, disposable });
    sessionStore.set("begun", JSON.stringify([...this.#games]));
  }

  /**
   * The request that begins a deleted game again, and the node that was shown; undefined: the game is unknown, or was
   * changed.
   * @param {string} id
   */
  get(id) {
    const entry = this.#games.get(id);
    return entry?.disposable ? entry : undefined;
  }
}
