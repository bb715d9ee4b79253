// The laboratory: experiments with their parameters, the running one, and the reports.

import { button, labelledField, loadingNote, make, setChildren, setChildrenKeepingFocus, setAttributes } from "../parts/dom.js";
import { secondsText, timeText } from "../parts/figures.js";
import { ConnectionLost } from "../connection.js";
import { address } from "../route.js";
import { words } from "../parts/words.js";

/** @import { App, ExperimentKind, ExperimentParameter, Laboratory } from "../types.js" */
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
    make("section", { "aria-label": w.reports }, make("h2", {}, w.reports), reports),
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
    if (list.querySelectorAll(":scope > .experiment").length !== listing.experiments.length)
      setChildren(list, listing.experiments.map(experimentItem));
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
    for (const button of list.querySelectorAll(".run"))
      setAttributes(button, { disabled: Boolean(experiment), title: experiment ? w.busy : false });
  }

  /** @param {ExperimentKind} kind */
  function experimentItem(kind) {
    const fields = kind.parameters.map((parameter) => ({
      parameter,
      input: make("input", { type: "text", placeholder: parameter.usual || w.chosen, maxlength: 200 }),
    }));
    const run = button(w.run, () => begin(kind, fields), {
      class: "run primary",
      "aria-label": `${w.run}: ${kind.name}`,
    });
    return make(
      "details",
      { class: "experiment", "data-experiment": kind.name },
      make("summary", {}, make("b", {}, kind.name), make("span", {}, kind.question)),
      kind.reports.length > 0 && make("p", { class: "quiet" }, w.asked(kind.reports)),
      make(
        "div",
        { class: "fields" },
        fields.map(({ parameter, input }) => labelledField(parameter.name, input, parameter.help)),
      ),
      make("div", { class: "actions" }, run),
    );
  }

  function filter() {
    const text = find.value.trim().toLowerCase();
    /** @type {Iterable<HTMLElement>} */
    const items = list.querySelectorAll(":scope > .experiment");
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(text);
  }

  /**
   * @param {ExperimentKind} kind
   * @param {{ parameter: ExperimentParameter, input: HTMLInputElement }[]} fields
   */
  function begin(kind, fields) {
    const parameters = Object.fromEntries(
      fields.map(({ parameter, input }) => [parameter.name, input.value.trim()]).filter(([, value]) => value),
    );
    errorLine.hidden = true;
    bar.removeAttribute("value");
    task.textContent = "";
    showRunning(kind.name);
    isOwnRun = true;
    connection.follow({ kind: "run", experiment: kind.name, parameters }, (message) => {
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

  return { element, enter, leave() {}, reconnected: () => enter("lab", [shownId]) };
}
