// The board: cells of any game as a grid for clicks, drags, arrow keys and screen readers.

import { draw, make, setChildren, setAttributes } from "../parts/dom.js";
import { trackDrags } from "./drag.js";
import { trackDrawing } from "./drawing.js";
import { Selection } from "./selection.js";
import { arrow, drawnArrow, handle, handlePlace, handleRadius, valueTag } from "./marks.js";
import { boardGround } from "./pieces.js";
import { Shape } from "./shape.js";
import { PieceLayer } from "./piece_layer.js";
import { sound } from "../parts/sound.js";
import { turned } from "./turned.js";
import { words } from "../parts/words.js";

/** @import { Arrow, Cell, ShownGame, Gesture, MoveValue } from "../types.js" */

/** @typedef {"cells" | "last" | "pieces" | "rings" | "values" | "arrows" | "drawing" | "handles"} LayerName */

const DRAG_SHARE = 0.4; // a drag over a larger part of the distance is a move

const HEXAGON = [0, 1, 2, 3, 4, 5].map((corner) => {
  const angle = ((2 * corner + 1) * Math.PI) / 6;
  return `${(0.577 * Math.cos(angle)).toFixed(3)},${(0.577 * Math.sin(angle)).toFixed(3)}`;
});

export class Board {
  /** @type {Shape | null} */
  #shape = null;
  /** @type {ShownGame | null} */
  #game = null;
  #selection = new Selection();
  /** @type {Map<string, { group: SVGGElement, cell: Cell }>} */
  #cells = new Map();
  /** @type {PieceLayer | null} */
  #pieceLayer = null;
  /** @type {Map<string, MoveValue>} */
  #values = new Map();
  /** @type {string | null} */
  #focus = null;
  #canMove = false;
  /** The game as it was given to `show`. @type {ShownGame | null} */
  #given = null;
  #isTurned = false;
  #focusedByPointer = false; // arrow keys then step through the game, as without a focus on the board
  /** @type {((index: number) => void) | null} */
  #paint = null;
  /** @type {Arrow[]} */
  #drawing = [];
  /** Called with every arrow that the user draws with the right button; null: none is drawn.
   * @type {((from: string, to: string) => void) | null} */
  draws = null;

  /** @param {(move: string) => void} onMove called with every legal move that the user makes */
  constructor(onMove) {
    this.onMove = onMove;
    this.svg = draw("svg", { class: "board", role: "group", "aria-label": words.board.name });
    this.element = make("div", { class: "board-box" }, this.svg);
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.svg.addEventListener("keyup", (event) => event.key === "Tab" && (this.#focusedByPointer = false));
    this.svg.addEventListener("pointerdown", () => (this.#focusedByPointer = true));
    // The size of handles depends on that of the board, as when a telephone is turned.
    new ResizeObserver(() => this.#selection.picked.length && this.#refresh()).observe(this.element);
    trackDrags(this.svg, {
      begin: (cell) => this.#canMove && !this.#paint && this.#selection.movable().has(cell),
      move: (cell, vector) => this.#drag(cell, vector),
      end: (cell, vector) => this.#drop(cell, vector),
    });
    trackDrawing(this.svg, {
      isOn: () => this.draws !== null,
      preview: (from, to) => this.#drawArrows([...this.#drawing, [from, to]]),
      end: (from, to) => (to === null ? this.#drawArrows(this.#drawing) : this.draws?.(from, to)),
    });
  }

  get shape() {
    return this.#shape;
  }

  /**
   * Show a position. `canMove`: the user may move. `before`: the position shown before, to animate the move.
   * @param {ShownGame} given
   * @param {{ canMove?: boolean, before?: ShownGame | null }} options
   */
  show(given, { canMove = true, before = null } = {}) {
    this.#given = given;
    const game = this.#isTurned ? turned(given) : given;
    const focused = this.svg.contains(document.activeElement);
    if (!this.#shape?.like(game.shape, game.cells)) this.#build(game);
    const isNextMove = before !== null && this.#isNextMove(before, game);
    this.#game = game;
    this.#canMove = canMove;
    this.#selection.reset(canMove ? game.legal : []);
    this.#values = new Map();
    this.#pieceLayer.show(game, isNextMove);
    if (isNextMove) sound.click();
    setChildren(this.#layers.arrows);
    this.#drawArrows(this.#drawing);
    this.#refresh();
    if (focused && !this.svg.contains(document.activeElement)) this.#focusCell();
  }

  /**
   * Show values of moves: on the cells where pieces are placed, else as arrows.
   * @param {MoveValue[]} moveValues
   */
  showValues(moveValues) {
    const gestures = new Map(this.#game.legal.map((gesture) => [gesture.move, gesture]));
    const seenValues = moveValues.map((value) => ({ ...value, gesture: gestures.get(value.gesture.move) ?? value.gesture }));
    this.#values = new Map(seenValues.map((value) => [value.gesture.move, value]));
    const arrows = seenValues.filter((value) => value.gesture.picked?.length && value.rank < 3).reverse();
    setChildren(
      this.#layers.arrows,
      arrows.map((value) => arrow(value.gesture, this.#shape, value.rank, value.valueText)),
    );
    this.#labelCells();
  }

  /** Show the arrows and circles that a user drew. @param {Arrow[]} arrows */
  showDrawing(arrows) {
    this.#drawing = arrows;
    this.#drawArrows(arrows);
  }

  /** @param {Arrow[]} arrows */
  #drawArrows(arrows) {
    const marks = arrows.map((each) => drawnArrow(each, this.#shape)).filter(Boolean);
    if (this.#layers.drawing) setChildren(this.#layers.drawing, marks);
  }

  /**
   * While a position is set up or drawn on, `paint` is called with every chosen cell; null: cells make moves again.
   * @param {((index: number) => void) | null} paint
   */
  paint(paint) {
    this.#paint = paint;
    this.svg.classList.toggle("painting", paint !== null);
    this.#refresh();
  }

  clear() {
    this.#selection.clear();
    this.#refresh();
  }

  /** Turn the board by half a turn, as seen from the other side. */
  turn() {
    this.#isTurned = !this.#isTurned;
    const values = [...this.#values.values()];
    if (!this.#given) return;
    this.show(this.#given, { canMove: this.#canMove });
    this.showValues(values);
  }

  /** Move the focus to the board, so that arrow keys move over it. */
  focus() {
    this.#focusedByPointer = false;
    this.#focusCell();
  }

  #focusCell() {
    this.#cells.get(this.#focus)?.group.focus();
  }

  /** @type {Partial<Record<LayerName, SVGGElement>>} */
  #layers = {};

  /** @param {ShownGame} game */
  #build({ shape, cells }) {
    this.#shape = new Shape(shape, cells);
    this.#cells.clear();
    this.#pieceLayer = new PieceLayer(this.#shape);
    this.#focus = cells[Math.floor(cells.length / 2)].name;
    const marks = this.#shape.coordinates().map(({ text, x, y }) => draw("text", { x, y }, text));
    const rows = this.#shape.rows.map((row) =>
      draw(
        "g",
        { role: "row" },
        row.map((cell) => this.#cell(cell)),
      ),
    );
    this.#layers = {
      cells: draw("g", { role: "grid", "aria-label": words.board.name }, rows),
      last: draw("g", { class: "last", "aria-hidden": "true" }),
      pieces: this.#pieceLayer.element,
      rings: draw("g", { class: "rings", "aria-hidden": "true" }),
      values: draw("g", { class: "values", "aria-hidden": "true" }),
      arrows: draw("g", { class: "arrows", "aria-hidden": "true" }),
      drawing: draw("g", { class: "drawing", "aria-hidden": "true" }),
      handles: draw("g", { class: "handles" }),
    };
    setAttributes(this.svg, { viewBox: this.#shape.box(), "data-shape": shape });
    setChildren(
      this.svg,
      boardGround(this.#shape),
      draw("g", { class: "coordinates", "aria-hidden": "true" }, marks),
      Object.values(this.#layers),
    );
  }

  /** @param {Cell} cell */
  #cell(cell) {
    const face =
      this.#shape.kind === "squares"
        ? draw("rect", { class: "face", x: -0.5, y: -0.5, width: 1, height: 1 })
        : draw("polygon", { class: "face", points: HEXAGON.join(" ") });
    const hint = draw("circle", { class: "hint", r: 0.13 });
    const group = draw(
      "g",
      {
        role: "gridcell",
        class: "cell",
        transform: `translate(${cell.x} ${cell.y})`,
        tabindex: -1,
        "data-cell": cell.name,
      },
      face,
      hint,
    );
    group.addEventListener("click", () => this.#choose(cell.name));
    group.addEventListener("focus", () => this.#moveFocus(cell.name));
    this.#cells.set(cell.name, { group, cell });
    return group;
  }

  /**
   * Whether `game` is one move after `before`, so that the move can be animated.
   * @param {ShownGame} before
   * @param {ShownGame} game
   */
  #isNextMove(before, game) {
    return (
      game.last !== null &&
      before.id === game.id &&
      game.nodes.find((node) => node.id === game.node)?.parent === before.node
    );
  }

  /** The radius of a handle at the board's present size. */
  get #handleRadius() {
    return handleRadius(this.svg.getScreenCTM()?.a ?? Infinity);
  }

  /** Draw what can be chosen now. */
  #refresh() {
    const joining = this.#selection.joining();
    /** @param {string} name @param {"joining" | "picked"} kind */
    const ring = (name, kind) =>
      draw("circle", { class: kind, cx: this.#shape.at.get(name).x, cy: this.#shape.at.get(name).y, r: 0.47 });
    setChildren(
      this.#layers.rings,
      [...joining].map((name) => ring(name, "joining")),
      this.#selection.picked.map((name) => ring(name, "picked")),
    );
    const [hadFocus, radius] = [this.#layers.handles.contains(document.activeElement), this.#handleRadius];
    const { id, node } = this.#game;
    const play = (/** @type {Gesture} */ gesture) =>
      this.#canMove && this.#game.id === id && this.#game.node === node && this.#play(gesture);
    setChildren(
      this.#layers.handles,
      this.#selection.gestures().map((gesture) => handle(gesture, this.#shape, radius, () => play(gesture))),
    );
    this.svg.dataset.turn = this.#game.turn;
    this.#markLast();
    this.#labelCells();
    if (hadFocus) this.#focusCell(); // the focused handle was removed
  }

  /** Label every cell, and show the values of moves to it. */
  #labelCells() {
    const [targets, movable, joining] = [
      this.#selection.targets(),
      this.#selection.movable(),
      this.#selection.joining(),
    ];
    const cellValues = this.#valuesByCell(targets);
    for (const [name, { group }] of this.#cells) {
      const picked = this.#selection.picked.includes(name);
      const marks = { legal: targets.has(name), movable: movable.has(name), joining: joining.has(name), picked };
      for (const [mark, on] of Object.entries(marks)) group.classList.toggle(mark, on && !this.#paint);
      group.classList.toggle("valued", cellValues.has(name));
      setAttributes(group, {
        "aria-label": this.#label(name, marks, cellValues.get(name)),
        tabindex: name === this.#focus ? 0 : -1,
        "aria-selected": movable.size ? String(picked) : null,
      });
    }
    // If there are handles, the values are drawn beyond them.
    const gestures = this.#selection.gestures().filter((gesture) => this.#values.has(gesture.move));
    const radius = this.#handleRadius;
    const placeBeyond = (/** @type {Gesture} */ gesture) => ({
      ...handlePlace(gesture, this.#shape, radius, radius + 0.27),
      size: 0.68,
    });
    const tags = this.#selection.picked.length
      ? gestures.map((gesture) => valueTag(this.#values.get(gesture.move), placeBeyond(gesture), this.#shape))
      : [...cellValues].map(([name, value]) => valueTag(value, this.#shape.at.get(name), this.#shape));
    setChildren(this.#layers.values, tags);
    this.svg.classList.toggle("holding", this.#selection.picked.length > 0);
  }

  /** @param {Map<string, Gesture>} targets */
  #valuesByCell(targets) {
    /** @type {Map<string, MoveValue>} */
    const cellValues = new Map();
    for (const [cell, gesture] of targets) {
      const value = this.#values.get(gesture.move);
      if (value) cellValues.set(cell, value);
    }
    return cellValues;
  }

  #markLast() {
    const last = this.#game.last;
    const places = last?.goes?.length ? last.goes.flat().filter(Boolean) : last?.to ? [last.to] : [];
    setChildren(
      this.#layers.last,
      [...new Set(places)].map((name) => {
        const { x, y } = this.#shape.at.get(name);
        const isDot = this.#shape.kind === "squares";
        return draw("circle", { class: isDot ? "dot" : "trace", cx: x, cy: y, r: isDot ? 0.1 : 0.46 });
      }),
    );
    // A dot is drawn above the piece that was placed, a trace below the pieces that were moved.
    this.#layers[this.#shape.kind === "squares" ? "pieces" : "cells"].after(this.#layers.last);
  }

  /**
   * @param {string} name
   * @param {Record<"legal" | "movable" | "joining" | "picked", boolean>} marks
   * @param {MoveValue | undefined} value
   */
  #label(name, marks, value) {
    const sign = this.#paint ? this.#game.pieces[this.#shape.index.get(name)] : this.#pieceLayer.sign(name);
    const labels = [name, sign === "X" || sign === "O" ? words.board.holds[sign] : words.board.holds["."]];
    if (this.#game.last?.to === name) labels.push(words.board.last);
    if (marks.picked) labels.push(words.board.picked);
    else if (marks.legal) labels.push(this.#selection.picked.length ? words.board.goesHere : words.board.legal);
    else if (marks.joining) labels.push(words.board.joining);
    else if (marks.movable) labels.push(words.board.movable);
    if (value) labels.push(value.valueText);
    return labels.join(", ");
  }

  /** @param {string} name */
  #choose(name) {
    if (this.#paint) return this.#paint(this.#shape.index.get(name));
    if (!this.#canMove) return undefined;
    const gesture = this.#selection.choose(name);
    return gesture ? this.#play(gesture) : this.#refresh();
  }

  /** @param {Gesture} gesture */
  #play(gesture) {
    this.#selection.clear();
    if (this.#layers.handles.contains(document.activeElement) && this.#cells.has(gesture.to))
      this.#moveFocus(gesture.to);
    this.#refresh();
    this.onMove(gesture.move);
  }

  /** @param {string} name */
  #moveFocus(name) {
    if (this.#focus === name) return;
    setAttributes(this.#cells.get(this.#focus)?.group ?? this.#cells.get(name).group, { tabindex: -1 });
    this.#focus = name;
    setAttributes(this.#cells.get(name).group, { tabindex: 0 });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = /** @type {Element} */ (event.target).getAttribute("data-cell");
    if (event.key.startsWith("Arrow") && this.#focusedByPointer) return;
    if (name && event.key.startsWith("Arrow")) this.#cells.get(this.#shape.beside(name, event.key))?.group.focus();
    else if (name && (event.key === "Enter" || event.key === " ")) this.#choose(name);
    else if (event.key === "Escape" && this.#selection.picked.length) {
      this.clear();
      this.#focusCell();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} cell @param {[number, number]} vector */
  #drag(cell, vector) {
    return this.#pieceLayer.drag(
      this.#selection.draggedGesture(cell, vector, (name) => this.#shape.at.get(name)),
      vector,
    );
  }

  /** @param {string} cell @param {[number, number]} vector */
  #drop(cell, vector) {
    const dragged = this.#drag(cell, vector);
    if (dragged && dragged.part > DRAG_SHARE) this.#play(dragged.gesture);
    else this.#pieceLayer.release();
  }
}
