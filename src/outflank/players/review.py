"""Reviews of games: how much each move lost against the best one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from outflank.boards import Board, Move
from outflank.games.defaults import Marks
from outflank.games.description import description_of
from outflank.games.rules import is_pass
from outflank.games.scores import Scale
from outflank.games.sides import Side
from outflank.search.keywords import PlayerKeywords, SearchArguments
from outflank.search.request import Limits, Options, Stop
from outflank.search.results import Result
from outflank.search.table import Table
from outflank.search.whole_search import iterate, search

AT_ONCE_SECONDS = 0.07
"""Greatest expected time to solve an ending whose moves are all judged by perfect play, unless `exact` is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMove:
    """A move of a game, compared with the best one in its position. Values are in the game's unit, for the mover."""

    ply: int
    side: Side
    move: Move
    best: Move
    value: float
    """Value of the position after the move."""
    best_value: float
    exact: bool
    """Whether both values are those of perfect play."""
    depth: int
    margin: float = 0.0
    """Typical error of the values of a search of this depth; 0 if they are exact."""

    @property
    def loss(self) -> float:
        """By how much the best move's value exceeds that of the move made."""
        return max(0.0, self.best_value - self.value)

    @property
    def black_value(self) -> float:
        """The value after the move for black, from the search that judged the move."""
        return self.value if self.side is Side.BLACK else -self.value


def judge_moves(
    board: Board,
    limits: Limits,
    *,
    exact: int | None = None,
    stop: Stop | None = None,
    next_workers: Callable[[], int] | None = None,
    **options: Unpack[PlayerKeywords],
) -> Iterator[JudgedMove]:
    """Judge the moves that were made on a board, in order, except forced ones.

    If at most `exact` moves are left, they are judged by perfect play (None: if that takes next to no time). The played
    move is searched to the same depth as the best one. An estimate is the mean of the last two iterations. `table_bits`
    is the size of each of two tables; `next_workers` returns the number of workers before each move, if that number
    changes on the way.
    """
    stop = stop or Stop()
    if exact is None:
        exact = description_of(board.game).play.ending_time.moves_within(AT_ONCE_SECONDS)
    moves = board.moves
    replay = board.copy()
    while replay.moves:
        replay.pop()
    bits = options.get("table_bits", Options().table_bits)
    tables = {is_exact: None if bits is None else Table(bits) for is_exact in (False, True)}
    for ply, move in enumerate(moves, replay.ply + 1):
        legal = replay.legal_moves
        if len(legal) > 1 and not is_pass(replay.game, move.code):
            if next_workers is not None:
                options["workers"] = next_workers()
            judged = _judge_move(replay, move, ply, limits, exact, tables, stop, options)
            if stop.called:
                return
            if judged is not None:
                yield judged
        replay.push(move)


def _judge_move(
    board: Board,
    move: Move,
    ply: int,
    limits: Limits,
    exact_from: int,
    tables: dict[bool, Table | None],
    stop: Stop,
    options: PlayerKeywords,
) -> JudgedMove | None:
    """Return the judged move; None if there was no time to find a value."""
    exact = board.moves_left <= exact_from
    table = tables[exact]
    search_options: SearchArguments = {**options, "table": table, "table_bits": None, "stop": stop, "deepen": not exact}
    if exact:
        search_options.pop("selectivity", None)  # an exact search has nothing to guess
    iterations = _iterations(board, Limits() if exact else limits, exact, search_options)
    if not iterations or iterations[-1].move is None:
        return None
    best = iterations[-1]
    assert best.move is not None
    # The played move is searched a ply less: it has two iterations if the best one has three.
    use_mean = best.depth > 2
    value = _mean(iterations, use_mean)
    move_value = value if best.move == move else _value_after(board, move, best, exact, use_mean, search_options)
    if move_value is None:
        return None
    # A deeper search of the played move may find it better than the best: then it counts as the best.
    return JudgedMove(
        ply=ply,
        side=board.turn,
        move=move,
        best=move if move_value > value else best.move,
        value=move_value,
        best_value=max(value, move_value),
        exact=exact,
        depth=best.depth,
        margin=0.0 if exact else description_of(board.game).play.typical_error(best.depth),
    )


def _iterations(board: Board, limits: Limits, exact: bool, search_options: SearchArguments) -> list[Result]:
    """Return the results of a search that have a value, one for each depth."""
    if exact:
        result = search(board, limits, exact=True, **search_options)
        return [] if result.value is None else [result]
    return list(
        {
            result.depth: result for result in iterate(board, limits, **search_options) if result.value is not None
        }.values()
    )


def _mean(iterations: Sequence[Result], use_mean: bool) -> float:
    """Return the mean value of the last two iterations, in the game's unit.

    The side that made the last move of a line looks better than it is: values of odd and even depths differ, and so do
    values of the same depth after one move and the next. The mean includes both kinds of lines. A proved value, or the
    value of a finished game, is returned as it is.
    """
    values = [
        (result.scale.number(result.value), result.exact or result.scale.is_final(result.value))
        for result in iterations[-2:]
        if result.value is not None
    ]
    last, proved = values[-1]
    if not use_mean or len(values) < 2 or proved or values[0][1]:
        return last
    return (values[0][0] + last) / 2


def _value_after(
    board: Board, move: Move, best: Result, exact: bool, use_mean: bool, search_options: SearchArguments
) -> float | None:
    after = board.copy()
    after.push(move)
    if after.is_game_over():
        outcome = after.outcome()
        assert outcome is not None
        return best.scale.number(_final(best.scale, outcome.score if board.turn is Side.BLACK else -outcome.score))
    iterations = _iterations(after, Limits() if exact else Limits(depth=max(best.depth - 1, 1)), exact, search_options)
    return -_mean(iterations, use_mean) if iterations else None


def _final(scale: Scale, score: int) -> int:
    """Return the value that a search gives to a finished game with this score."""
    assert scale.won is not None
    return score + scale.won if score > 0 else score - scale.won if score < 0 else 0


def costliest(judged: Sequence[JudgedMove], marks: Marks) -> JudgedMove | None:
    """Return the move that lost most, if it was a mistake, even if it did not change the result."""
    worst = max(judged, key=lambda move: move.loss, default=None)
    return worst if worst is not None and worst.loss >= marks.mistake else None
