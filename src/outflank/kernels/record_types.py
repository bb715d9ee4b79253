"""Records: the state of a worker, or state that workers share, as one structured value.

As a kernel's argument a record is one pointer, while an array is seven words. Records are padded to whole cache lines,
so that no two workers ever write to the same line.
"""

from collections.abc import Mapping
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from outflank.kernels import observers

LINE = 128
"""Size in bytes of a block that only one worker writes: two cache lines of 64, which are fetched together, or one of
128."""

Record: TypeAlias = Any
"""A record. Its fields can be read and written as attributes, and as items by name."""

Records: TypeAlias = Any
"""An array of records, as `allocate` returns it."""

RecordType: TypeAlias = np.dtype[np.void]
"""NumPy type of a record, as `record_type` returns it."""

Field = type[Any] | str | np.dtype[Any] | tuple[Any, int | tuple[int, ...]]


def record_type(fields: Mapping[str, Field], *, own_lines: tuple[str, ...] = ()) -> RecordType:
    """Return a record type of `fields` in their order, each aligned, with a size that is a multiple of `LINE`.

    A field is a type, or a type and a shape. Fields in `own_lines` get lines of their own: for words that other workers
    write while this worker reads the fields beside them.

    >>> record_type({"nodes": np.int64, "moves": (np.uint16, 200)}).itemsize
    512
    """
    names, formats, offsets = [], [], []
    end = 0
    for name, field in fields.items():
        if hasattr(np.void, name):
            raise ValueError(f"a field named {name!r} is hidden by NumPy's method of that name")
        dtype = np.dtype(field)  # a (type, shape) pair is a dtype too
        step = LINE if name in own_lines else max(dtype.base.alignment, 1)
        offset = -(-end // step) * step
        names.append(name)
        formats.append(dtype)
        offsets.append(offset)
        end = offset + dtype.itemsize
        if name in own_lines:
            end = -(-end // LINE) * LINE
    size = -(-max(end, 1) // LINE) * LINE
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


@cache
def with_attributes(dtype: RecordType) -> RecordType:
    """Return the same record type, with its fields as attributes for Python.

    `np.record` has such attributes too, but looks them up in Python code. These look-ups took a seventh of the time of
    searches in the interpreter, and a seventh of the Python part of short compiled searches. The attributes made here
    take a sixth of the time of these look-ups. For the compiler both are the same type.
    """

    def attribute(name: str) -> property:
        def write(record: Record, value: object) -> None:
            record[name] = value

        return property(itemgetter(name), write)

    assert dtype.names is not None
    fields = {name: attribute(name) for name in dtype.names}
    return np.dtype((type("Record", (np.void,), {"__slots__": (), **fields}), dtype))


class _Records(np.recarray[Any, Any]):
    """An array of records that keeps the attributes of `with_attributes`."""

    def __array_finalize__(self, source: object) -> None:
        pass  # NumPy's own method would replace the record class


HUGE_PAGE = 1 << 21
"""Bytes of a huge page on most machines. Reads on one huge page avoid the TLB misses of many small pages."""


def allocate(dtype: RecordType, count: int, *, on_huge_page: bool = False) -> Records:
    """Return `count` zeroed records, the first at an address that is a multiple of `LINE`.

    `on_huge_page` is for records that fit on a huge page and are often read at random: on normal pages, each read would
    wait for a TLB miss. The size of two huge pages is allocated, since NumPy requests huge pages only for arrays of at
    least this size. The unused part takes no memory.
    """
    size = count * dtype.itemsize
    unit = HUGE_PAGE if on_huge_page else LINE
    raw = np.zeros(max(size + unit, 2 * unit), np.uint8)
    start = -raw.ctypes.data % unit
    records = raw[start : start + size].view(with_attributes(dtype)).view(_Records)
    return records if observers.observer is None else observers.WatchedArray.over(records)


def allocated_bytes(records: Records) -> int:
    """Return the number of bytes that `allocate` has allocated for these records."""
    return int(records.nbytes if records.base is None else allocated_bytes(records.base))
