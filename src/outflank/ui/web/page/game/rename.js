// Naming a saved game, its players, and when and where it was played.

import { dialog, ignoreWhileRunning } from "../parts/dialog.js";
import { button, labelledField, make } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { App, ListedGame } from "../types.js" */

const w = words.games;
const MOST_LETTERS = 100;

/**
 * @param {App} app
 * @param {ListedGame} game
 * @param {() => unknown} onRenamed
 */
export function rename(app, game, onRenamed) {
  /** @param {string} value @returns {HTMLInputElement} */
  const field = (value) => make("input", { type: "text", value, maxlength: MOST_LETTERS });
  const [black, white] = game.names.map(field);
  const [name, event, date] = [game.name, game.event, game.date].map(field);
  const errorLine = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const submit = ignoreWhileRunning(async () => {
    try {
      await app.connection.ask({
        kind: "describe",
        id: game.id,
        name: name.value,
        names: [black.value, white.value],
        event: event.value,
        date: date.value,
      });
      element.close();
      onRenamed();
    } catch (error) {
      errorLine.textContent = error.message || words.connection.offline;
      errorLine.hidden = false;
    }
  });
  const element = dialog(
    w.renameTitle,
    [
      labelledField(w.name, name),
      labelledField(w.black, black),
      labelledField(w.white, white),
      labelledField(w.event, event),
      labelledField(w.date, date, w.dateHint),
      errorLine,
    ],
    { actions: [button(w.keepNames, submit, { class: "primary" })], submit },
  );
}
