// Watching a search: how workers share it, what each worker is doing, and the speed-up.

import { button, dropdown, localStore, labelledField, make, setChildren, setAttributes } from "../parts/dom.js";
import { Engine, moveValues } from "../game/engine.js";
import { chooseFiles } from "../game/open_files.js";
import { byteText } from "../parts/figures.js";
import { Lanes } from "./lanes.js";
import { Comparisons } from "./comparisons.js";
import { ConnectionLost } from "../connection.js";
import { readTrace } from "./recording.js";
import { SearchPlayer } from "./search_player.js";
import { readSteps, StepPlayer } from "./steps.js";
import { words } from "../parts/words.js";

/** @import { Analysis, Game, PanelApp, SearchOptions } from "../types.js" */

const w = words.watch;
const MOST_WORKERS = 64;
const MOST_DEPTH = 60;
const ALONE = "";
const DEFAULT_SCHEME = "ybw";
const SECOND_SCHEME = "jamboree";
const VALUES = 8;
const STEP_DEPTH = 4; // of a search to step through, if none is chosen
const MOST_STEP_DEPTH = 6; // as the server accepts it
const MOST_FILE_BYTES = 200e6;

export class Watch {
  #app;
  #engine;
  #recorded = 0; // number of the request whose search is recorded
  singleStep = true;

  /** @param {PanelApp} app */
  constructor(app) {
    this.#app = app;
    const { welcome } = app.connection;
    const last = JSON.parse(localStore.get("watch", "null")) ?? {};
    this.#engine = new Engine(app, (message) => this.#show(message));
    this.lanes = new Lanes();
    this.player = new SearchPlayer();
    this.comparisons = new Comparisons(app, () => this.#showMeasuring());
    const schemes = welcome.schemes.map((scheme) => /** @type {const} */ ([scheme.name, scheme.name]));
    const defaultScheme = welcome.schemes.find((scheme) => scheme.name === DEFAULT_SCHEME) ?? welcome.schemes[0];
    this.scheme = dropdown([[ALONE, w.alone], ...schemes], last.scheme ?? defaultScheme?.name ?? ALONE, {
      onchange: () => this.#optionsChanged(),
    });
    this.algorithm = make("select", { onchange: () => this.#optionsChanged() });
    this.workers = make("input", {
      type: "number",
      min: 1,
      max: MOST_WORKERS,
      value: last.workers ?? Math.max(2, welcome.cores),
      onchange: () => this.#optionsChanged(),
    });
    this.depth = make("input", {
      type: "number",
      min: 1,
      max: MOST_DEPTH,
      value: last.depth ?? "",
      placeholder: w.noDepth,
      onchange: () => this.#optionsChanged(),
    });
    this.second = dropdown(schemes, last.second ?? SECOND_SCHEME, { onchange: () => this.#optionsChanged() });
    this.sideBySide = button(w.sideBySide, () => this.#showSideBySide());
    this.about = make("p", { class: "quiet about" });
    this.run = button(w.start, () => this.toggle(), { class: "primary" });
    this.measure = button(w.compare, () => this.#compare());
    this.value = make("strong", { class: "value" });
    this.facts = make("p", { class: "facts" });
    this.root = this.#gauge(w.rootTitle);
    this.table = this.#gauge(w.table);
    this.stepPlayer = new StepPlayer();
    this.stepThrough = button(words.steps.open, () => this.#stepThrough());
    const openTrace = button(w.openTrace, () => chooseFiles(app));
    this.element = make(
      "div",
      { class: "watch" },
      make("h2", {}, w.title),
      make(
        "div",
        { class: "choices" },
        labelledField(w.scheme, this.scheme),
        labelledField(w.algorithm, this.algorithm),
        labelledField(w.workers, this.workers),
        labelledField(w.depth, this.depth),
      ),
      this.about,
      make("div", { class: "actions" }, this.run, this.measure, this.stepThrough, openTrace),
      make("div", { class: "actions compare" }, labelledField(w.second, this.second), this.sideBySide),
      make("div", { class: "engine-head" }, this.value, this.facts),
      make("div", { class: "gauges" }, this.root.element, this.table.element),
      this.stepPlayer.element,
      this.player.element,
      this.lanes.element,
      this.comparisons.element,
    );
    this.#fillAlgorithms(last.algorithm);
    this.#showAbout();
  }

  /** @param {string} name */
  #gauge(name) {
    const label = make("span", { class: "said" });
    const bar = make("progress", { max: 1, value: 0, "aria-label": name });
    const element = make("div", { class: "gauge" }, make("span", {}, name), label, bar);
    /** @param {number} part @param {string} text */
    const show = (part, text) => {
      bar.value = part;
      label.textContent = text;
    };
    return { element, show };
  }

  enter() {
    this.#clear();
  }

  leave() {
    this.#stop();
    this.comparisons.stop();
  }

  reconnected() {
    this.#engine.reconnected();
    this.comparisons.stop();
    this.#search();
  }

  canMove() {
    return true;
  }

  canStepByWheel() {
    return true;
  }

  /** @param {File} file */
  takeFile(file) {
    if (!file.name.endsWith(".json")) return false;
    this.#openFile(file);
    return true;
  }

  /** @param {File} file with a trace or a recorded search */
  async #openFile(file) {
    try {
      if (file.size > MOST_FILE_BYTES) throw new Error(w.fileTooLarge(file.name, MOST_FILE_BYTES));
      const text = await file.text();
      if (text.slice(0, 100).includes("recorded-search")) this.stepPlayer.show(readSteps(text, file.name));
      else this.player.showTrace(readTrace(text, file.name));
    } catch (error) {
      this.#app.showError(error.message);
    }
  }

  /** Record a small search of the current position, and show it. */
  async #stepThrough() {
    const { game } = this.#app.openGame;
    const { algorithm, depth = STEP_DEPTH } = this.options();
    if (depth > MOST_STEP_DEPTH) return this.#app.showError(words.steps.depth(MOST_STEP_DEPTH));
    try {
      const { text, file } = await this.#app.connection.ask({
        kind: "steps",
        id: game.id,
        node: game.node,
        depth,
        algorithm: algorithm === "minimax" ? "minimax" : "alphabeta",
      });
      this.stepPlayer.show(readSteps(text, file));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.#app.showError(error.message);
    }
    return undefined;
  }

  toggle() {
    if (this.#engine.on) return this.#stop();
    this.comparisons.stop();
    this.#engine.on = true;
    setChildren(this.run, w.stop);
    return this.#search();
  }

  /** @param {Game} game */
  update(game) {
    this.comparisons.show(game);
    const { last } = this.#engine;
    if (last && last.node === game.node && last.id === game.id) this.#app.board.showValues(moveValues(last, game));
    else this.#clear();
    if (this.#engine.on) this.#search();
    else this.#engine.last = null;
  }

  /** The chosen search options. @returns {SearchOptions} */
  options() {
    const scheme = this.scheme.value;
    /** @param {HTMLInputElement} field @param {number} most */
    const number = (field, most) => Math.max(1, Math.min(most, Math.round(Number(field.value)) || 1));
    return {
      ...(this.algorithm.value ? { algorithm: this.algorithm.value } : {}),
      ...(scheme ? { scheme, workers: number(this.workers, MOST_WORKERS) } : { workers: 1 }),
      ...(this.depth.value ? { depth: number(this.depth, MOST_DEPTH) } : {}),
    };
  }

  #optionsChanged() {
    this.#fillAlgorithms(this.algorithm.value);
    this.#showAbout();
    localStore.set(
      "watch",
      JSON.stringify({
        scheme: this.scheme.value,
        algorithm: this.algorithm.value,
        second: this.second.value,
        workers: this.workers.value,
        depth: this.depth.value,
      }),
    );
    if (this.#engine.on) this.#search();
  }

  /** Offer the algorithms that the scheme supports. @param {string | undefined} selected */
  #fillAlgorithms(selected) {
    const { schemes, algorithms } = this.#app.connection.welcome;
    const available = schemes.find((scheme) => scheme.name === this.scheme.value)?.algorithms ?? algorithms;
    setChildren(
      this.algorithm,
      [["", w.usual], ...available.map((algorithm) => [algorithm, algorithm])].map(([value, text]) =>
        make("option", { value, selected: value === selected }, text),
      ),
    );
  }

  #showAbout() {
    const scheme = this.#app.connection.welcome.schemes.find((known) => known.name === this.scheme.value);
    const { cores } = this.#app.connection.welcome;
    const workers = this.options().workers ?? 1;
    setAttributes(this.workers, { disabled: !scheme });
    const canMeasure = this.comparisons.running || (scheme && this.depth.value);
    setAttributes(this.measure, { disabled: !canMeasure, title: this.depth.value ? false : w.needsDepth });
    const differs = scheme && scheme.name !== this.second.value;
    setAttributes(this.sideBySide, { disabled: !differs, title: differs ? false : w.needsTwo });
    const facts = scheme
      ? [
          [w.promises, scheme.promises],
          [w.overhead, scheme.overhead],
        ]
      : [];
    setChildren(
      this.about,
      facts.filter(([, text]) => text).map(([name, text]) => make("span", {}, make("b", {}, `${name}: `), text, " ")),
      workers > cores && make("span", { class: "note" }, w.many(workers, cores)),
    );
  }

  #search() {
    const { game } = this.#app.openGame;
    if (game) this.#engine.search(game, { moves: 1, tree: true, options: this.options() });
  }

  #stop() {
    this.#engine.halt();
    this.#engine.on = false;
    setChildren(this.run, w.start);
  }

  /** Begin to measure, or stop. */
  #compare() {
    if (this.comparisons.running) return this.comparisons.stop();
    this.#stop();
    this.comparisons.run(this.options());
  }

  /** Compare two schemes on the current position, in a page of the laboratory. */
  #showSideBySide() {
    const { game } = this.#app.openGame;
    const { scheme, workers, algorithm, depth } = this.options();
    this.#stop();
    this.#app.runExperiment("two-schemes", {
      schemes: `${scheme},${this.second.value}`,
      game: game.game,
      position: game.position,
      workers: String(workers),
      ...(algorithm ? { algorithm } : {}),
      ...(depth ? { depth: String(depth) } : {}),
    });
  }

  #showMeasuring() {
    setChildren(this.measure, this.comparisons.running ? w.stopMeasuring : w.compare);
    this.#showAbout();
    if (!this.#engine.on) this.#clear();
  }

  /** @param {Analysis | null} message */
  #show(message) {
    if (!message) {
      if (!this.#engine.on) setChildren(this.run, w.start);
      return this.#clear();
    }
    const { game } = this.#app.openGame;
    if (message.id !== game.id || message.node !== game.node) return undefined;
    const texts = words.analyse;
    this.value.textContent = message.value_text && texts.value(message.value_text, game.turn);
    const depths = /** @type {const} */ ([message.depth, message.at_depth, message.selectivity]);
    const facts = [texts.depth(...depths), texts.nodes(message.nodes), texts.speed(message.speed)].filter(Boolean);
    this.facts.title = texts.depthHint(...depths);
    this.facts.textContent = message.compiling
      ? words.compiling(...message.compiling)
      : message.waiting
        ? w.waiting
        : facts.join(" · ");
    const [done, all] = message.root_moves;
    this.root.show(all ? done / all : 0, all ? w.root(done, all) : "");
    this.table.show(message.table, w.full(message.table, byteText(message.table_bytes)));
    this.lanes.show(message.workers);
    if (message.of !== this.#recorded) this.player.reset();
    this.#recorded = message.of;
    this.player.add(message);
    this.#app.board.showValues(moveValues(message, game).slice(0, VALUES));
    if (message.done) this.#markEnded();
    return undefined;
  }

  /** The search has ended; its last state stays visible. */
  #markEnded() {
    this.#engine.on = false;
    setChildren(this.run, w.start);
  }

  #clear() {
    this.value.textContent = "";
    this.facts.title = "";
    this.facts.textContent = this.#engine.on
      ? words.analyse.first
      : this.comparisons.running
        ? w.measuring
        : w.idleHint;
    this.root.show(0, "");
    this.table.show(0, "");
    this.lanes.show([]);
  }
}
