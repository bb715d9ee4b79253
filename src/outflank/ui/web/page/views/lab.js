// The laboratory: experiments with their parameters, the running one, and the reports.

import { button, dropdown, labelledField, loadingNote, make, setChildren, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { secondsText, timeText } from "../parts/figures.js";
import { ConnectionLost } from "../connection.js";
import { address } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, ExperimentGroup, ExperimentKind, ExperimentParameter, Laboratory } from "../types.js" */
/** @import { ReportFile, Running, ViewName } from "../types.js" */

const w = words.lab;

/** @param {App} app */
export function lab(app) {
  const { connection, visit } = app;
  const bar = make("progress", { max: 1, value: 0, "aria-label": w.title });
  const task = make("p", { class: "quiet", "aria-live": "polite" });
  const stop = button(w.cancel, () => connection.ask({ kind: "cancel" }).catch(() => {}), { class: "danger" });
  const heading = make("h2");
  const running = make(
    "section",
    { class: "running", hidden: true },
    make("div", { class: "view-head" }, heading, stop),
    bar,
    task,
  );
  const errorLine = make("p", { class: "wrong-line", role: "alert", hidden: true });
  const find = make("input", { type: "search", placeholder: w.find, "aria-label": w.find, oninput: () => filter() });
  const list = make("div", { class: "experiments" }, loadingNote("p"));
  const reports = make("ul", { class: "reports", tabindex: -1 }, loadingNote("li"));
  const overview = make(
    "div",
    { class: "lab-columns" },
    make(
      "section",
      { "aria-label": w.experiments },
      make("div", { class: "view-head" }, make("h2", {}, w.experiments), find),
      list,
    ),
    make("section", { "aria-label": w.reports }, make("div", { class: "view-head" }, make("h2", {}, w.reports)), reports),
  );
  const reader = make("section", { class: "reader", hidden: true });
  const element = make("div", { class: "view lab" }, make("h1", {}, w.title), running, errorLine, overview, reader);
  /** @type {Laboratory | null} */
  let listing = null;
  let shownId = "";
  let isOwnRun = false; // whether the current run was started in this window
  let readId = "";

  /** @param {ViewName} _view @param {string[]} parameters the report to show */
  async function enter(_view, [id = ""] = []) {
    shownId = id;
    try {
      listing = await connection.ask({ kind: "lab" });
    } catch (error) {
      if (error instanceof ConnectionLost) return; // it is asked for again
      app.showError(error.message);
      for (const note of element.querySelectorAll(".loading")) note.remove();
      return;
    }
    if (list.querySelectorAll(".experiment").length !== listing.experiments.length)
      setChildren(list, listing.groups.map(groupItem));
    setChildrenKeepingFocus(
      reports,
      listing.reports.length ? listing.reports.map(reportItem) : make("li", { class: "empty" }, w.none),
    );
    showRunning(listing.running);
    if (listing.progress) showProgress(listing.progress);
    const report = listing.reports.find((report) => report.id === shownId);
    overview.hidden = Boolean(report);
    reader.hidden = !report;
    if (!report) setChildren(reader);
    else if (readId !== report.id) showReport(report);
    readId = report?.id ?? "";
  }

  /** Show the running experiment; empty: none. @param {string} experiment */
  function showRunning(experiment) {
    running.hidden = !experiment;
    heading.textContent = experiment ? w.running(experiment) : "";
    for (const button of overview.querySelectorAll(".run"))
      setAttributes(button, { disabled: Boolean(experiment), title: experiment ? w.busy : false });
  }

  /** @param {ExperimentGroup} group */
  function groupItem({ title, about, experiments }) {
    const kinds = experiments.map((name) => listing.experiments.find((kind) => kind.name === name)).filter(Boolean);
    return make(
      "section",
      { class: "group", "aria-label": title },
      make("h3", {}, title),
      make("p", { class: "quiet" }, about),
      kinds.map(experimentItem),
    );
  }

  /** @param {ExperimentKind} kind */
  function experimentItem(kind) {
    /** @type {ReturnType<typeof parameterField>[]} */
    let fields = [];
    const form = make("div", { class: "fields" });
    // All forms together have thousands of elements: each is made when its experiment is opened.
    const fill = () => {
      if (fields.length) return;
      fields = kind.parameters.map(parameterField);
      setChildren(
        form,
        fields.map((field) => field.element),
      );
    };
    const settings = () => Object.fromEntries(fields.map(({ name, value }) => [name, value()]).filter(([, text]) => text));
    const run = button(w.run, () => begin(kind.name, settings()), {
      class: "run primary",
      "aria-label": `${w.run}: ${kind.name}`,
    });
    return make(
      "details",
      { class: "experiment", "data-experiment": kind.name, ontoggle: fill },
      make("summary", {}, make("b", {}, kind.name), make("span", {}, kind.question)),
      kind.reports.length > 0 && make("p", { class: "quiet" }, w.asked(kind.reports)),
      form,
      make("div", { class: "actions" }, run),
    );
  }

  function filter() {
    const text = find.value.trim().toLowerCase();
    /** @type {Iterable<HTMLElement>} */
    const items = list.querySelectorAll(".experiment");
    const matches = new Set(
      listing?.experiments.filter((kind) => JSON.stringify(kind).toLowerCase().includes(text)).map((kind) => kind.name),
    );
    for (const item of items) item.hidden = !matches.has(item.dataset.experiment);
    /** @type {Iterable<HTMLElement>} */
    const groups = list.querySelectorAll(".group");
    for (const group of groups) group.hidden = !group.querySelector(".experiment:not([hidden])");
  }

  /** @param {string} experiment @param {Record<string, string>} parameters */
  function begin(experiment, parameters) {
    errorLine.hidden = true;
    bar.removeAttribute("value");
    task.textContent = "";
    showRunning(experiment);
    isOwnRun = true;
    connection.follow({ kind: "run", experiment, parameters }, (message) => {
      if (message.kind === "refused" && !message.lost) showFailure(message.why);
    });
    scrollTo({ top: 0 });
  }

  /** @param {Running} progress */
  function showProgress({ part, seconds_left, task: taskText }) {
    bar.value = part;
    const left = seconds_left === null ? "" : w.left(secondsText(seconds_left));
    task.textContent = [taskText, left].filter(Boolean).join(" · ");
  }

  /** Handle the progress of any run; the window that started it opens its report. @param {Running} message */
  function receive(message) {
    const report = isOwnRun && message.report;
    if (message.done) isOwnRun = false;
    if (!element.isConnected) return undefined;
    showProgress(message);
    if (!message.done) return showRunning(message.experiment);
    if (message.failed) return showFailure(w.failed(message.failed));
    return report ? visit(address("lab", report.id)) : enter("lab", [shownId]);
  }
  connection.addEventListener("running", ({ detail }) => receive(detail));

  /** @param {string} why */
  function showFailure(why) {
    isOwnRun = false;
    showRunning("");
    errorLine.textContent = why;
    errorLine.hidden = false;
  }

  /** @param {ReportFile} report */
  function reportItem(report) {
    const to = address("lab", report.id);
    const follow = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      visit(to);
    };
    return make(
      "li",
      {},
      make("a", { href: to, onclick: follow, "data-key": report.id }, report.experiment),
      make(
        "span",
        { class: "quiet" },
        [timeText(report.changed), !report.complete && w.unfinished].filter(Boolean).join(" · "),
      ),
      make("span", { class: "settings" }, settingsText(report) || w.usualSettings),
      button(w.again, () => begin(report.experiment, report.settings), {
        class: "run",
        "aria-label": w.againNamed(report.experiment),
        "data-key": `again ${report.id}`,
      }),
    );
  }

  /** @param {ReportFile} report */
  function showReport(report) {
    const head = make(
      "div",
      { class: "view-head" },
      make("h2", {}, report.experiment),
      make("a", { href: report.address, target: "_blank", rel: "noopener" }, w.open),
      button(w.back, () => visit(address("lab"))),
    );
    setChildren(
      reader,
      head,
      make("iframe", { src: report.address, title: w.frame(report.experiment), sandbox: "allow-popups" }),
    );
  }

  /** The settings of a run, with the titles of the parameters. @param {ReportFile} report */
  function settingsText({ experiment, settings }) {
    const known = listing.experiments.find((kind) => kind.name === experiment)?.parameters ?? [];
    const title = (/** @type {string} */ name) => known.find((parameter) => parameter.name === name)?.title ?? name;
    return Object.entries(settings)
      .map(([name, value]) => `${title(name)}: ${value}`)
      .join(" · ");
  }

  return { element, enter, leave() {}, reconnected: () => enter("lab", [shownId]), begin };
}

/** The field of a parameter, and its value as text; empty: the usual value. @param {ExperimentParameter} parameter */
function parameterField({ name, title, help, usual, field, choices, least, most }) {
  if (field === "choices") {
    const boxes = choices.map((choice) => ({ choice, input: make("input", { type: "checkbox" }) }));
    const items = boxes.map(({ choice, input }) => make("label", {}, input, make("span", {}, choice)));
    const element = make(
      "fieldset",
      { class: "field" },
      make("legend", {}, title),
      make("div", { class: "choices-box" }, items),
      make("small", {}, [help, usual && w.usually(usual)].filter(Boolean).join(" ")),
    );
    const value = () =>
      boxes
        .filter(({ input }) => input.checked)
        .map(({ choice }) => choice)
        .join(",");
    return { name, element, value };
  }
  const input =
    field === "choice"
      ? dropdown([["", usual ? w.usually(usual) : w.chosen], ...choices.map((choice) => /** @type {const} */ ([choice, choice]))], "")
      : make("input", {
          type: field,
          placeholder: usual || w.chosen,
          ...(field === "number" ? { min: least, max: most, step: 1 } : { maxlength: 200 }),
        });
  return { name, element: labelledField(title, input, help), value: () => input.value.trim() };
}
