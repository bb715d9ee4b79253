// Dragging on a drawing: by mouse, pen or finger, told in the drawing's own lengths.

const FAR = 6; // pixels: less is a click

/** Follow pointers that go down on a cell for which `begin` says yes; `move` and `end` are told how far they went. */
export function follow(svg, { begin, move, end }) {
  let held = null;
  let dragged = false; // the click that follows a drag chooses nothing
  const length = (event) => {
    const scale = svg.getScreenCTM()?.a || 1;
    return [(event.clientX - held.x) / scale, (event.clientY - held.y) / scale];
  };
  svg.addEventListener("click", (event) => dragged && event.stopPropagation(), true);
  svg.addEventListener("pointerdown", (event) => {
    dragged = false;
    const cell = event.target.closest?.("[data-cell]")?.dataset.cell;
    if (event.button !== 0 || !cell || !begin(cell)) return;
    held = { cell, x: event.clientX, y: event.clientY, pointer: event.pointerId, far: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.pointer) return;
    if (!held.far) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
      held.far = true;
      svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
    }
    move(held.cell, length(event));
  });
  const release = (event, vector) => {
    if (event.pointerId !== held?.pointer) return;
    const { cell, far } = held;
    if (far) {
      end(cell, vector(event));
      svg.classList.remove("dragging");
      dragged = true;
    }
    held = null;
  };
  svg.addEventListener("pointerup", (event) => release(event, length));
  svg.addEventListener("pointercancel", (event) => release(event, () => [0, 0]));
}
