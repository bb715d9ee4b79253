"""Reviews of games: how much each move lost against the best one, and which moves turned the game."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, isinf
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
"""Largest expected time, in seconds, to solve a position whose moves are judged exactly even if `exact` is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMove:
    """A move of a game, compared with the best one. Values are in the game's unit, from the mover's side."""

    ply: int
    side: Side
    move: Move
    best: Move
    value: float
    """Value of the position after the move, from the mover's side."""
    best_value: float
    exact: bool
    """Whether the values of the move and of the best move assume perfect play."""
    depth: int
    margin: float = 0.0
    """Typical error of the values, given the depth of the search; 0 if they are exact."""

    @property
    def loss(self) -> float:
        """Value of the best move minus the value of the move made, at least 0."""
        return max(0.0, self.best_value - self.value)

    @property
    def black_value(self) -> float:
        """Value of the position after the move, from black's side."""
        return self.value if self.side is Side.BLACK else -self.value


def judge_moves(
    board: Board,
    limits: Limits,
    *,
    exact: int | None = None,
    since: int = 0,
    stop: Stop | None = None,
    next_workers: Callable[[], int] | None = None,
    **options: Unpack[PlayerKeywords],
) -> Iterator[JudgedMove]:
    """Compare each move that was made on `board` after ply `since` with the best one, in order.

    Forced moves are left out.

    Moves are judged by perfect play if at most `exact` moves are left. By default, positions are solved if the solution
    takes next to no time. The played move is searched to the same depth as the best one. A value that is not exact is
    usually the mean of the last two iterations. `table_bits` is the size of each of the two transposition tables, for
    exact and for other searches. `next_workers` is called before each position is searched, and returns the number of
    workers to use.
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
        if ply > since and len(legal) > 1 and not is_pass(replay.game, move.code):
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
    """Return the comparison of `move` with the best move; None if there was no time to find a value."""
    exact = board.moves_left <= exact_from
    table = tables[exact]
    search_options: SearchArguments = {**options, "table": table, "table_bits": None, "stop": stop, "deepen": not exact}
    if exact:
        search_options.pop("selectivity", None)  # an exact search does not prune selectively
    iterations = _iterations(board, Limits() if exact else limits, exact, search_options)
    if not iterations or iterations[-1].move is None:
        return None
    best = iterations[-1]
    assert best.move is not None
    # The search after the played move is a ply shallower: it has two iterations if this one has three.
    use_mean = best.depth > 2
    value = _mean(iterations, use_mean)
    move_value = value if best.move == move else _value_after(board, move, best, exact, use_mean, search_options)
    if move_value is None:
        return None
    # The search after the played move may give it a better value than the best move has. Then it counts as the best.
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
    """Return the last result of each iteration of a search, without results that have no value."""
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

    A line looks too good for the side that makes its last move. Values of odd and even depths therefore differ, and so
    do values of the same depth after one move and after the next. The mean includes lines of both kinds. A proved
    value, or the value of a finished game, is returned as it is.
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
    if after.is_game_over:
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
    """Return the move that lost most, even if the result did not change; None if no move was a mistake."""
    worst = max(judged, key=lambda move: move.loss, default=None)
    return worst if worst is not None and worst.loss >= marks.mistake else None


NO_LOSS = 0.05
"""Loss below which a move is as good as the best one. It would be printed as 0.0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How well a side played in a reviewed game. Forced moves are left out."""

    moves: int
    """Number of judged moves."""
    best: int
    """Number of moves that lost nothing."""
    mean_loss: float
    """Mean loss of the moves, without those that lost a game without scores."""


def accuracy_of(losses: Sequence[float]) -> Accuracy:
    """Return the accuracy of a side that lost `losses` in its moves."""
    finite = [loss for loss in losses if isfinite(loss)]
    return Accuracy(
        moves=len(losses),
        best=sum(loss < NO_LOSS for loss in losses),
        mean_loss=sum(finite) / len(finite) if finite else 0.0,
    )


# The story of a reviewed game: its state at each position (who is winning), and the moves that changed the state. Each
# position has one value, which is found by the search before the next move, as this search looked deepest. The value
# after the last move of a finished game is its result. Each state follows from the value and the state before it. So
# the state after a move is the state before the next move, and the last state of a finished game is its result.

BLACK_WINS, LEVEL, WHITE_WINS = 1, 0, -1

STATES = {BLACK_WINS: "black winning", LEVEL: "level", WHITE_WINS: "white winning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningPoint:
    """A change of the game's state, such as from level to black winning."""

    ply: int
    """Ply of the last move before the change."""
    before: int
    after: int
    blamed: JudgedMove | None
    """Move at `ply`, if it is to blame for the change; None if it lost too little to explain the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Course of a game: the value and the state (who is winning) after each judged move, and the changes of state."""

    first: int
    """State before the first judged move: 1 if black is winning, 0 if the game is level, -1 if white is winning."""
    values: tuple[tuple[int, float], ...]
    """Ply of each judged move, and the value after it from black's side."""
    states: tuple[int, ...]
    """State after each judged move: 1 if black is winning, 0 if the game is level, -1 if white is winning."""
    turns: tuple[TurningPoint, ...]

    @property
    def turning_points(self) -> list[JudgedMove]:
        """Moves that are to blame for a change between black winning, level and white winning."""
        return [turn.blamed for turn in self.turns if turn.blamed is not None]


def story_of(judged: Sequence[JudgedMove], outcome: float | None = None) -> Story:
    """Return the course of a game from its judged moves; `outcome` is black's final score, if the moves reach the end.

    A move is to blame for a change if the change is against its side, the search that judged the move also gives the
    worse state, and the move has lost more than this search's margin of error.
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
    """Return the value of the position before a move, from black's side."""
    return move.best_value if move.side is Side.BLACK else -move.best_value


def _state(before: int, value: float, margin: float) -> int:
    """Return the next state. To avoid flicker, a side starts to win above `margin`, and stops below half of it."""
    if abs(value) > margin:
        return BLACK_WINS if value > 0 else WHITE_WINS
    return before if before * value > margin / 2 else LEVEL


def _is_to_blame(move: JudgedMove, before: int, after: int) -> bool:
    sign = 1 if move.side is Side.BLACK else -1
    state_seen = _state(before, move.black_value, move.margin)
    return move.loss > move.margin and sign * (after - before) < 0 and sign * (state_seen - before) < 0


def turn_text(turn: TurningPoint, scale: Scale, move: str = "") -> str:
    """Return a sentence that describes a change of who is winning. It calls the turning point `move`, or by its ply."""
    place = move or f"move {turn.ply}"
    change = f"from {STATES[turn.before]} to {STATES[turn.after]}"
    if turn.blamed is None:
        return f"by {place} the game had gone {change}; no single move is to blame at this depth"
    return f"the game turned at {place}, {change}: {move_text(turn.blamed, scale)}"


def value_text(judged: JudgedMove, value: float, scale: Scale, *, bare: bool = False) -> str:
    """Return the text of a value: "won" or "lost" if the game does not score the size of a win."""
    if isinf(value):
        return "won" if value > 0 else "lost"
    return scale.text(value, exact=judged.exact, bare=bare)


def move_text(judged: JudgedMove, scale: Scale) -> str:
    """Return a text with the played move, the best move and their values."""
    played, best = (value_text(judged, value, scale) for value in (judged.value, judged.best_value))
    return f"{judged.side} played {judged.move} ({played}) and not {judged.best} ({best})"
