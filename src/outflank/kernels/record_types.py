"""Records: the state of a worker, or what workers share, as one structured value.

A kernel takes a record as one pointer where each array costs seven words of arguments.
Records are padded to whole cache lines, so that no two workers ever write to the same one.
"""

from collections.abc import Mapping
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.kernels import observers

LINE = 128
"""Bytes kept apart. Cache lines have 64, but processors fetch them in pairs (or have 128)."""

Field = type[Any] | str | np.dtype[Any] | tuple[Any, int | tuple[int, ...]]


def record_type(fields: Mapping[str, Field], *, apart: tuple[str, ...] = ()) -> np.dtype[Any]:
    """A record of `fields` in their order, each aligned, the whole a multiple of `LINE`.

    A field is a type, or a type and a shape. Those named in `apart` get lines of their own:
    for words that other workers write while this one reads its neighbours.

    >>> record_type({"nodes": np.int64, "moves": (np.uint16, 200)}).itemsize
    512
    """
    names, formats, offsets = [], [], []
    end = 0
    for name, field in fields.items():
        if hasattr(np.void, name):
            raise ValueError(f"a field named {name!r} is hidden by NumPy's method of that name")
        dtype = np.dtype(field)  # a (type, shape) pair is a dtype too
        step = LINE if name in apart else max(dtype.base.alignment, 1)
        offset = -(-end // step) * step
        names.append(name)
        formats.append(dtype)
        offsets.append(offset)
        end = offset + dtype.itemsize
        if name in apart:
            end = -(-end // LINE) * LINE
    size = -(-max(end, 1) // LINE) * LINE
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


@cache
def with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same records, with their fields as attributes for Python.

    `np.record` has them too, but looks for each in Python code: that was a seventh of the time of searches in the
    interpreter, and of what Python does about short ones that are compiled. Here an attribute takes a sixth of it. For
    the compiler both are the same type.
    """

    def attribute(name: str) -> property:
        def write(record: Any, value: Any) -> None:
            record[name] = value

        return property(itemgetter(name), write)

    assert dtype.names is not None
    fields = {name: attribute(name) for name in dtype.names}
    return np.dtype((type("Record", (np.void,), {"__slots__": (), **fields}), dtype))


class _Records(np.recarray[Any, Any]):
    """Records with attributes of ours."""

    def __array_finalize__(self, made_of: Any) -> None:
        pass  # NumPy's would give them its own


HUGE_PAGE = 1 << 21
"""Bytes of a page that a processor finds without looking for it, on most machines."""


def allocate(dtype: np.dtype[Any], count: int, *, on_huge_page: bool = False) -> npt.NDArray[Any]:
    """`count` zeroed records, the first at an address that is a multiple of `LINE`.

    What is read here and there all the time, and fits, may lie on a huge page: of the usual ones it has so many that
    each read waits for its page to be found. Two are asked for, since NumPy wants huge pages for what has as much; what
    is not used of them takes no memory.
    """
    size = count * dtype.itemsize
    unit = HUGE_PAGE if on_huge_page else LINE
    raw = np.zeros(max(size + unit, 2 * unit), np.uint8)
    start = -raw.ctypes.data % unit
    records = raw[start : start + size].view(with_attributes(dtype)).view(_Records)
    return records if observers.observer is None else observers.WatchedArray.over(records)


def allocated_bytes(records: npt.NDArray[Any]) -> int:
    """Memory that was asked for, for some records from `allocate`."""
    return int(records.nbytes if records.base is None else allocated_bytes(records.base))
