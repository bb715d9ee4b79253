"""How values are read: in discs, in marbles, or in an evaluation's own points.

Searches compare whole numbers without interpreting them. A game's description sets the unit of its scores (`Scores`),
and an evaluation sets how many of its points make one unit (`register_evaluation`); together they form a `Scale`, which
is part of every result and used wherever a value is printed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board
    from outflank.games.rules import Game, Position


def _unchanged(game: "Game", position: "Position", score: int) -> int:
    return score


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """The scores of a game."""

    unit: str = "points"
    """The name of their unit, in the plural: discs."""
    most: "Callable[[Game], int] | None" = None
    """The largest possible score, by the rules; None: unknown."""
    decimals: int = 1
    """Significant decimals of estimates."""
    near: float = 0.0
    """A negligible difference between estimates."""
    scored: bool = True
    """Whether a finished game is scored in this unit; otherwise it is only won or lost."""
    recorded: "Callable[[Game, Position, int], int]" = _unchanged
    """The score that a record states for the side to move, from the rules, the last position and its score."""
    final_margin: "Callable[[Board, int], int]" = lambda board, score: score
    """Black's margin at the end of a game, draws included; matches report its mean."""
    forfeit: "Callable[[Game], int]" = lambda game: 1
    """Score of a forfeit, in the game's unit."""

    @property
    def margin_unit(self) -> str:
        """The unit of final margins: `points` if games are only won or lost and records state no other score."""
        return self.unit if self.scored or self.recorded is not _unchanged else "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How to read the values of a search.

    >>> tenths = Scale(unit="discs", points=10, decimals=1, won=20_000, score="discs", most=64)
    >>> tenths.text(37), tenths.text(-20_012), tenths.number(37)
    ('+3.7 discs', '-12 discs', 3.7)
    """

    unit: str = "points"
    """The unit of estimates, in the plural."""
    points: int = 1
    """How many points of a value make one unit."""
    decimals: int = 0
    """The number of decimals."""
    won: int | None = None
    """Values beyond this number belong to finished games, whose score is added to the number; None: values do not show
    whether a game is finished."""
    score: str | None = "points"
    """The unit of a finished game's score; None: a game is only won or lost."""
    near: int = 0
    """A negligible difference between estimates, in points."""
    most: int | None = None
    """The largest possible score; None: unknown."""

    def is_final(self, value: float) -> bool:
        """Return whether this is the value of a finished game."""
        return self.won is not None and abs(value) > self.won

    def number(self, value: float) -> float:
        """Return the value in the scale's unit; a finished game's value in the unit of its score."""
        if not self.is_final(value):
            number = value / self.points
        elif self.score is None:
            number = float("inf") if value > 0 else -float("inf")
        else:
            assert self.won is not None
            number = abs(value) - self.won if value > 0 else self.won - abs(value)
        return number if self.most is None else max(-self.most, min(self.most, number))

    def likely_score(self, value: float) -> int:
        """Return the final score that an estimate suggests; for a game that is only won or lost, its sign."""
        number = self.number(value)
        return round(number) if isfinite(number) else 1 if number > 0 else -1

    def text(self, value: float, *, exact: bool = False, bare: bool = False) -> str:
        """Return the value as text; `exact`: of perfect play, `bare`: without the unit of estimates."""
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
"""The scale of outcomes without margins: +1, 0 or -1."""
