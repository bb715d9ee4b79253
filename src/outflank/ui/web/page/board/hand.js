// What a hand does on the board, as far as the legal moves let it: it puts down, or takes up a line and moves it.

const same = (one, other) => one.length === other.length && one.every((each) => other.includes(each));
const ALONG = Math.cos(Math.PI / 6);

export class Hand {
  #legal = [];
  /** The pieces that are taken up. */
  picked = [];

  /** Another position: nothing is taken up any more. */
  take(legal) {
    this.#legal = legal;
    this.picked = [];
  }

  drop() {
    this.picked = [];
  }

  /** A cell is chosen: the move that it makes, or null, and then what is taken up may have changed. */
  choose(cell) {
    const made = this.targets().get(cell);
    if (made) return made;
    if (this.picked.includes(cell)) {
      const rest = this.picked.filter((each) => each !== cell);
      this.picked = this.#lines().some((line) => same(line, rest)) ? rest : [];
    } else if (this.movable().has(cell)) {
      this.picked = this.#joined(cell) ?? [cell];
    } else this.picked = [];
    return null;
  }

  /** Moves that can be made now by choosing a cell. */
  targets() {
    const targets = new Map();
    if (!this.picked.length) {
      for (const each of this.#legal) if (each.to && !each.picked?.length) targets.set(each.to, each);
      return targets;
    }
    const ways = this.ways();
    for (const each of ways) if (each.to) targets.set(each.to, each);
    const reached = new Map();
    for (const each of ways) {
      for (const [, to] of each.goes ?? []) if (to) reached.set(to, [...(reached.get(to) ?? []), each]);
    }
    for (const [to, by] of reached) {
      if (by.length === 1 && !targets.has(to) && !this.picked.includes(to)) targets.set(to, by[0]);
    }
    return targets;
  }

  /** The moves of exactly what is taken up. */
  ways() {
    return this.picked.length ? this.#legal.filter((each) => same(each.picked ?? [], this.picked)) : [];
  }

  /** Pieces that can be taken up. */
  movable() {
    return new Set(this.#legal.flatMap((each) => each.picked ?? []));
  }

  /** Pieces that can be added to what is taken up. */
  joining() {
    if (!this.picked.length) return new Set();
    const lines = this.#lines().filter((line) => this.picked.every((each) => line.includes(each)));
    return new Set(lines.flat().filter((each) => !this.picked.includes(each)));
  }

  /** Moves that no cell is chosen for, such as a pass. */
  unplaced() {
    return this.#legal.filter((each) => !each.to && !each.picked?.length);
  }

  /**
   * The move of a piece that is dragged along a vector: of the line that is taken up, or of the line that it pushes
   * from behind.
   */
  dragged(cell, [x, y], at) {
    const length = Math.hypot(x, y) || 1;
    const along = (each) => each.way && (each.way[0] * x + each.way[1] * y) / length / Math.hypot(...each.way) > ALONG;
    if (this.picked.length > 1 && this.picked.includes(cell)) return this.ways().find(along) ?? null;
    const from = at(cell);
    const behind = (each) =>
      each.picked.every((other) => {
        const [dx, dy] = [at(other).x - from.x, at(other).y - from.y];
        const ahead = dx * each.way[0] + dy * each.way[1];
        return Math.abs(dx * each.way[1] - dy * each.way[0]) < 1e-6 && ahead > -1e-6;
      });
    return this.#legal.find((each) => each.picked?.includes(cell) && along(each) && behind(each)) ?? null;
  }

  #lines() {
    return this.#legal.filter((each) => each.picked?.length).map((each) => each.picked);
  }

  /** The shortest line with what is taken up and another piece. */
  #joined(cell) {
    if (!this.picked.length) return null;
    const wanted = [...this.picked, cell];
    const lines = this.#lines().filter((line) => wanted.every((each) => line.includes(each)));
    return lines.reduce((one, other) => (one && one.length <= other.length ? one : other), null);
  }
}
