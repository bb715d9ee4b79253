// Pasting games or positions in any notation.

import { dialog, ignoreWhileRunning, openDialog } from "../parts/dialog.js";
import { readGames } from "./read_games.js";
import { chooseFiles } from "./open_files.js";
import { button, dropdown, labelledField, make } from "../parts/dom.js";
import { words } from "../parts/words.js";

/** @import { App } from "../types.js" */

const w = words.paste;

/** @param {App} app */
export function paste(app) {
  if (openDialog()) return;
  const text = make("textarea", { rows: 8, spellcheck: "false", required: true });
  const games = app.connection.welcome.games.map((kind) => /** @type {const} */ ([kind.name, kind.title]));
  const game = dropdown([["", w.any], ...games], "");
  const errorLine = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const close = () => {
    const { open } = element;
    element.close();
    return open;
  };
  const submit = ignoreWhileRunning(async () => {
    try {
      await readGames(app, { text: text.value, game: game.value || null }, close);
    } catch (error) {
      errorLine.textContent = error.message || words.connection.offline;
      errorLine.hidden = false;
    }
  });
  const element = dialog(
    w.title,
    [
      make("p", {}, w.hint),
      labelledField(w.label, text),
      labelledField(w.game, game),
      errorLine,
      make("p", { class: "quiet" }, words.files.hint),
    ],
    {
      actions: [
        button(w.file, () => (element.close(), chooseFiles(app))),
        button(w.read, submit, { class: "primary" }),
      ],
      submit,
      wide: true,
    },
  );
  text.focus();
}
