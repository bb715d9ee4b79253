"""Which processes of this machine are Ray's in a directory of ours, and how they end."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from outflank.distributed.engines.on_ray import ray_start
from outflank.distributed.engines.on_ray.ray_start import require_ray

END_SECONDS = 10.0
"""What processes get between a request to leave and a kill; they take 1 to 2 s."""


def psutil() -> Any:
    """The module, which Ray brings along, and finds where it is not installed by itself."""
    try:
        return import_module("psutil")
    except ImportError:
        require_ray()
        return import_module("psutil")


def _ray_folder() -> str:
    """Where Ray is installed, without the second that it takes to import it."""
    found = find_spec("ray")
    return str(Path(found.origin if found is not None and found.origin else require_ray().__file__).parent)


def processes_in(directory: Path) -> list[Any]:
    """This user's processes of Ray that live in a directory, whoever their parent is: some outlive the one that started
    them."""
    processes = psutil()
    starters = (_ray_folder(), ray_start.__file__)
    inside = f"{directory}{os.sep}"
    found = []
    for process in processes.process_iter():
        with suppress(processes.Error):
            if sys.platform != "win32" and process.uids().real != os.getuid():
                continue
            command = " ".join(process.cmdline())
            if command.startswith("ray::"):  # written over by the process itself; the log it writes to gives it away
                ours = any(file.path.startswith(inside) for file in process.open_files())
            else:
                ours = inside in command and any(starter in command for starter in starters)
            if ours and process.pid != os.getpid():
                found.append(process)
    return found


def end_processes(found: Iterable[Any]) -> None:
    """Kill what still runs."""
    running = [process for process in found if runs(process)]
    for process in running:
        with suppress(psutil().Error):
            process.kill()
    wait_for(running, END_SECONDS / 2)


def wait_for(found: list[Any], seconds: float) -> None:
    """Wait until all have ended, but not longer than that."""
    deadline = time.monotonic() + seconds
    while any(map(runs, found)) and time.monotonic() < deadline:
        time.sleep(0.05)


def runs(process: Any) -> bool:
    """Whether a process is there, and not just unburied."""
    processes = psutil()
    try:
        return bool(process.is_running() and process.status() != processes.STATUS_ZOMBIE)
    except processes.NoSuchProcess:
        return False
