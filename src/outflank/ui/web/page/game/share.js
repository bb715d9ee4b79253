// Sharing a game or a position: a link, a text in a notation, or a picture.

import { dialog, openDialog } from "../parts/dialog.js";
import { button, make } from "../parts/dom.js";
import { positionAddress } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, Form, Text } from "../types.js" */

const w = words.share;
const PIXELS = 1024;

/** @param {App} app */
export function share(app) {
  if (openDialog()) return;
  const { game, tree, kind } = app.openGame;
  const link = new URL(positionAddress("analyse", game, tree), location.href).href;
  /** @type {HTMLInputElement} */
  const field = make("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": w.link,
    onfocus: () => field.select(),
  });
  const status = make("p", { class: "quiet", "aria-live": "polite" });
  const exportAs = (/** @type {string} */ form) =>
    app.connection.ask({ kind: "export", id: game.id, node: game.node, form });
  const reportingErrors = (/** @type {() => unknown} */ act) => async () => {
    try {
      await act();
    } catch (error) {
      status.textContent = error.message || words.connection.offline;
    }
  };
  // Shown only if the text cannot be copied: it is selected there, so that the user can copy it.
  const selected = make("textarea", { rows: 4, readonly: true, hidden: true, "aria-label": w.text });
  const copy = async (/** @type {string} */ text) => {
    selected.hidden = true;
    const isCopied = await copied(text, selected);
    status.textContent = isCopied ? w.copied : w.notCopied;
  };
  const forms = (kind?.forms ?? []).filter((form) => form.name !== "svg");
  const row = (/** @type {Form} */ form) =>
    make(
      "div",
      { class: "form-row" },
      make("span", {}, form.title[0].toUpperCase() + form.title.slice(1)),
      button(
        w.copy,
        reportingErrors(async () => copy((await exportAs(form.name)).text)),
        { "aria-label": `${w.copy}: ${form.title}` },
      ),
      button(
        w.save,
        reportingErrors(async () => save(await exportAs(form.name))),
        { "aria-label": `${w.save}: ${form.title}` },
      ),
    );
  const picture = make(
    "div",
    { class: "form-row" },
    make("span", {}, w.picture),
    button(
      w.svg,
      reportingErrors(async () => save(await exportAs("svg"), "image/svg+xml")),
    ),
    button(
      w.png,
      reportingErrors(async () => savePng(await exportAs("svg"))),
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
          reportingErrors(() => copy(link)),
          { class: "primary" },
        ),
      ),
      make("h3", {}, w.text),
      forms.map(row),
      picture,
      status,
      selected,
    ],
    { wide: true },
  );
}

/**
 * Copy a text. Browsers offer `navigator.clipboard` only over HTTPS and on the server's own machine; elsewhere the text
 * is selected in `field` and copied from there.
 * @param {string} text
 * @param {HTMLTextAreaElement} field a hidden field, which stays visible if nothing could be copied
 * @returns {Promise<boolean>} whether the text was copied
 */
async function copied(text, field) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // the user or a policy forbids it: as without a clipboard
    }
  }
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  field.value = text;
  field.hidden = false;
  field.select();
  if (!document.execCommand("copy")) return false;
  field.hidden = true;
  focused.focus();
  return true;
}

/** Download a file. @param {Pick<Text, "file" | "text">} content @param {string} type */
export function save({ file, text }, type = "text/plain") {
  download(new Blob([text], { type }), file);
}

/** @param {Blob} blob @param {string} file */
function download(blob, file) {
  const address = URL.createObjectURL(blob);
  const anchor = make("a", { href: address, download: file });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Download the picture as PNG, rendered by the browser. @param {Pick<Text, "file" | "text">} picture */
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
    /** @type {Blob} */
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    download(blob, file.replace(/\.svg$/, ".png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
