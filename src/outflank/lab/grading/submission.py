"""Grading of a submission in a child process, so that a crash or an endless loop becomes one line of feedback."""

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from outflank.errors import OutflankError, reason_of
from outflank.lab.grading.assignment import Assignment, Check, Wrong
from outflank.systems import CHILD_OPTIONS

ASSIGNMENTS = {
    1: "outflank.lab.grading.fork_join_assignments:MINIMAX",
    2: "outflank.lab.grading.fork_join_assignments:GRANULARITY",
    3: "outflank.lab.grading.fork_join_assignments:REDUCERS",
    4: "outflank.lab.grading.alphabeta_assignment:ASSIGNMENT",
    5: "outflank.lab.grading.table_assignment:ASSIGNMENT",
    6: "outflank.lab.grading.replication_assignment:ASSIGNMENT",
    7: "outflank.lab.grading.abalone_assignment:ASSIGNMENT",
}
"""Import path of each assignment, by its number."""

SECONDS = 120.0
"""Default limit on the time of each check. The longest check of a model solution takes some ten seconds."""

MEMORY_BYTES = 4 << 30
"""Limit on the address space of the child process, where the system can set one."""

NUMBER_LINE = re.compile(r"^ASSIGNMENT[ \t]*=[ \t]*(.*)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check."""

    name: str
    points: int
    """Points that the check is worth."""
    passed: bool
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The result of grading a submission."""

    assignment: int
    title: str
    checks: tuple[CheckResult, ...]

    @property
    def score(self) -> int:
        """Points that the submission has earned."""
        return sum(check.points for check in self.checks if check.passed)

    @property
    def points(self) -> int:
        """Points of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def passed(self) -> bool:
        """True if every check passed."""
        return all(check.passed for check in self.checks)


def assignment_numbered(number: int) -> Assignment:
    """Return the assignment with this number."""
    if number not in ASSIGNMENTS:
        raise OutflankError(f"assignment {number}: there are {', '.join(map(str, ASSIGNMENTS))}")
    module, _, name = ASSIGNMENTS[number].partition(":")
    assignment: Assignment = getattr(import_module(module), name)
    return assignment


def grade(
    file: str | Path,
    assignment: int | None = None,
    *,
    seed: int = 1,
    quick: bool = False,
    seconds: float = SECONDS,
    progress: Callable[[str], None] | None = None,
) -> Grade:
    """Run the checks of an assignment on the program in `file` and return the grade.

    Without a number, the program's line `ASSIGNMENT = N` chooses the assignment. Positions are drawn from `seed`. If
    `quick`, checks that compile the program are left out. A check that takes more than `seconds` ends the grading, and
    all checks after it fail. `progress` is called with the name of each check before it runs. The program runs with the
    rights of the caller: this is no sandbox.

    Raise `OutflankError` if the program cannot be graded: it cannot be imported, lacks a name that the assignment
    requires, or is for another assignment.
    """
    path = Path(file)
    number = _assignment_of(path, assignment)
    task = assignment_numbered(number)
    results: list[CheckResult] = []
    for compiled in (False,) if quick else (False, True):
        checks = [check for check in task.checks if check.compiled is compiled]
        if not checks:
            continue
        request = {"file": str(path.resolve()), "assignment": number, "seed": seed, "compiled": compiled}
        child = _Child(request, compiled=compiled)
        try:
            trouble = child.loading_trouble(seconds)
            if trouble and not results:
                raise OutflankError(f"{path}: {trouble}")
            results += _results(child, checks, trouble, seconds, progress or (lambda name: None))
        finally:
            child.close()
    return Grade(assignment=number, title=task.title, checks=tuple(results))


def _source_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise OutflankError(f"{path}: it is not text in UTF-8") from None


def _assignment_of(path: Path, expected: int | None) -> int:
    """Return the number of the assignment in the file, or `expected` if the file has none.

    Raise `OutflankError` if both are given and differ, or if neither is given.
    """
    line = NUMBER_LINE.search(_source_of(path))
    if line is None:
        if expected is None:
            raise OutflankError(f"{path}: it has no line ASSIGNMENT = N; give the number with --assignment")
        return expected
    digits = line[1].partition("#")[0].strip()
    if not re.fullmatch("[0-9]{1,9}", digits):
        raise OutflankError(
            f"{path}: ASSIGNMENT = {line[1]}: expected a number from {min(ASSIGNMENTS)} to {max(ASSIGNMENTS)}"
        )
    if expected not in (None, int(digits)):
        raise OutflankError(f"{path}: it says ASSIGNMENT = {digits}, so it is not graded as assignment {expected}")
    return int(digits)


class _Child:
    """The process that runs the checks. Its lines are described in `outflank.lab.grading.__main__`."""

    def __init__(self, request: dict[str, object], *, compiled: bool) -> None:
        self._process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "outflank.lab.grading"],
            env={**os.environ, "NUMBA_DISABLE_JIT": "0" if compiled else "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **CHILD_OPTIONS,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._errors: list[str] = []
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read_lines, self._read_errors)]
        for reader in self._readers:
            reader.start()
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request))
        self._process.stdin.close()

    def _read_lines(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put("")

    def _read_errors(self) -> None:
        self._errors.extend(self._process.stderr or ())

    def line(self, seconds: float | None) -> str:
        """Return the next line. Raise `Wrong` if there is none within `seconds`, or if the process has ended."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Wrong(f"it did not end within {seconds:g} s") from None
        if line:
            return line
        status = self._process.wait()
        self._readers[1].join(1.0)
        last = f": {self._errors[-1].strip()}" if self._errors and status != 0 else ""
        raise Wrong(f"the program was ended by signal {-status}" if status < 0 else f"the program ended{last}")

    def loading_trouble(self, seconds: float) -> str:
        """Return why the submission cannot be graded; empty if it was imported and has all required names."""
        self.line(None)  # the grader's own modules are imported
        try:
            return str(json.loads(self.line(seconds)))
        except Wrong as wrong:
            return f"{wrong} while it was imported"

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for reader, stream in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            reader.join(1.0)
            if stream is not None and not reader.is_alive():
                stream.close()


def _results(
    child: _Child, checks: Sequence[Check], trouble: str, seconds: float, progress: Callable[[str], None]
) -> Iterator[CheckResult]:
    """Yield the results of `checks`, which the child runs in this order. If `trouble` is not empty, all checks fail for
    this reason."""
    for check in checks:
        passed, feedback = False, trouble
        if not trouble:
            progress(check.name)
            try:
                passed, feedback = json.loads(child.line(seconds))
            except Wrong as wrong:
                feedback, trouble = str(wrong), f"not run, because {check.name!r} ended the program"
        yield CheckResult(name=check.name, points=check.points, passed=passed, feedback=feedback)
