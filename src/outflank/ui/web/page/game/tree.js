// The tree of a game's moves, with the queries that views need.

export class Tree {
  /** @param nodes as in `game`: parents before their children, the main line's child first */
  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.childIds = new Map(nodes.map((node) => [node.id, []]));
    for (const node of nodes) if (node.parent !== null) this.childIds.get(node.parent)?.push(node.id);
    this.root = nodes[0].id;
  }

  node(id) {
    return this.nodes.get(id);
  }

  parent(id) {
    return this.nodes.get(id)?.parent ?? null;
  }

  children(id) {
    return this.childIds.get(id) ?? [];
  }

  /** The child of a node after a move; undefined: the move is not in the tree. */
  child(id, move) {
    return this.children(id).find((child) => this.node(child).move === move);
  }

  /** Nodes from the start to this one. */
  path(id) {
    const path = [];
    for (let node = id; node !== null && node !== undefined; node = this.parent(node)) path.push(node);
    return path.reverse();
  }

  /** Nodes from this one on, along first children. */
  line(id) {
    const line = [id];
    for (let next = this.children(id)[0]; next !== undefined; next = this.children(next)[0]) line.push(next);
    return line;
  }

  /** The number of nodes from this one on, in all lines. */
  count(id) {
    return this.children(id).reduce((sum, child) => sum + this.count(child), 1);
  }

  mainLine() {
    return this.line(this.root);
  }

  isOnMainLine(id) {
    return this.path(id).every((node) => this.parent(node) === null || this.children(this.parent(node))[0] === node);
  }

  /** The number of half-moves before a node. */
  ply(id) {
    return this.path(id).length - 1;
  }
}
