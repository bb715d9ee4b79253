// The pieces that stand on the board: how they come from one position to the next, and how they follow a hand.

import { draw } from "../parts/dom.js";
import { calm, dropped, fallen, flipped, slid } from "./motion.js";
import { piece, turned } from "./pieces.js";

export class Standing {
  #shape;
  #pieces = new Map();
  #dragged = null;

  constructor(shape) {
    this.#shape = shape;
    this.element = draw("g", { class: "pieces", "aria-hidden": "true" });
  }

  /** What stands on a cell; undefined: nothing. */
  sign(name) {
    return this.#pieces.get(name)?.dataset.sign;
  }

  /** Show a position; `animated`: its last move is seen. */
  settle(game, animated) {
    const goes = animated ? (game.last.goes ?? []) : [];
    const done = this.#dragged && this.#dragged.gesture.move === game.last?.move ? this.#dragged.part : 0;
    const [dx, dy] = game.last?.way ?? [0, 0];
    this.release();
    if (goes.length) {
      const moving = goes.map(([from, to]) => [this.#pieces.get(from), to]);
      for (const [from] of goes) this.#pieces.delete(from);
      for (const [group, to] of moving) {
        if (!group) continue;
        const body = group.querySelector(".body");
        if (to === null || to === undefined) fallen(group, body, dx, dy);
        else {
          const { x, y } = this.#shape.at.get(to);
          group.setAttribute("transform", `translate(${x} ${y})`);
          this.#pieces.set(to, group);
          slid(body, -dx, -dy, done);
        }
      }
    }
    const put = this.#shape.at.get(game.last?.to);
    [...game.pieces].forEach((sign, index) => {
      const cell = this.#shape.cells[index];
      const there = this.#pieces.get(cell.name);
      if (sign === ".") {
        there?.remove();
        this.#pieces.delete(cell.name);
      } else if (!there) {
        const group = piece(this.#shape, sign, cell);
        this.#pieces.set(cell.name, group);
        this.element.append(group);
        if (animated) dropped(group.querySelector(".body"));
      } else if (there.dataset.sign !== sign) {
        there.dataset.sign = sign;
        const far = put ? Math.hypot(cell.x - put.x, cell.y - put.y) : 1;
        const turn = () => turned(there, this.#shape, there.dataset.sign);
        if (animated && !calm()) flipped(there.querySelector(".body"), turn, far);
        else turn();
      }
    });
  }

  /** Pieces of a move go with a hand, a part of their way; null: there is no such move. */
  drag(gesture, vector) {
    this.release();
    if (!gesture) return null;
    const [x, y] = gesture.way;
    const part = Math.max(0, Math.min(1, (vector[0] * x + vector[1] * y) / (x * x + y * y)));
    for (const [from] of gesture.goes ?? []) {
      const body = this.#pieces.get(from)?.querySelector(".body");
      body?.setAttribute("transform", `translate(${x * part} ${y * part})`);
    }
    this.#dragged = { gesture, part };
    return this.#dragged;
  }

  /** Everything stands in its place again. */
  release() {
    this.#dragged = null;
    for (const each of this.#pieces.values()) each.querySelector(".body").removeAttribute("transform");
  }
}
