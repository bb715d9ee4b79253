// Watching a search: how it is shared among workers, what each is at, and what the sharing gains.

import { button, choice, kept, labelled, make, put, set } from "../parts/dom.js";
import { Engine, valued } from "../game/engine.js";
import { bytes } from "../parts/figures.js";
import { Lanes } from "./lanes.js";
import { Measured } from "./measured.js";
import { words } from "../parts/words.js";

const w = words.watch;
const MOST_WORKERS = 64;
const MOST_DEPTH = 60;
const ALONE = "";
const USUAL = "ybw";
const VALUES = 8;

export class Watch {
  #app;
  #engine;
  single = true;

  constructor(app) {
    this.#app = app;
    const { welcome } = app.link;
    const last = JSON.parse(kept.get("watch", "null")) ?? {};
    this.#engine = new Engine(app, (message) => this.#heard(message));
    this.lanes = new Lanes();
    this.measured = new Measured(app, () => this.#stop());
    const schemes = [[ALONE, w.alone], ...welcome.schemes.map((each) => [each.name, each.name])];
    const usual = welcome.schemes.find((each) => each.name === USUAL) ?? welcome.schemes[0];
    this.scheme = choice(schemes, last.scheme ?? usual?.name ?? ALONE, { onchange: () => this.#chosen() });
    this.algorithm = make("select", { onchange: () => this.#chosen() });
    this.workers = make("input", {
      type: "number",
      min: 1,
      max: MOST_WORKERS,
      value: last.workers ?? Math.max(2, welcome.cores),
      onchange: () => this.#chosen(),
    });
    this.depth = make("input", {
      type: "number",
      min: 1,
      max: MOST_DEPTH,
      value: last.depth ?? "",
      placeholder: w.noDepth,
      onchange: () => this.#chosen(),
    });
    this.about = make("p", { class: "quiet about" });
    this.run = button(w.start, () => this.toggle(), { class: "primary" });
    this.measure = button(w.compare, () => this.#compare());
    this.value = make("strong", { class: "value" });
    this.facts = make("p", { class: "facts" });
    this.root = this.#gauge(w.rootTitle);
    this.table = this.#gauge(w.table);
    this.element = make(
      "div",
      { class: "watch" },
      make("h2", {}, w.title),
      make(
        "div",
        { class: "choices" },
        labelled(w.scheme, this.scheme),
        labelled(w.algorithm, this.algorithm),
        labelled(w.workers, this.workers),
        labelled(w.depth, this.depth),
      ),
      this.about,
      make("div", { class: "actions" }, this.run, this.measure),
      make("div", { class: "engine-head" }, this.value, this.facts),
      make("div", { class: "gauges" }, this.root.element, this.table.element),
      this.lanes.element,
      this.measured.element,
    );
    this.#algorithms(last.algorithm);
    this.#about();
  }

  #gauge(name) {
    const said = make("span", { class: "said" });
    const bar = make("progress", { max: 1, value: 0, "aria-label": name });
    const element = make("div", { class: "gauge" }, make("span", {}, name), said, bar);
    return { element, show: (part, text) => ((bar.value = part), (said.textContent = text)) };
  }

  enter() {
    this.#silent();
  }

  leave() {
    this.#stop();
    this.measured.halted();
  }

  again() {
    this.#engine.again();
    this.measured.halted();
    this.#search();
  }

  open() {
    return true;
  }

  toggle() {
    if (this.#engine.on) return this.#stop();
    this.measured.halted();
    this.#engine.on = true;
    put(this.run, w.stop);
    return this.#search();
  }

  update(game) {
    this.measured.show(game);
    const { last } = this.#engine;
    if (last && last.node === game.node && last.id === game.id) this.#app.board.value(valued(last, game));
    else this.#silent();
    if (this.#engine.on) this.#search();
    else this.#engine.last = null;
  }

  /** How to search, as it is chosen. */
  options() {
    const scheme = this.scheme.value;
    const number = (field, most) => Math.max(1, Math.min(most, Math.round(Number(field.value)) || 1));
    return {
      ...(this.algorithm.value ? { algorithm: this.algorithm.value } : {}),
      ...(scheme ? { scheme, workers: number(this.workers, MOST_WORKERS) } : { workers: 1 }),
      ...(this.depth.value ? { depth: number(this.depth, MOST_DEPTH) } : {}),
    };
  }

  #chosen() {
    this.#algorithms(this.algorithm.value);
    this.#about();
    kept.set(
      "watch",
      JSON.stringify({
        scheme: this.scheme.value,
        algorithm: this.algorithm.value,
        workers: this.workers.value,
        depth: this.depth.value,
      }),
    );
    if (this.#engine.on) this.#search();
  }

  /** The algorithms that the scheme can share. */
  #algorithms(chosen) {
    const { schemes, algorithms } = this.#app.link.welcome;
    const carried = schemes.find((each) => each.name === this.scheme.value)?.algorithms ?? algorithms;
    put(
      this.algorithm,
      [["", w.usual], ...carried.map((each) => [each, each])].map(([value, text]) =>
        make("option", { value, selected: value === chosen }, text),
      ),
    );
  }

  #about() {
    const scheme = this.#app.link.welcome.schemes.find((each) => each.name === this.scheme.value);
    const { cores } = this.#app.link.welcome;
    const workers = this.options().workers ?? 1;
    set(this.workers, { disabled: !scheme });
    set(this.measure, { disabled: !scheme || !this.depth.value, title: this.depth.value ? false : w.needsDepth });
    const told = scheme
      ? [
          [w.promises, scheme.promises],
          [w.overhead, scheme.overhead],
        ]
      : [];
    put(
      this.about,
      told.filter(([, text]) => text).map(([name, text]) => make("span", {}, make("b", {}, `${name}: `), text, " ")),
      workers > cores && make("span", { class: "note" }, w.many(workers, cores)),
    );
  }

  #search() {
    const { game } = this.#app.table;
    if (game) this.#engine.search(game, { moves: 1, options: this.options() });
  }

  #stop() {
    this.#engine.halt();
    this.#engine.on = false;
    put(this.run, w.start);
  }

  #compare() {
    this.#stop();
    this.#silent();
    this.measured.run(this.options());
  }

  #heard(message) {
    if (!message) {
      if (!this.#engine.on) put(this.run, w.start);
      return this.#silent();
    }
    const { game } = this.#app.table;
    if (message.id !== game.id || message.node !== game.node) return undefined;
    const a = words.analyse;
    this.value.textContent = message.value_text && a.value(message.value_text, game.turn);
    const facts = [
      a.depth(message.depth, message.at_depth, message.selectivity),
      a.nodes(message.nodes),
      a.speed(message.speed),
    ];
    this.facts.textContent = message.compiling ? a.compiling : message.waiting ? w.waiting : facts.join(" · ");
    const [settled, all] = message.root_moves;
    this.root.show(all ? settled / all : 0, all ? w.root(settled, all) : "");
    this.table.show(message.table, w.full(message.table, bytes(message.table_bytes)));
    this.lanes.show(message.workers);
    this.#app.board.value(valued(message, game).slice(0, VALUES));
    if (message.done) this.#ended();
    return undefined;
  }

  /** The search came to its end; what it was stays to be seen. */
  #ended() {
    this.#engine.on = false;
    put(this.run, w.start);
  }

  #silent() {
    this.value.textContent = "";
    this.facts.textContent = this.#engine.on ? words.analyse.first : w.idleHint;
    this.root.show(0, "");
    this.table.show(0, "");
    this.lanes.show([]);
  }
}
