// Reading games from a text or from files: the only one is opened, and of several the user opens one or keeps some.

import { chooseGame } from "./choose_game.js";
import { address, positionAddress, visit } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, RequestOf } from "../types.js" */

/** @typedef {Pick<RequestOf<"read">, "game" | "text" | "files">} Source */

/**
 * Read a text or files and show the analysis of a game in it. If they cannot be read, an error is thrown; later errors
 * are shown.
 * @param {App} app
 * @param {Source} source
 * @param {() => boolean} onRead called when the games are known; returns false if the user has closed the
 *   dialog meanwhile
 */
export async function readGames(app, source, onRead) {
  const found = await app.connection.ask({ kind: "read", ...source });
  if (!onRead()) return;
  await showingErrors(app, async () => {
    const choice = found.games.length > 1 ? await chooseGame(found, hint(source.files ?? [])) : { open: 1 };
    if (choice === null) return;
    if ("keep" in choice) {
      const { games } = await app.connection.ask({ kind: "keep", ...source, numbers: choice.keep });
      visit(address("games"));
      app.announce(words.choose.kept(games));
      return;
    }
    const begun = await app.openGame.begin({ kind: "new", ...source, number: choice.open });
    visit(positionAddress("analyse", begun, app.openGame.tree), { state: { id: begun.id } });
  });
}

/** The hint that players' names need a `.jou` file; empty if none is needed. @param {{ name: string }[]} files */
function hint(files) {
  const has = (/** @type {RegExp} */ ending) => files.some(({ name }) => ending.test(name));
  return has(/\.wtb$/i) && !has(/\.jou$/i) ? words.files.noNames : "";
}

/** The same, but all errors are shown. @param {App} app @param {Source} source */
export function tryReadGames(app, source) {
  return showingErrors(app, () => readGames(app, source, () => true));
}

/** @param {App} app @param {() => Promise<void>} action */
async function showingErrors(app, action) {
  try {
    await action();
  } catch (error) {
    app.showError(error.message || words.connection.offline);
  }
}
