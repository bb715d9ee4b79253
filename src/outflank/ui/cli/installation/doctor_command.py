"""`outflank doctor`: collect facts for a bug report, and test the installation."""

import platform
import sys
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from rich.text import Text

from outflank import __version__
from outflank.diagnosis import Check, self_test
from outflank.errors import OutflankError
from outflank.folders import cache_folder
from outflank.gpu.driver import DeviceFacts, first_device, simulated
from outflank.gpu.troubles import DeviceTrouble
from outflank.kernels import cache, cache_files, companion_package, lane_forms
from outflank.kernels.compiler import interpreted, load_numba
from outflank.machine import this_machine
from outflank.placement import can_bind, topology
from outflank.ui.cli.shared.position_options import output, print_json

LIBRARIES = ("numba", "llvmlite", "numpy", "rich", "click", "msgspec")


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> int:
    """Collect facts for a bug report, and test this installation.

    The status is 1 if a test fails.
    """
    facts = _facts()
    checks: list[Check] = []
    console = output()
    if not as_json:
        printed = {name: value for name, value in facts.items() if value is not None or not name.startswith("gpu_")}
        width = max(map(len, printed))
        for name, value in printed.items():
            console.print(Text(f"{name:<{width}}", "bold"), _readable(name, value))
        console.print()
    for check in self_test():
        checks.append(check)
        if not as_json:
            mark = Text("ok    ", "green") if check.passed else Text("FAILED", "red")
            console.print(mark, f"{check.name}: {check.detail}")
    good = all(check.passed for check in checks)
    if as_json:
        from outflank.ui.cli.shared.json_documents import CheckDocument, DoctorDocument

        documents = [CheckDocument(name=check.name, passed=check.passed, detail=check.detail) for check in checks]
        print_json(DoctorDocument(**facts, checks=documents, passed=good))
    elif not good:
        console.print("\nSomething is wrong here: please report it with everything above.")
    return 0 if good else 1


def _facts() -> dict[str, Any]:
    machine, processors = this_machine(), topology()
    return {
        "outflank": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{library: _version(library) for library in LIBRARIES},
        **asdict(machine),
        "processors": str(processors),
        "memory_nodes": len(processors.nodes),
        "pinning": "threads can be bound to processors" if can_bind() else "this system binds no thread to a processor",
        "kernels": "interpreted (NUMBA_DISABLE_JIT is set)" if interpreted() else "compiled",
        "lanes": _lanes(),
        "outflank_kernels": _companion(),
        "threads": "without a global lock" if not _has_global_lock() else "with a global lock; kernels release it",
        **_gpu(),
        "cache": _cache_directory(),
        "cache_files": cache_files.disk_usage()[0],
        "cache_bytes": cache_files.disk_usage()[1],
    }


def _lanes() -> str:
    if interpreted():
        return "arrays"
    load_numba()
    return lane_forms.forms_text()


def _companion() -> str:
    if interpreted():
        return "not used"
    load_numba()
    return companion_package.state_text(cache.stamp())


def _gpu() -> dict[str, str | int | None]:
    """Return the GPU's properties, or why there is none. This imports and compiles nothing."""
    device: DeviceFacts | None = None
    if simulated():
        description = "simulated (NUMBA_ENABLE_CUDASIM is set)"
    else:
        try:
            device = first_device()
            description = str(device)
        except DeviceTrouble as trouble:
            description = f"none: {str(trouble).removeprefix('device gpu: ')}"
        except Exception as error:  # a diagnosis must report every error
            description = f"unknown: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return {
        "numba_cuda": _version("numba-cuda"),
        "gpu": description,
        "gpu_memory_bytes": device.memory_bytes if device else None,
        "gpu_free_memory_bytes": device.free_memory_bytes if device else None,
    }


def _has_global_lock() -> bool:
    enabled = getattr(sys, "_is_gil_enabled", None)
    return True if enabled is None else bool(enabled())


def _cache_directory() -> str:
    try:
        return str(cache_folder())
    except OutflankError as error:
        return f"none: {error}"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "missing"


def _readable(name: str, value: Any) -> str:
    if name.endswith("_bytes"):
        if value is None:
            return "unknown"
        return f"{value / 2**30:.1f} GiB" if value >= 2**30 else f"{value / 2**20:.1f} MiB"
    return f"{value:g}" if isinstance(value, float) else str(value)
