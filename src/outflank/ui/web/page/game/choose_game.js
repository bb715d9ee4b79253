// The list of the games in a text or in files, from which the user chooses one.

import { dialog } from "../parts/dialog.js";
import { dropdown, make, setChildren } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { Found, FoundGame } from "../types.js" */

const w = words.choose;
const MOST_SHOWN = 200; // more rows would make typing slow

/**
 * Let the user choose one of several games.
 * @param {Found} found
 * @returns {Promise<number | null>} its number; null: the dialog was closed
 */
export function chooseGame({ games, problem }) {
  return new Promise((resolve) => {
    /** @type {number | null} */
    let chosen = null;
    /** @type {HTMLInputElement} */
    const find = make("input", { type: "search", placeholder: w.find, "aria-label": w.find, oninput: () => show() });
    const result = dropdown(Object.entries(words.games.results), "", {
      "aria-label": words.games.result,
      onchange: () => show(),
    });
    const list = make("ul", { class: "found" });
    const status = make("p", { class: "quiet", "aria-live": "polite" });
    const texts = games.map((game) => [...game.names, game.event, game.date, game.title].join("\n").toLowerCase());

    /** @param {FoundGame} game */
    const row = (game) => {
      const players = game.names.some(Boolean) ? words.games.versus(game.names[0] || "?", game.names[1] || "?") : "";
      const facts = [game.event, game.date, game.result_text, words.play.played(game.moves)];
      return make(
        "li",
        {},
        make(
          "button",
          { type: "button", onclick: () => ((chosen = game.number), element.close()) },
          make("span", { class: "number" }, `${game.number}.`),
          make("strong", {}, players || game.title),
          make("span", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
        ),
      );
    };

    function show() {
      const parts = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matching = games.filter(
        (game, index) =>
          (!result.value || game.result === result.value) && parts.every((part) => texts[index].includes(part)),
      );
      setChildren(list, matching.slice(0, MOST_SHOWN).map(row));
      status.textContent = w.shown(Math.min(MOST_SHOWN, matching.length), matching.length);
    }

    const element = dialog(
      w.title(games.length),
      [
        make("div", { class: "filters", role: "search" }, find, result),
        problem && make("p", { class: "wrong-line" }, problem),
        status,
        list,
      ],
      { wide: true },
    );
    element.addEventListener("close", () => resolve(chosen));
    show();
  });
}
