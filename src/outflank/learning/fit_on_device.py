"""Computes the sums that a fit of weights needs on a GPU, with the same results, to the bit, as on a CPU.

A CPU goes through the examples and adds to the sums of their weights. On a GPU, many threads would add to one sum at
once and in any order, and sums of floats depend on the order. So each weight has one thread per share, which adds the
share's examples of this weight in order. The examples are sorted by weight once; a fit uses the sorted order some sixty
times.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.kernels.compiler import kernel

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]

THREADS = 128


class DeviceShares:
    """Computes the sums over all examples that a fit needs, on a GPU."""

    def __init__(
        self, indices: Indices, rows: Sequence[slice], weights: int, for_each: Callable[[Callable[[int], None]], None]
    ) -> None:
        self._weights, self._shares, self._count = weights, len(rows), len(indices)
        counts = np.zeros((len(rows), weights), np.int64)
        for_each(lambda share: _count(indices[rows[share]], counts[share]))
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        places = ends[:-1].reshape(counts.shape).copy()
        order = np.zeros(indices.size, np.int32)
        for_each(lambda share: _sort(indices[rows[share]], rows[share].start, places[share], order))
        to_device = cuda.to_device
        self._indices, self._order, self._ends = (
            to_device(np.ascontiguousarray(indices)),
            to_device(order),
            to_device(ends),
        )

    def estimates(self, weights: Floats) -> Floats:
        sums = cuda.device_array(self._count, np.float32)
        _sum_up[_blocks(self._count), THREADS](self._indices, cuda.to_device(weights), sums)
        return np.asarray(sums.copy_to_host(), np.float32)

    def weight_sums(self, parts: Floats) -> Floats:
        cells = self._shares * self._weights
        sums = cuda.device_array(cells, np.float32)
        _gather[_blocks(cells), THREADS](self._order, self._ends, cuda.to_device(parts), sums)
        totals = cuda.device_array(self._weights, np.float32)
        _add_up[_blocks(self._weights), THREADS](sums, totals, self._shares)
        return np.asarray(totals.copy_to_host(), np.float32)


def _blocks(lanes: int) -> int:
    """Return the number of thread blocks that have at least `lanes` threads together."""
    return max(1, -(-lanes // THREADS))


# --- on the CPU ---


@kernel
def _count(indices: Indices, counts: Numbers) -> None:
    """Count the occurrences of each weight."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            counts[indices[row, column]] += 1


@kernel
def _sort(indices: Indices, first: int, places: Numbers, order: Indices) -> None:
    """For each weight, write the numbers of the rows that contain it to `order`, from index `places[weight]` on. Row
    numbers start at `first`."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            weight = indices[row, column]
            order[places[weight]] = first + row
            places[weight] += 1


# --- on the device ---


@device_kernel
def _sum_up(indices: Indices, weights: Floats, sums: Floats) -> None:
    """Write the sum of the weights of each row of indices to `sums`."""
    row = cuda.grid(1)
    if row < sums.size:
        total = np.float32(0)
        for column in range(indices.shape[1]):
            total += weights[indices[row, column]]
        sums[row] = total


@device_kernel
def _gather(order: Indices, ends: Numbers, parts: Floats, sums: Floats) -> None:
    """For each weight and each share, write the sum of `parts` over the rows that contain the weight, added in
    order."""
    cell = cuda.grid(1)
    if cell < sums.size:
        total = np.float32(0)
        for place in range(ends[cell], ends[cell + 1]):
            total += parts[order[place]]
        sums[cell] = total


@device_kernel
def _add_up(sums: Floats, totals: Floats, shares: int) -> None:
    """Add the sums of all shares for each weight, in order."""
    weight = cuda.grid(1)
    if weight < totals.size:
        total = sums[weight]
        for share in range(1, shares):
            total += sums[share * totals.size + weight]
        totals[weight] = total
