"""Reviews of games: how much each move lost against the best one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isinf
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


# A reviewed game as a story: the state of each position, and the moves that changed it.
#
# Each position has one value: that of the search before the next move, which looked deepest; after the last move, the
# result of the game. Each state follows from the value and from the state before it, so that the state after a move is
# the state before the next move, and the last state is the result.

BLACK_WINS, LEVEL, WHITE_WINS = 1, 0, -1

STATES = {BLACK_WINS: "black winning", LEVEL: "level", WHITE_WINS: "white winning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningPoint:
    """A change from one state to another."""

    ply: int
    """The ply of the move after which the state was different."""
    before: int
    after: int
    blamed: JudgedMove | None
    """The move at `ply`, if it lost enough to cause the change; None: the estimate changed by more than that loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The course of a game, from black's side."""

    first: int
    """The state before the first judged move."""
    values: tuple[tuple[int, float], ...]
    """The value for black after each judged move, with its ply."""
    states: tuple[int, ...]
    """The state after each judged move."""
    turns: tuple[TurningPoint, ...]

    @property
    def turning_points(self) -> list[JudgedMove]:
        """The moves that changed the winner."""
        return [turn.blamed for turn in self.turns if turn.blamed is not None]


def story_of(judged: Sequence[JudgedMove], outcome: float | None = None) -> Story:
    """Return the story of these moves; `outcome` is black's score, if the game was judged to its end.

    A move is to blame for a change if the change is against its side, the move's own search has seen the change, and
    the move has lost more than the search's margin of error.
    """
    if not judged:
        return Story(first=LEVEL, values=(), states=(), turns=())
    first = state = _state(LEVEL, _before(judged[0]), judged[0].margin)
    values, states, turns = [], [], []
    for move, next_move in zip(judged, (*judged[1:], None), strict=True):
        if next_move is not None:
            value, margin = _before(next_move), next_move.margin
        elif outcome is not None:
            value, margin = outcome, 0.0
        else:
            value, margin = move.black_value, move.margin
        after = _state(state, value, margin)
        if after != state:
            blamed = move if _is_to_blame(move, state, after) else None
            turns.append(TurningPoint(ply=move.ply, before=state, after=after, blamed=blamed))
        values.append((move.ply, value))
        states.append(after)
        state = after
    return Story(first=first, values=tuple(values), states=tuple(states), turns=tuple(turns))


def _before(move: JudgedMove) -> float:
    """Return the value for black before a move."""
    return move.best_value if move.side is Side.BLACK else -move.best_value


def _state(before: int, value: float, margin: float) -> int:
    """Return the state after a value: a win begins beyond the margin and ends below half of it, to avoid flicker."""
    if abs(value) > margin:
        return BLACK_WINS if value > 0 else WHITE_WINS
    return before if before * value > margin / 2 else LEVEL


def _is_to_blame(move: JudgedMove, before: int, after: int) -> bool:
    sign = 1 if move.side is Side.BLACK else -1
    state_seen = _state(before, move.black_value, move.margin)
    return move.loss > move.margin and sign * (after - before) < 0 and sign * (state_seen - before) < 0


def turn_text(turn: TurningPoint, scale: Scale) -> str:
    """Describe a change of the leading side in a sentence."""
    change = f"from {STATES[turn.before]} to {STATES[turn.after]}"
    if turn.blamed is None:
        return f"by move {turn.ply} the game had gone {change}; no single move is to blame at this depth"
    return f"the game turned at move {turn.ply}, {change}: {move_text(turn.blamed, scale)}"


def value_text(judged: JudgedMove, value: float, scale: Scale, *, bare: bool = False) -> str:
    """Return a value in words: "won" or "lost" where the game does not score the size of a win."""
    if isinf(value):
        return "won" if value > 0 else "lost"
    return scale.text(value, exact=judged.exact, bare=bare)


def move_text(judged: JudgedMove, scale: Scale) -> str:
    """Describe a move and the best one."""
    played, best = (value_text(judged, value, scale) for value in (judged.value, judged.best_value))
    return f"{judged.side} played {judged.move} ({played}) and not {judged.best} ({best})"
