// Clicks that the browser would lose: between press and release, a message may have replaced or moved the button.

const SHORT_PIXELS = 6; // a longer way of the pointer takes a press back
const PRESSED = "button, a[href], summary, [role=button], [data-cell]";

/** Click what was pressed, where the pointer is released at the same place but over something else. */
export function keepPresses() {
  /** @type {{ element: Element, x: number, y: number } | null} */
  let press = null;
  /** @type {Element | null} */
  let held = null; // the button that the space bar presses

  /** @param {Element} element @param {EventTarget | null} releasedOver */
  function isLost(element, releasedOver) {
    if (releasedOver instanceof Node && element.contains(releasedOver)) return false;
    return element.isConnected ? element.getClientRects().length > 0 : !element.matches("[data-cell]"); // of another board
  }

  const listen = (/** @type {string} */ name, /** @type {(event: any) => void} */ listener) =>
    addEventListener(name, listener, { capture: true });

  // A finger's press has no such gap: browsers send `mousedown`, `mouseup` and `click` of a tap at once.
  listen("mousedown", (/** @type {MouseEvent} */ event) => {
    const element = event.button === 0 && event.target instanceof Element ? event.target.closest(PRESSED) : null;
    press = element && { element, x: event.clientX, y: event.clientY };
  });
  listen("mouseup", (/** @type {MouseEvent} */ event) => {
    if (!press || event.button !== 0) return;
    const { element, x, y } = press;
    press = null;
    if (Math.hypot(event.clientX - x, event.clientY - y) < SHORT_PIXELS && isLost(element, event.target)) click(element);
  });
  listen("keydown", (/** @type {KeyboardEvent} */ event) => {
    held = event.key === " " && event.target instanceof HTMLButtonElement ? event.target : null;
  });
  listen("keyup", (/** @type {KeyboardEvent} */ event) => {
    const element = held;
    held = null;
    if (event.key === " " && element && !element.isConnected) click(element);
  });
}

/** @param {Element} element */
function click(element) {
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}
