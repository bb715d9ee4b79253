"""Measurements in a child process, for compiler settings that are read from the environment."""

import json
import subprocess
import sys
from collections.abc import Mapping

from outflank.errors import OutflankError
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_log import ChildMeasurements, add_entry
from outflank.search.request import Stop
from outflank.user_modules import import_user_module, imported_modules
from outflank.validation.documents import JsonObject, decoded


class Failed(OutflankError):
    """The child process failed or timed out. The message is the last line of its standard error, or the timeout."""


def read_request() -> JsonObject:
    """Return the request of `measure_in_child` to this process, after importing the parent's user modules."""
    request: JsonObject = json.load(sys.stdin)
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
        start_new_session=True,  # Ctrl-C reaches only this process, which stops the child
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
        raise Failed((errors.strip().splitlines() or ["it failed"])[-1])
    result = decoded(ChildMeasurements, output.encode())
    for entry in result.searched:
        add_entry(entry)
    return list(result.rows)
