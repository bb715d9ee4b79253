"""Parts of a step whose positions a device solves: many of them at a time, or it would wait for the next ones."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.learning.pieces import Step, Work
from outflank.words import how_many

PORTION = 1 << 20
"""Positions that are solved together. What is interrupted before a portion ends keeps the parts that are whole."""

ARRAYS = ("values",)
"""That a part has."""

Parts = Mapping[str, npt.NDArray[np.int64]]
"""The rows of each, by its name."""


def solve_parts(game: Any, boards: npt.NDArray[np.uint64], parts: Parts, step: Step, work: Work) -> None:
    """Solve the positions of parts that are not there yet, on a device, and keep them."""
    missing = {name: rows for name, rows in parts.items() if step.kept(name, ARRAYS) is None}
    total = sum(map(len, parts.values()))
    done = total - sum(map(len, missing.values()))
    for portion in _portions(missing):
        _solve(game, boards, portion, step, work, done, total)
        done += sum(map(len, portion.values()))


def _portions(parts: Parts) -> Iterator[Parts]:
    """As many parts at a time as make a portion."""
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

    def keep(found: npt.NDArray[np.int8]) -> None:
        ends = np.cumsum([len(rows) for rows in parts.values()])
        for name, values in zip(parts, np.split(found, ends[:-1]), strict=True):
            if (values != UNSOLVED).all():
                step.piece(name, ARRAYS, partial(dict, values=values.astype(np.float32)))

    try:
        found = solve(boards[np.concatenate(list(parts.values()))], game, device=work.device, progress=tell)
    except BaseException as error:
        if hasattr(error, "found"):
            keep(error.found)
        raise
    keep(found)
