// Seats that belong to a browser: who plays which side, offers to take back a move or to play again, and spectators.

import { dialog, openDialog } from "../parts/dialog.js";
import { button, localStore, make, setChildrenKeepingFocus } from "../parts/dom.js";
import { address } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, Colour, Game } from "../types.js" */

const w = words.seats;
/** @type {Colour[]} */
const SIDES = ["black", "white"];

/** The secret name of this browser, by which the server knows its seats again. */
export function browserSecret() {
  const stored = localStore.get("browser");
  if (stored && /^[0-9a-f]{32}$/.test(stored)) return stored;
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const secret = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  localStore.set("browser", secret);
  return secret;
}

/** Whether any seat of a game is taken. @param {Pick<Game, "owners">} game */
export const isTaken = ({ owners }) => owners.some(Boolean);

/** The sides whose seats this browser has taken. @param {Pick<Game, "owners">} game */
export const ownSides = ({ owners }) => SIDES.filter((_, index) => owners[index] === "you");

/** Whether this browser may move for the side to move. @param {Pick<Game, "guarded" | "owners" | "turn">} game */
export const mayMove = (game) => !game.guarded || ownSides(game).includes(game.turn);

/** Whether two browsers have taken the seats. @param {Pick<Game, "owners">} game */
export const isBetweenBrowsers = ({ owners }) => owners.includes("you") && owners.includes("other");

/**
 * Whether a human seat is not this browser's, so that it may not leave the position on the board.
 * @param {Pick<Game, "guarded" | "owners" | "seats">} game
 */
export const isGuarded = (game) =>
  game.guarded && SIDES.some((side, index) => game.seats[side] === "human" && game.owners[index] !== "you");

/** The lines and buttons about seats in the play panel. */
export class SeatOwners {
  #app;

  /** @param {App} app */
  constructor(app) {
    this.#app = app;
    this.element = make("div", { class: "seat-owners", tabindex: -1, hidden: true });
  }

  /** @param {Game} game */
  show(game) {
    this.element.hidden = !isTaken(game);
    if (!isTaken(game)) return;
    const own = ownSides(game);
    const isOffered = game.offer && game.offered_by && own.length === 1;
    const canAnswer = isOffered && !own.includes(game.offered_by);
    setChildrenKeepingFocus(
      this.element,
      make("p", { class: "quiet" }, own.length ? w.yours(own) : w.watching),
      isOffered && make("p", { role: "status" }, canAnswer ? w.offered(game.offered_by, game.offer) : w.waiting(game.offer)),
      make(
        "div",
        { class: "actions" },
        canAnswer && this.#button(w.accept, { kind: "offer", what: game.offer }, "primary"),
        isOffered && this.#button(canAnswer ? w.decline : w.withdraw, { kind: "offer", what: "" }),
        SIDES.filter((side, index) => game.seats[side] === "human" && !game.owners[index] && game.guarded).map((side) =>
          this.#button(w.take(side), { kind: "take", side }, "primary"),
        ),
        game.guarded && own.map((side) => this.#button(w.leave(side), { kind: "take", side, leave: true })),
        game.rematch &&
          button(w.toRematch, () => this.#app.visit(address("game", game.rematch)), { "data-key": "rematch" }),
      ),
    );
  }

  /**
   * @param {string} text
   * @param {Parameters<App["openGame"]["change"]>[0]} request
   */
  #button(text, request, style = "") {
    return button(text, () => this.#app.openGame.change(request), { class: style, "data-key": text });
  }
}

/** Let the user take a seat and send the link of the game to the other player. @param {App} app */
export function playOnTwoMachines(app) {
  if (openDialog()) return;
  const { game } = app.openGame;
  const link = make("input", {
    type: "text",
    readonly: true,
    value: new URL(address("game", game.id), location.href).href,
    "aria-label": w.link,
  });
  const take = (/** @type {Colour} */ side) =>
    button(
      w.take(side),
      async () => {
        if (await app.openGame.change({ kind: "take", side })) element.close();
      },
      { class: "primary" },
    );
  const element = dialog(w.title, [make("p", {}, w.hint), link], {
    actions: SIDES.filter((side) => game.seats[side] === "human").map(take),
  });
}
