// The list of saved games: each with a thumbnail, its players and its result.

import { confirm } from "../parts/dialog.js";
import { button, dropdown, make, setChildren, iconButton } from "../parts/dom.js";
import { timeText } from "../parts/figures.js";
import { newGame } from "../game/new_game.js";
import { icon } from "../parts/icons.js";
import { ConnectionLost } from "../connection.js";
import { thumbnail } from "../board/pieces.js";
import { address } from "../route.js";
import { save } from "../game/share.js";
import { Shape } from "../board/shape.js";
import { words } from "../parts/words.js";

/** @import { App, ListedGame } from "../types.js" */

const w = words.games;

/** @param {App} app */
export function games(app) {
  const { connection, openGame, visit } = app;
  const list = make("ul", { class: "cards" });
  const more = button(w.more, () => fill(oldest), { hidden: true });
  const none = make(
    "div",
    { class: "empty", hidden: true },
    make("h2", {}, w.none),
    make("p", {}, w.noneHint),
    button(words.play.newGame, () => newGame.openDialog(app), { class: "primary" }),
  );
  const head = make(
    "div",
    { class: "view-head" },
    make("h1", {}, w.title),
    button(words.play.newGame, () => newGame.openDialog(app), { class: "primary" }),
  );
  const element = make("div", { class: "view games" }, head, none, list, more);
  /** @type {number | null} */
  let oldest = null;
  let fills = 0;

  /** Load the games before a time; null: the first page. @param {number | null} before */
  async function fill(before = null) {
    const request = ++fills;
    try {
      const answer = await connection.ask({ kind: "games", before });
      if (request !== fills) return;
      const shapes = answer.layouts.map((layout) => new Shape(layout.shape, layout.cells));
      const cards = answer.games.map((game) => card(game, shapes[game.layout]));
      if (before === null) setChildren(list, cards);
      else list.append(...cards);
      oldest = answer.games.at(-1)?.changed ?? null;
      more.hidden = !answer.more;
      none.hidden = list.childElementCount > 0;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) app.showError(error.message);
    }
  }

  /** @param {ListedGame} game @param {Shape} shape */
  function card(game, shape) {
    const to = address("game", game.id);
    const result = game.result === "*" ? w.goesOn : game.result;
    const forms =
      connection.welcome.games.find((kind) => kind.name === game.game)?.forms.filter((form) => form.name !== "svg") ??
      [];
    const pairs = forms.map((form) => /** @type {const} */ ([form.name, form.title]));
    const form = dropdown([["", w.save], ...pairs], "", {
      "aria-label": `${w.save}: ${game.title}`,
    });
    form.addEventListener("change", async () => {
      await reportErrors(async () => save(await connection.ask({ kind: "export", id: game.id, form: form.value })));
      form.value = "";
    });
    /** @type {HTMLElement} */
    const element = make(
      "li",
      { class: "card", "data-game": game.id },
      make(
        "a",
        { class: "thumb", href: to, tabindex: -1, "aria-hidden": "true", onclick: follow(to) },
        thumbnail(shape, game.pieces, w.picture(game.title)),
      ),
      make(
        "div",
        { class: "card-text" },
        make("h2", {}, make("a", { href: to, onclick: follow(to) }, game.title)),
        make("p", {}, w.versus(words.seat(game.seats.black), words.seat(game.seats.white))),
        make("p", { class: "quiet" }, [result, words.play.played(game.moves), timeText(game.changed)].join(" · ")),
        make(
          "div",
          { class: "actions" },
          button(w.open, () => visit(to), { "aria-label": `${w.open}: ${game.title}` }),
          form,
          iconButton(icon("prune"), `${w.remove}: ${game.title}`, () => remove(game, element)),
        ),
      ),
    );
    return element;
  }

  /** The listener of a link. @param {string} to */
  const follow = (to) => (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(to);
  };

  /** @param {() => Promise<void>} action */
  async function reportErrors(action) {
    try {
      await action();
    } catch (error) {
      app.showError(error.message || words.connection.offline);
    }
  }

  /** @param {ListedGame} game @param {HTMLElement} element */
  function remove(game, element) {
    return reportErrors(async () => {
      if (!(await confirm(w.sure(game.title), w.remove))) return;
      await connection.ask({ kind: "delete", id: game.id });
      if (openGame.game?.id === game.id) openGame.game = null;
      element.remove();
      none.hidden = list.childElementCount > 0;
      head.querySelector("button").focus();
    });
  }

  return { element, enter: () => fill(), leave() {}, reconnected: () => fill() };
}
