"""The laboratory of the web server: experiments with parameters as text, one run at a time, and the written reports."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from pathlib import Path
from typing import Any

import click
from msgspec import field
from msgspec.structs import replace

from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.formats.files import write_whole
from outflank.games.description import GAMES
from outflank.lab import RunProgress, experiment_named, run
from outflank.lab.experiment import EXPERIMENTS, LEAST, Experiment
from outflank.lab.experiment_report import Report
from outflank.ownership import make_private
from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import SCHEMES
from outflank.search.request import Stop
from outflank.ui.shared.declared_options import CommaSeparated, click_parameter
from outflank.ui.web import requests, server_messages
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.server_messages import ExperimentGroup, ExperimentKind, ExperimentParameter, ReportFile, Running
from outflank.validation.documents import Document, JsonObject, decoded, encoded
from outflank.validation.text import comma_separated
from outflank.validation.values import Misfit

MOST_REPORTS = 100
"""Maximum number of listed reports. If there are more reports, only the newest are listed."""

CLUSTER = "cluster"
INSIDE = re.compile(r"inside:[1-9][0-9]?")
"""Pattern of the allowed cluster addresses: up to 99 nodes in this process. Other clusters start processes."""

MOST_BITS, MOST_POWER = 26, 22
MOST = {"workers": 64, "threads": 64, "boards": 4_000_000, "nodes": 1_000_000}
"""Maximum value of experiment parameters by name. Parameters in bits and powers of two have separate limits."""

GROUPS = (
    (
        "Speed-up",
        "How much faster more workers are, what bounds this, and where their time goes.",
        ("scaling", "two-schemes", "profile", "parallelism", "placement", "within"),
    ),
    (
        "Dividing the tree",
        "Where a search is divided among workers, and how finely.",
        ("threshold", "granularity", "levels", "schedule", "shape", "imbalance"),
    ),
    (
        "Larger machines, simulated",
        "Recorded searches on more workers or nodes than this machine has.",
        ("replay", "simulate", "stealing", "growth", "replication"),
    ),
    (
        "Searching less",
        "Which algorithms, move orders and tables leave more of the tree out.",
        (
            *("algorithms", "orderings", "sorting", "stages", "pivot", "coarseness", "symmetry", "table", "hash"),
            *("pruning", "depths", "nodes", "times", "branching"),
        ),
    ),
    (
        "Boards and evaluations",
        "What representations, evaluations and the compiler's settings cost and gain, and who wins.",
        ("storage", "widths", "edges", "compiler", "duels"),
    ),
    (
        "Correctness",
        "Whether parallel searches keep their promises, and whether workers disturb each other.",
        ("determinism", "races"),
    ),
    ("Programs of your own", "Fork-join programs that you have written.", ("tasks",)),
    ("The reports", "Every published number of the five reports, beside ours.", ("reproduce",)),
)
"""The experiments by subject: a title, a sentence, and their names, the first to try first."""

TITLES = {"share_alpha": "Root moves share alpha"}
"""Titles of parameters whose names, as words, would say too little."""

REGISTRIES: dict[str, Callable[[], tuple[str, ...]]] = {
    "game": GAMES.names,
    "scheme": SCHEMES.names,
    "schemes": SCHEMES.names,
    "algorithm": lambda: tuple(ALGORITHMS),
}
"""Names that parameters with these names choose from."""

_run_folder_name = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9-]{1,64}")

Listener = Callable[[Running], None]


class RunNote(Document, frozen=True, kw_only=True, tag="outflank/web-run/1"):
    """Content of `run.json` in the folder of a run that has ended: the experiment, whether the run is complete, and the
    parameters that were chosen, as text."""

    experiment: str
    complete: bool
    settings: dict[str, str] = field(default_factory=dict)


class Laboratory:
    """Runs experiments, one at a time, and lists their reports. Any thread may call its methods."""

    def __init__(self, folder: Path, turns: Turns) -> None:
        self.folder, self._turns = folder, turns
        self._lock = threading.Lock()
        self._running: tuple[Running, Stop] | None = None
        self._listeners: set[Listener] = set()

    def listing(self, ask: int) -> server_messages.Laboratory:
        """Return the experiments, the progress of the current run, and the reports."""
        with self._lock:
            progress = None if self._running is None else replace(self._running[0], of=ask)
        return server_messages.Laboratory(
            re=ask,
            groups=_experiment_groups(),
            experiments=_experiment_kinds(),
            running="" if progress is None else progress.experiment,
            progress=progress,
            reports=self._reports(),
        )

    def listen(self, listener: Listener) -> None:
        """Add a listener. It is called with the progress of every run of an experiment, from any thread."""
        with self._lock:
            self._listeners.add(listener)

    def forget(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.discard(listener)

    def begin(self, request: requests.Run) -> None:
        """Check a request to run an experiment, and start the run in a separate thread."""
        experiment = experiment_named(request.experiment)
        parameters = _parsed_parameters(experiment, request.parameters)
        experiment.parameters(**parameters)  # raises an error for invalid values
        with self._lock:
            if self._running is not None:
                raise OutflankError(
                    f"{self._running[0].experiment} is running, and one experiment runs at a time: cancel it, or wait"
                )
            stop = Stop()
            self._running = (_initial_progress(experiment.name), stop)
        thread = threading.Thread(
            target=self._run,
            args=(experiment.name, parameters, request.parameters, stop),
            name="outflank-lab",
            daemon=True,
        )
        thread.start()

    def check_idle(self) -> None:
        """Raise an error while an experiment runs. Another measurement would disturb it, or wait for its end."""
        with self._lock:
            if self._running is not None:
                raise OutflankError(f"{self._running[0].experiment} is running: cancel it, or wait")

    def cancel(self) -> None:
        """Stop the current run, if any."""
        with self._lock:
            if self._running is not None:
                self._running[1]()

    def page(self, id: str) -> bytes | None:
        """Return the HTML page of a report, or None if the report does not exist or is too old to be listed."""
        folder = next((folder for folder in self._folders() if folder.name == id), None)
        if folder is None:
            return None
        note = _run_note(folder)
        try:
            return None if note is None else (folder / f"{note.experiment}.html").read_bytes()
        except OSError:
            return None

    # --- a run ---

    def _run(self, name: str, parameters: JsonObject, settings: Mapping[str, str], stop: Stop) -> None:
        last = _initial_progress(name)

        def progress(update: RunProgress) -> None:
            nonlocal last
            last = replace(last, task=update.task, part=update.done, seconds_left=update.seconds_left)
            with self._lock:
                self._running = (last, stop)
            self._notify(last)

        failed, report = "", None
        self._notify(last)
        try:
            with self._turns.hold(stop):
                report = self._measure(name, parameters, settings, progress, stop)
        except OutflankError as error:
            failed = str(error)
        except (KeyboardInterrupt, SystemExit):
            failed = "the server ends"
        except BaseException as error:  # experiments may be third-party code
            failed = f"{type(error).__name__}: {error}"
        with self._lock:
            self._running = None
        failed = " ".join(failed.split())[:400]
        self._notify(replace(last, task="", seconds_left=None, done=True, failed=failed, report=report))

    def _notify(self, message: Running) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(message)

    def _measure(
        self,
        name: str,
        parameters: JsonObject,
        settings: Mapping[str, str],
        progress: Callable[[RunProgress], None],
        stop: Stop,
    ) -> ReportFile | None:
        folder = self.folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
        make_private(folder)  # the folder will hold positions that visitors sent
        report = run(name, out=folder, progress=progress, stop=stop, **parameters)
        write_whole(folder / "run.json", encoded(_note(name, report, settings)))
        return _report_file(folder)

    # --- reports ---

    def _folders(self) -> list[Path]:
        """Return the folders of the last `MOST_REPORTS` runs, newest first."""
        try:
            folders = [path for path in self.folder.iterdir() if _run_folder_name.fullmatch(path.name)]
        except OSError:
            return []
        return sorted(folders, key=lambda path: path.name, reverse=True)[:MOST_REPORTS]

    def _reports(self) -> tuple[ReportFile, ...]:
        return tuple(report for report in map(_report_file, self._folders()) if report is not None)


def _initial_progress(name: str) -> Running:
    """Return the progress of a run that has just started. Each connection sets `of` to its own request number."""
    return Running(of=0, experiment=name, task="", part=0.0, seconds_left=None, done=False, failed="", report=None)


def _note(name: str, report: Report, settings: Mapping[str, str]) -> RunNote:
    return RunNote(
        experiment=name,
        complete=report.complete,
        settings={parameter: text.strip() for parameter, text in settings.items() if text.strip()},
    )


def _run_note(folder: Path) -> RunNote | None:
    try:
        note = decoded(RunNote, (folder / "run.json").read_bytes())
    except (OSError, Misfit):
        return None
    return note if folder.name.endswith(f"-{note.experiment}") else None


def _report_file(folder: Path) -> ReportFile | None:
    note = _run_note(folder)
    if note is None:
        return None
    try:
        changed = (folder / f"{note.experiment}.html").stat().st_mtime
    except OSError:
        return None
    return ReportFile(
        id=folder.name,
        experiment=note.experiment,
        changed=changed,
        complete=note.complete,
        settings=note.settings,
        address=f"/report/{folder.name}",
    )


@cache
def _experiment_groups() -> tuple[ExperimentGroup, ...]:
    """Return all experiments by subject. Experiments of plug-ins are in a group of their own."""
    known = EXPERIMENTS.names()
    groups = [
        ExperimentGroup(title=title, about=about, experiments=tuple(name for name in names if name in known))
        for title, about, names in GROUPS
    ]
    others = tuple(name for name in known if not any(name in group.experiments for group in groups))
    if others:
        groups.append(ExperimentGroup(title="Your own", about="Experiments of plug-ins.", experiments=others))
    return tuple(groups)


@cache
def _experiment_kinds() -> tuple[ExperimentKind, ...]:
    """Return all experiments. The result is cached, because loading them takes a second."""
    return tuple(
        ExperimentKind(
            name=experiment.name,
            question=experiment.question,
            reports=experiment.reports,
            parameters=tuple(map(_experiment_parameter, fields(experiment.parameters))),
        )
        for experiment in EXPERIMENTS.parts().values()
    )


def _experiment_parameter(declared: "Field[Any]") -> ExperimentParameter:
    """Return what a form needs to know of a parameter."""
    parameter = click_parameter(declared)
    choices = _choices(declared, parameter)
    several = isinstance(parameter, click.Argument) or isinstance(parameter.type, CommaSeparated)
    is_number = isinstance(parameter.type, click.types.IntParamType)
    return ExperimentParameter(
        name=declared.name,
        title=TITLES.get(declared.name, declared.name.replace("_", " ").capitalize()),
        help=declared.metadata["help"],
        usual=_default_text(declared),
        field=("choices" if several else "choice") if choices else "number" if is_number else "text",
        choices=choices,
        least=LEAST.get(declared.name, 0) if is_number else None,
        most=_most(declared.name) if is_number else None,
    )


def _choices(field: "Field[Any]", parameter: click.Parameter) -> tuple[str, ...]:
    """Return the values that a parameter may have; empty if they are too many to be listed."""
    if isinstance(parameter.type, click.types.BoolParamType):
        return ("yes", "no")
    if isinstance(parameter.type, click.Choice):
        return tuple(map(str, parameter.type.choices))
    registry = REGISTRIES.get(field.name)
    default = None if field.default is MISSING else field.default
    names = () if registry is None else registry()
    # Some experiments have algorithms or schemes of their own.
    return names if default is None or {*(default if isinstance(default, tuple) else (default,))} <= {*names} else ()


def _default_text(field: "Field[Any]") -> str:
    default = None if field.default is MISSING else field.default
    if field.name == CLUSTER:
        return "" if default is None else "inside:2"
    if default is None:
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    return comma_separated(map(str, default)) if isinstance(default, tuple) else str(default)


def _parsed_parameters(experiment: Experiment, words: Mapping[str, str]) -> JsonObject:
    """Return the values of the parameters in a request, parsed as on the command line."""
    known = {field.name: field for field in fields(experiment.parameters)}
    for name in words:
        if name not in known:
            raise UnknownName.among(f"parameter of {experiment.name}", name, known)
    values = {name: _parsed_value(known[name], text) for name, text in words.items() if text.strip()}
    if CLUSTER in known and known[CLUSTER].default is not None:
        values.setdefault(CLUSTER, _default_text(known[CLUSTER]))
    return {name: value for name, value in values.items() if value is not None}


def _parsed_value(field: "Field[Any]", text: str) -> object:
    if field.name == CLUSTER and INSIDE.fullmatch(text) is None:
        raise InvalidOption(f"{CLUSTER}={text}: here only a cluster inside this process, like inside:2")
    parameter = click_parameter(field)
    try:
        if isinstance(parameter, click.Argument):
            value: object = tuple(text.replace(",", " ").split())
        else:
            value = parameter.type.convert(text.strip(), parameter, None)
    except click.ClickException as error:
        raise InvalidOption(f"{field.name}: {error.format_message()}") from None
    for number in value if isinstance(value, tuple) else (value,):
        _check_limit(field.name, number, of_several=isinstance(value, tuple))
    return value


def _most(name: str) -> int | None:
    return MOST_BITS if name.endswith("bits") else MOST.get(name)


def _check_limit(name: str, number: object, *, of_several: bool) -> None:
    if name.startswith("evaluation") and ":" in str(number):
        raise InvalidOption(f"{name}={number}: here evaluations have names, and no files")
    most = _most(name)
    if name == "boards" and of_several:  # the parameter is an exponent: 2^N boards
        most = MOST_POWER
    if most is not None and isinstance(number, int) and number > most:
        raise InvalidOption(f"{name}={number}: at most {most} here")
