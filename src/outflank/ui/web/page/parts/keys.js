// Keys that work everywhere, and the help that lists them.

import { dialog } from "./dialog.js";
import { kept, make } from "./dom.js";
import { fresh } from "../game/fresh.js";
import { paste } from "../game/paste.js";
import { words } from "./words.js";

const TYPING = "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, dialog";

/** Whether keys that write something are keys here: who speaks to the machine can switch them off. */
const letters = () => kept.get("letters", "on") === "on";

export function listen(app) {
  const { table } = app;
  const views = Object.keys(words.views);
  const single = () => app.desk.panel?.single ?? false;
  const keys = {
    u: () => table.back(single()),
    r: () => table.forth(single()),
    PageUp: () => table.back(true),
    PageDown: () => table.forth(true),
    Home: () => table.first(),
    End: () => table.last(),
    b: () => app.desk.board.focus(),
    p: () => table.game.passes && app.desk.panel.open(table.game) && table.play(table.game.legal[0].move),
    e: () => app.desk.panel?.toggle?.(),
    m: () => app.desk.panel.moves?.promote(),
    Delete: () => app.desk.panel.moves?.prune(),
    Escape: () => app.desk.board.clear(),
  };
  const anywhere = { n: () => fresh.ask(app), v: () => paste(app), "?": help };
  views.forEach((name, index) => (anywhere[String(index + 1)] = () => app.go(name)));

  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.target.closest?.(TYPING) || !app.link.welcome) return;
    const control = event.ctrlKey || event.metaKey;
    const name = control
      ? { z: event.shiftKey ? "r" : "u", y: "r" }[event.key.toLowerCase()]
      : event.key.length === 1
        ? event.key.toLowerCase()
        : event.key;
    if (event.altKey || !name || (event.key.length === 1 && !control && !letters())) return;
    const act = anywhere[name] ?? (app.desk.panel && table.game ? keys[name] : undefined);
    if (!act || (control && !(name in keys))) return;
    if (event.target.closest?.("input") && ["Home", "End", "PageUp", "PageDown"].includes(name)) return;
    event.preventDefault();
    act();
  });

  addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!text?.trim() || event.target.closest?.(TYPING)) return;
    event.preventDefault();
    paste.read(app, text);
  });
}

export function help() {
  if (document.querySelector("dialog[open]")) return;
  const rows = words.keys.list.map(([key, does]) =>
    make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)),
  );
  const chosen = make("input", {
    type: "checkbox",
    role: "switch",
    checked: letters(),
    onchange: () => kept.set("letters", chosen.checked ? "on" : "off"),
  });
  const track = make("span", { class: "track", "aria-hidden": "true" });
  const content = [
    words.keys.text.map((text) => make("p", {}, text)),
    make("label", { class: "switch" }, chosen, track, make("span", {}, words.keys.letters)),
    make("dl", { class: "keys" }, rows),
  ];
  dialog(words.keys.title, content, { wide: true });
}
