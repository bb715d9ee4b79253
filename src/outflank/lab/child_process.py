"""What is measured in a process of its own, because the environment says how its kernels are compiled and run."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from outflank.documents import decoded
from outflank.errors import OutflankError
from outflank.lab.report import Sample
from outflank.lab.search_log import MeasuredElsewhere, add
from outflank.search.contract import Stop


class Failed(OutflankError):
    """The process did not answer: the last thing that it said, or that it took too long."""


def measure_in_child(
    module: str,
    request: Mapping[str, Any],
    environment: Mapping[str, str],
    stop: Stop,
    longest_seconds: float | None = None,
) -> list[Sample]:
    """What a module of the package measures when asked so, and what it searched is noted; nothing after `stop`."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for this process to pass on
    )
    stop.add_listener(process.kill)
    try:
        answer, trouble = process.communicate(json.dumps(request), timeout=longest_seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        answer, trouble = process.communicate()[0], f"more than {longest_seconds:g} s"
    finally:
        stop.remove_listener(process.kill)
    if stop.called:
        return []
    if process.returncode != 0:
        raise Failed((trouble.strip().splitlines() or ["it failed"])[-1])
    found = decoded(MeasuredElsewhere, answer.encode())
    for each in found.searched:
        add(each)
    return list(found.rows)
