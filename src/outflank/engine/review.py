"""Going through a game: what each move has lost against the best one, and where the game turned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.boards import Board, Move, OthelloBoard
from outflank.games.rules import is_pass
from outflank.games.sides import Side
from outflank.games.units import Scale
from outflank.search.contract import Limits, Result, Stop
from outflank.search.deepening import search
from outflank.search.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A move of a game beside the best one there. Values are in discs or marbles, for the side that moved."""

    ply: int
    side: Side
    move: Move
    best: Move
    value: float
    """What the move keeps."""
    best_value: float
    exact: bool
    """Whether both values are those of perfect play."""
    depth: int

    @property
    def loss(self) -> float:
        """What the best move would have kept more."""
        return max(0.0, self.best_value - self.value)

    @property
    def black_value(self) -> float:
        """What black has after the move."""
        return self.value if self.side is Side.BLACK else -self.value


@dataclass(frozen=True, slots=True)
class Marks:
    """Losses from which a move is marked, in discs or marbles."""

    doubtful: float
    mistake: float
    blunder: float

    def of(self, loss: float) -> str:
        """`?!`, `?`, `??`, or nothing."""
        for mark, least in (("??", self.blunder), ("?", self.mistake), ("?!", self.doubtful)):
            if loss >= least:
                return mark
        return ""


def marks_for(board: Board[Any]) -> Marks:
    """What counts as a mistake in a game."""
    return Marks(2.0, 4.0, 8.0) if isinstance(board, OthelloBoard) else Marks(0.4, 1.0, 2.0)


def reviewed(
    board: Board[Any], limits: Limits, *, exact_empties: int = 14, stop: Stop | None = None, **options: Any
) -> Iterator[Judged]:
    """Judge the moves that were made on a board, first one first; forced ones are not worth a word.

    Both moves are searched to the same depth: the played one as far as the best one was.
    """
    stop = stop or Stop()
    moves = board.moves
    replay = board.copy()
    while replay.moves:
        replay.pop()
    tables = {False: Table(20), True: Table(20)}
    for ply, move in enumerate(moves, replay.ply + 1):
        legal = replay.legal_moves
        if len(legal) > 1 and not is_pass(replay.game, move.code):
            judged = _judged(replay, move, ply, limits, exact_empties, tables, stop, options)
            if stop.called:
                return
            yield judged
        replay.push(move)


def _judged(
    board: Board[Any],
    move: Move,
    ply: int,
    limits: Limits,
    exact_empties: int,
    tables: dict[bool, Table],
    stop: Stop,
    options: dict[str, Any],
) -> Judged:
    exact = isinstance(board, OthelloBoard) and board.empties <= exact_empties
    table = tables[exact]
    chosen: dict[str, Any] = {**options, "table": table, "table_bits": None, "stop": stop}
    best = search(board, Limits() if exact else limits, exact=exact, **chosen)
    assert best.move is not None
    value = best.scale.number(best.value)
    kept = value if best.move == move else _kept(board, move, best, exact, chosen)
    # A deeper look at the played move may find it better than the best: then it is no worse.
    return Judged(
        ply=ply,
        side=board.turn,
        move=move,
        best=move if kept > value else best.move,
        value=kept,
        best_value=max(value, kept),
        exact=exact,
        depth=best.depth,
    )


def _kept(board: Board[Any], move: Move, best: Result, exact: bool, chosen: dict[str, Any]) -> float:
    after = board.copy()
    after.push(move)
    if after.is_game_over():
        outcome = after.outcome()
        assert outcome is not None
        return best.scale.number(_final(best.scale, outcome.score if board.turn is Side.BLACK else -outcome.score))
    found = search(after, Limits() if exact else Limits(depth=max(best.depth - 1, 1)), exact=exact, **chosen)
    return -found.scale.number(found.value)


def _final(scale: Scale, score: int) -> int:
    """The value that a search gives to a finished game with this score."""
    assert scale.won is not None
    return score + scale.won if score > 0 else score - scale.won if score < 0 else 0


def turning_points(judged: Sequence[Judged], marks: Marks) -> list[Judged]:
    """The moves after which the other side was ahead, and the worst one, if it was a mistake."""
    found = [each for each in judged if each.loss >= marks.mistake and each.best_value >= 0 > each.value]
    worst = max(judged, key=lambda each: each.loss, default=None)
    if worst is not None and worst.loss >= marks.mistake and worst not in found:
        found.append(worst)
    return sorted(found, key=lambda each: each.ply)
