"""Evaluations where a GPU finds them: those by patterns are addresses, of weights that lie in the memory of the CPU."""

from typing import Any, NamedTuple

from outflank.games.pattern_sets import loaded
from outflank.games.patterns import Patterns
from outflank.gpu.device import cuda


class Placed(NamedTuple):
    """An evaluation on the device."""

    evaluation: Any
    memory: list[Any]
    """What it is about: who uses the evaluation must keep it."""


def placed(evaluation: Any) -> Placed:
    """An evaluation as the device has it; whatever holds no addresses is the same there."""
    memory: list[Any] = []

    def there(array: Any) -> int:
        memory.append(cuda.to_device(array))
        on_device = getattr(memory[-1], "__cuda_array_interface__", None)
        return int((on_device or memory[-1].__array_interface__)["data"][0])  # the latter in the simulator

    return Placed(loaded(evaluation).placed(there) if isinstance(evaluation, Patterns) else evaluation, memory)
