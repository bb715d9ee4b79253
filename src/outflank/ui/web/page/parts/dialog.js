// Dialogs: one at a time, closed by Escape, by their close button, or by their action.

import { make, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { words } from "./words.js";

/** @import { Child } from "../types.js" */

let dialogs = 0;

/** The open dialog; null: there is none. @returns {HTMLDialogElement | null} */
export const openDialog = () => document.querySelector("dialog[open]");

/** Wait until no dialog is open. For dialogs that do not open directly after a click. */
export async function waitForNoDialog() {
  for (let element = openDialog(); element; element = openDialog())
    await new Promise((resolve) => element.addEventListener("close", resolve, { once: true }));
}

/**
 * Open a dialog.
 * @param {string} title
 * @param {(Child | Child[])[]} content
 * @param {object} options
 * @param {HTMLElement[]} [options.actions] buttons at its end
 * @param {(() => unknown) | null} [options.submit] called for Enter in its fields
 * @param {boolean} [options.wide]
 * @returns the dialog, which is removed when it is closed
 */
export function dialog(title, content, { actions = [], submit = null, wide = false } = {}) {
  // The `close` event, in which a dialog removes itself, comes after the call of `close()`, so a closed dialog may
  // still be in the page.
  for (const closed of document.querySelectorAll("dialog:not([open])")) closed.remove();
  const id = `dialog-${++dialogs}`;
  const element = make("dialog", { "aria-labelledby": id, class: wide ? "wide" : false });
  const name = make("h2", { id }, title);
  const head = make(
    "div",
    { class: "dialog-head" },
    name,
    iconButton(icon("close"), words.close, () => element.close()),
  );
  const form = make(
    "form",
    { method: "dialog" },
    head,
    make("div", { class: "dialog-body" }, content),
    actions.length > 0 && make("div", { class: "actions" }, actions),
  );
  element.append(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit?.();
  });
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => event.target === element && element.close());
  document.body.append(element);
  element.showModal();
  /** @type {HTMLElement | null} */
  const firstField = form.querySelector("select, input, textarea, .actions button");
  firstField?.focus();
  return element;
}

/**
 * Return a function that runs `action` and ignores calls while it is running, so that a double click runs it once.
 * @param {() => Promise<unknown>} action
 */
export function ignoreWhileRunning(action) {
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await action();
    } finally {
      isRunning = false;
    }
  };
}

/**
 * Ask for confirmation of an action that cannot be undone.
 * @param {string} question
 * @param {string} action
 * @returns {Promise<boolean>}
 */
export function confirm(question, action) {
  return new Promise((resolve) => {
    let isConfirmed = false;
    const answer = (/** @type {boolean} */ isYes) => () => {
      isConfirmed = isYes;
      element.close();
    };
    const element = dialog(question, [], {
      actions: [
        make("button", { type: "button", onclick: answer(false) }, words.cancel),
        make("button", { type: "button", class: "danger", onclick: answer(true) }, action),
      ],
    });
    element.addEventListener("close", () => resolve(isConfirmed));
  });
}
