// The game that lies on the table: what the server last said of it, and what a person does with it.

import { Lost } from "../link.js";
import { Blanks } from "./blanks.js";
import { Tree } from "./tree.js";

/** Tells of `game` (with the game before), `unsaid` (a move waits for the connection), `gone` and `wrong`. */
export class Table extends EventTarget {
  #link;
  #visited = new Map(); // from a node to the child that was last seen below it: where redo goes
  #blanks = new Blanks();
  #unsaid = null;
  #left = false;
  #resuming = null;
  game = null;
  tree = null;

  constructor(link) {
    super();
    this.#link = link;
    link.addEventListener("game", ({ detail }) => detail.id === this.game?.id && this.#take(detail));
    link.addEventListener("gone", ({ detail }) => detail.id === this.game?.id && this.#tell("gone", detail));
  }

  /** What the server's description says of this kind of game. */
  get kind() {
    return this.#link.welcome?.games.find((each) => each.name === this.game?.game);
  }

  get unsaid() {
    return this.#unsaid;
  }

  async open(id) {
    if (this.game?.id === id && !this.#left) return this.game;
    try {
      const game = await this.#link.ask({ kind: "open", id });
      this.#left = false;
      return this.game?.id === id ? this.game : this.#lay(game);
    } catch (error) {
      if (error instanceof Lost) throw error;
      const anew = this.#blanks.message(id);
      if (anew) return this.begin(anew);
      if (this.game?.id === id) this.game = null;
      throw error;
    }
  }

  /** Be told of the game no more, until it is opened again: where nobody looks, its clocks stand still. */
  leave() {
    if (!this.game || this.#left) return;
    this.#left = true;
    this.#link.ask({ kind: "leave" }).catch(() => {}); // lost: nobody is told of anything
  }

  /** Begin another game: a `new` or a `place` without its number. */
  async begin(message) {
    const game = this.#lay(await this.#link.ask(message));
    if (message.kind === "new" && !message.text) this.#blanks.add(game, message);
    return game;
  }

  /** A move after the node that is shown. It is kept until the server has it. */
  async play(move) {
    if (this.#resuming) await this.#resuming; // the server may have forgotten the game that is shown
    await this.#play(move);
  }

  async #play(move) {
    if (!this.game) return; // it is being begun again
    const said = { id: this.game.id, node: this.game.node, move };
    this.#unsaid = said;
    await this.#change({ kind: "play", ...said }, () => this.#tell("unsaid", said));
    if (this.#unsaid === said && this.#link.ready) this.#unsaid = null;
  }

  go(node) {
    if (node === undefined || node === null || node === this.game.node) return undefined;
    return this.#change({ kind: "go", id: this.game.id, node });
  }

  change(kind, more) {
    return this.#change({ kind, id: this.game.id, ...more });
  }

  /** Who is to move at a node of the path that is shown: whoever made the move after it. */
  human(side) {
    return this.game.seats[side] === "human";
  }

  /** A step back, to where a person is to move if one plays at all. */
  back(single = false) {
    const people = !single && (this.human("black") || this.human("white"));
    let at = this.game.node;
    for (let up = this.tree.parent(at); up !== null; up = this.tree.parent(at)) {
      const side = this.tree.node(at).side;
      at = up;
      if (!people || this.human(side)) break;
    }
    return this.go(at);
  }

  /** A step forth again, the way that was seen last. */
  forth(single = false) {
    const people = !single && (this.human("black") || this.human("white"));
    let at = this.game.node;
    for (let next = this.next(at); next !== undefined; next = this.next(at)) {
      at = next;
      const after = this.next(at);
      if (!people || after === undefined || this.human(this.tree.node(after).side)) break;
    }
    return this.go(at);
  }

  /** The child that was seen last, or the main line's. */
  next(node) {
    const children = this.tree.children(node);
    const seen = this.#visited.get(node);
    return children.includes(seen) ? seen : children[0];
  }

  first() {
    return this.go(this.tree.root);
  }

  last() {
    let at = this.game.node;
    for (let next = this.next(at); next !== undefined; next = this.next(at)) at = next;
    return this.go(at);
  }

  async #change(message, lost = () => this.#tell("wrong", { lost: true })) {
    try {
      return await this.#link.ask(message);
    } catch (error) {
      if (error instanceof Lost) lost();
      else {
        this.#unsaid = null;
        this.#tell("wrong", { why: error.message });
      }
      return null;
    }
  }

  /** Another game than before. */
  #lay(game) {
    this.game = null;
    this.#visited.clear();
    this.#unsaid = null;
    this.#left = false;
    this.#take(game);
    return game;
  }

  #take(game) {
    const before = this.game;
    if (before && game.revision < before.revision) return;
    this.game = game;
    this.tree = new Tree(game.nodes);
    this.#blanks.see(game);
    for (let at = game.node; this.tree.parent(at) !== null; at = this.tree.parent(at)) {
      this.#visited.set(this.tree.parent(at), at);
    }
    this.#tell("game", { before, again: before !== null && before.revision === game.revision });
  }

  /** The connection is back: see what the server has, and say again what it has not heard. False: it has forgotten the
   * game. */
  async resume() {
    this.#resuming = this.#resume();
    try {
      return await this.#resuming;
    } finally {
      this.#resuming = null;
    }
  }

  async #resume() {
    if (!this.game || this.#left) return true;
    const [{ id }, unsaid] = [this.game, this.#unsaid];
    this.#left = true;
    try {
      await this.open(id);
    } catch (error) {
      // The server has forgotten it; or the connection is lost once more, and this is done again.
      this.#left = false;
      return error instanceof Lost;
    }
    if (unsaid) await this.#repeat(unsaid, this.game.id === id ? unsaid.node : this.game.node);
    return true;
  }

  /** Say a move after a node that the server may not have heard. */
  async #repeat(unsaid, node) {
    if (this.tree.child(node, unsaid.move) !== undefined) return void (this.#unsaid = null);
    this.#unsaid = unsaid; // until the server has it
    if (this.game.node !== node && (await this.go(node)) === null) return;
    await this.#play(unsaid.move);
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
