// The review of a game: a judgement of every move, the value over the game, mistakes and turning points.

import { button, dropdown, make, setChildren, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { Graph } from "../game/graph.js";
import { mistakes } from "./retry.js";
import { minusSigns, percent } from "../parts/figures.js";
import { words } from "../parts/words.js";

/** @import { App, Colour, Game, Reviewed, SideAccuracy, StreamFailure, TurningPoint } from "../types.js" */

const w = words.review;
const TIMES = [0.1, 0.5, 1, 3];

export class Review {
  #app;
  #onRunning;
  #onRetry;
  #number = 0;
  #reviewed = ""; // the id of the game whose review runs
  #shownStory = "";
  running = false;

  /**
   * @param {App} app
   * @param {object} listeners
   * @param {(running: boolean) => void} listeners.onRunning called when a review starts (true) or ends (false)
   * @param {(seconds: number) => void} listeners.onRetry called when the user wants to try the mistakes again
   */
  constructor(app, { onRunning, onRetry }) {
    this.#app = app;
    this.#onRunning = onRunning;
    this.#onRetry = onRetry;
    this.accuracy = make("div", { class: "accuracies", hidden: true });
    this.graph = new Graph((node) => app.openGame.go(node));
    this.progress = make("progress", { max: 1, value: 0, hidden: true, "aria-label": w.title });
    this.status = make("p", { class: "quiet", "aria-live": "polite" });
    this.story = make("ul", { class: "story", tabindex: -1 });
    this.time = dropdown(
      TIMES.map((time) => /** @type {const} */ ([time, `${time} s`])),
      0.5,
    );
    this.retry = button(words.retry.begin, () => this.#onRetry(Number(this.time.value)), { hidden: true });
    this.button = button(w.run, () => (this.running ? this.stop() : this.run()));
    this.element = make(
      "section",
      { class: "review", "aria-label": w.title },
      make(
        "div",
        { class: "review-head" },
        make("h2", {}, w.title),
        make("label", { class: "compact" }, make("span", {}, w.time), this.time),
        this.button,
      ),
      this.progress,
      this.accuracy,
      this.graph.element,
      this.status,
      make("div", { class: "actions" }, this.retry),
      this.story,
    );
  }

  /** Show the review of a game; a review of another game ends. @param {Game} game @returns {void} */
  show(game) {
    if (this.running && game.id !== this.#reviewed) return this.stop();
    const { tree } = this.#app.openGame;
    const main = tree.mainLine();
    const judged = main.filter((id) => tree.node(id).value !== undefined && tree.node(id).value !== null).length;
    const marks = main.map((id) => tree.node(id).mark ?? "");
    this.graph.show(game, tree);
    this.graph.element.hidden = judged < 2;
    this.#showAccuracy(game);
    this.#showStory(game);
    setAttributes(this.button, { disabled: main.length < 2 });
    this.retry.hidden = this.running || !mistakes(game, tree).length;
    if (this.running) return;
    setChildren(this.button, judged ? w.again : w.run);
    this.status.textContent = judged < 2 ? w.empty : w.marked(marks) || w.none;
  }

  run() {
    const { game } = this.#app.openGame;
    this.#onRunning(true);
    this.running = true;
    this.#reviewed = game.id;
    this.progress.hidden = false;
    this.progress.value = 0;
    setChildren(this.button, w.stop);
    this.retry.hidden = true;
    this.#number = this.#app.connection.follow(
      { kind: "review", id: game.id, seconds: Number(this.time.value) },
      (message) => this.#receive(message),
    );
  }

  stop() {
    this.#app.connection.ask({ kind: "halt" }).catch(() => {});
    this.markStopped();
  }

  /** Show that no review is running any more. */
  markStopped() {
    if (!this.running) return;
    this.#app.connection.forget(this.#number);
    this.running = false;
    this.progress.hidden = true;
    if (this.#app.openGame.game) this.show(this.#app.openGame.game);
    this.#onRunning(false);
  }

  /** @param {Reviewed | StreamFailure} message @returns {void} */
  #receive(message) {
    if (message.kind === "refused") {
      if (!message.lost) this.#app.showError(message.why);
      return this.markStopped();
    }
    this.progress.value = message.plies ? message.ply / message.plies : 1;
    this.status.textContent = w.progress(message.ply, message.plies);
    if (message.done) this.markStopped();
  }

  /** Show how well both sides played. @param {Game} game */
  #showAccuracy({ accuracy }) {
    this.accuracy.hidden = !accuracy;
    if (!accuracy) return;
    const { unit } = this.#app.openGame.kind;
    /** @param {Colour} side @param {SideAccuracy} played */
    const line = (side, { moves, best, mean_loss: loss }) =>
      make(
        "div",
        { class: `accuracy ${side}` },
        make("span", { class: "stone", role: "img", "aria-label": words.colours[side] }),
        make("strong", { title: w.accuracy }, moves ? percent(best / moves) : "–"),
        make("span", { class: "quiet" }, w.best(best, moves), make("br"), w.loss(loss, unit)),
      );
    setChildren(this.accuracy, line("black", accuracy[0]), line("white", accuracy[1]));
  }

  /** Show the turning points. Unchanged ones stay, because a click could miss new ones. @param {Game} game */
  #showStory({ id, story }) {
    const content = JSON.stringify([id, story]);
    if (content === this.#shownStory) return;
    this.#shownStory = content;
    const turningPoint = (/** @type {TurningPoint} */ { node, text }) =>
      make("li", {}, button(minusSigns(text), () => this.#app.openGame.go(node), { class: "link", "data-key": node }));
    setChildrenKeepingFocus(this.story, story.map(turningPoint));
  }
}
