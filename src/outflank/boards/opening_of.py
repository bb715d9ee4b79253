"""The names of openings: a game's opening is the last named position that it has reached."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from outflank.games.description import description_of
from outflank.games.rules import Game, Position, mirror, symmetries
from outflank.games.sides import Side


class _NamedPositions(NamedTuple):
    names: dict[tuple[Side, Position], str]
    """Names by side to move and position, with all symmetric images."""
    longest: int
    """Greatest number of moves that lead to a named position; -1: no position has a name."""


def opening_of(game: Game, positions: Iterable[Position], turn: Side, ply: int) -> str:
    """Return the name of the first of `positions` that has one; empty: none has.

    They are the positions of a game, the last first. In the last, it is the turn of `turn`, after `ply` moves.
    """
    named = _named_positions(game)
    for position in positions:
        if ply <= named.longest:
            name = named.names.get((turn, _words(position)))
            if name is not None:
                return name
        turn, ply = turn.other, ply - 1
    return ""


@lru_cache(maxsize=16, typed=True)  # rules of different games may be equal as tuples
def _named_positions(game: Game) -> _NamedPositions:
    variants = description_of(game).variants
    starts = {name.replace("-", " ").title(): start() for name, start in variants.starts.items()}
    boards = {**starts, **variants.openings(game)}
    names = {
        (board.turn, _words(mirror(game, board.position, symmetry))): name
        for name, board in boards.items()
        for symmetry in range(symmetries(game))
    }
    return _NamedPositions(names, max((board.ply for board in boards.values()), default=-1))


def _words(position: Position) -> tuple[int, ...]:
    return tuple(map(int, position))
