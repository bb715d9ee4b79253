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

const w = words.games;

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
  let oldest = null;
  let fills = 0;

  /** Load the games before a time; null: the first page. */
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

  function card(game, shape) {
    const to = address("game", game.id);
    const result = game.result === "*" ? w.goesOn : game.result;
    const forms =
      connection.welcome.games
        .find((kind) => kind.name === game.game)
        ?.forms.filter((form) => form.name !== "svg") ?? [];
    const form = dropdown([["", w.save], ...forms.map((form) => [form.name, form.title])], "", {
      "aria-label": `${w.save}: ${game.title}`,
    });
    form.addEventListener("change", async () => {
      await reportErrors(async () => save(await connection.ask({ kind: "export", id: game.id, form: form.value })));
      form.value = "";
    });
    const element = make(
      "li",
      { class: "card", "data-game": game.id },
      make(
        "a",
        { class: "thumb", href: to, tabindex: -1, "aria-hidden": "true", onclick: (event) => follow(event, to) },
        thumbnail(shape, game.pieces, w.picture(game.title)),
      ),
      make(
        "div",
        { class: "card-text" },
        make("h2", {}, make("a", { href: to, onclick: (event) => follow(event, to) }, game.title)),
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

  function follow(event, to) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(to);
  }

  async function reportErrors(action) {
    try {
      await action();
    } catch (error) {
      app.showError(error.message || words.connection.offline);
    }
  }

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
