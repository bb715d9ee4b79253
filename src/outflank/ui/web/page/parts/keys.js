// Keyboard shortcuts, and the help that lists them.

import { dialog, openDialog } from "./dialog.js";
import { localStore, make } from "./dom.js";
import { newGame } from "../game/new_game.js";
import { chooseFiles } from "../game/open_files.js";
import { paste } from "../game/paste.js";
import { tryReadGames } from "../game/read_games.js";
import { sound } from "./sound.js";
import { words } from "./words.js";

/** @import { App, ViewName } from "../types.js" */

const TYPING = "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, dialog";

const WHEEL_PIXELS = 40; // for a step
const SWIPE_PIXELS = 40; // a shorter swipe is a tap

/** Whether single characters are shortcuts: users of speech input can switch them off. */
const areSingleKeysOn = () => localStore.get("letters", "on") === "on";

/** @param {App} app */
export function listenToKeys(app) {
  const { openGame } = app;
  const views = /** @type {ViewName[]} */ (Object.keys(words.views));
  const singleStep = () => app.boardView.panel?.singleStep ?? false;
  const steps = {
    back: () => openGame.back(true),
    forth: () => openGame.forth(true),
    first: () => openGame.first(),
    last: () => openGame.last(),
  };
  let isStepping = false;
  /** Step through the game, unless the step before is still under way. @param {keyof steps} name */
  async function step(name) {
    if (isStepping) return;
    isStepping = true;
    try {
      await steps[name]();
    } finally {
      isStepping = false;
    }
  }
  /** @type {Record<string, () => unknown>} */
  const keys = {
    u: () => openGame.back(singleStep()),
    r: () => openGame.forth(singleStep()),
    ArrowLeft: () => step("back"),
    ArrowRight: () => step("forth"),
    ArrowUp: () => step("first"),
    ArrowDown: () => step("last"),
    PageUp: () => step("back"),
    PageDown: () => step("forth"),
    Home: () => step("first"),
    End: () => step("last"),
    f: () => app.boardView.board.turn(),
    h: () => app.boardView.panel.hint?.(),
    b: () => app.boardView.board.focus(),
    p: () =>
      openGame.game.passes && app.boardView.panel.canMove(openGame.game) && openGame.play(openGame.game.legal[0].move),
    e: () => app.boardView.panel?.toggle?.(),
    m: () => app.boardView.panel.moves?.promote(),
    Delete: () => app.boardView.panel.moves?.prune(),
    Escape: () => app.boardView.board.clear(),
  };
  /** @type {Record<string, () => unknown>} */
  const keysAnywhere = { n: () => newGame.openDialog(app), v: () => paste(app), o: () => chooseFiles(app), "?": showHelp };
  views.forEach((name, index) => (keysAnywhere[String(index + 1)] = () => app.go(name)));

  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isInside(event, TYPING) || openDialog() || !app.connection.welcome) return;
    const control = event.ctrlKey || event.metaKey;
    const name = control
      ? { z: event.shiftKey ? "r" : "u", y: "r" }[event.key.toLowerCase()]
      : event.key.length === 1
        ? event.key.toLowerCase()
        : event.key;
    if (event.altKey || !name || (event.key.length === 1 && !control && !areSingleKeysOn())) return;
    const action = keysAnywhere[name] ?? (app.boardView.panel && openGame.game ? keys[name] : undefined);
    if (!action || (control && !(name in keys))) return;
    if (isInside(event, "input") && event.key.length > 1) return; // sliders and lists of choices use these keys
    event.preventDefault();
    action();
  });

  const board = app.boardView.board.element;
  // While a game is being played, a step back would be an undo.
  const mayStep = () => app.boardView.panel?.canStepByWheel(openGame.game) ?? false;
  let turnedBy = 0;
  board.addEventListener(
    "wheel",
    (event) => {
      if (!mayStep() || event.ctrlKey || !event.deltaY) return;
      event.preventDefault();
      if (turnedBy * event.deltaY < 0) turnedBy = 0;
      turnedBy += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : Math.sign(event.deltaY) * WHEEL_PIXELS;
      if (Math.abs(turnedBy) < WHEEL_PIXELS) return;
      step(turnedBy < 0 ? "back" : "forth");
      turnedBy = 0;
    },
    { passive: false },
  );

  /** The finger that may be swiping, and where it began. @type {{ pointer: number, x: number, y: number } | null} */
  let swipe = null;
  board.addEventListener("pointerdown", (event) => {
    const begins = event.pointerType === "touch" && event.isPrimary && mayStep() && !isInside(event, ".movable, .handle");
    swipe = begins ? { pointer: event.pointerId, x: event.clientX, y: event.clientY } : null;
  });
  board.addEventListener("pointercancel", () => (swipe = null));
  board.addEventListener("pointerup", (event) => {
    if (event.pointerId !== swipe?.pointer) return;
    const [x, y] = [event.clientX - swipe.x, event.clientY - swipe.y];
    swipe = null;
    if (Math.abs(x) >= SWIPE_PIXELS && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? "forth" : "back");
  });

  addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!text?.trim() || isInside(event, TYPING) || openDialog()) return;
    event.preventDefault();
    tryReadGames(app, { text });
  });
}

/** Whether an event happens in an element that a selector matches. @param {Event} event @param {string} selector */
function isInside(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}

export function showHelp() {
  if (openDialog()) return;
  const rows = words.keys.list.map(([key, effect]) =>
    make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, effect)),
  );
  const content = [
    words.keys.text.map((text) => make("p", {}, text)),
    labelledSwitch(words.keys.letters, areSingleKeysOn(), (on) => localStore.set("letters", on ? "on" : "off")),
    labelledSwitch(words.keys.sound, sound.isOn, (on) => sound.turn(on)),
    make("dl", { class: "keys" }, rows),
  ];
  dialog(words.keys.title, content, { wide: true });
}

/** @param {string} text @param {boolean} isOn @param {(on: boolean) => void} onChange */
function labelledSwitch(text, isOn, onChange) {
  /** @type {HTMLInputElement} */
  const checkbox = make("input", {
    type: "checkbox",
    role: "switch",
    checked: isOn,
    onchange: () => onChange(checkbox.checked),
  });
  const track = make("span", { class: "track", "aria-hidden": "true" });
  return make("label", { class: "switch" }, checkbox, track, make("span", {}, text));
}
