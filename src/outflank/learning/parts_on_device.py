"""Parts of a step whose positions a device solves, many at a time to keep it busy."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.learning.pieces import Step, Work
from outflank.words import how_many

PORTION = 1 << 20
"""Number of positions that are solved together. After an interruption the completed parts of a portion are stored."""

ARRAYS = ("values",)
"""Names of the arrays of a part."""

Parts = Mapping[str, npt.NDArray[np.int64]]
"""The rows of each part, by its name."""


def solve_parts(game: Any, boards: npt.NDArray[np.uint64], parts: Parts, step: Step, work: Work) -> None:
    """Solve the positions of missing parts on a device, and store the parts."""
    missing = {name: rows for name, rows in parts.items() if step.stored_piece(name, ARRAYS) is None}
    total = sum(map(len, parts.values()))
    done = total - sum(map(len, missing.values()))
    for portion in _portions(missing):
        _solve(game, boards, portion, step, work, done, total)
        done += sum(map(len, portion.values()))


def _portions(parts: Parts) -> Iterator[Parts]:
    """Yield as many parts at a time as make a portion."""
    portion: dict[str, npt.NDArray[np.int64]] = {}
    size = 0
    for name, rows in parts.items():
        portion[name] = rows
        size += len(rows)
        if size >= PORTION:
            yield portion
            portion, size = {}, 0
    if portion:
        yield portion


def _solve(
    game: Any, boards: npt.NDArray[np.uint64], parts: Parts, step: Step, work: Work, before: int, total: int
) -> None:
    from outflank.gpu.endings import UNSOLVED  # imports CUDA
    from outflank.gpu.solving import solve

    def tell(done: int, of_these: int) -> None:
        work.progress(f"label: {before + done:,} of {how_many(total, 'ending')} solved")
        work.check()

    def store_parts(all_values: npt.NDArray[np.int8]) -> None:
        ends = np.cumsum([len(rows) for rows in parts.values()])
        for name, values in zip(parts, np.split(all_values, ends[:-1]), strict=True):
            if (values != UNSOLVED).all():
                step.piece(name, ARRAYS, partial(dict, values=values.astype(np.float32)))

    try:
        all_values = solve(boards[np.concatenate(list(parts.values()))], game, device=work.device, progress=tell)
    except BaseException as error:
        if hasattr(error, "found"):
            store_parts(error.found)
        raise
    store_parts(all_values)
