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

/** Show what the address says. */
async function arrive() {
  const [names, turn] = [parts(), ++arriving];
  const name = names[0] in words.views ? names[0] : "play";
  if (!link.ready) return;
  try {
    if (name === "games" || name === "lab") return show(views[name], name, names.slice(1));
    await lay(names, name);
    if (turn === arriving) show(views.desk, name, names.slice(1));
  } catch (error) {
    if (error instanceof Lost) return;
    app.wrong(error.message);
    if (!table.game) await table.begin({ kind: "new", game: link.welcome.games[0].name });
    show(views.desk, name, []);
  }
}

/** Lay the game on the table that the address names, or the one that was there last, or a new one. */
async function lay(names, name) {
  if (names[0] === "game" && names[1]) return table.open(names[1]);
  const [shares, id] = [name !== "play" ? asked(names) : null, history.state?.id];
  if (id && (await opened(id))) return table.game;
  if (shares) return table.begin(shares);
  if (table.game) return table.game;
  if (await opened(kept.get("game"))) return table.game;
  const usual = fresh.usual(link.welcome);
  return (await opened(await untouched(usual))) ? table.game : table.begin(usual);
}

/** A game like this that nobody has moved in yet: who comes and goes leaves no others behind. */
async function untouched({ game, seats }) {
  const { games } = await link.ask({ kind: "games" });
  const like = (each) =>
    each.game === game && each.moves === 0 && each.seats.black === seats.black && each.seats.white === seats.white;
  return games.find(like)?.id;
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
table.addEventListener("missing", () => {
  // An address that shares a position can show it without the game that was kept.
  table.game = null;
  history.replaceState(null, "", location.hash);
  arrive();
});
link.addEventListener("welcome", () => {
  app.connected();
  if (shown) shown.again();
  else arrive();
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
