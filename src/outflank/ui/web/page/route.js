// Addresses: the fragment (#) of the page's address describes what is shown, so that a link shares it.

/** @import { Tree } from "./game/tree.js" */
/** @import { BoardViewName, Game, RequestOf, ViewName } from "./types.js" */

/** Whether a view shows the board of the open game. @param {ViewName} name @returns {name is BoardViewName} */
export const isBoardView = (name) => name === "play" || name === "analyse" || name === "watch";

/** The parts of an address: `["analyse", "othello", …]`. */
export function addressParts(hash = location.hash) {
  return hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodePart);
}

/** @param {string[]} names */
export function address(...names) {
  return `#/${names.map(encodePart).join("/")}`;
}

// Notations of positions contain spaces and slashes. Encoded as single characters, these keep an address readable.
/** @param {string} text */
function encodePart(text) {
  return encodeURIComponent(text)
    .replaceAll("~", "%7E") // because ~ stands for a slash below
    .replaceAll("%20", "+")
    .replaceAll("%2F", "~")
    .replaceAll("%3D", "=")
    .replaceAll("%2C", ",");
}

/** @param {string} text */
function decodePart(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20").replaceAll("~", "%2F"));
  } catch {
    return text;
  }
}

/**
 * The address of a view of the current position: its game, its start, and the moves that led to it.
 * @param {BoardViewName} view
 * @param {Game} game
 * @param {Tree} tree
 */
export function positionAddress(view, game, tree) {
  const moves = tree
    .path(game.node)
    .slice(1)
    .map((id) => tree.node(id).move);
  const options = Object.entries(game.options).map(([name, value]) => `${name}=${value}`);
  return address(view, [game.game, ...options].join(","), game.start, ...(moves.length ? [moves.join(" ")] : []));
}

/**
 * The request that opens the position of such an address; null: the address contains none.
 * @param {string[]} parts
 * @returns {RequestOf<"new"> | null}
 */
export function addressRequest([, gameAndOptions, start, moves]) {
  if (!gameAndOptions) return null;
  const [game, ...optionTexts] = gameAndOptions.split(",");
  /** @type {Record<string, string | number>} */
  const options = {};
  for (const option of optionTexts) {
    const [name, value = ""] = option.split("=");
    options[name] = /^\d+$/.test(value) ? Number(value) : value;
  }
  const text = moves ? `[FEN "${start}"] ${moves}` : start;
  return { kind: "new", game, options, ...(text ? { text, keep: false } : {}) };
}

/**
 * Go to an address; `quietly`: only replace the address, because its content is already shown.
 * @param {string} to
 * @param {{ quietly?: boolean, state?: { id: string } | null }} options
 */
export function visit(to, { quietly = false, state = null } = {}) {
  if (quietly) {
    if (location.hash !== to || JSON.stringify(history.state) !== JSON.stringify(state))
      history.replaceState(state, "", to);
    return;
  }
  history.pushState(state, "", to);
  dispatchEvent(new Event("visited"));
}
