"""What a search needs from the rules of a game: generic over the type of `game`, with nothing specific to one game.

A game is a small `NamedTuple` of run-time values (the board's mask, rule options); its type selects the bodies. A
position is a `NamedTuple` as the side to move sees it: a move passes the turn and swaps the sides, no colour is stored.

A new game registers a body for every function here that has no default; `docs/games.md` shows one.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import Word
from outflank.kernels.compiler import inner
from outflank.kernels.generic import generic, missing

Game: TypeAlias = Any
"""The rules of any game, in the form that kernels take: a `NamedTuple` whose type selects the bodies."""

Position: TypeAlias = Any
"""A position of any game, in the form that kernels take: a `NamedTuple`, as the side to move sees it."""

MoveCode: TypeAlias = Any
"""The code of a move: an int, or a number of type `MOVE`."""

Moves: TypeAlias = npt.NDArray[np.uint16]
"""An array of the codes of moves."""

Value: TypeAlias = Any
"""A score or an estimate, for the side to move: an int, or NumPy's."""

MOVE = np.uint16
"""The type of a move's code."""

ENDLESS_GAME = 1 << 20
"""More moves than any search looks ahead: the default length of a game."""


@generic
def most_moves(game: Game) -> int:
    """Return an upper bound on the number of moves in any position: the room that `fill` needs."""
    raise missing(most_moves, game)


@generic
def fill(game: Game, position: Position, moves: Moves, start: int) -> int:
    """Write the codes of the legal moves to `moves[start:end]` and return `end`.

    `end == start` means that the game is over. Where a side must pass, the pass is its only move. The order is the
    game's own and always the same.
    """
    raise missing(fill, game)


@generic
def count(game: Game, position: Position) -> int:
    """Return how many moves `fill` would write, without writing them."""
    raise missing(count, game)


@generic
def play(game: Game, position: Position, move: MoveCode) -> Position:
    """Return the position after `move`, seen by the opponent. `move` must be legal."""
    raise missing(play, game)


@generic
def is_pass(game: Game, move: MoveCode) -> bool:
    """Return whether `move` only passes the turn."""
    raise missing(is_pass, game)


@is_pass.register(object)
def _(game: Game, move: MoveCode) -> bool:
    return False


@generic
def is_noisy(game: Game, move: MoveCode) -> bool:
    """Return whether `move` changes so much that the position should not be evaluated right after it."""
    raise missing(is_noisy, game)


@is_noisy.register(object)
def _(game: Game, move: MoveCode) -> bool:
    return False


@generic
def moves_left(game: Game, position: Position) -> int:
    """Return an upper bound on the number of moves, passes not counted, in any game from here.

    A search looks no deeper than this bound, and decides by it what is worth sharing among workers.
    """
    raise missing(moves_left, game)


@moves_left.register(object)
def _(game: Game, position: Position) -> int:
    return ENDLESS_GAME


@generic
def over(game: Game, position: Position) -> bool:
    """Return whether the game has ended: `count` is 0."""
    raise missing(over, game)


@over.register(object)
def _(game: Game, position: Position) -> bool:
    return count(game, position) == 0


@generic
def score(game: Game, position: Position) -> Value:
    """Return the score of the side to move (negative: lost) where the game is over, in the game's unit."""
    raise missing(score, game)


@generic
def pack(game: Game, position: Position) -> tuple[Word, Word]:
    """Return the position as two words; different positions have different words."""
    raise missing(pack, game)


@generic
def unpack(game: Game, first: Word, second: Word) -> Position:
    """Return the position whose `pack` is these two words."""
    raise missing(unpack, game)


@generic
def symmetries(game: Game) -> int:
    """Return the number of symmetries of the board, including the identity, which is number 0."""
    raise missing(symmetries, game)


@symmetries.register(object)
def _(game: Game) -> int:
    return 1


@generic
def mirror(game: Game, position: Position, symmetry: int) -> Position:
    """Return the image of the position under symmetry number `symmetry`."""
    raise missing(mirror, game)


@mirror.register(object)
def _(game: Game, position: Position, symmetry: int) -> Position:
    return position


@generic
def mirror_move(game: Game, move: MoveCode, symmetry: int) -> MoveCode:
    """Return the move that is to `mirror(position)` what `move` is to `position`."""
    raise missing(mirror_move, game)


@mirror_move.register(object)
def _(game: Game, move: MoveCode, symmetry: int) -> MoveCode:
    return move


@inner
def canonical(game: Game, position: Position) -> int:
    """Return the symmetry whose mirror image of `position` has the smallest words; the first of several."""
    best = 0
    first, second = pack(game, position)
    for symmetry in range(1, symmetries(game)):
        first_image, second_image = pack(game, mirror(game, position, symmetry))
        if first_image < first or (first_image == first and second_image < second):
            best, first, second = symmetry, first_image, second_image
    return best
