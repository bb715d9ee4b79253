// The board: cells of any game as a grid that is clicked, dragged on, walked with the arrow keys, and read aloud.

import { draw, make, put, set } from "../parts/dom.js";
import { follow } from "./drag.js";
import { Hand } from "./hand.js";
import { ahead, arrow, handle, tag } from "./marks.js";
import { ground } from "./pieces.js";
import { Shape } from "./shape.js";
import { Standing } from "./standing.js";
import { words } from "../parts/words.js";

const ENOUGH = 0.4; // of the way: a drag that went so far is a move

const HEXAGON = [0, 1, 2, 3, 4, 5].map((corner) => {
  const angle = ((2 * corner + 1) * Math.PI) / 6;
  return `${(0.577 * Math.cos(angle)).toFixed(3)},${(0.577 * Math.sin(angle)).toFixed(3)}`;
});

export class Board {
  #shape = null;
  #game = null;
  #hand = new Hand();
  #cells = new Map();
  #standing = null;
  #values = new Map();
  #focus = null;
  #open = false;
  #paint = null;

  /** @param played is told a legal move that was made by hand */
  constructor(played) {
    this.played = played;
    this.svg = draw("svg", { class: "board", role: "group", "aria-label": words.board.name });
    this.element = make("div", { class: "board-box" }, this.svg);
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    follow(this.svg, {
      begin: (cell) => this.#open && !this.#paint && this.#hand.movable().has(cell),
      move: (cell, vector) => this.#drag(cell, vector),
      end: (cell, vector) => this.#drop(cell, vector),
    });
  }

  get shape() {
    return this.#shape;
  }

  /** Show a position. `open`: a hand may move here. `before`: the position that was shown, whose move is animated. */
  show(game, { open = true, before = null } = {}) {
    const focused = this.svg.contains(document.activeElement);
    if (!this.#shape?.like(game.shape, game.cells)) this.#lay(game);
    const near = before && this.#step(before, game);
    this.#game = game;
    this.#open = open;
    this.#hand.take(open ? game.legal : []);
    this.#values = new Map();
    this.#standing.settle(game, near);
    put(this.#layers.arrows);
    this.#refresh();
    if (focused && !this.svg.contains(document.activeElement)) this.focus();
  }

  /** What moves are worth: `[{gesture, valueText, loss, exact, best}]`. On cells where they are put down, else as arrows. */
  value(valued) {
    this.#values = new Map(valued.map((each) => [each.gesture.move, each]));
    const lines = valued.filter((each) => each.gesture.picked?.length && each.rank < 3).reverse();
    put(
      this.#layers.arrows,
      lines.map((each) => arrow(each.gesture, this.#shape, each.rank, each.valueText)),
    );
    this.#name();
  }

  /** While a position is set up, every chosen cell is told to `paint`; null: moves are made again. */
  paint(paint) {
    this.#paint = paint;
    this.svg.classList.toggle("painting", paint !== null);
    this.#refresh();
  }

  clear() {
    this.#hand.drop();
    this.#refresh();
  }

  focus() {
    this.#cells.get(this.#focus)?.group.focus();
  }

  #layers = {};

  #lay({ shape, cells }) {
    this.#shape = new Shape(shape, cells);
    this.#cells.clear();
    this.#standing = new Standing(this.#shape);
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
      pieces: this.#standing.element,
      rings: draw("g", { class: "rings", "aria-hidden": "true" }),
      values: draw("g", { class: "values", "aria-hidden": "true" }),
      arrows: draw("g", { class: "arrows", "aria-hidden": "true" }),
      handles: draw("g", { class: "handles" }),
    };
    set(this.svg, { viewBox: this.#shape.box(), "data-shape": shape });
    put(
      this.svg,
      ground(this.#shape),
      draw("g", { class: "coordinates", "aria-hidden": "true" }, marks),
      Object.values(this.#layers),
    );
  }

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
    group.addEventListener("focus", () => this.#roam(cell.name));
    this.#cells.set(cell.name, { group, cell });
    return group;
  }

  /** Whether `game` is a move after `before`, and can be shown as one. */
  #step(before, game) {
    return (
      game.last && before.id === game.id && game.nodes.find((node) => node.id === game.node)?.parent === before.node
    );
  }

  /** What can be chosen now. */
  #refresh() {
    const joining = this.#hand.joining();
    const ring = (name, kind) =>
      draw("circle", { class: kind, cx: this.#shape.at.get(name).x, cy: this.#shape.at.get(name).y, r: 0.47 });
    put(
      this.#layers.rings,
      [...joining].map((name) => ring(name, "joining")),
      this.#hand.picked.map((name) => ring(name, "picked")),
    );
    const held = this.#layers.handles.contains(document.activeElement);
    put(
      this.#layers.handles,
      this.#hand.ways().map((each) => handle(each, this.#shape, () => this.#make(each))),
    );
    this.svg.dataset.turn = this.#game.turn;
    this.#markLast();
    this.#name();
    if (held) this.focus(); // the handle is gone
  }

  /** How every cell is called, and what moves there are worth. */
  #name() {
    const [targets, movable, joining] = [this.#hand.targets(), this.#hand.movable(), this.#hand.joining()];
    const shown = this.#valuesByCell(targets);
    for (const [name, { group }] of this.#cells) {
      const picked = this.#hand.picked.includes(name);
      const marks = { legal: targets.has(name), movable: movable.has(name), joining: joining.has(name), picked };
      for (const [mark, on] of Object.entries(marks)) group.classList.toggle(mark, on && !this.#paint);
      group.classList.toggle("valued", shown.has(name));
      set(group, {
        "aria-label": this.#called(name, marks, shown.get(name)),
        tabindex: name === this.#focus ? 0 : -1,
        "aria-selected": movable.size ? String(picked) : null,
      });
    }
    // Where there are handles, the values lie beyond them.
    const held = this.#hand.ways().filter((each) => this.#values.has(each.move));
    const beyond = (each) => ({ ...ahead(each, this.#shape, 0.54), size: 0.68 });
    const tags = this.#hand.picked.length
      ? held.map((each) => tag(this.#values.get(each.move), beyond(each), this.#shape))
      : [...shown].map(([name, value]) => tag(value, this.#shape.at.get(name), this.#shape));
    put(this.#layers.values, tags);
    this.svg.classList.toggle("holding", this.#hand.picked.length > 0);
  }

  #valuesByCell(targets) {
    const shown = new Map();
    for (const [cell, gesture] of targets) {
      const value = this.#values.get(gesture.move);
      if (value) shown.set(cell, value);
    }
    return shown;
  }

  #markLast() {
    const last = this.#game.last;
    const places = last?.goes?.length ? last.goes.flat().filter(Boolean) : last?.to ? [last.to] : [];
    put(
      this.#layers.last,
      [...new Set(places)].map((name) => {
        const { x, y } = this.#shape.at.get(name);
        const dot = this.#shape.kind === "squares";
        return draw("circle", { class: dot ? "dot" : "trace", cx: x, cy: y, r: dot ? 0.1 : 0.46 });
      }),
    );
    // A dot lies on the piece that was put down, a trace under those that were moved.
    this.#layers[this.#shape.kind === "squares" ? "pieces" : "cells"].after(this.#layers.last);
  }

  #called(name, marks, value) {
    const sign = this.#paint ? this.#game.pieces[this.#shape.index.get(name)] : this.#standing.sign(name);
    const said = [name, words.board.holds[sign] ?? words.board.holds["."]];
    if (this.#game.last?.to === name) said.push(words.board.last);
    if (marks.picked) said.push(words.board.picked);
    else if (marks.legal) said.push(this.#hand.picked.length ? words.board.goesHere : words.board.legal);
    else if (marks.joining) said.push(words.board.joining);
    else if (marks.movable) said.push(words.board.movable);
    if (value) said.push(value.valueText);
    return said.join(", ");
  }

  #choose(name) {
    if (this.#paint) return this.#paint(this.#shape.index.get(name));
    if (!this.#open) return undefined;
    const made = this.#hand.choose(name);
    return made ? this.#make(made) : this.#refresh();
  }

  #make(gesture) {
    this.#hand.drop();
    if (this.#layers.handles.contains(document.activeElement) && this.#cells.has(gesture.to)) this.#roam(gesture.to);
    this.#refresh();
    this.played(gesture.move);
  }

  #roam(name) {
    if (this.#focus === name) return;
    set(this.#cells.get(this.#focus)?.group ?? this.#cells.get(name).group, { tabindex: -1 });
    this.#focus = name;
    set(this.#cells.get(name).group, { tabindex: 0 });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.target.dataset?.cell;
    if (name && event.key.startsWith("Arrow")) this.#cells.get(this.#shape.beside(name, event.key))?.group.focus();
    else if (name && (event.key === "Enter" || event.key === " ")) this.#choose(name);
    else if (event.key === "Escape" && this.#hand.picked.length) {
      this.clear();
      this.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #drag(cell, vector) {
    return this.#standing.drag(
      this.#hand.dragged(cell, vector, (name) => this.#shape.at.get(name)),
      vector,
    );
  }

  #drop(cell, vector) {
    const found = this.#drag(cell, vector);
    if (found && found.part > ENOUGH) this.#make(found.gesture);
    else this.#standing.release();
  }
}
