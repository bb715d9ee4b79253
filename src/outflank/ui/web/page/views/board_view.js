// The board with a panel beside it: the same board for playing, analysing and watching.

import { Analysis } from "./analyse.js";
import { Board } from "../board/board.js";
import { button, make, setChildren, setChildrenKeepingFocus } from "../parts/dom.js";
import { PlayPanel } from "./play.js";
import { positionAddress, visit, address } from "../route.js";
import { Watch } from "./watch.js";
import { words } from "../parts/words.js";

/** @import { App, BoardViewName, Game, Gesture, Panel } from "../types.js" */

/** @param {App} app */
export function boardView(app) {
  const { openGame } = app;
  const board = new Board((move) => play(move));
  const otherMoves = make("div", { class: "others", tabindex: -1 });
  const title = make("h1", { class: "unseen" });
  const side = make("section", { class: "panel", "aria-label": words.panel });
  const element = make(
    "div",
    { class: "desk" },
    title,
    make("div", { class: "board-side" }, board.element, otherMoves),
    side,
  );
  /** @type {Partial<Record<BoardViewName, Panel>>} */
  const panels = {};
  const panelClasses = { play: PlayPanel, analyse: Analysis, watch: Watch };
  /** @type {Panel | null} */
  let panel = null;
  /** @type {BoardViewName | null} */
  let name = null;
  /** @type {{ id: string, node: number, canMove: boolean } | null} */
  let shown = null;

  /** Make a move in the game, unless the panel judges it. @param {string} move */
  function play(move) {
    return panel?.judges?.(move) ? undefined : openGame.play(move);
  }

  /** @param {BoardViewName} view */
  function enter(view) {
    if (name !== view) {
      panel?.leave();
      name = view;
      panel = panels[view] ??= new panelClasses[view]({ ...app, board, refresh });
      setChildren(side, panel.element);
      side.dataset.view = view;
      shown = null;
      panel.enter();
    }
    refresh();
  }

  function leave() {
    panel?.leave();
    panel = name = shown = null;
  }

  /** Show the current state of the game. @param {Game | null} before the state before, to animate the move */
  function refresh(before = null) {
    const { game, tree } = openGame;
    if (!game || !panel) return;
    const isUnchanged =
      shown && shown.id === game.id && shown.node === game.node && shown.canMove === panel.canMove(game);
    if (!isUnchanged) board.show(game, { canMove: panel.canMove(game), before });
    shown = { id: game.id, node: game.node, canMove: panel.canMove(game) };
    title.textContent = `${game.title}, ${words.views[name]}`;
    showOtherMoves(game, panel.canMove(game));
    panel.update(game);
    if (name === "play") visit(address("game", game.id), { quietly: true });
    else visit(positionAddress(name, game, tree), { quietly: true, state: { id: game.id } });
    app.setTitle(name);
  }

  /**
   * Show buttons for moves without a cell: a pass, or all moves of a game that does not describe its board.
   * @param {Game} game
   * @param {boolean} canMove
   */
  function showOtherMoves(game, canMove) {
    const moves = canMove ? game.legal.filter((gesture) => !gesture.to && !gesture.picked?.length) : [];
    moves.sort((first, second) => first.move.localeCompare(second.move, "en", { numeric: true }));
    const label = (/** @type {Gesture} */ gesture) => (game.passes ? words.play.pass : gesture.move);
    setChildrenKeepingFocus(
      otherMoves,
      game.passes && canMove && make("p", { class: "must-pass" }, words.play.mustPass(game.turn)),
      moves.map((gesture) =>
        button(label(gesture), () => openGame.game?.node === game.node && play(gesture.move), {
          class: game.passes ? "primary" : "",
          "data-key": gesture.move,
        }),
      ),
    );
  }

  openGame.addEventListener("game", ({ detail }) => {
    if (!panel) return;
    const { before } = detail;
    const rematch = before?.id === openGame.game.id && !before.rematch && openGame.game.rematch;
    if (rematch && name === "play") return void visit(address("game", rematch));
    refresh(detail.before);
    if (!detail.sameRevision) announce(detail.before);
  });

  /** @param {Game | null} before */
  function announce(before) {
    const { game, tree } = openGame;
    if (!before || before.id !== game.id || (before.node === game.node && before.outcome === game.outcome)) return;
    const node = tree.node(game.node);
    const move = node.side
      ? node.move === "pass"
        ? words.announcements.pass(node.side)
        : words.announcements.move(node.side, node.move)
      : words.announcements.start;
    const state = game.outcome
      ? words.play.result(game)
      : game.passes
        ? `${words.play.mustPass(game.turn)}.`
        : words.announcements.turn(game.turn);
    app.announce(`${move} ${state}`);
  }

  return {
    element,
    enter,
    leave,
    reconnected: () => panel?.reconnected?.(),
    board,
    get panel() {
      return panel;
    },
  };
}
