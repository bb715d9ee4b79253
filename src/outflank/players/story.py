"""A reviewed game as a story: the state of each position, and the moves that changed it.

Each position has one value: that of the search before the next move, which looked deepest; after the last move, the
result of the game. Each state follows from the value and from the state before it, so that the state after a move is
the state before the next move, and the last state is the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf

from outflank.games.scores import Scale
from outflank.games.sides import Side
from outflank.players.review import JudgedMove

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
