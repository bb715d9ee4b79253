// The list of the games in a text or in files, of which the user opens one or keeps several.

import { dialog, waitForNoDialog } from "../parts/dialog.js";
import { button, dropdown, make, setChildren } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { Found, FoundGame } from "../types.js" */

const w = words.choose;
const MOST_SHOWN = 200; // more rows would make typing slow, and the server keeps no more at a time

/** @typedef {{ open: number } | { keep: number[] }} Choice the number of a game to open, or those of games to keep */

/**
 * Let the user choose among several games.
 * @param {Found} found
 * @param {string} hint shown above the list
 * @returns {Promise<Choice | null>} null: the dialog was closed
 */
export async function chooseGame({ games, problem }, hint = "") {
  await waitForNoDialog(); // the user may have opened another dialog while the games were read
  return new Promise((resolve) => {
    /** @type {Choice | null} */
    let chosen = null;
    /** @type {FoundGame[]} */
    let matching = [];
    const close = (/** @type {Choice} */ choice) => {
      chosen = choice;
      element.close();
    };
    const keep = button("", () => close({ keep: matching.map((game) => game.number) }));
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
      const facts = [game.event, game.date, game.result_text];
      return make(
        "li",
        {},
        make(
          "button",
          { type: "button", onclick: () => close({ open: game.number }) },
          make("span", { class: "number" }, `${game.number}.`),
          make("strong", {}, players || game.title),
          make("span", { class: "quiet count" }, words.play.played(game.moves)),
          make("span", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
        ),
      );
    };

    function show() {
      const parts = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      matching = games.filter(
        (game, index) =>
          (!result.value || game.result === result.value) && parts.every((part) => texts[index].includes(part)),
      );
      setChildren(list, matching.slice(0, MOST_SHOWN).map(row));
      status.textContent = w.shown(Math.min(MOST_SHOWN, matching.length), matching.length);
      keep.textContent = w.keep(matching.length);
      keep.disabled = !matching.length || matching.length > MOST_SHOWN;
      keep.title = matching.length > MOST_SHOWN ? w.tooMany(MOST_SHOWN) : "";
    }

    const element = dialog(
      w.title(games.length),
      [
        make("div", { class: "filters", role: "search" }, find, result),
        hint && make("p", { class: "quiet" }, hint),
        problem && make("p", { class: "wrong-line" }, problem),
        status,
        list,
      ],
      { actions: [keep], wide: true },
    );
    element.addEventListener("close", () => resolve(chosen));
    show();
  });
}
