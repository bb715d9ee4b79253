"""How an experiment is run: task after task, each kept as soon as it is measured."""

import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from outflank.documents import in_lines, plain, telling
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.formats.files import write_whole
from outflank.formats.locks import held
from outflank.lab import store
from outflank.lab.drawing.files import Wanted, report_files
from outflank.lab.drawing.page import page_html
from outflank.lab.experiment import Experiment, experiment_named
from outflank.lab.provenance import in_command_line, provenance
from outflank.lab.report import Report, Sample
from outflank.lab.search_log import Searched, noting, together
from outflank.schema import conform
from outflank.search.contract import Stop

KEEP_SECONDS = 2.0
"""How often a run under way is written to disk, at most."""

SAME = ("experiment", "parameters", "provenance", "samples")
"""What two documents of one run have in common."""

ENOUGH_TO_JUDGE = 0.03
"""The part of a run after which the time left is estimated: before that it has mostly compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is."""

    task: str
    """What is measured now; empty at the end."""
    done: float
    """The part of the work that is done, 0 to 1."""
    seconds_left: float | None
    """An estimate, once there is something to estimate from."""


def run(
    name: str,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    replace: bool = False,
    formats: Sequence[str] = (),
    theme: str = "light",
    published: bool = True,
    progress: Callable[[RunProgress], None] | None = None,
    stop: Stop | None = None,
    **parameters: Any,
) -> Report:
    """Run the experiment called `name`; with `out`, write its page, its samples and all that repeats it there.

    A run that is stopped, or met by Ctrl-C, returns what it has, marked as incomplete, and goes on from there with
    `resume`.
    `formats` (svg, png, pdf, md, latex, csv) also writes every figure and every table to a file of its own, pictures
    in a `theme` (light or dark). Without `published`, figures leave out what the reports measured.

    >>> run("depths", depths=(1,)).tables[0].column("depth")
    [1]
    """
    experiment = experiment_named(name)
    chosen = _chosen(experiment, parameters)
    directory = Path(out) if out is not None else None
    origin = provenance(_command(experiment, chosen.used()))
    wanted = _wanted(directory, formats, theme, published)
    if resume and directory is None:
        raise OutflankError("to resume a run, say where it was kept (--out)")
    if directory is None:
        return _Run(experiment, chosen, None, wanted, _Kept(origin, [], ())).measure(progress, stop or Stop())
    if resume:
        store.read(directory / f"{name}.json")  # before a directory is made where none is
    store.check_writable(directory)
    with held(directory / f"{name}.json", "another process is writing this result"):
        kept = _begin(experiment, chosen, directory, origin, resume=resume, replace=replace)
        return _Run(experiment, chosen, directory, wanted, kept).measure(progress, stop or Stop())


def redraw(
    path: str | Path,
    *,
    out: str | Path | None = None,
    replace: bool = False,
    formats: Sequence[str] = (),
    theme: str = "light",
    published: bool = True,
) -> Report:
    """The report that a JSON file holds, concluded and drawn anew; with `out`, written there, as `run` does.

    Another run's result that is there stays, unless `replace` says otherwise.
    """
    wanted = _wanted(Path(out) if out is not None else None, formats, theme, published)
    found = store.read(Path(path))
    experiment = experiment_named(found.experiment)
    with telling(Path(path)):
        chosen = _read(experiment, found.parameters)
        _check_samples(experiment, chosen, found.samples)
    directory = Path(out) if out is not None else None
    kept = _Kept(found.provenance, found.samples, found.searched)
    report = report_of(experiment, chosen, kept, complete=found.complete)
    if directory is not None:
        store.check_writable(directory)
        with held(directory / f"{experiment.name}.json", "another process is writing this result"):
            if not replace:
                _check_same(found, directory / f"{experiment.name}.json")
            report = write_report(report, experiment, chosen, directory, wanted)
    return report if published else report.without_published()


def _command(experiment: Experiment[Any], used: dict[str, Any]) -> str:
    """The command that measures with these parameters."""
    known = fields(experiment.parameters)
    arguments = [each.name for each in known if each.metadata.get("argument")]
    return in_command_line(experiment.name, used, asdict(experiment.parameters()), arguments=arguments)


def _check_same(found: store.LabDocument, path: Path) -> None:
    """Refuse to write over the result of another run."""
    if not path.exists():
        return
    try:
        there = store.read(path)
    except OutflankError:  # damaged, or something else: not ours to write over either
        there = None
    if any(getattr(there, name, None) != getattr(found, name) for name in SAME):
        raise OutflankError(f"{path} holds another result: --replace puts this one in its place")


def _wanted(directory: Path | None, formats: Sequence[str], theme: str, published: bool) -> Wanted:
    if formats and directory is None:
        raise OutflankError("to write figures and tables, say where (--out)")
    return Wanted(formats=tuple(formats), theme=theme, published=published)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What has been measured so far, and where it comes from."""

    origin: dict[str, Any]
    samples: list[Sample]
    searched: tuple[Searched, ...]


def report_of(experiment: Experiment[Any], chosen: Any, kept: _Kept, *, complete: bool) -> Report:
    """What an experiment concludes from samples."""
    conclusion = experiment.conclude(chosen, kept.samples)
    return Report(
        experiment=experiment.name,
        question=experiment.question,
        reports=experiment.reports,
        parameters=plain(chosen.used()),
        provenance=kept.origin,
        samples=tuple(kept.samples),
        tables=conclusion.tables,
        searched=kept.searched,
        figures=conclusion.figures,
        notes=conclusion.notes,
        passed=conclusion.passed,
        complete=complete,
    )


def write_report(
    report: Report, experiment: Experiment[Any], chosen: Any, directory: Path, wanted: Wanted | None = None
) -> Report:
    """The page, the samples as JSON and CSV, what else the experiment has, and the files that are wanted.

    Returns the report with the names of what was written.
    """
    wanted = wanted or Wanted()
    drawn = report if wanted.published else report.without_published()
    contents: dict[str, str | bytes] = {
        ".json": in_lines(store.document(report)),
        ".csv": store.csv_text(report.samples),
        ".html": page_html(drawn),
        **experiment.files(chosen, report.samples),
        **report_files(drawn, wanted),
    }
    for ending, content in contents.items():
        write_whole(directory / f"{experiment.name}{ending}", content)
    return dataclasses.replace(report, written=tuple(f"{experiment.name}{ending}" for ending in contents))


def _chosen(experiment: Experiment[Any], parameters: dict[str, Any]) -> Any:
    known = experiment.parameters.__dataclass_fields__
    for name in parameters:
        if name not in known:
            raise UnknownName.among(f"parameter of {experiment.name}", name, known)
    chosen = experiment.parameters(**parameters)
    used = chosen.used()
    for name in parameters:
        if name not in used and getattr(chosen, name) != known[name].default:
            where = "without a cluster" if getattr(chosen, "cluster", None) is None else "on a cluster"
            because = where if "cluster" in known else "as the others are chosen"
            raise InvalidOption(f"{name} plays no part {because}: leave it out")
    return chosen


def _read(experiment: Experiment[Any], parameters: dict[str, Any]) -> Any:
    return conform(experiment.parameters, experiment.parameters.as_now(parameters), "parameters")


def _check_samples(experiment: Experiment[Any], chosen: Any, samples: Sequence[Sample]) -> None:
    for number, sample in enumerate(samples):
        conform(experiment.shape(chosen, sample), sample, f"samples[{number}]")


def _begin(
    experiment: Experiment[Any],
    chosen: Any,
    directory: Path,
    origin: dict[str, Any],
    *,
    resume: bool,
    replace: bool,
) -> _Kept:
    """What an earlier run has left in the directory, and where that comes from."""
    path = directory / f"{experiment.name}.json"
    if resume:
        found = store.read(path)
        if found.experiment != experiment.name:
            raise OutflankError(f"{path} holds {found.experiment}, not {experiment.name}")
        with telling(path):
            measured_with = _read(experiment, found.parameters).used()
        if measured_with != chosen.used():
            raise OutflankError(f"{path} was measured with other parameters: {_command(experiment, measured_with)}")
        with telling(path):
            _check_samples(experiment, chosen, found.samples)
        if any(found.provenance.get(key) != origin[key] for key in ("commit", "package")):
            origin["resumed from"] = found.provenance
        else:
            origin = found.provenance
        return _Kept(origin, found.samples, found.searched)
    if path.exists() and not replace:
        raise OutflankError(f"{path} exists: --resume goes on with it, --replace measures anew")
    return _Kept(origin, [], ())


class _Run:
    """One run under way."""

    def __init__(
        self,
        experiment: Experiment[Any],
        chosen: Any,
        directory: Path | None,
        wanted: Wanted,
        kept: _Kept,
    ) -> None:
        self.experiment, self.chosen, self.directory = experiment, chosen, directory
        self.wanted, self.kept = wanted, kept
        self.written = time.monotonic()

    def measure(self, progress: Callable[[RunProgress], None] | None, stop: Stop) -> Report:
        tasks = self.experiment.tasks(self.chosen)
        total = sum(task.weight for task in tasks)
        known = {str(sample["task"]) for sample in self.kept.samples}
        done = sum(task.weight for task in tasks if task.name in known)
        skipped, began = done, time.monotonic()
        try:
            for task in tasks:
                if task.name in known:
                    continue
                if progress is not None:
                    spent = time.monotonic() - began
                    known_pace = done - skipped > ENOUGH_TO_JUDGE * total
                    left = spent / (done - skipped) * (total - done) if known_pace else None
                    progress(RunProgress(task=task.name, done=done / total, seconds_left=left))
                with noting() as searched:
                    fresh = [{"task": task.name, **sample} for sample in task.measured(stop)] if not stop.called else []
                if stop.called:
                    break  # what the stopped task found is worth nothing
                self.kept = _Kept(
                    self.kept.origin, [*self.kept.samples, *fresh], together((*self.kept.searched, *searched))
                )
                done += task.weight
                if time.monotonic() > self.written + KEEP_SECONDS:
                    self._keep()
        except KeyboardInterrupt:
            self._keep()
            # At a prompt, and in a notebook's cell, what was measured is not lost; a script ends as it should.
            if not self.kept.samples or not hasattr(sys, "ps1"):
                raise
            stop()
        except BaseException:
            self._keep()
            raise
        if progress is not None:
            progress(RunProgress(task="", done=done / total if total else 1.0, seconds_left=None))
        report = report_of(self.experiment, self.chosen, self.kept, complete=not stop.called)
        if self.directory is not None:
            report = write_report(report, self.experiment, self.chosen, self.directory, self.wanted)
        return report if self.wanted.published else report.without_published()

    def _keep(self) -> None:
        """Write down what has been measured so far; what it means is said at the end."""
        self.written = time.monotonic()
        if self.directory is None or not self.kept.samples:
            return
        so_far = Report(
            experiment=self.experiment.name,
            question=self.experiment.question,
            reports=self.experiment.reports,
            parameters=self.chosen.used(),
            provenance=self.kept.origin,
            samples=tuple(self.kept.samples),
            tables=(),
            searched=self.kept.searched,
            complete=False,
        )
        text = in_lines(store.document(so_far))
        write_whole(self.directory / f"{self.experiment.name}.json", text)
