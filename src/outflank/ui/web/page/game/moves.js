// The moves of a game: the main line in two columns, variations between its rows, and buttons to edit lines.

import { confirm } from "../parts/dialog.js";
import { make, setChildrenKeepingFocus, setAttributes, iconButton } from "../parts/dom.js";
import { CERTAIN, signedNumber } from "../parts/figures.js";
import { icon } from "../parts/icons.js";
import { isGuarded } from "./seat_owners.js";
import { words } from "../parts/words.js";

/** @import { OpenGame } from "./open_game.js" */
/** @import { Tree } from "./tree.js" */
/** @import { Game } from "../types.js" */

const w = words.moves;
/** @type {Record<string, string>} */
const marks = w.marks;
const LEAST_LOSS = 0.05; // less would be shown as 0
/** @type {Record<string, string>} */
const GRADE = { "?!": "doubtful", "?": "mistake", "??": "blunder" };

export class Moves {
  #openGame;
  #content = "";
  #node = 0;
  #shown = ""; // game and node that are shown
  /** @type {Map<number, HTMLButtonElement>} */
  #buttons = new Map();

  /** @param {OpenGame} openGame @param {boolean} editable whether lines can be promoted and pruned */
  constructor(openGame, editable) {
    this.#openGame = openGame;
    this.list = make("div", { class: "moves", role: "group", "aria-label": w.title, tabindex: 0 });
    this.steps = {
      first: iconButton(icon("first"), w.first, () => openGame.first()),
      back: iconButton(icon("back"), w.back, () => openGame.back(true)),
      forth: iconButton(icon("forth"), w.forth, () => openGame.forth(true)),
      last: iconButton(icon("last"), w.last, () => openGame.last()),
    };
    this.edits = editable && {
      promote: iconButton(icon("promote"), w.promote, () => this.promote()),
      prune: iconButton(icon("prune"), w.prune, () => this.prune()),
    };
    const tools = make(
      "div",
      { class: "steps" },
      Object.values(this.steps),
      this.edits && [make("span", { class: "gap" }), Object.values(this.edits)],
    );
    this.element = make("div", { class: "moves-box" }, this.list, tools);
    // The list is lower than before when a game ends, and has no height until it is on the page.
    new ResizeObserver(() => this.#scrollToCurrent()).observe(this.list);
  }

  promote() {
    const { game } = this.#openGame;
    if (this.edits) this.#openGame.change({ kind: "promote", node: game.node });
  }

  /** Delete the current move and all that follow; ask first if that is more than one. */
  async prune() {
    const { game, tree } = this.#openGame;
    if (!this.edits || tree.parent(game.node) === null) return;
    const count = tree.count(game.node);
    if (count > 1 && !(await confirm(w.sure(count), w.remove))) return;
    if (this.#openGame.game?.id === game.id) this.#openGame.change({ kind: "prune", node: game.node });
  }

  /** @param {Game} game */
  show(game) {
    const tree = this.#openGame.tree;
    const content = game.id + JSON.stringify(game.nodes);
    if (content !== this.#content) this.#build(tree);
    this.#content = content;
    const hasMoved = this.#shown !== `${game.id} ${game.node}`;
    this.#shown = `${game.id} ${game.node}`;
    for (const [id, button] of this.#buttons) setAttributes(button, { "aria-current": id === game.node && "true" });
    this.#node = game.node;
    if (hasMoved) this.#scrollToCurrent(); // a redraw must not scroll a list that the user is reading
    const isFixed = isGuarded(game); // nobody leaves the position on the board
    const [isFirst, isLast] = [
      isFixed || tree.parent(game.node) === null,
      isFixed || !tree.children(game.node).length,
    ];
    setAttributes(this.steps.first, { disabled: isFirst });
    setAttributes(this.steps.back, { disabled: isFirst });
    setAttributes(this.steps.forth, { disabled: isLast });
    setAttributes(this.steps.last, { disabled: isLast });
    if (this.edits) {
      setAttributes(this.edits.promote, { disabled: isFirst || tree.isOnMainLine(game.node) });
      setAttributes(this.edits.prune, { disabled: isFirst });
    }
    // The button that was just pressed may be disabled now.
    const focused = document.activeElement;
    if (focused instanceof HTMLButtonElement && focused.disabled && this.element.contains(focused)) this.list.focus();
  }

  /** Scroll the list, but not the page, to the current move. @returns {void} */
  #scrollToCurrent() {
    const button = this.#buttons.get(this.#node);
    if (!button) return void (this.list.scrollTop = 0);
    const [top, height] = [button.offsetTop, this.list.clientHeight];
    if (top < this.list.scrollTop + 8 || top + button.offsetHeight > this.list.scrollTop + height - 8)
      this.list.scrollTop = top - height / 2;
  }

  /** @param {Tree} tree @returns {void} */
  #build(tree) {
    this.#buttons.clear();
    const main = tree.mainLine().slice(1);
    if (!main.length) return void setChildrenKeepingFocus(this.list, make("p", { class: "quiet" }, words.play.noMoves));
    const rows = [];
    let row = null;
    for (const id of main) {
      const { side } = tree.node(id);
      const siblings = tree.children(tree.parent(id)).slice(1);
      if (!row || side === "black" || row.dataset.full) {
        row = make("div", { class: "pair" }, make("span", { class: "number" }, `${tree.row(id)}.`));
        if (side === "white") row.append(make("span", { class: "absent", "aria-hidden": "true" }, "…"));
        rows.push(row);
      }
      row.append(this.#button(tree, id));
      if (side === "white") row.dataset.full = "yes";
      if (siblings.length) {
        rows.push(
          make(
            "div",
            { class: "variations" },
            siblings.map((sibling) => this.#variation(tree, sibling)),
          ),
        );
        row = null;
      }
    }
    setChildrenKeepingFocus(this.list, rows);
  }

  /**
   * A variation, with its own variations.
   * @param {Tree} tree
   * @param {number} from
   * @returns {HTMLElement}
   */
  #variation(tree, from) {
    /** @type {HTMLElement[]} */
    const parts = [];
    tree.line(from).forEach((id, index) => {
      const { side } = tree.node(id);
      const number = tree.row(id);
      if (side === "black") parts.push(make("span", { class: "number" }, `${number}.`));
      else if (index === 0) parts.push(make("span", { class: "number" }, `${number}…`));
      parts.push(this.#button(tree, id));
      if (index > 0)
        for (const sibling of tree.children(tree.parent(id)).slice(1)) parts.push(this.#variation(tree, sibling));
    });
    return make("div", { class: "variation" }, parts);
  }

  /** @param {Tree} tree @param {number} id */
  #button(tree, id) {
    const node = tree.node(id);
    const grade = GRADE[node.mark];
    const loss = node.loss ?? 0;
    const hasLoss = loss >= LEAST_LOSS;
    const isJudged = node.value !== undefined && node.value !== null;
    const judgement = [marks[node.mark], node.best && node.mark && w.better(node.best)].filter(Boolean).join(": ");
    const lossText = hasLoss && w.loses(loss, this.#openGame.kind?.unit ?? "");
    const hint = [judgement, isJudged && w.valued(node.value), lossText, node.comment].filter(Boolean).join(" · ");
    const element = make(
      "button",
      {
        type: "button",
        class: `move${grade ? ` ${grade}` : ""}`,
        "data-key": id,
        title: hint || false,
        onclick: () => this.#openGame.go(id),
      },
      node.move,
      node.mark && make("span", { class: "mark" }, node.mark),
      (node.comment || node.arrows?.length) && make("span", { class: "noted", "aria-label": w.noted }, "•"),
      this.edits && hasLoss && loss < CERTAIN && make("span", { class: "loss" }, signedNumber(-loss)),
    );
    this.#buttons.set(id, element);
    return element;
  }
}
