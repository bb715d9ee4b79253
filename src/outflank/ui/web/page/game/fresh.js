// A new game: which, by which rules, who plays, and with how much time.

import { dialog } from "../parts/dialog.js";
import { button, choice, kept, labelled, make, put } from "../parts/dom.js";
import { address, visit } from "../route.js";
import { words } from "../parts/words.js";

const w = words.fresh;
const USUAL_LEVEL = 3;

/** Who plays, as a kind and perhaps a level. */
function seat(side, spec, levels) {
  const found = /^computer level=(\d+)$/.exec(spec);
  const kind = choice(Object.entries(w.kinds), found ? "computer" : spec in w.kinds ? spec : "human", {
    "data-side": side,
  });
  const level = make("input", {
    type: "range",
    min: 1,
    max: levels,
    value: Math.min(levels, found ? Number(found[1]) : USUAL_LEVEL),
    "aria-label": `${w[side]}, ${w.level}`,
  });
  const said = make("output", {});
  const slider = make("div", { class: "level" }, make("span", { "aria-hidden": "true" }, w.level), level, said);
  const shown = () => {
    slider.hidden = kind.value !== "computer" || !levels;
    said.textContent = w.levelOf(level.value, levels);
  };
  kind.addEventListener("change", shown);
  level.addEventListener("input", shown);
  shown();
  return {
    element: make("div", { class: "seat" }, labelled(w[side], kind), slider),
    spec: () => (kind.value === "computer" && levels ? `computer level=${level.value}` : kind.value),
  };
}

function options(kind, chosen) {
  return kind.options.map((option) => {
    const field = choice(
      option.choices.map((each, index) => [each, option.told[index] ?? String(each)]),
      chosen?.[option.name] ?? option.default,
    );
    const value = () => option.choices.find((each) => String(each) === field.value);
    return { name: option.name, element: labelled(option.name[0].toUpperCase() + option.name.slice(1), field), value };
  });
}

export const fresh = {
  /** What is laid on the table for who comes for the first time. */
  usual: (welcome) => ({
    kind: "new",
    game: welcome.games[0].name,
    seats: { black: "human", white: `computer level=${USUAL_LEVEL}`, clock: "none" },
  }),

  /** Ask for a new game; `text`: it begins with that position. */
  ask(app, { text = null, game = null } = {}) {
    if (document.querySelector("dialog[open]")) return;
    const welcome = app.link.welcome;
    const before = app.table.game;
    const last = JSON.parse(kept.get("seats", "null")) ?? fresh.usual(welcome).seats;
    const kind = choice(
      welcome.games.map((each) => [each.name, each.title]),
      game ?? before?.game ?? welcome.games[0].name,
    );
    const body = make("div", { class: "fields" });
    const time = choice(Object.entries(w.clocks), last.clock in w.clocks ? last.clock : "none");
    const wrong = make("p", { class: "wrong-line", role: "alert", hidden: true });
    let [fields, seats] = [[], {}];
    const filled = () => {
      const chosen = welcome.games.find((each) => each.name === kind.value);
      fields = text ? [] : options(chosen, before?.game === chosen.name ? before.options : null);
      seats = { black: seat("black", last.black, chosen.levels), white: seat("white", last.white, chosen.levels) };
      put(
        body,
        fields.map((each) => each.element),
        seats.black.element,
        seats.white.element,
      );
    };
    kind.addEventListener("change", filled);
    filled();
    const submit = async () => {
      const chosen = { black: seats.black.spec(), white: seats.white.spec(), clock: time.value };
      const rules = text ? { ...before?.options } : Object.fromEntries(fields.map((each) => [each.name, each.value()]));
      try {
        const begun = await app.table.begin({
          kind: "new",
          game: kind.value,
          options: rules,
          seats: chosen,
          ...(text ? { text } : {}),
        });
        kept.set("seats", JSON.stringify(chosen));
        element.close();
        visit(address("game", begun.id));
      } catch (error) {
        wrong.textContent = error.message || words.link.offline;
        wrong.hidden = false;
      }
    };
    const element = dialog(w.title, [!text && labelled(w.game, kind), body, labelled(w.clock, time), wrong], {
      actions: [button(w.begin, submit, { class: "primary" })],
      submit,
    });
  },
};
