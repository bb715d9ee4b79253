// The explorer: the moves of indexed games and of the book in the shown position, with results, and the latest games.

import { button, draw, localStore, make, setChildren, setChildrenKeepingFocus } from "../parts/dom.js";
import { minusSigns, percent, signedNumber } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { App, Explored, ExploredGame, ExploredMove, Game } from "../types.js" */

const w = words.explorer;
const DELAY_MS = 120; // positions that are only stepped through are not looked up

export class Explorer {
  #app;
  #shown = "";
  #timer = 0;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.note = make("p", { class: "quiet" });
    this.rows = make("tbody", { tabindex: -1 });
    this.table = make(
      "table",
      { class: "explored" },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          w.columns.map(([name, hint]) => make("th", { scope: "col", title: hint || false }, name)),
        ),
      ),
      this.rows,
    );
    this.latest = make("ul", { class: "latest" });
    this.element = make(
      "details",
      { class: "explorer", open: localStore.get("explorer", "open") === "open", ontoggle: () => this.#toggled() },
      make("summary", {}, make("h2", {}, w.title)),
      this.note,
      this.table,
      this.latest,
    );
  }

  #toggled() {
    localStore.set("explorer", this.element.open ? "open" : "closed");
    this.#shown = "";
    if (this.element.open && this.#app.openGame.game) this.show(this.#app.openGame.game);
  }

  leave() {
    clearTimeout(this.#timer);
    this.#shown = "";
  }

  /** Look up the shown position, unless that is done already. @param {Game} game */
  show(game) {
    const key = `${game.id} ${game.node}`;
    if (!this.element.open || key === this.#shown) return;
    this.#shown = key;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lookUp(game), DELAY_MS);
  }

  /** @param {Game} game */
  async #lookUp(game) {
    const key = this.#shown;
    try {
      const answer = await this.#app.connection.ask({ kind: "explore", id: game.id, node: game.node });
      if (key === this.#shown) this.#fill(answer, game);
    } catch (error) {
      if (key !== this.#shown) return;
      this.#shown = "";
      this.#fill(null, game);
      this.note.textContent = error.message || words.connection.offline;
    }
  }

  /** @param {Explored | null} answer @param {Game} game */
  #fill(answer, game) {
    const moves = answer?.moves ?? [];
    const latest = answer?.latest ?? [];
    this.note.textContent = answer?.indexed ? w.games(answer.games, answer.indexed) : w.noIndex;
    this.table.hidden = !moves.length;
    setChildrenKeepingFocus(
      this.rows,
      moves.map((move) => this.#row(move, answer.games, game)),
    );
    this.latest.hidden = !latest.length;
    setChildren(
      this.latest,
      latest.map((entry) => gameLine(entry)),
    );
  }

  /** Make a move, unless another position is shown by now. @param {string} move @param {number} node */
  #play(move, node) {
    const { openGame } = this.#app;
    return openGame.game?.node === node && openGame.play(move);
  }

  /** @param {ExploredMove} entry @param {number} games @param {Game} game */
  #row(entry, games, game) {
    const { moves, mean_score: score, book_text: value } = entry;
    const play = button(moves.join(" "), () => this.#play(moves[0], game.node), { class: "move", "data-key": moves[0] });
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, play),
      make("td", {}, entry.games ? entry.games.toLocaleString("en-GB") : ""),
      make("td", {}, entry.games ? percent(entry.games / games) : ""),
      make("td", { class: "results" }, resultBar(entry, game)),
      make("td", {}, score === null ? "" : signedNumber(score)),
      make("td", {}, minusSigns(value)),
    );
  }
}

/** The shares of won, drawn and lost games, as a bar: black, grey, white. @param {ExploredMove} entry @param {Game} game */
function resultBar({ results }, game) {
  const [wins, draws, losses] = results;
  const all = wins + draws + losses;
  if (!all) return null;
  const [black, white] = game.turn === "black" ? [wins, losses] : [losses, wins];
  const text = w.results(percent(black / all), percent(draws / all), percent(white / all));
  return make(
    "div",
    { class: "result-bar", role: "img", "aria-label": text, title: text },
    draw(
      "svg",
      { viewBox: `0 0 ${all} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { class: "black", width: black, height: 1 }),
      draw("rect", { class: "drawn", x: black, width: draws, height: 1 }),
      draw("rect", { class: "white", x: black + draws, width: white, height: 1 }),
    ),
  );
}

/** @param {ExploredGame} entry */
function gameLine({ names, year, score, move, file, number }) {
  const [black, white] = names.map((name) => name || "?");
  const result = score === null ? "" : signedNumber(score);
  const value = score === null ? "" : words.moves.valued(score);
  return make(
    "li",
    { title: [w.place(file, number), value].filter(Boolean).join(": ") },
    make("span", {}, [year, words.games.versus(black, white)].filter(Boolean).join(" · ")),
    make("span", { class: "quiet" }, [move, result].filter(Boolean).join(" · ")),
  );
}
