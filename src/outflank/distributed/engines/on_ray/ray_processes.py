"""Ray's processes on this machine that run in one of our directories, and how they are ended."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from outflank.distributed.engines.on_ray import ray_start
from outflank.distributed.engines.on_ray.ray_start import require_ray

Process = Any
"""A `Process` of psutil."""

END_SECONDS = 10.0
"""Timeout between the request to terminate and the kill; processes take 1 to 2 s."""


def psutil() -> ModuleType:
    """Return the module psutil; where it is not installed by itself, importing Ray makes its bundled copy available."""
    try:
        return import_module("psutil")
    except ImportError:
        require_ray()
        return import_module("psutil")


def _ray_folder() -> str:
    """Return the folder of the package Ray, without the second that its import takes."""
    spec = find_spec("ray")
    return str(Path(spec.origin if spec is not None and spec.origin else str(require_ray().__file__)).parent)


def processes_in(directory: Path) -> list[Process]:
    """Return this user's processes of Ray that run in a directory, whatever their parent is: some outlive the process
    that started them."""
    psutil_module = psutil()
    starters = (_ray_folder(), ray_start.__file__)
    inside = f"{directory}{os.sep}"
    ray_processes = []
    for process in psutil_module.process_iter():
        with suppress(psutil_module.Error):
            if sys.platform != "win32" and process.uids().real != os.getuid():
                continue
            command = " ".join(process.cmdline())
            if command.startswith("ray::"):  # Ray overwrites the command line; an open log file identifies the process
                is_ours = any(file.path.startswith(inside) for file in process.open_files())
            else:
                is_ours = inside in command and any(starter in command for starter in starters)
            if is_ours and process.pid != os.getpid():
                ray_processes.append(process)
    return ray_processes


def end_processes(processes: Iterable[Process]) -> None:
    """Kill the processes that still run."""
    running = [process for process in processes if is_running(process)]
    for process in running:
        with suppress(psutil().Error):
            process.kill()
    wait_for(running, END_SECONDS / 2)


def wait_for(processes: list[Process], seconds: float) -> None:
    """Wait until all processes have ended, for `seconds` at most."""
    deadline = time.monotonic() + seconds
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)


def is_running(process: Process) -> bool:
    """Return whether a process runs, and is not a zombie."""
    psutil_module = psutil()
    try:
        return bool(process.is_running() and process.status() != psutil_module.STATUS_ZOMBIE)
    except psutil_module.NoSuchProcess:
        return False
