"""The functions through which a search uses the rules of a game: generic functions, dispatched on the type of `game`.

A game is a small `NamedTuple` of run-time values (the board's mask, rule options); its type selects the
implementations. A position is a `NamedTuple` from the side to move's point of view: it stores no colours, and a move
swaps the two sides. A new game implements every function here that has no default; `docs/games.md` shows an example.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import Word
from outflank.kernels.compiler import inner
from outflank.kernels.generic import generic, missing

Game: TypeAlias = Any
"""The rules of any game, in the form that kernels take: a `NamedTuple`, whose type selects the implementations."""

Position: TypeAlias = Any
"""A position of any game, in the form that kernels take: a `NamedTuple`, from the side to move's point of view."""

MoveCode: TypeAlias = Any
"""A move as an integer code: an int, or a NumPy number of type `MOVE`."""

Moves: TypeAlias = npt.NDArray[np.uint16]
"""An array of move codes."""

Value: TypeAlias = Any
"""A score or an estimate for the side to move: an int, or a NumPy integer."""

MOVE = np.uint16
"""NumPy type of a move code."""

ENDLESS_GAME = 1 << 20
"""Default of `moves_left` for games without a known limit: more moves than any search looks ahead."""


@generic
def most_moves(game: Game) -> int:
    """Return an upper bound on the number of legal moves in any position; `fill` needs room for this number."""
    raise missing(most_moves, game)


@generic
def fill(game: Game, position: Position, moves: Moves, start: int) -> int:
    """Write the codes of the legal moves to `moves[start:end]` and return `end`.

    If `end == start`, the game is over. If a side must pass, the pass is its only move. The same position always gives
    the same order of moves.
    """
    raise missing(fill, game)


@generic
def count(game: Game, position: Position) -> int:
    """Return the number of moves that `fill` would write, without writing them."""
    raise missing(count, game)


@generic
def play(game: Game, position: Position, move: MoveCode) -> Position:
    """Return the position after `move`, from the opponent's point of view. `move` must be legal."""
    raise missing(play, game)


@generic
def is_legal(game: Game, position: Position, move: MoveCode, moves: Moves) -> bool:
    """Return whether a move code is legal. `moves` has room for the most moves, and may be overwritten."""
    raise missing(is_legal, game)


@is_legal.register(object)
def _(game: Game, position: Position, move: MoveCode, moves: Moves) -> bool:
    legal = False
    for index in range(fill(game, position, moves, 0)):
        legal = legal or moves[index] == move
    return legal


@generic
def nth_move(game: Game, position: Position, number: int, moves: Moves) -> MoveCode:
    """Return the move that `fill` would write as number `number`, which must exist. `moves` has room for the most
    moves, and may be overwritten."""
    raise missing(nth_move, game)


@nth_move.register(object)
def _(game: Game, position: Position, number: int, moves: Moves) -> MoveCode:
    fill(game, position, moves, 0)
    return moves[number]


@generic
def is_pass(game: Game, move: MoveCode) -> bool:
    """Return whether `move` is a pass."""
    raise missing(is_pass, game)


@is_pass.register(object)
def _(game: Game, move: MoveCode) -> bool:
    return False


@generic
def is_noisy(game: Game, move: MoveCode) -> bool:
    """Return whether `move` changes the position so much that quiescence search should still try it."""
    raise missing(is_noisy, game)


@is_noisy.register(object)
def _(game: Game, move: MoveCode) -> bool:
    return False


@generic
def moves_left(game: Game, position: Position) -> int:
    """Return an upper bound on the number of moves, without passes, that can follow `position`.

    A search looks no deeper than this bound, and uses it to decide which subtrees are worth sharing among workers.
    """
    raise missing(moves_left, game)


@moves_left.register(object)
def _(game: Game, position: Position) -> int:
    return ENDLESS_GAME


@generic
def over(game: Game, position: Position) -> bool:
    """Return whether the game has ended, which means that `count` is 0."""
    raise missing(over, game)


@over.register(object)
def _(game: Game, position: Position) -> bool:
    return count(game, position) == 0


@generic
def score(game: Game, position: Position) -> Value:
    """Return the side to move's score in a finished game (negative: lost), in the game's unit."""
    raise missing(score, game)


@generic
def pack(game: Game, position: Position) -> tuple[Word, Word]:
    """Return the position as two 64-bit words; different positions have different words."""
    raise missing(pack, game)


@generic
def unpack(game: Game, first: Word, second: Word) -> Position:
    """Return the position that `pack` turned into these two words."""
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
    """Return the image of `move` under symmetry number `symmetry`."""
    raise missing(mirror_move, game)


@mirror_move.register(object)
def _(game: Game, move: MoveCode, symmetry: int) -> MoveCode:
    return move


@inner
def canonical(game: Game, position: Position) -> int:
    """Return the first symmetry that maps `position` to its image with the smallest words (`pack`)."""
    best = 0
    first, second = pack(game, position)
    for symmetry in range(1, symmetries(game)):
        first_image, second_image = pack(game, mirror(game, position, symmetry))
        if first_image < first or (first_image == first and second_image < second):
            best, first, second = symmetry, first_image, second_image
    return best
