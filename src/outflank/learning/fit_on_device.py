"""The sums of a fit on a GPU, to the same bits as on a CPU.

A CPU goes through the examples and adds to their weights. So many lanes would add to one weight at once, in any order,
and sums of floats depend on it. Here each weight has a lane for each share of the examples, which goes through those
that show it, in their order: they are sorted once, and the fit goes over them some sixty times.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.kernels.compiler import kernel

Floats = npt.NDArray[np.float32]

THREADS = 128


class DeviceShares:
    """Examples in parts, on a device."""

    def __init__(
        self,
        indices: npt.NDArray[np.int32],
        rows: Sequence[slice],
        weights: int,
        each: Callable[[Callable[[int], None]], None],
    ) -> None:
        self._weights, self._shares, self._count = weights, len(rows), len(indices)
        counts = np.zeros((len(rows), weights), np.int64)
        each(lambda share: _count(indices[rows[share]], counts[share]))
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        places = ends[:-1].reshape(counts.shape).copy()
        order = np.zeros(indices.size, np.int32)
        each(lambda share: _sort(indices[rows[share]], rows[share].start, places[share], order))
        put = cuda.to_device
        self._indices, self._order, self._ends = put(np.ascontiguousarray(indices)), put(order), put(ends)

    def estimates(self, weights: Floats) -> Floats:
        """What weights say of the examples."""
        found = cuda.device_array(self._count, np.float32)
        _sum_up[_blocks(self._count), THREADS](self._indices, cuda.to_device(weights), found)
        return np.asarray(found.copy_to_host(), np.float32)

    def gathered(self, parts: Floats) -> Floats:
        """For each weight the sum of the parts of the examples that show it."""
        cells = self._shares * self._weights
        sums = cuda.device_array(cells, np.float32)
        _gather[_blocks(cells), THREADS](self._order, self._ends, cuda.to_device(parts), sums)
        found = cuda.device_array(self._weights, np.float32)
        _add_up[_blocks(self._weights), THREADS](sums, found, self._shares)
        return np.asarray(found.copy_to_host(), np.float32)


def _blocks(lanes: int) -> int:
    """So many that each lane has a thread."""
    return max(1, -(-lanes // THREADS))


# --- on the CPU ---


@kernel
def _count(indices: Any, counts: Any) -> None:
    """How often each weight is shown."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            counts[indices[row, column]] += 1


@kernel
def _sort(indices: Any, first: Any, places: Any, order: Any) -> None:
    """The rows that show each weight, in their order, from its place on; rows are counted from `first`."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            weight = indices[row, column]
            order[places[weight]] = first + row
            places[weight] += 1


# --- on the device ---


@device_kernel
def _sum_up(indices: Any, weights: Any, sums: Any) -> None:
    """For each row of indices the sum of their weights."""
    row = cuda.grid(1)
    if row < sums.size:
        found = np.float32(0)
        for column in range(indices.shape[1]):
            found += weights[indices[row, column]]
        sums[row] = found


@device_kernel
def _gather(order: Any, ends: Any, parts: Any, sums: Any) -> None:
    """For each weight in each share the sum of the parts of the rows that show it, in their order."""
    cell = cuda.grid(1)
    if cell < sums.size:
        found = np.float32(0)
        for place in range(ends[cell], ends[cell + 1]):
            found += parts[order[place]]
        sums[cell] = found


@device_kernel
def _add_up(sums: Any, found: Any, shares: Any) -> None:
    """The shares of each weight, in their order."""
    weight = cuda.grid(1)
    if weight < found.size:
        total = sums[weight]
        for share in range(1, shares):
            total += sums[share * found.size + weight]
        found[weight] = total
