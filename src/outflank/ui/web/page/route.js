// Addresses: what is shown stands behind the # of the page's address, so that a link shares it.

/** The parts of an address: `["analyse", "othello", …]`. */
export function parts(hash = location.hash) {
  return hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(unpacked);
}

export function address(...names) {
  return `#/${names.map(packed).join("/")}`;
}

// Blanks and slashes stand in the notations of positions; written as signs, an address stays readable.
function packed(text) {
  return encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replaceAll("%2F", "~")
    .replaceAll("%3D", "=")
    .replaceAll("%2C", ",");
}

function unpacked(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20").replaceAll("~", "%2F"));
  } catch {
    return text;
  }
}

/** The address of a view of the position that is shown: its game, where it began, the moves that led here. */
export function shared(view, game, tree) {
  const moves = tree
    .path(game.node)
    .slice(1)
    .map((id) => tree.node(id).move);
  const options = Object.entries(game.options).map(([name, value]) => `${name}=${value}`);
  return address(view, [game.game, ...options].join(","), game.start, ...(moves.length ? [moves.join(" ")] : []));
}

/** What to ask for, to see what such an address shares; null: it shares nothing. */
export function asked([, described, start, moves]) {
  if (!described) return null;
  const [game, ...rest] = described.split(",");
  const options = {};
  for (const each of rest) {
    const [name, value = ""] = each.split("=");
    options[name] = /^\d+$/.test(value) ? Number(value) : value;
  }
  const text = moves ? `[FEN "${start}"] ${moves}` : start;
  return { kind: "new", game, options, ...(text ? { text } : {}) };
}

/** Go to an address; `quietly`: it says what is shown already. */
export function visit(to, { quietly = false, state = null } = {}) {
  if (quietly) {
    if (location.hash !== to || JSON.stringify(history.state) !== JSON.stringify(state))
      history.replaceState(state, "", to);
    return;
  }
  history.pushState(state, "", to);
  dispatchEvent(new Event("visited"));
}
