// Games begun here in which nobody has moved: the server keeps none that nobody looks at, and each can be begun again.

import { here } from "../parts/dom.js";

const MOST = 30;

export class Blanks {
  #begun = new Map(JSON.parse(here.get("begun", "[]")));

  /** A game was begun so, from its usual start. */
  add(game, message) {
    this.#begun.set(game.id, { message, blank: true });
    for (const oldest of [...this.#begun.keys()].slice(0, -MOST)) this.#begun.delete(oldest);
    this.see(game);
  }

  /** A game is so now. */
  see({ id, nodes, seats }) {
    const begun = this.#begun.get(id);
    if (!begun) return;
    this.#begun.set(id, { message: { ...begun.message, seats }, blank: nodes.length === 1 });
    here.set("begun", JSON.stringify([...this.#begun]));
  }

  /** How to begin a game again that is gone; undefined: it was another one, or had moves. */
  message(id) {
    const begun = this.#begun.get(id);
    return begun?.blank ? begun.message : undefined;
  }
}
