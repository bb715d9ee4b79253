"""Units of scores and of search values: discs, marbles, or an evaluation's own points.

Searches compare whole numbers without interpreting them. A game's description sets the unit of its scores (`Scores`),
and an evaluation sets how many of its points make one unit (`register_evaluation`). Both form a `Scale`, which is part
of every search result and turns values into text.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board
    from outflank.games.rules import Game, Position

WON = 20_000
"""Bonus that is added to the score of a won game, so that every win is worth more than any estimate."""


def _unchanged(game: "Game", position: "Position", score: int) -> int:
    return score


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The unit and the meaning of a game's scores."""

    unit: str = "points"
    """The unit of scores, in the plural: `discs`."""
    most: "Callable[[Game], int] | None" = None
    """Returns the largest possible score under given rules; None: unknown."""
    decimals: int = 1
    """Number of decimals with which estimates are printed."""
    near: float = 0.0
    """Largest difference between two estimates that players treat as equal, in the unit of scores."""
    scored: bool = True
    """Whether finished games are scored in `unit`; otherwise they are only won, lost or drawn."""
    recorded: "Callable[[Game, Position, int], int]" = _unchanged
    """Returns the side to move's score as game records state it, given the rules, the last position and its score."""
    final_margin: "Callable[[Board, int], int]" = lambda board, score: score
    """Returns black's margin at the end of a game, drawn games included; matches report the mean margin."""
    forfeit: "Callable[[Game], int]" = lambda game: 1
    """Returns the score of a win by forfeit under given rules."""

    @property
    def margin_unit(self) -> str:
        """The unit of final margins: `unit`, but `points` for a game that is only won or lost and does not set
        `recorded`."""
        return self.unit if self.scored or self.recorded is not _unchanged else "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The meaning of a search's values: their unit, their precision, and the values that belong to finished games.

    >>> tenths = Scale(unit="discs", points=10, decimals=1, won=20_000, score="discs", most=64)
    >>> tenths.text(37), tenths.text(-20_012), tenths.number(37)
    ('+3.7 discs', '-12 discs', 3.7)
    """

    unit: str = "points"
    """The unit of estimates, in the plural."""
    points: int = 1
    """Number of points of a value that make one unit."""
    decimals: int = 0
    """Number of decimals with which estimates are printed."""
    won: int | None = None
    """Bonus for a won game: a finished game's value is ±(`won` + score), and estimates lie within ±`won`. None: values
    do not show whether a game is finished."""
    score: str | None = "points"
    """The unit of a finished game's score; None: a game is only won or lost."""
    near: int = 0
    """Largest difference between two estimates that players treat as equal, in points."""
    most: int | None = None
    """The largest possible score; None: unknown."""

    def is_final(self, value: float) -> bool:
        """Return whether `value` belongs to a finished game that was not drawn."""
        return self.won is not None and abs(value) > self.won

    def number(self, value: float) -> float:
        """Return an estimate in the scale's unit, or a finished game's score; ±infinity if games have no score."""
        if not self.is_final(value):
            number = value / self.points
        elif self.score is None:
            number = float("inf") if value > 0 else -float("inf")
        else:
            assert self.won is not None
            number = abs(value) - self.won if value > 0 else self.won - abs(value)
        return number if self.most is None else max(-self.most, min(self.most, number))

    def in_units(self, value: float) -> float | None:
        """Return `number(value)`; None for a finished game that is only won or lost.

        >>> scale = Scale(unit="discs", points=10, won=20_000, score="discs")
        >>> scale.in_units(37), scale.in_units(20_012), Scale(won=0, score=None).in_units(1)
        (3.7, 12.0, None)
        """
        number = self.number(value)
        return float(number) if isfinite(number) else None

    def likely_score(self, value: float) -> int:
        """Return the value as a whole final score; ±1 for a finished game without a score."""
        number = self.number(value)
        return round(number) if isfinite(number) else 1 if number > 0 else -1

    def text(self, value: float, *, exact: bool = False, bare: bool = False) -> str:
        """Return the value as text, without decimals if it is `exact`; `bare` omits the unit of estimates."""
        final = self.is_final(value)
        if self.score is None and (final or (exact and not value)):
            return "won" if value > 0 else "lost" if value < 0 else "drawn"
        unit = self.score if final else self.unit
        text = f"{self.number(value):+z.{0 if final or exact else self.decimals}f}"
        return text if bare and unit == self.unit else f"{text} {unit}"

    def score_text(self, score: int) -> str:
        """Return a finished game's score as text."""
        if self.score is None:
            return "won" if score > 0 else "lost" if score < 0 else "drawn"
        return f"{score:+d} {self.score}"


OUTCOMES = Scale(unit="result", won=0, score=None)
"""The scale of values that are only +1 (won), 0 (drawn) or -1 (lost)."""
