// The games that are kept: each with a small picture, who played, and how it ended.

import { confirm } from "../parts/dialog.js";
import { button, choice, make, put, sign } from "../parts/dom.js";
import { when } from "../parts/figures.js";
import { fresh } from "../game/fresh.js";
import { icon } from "../parts/icons.js";
import { Lost } from "../link.js";
import { picture } from "../board/pieces.js";
import { address } from "../route.js";
import { save } from "../game/share.js";
import { Shape } from "../board/shape.js";
import { words } from "../parts/words.js";

const w = words.games;

export function games(app) {
  const { link, table, visit } = app;
  const list = make("ul", { class: "cards" });
  const more = button(w.more, () => fill(oldest), { hidden: true });
  const none = make(
    "div",
    { class: "empty", hidden: true },
    make("h2", {}, w.none),
    make("p", {}, w.noneHint),
    button(words.play.fresh, () => fresh.ask(app), { class: "primary" }),
  );
  const head = make(
    "div",
    { class: "view-head" },
    make("h1", {}, w.title),
    button(words.play.fresh, () => fresh.ask(app), { class: "primary" }),
  );
  const element = make("div", { class: "view games" }, head, none, list, more);
  let oldest = null;
  let turn = 0;

  /** The next games of the list, or the first. */
  async function fill(before = null) {
    const now = ++turn;
    try {
      const kept = await link.ask({ kind: "games", before });
      if (now !== turn) return;
      const shapes = kept.layouts.map((each) => new Shape(each.shape, each.cells));
      const cards = kept.games.map((each) => card(each, shapes[each.layout]));
      if (before === null) put(list, cards);
      else list.append(...cards);
      oldest = kept.games.at(-1)?.changed ?? null;
      more.hidden = !kept.more;
      none.hidden = list.childElementCount > 0;
    } catch (error) {
      if (!(error instanceof Lost)) app.wrong(error.message);
    }
  }

  function card(game, shape) {
    const to = address("game", game.id);
    const result = game.result === "*" ? w.goesOn : game.result;
    const forms =
      link.welcome.games.find((each) => each.name === game.game)?.forms.filter((form) => form.name !== "svg") ?? [];
    const form = choice([["", w.save], ...forms.map((each) => [each.name, each.title])], "", {
      "aria-label": `${w.save}: ${game.title}`,
    });
    form.addEventListener("change", async () => {
      await tried(async () => save(await link.ask({ kind: "export", id: game.id, form: form.value })));
      form.value = "";
    });
    const element = make(
      "li",
      { class: "card", "data-game": game.id },
      make(
        "a",
        { class: "thumb", href: to, tabindex: -1, "aria-hidden": "true", onclick: (event) => follow(event, to) },
        picture(shape, game.pieces, w.picture(game.title)),
      ),
      make(
        "div",
        { class: "card-text" },
        make("h2", {}, make("a", { href: to, onclick: (event) => follow(event, to) }, game.title)),
        make("p", {}, w.versus(words.seat(game.seats.black), words.seat(game.seats.white))),
        make("p", { class: "quiet" }, [result, words.play.played(game.moves), when(game.changed)].join(" · ")),
        make(
          "div",
          { class: "actions" },
          button(w.open, () => visit(to), { "aria-label": `${w.open}: ${game.title}` }),
          form,
          sign(icon("prune"), `${w.remove}: ${game.title}`, () => remove(game, element)),
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

  async function tried(act) {
    try {
      await act();
    } catch (error) {
      app.wrong(error.message || words.link.offline);
    }
  }

  function remove(game, element) {
    return tried(async () => {
      if (!(await confirm(w.sure(game.title), w.remove))) return;
      await link.ask({ kind: "delete", id: game.id });
      if (table.game?.id === game.id) table.game = null;
      element.remove();
      none.hidden = list.childElementCount > 0;
      head.querySelector("button").focus();
    });
  }

  return { element, enter: () => fill(), leave() {}, again: () => fill() };
}
