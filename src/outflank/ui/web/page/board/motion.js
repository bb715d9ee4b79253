// How pieces go from one position to the next: discs turn over, marbles are pushed. Nothing moves where less motion is
// asked for.

const FLIP_MS = 260;
const STAGGER_MS = 45;
const SLIDE_MS = 240;
const DROP_MS = 160;

const still = matchMedia("(prefers-reduced-motion: reduce)");

export function calm() {
  return still.matches;
}

/** A piece appears. */
export function dropped(body) {
  if (calm()) return;
  body.animate(
    [
      { transform: "scale(0.6)", opacity: 0 },
      { transform: "scale(1)", opacity: 1 },
    ],
    { duration: DROP_MS, easing: "ease-out" },
  );
}

/** A piece turns over; `turn` shows its other side. `far`: how many cells from the piece that was put down. */
export function flipped(body, turn, far) {
  if (calm()) return turn();
  const delay = STAGGER_MS * Math.max(0, far - 1);
  const half = { duration: FLIP_MS / 2, fill: "backwards" };
  const away = body.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0.02)" }], {
    ...half,
    delay,
    easing: "ease-in",
  });
  const shown = () => {
    turn();
    body.animate([{ transform: "scaleX(0.02)" }, { transform: "scaleX(1)" }], { ...half, easing: "ease-out" });
  };
  away.onfinish = shown;
  away.oncancel = turn;
  return undefined;
}

/** A piece comes from elsewhere, `dx` and `dy` away; `done`: the part of the way that a hand has moved it. */
export function slid(body, dx, dy, done = 0) {
  if (calm()) return;
  const part = 1 - done;
  body.animate([{ transform: `translate(${dx * part}px, ${dy * part}px)` }, { transform: "none" }], {
    duration: SLIDE_MS,
    easing: "cubic-bezier(0.3, 0.1, 0.2, 1)",
  });
}

/** A piece is pushed off the board, and is gone. */
export function fallen(piece, body, dx, dy) {
  if (calm()) return piece.remove();
  const gone = body.animate(
    [
      { transform: "none", opacity: 1 },
      { transform: `translate(${dx}px, ${dy}px)`, opacity: 1, offset: 0.5 },
      { transform: `translate(${1.5 * dx}px, ${1.5 * dy}px) scale(0.5)`, opacity: 0 },
    ],
    { duration: 2 * SLIDE_MS, easing: "ease-in", fill: "forwards" },
  );
  gone.onfinish = () => piece.remove();
  return undefined;
}
