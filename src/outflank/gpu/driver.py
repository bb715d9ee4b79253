"""What NVIDIA's driver says of the GPUs, asked without CUDA's Python packages: they take a second to import."""

import ctypes
import importlib.util
import os
import sys
from dataclasses import dataclass
from typing import Any

from outflank.gpu.troubles import NO_DRIVER, NoDevice, trouble_numbered

LIBRARIES = {"win32": ("nvcuda.dll", "nvml.dll")}
USUAL_LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1")
"""Of the driver, and of what watches it, which alone knows its version and what memory is free."""

MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
"""Attributes of a device, by the driver's numbers."""

LONGEST_NAME = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """A GPU, as its driver describes it."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    free_memory_bytes: int | None
    """None where nobody says."""
    driver: str | None
    """Its version; None where nobody says."""
    cuda: tuple[int, int]
    """The newest version of CUDA that the driver takes."""

    def __str__(self) -> str:
        capability, cuda = (".".join(map(str, version)) for version in (self.compute_capability, self.cuda))
        driver = f"driver {self.driver} for CUDA {cuda}" if self.driver else f"driver for CUDA {cuda}"
        return f"{self.name}, compute capability {capability}, {self.multiprocessors} multiprocessors, {driver}"


def simulated() -> bool:
    """Whether Numba's simulator stands for a device (`NUMBA_ENABLE_CUDASIM` is set)."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def require_numba_cuda() -> None:
    """See that what compiles for a GPU is installed."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise NoDevice("device gpu: numba-cuda is missing: pip install 'outflank[gpu]'")


def first_device() -> DeviceFacts:
    """The GPU that work is done on; `NoDevice` says why there is none."""
    require_numba_cuda()
    driver_name, watcher_name = LIBRARIES.get(sys.platform, USUAL_LIBRARIES)
    driver = _library(driver_name)
    if driver is None:
        raise NoDevice(f"device gpu: {NO_DRIVER}")
    return described(driver, _library(watcher_name))


def _library(name: str) -> Any:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def described(driver: Any, watcher: Any) -> DeviceFacts:
    """The first device of a driver, with what its watcher adds to that, if there is one."""
    device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(LONGEST_NAME), ctypes.c_size_t()
    _ask(driver.cuInit, 0)
    _ask(driver.cuDeviceGet, ctypes.byref(device), 0)
    _ask(driver.cuDeviceGetName, name, LONGEST_NAME, device)
    _ask(driver.cuDeviceTotalMem_v2, ctypes.byref(memory), device)

    def attribute(number: int) -> int:
        found = ctypes.c_int()
        _ask(driver.cuDeviceGetAttribute, ctypes.byref(found), number, device)
        return found.value

    version = ctypes.c_int()
    _ask(driver.cuDriverGetVersion, ctypes.byref(version))
    place = ctypes.create_string_buffer(LONGEST_NAME)
    _ask(driver.cuDeviceGetPCIBusId, place, LONGEST_NAME, device)
    driver_version, free = _watched(watcher, place) if watcher is not None else (None, None)
    return DeviceFacts(
        name=name.value.decode(errors="replace"),
        compute_capability=(attribute(MAJOR), attribute(MINOR)),
        multiprocessors=attribute(MULTIPROCESSORS),
        memory_bytes=memory.value,
        free_memory_bytes=free,
        driver=driver_version,
        cuda=(version.value // 1000, version.value % 1000 // 10),
    )


def _ask(function: Any, *arguments: Any) -> None:
    """Ask the driver, whose every answer begins with whether there is one."""
    if number := function(*arguments):
        raise trouble_numbered(number)


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _watched(watcher: Any, place: Any) -> tuple[str | None, int | None]:
    """The driver's version, and the free memory of the device at a place."""
    version, free = ctypes.create_string_buffer(LONGEST_NAME), None
    handle, memory = ctypes.c_void_p(), _Memory()
    if watcher.nvmlInit_v2():
        return None, None
    try:
        known = not watcher.nvmlSystemGetDriverVersion(version, LONGEST_NAME)
        if not watcher.nvmlDeviceGetHandleByPciBusId_v2(place, ctypes.byref(handle)):
            free = None if watcher.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) else memory.free
    finally:
        watcher.nvmlShutdown()
    return version.value.decode(errors="replace") if known else None, free
