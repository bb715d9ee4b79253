// The open game: its last state from the server, and the actions of the user.

import { ConnectionLost } from "../connection.js";
import { DisposableGames } from "./disposable_games.js";
import { Tree } from "./tree.js";

/** @import { Connection } from "../connection.js" */
/** @import { ChangeRequest, Colour, Emitter, Game, OpenGameEvents } from "../types.js" */
/** @import { RequestOf, UnsentMove, Without } from "../types.js" */

const OpenGameEmitter = /** @type {new () => Emitter<OpenGameEvents>} */ (EventTarget);

/** Emits `game` (with the game before), `unsent` (a move waits for the connection), `gone` and `wrong`. */
export class OpenGame extends OpenGameEmitter {
  #connection;
  /** @type {Map<number, number>} */
  #lastSeen = new Map(); // from a node to its child that was shown last: the target of redo
  #disposable = new DisposableGames();
  /** @type {UnsentMove | null} */
  #unsent = null;
  #isLeft = false;
  /** @type {Promise<boolean> | null} */
  #resuming = null;
  /** @type {Promise<unknown>} */
  #lastStep = Promise.resolve(); // resolves when the server has answered all steps so far
  /** @type {Game | null} */
  game = null;
  /** @type {Tree | null} */
  tree = null;

  /** @param {Connection} connection */
  constructor(connection) {
    super();
    this.#connection = connection;
    connection.addEventListener("game", ({ detail }) => detail.id === this.game?.id && this.#update(detail));
    connection.addEventListener("gone", ({ detail }) => detail.id === this.game?.id && this.#emit("gone", detail));
  }

  /** The server's description of this kind of game. */
  get kind() {
    return this.#connection.welcome?.games.find((kind) => kind.name === this.game?.game);
  }

  get unsent() {
    return this.#unsent;
  }

  /** @param {string} id @returns {Promise<Game>} */
  async open(id) {
    if (this.game?.id === id && !this.#isLeft) return this.game;
    try {
      const game = await this.#connection.ask({ kind: "open", id });
      this.#isLeft = false;
      return this.game?.id === id ? this.game : this.#replace(game);
    } catch (error) {
      if (error instanceof ConnectionLost) throw error;
      const disposed = this.#disposable.get(id);
      if (disposed) return this.#beginAgain(disposed.message, disposed.node);
      if (this.game?.id === id) this.game = null;
      throw error;
    }
  }

  /**
   * Begin a deleted game once more, and go to the node that was shown.
   * @param {RequestOf<"new">} message
   * @param {number} node
   */
  async #beginAgain(message, node) {
    await this.begin(message);
    await this.go(node);
    return this.game;
  }

  /** Stop receiving changes until the game is opened again: without watchers its clocks stop. */
  leave() {
    if (!this.game || this.#isLeft) return;
    this.#isLeft = true;
    this.#connection.ask({ kind: "leave" }).catch(() => {}); // without a connection there is nothing to leave
  }

  /** Begin another game. @param {RequestOf<"new"> | RequestOf<"place">} message */
  async begin(message) {
    const game = this.#replace(await this.#connection.ask(message));
    if (message.kind === "new" && game.disposable) this.#disposable.add(game, message);
    return game;
  }

  /** Make a move after the current node. It is remembered until the server has it. @param {string} move */
  async play(move) {
    if (this.#resuming) await this.#resuming; // the server may have deleted the shown game
    await this.#play(move);
  }

  /** @param {string} move */
  async #play(move) {
    if (!this.game) return; // it is being created again
    const played = { id: this.game.id, node: this.game.node, move };
    this.#unsent = played;
    await this.#change({ kind: "play", ...played }, () => this.#emit("unsent", played));
    if (this.#unsent === played && this.#connection.ready) this.#unsent = null;
  }

  /** @param {number | null | undefined} node */
  go(node) {
    if (node === undefined || node === null || node === this.game.node) return undefined;
    return this.#change({ kind: "go", id: this.game.id, node });
  }

  /**
   * Change the game by a request, to which the game's id is added.
   * @param {Without<ChangeRequest, "id">} request
   */
  change(request) {
    return this.#change({ ...request, id: this.game.id });
  }

  /** Whether a side is played by a human. @param {Colour} side */
  isHuman(side) {
    return this.game.seats[side] === "human";
  }

  /** Go back one move; if a human plays, to the last position in which a human is to move. */
  back(singleStep = false) {
    return this.#step(() => {
      const skipComputers = !singleStep && (this.isHuman("black") || this.isHuman("white"));
      let node = this.game.node;
      for (let parent = this.tree.parent(node); parent !== null; parent = this.tree.parent(node)) {
        const side = this.tree.node(node).side;
        node = parent;
        if (!skipComputers || this.isHuman(side)) break;
      }
      return node;
    });
  }

  /** Go forward one move in the line that was shown last; if a human plays, to a human's turn. */
  forth(singleStep = false) {
    return this.#step(() => {
      const skipComputers = !singleStep && (this.isHuman("black") || this.isHuman("white"));
      let node = this.game.node;
      for (let next = this.next(node); next !== undefined; next = this.next(node)) {
        node = next;
        const after = this.next(node);
        if (!skipComputers || after === undefined || this.isHuman(this.tree.node(after).side)) break;
      }
      return node;
    });
  }

  /**
   * When all earlier steps are answered, go to the node that `target` returns, so that each of two quick clicks counts.
   * @param {() => number} target
   */
  #step(target) {
    const id = this.game.id;
    const step = this.#lastStep.then(() => (this.game?.id === id ? this.go(target()) : undefined));
    this.#lastStep = step;
    return step;
  }

  /** The child that was shown last, or the first one. @param {number} node */
  next(node) {
    const children = this.tree.children(node);
    const lastSeen = this.#lastSeen.get(node);
    return children.includes(lastSeen) ? lastSeen : children[0];
  }

  first() {
    return this.go(this.tree.root);
  }

  last() {
    let node = this.game.node;
    for (let next = this.next(node); next !== undefined; next = this.next(node)) node = next;
    return this.go(node);
  }

  /**
   * @param {ChangeRequest} message
   * @returns {Promise<Game | null>} null: the change failed
   */
  async #change(message, onLost = () => this.#emit("wrong", { lost: true })) {
    try {
      return await this.#connection.ask(message);
    } catch (error) {
      if (error instanceof ConnectionLost) onLost();
      else {
        this.#unsent = null;
        this.#emit("wrong", { why: error.message });
      }
      return null;
    }
  }

  /** Show another game. @param {Game} game */
  #replace(game) {
    this.game = null;
    this.#lastSeen.clear();
    this.#unsent = null;
    this.#isLeft = false;
    this.#update(game);
    return game;
  }

  /** @param {Game} game */
  #update(game) {
    const before = this.game;
    if (before && game.revision < before.revision) return;
    this.game = game;
    this.tree = new Tree(game.nodes);
    this.#disposable.update(game);
    for (let node = game.node; this.tree.parent(node) !== null; node = this.tree.parent(node)) {
      this.#lastSeen.set(this.tree.parent(node), node);
    }
    this.#emit("game", { before, sameRevision: before !== null && before.revision === game.revision });
  }

  /**
   * After reconnection, get the game from the server, and send a lost move again.
   * @returns false if the server has deleted the game
   */
  async resume() {
    this.#resuming = this.#resume();
    try {
      return await this.#resuming;
    } finally {
      this.#resuming = null;
    }
  }

  async #resume() {
    if (!this.game || this.#isLeft) return true;
    const [{ id }, unsent] = [this.game, this.#unsent];
    this.#isLeft = true;
    try {
      await this.open(id);
    } catch (error) {
      // The server has deleted it; or the connection is lost once more, and this will be repeated.
      this.#isLeft = false;
      return error instanceof ConnectionLost;
    }
    if (unsent) await this.#resend(unsent, this.game.id === id ? unsent.node : this.game.node);
    return true;
  }

  /**
   * Send a move again, unless the server has received it.
   * @param {UnsentMove} unsent
   * @param {number} node
   * @returns {Promise<void>}
   */
  async #resend(unsent, node) {
    if (this.tree.child(node, unsent.move) !== undefined) return void (this.#unsent = null);
    this.#unsent = unsent; // until the server has it
    if (this.game.node !== node && (await this.go(node)) === null) return;
    await this.#play(unsent.move);
  }

  /**
   * @template {keyof OpenGameEvents} Name
   * @param {Name} name
   * @param {OpenGameEvents[Name]} detail
   */
  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
