// Icons of buttons as SVG paths, because a font may lack the characters.

import { draw } from "./dom.js";

const PATHS = {
  first: "M5 4v12M16 4l-8 6 8 6z",
  back: "M14 4l-8 6 8 6z",
  forth: "M6 4l8 6-8 6z",
  last: "M15 4v12M4 4l8 6-8 6z",
  promote: "M10 16V4M5 9l5-5 5 5",
  prune: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6",
  close: "M5 5l10 10M15 5L5 15",
  help: "M7.2 7.4a2.8 2.8 0 1 1 4 2.6c-.8.5-1.2 1-1.2 2M10 14.6v.4",
  auto: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14M12.5 4.5v11M15 6v8",
  light:
    "M10 6.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8M10 1.8v1.7M10 16.5v1.7M1.8 10h1.7M16.5 10h1.7M4.2 4.2l1.2 1.2M14.6 14.6l1.2 1.2M15.8 4.2l-1.2 1.2M5.4 14.6l-1.2 1.2",
  dark: "M15.5 12.4A6.5 6.5 0 0 1 7.6 4.5a6.5 6.5 0 1 0 7.9 7.9z",
};
const FILLED = new Set(["first", "back", "forth", "last", "dark"]);

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return draw(
    "svg",
    {
      class: FILLED.has(name) ? "icon full" : "icon",
      viewBox: "0 0 20 20",
      width: 18,
      height: 18,
      "aria-hidden": "true",
      focusable: "false",
    },
    draw("path", { d: PATHS[name] }),
  );
}
