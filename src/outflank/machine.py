"""The processor, cores and memory of this machine, and how much of them this process may use.

psutil is not used because it ignores the limits of containers.
"""

import os
import platform
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from outflank.systems import machine_memory

DeviceOption = Literal["cpu", "gpu", "gpu-or-cpu"]
"""Requested device. If there is no GPU, `gpu` fails, and `gpu-or-cpu` uses the CPU."""

DeviceUsed = Literal["cpu", "gpu", "gpu+cpu"]
"""Device that did the work. `gpu+cpu`: the GPU failed during the work, and the CPU finished it."""

MOST_WORKERS = 1024
"""Limit on the threads of one search, count or experiment. A larger number would be a typing error, because machines
have fewer cores."""

WINDOWS_PROCESSOR = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The machine's resources, and the part of them that this process may use."""

    system: str
    processor: str
    cores: int
    """Cores in the machine."""
    usable_cores: float
    """Cores that this process may keep busy, limited by its affinity and its container's quota."""
    memory_bytes: int | None
    """Memory in the machine; None if unknown."""
    usable_memory_bytes: int | None
    """Memory that this process may use: the machine's, or less if its container has a limit; None if unknown."""


def this_machine() -> Machine:
    """Return the resources of the machine and of this process now."""
    return Machine(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=_processor(),
        cores=os.cpu_count() or 1,
        usable_cores=usable_cores(),
        memory_bytes=machine_memory(),
        usable_memory_bytes=usable_memory(),
    )


def usable_cores() -> float:
    """Return the number of cores that this process may keep busy; a container's quota can make it a fraction."""
    if sys.platform == "linux":
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    quota = _container_cores()
    return float(allowed) if quota is None else min(float(allowed), quota)


def usable_memory() -> int | None:
    """Return the memory that this process may use, limited by its container, in bytes; None if unknown."""
    return min((limit for limit in (machine_memory(), _container_memory()) if limit is not None), default=None)


def _processor() -> str:
    """Return the processor's model name according to the system, or else according to LLVM."""
    return _system_name() or _compiler_name() or platform.processor() or platform.machine()


def _system_name() -> str:
    if sys.platform == "darwin":
        return _output_of("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, WINDOWS_PROCESSOR) as key:
            return str(winreg.QueryValueEx(key, "ProcessorNameString")[0]).strip()
        return ""
    for line in _lines(Path("/proc/cpuinfo")):
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Processor", "cpu model"):
            return value.strip()
    return ""


def _compiler_name() -> str:
    """Return LLVM's name of the processor. On ARM, Linux gives only numbers."""
    from llvmlite.binding import get_host_cpu_name

    name = str(get_host_cpu_name())
    return "" if name == "generic" else name


def _output_of(*command: str) -> str:
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return process.stdout.strip()


# --- control groups, of version 2 or 1: every group up to the root may set a limit ---


def _groups(controller: str) -> list[Path]:
    """Return the directories of this process's control groups, innermost first."""
    root = Path("/sys/fs/cgroup")
    groups = []
    for line in _lines(Path("/proc/self/cgroup")):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "" or controller in controllers.split(","):
            base = root if controllers == "" else root / controller
            group = base / path.strip().lstrip("/")
            groups += [group, *[parent for parent in group.parents if base in (parent, *parent.parents)]]
    return groups


def _container_cores() -> float | None:
    quotas = []
    for group in _groups("cpu"):
        words = _words(group / "cpu.max")
        if len(words) == 2 and words[0].isdigit() and int(words[1]) > 0:
            quotas.append(int(words[0]) / int(words[1]))
        quota, period = _words(group / "cpu.cfs_quota_us"), _words(group / "cpu.cfs_period_us")
        if quota and period and quota[0].isdigit() and int(period[0]) > 0:
            quotas.append(int(quota[0]) / int(period[0]))
    return min(quotas, default=None)


def _container_memory() -> int | None:
    limits = []
    for group in _groups("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            words = _words(group / name)
            # In version 1, "no limit" is a number near the largest integer.
            if words and words[0].isdigit() and int(words[0]) < 1 << 60:
                limits.append(int(words[0]))
    return min(limits, default=None)


def _words(path: Path) -> list[str]:
    return " ".join(_lines(path)).split()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
