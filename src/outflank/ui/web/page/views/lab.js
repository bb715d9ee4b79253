// The laboratory: experiments with what can be chosen about them, the one that runs, and the reports of those that ran.

import { button, labelled, make, put, renew, set } from "../parts/dom.js";
import { seconds, when } from "../parts/figures.js";
import { Lost } from "../link.js";
import { address } from "../route.js";
import { words } from "../parts/words.js";

const w = words.lab;

export function lab(app) {
  const { link, visit } = app;
  const bar = make("progress", { max: 1, value: 0, "aria-label": w.title });
  const task = make("p", { class: "quiet", "aria-live": "polite" });
  const stop = button(w.cancel, () => link.ask({ kind: "cancel" }).catch(() => {}), { class: "danger" });
  const name = make("h2");
  const running = make(
    "section",
    { class: "running", hidden: true },
    make("div", { class: "view-head" }, name, stop),
    bar,
    task,
  );
  const wrong = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const find = make("input", { type: "search", placeholder: w.find, "aria-label": w.find, oninput: () => filter() });
  const list = make("div", { class: "experiments" });
  const reports = make("ul", { class: "reports", tabindex: -1 });
  const shelf = make(
    "div",
    { class: "lab-columns" },
    make(
      "section",
      { "aria-label": w.experiments },
      make("div", { class: "view-head" }, make("h2", {}, w.experiments), find),
      list,
    ),
    make("section", { "aria-label": w.reports }, make("h2", {}, w.reports), reports),
  );
  const reader = make("section", { class: "reader", hidden: true });
  const element = make("div", { class: "view lab" }, make("h1", {}, w.title), running, wrong, shelf, reader);
  let known = null;
  let shown = "";
  let begun = false; // whether what runs was begun in this window
  let read = "";

  async function enter(view, [id] = []) {
    shown = id ?? "";
    try {
      known = await link.ask({ kind: "lab" });
    } catch (error) {
      if (!(error instanceof Lost)) app.wrong(error.message);
      return;
    }
    if (list.childElementCount !== known.experiments.length) put(list, known.experiments.map(experiment));
    renew(reports, known.reports.length ? known.reports.map(report) : make("li", { class: "empty" }, w.none));
    state(known.running);
    if (known.progress) progress(known.progress);
    const found = known.reports.find((each) => each.id === shown);
    shelf.hidden = Boolean(found);
    reader.hidden = !found;
    if (!found) put(reader);
    else if (read !== found.id) reading(found);
    read = found?.id ?? "";
  }

  /** What runs, if anything does. */
  function state(experiment) {
    running.hidden = !experiment;
    name.textContent = experiment ? w.running(experiment) : "";
    for (const each of list.querySelectorAll(".run"))
      set(each, { disabled: Boolean(experiment), title: experiment ? w.busy : false });
  }

  function experiment(each) {
    const fields = each.parameters.map((parameter) => [
      parameter.name,
      make("input", { type: "text", placeholder: parameter.usual || w.chosen, maxlength: 200 }),
      parameter,
    ]);
    const run = button(w.run, () => begin(each, fields), {
      class: "run primary",
      "aria-label": `${w.run}: ${each.name}`,
    });
    return make(
      "details",
      { class: "experiment", "data-experiment": each.name },
      make("summary", {}, make("b", {}, each.name), make("span", {}, each.question)),
      each.reports.length > 0 && make("p", { class: "quiet" }, w.asked(each.reports)),
      make(
        "div",
        { class: "fields" },
        fields.map(([called, field, parameter]) => labelled(called, field, parameter.help)),
      ),
      make("div", { class: "actions" }, run),
    );
  }

  function filter() {
    const wanted = find.value.trim().toLowerCase();
    for (const each of list.children) each.hidden = !each.textContent.toLowerCase().includes(wanted);
  }

  function begin(each, fields) {
    const parameters = Object.fromEntries(
      fields.map(([called, field]) => [called, field.value.trim()]).filter(([, value]) => value),
    );
    wrong.hidden = true;
    bar.removeAttribute("value");
    task.textContent = "";
    state(each.name);
    begun = true;
    link.follow({ kind: "run", experiment: each.name, parameters }, (message) => {
      if (message.kind === "refused" && !message.lost) failed(message.why);
    });
    scrollTo({ top: 0 });
  }

  function progress({ part, seconds_left, task: at }) {
    bar.value = part;
    const left = seconds_left === null ? "" : w.left(seconds(seconds_left));
    task.textContent = [at, left].filter(Boolean).join(" · ");
  }

  /** A run, whoever began it: who did is shown its report. */
  function heard(message) {
    const reported = begun && message.report;
    if (message.done) begun = false;
    if (!element.isConnected) return undefined;
    progress(message);
    if (!message.done) return state(message.experiment);
    if (message.failed) return failed(w.failed(message.failed));
    return reported ? visit(address("lab", reported.id)) : enter("lab", [shown]);
  }
  link.addEventListener("running", ({ detail }) => heard(detail));

  function failed(why) {
    begun = false;
    state("");
    wrong.textContent = why;
    wrong.hidden = false;
  }

  function report(each) {
    const to = address("lab", each.id);
    const follow = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      visit(to);
    };
    return make(
      "li",
      {},
      make("a", { href: to, onclick: follow, "data-key": each.id }, each.experiment),
      make(
        "span",
        { class: "quiet" },
        [when(each.changed), !each.complete && w.unfinished].filter(Boolean).join(" · "),
      ),
    );
  }

  function reading(each) {
    const head = make(
      "div",
      { class: "view-head" },
      make("h2", {}, each.experiment),
      make("a", { href: each.address, target: "_blank", rel: "noopener" }, w.open),
      button(w.back, () => visit(address("lab"))),
    );
    put(reader, head, make("iframe", { src: each.address, title: w.frame(each.experiment), sandbox: "allow-popups" }));
  }

  return { element, enter, leave() {}, again: () => enter("lab", [shown]) };
}
