// The connection: answers, streams, refusals and reconnection, with a socket that the test controls.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "./helpers.mjs";

const { Connection, ConnectionLost, Refusal } = await load("connection.js");

let sockets = [];

class FakeSocket {
  static OPEN = 1;
  readyState = FakeSocket.OPEN;
  sent = [];

  constructor() {
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

Object.assign(globalThis, { WebSocket: FakeSocket, addEventListener() {}, document: new EventTarget() });

beforeEach((context) => {
  sockets = [];
  context.mock.timers.enable({ apis: ["setTimeout"] });
});

/** A connection after the server's welcome, and its socket. */
function connected() {
  const connection = new Connection(new URL("ws://localhost/socket"));
  connection.connect();
  const [socket] = sockets;
  socket.receive({ kind: "welcome", version: 1 });
  return { connection, socket };
}

test("answers are matched with requests by number", async () => {
  const { connection, socket } = connected();
  const [first, second] = [connection.ask({ kind: "lab" }), connection.ask({ kind: "games" })];
  assert.deepEqual(socket.sent, [
    { kind: "lab", ask: 1 },
    { kind: "games", ask: 2 },
  ]);
  socket.receive({ kind: "kept", re: 2 });
  socket.receive({ kind: "laboratory", re: 1 });
  assert.equal((await first).kind, "laboratory");
  assert.equal((await second).kind, "kept");
});

test("a refusal rejects its request with the reason", async () => {
  const { connection, socket } = connected();
  const answer = connection.ask({ kind: "open", id: "x" });
  socket.receive({ kind: "refused", re: 1, why: "no such game" });
  await assert.rejects(answer, (error) => error instanceof Refusal && error.message === "no such game");
});

test("a stream ends with its last message, or when it is forgotten", () => {
  const { connection, socket } = connected();
  const received = [];
  const number = connection.follow({ kind: "analyse" }, ({ depth }) => received.push(depth));
  socket.receive({ kind: "analysis", of: number, depth: 1, done: false });
  socket.receive({ kind: "analysis", of: number, depth: 2, done: true });
  socket.receive({ kind: "analysis", of: number, depth: 3, done: false });
  assert.deepEqual(received, [1, 2]);
  const other = connection.follow({ kind: "analyse" }, ({ depth }) => received.push(depth));
  connection.forget(other);
  socket.receive({ kind: "analysis", of: other, depth: 4, done: false });
  assert.deepEqual(received, [1, 2]);
});

test("a stream can be refused at once, or after it has begun", () => {
  const { connection, socket } = connected();
  const failures = [];
  const listener = (message) => message.kind === "refused" && failures.push([message.why, message.done, message.lost]);
  const first = connection.follow({ kind: "review" }, listener);
  socket.receive({ kind: "refused", re: first, why: "too many searches" });
  const second = connection.follow({ kind: "review" }, listener);
  socket.receive({ kind: "reviewed", of: second, done: false });
  socket.receive({ kind: "refused", re: second, why: "the game was deleted" });
  // A rejected promise would be late: listeners of streams are called at once.
  assert.deepEqual(failures, [
    ["too many searches", true, false],
    ["the game was deleted", true, undefined],
  ]);
});

test("when the connection is lost, every request fails and the next attempt is delayed", async (context) => {
  const { connection, socket } = connected();
  const lost = [];
  connection.addEventListener("lost", ({ detail }) => lost.push(detail));
  const answer = connection.ask({ kind: "lab" });
  socket.onclose();
  await assert.rejects(answer, ConnectionLost);
  assert.equal(connection.ready, false);
  await assert.rejects(connection.ask({ kind: "lab" }), ConnectionLost);
  assert.equal(
    connection.follow({ kind: "review" }, () => {}),
    0,
  );
  assert.deepEqual(lost, [{ wasConnected: true, wait: 250 }]);
  context.mock.timers.tick(250);
  assert.equal(sockets.length, 2);
  sockets[1].onclose();
  assert.equal(lost[1].wait, 500);
});

test("delays grow to eight seconds, and start anew after a welcome", (context) => {
  const { connection } = connected();
  const waits = [];
  connection.addEventListener("lost", ({ detail }) => waits.push(detail.wait));
  for (let attempt = 0; attempt < 7; attempt += 1) {
    sockets.at(-1).onclose();
    context.mock.timers.tick(waits.at(-1));
  }
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 8000, 8000]);
  sockets.at(-1).receive({ kind: "welcome", version: 1 });
  sockets.at(-1).onclose();
  assert.equal(waits.at(-1), 250);
});

test("a server of another version is not talked to", () => {
  const connection = new Connection(new URL("ws://localhost/socket"));
  let outdated = 0;
  connection.addEventListener("outdated", () => (outdated += 1));
  connection.connect();
  sockets[0].receive({ kind: "welcome", version: 2 });
  assert.equal(outdated, 1);
  assert.equal(connection.ready, false);
});

test("a stream that is begun without a connection has failed", async () => {
  const connection = new Connection(new URL("ws://localhost/socket"));
  const messages = [];
  connection.follow({ kind: "review" }, (message) => messages.push(message));
  await null;
  assert.deepEqual(messages, [{ kind: "refused", why: "", done: true, lost: true }]);
});
