"""Choice of the processor for some work: the CPU, a GPU, or a GPU with the CPU as fallback.

With `gpu`, a missing or lost GPU is an error, and the work is not done. With `gpu-or-cpu` the CPU continues instead,
and a warning gives the reason.
"""

import warnings
from collections.abc import Callable
from typing import TypeVar, get_args

from outflank.errors import UnknownName
from outflank.gpu.troubles import DeviceTrouble, translate_cuda_errors
from outflank.kernels.loading import import_numba
from outflank.machine import DeviceOption

__all__ = ["DEVICES", "DeviceOption", "on_device", "resolve_device"]

DEVICES: tuple[DeviceOption, ...] = get_args(DeviceOption)

T = TypeVar("T")


def resolve_device(requested: DeviceOption) -> DeviceOption:
    """Return `requested`, or `cpu` if `gpu-or-cpu` is requested and no GPU can be used.

    Call it before other work, which would be lost if a missing GPU were noticed later.

    Raises `NoDevice` if `gpu` is requested and no GPU can be used.
    """

    def requested_device() -> DeviceOption:
        return requested

    def cpu() -> DeviceOption:
        return "cpu"

    return on_device(requested, requested_device, cpu)


def on_device(requested: DeviceOption, on_gpu: Callable[[], T], on_cpu: Callable[[], T]) -> T:
    """Return the result of `on_gpu()` or `on_cpu()`, as `requested`. For `gpu-or-cpu`, `on_cpu` is called if the GPU is
    missing or lost.

    Errors of CUDA's libraries are raised as `DeviceTrouble`.
    """
    if requested not in DEVICES:
        raise UnknownName.among("device", requested, DEVICES)
    if requested == "cpu":
        return on_cpu()
    import_numba()  # before the next import, which needs Numba too: if it is missing, this gives a one-line error
    from outflank.gpu.device import check_device

    try:
        check_device()
        with translate_cuda_errors():
            return on_gpu()
    except DeviceTrouble as trouble:
        if requested == "gpu":
            raise
        warnings.warn(f"{trouble}: the CPU goes on", RuntimeWarning, stacklevel=2)
    return on_cpu()
