"""A reviewed game as one story: how it stood in each position, and which moves changed that.

There is one value for each position: what the search before the next move found, for that one looked deepest; after
the last move, the result of the game. States follow from the values one after the other, each from the one before, so
that what the game was after a move is what it was before the next, and the last one is its result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from outflank.games.sides import Side
from outflank.players.review import Judged

BLACK_WINS, LEVEL, WHITE_WINS = 1, 0, -1


@dataclass(frozen=True, slots=True, kw_only=True)
class TurningPoint:
    """A change from one state to another."""

    ply: int
    """The move after which the game stood otherwise."""
    before: int
    after: int
    blamed: Judged | None
    """That move, if it lost so much that it made the difference; None: the estimate changed by more than it lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happened in a game, as black sees it."""

    first: int
    """The state before the first move that was judged."""
    values: tuple[tuple[int, float], ...]
    """What black has after each of them, by its ply."""
    states: tuple[int, ...]
    """How the game stood then."""
    turns: tuple[TurningPoint, ...]

    @property
    def turning_points(self) -> list[Judged]:
        """The moves that changed who wins."""
        return [turn.blamed for turn in self.turns if turn.blamed is not None]


def story_of(judged: Sequence[Judged], outcome: float | None = None) -> Story:
    """The story of these moves; `outcome` is what black has won, if the game was judged to its end.

    A move is to blame for a change if that is against its side, its own search has seen it, and it has lost more than
    the search may be wrong by.
    """
    if not judged:
        return Story(first=LEVEL, values=(), states=(), turns=())
    first = state = _state(LEVEL, _before(judged[0]), judged[0].margin)
    values, states, turns = [], [], []
    for each, following in zip(judged, (*judged[1:], None), strict=True):
        if following is not None:
            value, margin = _before(following), following.margin
        elif outcome is not None:
            value, margin = outcome, 0.0
        else:
            value, margin = each.black_value, each.margin
        after = _state(state, value, margin)
        if after != state:
            blamed = each if _is_to_blame(each, state, after) else None
            turns.append(TurningPoint(ply=each.ply, before=state, after=after, blamed=blamed))
        values.append((each.ply, value))
        states.append(after)
        state = after
    return Story(first=first, values=tuple(values), states=tuple(states), turns=tuple(turns))


def _before(each: Judged) -> float:
    """What black had before a move."""
    return each.best_value if each.side is Side.BLACK else -each.best_value


def _state(before: int, value: float, margin: float) -> int:
    """What a value says after a state: a win begins beyond the margin and ends below half of it, lest it flicker."""
    if abs(value) > margin:
        return BLACK_WINS if value > 0 else WHITE_WINS
    return before if before * value > margin / 2 else LEVEL


def _is_to_blame(each: Judged, before: int, after: int) -> bool:
    sign = 1 if each.side is Side.BLACK else -1
    seen = _state(before, each.black_value, each.margin)
    return each.loss > each.margin and sign * (after - before) < 0 and sign * (seen - before) < 0
