// Dialogs: one at a time, closed by Escape, by their button, or by what they are for.

import { make, sign } from "./dom.js";
import { icon } from "./icons.js";
import { words } from "./words.js";

/**
 * Open a dialog.
 * @param actions buttons at its end @param submit what Enter does in its fields
 * @returns the dialog; it is gone when it is closed
 */
export function dialog(title, content, { actions = [], submit = null, wide = false } = {}) {
  const name = make("h2", { id: "dialog-name" }, title);
  const head = make(
    "div",
    { class: "dialog-head" },
    name,
    sign(icon("close"), words.close, () => element.close()),
  );
  const form = make(
    "form",
    { method: "dialog" },
    head,
    make("div", { class: "dialog-body" }, content),
    actions.length > 0 && make("div", { class: "actions" }, actions),
  );
  const element = make("dialog", { "aria-labelledby": "dialog-name", class: wide ? "wide" : false }, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit?.();
  });
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", (event) => event.target === element && element.close());
  document.body.append(element);
  element.showModal();
  form.querySelector("select, input, textarea, .actions button")?.focus();
  return element;
}

/** Ask before something is done that cannot be taken back. */
export function confirm(question, action) {
  return new Promise((resolve) => {
    let sure = false;
    const answer = (yes) => () => {
      sure = yes;
      element.close();
    };
    const element = dialog(question, [], {
      actions: [
        make("button", { type: "button", onclick: answer(false) }, words.cancel),
        make("button", { type: "button", class: "danger", onclick: answer(true) }, action),
      ],
    });
    element.addEventListener("close", () => resolve(sure));
  });
}
