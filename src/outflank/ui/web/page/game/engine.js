// A search that goes on while one looks: asked for whenever another position is shown, and told as it deepens.

/** Follows one search; tells `heard` of every message, and of null when there is nothing to search. */
export class Engine {
  #app;
  #heard;
  #number = 0;
  #asked = "";
  on = false;
  last = null;

  constructor(app, heard) {
    this.#app = app;
    this.#heard = heard;
  }

  /** Search this node from now on, in this way. */
  search(game, more) {
    const asked = JSON.stringify([game.id, game.node, more]);
    if (!this.on || !this.#app.link.ready) return;
    if (asked === this.#asked) return;
    this.#app.link.forget(this.#number);
    this.#asked = asked;
    this.last = null;
    if (!game.legal.length || game.outcome) {
      this.halt();
      this.#heard(null);
      return;
    }
    this.#number = this.#app.link.follow({ kind: "analyse", id: game.id, node: game.node, ...more }, (message) =>
      this.#tell(message),
    );
  }

  #tell(message) {
    if (message.kind === "refused") {
      this.#asked = "";
      if (!message.lost) this.#app.wrong(message.why);
      if (!message.lost) this.on = false;
      this.#heard(null);
      return;
    }
    if (message.kind !== "analysis") return;
    this.last = message;
    this.#heard(message);
  }

  halt() {
    this.#app.link.forget(this.#number);
    if (this.#number) this.#app.link.ask({ kind: "halt" }).catch(() => {}); // lost: it halts by itself
    this.#number = 0;
    this.#asked = "";
  }

  /** The connection is back: what was asked is not under way any more. */
  again() {
    this.#asked = "";
    this.#number = 0;
  }
}

/** What the board shows of an analysis: each move with its gesture and what it loses. */
export function valued(message, game) {
  const gestures = new Map(game.legal.map((each) => [each.move, each]));
  const best = message.moves[0]?.value ?? 0;
  return message.moves
    .filter((each) => gestures.has(each.move))
    .map((each, rank) => ({
      gesture: gestures.get(each.move),
      valueText: each.value_text,
      loss: Math.min(best - each.value, 1e6),
      exact: each.exact ?? false,
      best: each.value === best,
      rank,
    }));
}
