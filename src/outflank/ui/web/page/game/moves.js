// The moves of a game: the main line in two columns, variations between them, and what is done with a line.

import { confirm } from "../parts/dialog.js";
import { make, renew, set, sign } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { words } from "../parts/words.js";

const w = words.moves;
const GRADE = { "?!": "doubtful", "?": "mistake", "??": "blunder" };

export class Moves {
  #table;
  #shape = "";
  #buttons = new Map();

  /** @param edited whether lines can be promoted and pruned here */
  constructor(table, edited) {
    this.#table = table;
    this.list = make("div", { class: "moves", role: "group", "aria-label": w.title, tabindex: 0 });
    this.steps = {
      first: sign(icon("first"), w.first, () => table.first()),
      back: sign(icon("back"), w.back, () => table.back(true)),
      forth: sign(icon("forth"), w.forth, () => table.forth(true)),
      last: sign(icon("last"), w.last, () => table.last()),
    };
    this.edits = edited && {
      promote: sign(icon("promote"), w.promote, () => this.promote()),
      prune: sign(icon("prune"), w.prune, () => this.prune()),
    };
    const tools = make(
      "div",
      { class: "steps" },
      Object.values(this.steps),
      this.edits && [make("span", { class: "gap" }), Object.values(this.edits)],
    );
    this.element = make("div", { class: "moves-box" }, this.list, tools);
  }

  promote() {
    const { game } = this.#table;
    if (this.edits) this.#table.change("promote", { node: game.node });
  }

  /** Delete what is shown, and what follows it: a whole line not before it is asked. */
  async prune() {
    const { game, tree } = this.#table;
    if (!this.edits || tree.parent(game.node) === null) return;
    const count = tree.count(game.node);
    if (count > 1 && !(await confirm(w.sure(count), w.remove))) return;
    if (this.#table.game?.id === game.id) this.#table.change("prune", { node: game.node });
  }

  show(game) {
    const tree = this.#table.tree;
    const shape = game.id + JSON.stringify(game.nodes);
    if (shape !== this.#shape) this.#build(tree);
    this.#shape = shape;
    for (const [id, each] of this.#buttons) set(each, { "aria-current": id === game.node && "true" });
    this.#into(game.node);
    const [first, last] = [tree.parent(game.node) === null, !tree.children(game.node).length];
    set(this.steps.first, { disabled: first });
    set(this.steps.back, { disabled: first });
    set(this.steps.forth, { disabled: last });
    set(this.steps.last, { disabled: last });
    if (this.edits) {
      set(this.edits.promote, { disabled: first || tree.onMain(game.node) });
      set(this.edits.prune, { disabled: first });
    }
    // What has just been pressed may be of no use any more.
    if (this.element.contains(document.activeElement) && document.activeElement.disabled) this.list.focus();
  }

  /** Scroll the list, and nothing else, to the move that is shown. */
  #into(node) {
    const shown = this.#buttons.get(node);
    if (!shown) return void (this.list.scrollTop = 0);
    const [top, height] = [shown.offsetTop, this.list.clientHeight];
    if (top < this.list.scrollTop + 8 || top + shown.offsetHeight > this.list.scrollTop + height - 8)
      this.list.scrollTop = top - height / 2;
  }

  #build(tree) {
    this.#buttons.clear();
    const main = tree.main().slice(1);
    if (!main.length) return void renew(this.list, make("p", { class: "quiet" }, words.play.noMoves));
    const rows = [];
    let row = null;
    for (const id of main) {
      const { side } = tree.node(id);
      const others = tree.children(tree.parent(id)).slice(1);
      if (!row || side === "black" || row.dataset.full) {
        row = make("div", { class: "pair" }, make("span", { class: "number" }, `${Math.ceil(tree.ply(id) / 2)}.`));
        if (side === "white") row.append(make("span", { class: "absent", "aria-hidden": "true" }, "…"));
        rows.push(row);
      }
      row.append(this.#button(tree, id));
      if (side === "white") row.dataset.full = "yes";
      if (others.length) {
        rows.push(
          make(
            "div",
            { class: "variations" },
            others.map((other) => this.#variation(tree, other)),
          ),
        );
        row = null;
      }
    }
    renew(this.list, rows);
  }

  /** A line beside the main one, with those beside it. */
  #variation(tree, from) {
    const parts = [];
    tree.line(from).forEach((id, index) => {
      const { side } = tree.node(id);
      const number = Math.ceil(tree.ply(id) / 2);
      if (side === "black") parts.push(make("span", { class: "number" }, `${number}.`));
      else if (index === 0) parts.push(make("span", { class: "number" }, `${number}…`));
      parts.push(this.#button(tree, id));
      if (index > 0)
        for (const other of tree.children(tree.parent(id)).slice(1)) parts.push(this.#variation(tree, other));
    });
    return make("div", { class: "variation" }, parts);
  }

  #button(tree, id) {
    const node = tree.node(id);
    const bad = GRADE[node.mark];
    const hint = [w.marks[node.mark], node.best && node.mark && w.better(node.best)].filter(Boolean).join(": ");
    const element = make(
      "button",
      {
        type: "button",
        class: `move${bad ? ` ${bad}` : ""}`,
        "data-key": id,
        title: hint || false,
        onclick: () => this.#table.go(id),
      },
      node.move,
      node.mark && make("span", { class: "mark" }, node.mark),
    );
    this.#buttons.set(id, element);
    return element;
  }
}
