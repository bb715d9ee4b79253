// The list of saved games: each with a thumbnail, its players and its result. It can be searched, and games renamed.

import { confirm } from "../parts/dialog.js";
import { button, dropdown, loadingNote, make, setChildren, setChildrenKeepingFocus, iconButton } from "../parts/dom.js";
import { timeText } from "../parts/figures.js";
import { newGame } from "../game/new_game.js";
import { chooseFiles } from "../game/open_files.js";
import { rename } from "../game/rename.js";
import { icon } from "../parts/icons.js";
import { ConnectionLost } from "../connection.js";
import { thumbnail } from "../board/pieces.js";
import { address } from "../route.js";
import { save } from "../game/share.js";
import { Shape } from "../board/shape.js";
import { words } from "../parts/words.js";

/** @import { App, ListedGame, RequestOf } from "../types.js" */

const w = words.games;
const TYPING_MS = 200; // after which a search begins

/** @param {App} app */
export function games(app) {
  const { connection, openGame, visit } = app;
  const list = make("ul", { class: "cards", tabindex: -1 }, loadingNote("li"));
  const more = button(w.more, () => fill(oldest), { hidden: true });
  const none = make("div", { class: "empty", hidden: true });
  /** @type {HTMLInputElement} */
  const find = make("input", { type: "search", placeholder: w.find, "aria-label": w.find, oninput: () => searchSoon() });
  const game = dropdown([["", w.anyGame]], "", { "aria-label": w.game, onchange: () => fill() });
  const result = dropdown(Object.entries(w.results), "", { "aria-label": w.result, onchange: () => fill() });
  const filters = make("div", { class: "filters", role: "search" }, find, game, result);
  const head = make(
    "div",
    { class: "view-head" },
    make("h1", {}, w.title),
    button(words.files.open, () => chooseFiles(app)),
    button(words.play.newGame, () => newGame.openDialog(app), { class: "primary" }),
  );
  const element = make("div", { class: "view games" }, head, filters, none, list, more);
  /** @type {number | null} */
  let oldest = null;
  let fills = 0;
  let timer = 0;

  function enter() {
    if (game.childElementCount === 1)
      game.append(...connection.welcome.games.map((kind) => make("option", { value: kind.name }, kind.title)));
    return fill();
  }

  function searchSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => fill(), TYPING_MS);
  }

  /** Show whether there are games at all, or none that match. */
  function showNone() {
    none.hidden = list.childElementCount > 0;
    const isFiltered = Boolean(find.value.trim() || game.value || result.value);
    filters.hidden = !none.hidden && !isFiltered;
    setChildren(
      none,
      make("h2", {}, isFiltered ? w.noMatch : w.none),
      make("p", {}, isFiltered ? w.noMatchHint : w.noneHint),
      !isFiltered && button(words.play.newGame, () => newGame.openDialog(app), { class: "primary" }),
    );
  }

  /** Load the games before a time; null: the first page. @param {number | null} before */
  async function fill(before = null) {
    const request = ++fills;
    try {
      const answer = await connection.ask({
        kind: "games",
        before,
        find: find.value.trim(),
        game: game.value || null,
        result: /** @type {RequestOf<"games">["result"]} */ (result.value),
      });
      if (request !== fills) return;
      const shapes = answer.layouts.map((layout) => new Shape(layout.shape, layout.cells));
      const cards = answer.games.map((game) => card(game, shapes[game.layout]));
      if (before === null) setChildrenKeepingFocus(list, cards);
      else list.append(...cards);
      oldest = answer.games.at(-1)?.changed ?? null;
      more.hidden = !answer.more;
      showNone();
    } catch (error) {
      if (error instanceof ConnectionLost) return; // it is asked for again
      app.showError(error.message);
      list.querySelector(".loading")?.remove();
    }
  }

  /** @param {ListedGame} game @param {Shape} shape */
  function card(game, shape) {
    const to = address("game", game.id);
    const players = w.versus(
      game.names[0] || words.seat(game.seats.black),
      game.names[1] || words.seat(game.seats.white),
    );
    const title = game.name || (game.names[0] || game.names[1] ? players : game.title);
    const facts = [title !== game.title && game.title, game.event, game.date, game.opening].filter(Boolean);
    const course = [game.result_text || w.goesOn, words.play.played(game.moves), timeText(game.changed)];
    const forms =
      connection.welcome.games.find((kind) => kind.name === game.game)?.forms.filter((form) => form.name !== "svg") ??
      [];
    const pairs = forms.map((form) => /** @type {const} */ ([form.name, form.title]));
    const form = dropdown([["", w.save], ...pairs], "", {
      "aria-label": `${w.save}: ${title}`,
      "data-key": `save ${game.id}`,
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
        thumbnail(shape, game.pieces, w.picture(title)),
      ),
      make(
        "div",
        { class: "card-text" },
        make("h2", {}, make("a", { href: to, onclick: follow(to), "data-key": `name ${game.id}` }, title)),
        title !== players && make("p", {}, players),
        facts.length > 0 && make("p", { class: "quiet" }, facts.join(" · ")),
        make("p", { class: "quiet" }, course.join(" · ")),
        make(
          "div",
          { class: "actions" },
          button(w.open, () => visit(to), { "aria-label": `${w.open}: ${title}`, "data-key": `open ${game.id}` }),
          button(w.rename, () => rename(app, game, () => fill()), {
            "aria-label": `${w.rename}: ${title}`,
            "data-key": `rename ${game.id}`,
          }),
          form,
          iconButton(icon("prune"), `${w.remove}: ${title}`, () => remove(game, title, element)),
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

  /** @param {ListedGame} game @param {string} title @param {HTMLElement} element */
  function remove(game, title, element) {
    return reportErrors(async () => {
      if (!(await confirm(w.sure(title), w.remove))) return;
      await connection.ask({ kind: "delete", id: game.id });
      if (openGame.game?.id === game.id) openGame.game = null;
      element.remove();
      showNone();
      head.querySelector("button").focus();
    });
  }

  return { element, enter, leave: () => clearTimeout(timer), reconnected: () => fill() };
}
