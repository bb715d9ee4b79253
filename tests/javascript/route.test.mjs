// Addresses: what is written is read again, whatever it contains.

import assert from "node:assert/strict";
import { test } from "node:test";
import { game, load, NODES } from "./helpers.mjs";

const { address, addressParts, addressRequest, positionAddress } = await load("route.js");
const { Tree } = await load("game/tree.js");

test("an address is split at its slashes", () => {
  assert.deepEqual(addressParts(""), []);
  assert.deepEqual(addressParts("#"), []);
  assert.deepEqual(addressParts("#/"), []);
  assert.deepEqual(addressParts("#/games"), ["games"]);
  assert.deepEqual(addressParts("#games"), ["games"]);
  assert.deepEqual(addressParts("#//game//x/"), ["game", "x"]);
});

test("spaces, slashes, equals signs and commas stay readable", () => {
  assert.equal(address("analyse", "othello,size=6", "8/8 X"), "#/analyse/othello,size=6/8~8+X");
});

test("any text survives an address", () => {
  for (const text of ["8/8 X", "a+b", "a~b", "100%", "ä/ö ü", '[FEN "x"]', "#?&", "%2F", "..", "\u{1f600}"])
    assert.deepEqual(addressParts(address("analyse", text)), ["analyse", text], text);
});

test("a damaged address is taken literally", () => {
  assert.deepEqual(addressParts("#/game/%E0%A4%A"), ["game", "%E0%A4%A"]);
});

test("a position is given by its start and the moves to it, and opened again by them", () => {
  const tree = new Tree(NODES);
  const text = positionAddress("analyse", game({ node: 6 }), tree);
  assert.equal(text, "#/analyse/othello,size=8/8~8~3OX3+X/d3+c5+d6");
  assert.deepEqual(addressRequest(addressParts(text)), {
    kind: "new",
    game: "othello",
    options: { size: 8 },
    text: '[FEN "8/8/3OX3 X"] d3 c5 d6',
    keep: false,
  });
});

test("a start without moves is opened as it is", () => {
  const text = positionAddress("watch", game({ options: {} }), new Tree(NODES));
  assert.equal(text, "#/watch/othello/8~8~3OX3+X");
  assert.deepEqual(addressRequest(addressParts(text)), {
    kind: "new",
    game: "othello",
    options: {},
    text: "8/8/3OX3 X",
    keep: false,
  });
});

test("an address may name a game alone, or none", () => {
  assert.deepEqual(addressRequest(["analyse", "abalone,layout=belgian daisy,x"]), {
    kind: "new",
    game: "abalone",
    options: { layout: "belgian daisy", x: "" },
  });
  assert.equal(addressRequest(["analyse"]), null);
});
