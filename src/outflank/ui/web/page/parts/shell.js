// The frame around every view: the header with its links, the connection banner, toasts, and announcements.

import { button, localStore, make, setChildren, setAttributes, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { showHelp } from "./keys.js";
import { address, isBoardView, positionAddress, visit } from "../route.js";
import { words } from "./words.js";

/** @import { OpenGame } from "../game/open_game.js" */
/** @import { ViewName } from "../types.js" */

/** @typedef {"auto" | "light" | "dark"} Theme */

/** @type {Theme[]} */
const THEMES = ["auto", "light", "dark"];
const TOAST_MS = 7000;

/**
 * @param {OpenGame} openGame
 * @returns the functions that views use: `announce`, `showError`, `showView`, …
 */
export function shell(openGame) {
  const polite = make("div", { class: "unseen", "aria-live": "polite", id: "said" });
  const banner = make("div", { class: "banner", role: "status", hidden: true });
  const toasts = make("div", { class: "toasts", role: "alert" });
  const main = make("main", { id: "main", tabindex: -1 });
  const viewNames = /** @type {ViewName[]} */ (Object.keys(words.views));
  /** @type {[ViewName, HTMLAnchorElement][]} */
  const links = viewNames.map((name) => [name, make("a", { href: address(name) }, words.views[name])]);
  const nav = make(
    "nav",
    { "aria-label": words.navigation },
    links.map(([, anchor]) => anchor),
  );
  const theme = iconButton(null, "", () => setTheme(THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length]));
  const brand = make(
    "a",
    { class: "brand", href: address("play") },
    make("img", { src: "icon.svg", alt: "", width: 26, height: 26 }),
    words.title,
  );
  const skip = make(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (/** @type {MouseEvent} */ event) => (event.preventDefault(), main.focus()),
    },
    words.skip,
  );
  const tools = make("div", { class: "tools" }, theme, iconButton(icon("help"), words.help, showHelp));
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

  function currentTheme() {
    return THEMES.find((name) => name === localStore.get("theme")) ?? "auto";
  }

  /** @param {Theme} name */
  function setTheme(name) {
    localStore.set("theme", name);
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    setAttributes(theme, { "aria-label": words.theme[name], title: words.theme[name] });
    setChildren(theme, icon(name));
  }
  setTheme(currentTheme());

  /**
   * The current target of a link in the header, with its history state.
   * @param {ViewName} name
   * @returns {[to: string, state: { id: string } | null]}
   */
  function target(name) {
    if (!openGame.game || !isBoardView(name)) return [address(name), null];
    const state = { id: openGame.game.id };
    return name === "play"
      ? [address("game", openGame.game.id), null]
      : [positionAddress(name, openGame.game, openGame.tree), state];
  }

  for (const [name, anchor] of links) {
    anchor.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(name);
    });
  }

  /** @param {ViewName} name */
  function go(name) {
    const [to, state] = target(name);
    visit(to, { state });
  }

  /** @param {HTMLElement} view @param {ViewName} name */
  function showView(view, name) {
    if (main.firstChild !== view) setChildren(main, view);
    for (const [linkName, anchor] of links) setAttributes(anchor, { "aria-current": linkName === name && "page" });
    setTitle(name);
  }

  /** @param {ViewName} name */
  function setTitle(name) {
    const gameTitle = isBoardView(name) ? openGame.game?.title : "";
    document.title = words.pageTitle(words.views[name], gameTitle);
  }

  let announced = 0;
  /** Announce a text to users of screen readers. @param {string} text */
  function announce(text) {
    polite.textContent = text;
    polite.dataset.count = String(++announced);
  }

  /** @param {string} text */
  function showError(text) {
    /** @type {HTMLElement} */
    const note = make(
      "div",
      { class: "toast wrong" },
      make("span", {}, text),
      iconButton(icon("close"), words.close, () => note.remove()),
    );
    setChildren(toasts, note);
    setTimeout(() => note.remove(), TOAST_MS);
  }

  /** @param {boolean} wasConnected @param {string | null} move a move that is not sent yet */
  function showDisconnected(wasConnected, move = null) {
    setChildren(
      banner,
      move ? words.connection.unsent(move) : wasConnected ? words.connection.lost : words.connection.first,
    );
    banner.hidden = false;
    element.classList.toggle("offline", wasConnected);
    // A page that has just been opened is usually connected before the banner could be read.
    banner.classList.toggle("later", !wasConnected);
  }

  function showConnected() {
    const wasOffline = element.classList.contains("offline");
    banner.hidden = true;
    element.classList.remove("offline");
    if (wasOffline) announce(words.connection.back);
  }

  function showOutdated() {
    setChildren(
      banner,
      words.connection.outdated,
      button(words.connection.reload, () => location.reload()),
    );
    banner.hidden = false;
  }

  return {
    element,
    announce,
    showView,
    go,
    setTitle,
    showDisconnected,
    showConnected,
    showOutdated,
    showError,
  };
}
