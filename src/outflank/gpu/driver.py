"""Properties of GPUs from NVIDIA's driver, without CUDA's Python packages, which take a second to import."""

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

from outflank.gpu.troubles import NO_DRIVER, NoDevice, trouble_numbered
from outflank.installation import install_command

LIBRARIES = {"win32": ("nvcuda.dll", "nvml.dll")}
DEFAULT_LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1")
"""Libraries of the driver and of its management interface. Only the management interface reports the driver's version
and the free memory."""

MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
"""Numbers by which the driver's interface identifies three attributes of a GPU."""

LONGEST_NAME = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """Properties of a GPU, as its driver reports them."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    free_memory_bytes: int | None
    """Free memory of the GPU in bytes; None if unknown."""
    driver: str | None
    """Version of NVIDIA's driver; None if unknown."""
    cuda: tuple[int, int]
    """Newest version of CUDA that the driver supports: major and minor number."""

    def __str__(self) -> str:
        capability, cuda = (".".join(map(str, version)) for version in (self.compute_capability, self.cuda))
        driver = f"driver {self.driver} for CUDA {cuda}" if self.driver else f"driver for CUDA {cuda}"
        return f"{self.name}, compute capability {capability}, {self.multiprocessors} multiprocessors, {driver}"


def simulated() -> bool:
    """Return whether Numba's CUDA simulator replaces the GPU (`NUMBA_ENABLE_CUDASIM` is set)."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def require_numba_cuda() -> None:
    """Raise `NoDevice` if numba-cuda, which compiles for GPUs, is not installed."""
    if sys.platform == "darwin":  # the extra `gpu` is empty there
        raise NoDevice("device gpu: there is no CUDA for macOS")
    if importlib.util.find_spec("numba_cuda") is None:
        raise NoDevice(f"device gpu: numba-cuda is missing: {install_command('gpu')}")


def first_device() -> DeviceFacts:
    """Return the properties of the first GPU, which is the one that is used; raise `NoDevice` if there is none."""
    require_numba_cuda()
    driver_name, management_name = LIBRARIES.get(sys.platform, DEFAULT_LIBRARIES)
    driver = _library(driver_name)
    if driver is None:
        raise NoDevice(f"device gpu: {NO_DRIVER}")
    return device_facts(driver, _library(management_name))


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def device_facts(driver: ctypes.CDLL, management: ctypes.CDLL | None) -> DeviceFacts:
    """Return the properties of the first GPU, from the driver's library and, if not None, the management library."""
    device, name, memory = ctypes.c_int(), ctypes.create_string_buffer(LONGEST_NAME), ctypes.c_size_t()
    _call(driver.cuInit, 0)
    _call(driver.cuDeviceGet, ctypes.byref(device), 0)
    _call(driver.cuDeviceGetName, name, LONGEST_NAME, device)
    _call(driver.cuDeviceTotalMem_v2, ctypes.byref(memory), device)

    def attribute(number: int) -> int:
        value = ctypes.c_int()
        _call(driver.cuDeviceGetAttribute, ctypes.byref(value), number, device)
        return value.value

    version = ctypes.c_int()
    _call(driver.cuDriverGetVersion, ctypes.byref(version))
    pci_address = ctypes.create_string_buffer(LONGEST_NAME)
    _call(driver.cuDeviceGetPCIBusId, pci_address, LONGEST_NAME, device)
    driver_version, free = _management_facts(management, pci_address) if management is not None else (None, None)
    return DeviceFacts(
        name=name.value.decode(errors="replace"),
        compute_capability=(attribute(MAJOR), attribute(MINOR)),
        multiprocessors=attribute(MULTIPROCESSORS),
        memory_bytes=memory.value,
        free_memory_bytes=free,
        driver=driver_version,
        cuda=(version.value // 1000, version.value % 1000 // 10),
    )


def _call(function: Callable[..., int], *arguments: object) -> None:
    """Call a function of the driver's library; raise `DeviceTrouble` if it returns an error number."""
    if number := function(*arguments):
        raise trouble_numbered(number)


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _management_facts(
    management: ctypes.CDLL, pci_address: ctypes.Array[ctypes.c_char]
) -> tuple[str | None, int | None]:
    """Return the driver's version, and the free bytes of the GPU at a PCI address; each is None if unknown."""
    version, free = ctypes.create_string_buffer(LONGEST_NAME), None
    handle, memory = ctypes.c_void_p(), _Memory()
    if management.nvmlInit_v2():
        return None, None
    try:
        is_known = not management.nvmlSystemGetDriverVersion(version, LONGEST_NAME)
        if not management.nvmlDeviceGetHandleByPciBusId_v2(pci_address, ctypes.byref(handle)):
            free = None if management.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) else memory.free
    finally:
        management.nvmlShutdown()
    return version.value.decode(errors="replace") if is_known else None, free
