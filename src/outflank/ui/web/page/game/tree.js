// The tree of a game's moves, with the questions that views ask of it.

export class Tree {
  /** @param nodes as in `game`: parents before their children, the main line's child first */
  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.below = new Map(nodes.map((node) => [node.id, []]));
    for (const node of nodes) if (node.parent !== null) this.below.get(node.parent)?.push(node.id);
    this.root = nodes[0].id;
  }

  node(id) {
    return this.nodes.get(id);
  }

  parent(id) {
    return this.nodes.get(id)?.parent ?? null;
  }

  children(id) {
    return this.below.get(id) ?? [];
  }

  /** The child of a node to which a move leads; undefined: it has not been played. */
  child(id, move) {
    return this.children(id).find((child) => this.node(child).move === move);
  }

  /** Nodes from the start to this one. */
  path(id) {
    const path = [];
    for (let at = id; at !== null && at !== undefined; at = this.parent(at)) path.push(at);
    return path.reverse();
  }

  /** Nodes from this one on, along first children. */
  line(id) {
    const line = [id];
    for (let next = this.children(id)[0]; next !== undefined; next = this.children(next)[0]) line.push(next);
    return line;
  }

  /** How many nodes there are from this one on, in all lines. */
  count(id) {
    return this.children(id).reduce((sum, child) => sum + this.count(child), 1);
  }

  main() {
    return this.line(this.root);
  }

  onMain(id) {
    return this.path(id).every((at) => this.parent(at) === null || this.children(this.parent(at))[0] === at);
  }

  /** The number of half-moves before a node. */
  ply(id) {
    return this.path(id).length - 1;
  }
}
