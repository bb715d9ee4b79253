"""Comparison of proved scores with the scores that are stated in a file of positions."""

from collections.abc import Mapping
from dataclasses import dataclass

from outflank.boards import Board
from outflank.search.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Move for which the file of positions states a score that the proof contradicts."""

    move: str
    expected: int
    """Score of the move for the side that makes it, as stated in the file of positions."""
    proved: int | None
    """Proved score or upper bound, or None if the move is not legal."""
    at_most: bool = False
    """True if `proved` is an upper bound, namely the score of the best move, and not the exact score."""

    def __str__(self) -> str:
        if self.proved is None:
            return f"{self.move} is not legal here; {self.expected:+d} is expected of it"
        how = "at most " if self.at_most else ""
        return f"{self.move} is worth {how}{self.proved:+d}; {self.expected:+d} is expected"


def differences(board: Board, result: Result, scores: Mapping[int, int], *, wld: bool) -> tuple[Difference, ...]:
    """Return the moves whose expected scores the proof contradicts. With `wld` only the signs are compared.

    `scores` has expected scores by move code. The best move's score is an upper bound for moves that were not searched.
    """
    if not result.exact or result.value is None:
        return ()
    proved = {entry.move.code: entry.value for entry in result.best}
    if result.move is not None:
        proved[result.move.code] = result.value
    legal = {move.code for move in board.legal_moves}
    contradictions = []
    for code, score in scores.items():
        expected = (score > 0) - (score < 0) if wld else score
        name = str(board.move(code))
        if code in proved:
            if proved[code] != expected:
                contradictions.append(Difference(move=name, expected=expected, proved=proved[code]))
        elif code in legal and expected > result.value:
            contradictions.append(Difference(move=name, expected=expected, proved=result.value, at_most=True))
        elif code not in legal and legal:
            contradictions.append(Difference(move=name, expected=expected, proved=None))
        elif not legal and expected != result.value:  # the game is over: every move has the final score
            contradictions.append(Difference(move=name, expected=expected, proved=result.value))
    return tuple(contradictions)
