"""The learnt pattern evaluation of a game under given rules, and the judge, the evaluation that values positions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption, OutflankError, reason_of
from outflank.games.description import GameDescription, description_of, game_named
from outflank.games.endings import batch_tables, ending_moves
from outflank.games.evaluation import FROM_FILE, evaluation_named, scale_of
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.pattern_weights import Learning, read_weights
from outflank.games.rules import Game
from outflank.games.scores import WON
from outflank.gpu.choosing import DeviceOption
from outflank.learning.pieces import encoded_arrays
from outflank.learning.step_documents import WeightsSource

Weights = npt.NDArray[np.int16]
"""Distinct weights of patterns, with a row for each stage of the game."""


@dataclass(frozen=True)
class Subject:
    """The rules of the game whose evaluation is learnt, with all that learning needs to know about the game."""

    rules: Game

    def __post_init__(self) -> None:
        learning = self.description.search.learning
        if learning is None:
            raise InvalidOption(f"{self.description.title} names no patterns: there is nothing to learn")
        if not learning.suits(self.rules):
            raise InvalidOption(f"{self.title} has no patterns: there is nothing to learn")

    @classmethod
    def read(cls, game: str, rules: Mapping[str, int]) -> "Subject":
        """Return the subject for a game's name and its rules, as documents store them."""
        return cls(game_named(game).rules_from_json(rules))

    @property
    def description(self) -> GameDescription:
        """Description of the game."""
        return description_of(self.rules)

    @property
    def learning(self) -> Learning:
        """The game's settings for learning."""
        assert self.description.search.learning is not None
        return self.description.search.learning

    @cached_property
    def patterns(self) -> PatternSet:
        """Patterns of the evaluation whose weights are learnt."""
        return self.learning.patterns(self.rules)

    @property
    def title(self) -> str:
        """Short text that names the game and its rules."""
        return self.description.describe(self.rules)

    @property
    def unit(self) -> str:
        """Name of the unit of the game's scores and values."""
        return self.description.scores.unit

    @property
    def win(self) -> float | None:
        """Value of a won game, in the game's unit; None if a finished game is worth its score."""
        return None if self.description.scores.scored else float(self.patterns.most)

    @property
    def won_points(self) -> int:
        """Value of a won game in a shallow search, above any estimate; 0 if a finished game is worth its score."""
        return 0 if self.win is None else WON

    @property
    def rows(self) -> int:
        """Number of stages with their own weights."""
        return max(self.patterns.stages) + 1

    @property
    def ending_moves(self) -> int:
        """Greatest number of moves left at which the game's endgame kernels solve positions; -1 without kernels."""
        return int(ending_moves(self.rules))

    def is_solved_on(self, device: DeviceOption) -> bool:
        """Return whether endgame positions are solved on `device`, a GPU, instead of by the game's CPU kernels."""
        return device != "cpu" and batch_tables(self.rules) is not None

    def most_solved(self, device: DeviceOption) -> int:
        """Return the greatest number of moves left with which positions can be solved; a GPU can solve more."""
        if not self.is_solved_on(device):
            return self.ending_moves
        from outflank.gpu.ending_kernels import MOST_FREE  # imports CUDA

        return max(self.ending_moves, MOST_FREE)

    @property
    def weights_name(self) -> str:
        """Name of the file to which learnt weights are written."""
        return f"{self.patterns.name}.weights"

    def zero_weights(self) -> Weights:
        """Return zero weights for all stages."""
        return np.zeros((self.rows, self.patterns.weights), np.int16)

    def weights_in(self, path: Path) -> Weights:
        """Return the weights in the file `path`."""
        try:
            return read_weights(self.patterns, path.read_bytes(), str(path))
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None

    def row_of(self, stages: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the row of `Weights` for each stage number."""
        return np.asarray(self.patterns.stages)[np.minimum(stages, len(self.patterns.stages) - 1)]


class Judge:
    """Evaluation that values positions during learning: a named evaluation, learnt weights, or none (every value is
    0)."""

    def __init__(self, subject: Subject, name: str | None = None, weights: Weights | None = None) -> None:
        self.subject, self.name, self._weights = subject, name, weights
        self._loaded: LoadedPatterns | None = None  # keeps the memory that the evaluation points to
        self.knows = name is not None or weights is not None
        """Whether there is an evaluation. Without an evaluation, every value is 0."""
        if name is not None:
            self.evaluation = evaluation_named(subject.rules, name)
            self.points = scale_of(subject.rules, self.evaluation).points
            return
        self._loaded = LoadedPatterns(subject.patterns, subject.zero_weights() if weights is None else weights)
        self.evaluation = self._loaded.evaluation
        self.points = subject.patterns.points

    @property
    def sent_name(self) -> str | None:
        """Name of the evaluation for a node of a cluster; None without evaluation, or if its weights were learnt."""
        return None if self._file is not None else self.name

    @cached_property
    def weights(self) -> Weights | None:
        """Learnt weights of the evaluation; None if it is a named evaluation, or if there is none."""
        return self._weights if self._file is None else self.subject.weights_in(self._file)

    @cached_property
    def check(self) -> str | None:
        """Digest of the learnt weights, if there are any."""
        return None if self.weights is None else digest(self.weights)

    @cached_property
    def encoded_weights(self) -> str:
        """The learnt weights as text for a message to a node."""
        return encoded_arrays({} if self.weights is None else {"weights": self.weights})

    @property
    def _file(self) -> Path | None:
        is_file = self.name is not None and self.name.startswith(FROM_FILE)
        return Path(self.name.removeprefix(FROM_FILE)) if self.name is not None and is_file else None

    @property
    def source(self) -> WeightsSource:
        """Description of the evaluation for documents, with a digest of its weights instead of a path."""
        if self._file is None:
            return WeightsSource(evaluation=self.name)
        return WeightsSource(evaluation=self.subject.patterns.name, check=self.check)


def digest(*arrays: npt.NDArray[Any]) -> str:
    """Return a short digest of the types, shapes and contents of arrays."""
    from hashlib import sha256

    hasher = sha256()
    for array in arrays:
        hasher.update(f"{array.dtype.str}{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return hasher.hexdigest()[:16]
