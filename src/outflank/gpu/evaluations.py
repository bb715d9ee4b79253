"""Evaluations on a GPU: those by patterns hold addresses of weights, which must be copied from the CPU's memory."""

from typing import Any, NamedTuple

from outflank.games.pattern_sets import loaded
from outflank.games.patterns import Patterns
from outflank.gpu.device import cuda


class PlacedEvaluation(NamedTuple):
    """An evaluation that can be used on the device."""

    evaluation: Any
    memory: list[Any]
    """Device memory of the evaluation: the user must keep it alive."""


def place_on_device(evaluation: Any) -> PlacedEvaluation:
    """Return an evaluation for the device; one that holds no addresses is unchanged."""
    memory: list[Any] = []

    def device_address(array: Any) -> int:
        memory.append(cuda.to_device(array))
        interface = getattr(memory[-1], "__cuda_array_interface__", None)
        return int((interface or memory[-1].__array_interface__)["data"][0])  # the second in the simulator

    return PlacedEvaluation(
        loaded(evaluation).place_with(device_address) if isinstance(evaluation, Patterns) else evaluation, memory
    )
