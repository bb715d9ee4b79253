// The dialog for a new game: the game, its options, the players and the clock.

import { dialog, ignoreWhileRunning, openDialog } from "../parts/dialog.js";
import { button, dropdown, localStore, labelledField, make, setChildren } from "../parts/dom.js";
import { address, visit } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, Colour, Game, GameKind, RequestOf, Welcome } from "../types.js" */

const w = words.newGame;
const OWN_CLOCK = "own";

/**
 * The fields for a player: its kind, and the level of a computer.
 * @param {Colour} side
 * @param {string} spec the player as in `Seats`
 * @param {GameKind} game
 */
function seat(side, spec, { levels, level_texts: texts, default_level: usual }) {
  const match = /^computer level=(\d+)$/.exec(spec);
  const kind = dropdown(Object.entries(w.kinds), match ? "computer" : spec in w.kinds ? spec : "human", {
    "data-side": side,
  });
  const level = make("input", {
    type: "range",
    min: 1,
    max: levels,
    value: Math.min(levels, match ? Number(match[1]) : usual),
    "aria-label": `${w[side]}, ${w.level}`,
  });
  const levelText = make("output", {});
  const slider = make("div", { class: "level" }, make("span", { "aria-hidden": "true" }, w.level), level, levelText);
  const showLevel = () => {
    slider.hidden = kind.value !== "computer" || !levels;
    levelText.textContent = w.levelOf(level.value, levels, texts[Number(level.value) - 1]);
  };
  kind.addEventListener("change", showLevel);
  level.addEventListener("input", showLevel);
  showLevel();
  return {
    element: make("div", { class: "seat" }, labelledField(w[side], kind), slider),
    spec: () => (kind.value === "computer" && levels ? `computer level=${level.value}` : kind.value),
  };
}

/** @param {GameKind} kind @param {Game["options"] | null} values */
function options(kind, values) {
  return kind.options.map((option) => {
    const field = dropdown(
      option.choices.map((value, index) => /** @type {const} */ ([value, option.labels[index] ?? String(value)])),
      values?.[option.name] ?? option.default,
    );
    const selectedValue = () => option.choices.find((value) => String(value) === field.value);
    return {
      name: option.name,
      element: labelledField(option.name[0].toUpperCase() + option.name.slice(1), field),
      value: selectedValue,
    };
  });
}

export const newGame = {
  /**
   * The request for the first game of a new user.
   * @param {Welcome} welcome
   * @returns {RequestOf<"new">}
   */
  defaults: (welcome) => ({
    kind: "new",
    game: welcome.games[0].name,
    seats: { black: "human", white: `computer level=${welcome.games[0].default_level}`, clock: "none" },
  }),

  /**
   * Open the dialog; `text`: the position with which the game begins.
   * @param {App} app
   * @param {{ text?: string | null, game?: string | null }} options
   */
  openDialog(app, { text = null, game = null } = {}) {
    if (openDialog()) return;
    const welcome = app.connection.welcome;
    const previous = app.openGame.game;
    const lastSeats = JSON.parse(localStore.get("seats", "null")) ?? newGame.defaults(welcome).seats;
    const kind = dropdown(
      welcome.games.map((game) => /** @type {const} */ ([game.name, game.title])),
      game ?? previous?.game ?? welcome.games[0].name,
    );
    const body = make("div", { class: "fields" });
    const isOwnClock = !(lastSeats.clock in w.clocks);
    const time = dropdown([...Object.entries(w.clocks), [OWN_CLOCK, w.ownClock]], isOwnClock ? OWN_CLOCK : lastSeats.clock);
    const ownClock = make("input", { type: "text", maxlength: 40, value: isOwnClock ? lastSeats.clock : "" });
    const ownClockField = labelledField(w.ownClock, ownClock, w.clockHint);
    const showOwnClock = () => (ownClockField.hidden = time.value !== OWN_CLOCK);
    time.addEventListener("change", showOwnClock);
    showOwnClock();
    const start = make("select", {});
    const startField = labelledField(w.start, start);
    const errorLine = make("p", { class: "wrong-line", role: "alert", hidden: true });
    /** @type {ReturnType<typeof options>} */
    let fields;
    /** @type {Record<Colour, ReturnType<typeof seat>>} */
    let seats;
    const chosenSeats = () => ({ black: seats.black.spec(), white: seats.white.spec(), clock: clockText() });
    const fillFields = () => {
      const description = welcome.games.find((description) => description.name === kind.value);
      fields = text ? [] : options(description, previous?.game === description.name ? previous.options : null);
      const { black, white } = seats ? chosenSeats() : lastSeats; // a choice stays when another game is chosen
      seats = { black: seat("black", black, description), white: seat("white", white, description) };
      const starts = [["", w.usualStart], ...description.starts.map(({ name, text }) => [text, name])];
      setChildren(start, starts.map(([value, name]) => make("option", { value }, name)));
      startField.hidden = Boolean(text) || starts.length === 1;
      setChildren(
        body,
        fields.map((field) => field.element),
        startField,
        seats.black.element,
        seats.white.element,
      );
    };
    kind.addEventListener("change", fillFields);
    fillFields();
    const clockText = () => (time.value === OWN_CLOCK ? ownClock.value.trim() || "none" : time.value);
    const submit = ignoreWhileRunning(async () => {
      const beginning = text ?? (startField.hidden ? "" : start.value);
      const rules = text
        ? { ...previous?.options }
        : Object.fromEntries(fields.map((field) => [field.name, field.value()]));
      try {
        const begun = await app.openGame.begin({
          kind: "new",
          game: kind.value,
          options: rules,
          seats: chosenSeats(),
          ...(beginning ? { text: beginning, keep: false } : {}),
        });
        localStore.set("seats", JSON.stringify(chosenSeats()));
        element.close();
        visit(address("game", begun.id));
      } catch (error) {
        errorLine.textContent = error.message || words.connection.offline;
        errorLine.hidden = false;
      }
    });
    const element = dialog(
      w.title,
      [!text && labelledField(w.game, kind), body, labelledField(w.clock, time), ownClockField, errorLine],
      { actions: [button(w.begin, submit, { class: "primary" })], submit },
    );
  },
};
