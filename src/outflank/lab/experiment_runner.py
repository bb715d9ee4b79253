"""Running an experiment: its tasks are measured, and samples and reports are written to files."""

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.formats.files import file_lock, write_whole
from outflank.lab import result_store
from outflank.lab.drawing.exported_files import FileOptions, report_files
from outflank.lab.drawing.page import page_html
from outflank.lab.experiment import Experiment, Parameters, Task, experiment_named
from outflank.lab.experiment_report import Report, Sample
from outflank.lab.measuring.search_log import Searched, merged_entries
from outflank.lab.provenance import provenance, repeat_command
from outflank.lab.task_groups import groups_of, outcomes_of
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject, in_lines, naming_file, plain
from outflank.validation.values import conform

KEEP_SECONDS = 2.0
"""Least time between two writes of an unfinished run to disk, in seconds."""

SAME = ("experiment", "parameters", "provenance", "samples")
"""Fields by which two result files are recognised as files of the same run."""

ENOUGH_TO_JUDGE = 0.03
"""Share of the work after which the remaining time is estimated. Earlier, compilation distorts the estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """Progress of a run of an experiment."""

    task: str
    """Name of the task that is being measured; empty at the end of the run."""
    done: float
    """Share of the run's work that is done, from 0 to 1."""
    seconds_left: float | None
    """Estimated seconds until the end of the run. Until `ENOUGH_TO_JUDGE` of the work is done, the estimate is based on
    an earlier run, maybe on another machine. None if no such run is known, and at the end."""
    first: bool = False
    """Whether nothing has been measured yet in this run."""


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
    tasks_on: str | None = None,
    **parameters: object,
) -> Report:
    """Run the experiment called `name`. With `out`, write its page, its samples and its provenance to that folder.

    A run that is stopped returns a report of its samples so far, marked as incomplete. After Ctrl-C, it does so at a
    prompt or in a notebook; in a script, it raises `KeyboardInterrupt`. In both cases `out` has the samples, and
    `resume` continues the run there. `formats` (svg, png, pdf, md, latex, csv) also writes each figure and table to its
    own file, with a light or dark `theme`. Without `published`, figures omit the published reports' measurements. With
    `tasks_on`, the address of a cluster, the cluster's nodes run the tasks that are not timed, such as simulations;
    nodes may join and leave.

    >>> run("depths", depths=(1,)).tables[0].column("depth")
    [1]
    """
    experiment = experiment_named(name)
    settings = _checked_parameters(experiment, parameters)
    directory = Path(out) if out is not None else None
    origin = provenance(_command(experiment, settings.used()))
    file_options = _file_options(directory, formats, theme, published)
    if resume and directory is None:
        raise OutflankError("to resume a run, say where it was kept (--out)")
    if tasks_on is not None:
        origin["tasks on"] = tasks_on
    if directory is None:
        empty = _Measured(origin, [], (), {})
        return _Run(experiment, settings, None, file_options, empty, tasks_on).measure(progress, stop or Stop())
    if resume:
        result_store.read(_result_path(experiment, settings, directory))  # fails before a missing directory is created
    result_store.check_writable(directory)
    with file_lock(_result_path(experiment, settings, directory), "another process is writing this result"):
        measured = _begin(experiment, settings, directory, origin, resume=resume, replace=replace)
        return _Run(experiment, settings, directory, file_options, measured, tasks_on).measure(progress, stop or Stop())


def redraw(
    path: str | Path,
    *,
    out: str | Path | None = None,
    replace: bool = False,
    formats: Sequence[str] = (),
    theme: str = "light",
    published: bool = True,
    columns: Sequence[str] = (),
) -> Report:
    """Rebuild the report of a run from its JSON file. With `out`, write its files to that folder, as `run` does.

    Tables show only the `columns`, in this order; units may be left out, and tables that have none of them stay whole.
    The result of another run in `out` is overwritten only with `replace`.
    """
    file_options = _file_options(Path(out) if out is not None else None, formats, theme, published, columns)
    document = result_store.read(Path(path))
    with _reading(Path(path)):
        experiment = experiment_named(document.experiment)
        settings = _stored_parameters(experiment, document.parameters)
        _check_samples(experiment, settings, document.samples)
    directory = Path(out) if out is not None else None
    measured = _Measured(document.provenance, document.samples, document.searched, document.task_seconds)
    report = report_of(experiment, settings, measured, complete=document.complete)
    if directory is not None:
        result_store.check_writable(directory)
        result_path = _result_path(experiment, settings, directory)
        with file_lock(result_path, "another process is writing this result"):
            if not replace:
                _check_same(document, result_path)
            report = write_report(report, experiment, settings, directory, file_options)
    return file_options.visible(report)


def _result_path(experiment: Experiment, parameters: Parameters, directory: Path) -> Path:
    return directory / f"{experiment.file_name(parameters)}.json"


def _command(experiment: Experiment, used: JsonObject) -> str:
    """Return the command line that repeats a run with the parameters `used`."""
    parameters = fields(experiment.parameters)
    arguments = [parameter.name for parameter in parameters if parameter.metadata.get("argument")]
    return repeat_command(experiment.name, used, asdict(experiment.parameters()), arguments=arguments)


def _check_same(document: result_store.LabDocument, path: Path) -> None:
    """Raise `OutflankError` if the file at `path` exists and does not hold the same run as `document`."""
    if not path.exists():
        return
    try:
        existing = result_store.read(path)
    except OutflankError:  # a damaged or foreign file is not overwritten either
        existing = None
    if any(getattr(existing, name, None) != getattr(document, name) for name in SAME):
        raise OutflankError(f"{path} holds another result: --replace puts this one in its place")


def _file_options(
    directory: Path | None, formats: Sequence[str], theme: str, published: bool, columns: Sequence[str] = ()
) -> FileOptions:
    if formats and directory is None:
        raise OutflankError("to write figures and tables, say where (--out)")
    return FileOptions(formats=tuple(formats), theme=theme, published=published, columns=tuple(columns))


@dataclass(frozen=True, slots=True)
class _Measured:
    """The samples of a run so far, with their provenance and the searches that were made."""

    origin: JsonObject
    samples: list[Sample]
    searched: tuple[Searched, ...]
    task_seconds: dict[str, float]


def report_of(experiment: Experiment, parameters: Parameters, measured: _Measured, *, complete: bool) -> Report:
    """Return an experiment's report, with its conclusion from the samples in `measured`."""
    conclusion = experiment.conclude(parameters, measured.samples)
    return Report(
        experiment=experiment.name,
        question=experiment.question,
        reports=experiment.reports_of(parameters),
        parameters=plain(parameters.used()),
        provenance=measured.origin,
        samples=tuple(measured.samples),
        tables=conclusion.tables,
        searched=measured.searched,
        task_seconds=measured.task_seconds,
        figures=conclusion.figures,
        notes=conclusion.notes,
        passed=conclusion.passed,
        complete=complete,
    )


def write_report(
    report: Report,
    experiment: Experiment,
    parameters: Parameters,
    directory: Path,
    file_options: FileOptions | None = None,
) -> Report:
    """Write the page, the samples as JSON and CSV, the experiment's own files, and figures and tables as requested.

    Return the report with the names of these files.
    """
    file_options = file_options or FileOptions()
    visible = file_options.visible(report)
    own_files = experiment.files(parameters, visible)
    contents: dict[str, str | bytes] = {
        ".json": in_lines(result_store.document(report)),
        ".csv": result_store.csv_text(report.samples),
        **({} if ".html" in own_files else {".html": page_html(visible)}),
        **own_files,
        **report_files(visible, file_options),
    }
    files = {f"{experiment.file_name(parameters)}{suffix}": content for suffix, content in contents.items()}
    for name, content in files.items():
        write_whole(directory / name, content)
    return dataclasses.replace(report, written=tuple(files))


def _checked_parameters(experiment: Experiment, parameters: dict[str, object]) -> Parameters:
    known = experiment.parameters.__dataclass_fields__
    for name in parameters:
        if name not in known:
            raise UnknownName.among(f"parameter of {experiment.name}", name, known)
    settings: Parameters = experiment.parameters(**parameters)
    used = settings.used()
    for name in parameters:
        if name not in used and getattr(settings, name) != known[name].default:
            cluster_state = "without a cluster" if getattr(settings, "cluster", None) is None else "on a cluster"
            condition = cluster_state if "cluster" in known else "as the others are chosen"
            raise InvalidOption(f"{name} plays no part {condition}: leave it out")
    return settings


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Name the file `path` in errors. A file with names that are unknown here is not damaged: they may be a user's."""
    try:
        with naming_file(path):
            yield
    except OutflankError as error:
        if not any(isinstance(cause, UnknownName) for cause in _causes(error)):
            raise
        reason = "uses a name that this process does not know; --import MODULE makes names of your own known"
        raise OutflankError(f"{path} {reason}: {error.__cause__ or error}") from None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of this cause, and so on."""
    while error is not None:
        yield error
        error = error.__cause__


def _stored_parameters(experiment: Experiment, parameters: JsonObject) -> Parameters:
    settings: Parameters = conform(experiment.parameters, parameters, "parameters")
    return settings


def _check_samples(experiment: Experiment, parameters: Parameters, samples: Sequence[Sample]) -> None:
    for index, sample in enumerate(samples):
        conform(experiment.shape(parameters, sample), sample, "samples", index)


def _begin(
    experiment: Experiment, parameters: Parameters, directory: Path, origin: JsonObject, *, resume: bool, replace: bool
) -> _Measured:
    """Return the samples and provenance of the stored run in `directory` if `resume` is set, else no samples."""
    path = _result_path(experiment, parameters, directory)
    if resume:
        document = result_store.read(path)
        if document.experiment != experiment.name:
            raise OutflankError(f"{path} holds {document.experiment}, not {experiment.name}")
        with _reading(path):
            old_parameters = _stored_parameters(experiment, document.parameters).used()
        if old_parameters != parameters.used():
            raise OutflankError(f"{path} was measured with other parameters: {_command(experiment, old_parameters)}")
        with naming_file(path):
            _check_samples(experiment, parameters, document.samples)
        if any(document.provenance.get(key) != origin[key] for key in ("commit", "package")):
            origin["resumed from"] = document.provenance
        else:
            origin = document.provenance
        return _Measured(origin, document.samples, document.searched, document.task_seconds)
    if path.exists() and not replace:
        raise OutflankError(f"{path} exists: --resume goes on with it, --replace measures anew")
    return _Measured(origin, [], (), {})


class _Run:
    def __init__(
        self,
        experiment: Experiment,
        parameters: Parameters,
        directory: Path | None,
        file_options: FileOptions,
        measured: _Measured,
        tasks_on: str | None,
    ) -> None:
        self.experiment, self.parameters, self.directory = experiment, parameters, directory
        self.file_options, self.measured, self.tasks_on = file_options, measured, tasks_on
        self._saved_at = time.monotonic()

    def measure(self, progress: Callable[[RunProgress], None] | None, stop: Stop) -> Report:
        tasks = self.experiment.tasks(self.parameters)
        for task in tasks:
            task.check()
        total = sum(task.wall_weight for task in tasks)
        done_tasks = {str(sample["task"]) for sample in self.measured.samples}
        done = sum(task.wall_weight for task in tasks if task.name in done_tasks)
        skipped, began = done, time.monotonic()
        expected = self.experiment.expected_seconds(self.parameters) if progress is not None else None

        def report_progress(task: Task) -> None:
            if progress is None:
                return
            spent = time.monotonic() - began
            if done - skipped > ENOUGH_TO_JUDGE * total:
                seconds_left: float | None = spent / (done - skipped) * (total - done)
            else:
                seconds_left = None if expected is None else expected * (1 - done / total)
            share, first = done / total, done == skipped
            progress(RunProgress(task=task.name, done=share, seconds_left=seconds_left, first=first))

        try:
            to_do = [task for task in tasks if task.name not in done_tasks]
            with (
                groups_of(self.experiment, self.parameters, to_do, self.tasks_on, stop) as groups,
                closing(outcomes_of(to_do, groups, stop, report_progress)) as outcomes,
            ):
                for outcome in outcomes:
                    if stop.called:
                        break  # a stopped task's samples are invalid
                    self.measured = _Measured(
                        self.measured.origin,
                        [*self.measured.samples, *outcome.samples],
                        merged_entries((*self.measured.searched, *outcome.searched)),
                        {**self.measured.task_seconds, outcome.task.name: round(outcome.seconds, 3)},
                    )
                    done += outcome.task.wall_weight
                    if time.monotonic() > self._saved_at + KEEP_SECONDS:
                        self._save()
        except KeyboardInterrupt:
            self._save()
            # At a prompt or in a notebook, return the samples. A script must end with the interrupt.
            if not self.measured.samples or not hasattr(sys, "ps1"):
                raise
            stop()
        except BaseException:
            self._save()
            raise
        if progress is not None:
            progress(RunProgress(task="", done=done / total if total else 1.0, seconds_left=None))
        place = {task.name: number for number, task in enumerate(tasks)}
        self.measured.samples.sort(key=lambda sample: place.get(str(sample["task"]), -1))
        report = report_of(self.experiment, self.parameters, self.measured, complete=not stop.called)
        if self.directory is not None:
            report = write_report(report, self.experiment, self.parameters, self.directory, self.file_options)
        return self.file_options.visible(report)

    def _save(self) -> None:
        """Write the samples so far to disk, without tables and figures."""
        self._saved_at = time.monotonic()
        if self.directory is None or not self.measured.samples:
            return
        report = Report(
            experiment=self.experiment.name,
            question=self.experiment.question,
            reports=self.experiment.reports,
            parameters=self.parameters.used(),
            provenance=self.measured.origin,
            samples=tuple(self.measured.samples),
            tables=(),
            searched=self.measured.searched,
            task_seconds=self.measured.task_seconds,
            complete=False,
        )
        text = in_lines(result_store.document(report))
        write_whole(_result_path(self.experiment, self.parameters, self.directory), text)
