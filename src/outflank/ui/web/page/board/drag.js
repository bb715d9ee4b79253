// Dragging on an SVG by mouse, pen or finger, in the units of the SVG.

const CLICK_PIXELS = 6; // a shorter drag is a click

/**
 * Track drags that start on a cell for which `begin` returns true; `move` and `end` get their offset.
 * @param {SVGSVGElement} svg
 * @param {object} listeners
 * @param {(cell: string) => boolean} listeners.begin
 * @param {(cell: string, vector: [number, number]) => void} listeners.move
 * @param {(cell: string, vector: [number, number]) => void} listeners.end
 */
export function trackDrags(svg, { begin, move, end }) {
  /** @type {{ cell: string, x: number, y: number, pointer: number, far: boolean } | null} */
  let drag = null;
  let wasDragged = false; // the click after a drag is ignored
  /** @param {PointerEvent} event @returns {[number, number]} */
  const offset = (event) => {
    const scale = svg.getScreenCTM()?.a || 1;
    return [(event.clientX - drag.x) / scale, (event.clientY - drag.y) / scale];
  };
  svg.addEventListener("click", (event) => wasDragged && event.stopPropagation(), true);
  svg.addEventListener("pointerdown", (event) => {
    wasDragged = false;
    const cell = /** @type {Element} */ (event.target).closest("[data-cell]")?.getAttribute("data-cell");
    if (event.button !== 0 || !cell || !begin(cell)) return;
    drag = { cell, x: event.clientX, y: event.clientY, pointer: event.pointerId, far: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== drag?.pointer) return;
    if (!drag.far) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < CLICK_PIXELS) return;
      drag.far = true;
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
    }
    move(drag.cell, offset(event));
  });
  /** @param {PointerEvent} event @param {(event: PointerEvent) => [number, number]} vector */
  const release = (event, vector) => {
    if (event.pointerId !== drag?.pointer) return;
    const { cell, far: isDrag } = drag;
    if (isDrag) {
      end(cell, vector(event));
      svg.classList.remove("dragging");
      wasDragged = true;
    }
    drag = null;
  };
  svg.addEventListener("pointerup", (event) => release(event, offset));
  svg.addEventListener("pointercancel", (event) => release(event, () => [0, 0]));
}
