// A text in any notation becomes a game.

import { dialog } from "../parts/dialog.js";
import { button, choice, labelled, make } from "../parts/dom.js";
import { shared, visit } from "../route.js";
import { words } from "../parts/words.js";

const w = words.paste;

export function paste(app) {
  if (document.querySelector("dialog[open]")) return;
  const text = make("textarea", { rows: 8, spellcheck: "false", required: true });
  const game = choice([["", w.any], ...app.link.welcome.games.map((each) => [each.name, each.title])], "");
  const wrong = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const submit = async () => {
    try {
      await paste.read(app, text.value, game.value || null, true);
      element.close();
    } catch (error) {
      wrong.textContent = error.message || words.link.offline;
      wrong.hidden = false;
    }
  };
  const element = dialog(w.title, [make("p", {}, w.hint), labelled(w.label, text), labelled(w.game, game), wrong], {
    actions: [button(w.read, submit, { class: "primary" })],
    submit,
    wide: true,
  });
  text.focus();
}

/** Read a text and go to its analysis; what is wrong with it is told, or thrown if it is `asked` for. */
paste.read = async (app, text, game = null, asked = false) => {
  try {
    const found = await app.table.begin({ kind: "new", text, ...(game ? { game } : {}) });
    visit(shared("analyse", found, app.table.tree), { state: { id: found.id } });
  } catch (error) {
    if (asked) throw error;
    app.wrong(error.message || words.link.offline);
  }
};
