// Dragging on an SVG by mouse, pen or finger, in the units of the SVG.

const CLICK_PIXELS = 6; // a shorter drag is a click

/** Track drags that start on a cell for which `begin` returns true; `move` and `end` get their offset. */
export function trackDrags(svg, { begin, move, end }) {
  let drag = null;
  let wasDragged = false; // the click after a drag is ignored
  const offset = (event) => {
    const scale = svg.getScreenCTM()?.a || 1;
    return [(event.clientX - drag.x) / scale, (event.clientY - drag.y) / scale];
  };
  svg.addEventListener("click", (event) => wasDragged && event.stopPropagation(), true);
  svg.addEventListener("pointerdown", (event) => {
    wasDragged = false;
    const cell = event.target.closest?.("[data-cell]")?.dataset.cell;
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
