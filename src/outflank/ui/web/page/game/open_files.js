// Opening files with games: chosen in the browser's dialog, or dropped onto the page.

import { openDialog } from "../parts/dialog.js";
import { make } from "../parts/dom.js";
import { tryReadGames } from "./read_games.js";
import { words } from "../parts/words.js";

/** @import { App, GameFile } from "../types.js" */

const w = words.files;
const MOST_FILES = 4; // as the server accepts them
const MOST_BYTES = 1_500_000; // of all files together

/** Let the user choose files in the browser's dialog. @param {App} app */
export function chooseFiles(app) {
  /** @type {HTMLInputElement} */
  const field = make("input", {
    type: "file",
    multiple: true,
    onchange: () => openFiles(app, [...field.files]),
  });
  field.click();
}

/** Open files that are dropped onto the page. @param {App} app */
export function listenToDrops(app) {
  const holdsFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault(); // otherwise the browser would show the file instead of the page
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    openFiles(app, [...event.dataTransfer.files]);
  });
}

/** @param {App} app @param {File[]} files @returns {Promise<void>} */
async function openFiles(app, files) {
  if (!files.length) return;
  openDialog()?.close();
  if (files.length === 1 && app.boardView.panel?.takeFile?.(files[0])) return;
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (bytes > MOST_BYTES) return app.showError(w.tooLarge(bytes, MOST_BYTES));
  if (files.length > MOST_FILES) return app.showError(w.tooMany(files.length, MOST_FILES));
  return tryReadGames(app, { files: await Promise.all(files.map(content)) });
}

/** A file as the server reads it, with its content in base64. @param {File} file @returns {Promise<GameFile>} */
function content(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, data: String(reader.result).replace(/^[^,]*,/, "") });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
