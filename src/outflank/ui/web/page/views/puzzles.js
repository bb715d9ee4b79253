// The puzzles of the day: positions in which exactly one move keeps the best score. The user finds it on the board, and
// the best replies are played until the puzzle is solved.

import { Board } from "../board/board.js";
import { ConnectionLost } from "../connection.js";
import { moveValues } from "../game/engine.js";
import { dayText, PuzzleRecord } from "../game/puzzle_record.js";
import { button, make, setChildren, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { address } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, PuzzleEntry, PuzzlePosition, ShownGame, StreamFailure } from "../types.js" */

const w = words.puzzles;
const REPLY_MS = 700; // before the best reply is played
const COMPILING_MS = 2000; // a judgement takes longer only if the solver is being compiled

/** A position of a puzzle as a game that the board can show. @param {PuzzlePosition} position @returns {ShownGame} */
const shownGame = ({ number, moves, board }) => ({
  id: `puzzle ${number}`,
  node: moves.length,
  nodes: moves.map((move, index) => ({ id: index + 1, parent: index, move })),
  ...board,
});

/** @param {App} app */
export function puzzles(app) {
  const { connection } = app;
  const record = new PuzzleRecord();
  const board = new Board((move) => play(move));
  const tabs = make("div", { class: "puzzle-tabs", role: "group", "aria-label": w.today, tabindex: -1 });
  const status = make("p", { class: "status" });
  const rating = make("p", { class: "quiet" });
  const verdict = make("p", { class: "verdict" });
  const line = make("div", { class: "solution", tabindex: -1 });
  const answer = make("div", { class: "over", hidden: true }, verdict, line);
  const buttons = {
    next: button(w.next, () => open((shown + 1) % entries.length), { class: "primary" }),
    again: button(w.again, () => open(shown)),
    solution: button(w.solution, () => giveUp()),
    analyse: button(w.analyse, () => analyse()),
  };
  const panel = make(
    "div",
    { class: "puzzles" },
    make("h1", {}, w.title),
    make("p", { class: "quiet" }, w.hint),
    tabs,
    make("div", { class: "state" }, status, rating),
    answer,
    make("div", { class: "actions" }, Object.values(buttons)),
  );
  const element = make(
    "div",
    { class: "desk" },
    make("div", { class: "board-side" }, board.element),
    make("section", { class: "panel", "aria-label": words.panel, "data-view": "puzzles" }, panel),
  );
  panel.hidden = true;
  /** @type {PuzzleEntry[]} */
  let entries = [];
  let day = "";
  let shown = 0;
  /** @type {PuzzlePosition | null} */
  let position = null;
  let asked = 0;
  /** @type {string[]} */
  let askedMoves = [];
  let timer = 0;
  let isOver = false; // the puzzle is solved, failed or given up

  const entry = () => entries[shown];

  async function enter() {
    const today = dayText(new Date());
    try {
      const answer = await connection.ask({ kind: "puzzles", day: today });
      if (today === day && position) return ask(position.moves);
      [entries, day] = [answer.puzzles, today];
      panel.hidden = false;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) app.showError(error.message); // else it is asked for again
      return undefined;
    }
    if (!entries.length) return setChildren(status, w.none);
    const first = entries.findIndex((puzzle) => record.result(day, puzzle.position) === undefined);
    return open(Math.max(first, 0));
  }

  function leave() {
    clearTimeout(timer);
    connection.forget(asked);
  }

  /** Show a puzzle of the day from its start. @param {number} index */
  function open(index) {
    // Until the next puzzle is loaded, a click would have no effect.
    if (position) board.show(shownGame(position), { canMove: false });
    [shown, position, isOver] = [index, null, false];
    answer.hidden = true;
    ask([]);
  }

  /** Request the position after these moves. @param {string[]} moves */
  function ask(moves) {
    clearTimeout(timer);
    connection.forget(asked);
    askedMoves = moves;
    asked = connection.follow({ kind: "attempt", number: entry().number, moves }, receive);
    timer = setTimeout(() => (status.textContent = w.compiling), COMPILING_MS);
  }

  /** @param {string} move */
  function play(move) {
    if (!position || isOver) return;
    ask([...position.moves, move]);
    status.textContent = w.judging;
  }

  /** @param {PuzzlePosition | StreamFailure} message */
  function receive(message) {
    clearTimeout(timer);
    if (message.kind === "refused") {
      if (!message.lost) app.showError(message.why);
      return;
    }
    const before = position;
    position = message;
    if (!isOver) judge(message);
    draw(before);
  }

  /** @param {PuzzlePosition} message */
  function judge({ moves, right, value_text: valueText, reply, over }) {
    if (right !== null) say(right ? w.right(moves.at(-1), valueText) : w.wrong(moves.at(-1), valueText), !right);
    if (over) return end(right === true || (right === null && moves.length > 0));
    if (reply) timer = setTimeout(() => ask([...moves, reply]), REPLY_MS);
    return undefined;
  }

  /** @param {string} text @param {boolean} isWrong */
  function say(text, isWrong) {
    verdict.textContent = text;
    setAttributes(answer, { "data-wrong": isWrong && "yes" });
    answer.hidden = false;
    app.announce(text);
  }

  /** @param {boolean} isSolved */
  function end(isSolved) {
    isOver = true;
    const change = record.add(day, entry(), isSolved);
    if (isSolved) say(w.solved(entry().best_text), false);
    rating.textContent = w.rating(record.rating, change, entry().rating);
  }

  /** Show the solution, which counts as a failure unless the puzzle is over. */
  function giveUp() {
    if (!isOver) end(false);
    say(w.best(entry().moves[0].move, entry().best_text), false);
    ask([]);
  }

  function analyse() {
    const { game, options, position: text } = entry();
    const rules = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    app.visit(address("analyse", [game, ...rules].join(","), text));
  }

  /** @param {PuzzlePosition | null} before */
  function draw(before = null) {
    const canMove = !isOver && position.board.turn === entry().turn && !position.reply;
    const showsValues = isOver && !position.moves.length; // values are shown on cells of moves that can be made
    board.show(shownGame(position), { canMove: canMove || showsValues, before: before && shownGame(before) });
    if (showsValues) board.showValues(moveValues(entry(), position.board));
    setChildrenKeepingFocus(
      tabs,
      entries.map((puzzle, index) => {
        const result = record.result(day, puzzle.position);
        return button(`${index + 1}${result === undefined ? "" : result ? " ✓" : " ✗"}`, () => open(index), {
          "aria-current": index === shown && "true",
          "aria-label": w.puzzle(index + 1, result),
          "data-key": index,
        });
      }),
    );
    status.textContent = isOver ? "" : canMove ? w.turn(entry().turn, entry().left - position.moves.length) : w.replies;
    status.hidden = isOver;
    if (!isOver) rating.textContent = w.rating(record.rating, null, entry().rating);
    setChildrenKeepingFocus(line, isOver && lineButtons());
    buttons.again.hidden = !isOver;
    buttons.next.hidden = !isOver || entries.length < 2;
    buttons.solution.hidden = isOver && position.moves.length === 0;
  }

  /** The moves of the solution; a click shows the position after that move. */
  function lineButtons() {
    return entry().line.map((move, index) =>
      button(move, () => ask(entry().line.slice(0, index + 1)), {
        class: "move",
        "data-key": index,
        "aria-current":
          position.moves.length === index + 1 &&
          position.moves.every((played, ply) => played === entry().line[ply]) &&
          "true",
      }),
    );
  }

  function reconnected() {
    return entries.length ? ask(askedMoves) : enter();
  }

  return { element, enter, leave, reconnected };
}
