"""What is learnt: an evaluation of a game under some rules, by its patterns."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption, OutflankError, reason_of
from outflank.games.description import WON, GameDescription, description_of, game_named
from outflank.games.endings import batch_tables, ending_moves
from outflank.games.evaluation import FROM_FILE, evaluation_named, scale_of
from outflank.games.learnt import Learning
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import read_weights
from outflank.gpu.choosing import DeviceAsked
from outflank.learning.documents import WeightsSource

Weights = npt.NDArray[np.int16]
"""A row for each stage, of the weights that differ."""


@dataclass(frozen=True)
class Subject:
    """A game's rules, with all that learning asks of them."""

    rules: Any

    def __post_init__(self) -> None:
        learning = self.description.learning
        if learning is None:
            raise InvalidOption(f"{self.description.title} names no patterns: there is nothing to learn")
        if not learning.suits(self.rules):
            raise InvalidOption(f"{self.called} has no patterns: there is nothing to learn")

    @classmethod
    def read(cls, game: str, rules: Mapping[str, int]) -> "Subject":
        """The one that a document names."""
        return cls(game_named(game).rules_from_json(rules))

    @property
    def description(self) -> GameDescription:
        """The game."""
        return description_of(self.rules)

    @property
    def learning(self) -> Learning:
        """What the game says of learning."""
        assert self.description.learning is not None
        return self.description.learning

    @cached_property
    def patterns(self) -> PatternSet:
        """What is looked at."""
        return self.learning.patterns(self.rules)

    @property
    def called(self) -> str:
        """Rules in a few words."""
        return self.description.describe(self.rules)

    @property
    def unit(self) -> str:
        """What values count."""
        return self.description.unit.name

    @property
    def win(self) -> float | None:
        """What a won game counts, in the game's unit; None: its score says it."""
        return None if self.description.unit.scored else float(self.patterns.most)

    @property
    def won_points(self) -> int:
        """What a look counts for a won game, more than any estimate; 0: its score."""
        return 0 if self.win is None else WON

    @property
    def rows(self) -> int:
        """How many stages have weights of their own."""
        return max(self.patterns.stages) + 1

    @property
    def ending_moves(self) -> int:
        """Moves left from which positions are solved; -1: the game has no kernels for that."""
        return int(ending_moves(self.rules))

    def is_solved_on(self, device: DeviceAsked) -> bool:
        """Whether it is a device that solves positions, and not the game's own kernels."""
        return device != "cpu" and batch_tables(self.rules) is not None

    def most_solved(self, device: DeviceAsked) -> int:
        """Moves left, at most, from which positions can be solved: a device takes longer ones than those kernels do."""
        if not self.is_solved_on(device):
            return self.ending_moves
        from outflank.gpu.endings import MOST_FREE  # imports CUDA

        return max(self.ending_moves, MOST_FREE)

    @property
    def weights_name(self) -> str:
        """What a file of its weights is called."""
        return f"{self.patterns.name}.weights"

    def nothing(self) -> Weights:
        """Weights of who has learnt nothing."""
        return np.zeros((self.rows, self.patterns.weights), np.int16)

    def weights_in(self, path: Path) -> Weights:
        """The weights in a file."""
        try:
            return read_weights(self.patterns, path.read_bytes(), str(path))
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None

    def row_of(self, stages: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Which weights belong to numbers that `patterns.stage` gives."""
        return np.asarray(self.patterns.stages)[np.minimum(stages, len(self.patterns.stages) - 1)]


class Judge:
    """Who judges positions meanwhile: an evaluation by name, weights, or nobody (every position is worth nothing)."""

    def __init__(self, subject: Subject, name: str | None = None, weights: Weights | None = None) -> None:
        self.subject, self.name = subject, name
        self._kept: LoadedPatterns | None = None  # whose memory the evaluation points into
        self.knows = name is not None or weights is not None
        """Whether there is anything that it judges by."""
        if name is not None:
            self.evaluation = evaluation_named(subject.rules, name)
            self.points = scale_of(subject.rules, self.evaluation).points
            return
        self._kept = LoadedPatterns(subject.patterns, subject.nothing() if weights is None else weights)
        self.evaluation = self._kept.evaluation
        self.points = subject.patterns.points

    @property
    def source(self) -> WeightsSource:
        """As documents tell it: weights by what they are, and not by where they lie."""
        if self.name is not None and not self.name.startswith(FROM_FILE):
            return WeightsSource(evaluation=self.name)
        if self.name is None:
            return WeightsSource()
        path = Path(self.name.removeprefix(FROM_FILE))
        return WeightsSource(evaluation=self.subject.patterns.name, check=digest(self.subject.weights_in(path)))


def digest(*arrays: npt.NDArray[Any]) -> str:
    """What tells arrays from others."""
    from hashlib import sha256

    found = sha256()
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]
