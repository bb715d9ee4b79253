// Elements, created without markup: text stays text, whatever it contains.

import { words } from "./words.js";

/** @import { Attributes, Child, Children } from "../types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Create an element with attributes, event listeners (`onclick`, …) and children.
 * An attribute that is `false`, `null` or `undefined` is omitted; `true` is written without a value.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {Children} children
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Create an SVG element in the same way.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {Children} children
 */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} Target
 * @param {Target} element
 * @param {Attributes} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value))
      element.setAttribute(name, value === true ? "" : String(value));
  }
  return element;
}

/**
 * @template {Element} Target
 * @param {Target} element
 * @param {Attributes} attributes
 * @param {Children} children
 */
function fill(element, attributes, children) {
  setAttributes(element, attributes);
  element.append(...nodes(children, (child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * The children that fulfil a condition, as arguments of `append`.
 * @param {Children} children
 * @param {(child: Child) => boolean} condition
 */
function nodes(children, condition) {
  return children
    .flat(2)
    .filter(condition)
    .map((child) => (child instanceof Element ? child : String(child)));
}

/**
 * A button with a text.
 * @param {string} text
 * @param {(event: MouseEvent) => unknown} onclick
 * @param {Attributes} attributes
 */
export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/**
 * A button with an icon; its name is the label for screen readers and the tooltip.
 * @param {SVGElement | null} icon
 * @param {string} name
 * @param {(event: MouseEvent) => unknown} onclick
 */
export function iconButton(icon, name, onclick) {
  return make("button", { type: "button", class: "sign", "aria-label": name, title: name, onclick }, icon);
}

/**
 * A field with a label before it.
 * @param {string} text
 * @param {HTMLElement} field
 */
export function labelledField(text, field, hint = "") {
  return make("label", { class: "field" }, make("span", {}, text), field, hint && make("small", {}, hint));
}

/** The content of a list that is being loaded. @param {"p" | "li"} tag */
export function loadingNote(tag) {
  return make(tag, { class: "loading" }, words.loading);
}

/**
 * A `select` element.
 * @param {(readonly [value: string | number, text: string])[]} pairs
 * @param {string | number} selected
 * @param {Attributes} attributes
 */
export function dropdown(pairs, selected, attributes = {}) {
  const options = pairs.map(([value, text]) => make("option", { value, selected: value === selected }, text));
  return make("select", attributes, options);
}

/**
 * @template {Element} Parent
 * @param {Parent} parent
 * @param {Children} children
 */
export function setChildren(parent, ...children) {
  parent.replaceChildren(...nodes(children, Boolean));
  return parent;
}

/**
 * Replace the children; the focus stays at the element with the same `data-key`, or moves to the parent.
 * @param {HTMLElement} parent
 * @param {Children} children
 */
export function setChildrenKeepingFocus(parent, ...children) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const hadFocus = focused !== parent && parent.contains(focused);
  setChildren(parent, ...children);
  if (!hadFocus) return;
  /** @type {NodeListOf<HTMLElement>} */
  const keyed = parent.querySelectorAll("[data-key]");
  const sameKey = [...keyed].find((element) => element.dataset.key === focused.dataset.key);
  (sameKey ?? parent).focus();
}

/** @param {() => Storage} storage */
const store = (storage) => ({
  /** @param {string} name @param {string | null} otherwise */
  get(name, otherwise = null) {
    try {
      return storage().getItem(name) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  /** @param {string} name @param {string} value */
  set(name, value) {
    try {
      storage().setItem(name, value);
    } catch {
      // storage is switched off: the value is not remembered
    }
  },
});

/** The user's settings, stored between visits if the browser allows it. */
export const localStore = store(() => localStorage);

/** Values for this window only. */
export const sessionStore = store(() => sessionStorage);
