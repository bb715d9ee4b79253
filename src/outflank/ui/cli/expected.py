"""What a script says that moves are worth, beside what a search has proved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board
from outflank.search.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A move that is not worth what was expected."""

    move: str
    expected: int
    """To the mover, as the script has it."""
    found: int | None
    """What it is worth, or the best move at most; None: it is not legal."""
    at_most: bool = False
    """Whether `found` is that of the best move."""

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.move} is not legal here; {self.expected:+d} is expected of it"
        how = "at most " if self.at_most else ""
        return f"{self.move} is worth {how}{self.found:+d}; {self.expected:+d} is expected"


def differences(board: Board[Any], result: Result, scores: Mapping[int, int], *, wld: bool) -> tuple[Difference, ...]:
    """Where a proof contradicts the scores of moves, by their codes; of who wins alone, only their signs count.

    A move whose value was not asked for is at most as good as the best one.
    """
    if not result.exact or result.value is None:
        return ()
    found = {each.move.code: each.value for each in result.best}
    if result.move is not None:
        found[result.move.code] = result.value
    legal = {move.code for move in board.legal_moves}
    told = []
    for code, score in scores.items():
        expected = (score > 0) - (score < 0) if wld else score
        name = str(board.move(code))
        if code in found:
            if found[code] != expected:
                told.append(Difference(move=name, expected=expected, found=found[code]))
        elif code in legal and expected > result.value:
            told.append(Difference(move=name, expected=expected, found=result.value, at_most=True))
        elif code not in legal and legal:
            told.append(Difference(move=name, expected=expected, found=None))
        elif not legal and expected != result.value:  # the game is over: whatever the script calls that
            told.append(Difference(move=name, expected=expected, found=result.value))
    return tuple(told)
