// The tree of moves, and the open game: undo, redo, and moves that a lost connection delays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeConnection, game, load, NODES } from "./helpers.mjs";

const { Tree } = await load("game/tree.js");
const { OpenGame } = await load("game/open_game.js");
const { DisposableGames } = await load("game/disposable_games.js");
const { ConnectionLost, Refusal } = await load("connection.js");

test("a tree knows paths, lines and children", () => {
  const tree = new Tree(NODES);
  assert.deepEqual(tree.mainLine(), [0, 1, 2, 3, 4]);
  assert.deepEqual(tree.line(5), [5, 6]);
  assert.deepEqual(tree.path(6), [0, 1, 5, 6]);
  assert.deepEqual(tree.children(1), [2, 5]);
  assert.deepEqual(tree.children(4), []);
  assert.equal(tree.parent(0), null);
  assert.equal(tree.parent(7), 0);
  assert.equal(tree.child(1, "c5"), 5);
  assert.equal(tree.child(1, "d6"), undefined);
  assert.equal(tree.count(0), 8);
  assert.equal(tree.count(1), 6);
  assert.equal(tree.ply(6), 3);
});

test("moves are numbered like the rows of their list", () => {
  const tree = new Tree(NODES);
  assert.deepEqual([1, 2, 3, 4, 5, 7].map((id) => tree.numberedMove(id)), ["1. d3", "1… c3", "2. c4", "2… e3", "1… c5", "1. f5"]);
  const whiteFirst = NODES.map((node) => ({ ...node, side: node.side === "black" ? "white" : "black" }));
  assert.deepEqual([1, 2, 3].map((id) => new Tree(whiteFirst).numberedMove(id)), ["1… d3", "2. c3", "2… c4"]);
});

test("only first children are on the main line", () => {
  const tree = new Tree(NODES);
  const main = NODES.map((node) => node.id).filter((id) => tree.isOnMainLine(id));
  assert.deepEqual(main, [0, 1, 2, 3, 4]);
});

/** An open game that goes wherever it is asked to go. */
async function opened(changes = {}) {
  let state = game(changes);
  const connection = new FakeConnection(async (message) => {
    await null; // an answer never comes at once
    if (message.kind === "go") {
      state = { ...state, node: message.node, revision: state.revision + 1 };
      connection.send("game", state);
    }
    return state;
  });
  const openGame = new OpenGame(connection);
  await openGame.open(state.id);
  return { openGame, connection };
}

test("undo and redo go one move between people", async () => {
  const { openGame } = await opened({ node: 6 });
  const visited = [];
  for (const step of ["back", "back", "back", "back", "forth", "forth", "last", "first"]) {
    await openGame[step]();
    visited.push(openGame.game.node);
  }
  // Redo returns along the line that was shown last, not along the main line.
  assert.deepEqual(visited, [5, 1, 0, 0, 1, 5, 6, 0]);
});

test("each of two quick clicks is a step", async () => {
  const { openGame } = await opened({ node: 6 });
  await Promise.all([openGame.back(), openGame.back()]);
  assert.equal(openGame.game.node, 1);
  await Promise.all([openGame.forth(), openGame.forth()]);
  assert.equal(openGame.game.node, 6);
});

test("undo and redo skip the moves of a computer", async () => {
  const { openGame } = await opened({ node: 4, seats: { black: "human", white: "computer level=3", clock: "none" } });
  await openGame.back();
  assert.equal(openGame.game.node, 2); // black is to move
  await openGame.back();
  assert.equal(openGame.game.node, 0);
  await openGame.forth();
  assert.equal(openGame.game.node, 2);
  await openGame.forth(true);
  assert.equal(openGame.game.node, 3); // a single step
});

test("an outdated state of the game is ignored", async () => {
  const { openGame, connection } = await opened({ revision: 5 });
  connection.send("game", game({ revision: 4, node: 3 }));
  assert.equal(openGame.game.node, 0);
  connection.send("game", game({ revision: 6, node: 3, id: "another" }));
  assert.equal(openGame.game.node, 0);
  connection.send("game", game({ revision: 6, node: 3 }));
  assert.equal(openGame.game.node, 3);
});

test("a move that is lost with the connection is sent again, once", async () => {
  let isOnline = true;
  const connection = new FakeConnection((message) => {
    if (!isOnline) throw new ConnectionLost();
    if (message.kind === "play") connection.send("game", game({ revision: 2, node: 7 }));
    return game();
  });
  const openGame = new OpenGame(connection);
  const unsent = [];
  openGame.addEventListener("unsent", ({ detail }) => unsent.push(detail.move));
  await openGame.open("abc");
  connection.ready = isOnline = false;
  await openGame.play("c6");
  assert.deepEqual(unsent, ["c6"]);
  assert.deepEqual(openGame.unsent, { id: "abc", node: 0, move: "c6" });
  connection.ready = isOnline = true;
  connection.requests.length = 0;
  assert.equal(await openGame.resume(), true);
  assert.deepEqual(
    connection.requests.map(({ kind }) => kind),
    ["open", "play"],
  );
  assert.equal(openGame.unsent, null);
});

test("a lost move that the server has received is not sent again", async () => {
  let isOnline = true;
  const connection = new FakeConnection(() => {
    if (!isOnline) throw new ConnectionLost();
    return game();
  });
  const openGame = new OpenGame(connection);
  await openGame.open("abc");
  connection.ready = isOnline = false;
  await openGame.play("d3"); // node 1 of the tree
  connection.ready = isOnline = true;
  connection.requests.length = 0;
  await openGame.resume();
  assert.deepEqual(
    connection.requests.map(({ kind }) => kind),
    ["open"],
  );
  assert.equal(openGame.unsent, null);
});

test("a refused move is reported and forgotten", async () => {
  const connection = new FakeConnection((message) => {
    if (message.kind === "play") throw new Refusal("no such move");
    return game();
  });
  const openGame = new OpenGame(connection);
  const reasons = [];
  openGame.addEventListener("wrong", ({ detail }) => reasons.push(detail.why));
  await openGame.open("abc");
  await openGame.play("a1");
  assert.deepEqual(reasons, ["no such move"]);
  assert.equal(openGame.unsent, null);
});

test("a game in which nothing was changed can be begun again, another one cannot", () => {
  const games = new DisposableGames();
  const request = { kind: "new", game: "othello" };
  const seats = { black: "human", white: "random", clock: "none" };
  games.add(game({ node: 4, seats, disposable: true }), request);
  games.update(game({ node: 3, seats, disposable: true }));
  assert.deepEqual(games.get("abc"), { message: { ...request, seats }, node: 3, disposable: true });
  games.update(game({ disposable: false }));
  assert.equal(games.get("abc"), undefined);
  assert.equal(games.get("unknown"), undefined);
});
