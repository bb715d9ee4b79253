"""The laboratory for the page: experiments in words, one run at a time, and the pages that runs have written."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import cache
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from outflank.documents import Document, decoded, encoded
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.formats.files import write_whole
from outflank.kinds import Misfit
from outflank.lab import RunProgress, experiment_named, run
from outflank.lab.experiment import EXPERIMENTS, Experiment
from outflank.ownership import make_private
from outflank.search.contract import Stop
from outflank.ui.cli.lab import parameter_of
from outflank.ui.web import messages, requests
from outflank.ui.web.messages import ExperimentKind, ExperimentParameter, ReportFile, Running
from outflank.ui.web.searching.turns import Turns
from outflank.words import comma_separated

MOST_REPORTS = 100
"""That are listed, the newest first."""

CLUSTER = "cluster"
INSIDE = re.compile(r"inside:[1-9][0-9]?")
"""The clusters that start no processes."""

MOST_BITS, MOST_POWER = 26, 22
MOST = {"workers": 64, "threads": 64, "boards": 4_000_000, "nodes": 1_000_000}
"""Of parameters by these names; those that end in `bits`, and powers of two, have bounds of their own."""

_folder = re.compile(r"[0-9]{8}-[0-9]{6}-[a-z0-9-]{1,64}")

Tell = Callable[[Running], None]


class RunNote(Document, frozen=True, kw_only=True, tag="outflank/web-run/1"):
    """Of a run that has ended, in its folder."""

    experiment: str
    complete: bool


class Laboratory:
    """One for a server; asked in threads that work."""

    def __init__(self, folder: Path, turns: Turns) -> None:
        self.folder, self._turns = folder, turns
        self._lock = threading.Lock()
        self._running: tuple[Running, Stop] | None = None
        self._listeners: set[Tell] = set()

    def listing(self, ask: int) -> messages.Laboratory:
        """What can be measured, what is being measured, and what was."""
        with self._lock:
            progress = None if self._running is None else replace(self._running[0], of=ask)
        return messages.Laboratory(
            re=ask,
            experiments=_kinds(),
            running="" if progress is None else progress.experiment,
            progress=progress,
            reports=self._reports(),
        )

    def listen(self, tell: Tell) -> None:
        """Be told of every run from now on, from whatever thread."""
        with self._lock:
            self._listeners.add(tell)

    def forget(self, tell: Tell) -> None:
        """Be told no more."""
        with self._lock:
            self._listeners.discard(tell)

    def begin(self, asked: requests.Run) -> None:
        """Measure, in a thread of its own."""
        experiment = experiment_named(asked.experiment)
        given = _given(experiment, asked.parameters)
        experiment.parameters(**given)  # refuses what does not fit
        with self._lock:
            if self._running is not None:
                raise OutflankError(
                    f"{self._running[0].experiment} is being measured, and one at a time is: cancel it, or wait"
                )
            stop = Stop()
            self._running = (_first(experiment.name), stop)
        work = threading.Thread(target=self._run, args=(experiment.name, given, stop), name="outflank-lab", daemon=True)
        work.start()

    def check_idle(self) -> None:
        """Refuse what would measure beside a run, or have to wait for its end."""
        with self._lock:
            if self._running is not None:
                raise OutflankError(f"{self._running[0].experiment} is being measured: cancel it, or wait")

    def cancel(self) -> None:
        """End the run under way."""
        with self._lock:
            if self._running is not None:
                self._running[1]()

    def page(self, id: str) -> bytes | None:
        """The page of a report; None: there is none of that name."""
        found = next((each for each in self._folders() if each.name == id), None)
        if found is None:
            return None
        note = _note(found)
        try:
            return None if note is None else (found / f"{note.experiment}.html").read_bytes()
        except OSError:
            return None

    # --- a run ---

    def _run(self, name: str, given: Mapping[str, Any], stop: Stop) -> None:
        last = _first(name)

        def progress(now: RunProgress) -> None:
            nonlocal last
            last = replace(last, task=now.task, part=now.done, seconds_left=now.seconds_left)
            with self._lock:
                self._running = (last, stop)
            self._tell(last)

        failed, written = "", None
        self._tell(last)
        try:
            with self._turns.hold(stop):
                written = self._measured(name, given, progress, stop)
        except OutflankError as error:
            failed = str(error)
        except (KeyboardInterrupt, SystemExit):
            failed = "the server ends"
        except BaseException as error:  # an experiment may be anybody's
            failed = f"{type(error).__name__}: {error}"
        with self._lock:
            self._running = None
        failed = " ".join(failed.split())[:400]
        self._tell(replace(last, task="", seconds_left=None, done=True, failed=failed, report=written))

    def _tell(self, message: Running) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for tell in listeners:
            tell(message)

    def _measured(
        self, name: str, given: Mapping[str, Any], progress: Callable[[RunProgress], None], stop: Stop
    ) -> ReportFile | None:
        folder = self.folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
        make_private(folder)  # it will hold positions that visitors have sent
        report = run(name, out=folder, progress=progress, stop=stop, **given)
        write_whole(folder / "run.json", encoded(RunNote(experiment=name, complete=report.complete)))
        return _report(folder)

    # --- what was written ---

    def _folders(self) -> list[Path]:
        """Those of ours in the folder, the newest first."""
        try:
            found = [each for each in self.folder.iterdir() if _folder.fullmatch(each.name)]
        except OSError:
            return []
        return sorted(found, key=lambda each: each.name, reverse=True)[:MOST_REPORTS]

    def _reports(self) -> tuple[ReportFile, ...]:
        return tuple(each for each in map(_report, self._folders()) if each is not None)


def _first(name: str) -> Running:
    """How far a run is that has just begun; who is told of it has a number of their own."""
    return Running(of=0, experiment=name, task="", part=0.0, seconds_left=None, done=False, failed="", report=None)


def _note(folder: Path) -> RunNote | None:
    try:
        note = decoded(RunNote, (folder / "run.json").read_bytes())
    except (OSError, Misfit):
        return None
    return note if folder.name.endswith(f"-{note.experiment}") else None


def _report(folder: Path) -> ReportFile | None:
    note = _note(folder)
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
        address=f"/report/{folder.name}",
    )


@cache
def _kinds() -> tuple[ExperimentKind, ...]:
    """Loads them all, which takes a second."""
    return tuple(
        ExperimentKind(
            name=each.name,
            question=each.question,
            reports=each.reports,
            parameters=tuple(
                ExperimentParameter(name=one.name, help=one.metadata["help"], usual=_usual(one))
                for one in fields(each.parameters)
            ),
        )
        for each in EXPERIMENTS.parts().values()
    )


def _usual(each: "Field[Any]") -> str:
    default = None if each.default is MISSING else each.default
    if each.name == CLUSTER:
        return "" if default is None else "inside:2"
    if default is None:
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    return comma_separated(map(str, default)) if isinstance(default, tuple) else str(default)


def _given(experiment: Experiment[Any], words: Mapping[str, str]) -> dict[str, Any]:
    """The parameters that words name, as the command line reads them."""
    known = {each.name: each for each in fields(experiment.parameters)}
    for name in words:
        if name not in known:
            raise UnknownName.among(f"parameter of {experiment.name}", name, known)
    found = {name: _value(known[name], text) for name, text in words.items() if text.strip()}
    if CLUSTER in known and known[CLUSTER].default is not None:
        found.setdefault(CLUSTER, _usual(known[CLUSTER]))
    return {name: value for name, value in found.items() if value is not None}


def _value(each: "Field[Any]", text: str) -> Any:
    if each.name == CLUSTER and INSIDE.fullmatch(text) is None:
        raise InvalidOption(f"{CLUSTER}={text}: here only a cluster inside this process, like inside:2")
    parameter = parameter_of(each)
    try:
        if isinstance(parameter, click.Argument):
            value: Any = tuple(text.replace(",", " ").split())
        else:
            value = parameter.type.convert(text.strip(), parameter, None)
    except click.ClickException as error:
        raise InvalidOption(f"{each.name}: {error.format_message()}") from None
    for number in value if isinstance(value, tuple) else (value,):
        _check(each.name, number, of_several=isinstance(value, tuple))
    return value


def _check(name: str, number: Any, *, of_several: bool) -> None:
    if name.startswith("evaluation") and ":" in str(number):
        raise InvalidOption(f"{name}={number}: here evaluations have names, and no files")
    most = MOST_BITS if name.endswith("bits") else MOST.get(name)
    if name == "boards" and of_several:  # 2^N of them
        most = MOST_POWER
    if most is not None and isinstance(number, int) and number > most:
        raise InvalidOption(f"{name}={number}: at most {most} here")
