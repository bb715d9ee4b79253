// Clicks that the browser does not send because a message replaced or moved the button between press and release.

const SHORT_PIXELS = 6; // a pointer that has moved this far or farther cancels the press
const PRESSED = "button, a[href], summary, [role=button], [data-cell]";

/** Click the pressed element if the pointer is released at the same place, but over another element. */
export function restoreLostClicks() {
  /** @type {{ element: Element, x: number, y: number } | null} */
  let press = null;
  /** @type {Element | null} */
  let buttonPressedBySpace = null;

  /**
   * Whether the browser sends no click for a press of `element`, although it should count.
   * @param {Element} element
   * @param {EventTarget | null} releasedOver
   */
  function isLost(element, releasedOver) {
    if (releasedOver instanceof Node && element.contains(releasedOver)) return false;
    if (element.isConnected) return element.getClientRects().length > 0;
    return !element.matches("[data-cell]"); // a removed cell may belong to another board
  }

  const listen = (/** @type {string} */ name, /** @type {(event: any) => void} */ listener) =>
    addEventListener(name, listener, { capture: true });

  // Taps need no correction: browsers send `mousedown`, `mouseup` and `click` of a tap together.
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
    buttonPressedBySpace = event.key === " " && event.target instanceof HTMLButtonElement ? event.target : null;
  });
  listen("keyup", (/** @type {KeyboardEvent} */ event) => {
    const element = buttonPressedBySpace;
    buttonPressedBySpace = null;
    if (event.key === " " && element && !element.isConnected) click(element);
  });
}

/** @param {Element} element */
function click(element) {
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}
