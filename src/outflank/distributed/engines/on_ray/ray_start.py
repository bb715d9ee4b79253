"""Starting and ending Ray: its settings, patches for behaviour without a setting, and its processes.

This module is also run as a script, as the supervising process, which then need not import the packages around it.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from outflank.errors import OutflankError
from outflank.installation import install_command

LOOPBACK = "127.0.0.1"
PORT = 6379
"""Default port of a cluster's head, which is also Ray's default."""

OBJECT_STORE_BYTES = 80 << 20
"""Size of Ray's object store, near the least that Ray accepts. Messages between nodes are too small to use it."""

START_SECONDS = 90.0
"""Timeout for Ray to start. It takes 3 to 5 s on two idle cores, and longer on a busy machine."""


def require_ray() -> ModuleType:
    """Import and return the module `ray`; raise OutflankError if it is not installed."""
    try:
        return import_module("ray")
    except ImportError:
        raise OutflankError(f"Ray is not installed: {install_command('ray')}") from None


def settings(token_file: Path) -> dict[str, str]:
    """Return the environment variables of every Ray process, except the TLS variables. An empty value means that the
    variable is removed."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file),
        "RAY_AUTH_TOKEN": "",  # it would take precedence over the file
        "RAY_ADDRESS": "",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
        # Ray runs its workers at niceness 15, but a node must search as fast as a search without a cluster.
        "RAY_worker_niceness": "0",
        # Ray's events are not used, and flushing them makes a client wait 5 s for a dead head.
        "RAY_task_events_report_interval_ms": "0",
        "RAY_enable_metrics_collection": "0",
        # A lost machine is noticed after 3 s if its system answers, and after 18 s if it is silent. Ray's defaults take
        # 15 s and 65 s.
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_timeout_ms": "5000",
        "RAY_health_check_failure_threshold": "3",
        # A raylet's helper processes report its death to the head before they end. If the head is dead too, they wait
        # this long.
        "RAY_gcs_server_request_timeout_seconds": "10",
        # A raylet ends at once on SIGTERM, because no work here is worth draining for 30 s.
        "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",
    }


DRIVER = {
    # After 60 s without a head Ray would call _exit. Our process ends by itself, with a result.
    "RAY_gcs_rpc_server_reconnect_timeout_s": "600",
}


def _without_dashboard(node: Any, *, include_dashboard: bool | None, raise_on_failure: bool) -> None:
    node._webui_url = ""  # as Ray does if the dashboard's libraries are not installed


def patch_ray(ray: ModuleType) -> list[tuple[object, str, object]]:
    """Patch behaviour for which Ray has no setting; return the original attributes as (object, name, value)."""
    private = ray._private
    changes: list[tuple[object, str, Callable[..., object]]] = [
        # Ray takes 127.0.0.1 to mean any address of this machine, and then listens on all of them. With this patch a
        # node at 127.0.0.1 listens only there.
        (private.services, "resolve_ip_for_localhost", lambda host: host),
        # Ray starts a dashboard process even with include_dashboard=False, and a process that reads all logs. We use
        # neither. Each costs 0.7 s of processor time, and Ray waits for the dashboard.
        (private.node.Node, "start_api_server", _without_dashboard),
        (private.node.Node, "start_log_monitor", lambda self: None),
        # If the dashboard's libraries are installed, each node would open three more ports, and the head a fourth.
        (private.utils, "get_dashboard_dependency_error", lambda: ImportError("not used")),
        (private.utils, "get_ray_client_dependency_error", lambda: ImportError("not used")),
        # We do not use autoscaling, and its monitor opens a port that requires no token if prometheus_client is
        # installed, as with Jupyter. `ray start` has an option against that, `ray.init` has none.
        (private.node.Node, "start_monitor", lambda self: None),
        # Ray prints deaths of workers to standard output even without log_to_driver, in the middle of our output.
        (private.worker, "print_to_stdstream", lambda *_, **__: None),
    ]
    originals = [(module, name, getattr(module, name, None)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    return originals


def inner(directory: str | Path) -> str:
    """Return the path for Ray's own directory, which Ray makes readable for all, inside our private `directory`."""
    return str(Path(directory) / "ray")


def start_arguments(address: str, cores: int, directory: Path, head: bool) -> list[str]:
    """Return the arguments of `ray start` for a member of a cluster."""
    host, _, port = address.rpartition(":")
    arguments = [
        "--block",
        f"--num-cpus={cores}",
        "--num-gpus=0",
        f"--object-store-memory={OBJECT_STORE_BYTES}",
        f"--temp-dir={inner(directory)}",
        "--include-log-monitor=false",
    ]
    if head or host == LOOPBACK:
        arguments.append(f"--node-ip-address={host}")
    if head:
        return [*arguments, "--head", f"--port={port}", "--include-dashboard=false", "--no-monitor"]
    return [*arguments, f"--address={address}"]


def supervise() -> None:
    """Run `ray start` in the process that `membership.launch` starts. It supervises Ray's processes until SIGTERM."""
    parent = int(sys.argv.pop(1))

    def leave_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    if parent:
        threading.Thread(target=leave_with_parent, daemon=True).start()
    patch_ray(require_ray())
    sys.argv[1:] = ["start", *sys.argv[1:]]
    import_module("ray.scripts.scripts").main()


if __name__ == "__main__":
    supervise()


Process = Any
"""A `psutil.Process`."""

END_SECONDS = 10.0
"""Seconds that Ray processes have to terminate before they are killed. They need 1 to 2 s."""


def psutil() -> ModuleType:
    """Import and return psutil. If it is not installed, importing Ray makes Ray's bundled copy available."""
    try:
        return import_module("psutil")
    except ImportError:
        require_ray()
        return import_module("psutil")


def _ray_folder() -> str:
    """Return the folder of the package Ray without importing it, which takes a second."""
    spec = find_spec("ray")
    return str(Path(spec.origin if spec is not None and spec.origin else str(require_ray().__file__)).parent)


def processes_in(directory: Path) -> list[Process]:
    """Return this user's Ray processes that run in `directory`, even if they have outlived their parent process."""
    psutil_module = psutil()
    starters = (_ray_folder(), __file__)
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
    """Kill the `processes` that still run, and wait for their end."""
    running = [process for process in processes if is_running(process)]
    for process in running:
        with suppress(psutil().Error):
            process.kill()
    wait_for(running, END_SECONDS / 2)


def wait_for(processes: list[Process], seconds: float) -> None:
    """Wait until all processes have ended, for at most `seconds`."""
    deadline = time.monotonic() + seconds
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)


def is_running(process: Process) -> bool:
    """Return whether a process runs and is not a zombie."""
    psutil_module = psutil()
    try:
        return bool(process.is_running() and process.status() != psutil_module.STATUS_ZOMBIE)
    except psutil_module.NoSuchProcess:
        return False
