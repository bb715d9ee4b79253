// The page: connects to the server, and shows the view that the address names.

import { localStore } from "./parts/dom.js";
import { boardView } from "./views/board_view.js";
import { newGame } from "./game/new_game.js";
import { games } from "./views/games.js";
import { listenToKeys } from "./parts/keys.js";
import { listenToDrops } from "./game/open_files.js";
import { lab } from "./views/lab.js";
import { Connection, ConnectionLost } from "./connection.js";
import { gradients } from "./board/pieces.js";
import { restoreLostClicks } from "./parts/presses.js";
import { puzzles } from "./views/puzzles.js";
import { address, addressRequest, addressParts, isBoardView, visit } from "./route.js";
import { shell } from "./parts/shell.js";
import { OpenGame } from "./game/open_game.js";
import { browserSecret } from "./game/seat_owners.js";
import { words } from "./parts/words.js";

/** @import { App, View, ViewName } from "./types.js" */

const socket = new URL("socket", location.href);
socket.protocol = socket.protocol.replace("http", "ws");
socket.hash = "";

const connection = new Connection(socket);
const openGame = new OpenGame(connection);

/** @type {App} */
const app = { connection, openGame, visit, boardView: null, runExperiment: null, ...shell(openGame) };
const views = { boardView: boardView(app), games: games(app), lab: lab(app), puzzles: puzzles(app) };
app.boardView = views.boardView;
app.runExperiment = (name, settings) => {
  views.lab.begin(name, settings);
  visit(address("lab"));
};

/** @type {View | null} */
let currentView = null;
let shownPlace = ""; // the view, and what it shows
let isReturn = false;
let arrivals = 0;
/** @type {ReturnType<typeof currentAddress> | null} */
let pendingAddress = null; // an address that could not be shown yet, with its state

/** Show the view that the address names. @param {Event | null} event */
async function showAddress(event = null) {
  isReturn = event?.type === "popstate"; // for Back and Forward the browser restores the scroll position
  const [parts, arrival] = [addressParts(), ++arrivals];
  const name = Object.hasOwn(words.views, parts[0] ?? "") ? /** @type {ViewName} */ (parts[0]) : "play";
  pendingAddress = connection.ready ? null : currentAddress();
  if (pendingAddress) return;
  if (!isBoardView(name)) {
    openGame.leave();
    show(views[name], name, parts.slice(1));
    return;
  }
  const showBoardWhen = async (/** @type {Promise<unknown>} */ opening) => {
    await opening;
    if (arrival === arrivals) show(views.boardView, name, parts.slice(1));
  };
  await tryOr(
    () => showBoardWhen(openFromAddress(parts, name)),
    // If that fails, show the last game or a new one; if that fails too, the list of saved games.
    () =>
      tryOr(
        () => showBoardWhen(openDefault()),
        () => arrival === arrivals && showGameList(),
      ),
  );
}

const currentAddress = () => ({ to: location.hash, state: history.state });

/**
 * Run an action; if the server refuses it, show the reason and run another one.
 * @param {() => unknown} action
 * @param {() => unknown} otherwise
 * @returns {Promise<void>}
 */
async function tryOr(action, otherwise) {
  try {
    await action();
  } catch (error) {
    if (error instanceof ConnectionLost) return void (pendingAddress = currentAddress());
    app.showError(error.message);
    await otherwise();
  }
}

function showGameList() {
  visit(address("games"), { quietly: true });
  show(views.games, "games", []);
}

/**
 * Open the game that the address names, or the last open one, or a new one.
 * @param {string[]} parts
 * @param {ViewName} name
 */
async function openFromAddress(parts, name) {
  if (parts[0] === "game" && parts[1]) return openGame.open(parts[1]);
  const request = name !== "play" ? addressRequest(parts) : null;
  if (await tryOpen(history.state?.id)) return openGame.game;
  return request ? openGame.begin(request) : openDefault();
}

async function openDefault() {
  if ((await tryOpen(openGame.game?.id)) || (await tryOpen(localStore.get("game")))) return openGame.game;
  return openGame.begin(newGame.defaults(connection.welcome));
}

/** @param {string | null | undefined} id */
async function tryOpen(id) {
  if (!id) return false;
  try {
    await openGame.open(id);
    return true;
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    return false; // the game was deleted
  }
}

/** @param {View} view @param {ViewName} name @param {string[]} parameters */
function show(view, name, parameters) {
  if (currentView && currentView !== view) currentView.leave();
  app.showView(view.element, name);
  const place = `${name} ${isBoardView(name) ? openGame.game?.id : parameters}`;
  // Otherwise a scrolled-down telephone would show only part of the new board.
  if (place !== shownPlace && !isReturn) scrollTo({ top: 0 });
  shownPlace = place;
  currentView = view;
  view.enter(name, parameters);
}

openGame.addEventListener("game", () => localStore.set("game", openGame.game.id));
openGame.addEventListener("wrong", ({ detail }) => app.showError(detail.lost ? words.connection.offline : detail.why));
openGame.addEventListener("gone", () => {
  openGame.game = null;
  if (currentView === views.boardView) visit(address("games"));
});
connection.addEventListener("welcome", async () => {
  connection.ask({ kind: "enter", secret: browserSecret() }).catch(() => {}); // a lost connection enters once more
  const pending = pendingAddress;
  // `resume` sets the address to that of the shown game.
  if (!(await openGame.resume())) {
    // An address that contains a position can be shown without the saved game.
    openGame.game = null;
    history.replaceState(null, "", location.hash);
    await showAddress();
  }
  // Report the connection only now: a move in a game that the server has deleted would be refused.
  if (connection.ready) app.showConnected();
  currentView?.reconnected();
  if (pending) visit(pending.to, { quietly: true, state: pending.state });
  if (pending || !currentView) showAddress();
});
connection.addEventListener("lost", ({ detail }) => app.showDisconnected(detail.wasConnected, openGame.unsent?.move));
connection.addEventListener("outdated", () => app.showOutdated());
openGame.addEventListener("unsent", ({ detail }) => app.showDisconnected(true, detail.move));
addEventListener("popstate", showAddress);
addEventListener("visited", showAddress);

document.body.prepend(gradients());
document.getElementById("page").append(app.element);
restoreLostClicks();
listenToKeys(app);
listenToDrops(app);
app.showDisconnected(false);
connection.connect();
