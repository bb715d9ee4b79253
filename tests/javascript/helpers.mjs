// Boards and games as the server describes them, and a connection without a server.

export const PAGE = new URL("../../src/outflank/ui/web/page/", import.meta.url);

/** Import a module of the page: `load("game/tree.js")`. */
export const load = (path) => import(new URL(path, PAGE));

/** The cells of a square board, a1 at the top left. */
export function squares(size) {
  return Array.from({ length: size * size }, (_, index) => {
    const [row, column] = [Math.floor(index / size), index % size];
    return { name: `${"abcdefgh"[column]}${row + 1}`, row, x: column, y: row };
  });
}

/** The cells of Abalone's board: rows i (top) to a, of five to nine cells. */
export function hexagons() {
  return Array.from({ length: 9 }, (_, row) => {
    const letter = 8 - row;
    const [first, last] = [Math.max(1, letter - 3), Math.min(9, letter + 5)];
    return Array.from({ length: last - first + 1 }, (_, column) => ({
      name: `${"abcdefghi"[letter]}${first + column}`,
      row,
      x: first + column - letter / 2,
      y: (row * Math.sqrt(3)) / 2,
    }));
  }).flat();
}

/**
 * The nodes of a game: 0 is the start; 1 to 4 is the main line; 5 and 6 are another answer to 1; 7 is another first move.
 */
export const NODES = [
  { id: 0, parent: null, move: "" },
  { id: 1, parent: 0, move: "d3", side: "black" },
  { id: 2, parent: 1, move: "c3", side: "white" },
  { id: 3, parent: 2, move: "c4", side: "black" },
  { id: 4, parent: 3, move: "e3", side: "white" },
  { id: 5, parent: 1, move: "c5", side: "white" },
  { id: 6, parent: 5, move: "d6", side: "black" },
  { id: 7, parent: 0, move: "f5", side: "black" },
];

/** A `game` message of that game. */
export function game(changes = {}) {
  return {
    kind: "game",
    re: null,
    id: "abc",
    game: "othello",
    options: { size: 8 },
    revision: 1,
    start: "8/8/3OX3 X",
    nodes: NODES,
    node: 0,
    turn: "black",
    legal: [],
    seats: { black: "human", white: "human", clock: "none" },
    ...changes,
  };
}

/** A connection that records requests, and answers them by a function. */
export class FakeConnection extends EventTarget {
  ready = true;
  welcome = { games: [] };
  requests = [];

  constructor(answer) {
    super();
    this.answer = answer;
  }

  async ask(message) {
    this.requests.push(message);
    return await this.answer(message);
  }

  send(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
