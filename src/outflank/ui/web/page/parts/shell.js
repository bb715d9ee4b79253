// What is around every view: the head with its links, the line about the connection, and what is said aloud.

import { button, kept, make, put, set, sign } from "./dom.js";
import { icon } from "./icons.js";
import { help } from "./keys.js";
import { address, shared, visit } from "../route.js";
import { words } from "./words.js";

const THEMES = ["auto", "light", "dark"];
const TOAST_MS = 7000;

/** @returns the parts of the app that views use: `say`, `wrong`, `tell`, `place`, … */
export function shell(table) {
  const polite = make("div", { class: "unseen", "aria-live": "polite", id: "said" });
  const banner = make("div", { class: "banner", role: "status", hidden: true });
  const toasts = make("div", { class: "toasts", role: "alert" });
  const main = make("main", { id: "main", tabindex: -1 });
  const links = Object.entries(words.views).map(([name, text]) => [name, make("a", { href: address(name) }, text)]);
  const nav = make(
    "nav",
    { "aria-label": words.navigation },
    links.map(([, each]) => each),
  );
  const theme = sign(null, "", () => choose(THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length]));
  const brand = make(
    "a",
    { class: "brand", href: address("play") },
    make("img", { src: "icon.svg", alt: "", width: 26, height: 26 }),
    words.title,
  );
  const skip = make(
    "a",
    { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), main.focus()) },
    words.skip,
  );
  const tools = make("div", { class: "tools" }, theme, sign(icon("help"), words.help, help));
  const element = make(
    "div",
    { class: "shell" },
    skip,
    make("header", { class: "top" }, brand, nav, tools),
    banner,
    main,
    toasts,
    polite,
  );

  function current() {
    return kept.get("theme", "auto");
  }

  function choose(name) {
    kept.set("theme", name);
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    set(theme, { "aria-label": words.theme[name], title: words.theme[name] });
    put(theme, icon(name));
  }
  choose(current());

  /** Where a link of the head leads now. */
  function leads(name) {
    if (!table.game || name === "games" || name === "lab") return [address(name), null];
    const state = { id: table.game.id };
    return name === "play" ? [address("game", table.game.id), null] : [shared(name, table.game, table.tree), state];
  }

  for (const [name, each] of links) {
    each.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(name);
    });
  }

  function go(name) {
    const [to, state] = leads(name);
    visit(to, { state });
  }

  function place(view, name) {
    if (main.firstChild !== view) put(main, view);
    for (const [each, anchor] of links) set(anchor, { "aria-current": each === name && "page" });
    entitle(name);
  }

  function entitle(name) {
    const named = name === "lab" || name === "games" ? "" : table.game?.title;
    document.title = words.titled(words.views[name], named);
  }

  let said = 0;
  /** Say something to who hears the page. */
  function say(text) {
    polite.textContent = text;
    polite.dataset.count = ++said;
  }

  function toast(text, kind) {
    const note = make(
      "div",
      { class: `toast ${kind}` },
      make("span", {}, text),
      sign(icon("close"), words.close, () => note.remove()),
    );
    put(toasts, note);
    setTimeout(() => note.remove(), TOAST_MS);
  }

  function lost(again, move = null) {
    put(banner, move ? words.link.unsaid(move) : again ? words.link.lost : words.link.first);
    banner.hidden = false;
    element.classList.toggle("offline", again);
    // A page that has just been opened is connected before anybody could read it.
    banner.classList.toggle("later", !again);
  }

  function connected() {
    const again = element.classList.contains("offline");
    banner.hidden = true;
    element.classList.remove("offline");
    if (again) say(words.link.back);
  }

  function outdated() {
    put(
      banner,
      words.link.outdated,
      button(words.link.reload, () => location.reload()),
    );
    banner.hidden = false;
  }

  return {
    element,
    say,
    place,
    go,
    entitle,
    lost,
    connected,
    outdated,
    wrong: (text) => toast(text, "wrong"),
    tell: (text) => toast(text, "good"),
  };
}
