"""Pattern sets of games and the memory layout of their weights, in Python; the kernels are in `patterns`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakValueDictionary
from zlib import crc32

import numpy as np
import numpy.typing as npt

from outflank.games.patterns import CELLS, COPIES, COUNTS, PLACES, STAGES, STEP, TABLES, Patterns
from outflank.kernels.memory import address_of

Cells = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set of cells with a table of weights, one for each way to fill them; symmetric sets share the table."""

    copies: tuple[Cells, ...]
    """The cells of each symmetric image of the pattern, in the order of the digits of an index."""
    turns: tuple[Cells, ...]
    """The permutations of the digits under the symmetries of the board that map the cells onto themselves."""

    @classmethod
    def of(cls, cells: Cells, symmetries: Sequence[Sequence[int]]) -> "Pattern":
        """Return the pattern of `cells` on a board; each of `symmetries` maps a cell to its image."""
        images = [tuple(int(symmetry[cell]) for cell in cells) for symmetry in symmetries]
        copies = {frozenset(image): image for image in reversed(images)}
        turns = {tuple(cells.index(cell) for cell in image) for image in images if set(image) == set(cells)}
        return cls(tuple(sorted(copies.values())), tuple(sorted(turns)))

    @property
    def size(self) -> int:
        """Number of ways to fill the cells, which is the number of indices."""
        return int(3 ** len(self.copies[0]))

    def smallest_equivalents(self) -> npt.NDArray[np.int32]:
        """Return, for each index of the pattern, the smallest index that is equivalent by symmetry."""
        result = np.arange(self.size, dtype=np.int32)
        for turn in self.turns:
            turned = np.zeros(1, np.int32)
            for digit in range(len(turn)):  # append the indices with the next digit 0, 1 and 2
                step = np.int32(3 ** turn.index(digit))
                turned = np.concatenate([turned, turned + step, turned + np.int32(2) * step])
            np.minimum(result, turned, out=result)
        return result


@dataclass(frozen=True)
class PatternSet:
    """The patterns, counts and stages of one board. Files of weights contain its `mark` to identify it."""

    name: str
    patterns: tuple[Pattern, ...]
    counts: tuple[int, ...] = ()
    """Number of possible values of each count in `patterns.counts`."""
    stages: tuple[int, ...] = (0,)
    """Number of the weight set for each result of `patterns.stage`; results beyond the end use the last one."""
    points: int = 128
    """Number of points of a weight that make one unit of the game."""
    most: int = 64
    """Largest value of the evaluation, in the game's unit."""
    scored: bool = True
    """Whether finished games are scored in the game's unit; otherwise they are only won or lost."""

    def __post_init__(self) -> None:
        copies = sum(len(pattern.copies) for pattern in self.patterns)
        longest = max(len(cells) for pattern in self.patterns for cells in pattern.copies)
        assert copies <= COPIES, f"{self.name}: {copies} copies, room is for {COPIES}"
        assert longest <= 10, f"{self.name}: {longest} cells, an index of 16 bits has room for 10"
        assert len(self.counts) <= COUNTS, self.name
        assert len(self.stages) <= STAGES, self.name

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of weights of each pattern and each count, and 1 for the zero weight of unused index fields."""
        return (*(pattern.size for pattern in self.patterns), *self.counts, 1)

    @property
    def entries(self) -> int:
        """Number of weights in a stage of the game; weights that are equal by symmetry count separately."""
        return sum(self.sizes)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Offset of the first weight of each copy and each count among the weights of a stage."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        starts = np.full(COPIES + COUNTS, offsets[-2], np.int64)
        used = [offsets[number] for number, pattern in enumerate(self.patterns) for _ in pattern.copies]
        starts[: len(used)] = used
        starts[COPIES : COPIES + len(self.counts)] = offsets[len(self.patterns) : -2]
        return starts

    @cached_property
    def folded(self) -> npt.NDArray[np.int32]:
        """For each weight of a stage, the number of the equal distinct weight. The last distinct weight is always 0."""
        smallest_equivalents = [pattern.smallest_equivalents() for pattern in self.patterns]
        smallest_equivalents += [np.arange(size, dtype=np.int32) for size in (*self.counts, 1)]
        folded, before = [], 0
        for equivalents in smallest_equivalents:
            numbers = np.cumsum(equivalents == np.arange(len(equivalents), dtype=np.int32), dtype=np.int32)
            numbers += np.int32(before - 1)
            folded.append(np.take(numbers, equivalents))
            before = int(numbers[-1]) + 1
        return np.concatenate(folded)

    @property
    def weights(self) -> int:
        """Number of weights in a stage of the game; weights that are equal by symmetry count once."""
        return int(self.folded[-1]) + 1

    @property
    def mark(self) -> int:
        """A checksum of the patterns, counts, stages and points, which identifies them in files of weights."""
        identity = (self.name, [pattern.copies for pattern in self.patterns], self.counts, self.stages, self.points)
        return crc32(repr(identity).encode())

    @cached_property
    def steps(self) -> npt.NDArray[np.void]:
        """For each cell, the numbers to add to all pattern indices if the cell's digit increases by one, and by two."""
        steps = np.zeros((CELLS, 2, COPIES), np.uint64)
        copies = [cells for pattern in self.patterns for cells in pattern.copies]
        for number, cells in enumerate(copies):
            for digit, cell in enumerate(cells):
                steps[cell, :, number] = 3**digit, 2 * 3**digit
        return _packed(steps).view(STEP).reshape(-1)

    def indices(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """Return the numbers of the distinct weights that positions use; `words` has a row (state, counts) for each."""
        fields = (words[:, :, None] >> np.arange(0, 64, 16).astype(np.uint64)) & np.uint64(0xFFFF)
        return np.asarray(self.folded[fields.reshape(len(words), -1).astype(np.int64) + self.starts], np.int32)


def _packed(fields: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return 16-bit fields packed into words along the last axis, four to a word."""
    four = fields.reshape(*fields.shape[:-1], -1, 4)
    return np.ascontiguousarray((four << np.arange(0, 64, 16).astype(np.uint64)).sum(axis=-1, dtype=np.uint64))


class LoadedPatterns:
    """Patterns with their weights in memory. `evaluation` is valid only while this object is alive."""

    def __init__(self, patterns: PatternSet, weights: npt.NDArray[np.int16]) -> None:
        """Load `weights`, which has a row of distinct weights for each stage."""
        self.patterns = patterns
        self._weights = np.take(weights, patterns.folded, axis=1)
        self._arrays: list[npt.NDArray[np.generic]] = []

        def keep(array: npt.NDArray[np.generic]) -> int:
            self._arrays.append(array)
            return address_of(array)

        self.evaluation = self.place_with(keep)
        _loaded[self.evaluation.tables] = self

    def place_with(self, put: Callable[[npt.NDArray[np.generic]], int]) -> Patterns:
        """Return the evaluation with its arrays in other memory: `put` stores an array there, returning its address."""
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
    """Return the patterns and weights that an evaluation points to."""
    return _loaded[evaluation.tables]
