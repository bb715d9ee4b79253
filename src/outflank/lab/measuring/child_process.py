"""Measurements in a child process, for settings of kernels that are read from the environment."""

import json
import subprocess
import sys
from collections.abc import Mapping

from outflank.errors import OutflankError
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_log import ChildMeasurements, add_entry
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject, decoded


class Failed(OutflankError):
    """The child process failed or timed out; the message is the last line of its standard error, or the timeout."""


def measure_in_child(
    module: str, request: JsonObject, environment: Mapping[str, str], stop: Stop, longest_seconds: float | None = None
) -> list[Sample]:
    """Return the samples that a module measures in a child process, and log its searches; no samples after `stop`."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # this process passes Ctrl-C on
    )
    stop.add_listener(process.kill)
    try:
        output, errors = process.communicate(json.dumps(request), timeout=longest_seconds)
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
