"""Going through a game: what each move has lost against the best one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from outflank.boards import Board, Move
from outflank.games.description import Marks, description_of
from outflank.games.rules import is_pass
from outflank.games.sides import Side
from outflank.games.units import Scale
from outflank.search.contract import Limits, Options, Stop
from outflank.search.deepening import iterate, search
from outflank.search.keywords import PlayerKeywords
from outflank.search.results import Result
from outflank.search.table import Table

AT_ONCE_SECONDS = 0.07
"""What an ending may be expected to take that is played out for every move of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A move of a game beside the best one there. Values are in the game's unit, for the side that moved."""

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
    margin: float = 0.0
    """What the values may be wrong by, as far as a search of that depth goes; 0 if they are exact."""

    @property
    def loss(self) -> float:
        """What the best move would have kept more."""
        return max(0.0, self.best_value - self.value)

    @property
    def black_value(self) -> float:
        """What black has after the move, as far as its own search sees."""
        return self.value if self.side is Side.BLACK else -self.value


def reviewed(
    board: Board[Any],
    limits: Limits,
    *,
    exact: int | None = None,
    stop: Stop | None = None,
    next_workers: Callable[[], int] | None = None,
    **options: Unpack[PlayerKeywords],
) -> Iterator[Judged]:
    """Judge the moves that were made on a board, first one first; forced ones are not worth a word.

    Where no more than `exact` moves are left, they are judged by perfect play (None: as few as take no time). Both
    moves are searched to the same depth: the played one as far as the best one was. An estimate is the mean of the last
    two iterations. `table_bits` is of each of two tables; `next_workers` is asked before each move, where their number
    changes on the way.
    """
    stop = stop or Stop()
    if exact is None:
        exact = description_of(board.game).ending_time.moves_within(AT_ONCE_SECONDS)
    moves = board.moves
    replay = board.copy()
    while replay.moves:
        replay.pop()
    bits = options.get("table_bits", Options().table_bits)
    tables = {each: None if bits is None else Table(bits) for each in (False, True)}
    for ply, move in enumerate(moves, replay.ply + 1):
        legal = replay.legal_moves
        if len(legal) > 1 and not is_pass(replay.game, move.code):
            if next_workers is not None:
                options["workers"] = next_workers()
            judged = _judged(replay, move, ply, limits, exact, tables, stop, options)
            if stop.called:
                return
            if judged is not None:
                yield judged
        replay.push(move)


def _judged(
    board: Board[Any],
    move: Move,
    ply: int,
    limits: Limits,
    exact_from: int,
    tables: dict[bool, Table | None],
    stop: Stop,
    options: PlayerKeywords,
) -> Judged | None:
    """None: there was no time to find a value."""
    exact = board.moves_left <= exact_from
    table = tables[exact]
    chosen: dict[str, Any] = {**options, "table": table, "table_bits": None, "stop": stop, "deepen": not exact}
    if exact:
        chosen.pop("selectivity", None)  # which has nothing to guess there
    iterations = _iterations(board, Limits() if exact else limits, exact, chosen)
    if not iterations or iterations[-1].move is None:
        return None
    best = iterations[-1]
    assert best.move is not None
    # The played move is searched a ply less: it has two iterations if the best one has three.
    several = best.depth > 2
    value = _mean(iterations, several)
    kept = value if best.move == move else _kept(board, move, best, exact, several, chosen)
    if kept is None:
        return None
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
        margin=0.0 if exact else description_of(board.game).error_of(best.depth),
    )


def _iterations(board: Board[Any], limits: Limits, exact: bool, chosen: dict[str, Any]) -> list[Result]:
    """The results of a search that have a value, one a depth."""
    if exact:
        found = search(board, limits, exact=True, **chosen)
        return [] if found.value is None else [found]
    return list({each.depth: each for each in iterate(board, limits, **chosen) if each.value is not None}.values())


def _mean(iterations: Sequence[Result], several: bool) -> float:
    """The value that the last two iterations have found between them, in the game's unit.

    Who made the last move of a line looks better than he is: values of odd and even depths differ, and those of one
    depth after one move and the next. The mean has lines of both kinds. What is proved, or a finished game's, is meant
    as it is.
    """
    values = [
        (each.scale.number(each.value), each.exact or each.scale.is_final(each.value))
        for each in iterations[-2:]
        if each.value is not None
    ]
    last, proved = values[-1]
    if not several or len(values) < 2 or proved or values[0][1]:
        return last
    return (values[0][0] + last) / 2


def _kept(
    board: Board[Any], move: Move, best: Result, exact: bool, several: bool, chosen: dict[str, Any]
) -> float | None:
    after = board.copy()
    after.push(move)
    if after.is_game_over():
        outcome = after.outcome()
        assert outcome is not None
        return best.scale.number(_final(best.scale, outcome.score if board.turn is Side.BLACK else -outcome.score))
    iterations = _iterations(after, Limits() if exact else Limits(depth=max(best.depth - 1, 1)), exact, chosen)
    return -_mean(iterations, several) if iterations else None


def _final(scale: Scale, score: int) -> int:
    """The value that a search gives to a finished game with this score."""
    assert scale.won is not None
    return score + scale.won if score > 0 else score - scale.won if score < 0 else 0


def costliest(judged: Sequence[Judged], marks: Marks) -> Judged | None:
    """The move that lost most, if it was a mistake, whatever it changed."""
    worst = max(judged, key=lambda each: each.loss, default=None)
    return worst if worst is not None and worst.loss >= marks.mistake else None
