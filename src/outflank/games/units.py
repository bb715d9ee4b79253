"""How values are read: in discs, in marbles, or in an evaluation's own points.

Searches compare whole numbers and do not ask what they mean. A game's description says what its scores count (`Unit`),
an evaluation how many of its points make one of those (`register_evaluation`); together they are a `Scale`, which every
result carries and everything that prints a value uses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a game's scores count."""

    name: str
    """In the plural: discs."""
    most: Callable[[Any], int] | None = None
    """How many of them a game can be won by, by its rules; None: nobody has said."""
    decimals: int = 1
    """Digits behind the point that tell something, where they are estimated."""
    near: float = 0.0
    """A difference that hardly matters, between estimates."""
    scored: bool = True
    """Whether a finished game is scored in them; otherwise it is only won or lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How to read the values of a search.

    >>> tenths = Scale(unit="discs", points=10, decimals=1, won=20_000, score="discs", most=64)
    >>> tenths.text(37), tenths.text(-20_012), tenths.number(37)
    ('+3.7 discs', '-12 discs', 3.7)
    """

    unit: str = "points"
    """What estimates count, in the plural."""
    points: int = 1
    """How many points of a value make one of it."""
    decimals: int = 0
    """Digits behind the point."""
    won: int | None = None
    """A value beyond this is a finished game's, its score on top; None: none can be told by its value."""
    score: str | None = "points"
    """What a finished game's score counts; None: it is only won or lost."""
    near: int = 0
    """A difference between estimates that hardly matters, in points."""
    most: int | None = None
    """The most that a game can be won by; None: nobody knows."""

    def is_final(self, value: float) -> bool:
        """Whether this is the value of a finished game."""
        return self.won is not None and abs(value) > self.won

    def number(self, value: float) -> float:
        """The value in the unit; a finished game's in what it is scored in."""
        if not self.is_final(value):
            found = value / self.points
        elif self.score is None:
            found = float("inf") if value > 0 else -float("inf")
        else:
            assert self.won is not None
            found = abs(value) - self.won if value > 0 else self.won - abs(value)
        return found if self.most is None else max(-self.most, min(self.most, found))

    def likely_score(self, value: float) -> int:
        """The final score that an estimate makes likely; of a game that is only won or lost, its sign."""
        found = self.number(value)
        return round(found) if isfinite(found) else 1 if found > 0 else -1

    def text(self, value: float, *, exact: bool = False, bare: bool = False) -> str:
        """The value as people read it; `exact`: of perfect play, `bare`: without the unit of estimates."""
        final = self.is_final(value)
        if self.score is None and (final or (exact and not value)):
            return "won" if value > 0 else "lost" if value < 0 else "drawn"
        unit = self.score if final else self.unit
        text = f"{self.number(value):+z.{0 if final or exact else self.decimals}f}"
        return text if bare and unit == self.unit else f"{text} {unit}"

    def score_text(self, score: int) -> str:
        """What a finished game with this score is called."""
        if self.score is None:
            return "won" if score > 0 else "lost" if score < 0 else "drawn"
        return f"{score:+d} {self.score}"


OUTCOMES = Scale(unit="result", won=0, score=None)
"""Who wins, and not by how much: +1, 0 or -1."""
