"""How Ray is started: its settings, what is changed in it where it has none, and the process that keeps the others.

Runs by its path as well, so that this process need not load the packages around it.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from outflank.errors import OutflankError

LOOPBACK = "127.0.0.1"
PORT = 6379
"""Where a cluster's head listens unless told otherwise: Ray's own habit."""

OBJECT_STORE_BYTES = 80 << 20
"""Near the least that Ray takes; what nodes send each other is too small to go through it."""

START_SECONDS = 90.0
"""A start takes 3 to 5 s on two idle cores; a busy machine may take its time, but not for ever."""


def require_ray() -> Any:
    """The module `ray`, which is an extra."""
    try:
        return import_module("ray")
    except ImportError:
        raise OutflankError("Ray is not installed: pip install 'outflank[ray]'") from None


def settings(token_file: Path) -> dict[str, str]:
    """The environment of every Ray process; an empty value takes a variable out."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file),
        "RAY_AUTH_TOKEN": "",  # would come before the file
        "RAY_ADDRESS": "",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
        # Ray lets its workers run at 15 of 19: a node is to search as fast as a search without a cluster.
        "RAY_worker_niceness": "0",
        # Nobody reads them, and flushing them makes a driver wait 5 s for a head that is gone.
        "RAY_task_events_report_interval_ms": "0",
        "RAY_enable_metrics_collection": "0",
        # A lost machine is noticed after 3 s where its system answers, and after 18 s where it is silent; Ray's own
        # settings take 15 s and 65 s.
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_timeout_ms": "5000",
        "RAY_health_check_failure_threshold": "3",
        # A raylet's helpers tell the head of its death before they leave, and wait so long if the head is dead too.
        "RAY_gcs_server_request_timeout_seconds": "10",
        # What a raylet does with SIGTERM before it leaves: nothing, for nothing here is worth 30 s.
        "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",
    }


DRIVER = {
    # Ray ends a process that has lost the head for 60 s with _exit: ours leaves by itself, with a result.
    "RAY_gcs_rpc_server_reconnect_timeout_s": "600",
}


def patch_ray(ray: Any) -> list[tuple[Any, str, Any]]:
    """Change what Ray has no setting for; returns what was there before."""
    inside = ray._private
    changes: list[tuple[Any, str, Callable[..., Any]]] = [
        # Ray takes 127.0.0.1 for "any address of this machine", and then listens on all of them. A node whose address
        # is really 127.0.0.1 listens there and nowhere else.
        (inside.services, "resolve_ip_for_localhost", lambda host: host),
        # Where the dashboard's libraries are installed, each node would open three more ports, and the head a fourth.
        (inside.utils, "get_dashboard_dependency_error", lambda: ImportError("not used")),
        (inside.utils, "get_ray_client_dependency_error", lambda: ImportError("not used")),
        # Nothing here is scaled, and where prometheus_client is installed, as Jupyter brings it, this process opens a
        # port that asks nobody for a token. `ray start` has an option for it, `ray.init` has none.
        (inside.node.Node, "start_monitor", lambda self: None),
        # Deaths of workers are told on standard output, log_to_driver or not, in the middle of our own.
        (inside.worker, "print_to_stdstream", lambda *_, **__: None),
    ]
    before = [(module, name, getattr(module, name, None)) for module, name, _ in changes]
    for module, name, value in changes:
        setattr(module, name, value)
    return before


def inner(directory: str | Path) -> str:
    """Where Ray works: it opens its directory to everybody, so that is one inside of ours, which stays closed."""
    return str(Path(directory) / "ray")


def start_arguments(address: str, cores: int, directory: Path, head: bool) -> list[str]:
    """The options of `ray start`."""
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
    """`ray start` in the process that `membership.launch` makes: keeps the others, and ends them when it is told to."""
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
