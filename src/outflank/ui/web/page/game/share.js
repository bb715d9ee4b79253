// A game or position for elsewhere: a link, text in a notation, or a picture.

import { dialog } from "../parts/dialog.js";
import { button, make } from "../parts/dom.js";
import { shared } from "../route.js";
import { words } from "../parts/words.js";

const w = words.share;
const PIXELS = 1024;

export function share(app) {
  if (document.querySelector("dialog[open]")) return;
  const { game, tree, kind } = app.table;
  const link = new URL(shared("analyse", game, tree), location.href).href;
  const field = make("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": w.link,
    onfocus: (event) => event.target.select(),
  });
  const told = make("p", { class: "quiet", "aria-live": "polite" });
  const exported = (form) => app.link.ask({ kind: "export", id: game.id, node: game.node, form });
  const tried = (act) => async () => {
    try {
      await act();
    } catch (error) {
      told.textContent = error.message || words.link.offline;
    }
  };
  const copied = async (text) => {
    await navigator.clipboard.writeText(text);
    told.textContent = w.copied;
  };
  const forms = (kind?.forms ?? []).filter((form) => form.name !== "svg");
  const row = (form) =>
    make(
      "div",
      { class: "form-row" },
      make("span", {}, form.title[0].toUpperCase() + form.title.slice(1)),
      button(
        w.copy,
        tried(async () => copied((await exported(form.name)).text)),
        { "aria-label": `${w.copy}: ${form.title}` },
      ),
      button(
        w.save,
        tried(async () => save(await exported(form.name))),
        { "aria-label": `${w.save}: ${form.title}` },
      ),
    );
  const picture = make(
    "div",
    { class: "form-row" },
    make("span", {}, w.picture),
    button(
      w.svg,
      tried(async () => save(await exported("svg"), "image/svg+xml")),
    ),
    button(
      w.png,
      tried(async () => savePng(await exported("svg"))),
    ),
  );
  dialog(
    w.title,
    [
      make(
        "div",
        { class: "link-row" },
        field,
        button(
          w.copy,
          tried(() => copied(link)),
          { class: "primary" },
        ),
      ),
      make("h3", {}, w.text),
      forms.map(row),
      picture,
      told,
    ],
    { wide: true },
  );
}

/** Hand a file to the browser. */
export function save({ file, text }, type = "text/plain") {
  keep(new Blob([text], { type }), file);
}

function keep(blob, file) {
  const address = URL.createObjectURL(blob);
  const anchor = make("a", { href: address, download: file });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The picture in dots: drawn by the browser itself. */
async function savePng({ file, text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const [width, height] = [image.naturalWidth || PIXELS, image.naturalHeight || PIXELS];
    const scale = PIXELS / Math.max(width, height);
    const canvas = make("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    keep(blob, file.replace(/\.svg$/, ".png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
