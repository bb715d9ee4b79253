// The pieces on the board: their animation from one position to the next, and their dragging.

import { draw } from "../parts/dom.js";
import { isMotionReduced, animateDrop, animateFall, animateFlip, animateSlide } from "./motion.js";
import { piece, showSide } from "./pieces.js";

/** @import { Shape } from "./shape.js" */
/** @import { ShownGame, Gesture } from "../types.js" */

export class PieceLayer {
  #shape;
  /** @type {Map<string, SVGGElement>} */
  #pieces = new Map();
  /** @type {{ gesture: Gesture, part: number } | null} */
  #dragged = null;

  /** @param {Shape} shape */
  constructor(shape) {
    this.#shape = shape;
    this.element = draw("g", { class: "pieces", "aria-hidden": "true" });
  }

  /** The piece on a cell, as in `game.pieces`; undefined: none. @param {string} name */
  sign(name) {
    return this.#pieces.get(name)?.dataset.sign;
  }

  /** Show a position; `animated`: with an animation of its last move. @param {ShownGame} game @param {boolean} animated */
  show(game, animated) {
    const goes = animated ? (game.last.goes ?? []) : [];
    const draggedPart = this.#dragged && this.#dragged.gesture.move === game.last?.move ? this.#dragged.part : 0;
    const [dx, dy] = game.last?.way ?? [0, 0];
    this.release();
    if (goes.length) {
      const moving = goes.map(([from, to]) => ({ group: this.#pieces.get(from), to }));
      for (const [from] of goes) this.#pieces.delete(from);
      for (const { group, to } of moving) {
        if (!group) continue;
        const body = group.querySelector(".body");
        if (to === null || to === undefined) animateFall(group, body, dx, dy);
        else {
          const { x, y } = this.#shape.at.get(to);
          group.setAttribute("transform", `translate(${x} ${y})`);
          this.#pieces.set(to, group);
          animateSlide(body, -dx, -dy, draggedPart);
        }
      }
    }
    const placed = this.#shape.at.get(game.last?.to);
    [...game.pieces].forEach((sign, index) => {
      const cell = this.#shape.cells[index];
      const group = this.#pieces.get(cell.name);
      if (sign === ".") {
        group?.remove();
        this.#pieces.delete(cell.name);
      } else if (!group) {
        const newGroup = piece(this.#shape, sign, cell);
        this.#pieces.set(cell.name, newGroup);
        this.element.append(newGroup);
        if (animated) animateDrop(newGroup.querySelector(".body"));
      } else if (group.dataset.sign !== sign) {
        group.dataset.sign = sign;
        const distance = placed ? Math.hypot(cell.x - placed.x, cell.y - placed.y) : 1;
        const showOtherSide = () => showSide(group, this.#shape, group.dataset.sign);
        if (animated && !isMotionReduced()) animateFlip(group.querySelector(".body"), showOtherSide, distance);
        else showOtherSide();
      }
    });
  }

  /**
   * Drag the pieces of a move a part of their way; null: there is no such move.
   * @param {Gesture | null} gesture
   * @param {[number, number]} vector
   */
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

  /** Move all dragged pieces back to their places. */
  release() {
    this.#dragged = null;
    for (const group of this.#pieces.values()) group.querySelector(".body").removeAttribute("transform");
  }
}
