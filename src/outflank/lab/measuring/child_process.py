"""Measurements in child processes: with settings that are read from the environment, or several measurements at a
time."""

import json
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress

from outflank.errors import OutflankError
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_log import ChildMeasurements, add_entry
from outflank.search.request import Stop
from outflank.systems import CHILD_OPTIONS
from outflank.user_modules import import_user_module, imported_modules
from outflank.validation.documents import JsonObject, decoded, encoded


class Failed(OutflankError):
    """The child process failed or timed out. The message is the last line of its standard error, or the timeout."""


def read_request() -> JsonObject:
    """Return the request of `measure_in_child` to this process, after importing the parent's user modules."""
    return _with_modules(json.load(sys.stdin))


def answer_requests(answer: Callable[[JsonObject], ChildMeasurements]) -> None:
    """In a child process of `ChildProcesses`, answer each line of standard input, a request, until the input ends."""
    for line in sys.stdin:
        print(encoded(answer(_with_modules(json.loads(line)))).decode(), flush=True)


def _with_modules(request: JsonObject) -> JsonObject:
    """Import the parent's user modules that a request names, and return the rest of the request."""
    for module in request.pop("imports"):
        import_user_module(module)
    return request


def measure_in_child(
    module: str, request: JsonObject, environment: Mapping[str, str], stop: Stop, longest_seconds: float | None = None
) -> list[Sample]:
    """Run `module` in a child process, log its searches and return its samples, or none if `stop` is called."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **CHILD_OPTIONS,
    )
    stop.add_listener(process.kill)
    try:
        full_request = {**request, "imports": imported_modules()}
        output, errors = process.communicate(json.dumps(full_request), timeout=longest_seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()[0], f"more than {longest_seconds:g} s"
    finally:
        stop.remove_listener(process.kill)
    if stop.called:
        return []
    if process.returncode != 0:
        raise _failure(errors)
    return _rows(output)


def _failure(errors: str) -> Failed:
    return Failed((errors.strip().splitlines() or ["it failed"])[-1])


def _rows(output: str) -> list[Sample]:
    """Log the searches in a child process's answer, and return the samples in it."""
    return logged_rows(decoded(ChildMeasurements, output.encode()))


def logged_rows(measurements: ChildMeasurements) -> list[Sample]:
    """Log the searches of another process, and return its samples."""
    for entry in measurements.searched:
        add_entry(entry)
    return list(measurements.rows)


class ChildProcesses:
    """Child processes that answer one request after another (`answer_requests`). A process is added if all are busy.

    A process takes two seconds to start, and more to load its kernels, and a usual reproduction has some thirty
    requests. So processes are reused.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._module, self._environment = module, dict(environment)
        self._idle: deque[_Child] = deque()

    def measure(self, request: JsonObject, stop: Stop) -> list[Sample]:
        """Send a request to an idle process, or to a new one; return the samples of its answer, or none if `stop` is
        called."""
        try:
            child = self._idle.pop()
        except IndexError:
            child = _Child(self._module, self._environment)
        stop.add_listener(child.kill)
        try:
            output = child.answer({**request, "imports": imported_modules()})
        finally:
            stop.remove_listener(child.kill)
        if stop.called:
            child.close()
            return []
        if not output:
            raise _failure(child.close())
        self._idle.append(child)
        return _rows(output)

    def close(self) -> None:
        """End all processes. None of them may be answering a request."""
        while self._idle:
            self._idle.pop().close()


class _Child:
    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        # A file, because a pipe that nobody reads would fill up. `close` closes it.
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", module],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            **CHILD_OPTIONS,
        )
        self.kill = self._process.kill

    def answer(self, request: JsonObject) -> str:
        """Return the answer to a request; an empty text if the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{json.dumps(request)}\n")
            self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> str:
        """End the process, and return what it has written to its standard error."""
        with suppress(BrokenPipeError):
            self._process.communicate()
        self._errors.seek(0)
        with self._errors:
            return self._errors.read()
