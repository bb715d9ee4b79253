// Pasting a game or a position in any notation.

import { dialog } from "../parts/dialog.js";
import { button, dropdown, labelledField, make } from "../parts/dom.js";
import { positionAddress, visit } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App } from "../types.js" */

const w = words.paste;

/** @param {App} app */
export function paste(app) {
  if (document.querySelector("dialog[open]")) return;
  const text = make("textarea", { rows: 8, spellcheck: "false", required: true });
  const games = app.connection.welcome.games.map((kind) => /** @type {const} */ ([kind.name, kind.title]));
  const game = dropdown([["", w.any], ...games], "");
  const errorLine = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const submit = async () => {
    try {
      await paste.read(app, text.value, game.value || null, true);
      element.close();
    } catch (error) {
      errorLine.textContent = error.message || words.connection.offline;
      errorLine.hidden = false;
    }
  };
  const element = dialog(
    w.title,
    [make("p", {}, w.hint), labelledField(w.label, text), labelledField(w.game, game), errorLine],
    { actions: [button(w.read, submit, { class: "primary" })], submit, wide: true },
  );
  text.focus();
}

/**
 * Read a text and show its analysis; an error is shown, or thrown if `throws`.
 * @param {App} app
 * @param {string} text
 * @param {string | null} game
 */
paste.read = async (app, text, game = null, throws = false) => {
  try {
    const begun = await app.openGame.begin({ kind: "new", text, ...(game ? { game } : {}) });
    visit(positionAddress("analyse", begun, app.openGame.tree), { state: { id: begun.id } });
  } catch (error) {
    if (throws) throw error;
    app.showError(error.message || words.connection.offline);
  }
};
