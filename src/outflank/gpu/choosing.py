"""Where work is done: on the CPU, on a GPU, or on the CPU where no GPU can do it.

Who asks for `gpu` means it: where there is none, or it is lost, one line says so and nothing else is done. Who asks for
`gpu-or-cpu` wants the answer: the CPU goes on, and a warning says why.
"""

import warnings
from collections.abc import Callable
from typing import TypeVar, get_args

from outflank.errors import UnknownName
from outflank.gpu.troubles import DeviceTrouble, told_plainly
from outflank.kernels.loading import import_numba
from outflank.machine import DeviceAsked

__all__ = ["DEVICES", "DeviceAsked", "on_device", "settled_device"]

DEVICES: tuple[DeviceAsked, ...] = get_args(DeviceAsked)

T = TypeVar("T")


def settled_device(asked: DeviceAsked) -> DeviceAsked:
    """What is left to ask for, before any work is begun that would be lost: `cpu` if the CPU goes on from the start.

    Raises `NoDevice` where a GPU is meant and there is none.
    """

    def there() -> DeviceAsked:
        return asked

    def here() -> DeviceAsked:
        return "cpu"

    return on_device(asked, there, here)


def on_device(asked: DeviceAsked, there: Callable[[], T], here: Callable[[], T]) -> T:
    """What work gives: `there` does it on a GPU, `here` on the CPU, from its start if the GPU was lost on the way.

    What CUDA's libraries raise on the way is a `DeviceTrouble`.
    """
    if asked not in DEVICES:
        raise UnknownName.among("device", asked, DEVICES)
    if asked == "cpu":
        return here()
    import_numba()  # with one line where that fails; the next one imports it too
    from outflank.gpu.device import check_device

    try:
        check_device()
        with told_plainly():
            return there()
    except DeviceTrouble as trouble:
        if asked == "gpu":
            raise
        warnings.warn(f"{trouble}: the CPU goes on", RuntimeWarning, stacklevel=2)
    return here()
