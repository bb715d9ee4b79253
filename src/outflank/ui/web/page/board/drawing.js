// Drawing arrows on a board with the right button of a mouse: from cell to cell, or around one.

/**
 * @param {SVGSVGElement} svg
 * @param {object} listeners
 * @param {() => boolean} listeners.isOn whether anything is drawn; otherwise the button opens the browser's menu
 * @param {(from: string, to: string) => void} listeners.preview called while the pointer moves
 * @param {(from: string, to: string | null) => void} listeners.end called at the end; null: outside the board
 */
export function trackDrawing(svg, { isOn, preview, end }) {
  /** @type {string | null} */
  let from = null;
  /** @param {PointerEvent} event */
  const cellAt = (event) =>
    document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]")?.getAttribute("data-cell") ?? null;
  svg.addEventListener("contextmenu", (event) => isOn() && event.preventDefault());
  svg.addEventListener("pointerdown", (event) => {
    from = event.button === 2 && isOn() ? cellAt(event) : null;
    if (from) svg.setPointerCapture(event.pointerId); // the end is noticed outside the board as well
  });
  svg.addEventListener("pointermove", (event) => {
    const to = from && cellAt(event);
    if (to) preview(from, to);
  });
  svg.addEventListener("pointerup", (event) => {
    if (from && event.button === 2) end(from, cellAt(event));
    from = null;
  });
  svg.addEventListener("pointercancel", () => {
    if (from) end(from, null);
    from = null;
  });
}
