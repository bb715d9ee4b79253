// The tree of a game's moves, with the queries that views need.

/** @import { Node } from "../types.js" */

export class Tree {
  /** @param {Node[]} nodes as in `game`: parents before their children, the main line's child first */
  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    /** @type {Map<number, number[]>} */
    this.childIds = new Map();
    for (const node of nodes) this.childIds.set(node.id, []);
    for (const node of nodes) if (node.parent !== null) this.childIds.get(node.parent)?.push(node.id);
    this.root = nodes[0].id;
  }

  /** @param {number} id */
  node(id) {
    return this.nodes.get(id);
  }

  /** @param {number} id @returns {number | null} */
  parent(id) {
    return this.nodes.get(id)?.parent ?? null;
  }

  /** @param {number} id */
  children(id) {
    return this.childIds.get(id) ?? [];
  }

  /**
   * The child of a node after a move; undefined: the move is not in the tree.
   * @param {number} id
   * @param {string} move
   */
  child(id, move) {
    return this.children(id).find((child) => this.node(child).move === move);
  }

  /** Nodes from the start to this one. @param {number} id */
  path(id) {
    const path = [];
    for (let node = id; node !== null && node !== undefined; node = this.parent(node)) path.push(node);
    return path.reverse();
  }

  /** Nodes from this one on, along first children. @param {number} id */
  line(id) {
    const line = [id];
    for (let next = this.children(id)[0]; next !== undefined; next = this.children(next)[0]) line.push(next);
    return line;
  }

  /** The number of nodes from this one on, in all lines. @param {number} id @returns {number} */
  count(id) {
    return this.children(id).reduce((sum, child) => sum + this.count(child), 1);
  }

  mainLine() {
    return this.line(this.root);
  }

  /** @param {number} id */
  isOnMainLine(id) {
    return this.path(id).every((node) => this.parent(node) === null || this.children(this.parent(node))[0] === node);
  }

  /** The number of half-moves before a node. @param {number} id */
  ply(id) {
    return this.path(id).length - 1;
  }

  /** The number of a move's row in the list of moves, where white's move is beside black's. @param {number} id */
  row(id) {
    const path = this.path(id);
    const isWhiteFirst = path.length > 1 && this.node(path[1]).side === "white";
    return Math.ceil((path.length - 1 + Number(isWhiteFirst)) / 2);
  }

  /** `19. b7` for a move of black, `19… b7` for one of white. @param {number} id */
  numberedMove(id) {
    const { side, move } = this.node(id);
    return `${this.row(id)}${side === "black" ? "." : "…"} ${move}`;
  }
}
