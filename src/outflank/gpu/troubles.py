"""Errors of a GPU as exceptions with one-line messages.

CUDA's libraries raise errors of a dozen classes, in four packages. These packages are not imported here: errors are
recognised by the names of their classes, and by the driver's own name or number of the error.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from outflank.errors import OutflankError
from outflank.installation import install_command


class DeviceTrouble(OutflankError):
    """The requested GPU cannot do the work, for the reason in the message. Work on a CPU is not affected."""


class NoDevice(DeviceTrouble):
    """No GPU can be used, for the reason in the message."""


class DeviceTooSmall(DeviceTrouble, MemoryError):
    """The GPU has too little memory, or too few registers, for the request. A smaller request may fit."""


class DeviceLost(DeviceTrouble):
    """The GPU was lost during the work. Its memory cannot be read, and this process cannot use it again."""


CLASSES = {
    "CCSupportError",
    "CudaDriverError",
    "CudaRuntimeError",
    "CudaSupportError",
    "CUDAError",
    "DeadMemoryError",
    "DynamicLibNotFoundError",
    "LinkerError",
    "nvJitLinkError",
    "nvvmError",
    "NvrtcError",
    "NvrtcSupportError",
    "NVRTCError",
    "NvvmError",
    "NvvmSupportError",
}
"""Error classes of numba-cuda, cuda.core, cuda.bindings and cuda.pathfinder that concern a GPU or its compiler."""

NO_DRIVER = "there is no driver of NVIDIA here"
_OLD_DRIVER = "its driver is too old for this CUDA toolkit: update the driver, or install the toolkit of its version"
_LOST = "it was lost on the way, with all that it held; this process cannot use it again"

_MEANINGS: dict[int, tuple[str, type[DeviceTrouble], str]] = {
    2: ("OUT_OF_MEMORY", DeviceTooSmall, "its memory does not hold this beside what is there: ask for less at once"),
    34: ("STUB_LIBRARY", NoDevice, "a stub of the CUDA toolkit is found where its driver should be"),
    35: ("INSUFFICIENT_DRIVER", NoDevice, _OLD_DRIVER),
    46: ("DEVICE_UNAVAILABLE", NoDevice, "it is in use by another process, and serves one at a time"),
    100: ("NO_DEVICE", NoDevice, "there is none, or CUDA_VISIBLE_DEVICES hides it"),
    101: ("INVALID_DEVICE", NoDevice, "there is none of that number"),
    209: ("NO_BINARY_FOR_GPU", NoDevice, "it does not run what was compiled for it"),
    214: ("ECC_UNCORRECTABLE", DeviceLost, f"its memory is damaged, and {_LOST}"),
    218: ("INVALID_PTX", NoDevice, "its driver does not take what was compiled for it"),
    222: ("UNSUPPORTED_PTX_VERSION", NoDevice, _OLD_DRIVER),
    700: ("ILLEGAL_ADDRESS", DeviceLost, _LOST),
    701: ("LAUNCH_OUT_OF_RESOURCES", DeviceTooSmall, "it has not the registers for so many threads of this kernel"),
    702: ("LAUNCH_TIMEOUT", DeviceLost, f"a kernel ran longer than its driver allows, and {_LOST}"),
    709: ("CONTEXT_IS_DESTROYED", DeviceLost, _LOST),
    710: ("ASSERT", DeviceLost, _LOST),
    714: ("HARDWARE_STACK_ERROR", DeviceLost, _LOST),
    715: ("ILLEGAL_INSTRUCTION", DeviceLost, _LOST),
    716: ("MISALIGNED_ADDRESS", DeviceLost, _LOST),
    717: ("INVALID_ADDRESS_SPACE", DeviceLost, _LOST),
    718: ("INVALID_PC", DeviceLost, _LOST),
    719: ("LAUNCH_FAILED", DeviceLost, _LOST),
    803: ("SYSTEM_DRIVER_MISMATCH", NoDevice, "its driver and the system's part of it are of two versions: restart"),
    804: ("COMPAT_NOT_SUPPORTED_ON_DEVICE", NoDevice, _OLD_DRIVER),
    999: ("UNKNOWN", DeviceLost, _LOST),
}
"""Error numbers of the driver -> name without `CUDA_ERROR_`, the class of exception raised here, and its message."""

_NUMBERS = {name: number for number, (name, _, _) in _MEANINGS.items()}

_NAMED = re.compile(r"CUDA_ERROR_([A-Z_]+)")
_TOO_LARGE = re.compile(r"uses too (?:much|many) [^()]*(?:\([^()]*\))?")
_NUMBERED = re.compile(r"driver init.*\((\d+)\)", re.DOTALL)


@contextmanager
def translate_cuda_errors() -> Iterator[None]:
    """Convert errors of CUDA's libraries in the block into `DeviceTrouble`; other exceptions pass."""
    try:
        yield
    except Exception as error:
        trouble = trouble_of(error)
        if trouble is None:
            raise
        raise trouble from error


def trouble_of(error: Exception) -> DeviceTrouble | None:
    """Return the `DeviceTrouble` for an error of CUDA's libraries; None for any other error."""
    if isinstance(error, DeviceTrouble) or CLASSES.isdisjoint(cls.__name__ for cls in type(error).__mro__):
        return None
    text = (
        " ".join(str(getattr(error, "msg", None) or error).split()).removeprefix("Error at driver init: ").strip(" :.")
    )
    number = _error_number(error, text)
    if number in _MEANINGS:
        return trouble_numbered(number)
    if too_large := _TOO_LARGE.search(text):
        return DeviceTooSmall(f"device gpu: a kernel is too large for it: it {too_large[0]}")
    if "driver library cannot be found" in text:
        return NoDevice(f"device gpu: {NO_DRIVER}")
    name = type(error).__name__
    if name == "DynamicLibNotFoundError":
        return NoDevice(f"device gpu: a part of the CUDA toolkit is missing: {install_command('gpu')} ({text[:120]})")
    cls = NoDevice if name.endswith("SupportError") else DeviceTrouble
    return cls(f"device gpu: {text[:200] or name}")


def trouble_numbered(number: int) -> DeviceTrouble:
    """Return the `DeviceTrouble` for an error number of the driver.

    >>> print(trouble_numbered(46))
    device gpu: it is in use by another process, and serves one at a time (CUDA_ERROR_DEVICE_UNAVAILABLE)
    """
    if number not in _MEANINGS:
        return DeviceTrouble(f"device gpu: its driver gives error {number}")
    name, cls, meaning = _MEANINGS[number]
    return cls(f"device gpu: {meaning} (CUDA_ERROR_{name})")


def _error_number(error: Exception, text: str) -> int | None:
    """Return the driver's number for an exception of CUDA's libraries; None if it is not recognised."""
    if (name_match := _NAMED.search(text)) and name_match[1] in _NUMBERS:
        return _NUMBERS[name_match[1]]
    code = getattr(error, "code", None)
    if code is not None:
        return int(code)
    number_match = _NUMBERED.search(str(error))
    return int(number_match[1]) if number_match else None
