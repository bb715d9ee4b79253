// The page: connects, finds out from the address what to show, and shows it.

import { kept } from "./parts/dom.js";
import { desk } from "./views/desk.js";
import { fresh } from "./game/fresh.js";
import { games } from "./views/games.js";
import { listen } from "./parts/keys.js";
import { lab } from "./views/lab.js";
import { Link, Lost } from "./link.js";
import { paints } from "./board/pieces.js";
import { address, asked, parts, visit } from "./route.js";
import { shell } from "./parts/shell.js";
import { Table } from "./game/table.js";
import { words } from "./parts/words.js";

const socket = new URL("socket", location.href);
socket.protocol = socket.protocol.replace("http", "ws");
socket.hash = "";

const link = new Link(socket);
const table = new Table(link);

/** What every view may use. */
const app = { link, table, visit, ...shell(table) };
const views = { desk: desk(app), games: games(app), lab: lab(app) };
app.desk = views.desk;

let shown = null;
let arriving = 0;
let late = null; // an address that could not be shown yet

/** Show what the address says. */
async function arrive() {
  const [names, turn] = [parts(), ++arriving];
  const name = Object.hasOwn(words.views, names[0] ?? "") ? names[0] : "play";
  late = link.ready ? null : here();
  if (late) return;
  if (name === "games" || name === "lab") {
    table.leave();
    show(views[name], name, names.slice(1));
    return;
  }
  const shows = async (laid) => {
    await laid;
    if (turn === arriving) show(views.desk, name, names.slice(1));
  };
  await failing(
    () => shows(lay(names, name)),
    // The game on the table, or a new one, or at least those that are kept.
    () => failing(() => shows(usual()), () => turn === arriving && keptGames()),
  );
}

const here = () => ({ to: location.hash, state: history.state });

/** Do something; where the server refuses it, the reason is told and something else is done. */
async function failing(act, otherwise) {
  try {
    await act();
  } catch (error) {
    if (error instanceof Lost) return void (late = here());
    app.wrong(error.message);
    await otherwise();
  }
}

function keptGames() {
  visit(address("games"), { quietly: true });
  show(views.games, "games", []);
}

/** Lay the game on the table that the address names, or the one that was there last, or a new one. */
async function lay(names, name) {
  if (names[0] === "game" && names[1]) return table.open(names[1]);
  const shares = name !== "play" ? asked(names) : null;
  if (await opened(history.state?.id)) return table.game;
  return shares ? table.begin(shares) : usual();
}

async function usual() {
  if ((await opened(table.game?.id)) || (await opened(kept.get("game")))) return table.game;
  return table.begin(fresh.usual(link.welcome));
}

async function opened(id) {
  if (!id) return false;
  try {
    await table.open(id);
    return true;
  } catch (error) {
    if (error instanceof Lost) throw error;
    return false; // it was deleted
  }
}

function show(view, name, rest) {
  if (shown && shown !== view) shown.leave();
  app.place(view.element, name);
  shown = view;
  view.enter(name, rest);
}

table.addEventListener("game", () => kept.set("game", table.game.id));
table.addEventListener("wrong", ({ detail }) => app.wrong(detail.lost ? words.link.offline : detail.why));
table.addEventListener("gone", () => {
  table.game = null;
  if (shown === views.desk) visit(address("games"));
});
link.addEventListener("welcome", async () => {
  const wanted = late;
  // It writes the address of what it shows.
  if (!(await table.resume())) {
    // An address that shares a position can show it without the game that was kept.
    table.game = null;
    history.replaceState(null, "", location.hash);
    await arrive();
  }
  // Not before: a move in a game that the server has forgotten would be refused.
  if (link.ready) app.connected();
  shown?.again();
  if (wanted) visit(wanted.to, { quietly: true, state: wanted.state });
  if (wanted || !shown) arrive();
});
link.addEventListener("lost", ({ detail }) => app.lost(detail.again, table.unsaid?.move));
link.addEventListener("outdated", () => app.outdated());
table.addEventListener("unsaid", ({ detail }) => app.lost(true, detail.move));
addEventListener("popstate", arrive);
addEventListener("visited", arrive);

document.body.prepend(paints());
document.getElementById("page").append(app.element);
listen(app);
app.lost(false);
link.connect();
