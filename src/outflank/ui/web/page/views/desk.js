// The board with a panel beside it: the same board for playing, analysing and watching.

import { Analysis } from "./analyse.js";
import { Board } from "../board/board.js";
import { button, make, put, renew } from "../parts/dom.js";
import { PlayPanel } from "./play.js";
import { shared, visit, address } from "../route.js";
import { Watch } from "./watch.js";
import { words } from "../parts/words.js";

export function desk(app) {
  const { table } = app;
  const board = new Board((move) => table.play(move));
  const others = make("div", { class: "others", tabindex: -1 });
  const title = make("h1", { class: "unseen" });
  const side = make("section", { class: "panel", "aria-label": words.panel });
  const element = make(
    "div",
    { class: "desk" },
    title,
    make("div", { class: "board-side" }, board.element, others),
    side,
  );
  const panels = {};
  const makers = { play: PlayPanel, analyse: Analysis, watch: Watch };
  let panel = null;
  let name = null;
  let drawn = null;

  function enter(view) {
    if (name !== view) {
      panel?.leave();
      name = view;
      panel = panels[view] ??= new makers[view]({ ...app, board, refresh });
      put(side, panel.element);
      side.dataset.view = view;
      drawn = null;
      panel.enter();
    }
    refresh();
  }

  function leave() {
    panel?.leave();
    panel = name = drawn = null;
  }

  /** Show the game as it is now. */
  function refresh(before = null) {
    const { game, tree } = table;
    if (!game || !panel) return;
    const stays = drawn && drawn.id === game.id && drawn.node === game.node && drawn.open === panel.open(game);
    if (!stays) board.show(game, { open: panel.open(game), before });
    drawn = { id: game.id, node: game.node, open: panel.open(game) };
    title.textContent = `${game.title}, ${words.views[name]}`;
    unplaced(game, panel.open(game));
    panel.update(game, before);
    const [to, state] =
      name === "play" ? [address("game", game.id), null] : [shared(name, game, tree), { id: game.id }];
    visit(to, { quietly: true, state });
    app.entitle(name);
  }

  /** Moves for which no cell is chosen: a pass, or all of a game that has told nothing of its board. */
  function unplaced(game, open) {
    const moves = open ? game.legal.filter((each) => !each.to && !each.picked?.length) : [];
    moves.sort((one, other) => one.move.localeCompare(other.move, "en", { numeric: true }));
    const named = (each) => (game.passes ? words.play.pass : each.move);
    renew(
      others,
      game.passes && open && make("p", { class: "must-pass" }, words.play.mustPass(game.turn)),
      moves.map((each) => button(named(each), () => table.play(each.move), { class: game.passes ? "primary" : "" })),
    );
  }

  table.addEventListener("game", ({ detail }) => {
    if (!panel) return;
    refresh(detail.before);
    if (!detail.again) announce(detail.before);
  });

  function announce(before) {
    const { game, tree } = table;
    if (!before || before.id !== game.id || (before.node === game.node && before.outcome === game.outcome)) return;
    const node = tree.node(game.node);
    const move = node.side
      ? node.move === "pass"
        ? words.said.pass(node.side)
        : words.said.move(node.side, node.move)
      : words.said.start;
    const after = game.outcome
      ? game.outcome.text
      : game.passes
        ? `${words.play.mustPass(game.turn)}.`
        : words.said.turn(game.turn);
    app.say(`${move} ${after}`);
  }

  return {
    element,
    enter,
    leave,
    again: () => panel?.again?.(),
    board,
    get panel() {
      return panel;
    },
  };
}
