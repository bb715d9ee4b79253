// The geometry of a board: its outline, its coordinates, and the neighbours of cells.

/** @import { Cell, Game } from "../types.js" */

/** @typedef {Cell & { parts: RegExpExecArray }} NamedCell a cell with the letter and the number of its name */

const EDGE = { squares: 0.85, hexagons: 1.1 };

export class Shape {
  /** @param {Game["shape"]} shape @param {Cell[]} cells as in `game` */
  constructor(shape, cells) {
    this.kind = shape;
    this.cells = cells;
    this.at = new Map(cells.map((cell) => [cell.name, cell]));
    this.index = new Map(cells.map((cell, index) => [cell.name, index]));
    const [xs, ys] = [cells.map((cell) => cell.x), cells.map((cell) => cell.y)];
    this.left = Math.min(...xs);
    this.right = Math.max(...xs);
    this.top = Math.min(...ys);
    this.bottom = Math.max(...ys);
    /** @type {Cell[][]} */
    this.rows = [];
    for (const cell of cells) (this.rows[cell.row] ??= []).push(cell);
    this.rows = this.rows.filter(Boolean);
    for (const row of this.rows) row.sort((first, second) => first.x - second.x);
  }

  /** Whether this is the shape of a board with these cells at these places. @param {Game["shape"]} shape @param {Cell[]} cells */
  like(shape, cells) {
    return (
      this.kind === shape &&
      this.cells.length === cells.length &&
      this.cells.every(
        (cell, index) => cell.name === cells[index].name && cell.x === cells[index].x && cell.y === cells[index].y,
      )
    );
  }

  /** The `viewBox`, with room for a frame. */
  box(edge = EDGE[this.kind]) {
    const [left, top] = [this.left - edge, this.top - edge];
    return [left, top, this.right + edge - left, this.bottom + edge - top].map((value) => +value.toFixed(4)).join(" ");
  }

  /**
   * The corners of the board, `edge` beyond the centres of its outermost cells.
   * @param {number} edge
   * @returns {[x: number, y: number][]}
   */
  outline(edge) {
    if (this.kind === "squares") {
      const [l, r, t, b] = [this.left - edge, this.right + edge, this.top - edge, this.bottom + edge];
      return [
        [l, t],
        [r, t],
        [r, b],
        [l, b],
      ];
    }
    const [middleX, middleY] = [(this.left + this.right) / 2, (this.top + this.bottom) / 2];
    const ends = [
      this.rows[0],
      this.rows.reduce((longest, row) => (row.length > longest.length ? row : longest)),
      this.rows.at(-1),
    ];
    const corners = [ends[0][0], ends[0].at(-1), ends[1].at(-1), ends[2].at(-1), ends[2][0], ends[1][0]];
    return corners.map(({ x, y }) => {
      const distance = Math.hypot(x - middleX, y - middleY) || 1;
      return [x + ((x - middleX) / distance) * edge, y + ((y - middleY) / distance) * edge];
    });
  }

  /** Letters and numbers beside the board, if cells are named by both: `{text, x, y}`. */
  coordinates() {
    const namedCells = this.cells.map((cell) => ({ ...cell, parts: /^([a-z]+)(\d+)$/i.exec(cell.name) }));
    if (namedCells.some((cell) => !cell.parts)) return [];
    return this.kind === "squares" ? this.#besideSquares(namedCells) : this.#besideHexagons(namedCells);
  }

  /** @param {NamedCell[]} namedCells */
  #besideSquares(namedCells) {
    const distance = 0.5 + (EDGE.squares - 0.5) / 2;
    const above = namedCells.filter((cell) => cell.y === this.top);
    const beside = namedCells.filter((cell) => cell.x === this.left);
    return [
      ...above.map((cell) => ({ text: cell.parts[1], x: cell.x, y: this.top - distance })),
      ...beside.map((cell) => ({ text: cell.parts[2], x: this.left - distance, y: cell.y })),
    ];
  }

  /** @param {NamedCell[]} namedCells */
  #besideHexagons(namedCells) {
    /** @type {Map<string, NamedCell>} */
    const lowest = new Map();
    for (const cell of namedCells) if (!(lowest.get(cell.parts[2])?.y > cell.y)) lowest.set(cell.parts[2], cell);
    const first = this.rows.map((row) => namedCells.find((cell) => cell.name === row[0].name));
    return [
      ...first.map((cell) => ({ text: cell.parts[1].toUpperCase(), x: cell.x - 0.74, y: cell.y })),
      ...[...lowest].map(([text, cell]) => ({ text, x: cell.x + 0.37, y: cell.y + 0.64 })),
    ];
  }

  /** The cell that an arrow key moves to; undefined: none. @param {string} name @param {string} key */
  beside(name, key) {
    const cell = this.at.get(name);
    const row = this.rows.findIndex((cells) => cells.includes(cell));
    const column = this.rows[row].indexOf(cell);
    if (key === "ArrowLeft") return this.rows[row][column - 1]?.name;
    if (key === "ArrowRight") return this.rows[row][column + 1]?.name;
    const nextRow = this.rows[key === "ArrowUp" ? row - 1 : row + 1];
    // Between two cells of the next row, up prefers the left one and down the right one: so down undoes up.
    const lean = key === "ArrowUp" ? -0.01 : 0.01;
    return nextRow?.reduce((nearest, candidate) =>
      Math.abs(candidate.x - cell.x - lean) < Math.abs(nearest.x - cell.x - lean) ? candidate : nearest,
    ).name;
  }
}
