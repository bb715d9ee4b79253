// Animations from one position to the next: discs are flipped, marbles are pushed. Nothing is animated if the user
// prefers reduced motion.

const FLIP_MS = 260;
const STAGGER_MS = 45;
const SLIDE_MS = 240;
const DROP_MS = 160;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export function isMotionReduced() {
  return reducedMotion.matches;
}

/** Let a new piece appear. @param {Element} body */
export function animateDrop(body) {
  if (isMotionReduced()) return;
  body.animate(
    [
      { transform: "scale(0.6)", opacity: 0 },
      { transform: "scale(1)", opacity: 1 },
    ],
    { duration: DROP_MS, easing: "ease-out" },
  );
}

/**
 * Flip a piece; `showOtherSide` changes its colour. `distance`: in cells, from the piece that was placed.
 * @param {Element} body
 * @param {() => void} showOtherSide
 * @param {number} distance
 */
export function animateFlip(body, showOtherSide, distance) {
  if (isMotionReduced()) return showOtherSide();
  const delay = STAGGER_MS * Math.max(0, distance - 1);
  /** @type {KeyframeAnimationOptions} */
  const half = { duration: FLIP_MS / 2, fill: "backwards" };
  const firstHalf = body.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0.02)" }], {
    ...half,
    delay,
    easing: "ease-in",
  });
  const secondHalf = () => {
    showOtherSide();
    body.animate([{ transform: "scaleX(0.02)" }, { transform: "scaleX(1)" }], { ...half, easing: "ease-out" });
  };
  firstHalf.onfinish = secondHalf;
  firstHalf.oncancel = showOtherSide;
  return undefined;
}

/**
 * Slide a piece to its place from `dx` and `dy` away; `draggedPart`: the part of the way that it was dragged already.
 * @param {Element} body
 * @param {number} dx
 * @param {number} dy
 */
export function animateSlide(body, dx, dy, draggedPart = 0) {
  if (isMotionReduced()) return;
  const remaining = 1 - draggedPart;
  body.animate([{ transform: `translate(${dx * remaining}px, ${dy * remaining}px)` }, { transform: "none" }], {
    duration: SLIDE_MS,
    easing: "cubic-bezier(0.3, 0.1, 0.2, 1)",
  });
}

/**
 * Push a piece off the board, and remove it.
 * @param {Element} piece
 * @param {Element} body
 * @param {number} dx
 * @param {number} dy
 */
export function animateFall(piece, body, dx, dy) {
  if (isMotionReduced()) return piece.remove();
  const fall = body.animate(
    [
      { transform: "none", opacity: 1 },
      { transform: `translate(${dx}px, ${dy}px)`, opacity: 1, offset: 0.5 },
      { transform: `translate(${1.5 * dx}px, ${1.5 * dy}px) scale(0.5)`, opacity: 0 },
    ],
    { duration: 2 * SLIDE_MS, easing: "ease-in", fill: "forwards" },
  );
  fall.onfinish = () => piece.remove();
  return undefined;
}
