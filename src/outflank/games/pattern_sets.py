"""What a game's patterns are, and where their weights lie: the plain side of `patterns`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary
from zlib import crc32

import numpy as np
import numpy.typing as npt

from outflank.games.patterns import CELLS, COPIES, COUNTS, PLACES, STAGES, STEP, TABLES, Patterns
from outflank.kernels.memory import address_of

Cells = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Cells that are looked at together, and their images on the board, which share its weights."""

    copies: tuple[Cells, ...]
    """The images, the cells in the order of their digits."""
    turns: tuple[Cells, ...]
    """Orders of the digits that mean the same: where a symmetry of the board puts the cells upon each other."""

    @classmethod
    def of(cls, cells: Cells, symmetries: Sequence[Sequence[int]]) -> "Pattern":
        """The pattern of some cells on a board; a symmetry says where each cell goes."""
        images = [tuple(int(symmetry[cell]) for cell in cells) for symmetry in symmetries]
        copies = {frozenset(image): image for image in reversed(images)}
        turns = {tuple(cells.index(cell) for cell in image) for image in images if set(image) == set(cells)}
        return cls(tuple(sorted(copies.values())), tuple(sorted(turns)))

    @property
    def size(self) -> int:
        """How many ways there are to fill the cells."""
        return int(3 ** len(self.copies[0]))

    def least(self) -> npt.NDArray[np.int32]:
        """For each index the smallest one that means the same."""
        found = np.arange(self.size, dtype=np.int32)
        for turn in self.turns:
            turned = np.zeros(1, np.int32)
            for digit in range(len(turn)):  # the indices of one cell more, the next digit being 0, 1 and 2
                step = np.int32(3 ** turn.index(digit))
                turned = np.concatenate([turned, turned + step, turned + np.int32(2) * step])
            np.minimum(found, turned, out=found)
        return found


@dataclass(frozen=True)
class PatternSet:
    """The patterns of one board, its counts, and its stages. Weights in a file know it by its `mark`."""

    name: str
    patterns: tuple[Pattern, ...]
    counts: tuple[int, ...] = ()
    """How many values each of the numbers that `patterns.counts` gives may have."""
    stages: tuple[int, ...] = (0,)
    """Which weights belong to each number that `patterns.stage` gives; larger numbers have those of the last."""
    points: int = 128
    """How many points of a weight make one of the game's unit."""
    most: int = 64
    """No value is larger, in the game's unit."""
    scored: bool = True
    """Whether a finished game is scored in that unit; otherwise it is only won or lost."""

    def __post_init__(self) -> None:
        copies = sum(len(pattern.copies) for pattern in self.patterns)
        longest = max(len(cells) for pattern in self.patterns for cells in pattern.copies)
        assert copies <= COPIES, f"{self.name}: {copies} copies, room is for {COPIES}"
        assert longest <= 10, f"{self.name}: {longest} cells, an index of 16 bits has room for 10"
        assert len(self.counts) <= COUNTS, self.name
        assert len(self.stages) <= STAGES, self.name

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many weights each pattern and each count has; the last is always 0, for copies that are not used."""
        return (*(pattern.size for pattern in self.patterns), *self.counts, 1)

    @property
    def entries(self) -> int:
        """How many weights there are in a stage."""
        return sum(self.sizes)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where the weights of each copy and each count begin in a stage."""
        at = np.concatenate([[0], np.cumsum(self.sizes)])
        found = np.full(COPIES + COUNTS, at[-2], np.int64)
        used = [at[number] for number, pattern in enumerate(self.patterns) for _ in pattern.copies]
        found[: len(used)] = used
        found[COPIES : COPIES + len(self.counts)] = at[len(self.patterns) : -2]
        return found

    @cached_property
    def folded(self) -> npt.NDArray[np.int32]:
        """The number of each weight among those that differ; the last one is the one that is always 0."""
        least = [pattern.least() for pattern in self.patterns]
        least += [np.arange(size, dtype=np.int32) for size in (*self.counts, 1)]
        found, before = [], 0
        for each in least:
            numbers = np.cumsum(each == np.arange(len(each), dtype=np.int32), dtype=np.int32)
            numbers += np.int32(before - 1)
            found.append(np.take(numbers, each))
            before = int(numbers[-1]) + 1
        return np.concatenate(found)

    @property
    def weights(self) -> int:
        """How many weights that differ a stage has."""
        return int(self.folded[-1]) + 1

    @property
    def mark(self) -> int:
        """What weights of other patterns do not have."""
        told = (self.name, [pattern.copies for pattern in self.patterns], self.counts, self.stages, self.points)
        return crc32(repr(told).encode())

    @cached_property
    def steps(self) -> npt.NDArray[np.void]:
        """What one step and two steps of each cell's digit add to the indices."""
        found = np.zeros((CELLS, 2, COPIES), np.uint64)
        copies = [cells for pattern in self.patterns for cells in pattern.copies]
        for number, cells in enumerate(copies):
            for digit, cell in enumerate(cells):
                found[cell, :, number] = 3**digit, 2 * 3**digit
        return _packed(found).view(STEP).reshape(-1)

    def indices(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """The weights, among those that differ, of states (and counts) of thirteen words each."""
        fields = (words[:, :, None] >> np.arange(0, 64, 16).astype(np.uint64)) & np.uint64(0xFFFF)
        return np.asarray(self.folded[fields.reshape(len(words), -1).astype(np.int64) + self.starts], np.int32)


def _packed(fields: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Fields of 16 bits, four to a word, along the last axis."""
    four = fields.reshape(*fields.shape[:-1], -1, 4)
    return np.ascontiguousarray((four << np.arange(0, 64, 16).astype(np.uint64)).sum(axis=-1, dtype=np.uint64))


class LoadedPatterns:
    """Patterns with weights in memory: who uses `evaluation` must keep this."""

    def __init__(self, patterns: PatternSet, weights: npt.NDArray[np.int16]) -> None:
        """`weights`: a row for each stage, of those that differ."""
        self.patterns = patterns
        self._weights = np.take(weights, patterns.folded, axis=1)
        self._kept: list[Any] = []

        def here(array: Any) -> int:
            self._kept.append(array)
            return address_of(array)

        self.evaluation = self.placed(here)
        _loaded[self.evaluation.tables] = self

    def placed(self, put: Callable[[Any], int]) -> Patterns:
        """The evaluation in memory of somebody's, who `put`s an array there and says at which address it is."""
        patterns, stages = self.patterns, len(self._weights)
        memory = np.zeros(1, TABLES)
        tables = memory[0]
        ones = np.zeros(COPIES, np.uint64)
        copies = [cells for pattern in patterns.patterns for cells in pattern.copies]
        ones[: len(copies)] = [(3 ** len(cells) - 1) // 2 for cells in copies]
        tables["empty"], tables["largest"] = _packed(ones), _packed(2 * ones)
        firsts = patterns.entries * np.arange(stages)[:, None]
        places = np.zeros(stages, PLACES)
        places["at"] = put(self._weights) + self._weights.itemsize * (firsts + patterns.starts)
        numbers = np.full(STAGES, patterns.stages[-1])
        numbers[: len(patterns.stages)] = patterns.stages
        tables["places"] = put(places) + PLACES.itemsize * numbers
        tables["most"] = patterns.most * patterns.points
        tables["scored"] = patterns.points * patterns.scored
        tables["steps"] = put(patterns.steps)
        return Patterns(put(memory))


_loaded: WeakValueDictionary[int, LoadedPatterns] = WeakValueDictionary()


def loaded(evaluation: Patterns) -> LoadedPatterns:
    """What is behind an evaluation: its patterns, with their weights."""
    return _loaded[evaluation.tables]
