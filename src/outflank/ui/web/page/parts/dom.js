// Elements, made without markup: text is text, whatever it holds.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with attributes, what it does when something happens (`onclick`, …), and children.
 * An attribute that is `false`, `null` or `undefined` is left out; `true` stands without a value.
 */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for a part of a drawing. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

function filled(element, attributes, children) {
  set(element, attributes);
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button that says what it does. */
export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/** A button with a sign; its name is heard and shown as a hint. */
export function sign(picture, name, onclick) {
  return make("button", { type: "button", class: "sign", "aria-label": name, title: name, onclick }, picture);
}

/** A field with its label before it. */
export function labelled(text, field, hint = "") {
  return make("label", { class: "field" }, make("span", {}, text), field, hint && make("small", {}, hint));
}

/** A choice: `[value, words]` pairs. */
export function choice(pairs, chosen, attributes = {}) {
  const options = pairs.map(([value, words]) => make("option", { value, selected: value === chosen }, words));
  return make("select", attributes, options);
}

export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(2).filter(Boolean));
  return parent;
}

/** Put other children there; the focus stays at what has the same `data-key`, or goes to what held it. */
export function renew(parent, ...children) {
  const focused = document.activeElement;
  const within = focused !== parent && parent.contains(focused);
  put(parent, ...children);
  if (!within) return;
  const same = [...parent.querySelectorAll("[data-key]")].find((each) => each.dataset.key === focused.dataset.key);
  (same ?? parent).focus();
}

const keeping = (storage) => ({
  get(name, usual = null) {
    try {
      return storage().getItem(name) ?? usual;
    } catch {
      return usual;
    }
  },
  set(name, value) {
    try {
      storage().setItem(name, value);
    } catch {
      // storage is switched off: it is asked again next time
    }
  },
});

/** What a person likes kept between visits; nothing is lost where it cannot be. */
export const kept = keeping(() => localStorage);

/** What is kept for this window alone. */
export const here = keeping(() => sessionStorage);
