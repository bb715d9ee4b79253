"""A game of your own: heaps of matches, whoever takes the last one wins.

Register a body for every function of `outflank.games.rules` and the package's boards, counts, proofs and playouts
work with it, compiled; with an evaluation the other searches do too. Run it: `python examples/nim.py`.
"""

from typing import NamedTuple

import numpy as np

from outflank.boards import Board
from outflank.games import rules
from outflank.games.evaluation import register_evaluation, value
from outflank.kernels.bits import U64

HEAPS = 4


class Nim(NamedTuple):
    """The rules: how many matches a move may take at most."""

    most: int


class Heaps(NamedTuple):
    """Sixteen bits a heap."""

    word: np.uint64


@rules.most_moves.register(Nim)
def _(game):
    return HEAPS * game.most


@rules.fill.register(Nim)
def _(game, position, moves, start):
    end = start
    for heap in range(HEAPS):
        left = np.int64(position.word >> U64(16 * heap)) & 0xFFFF
        for take in range(1, min(left, game.most) + 1):
            moves[end] = rules.MOVE(heap * 256 + take)
            end += 1
    return end


@rules.count.register(Nim)
def _(game, position):
    found = 0
    for heap in range(HEAPS):
        found += min(np.int64(position.word >> U64(16 * heap)) & 0xFFFF, game.most)
    return found


@rules.play.register(Nim)
def _(game, position, move):
    heap, take = np.int64(move) // 256, np.int64(move) % 256
    return Heaps(position.word - (U64(take) << U64(16 * heap)))


@rules.is_pass.register(Nim)
def _(game, move):
    return False


@rules.moves_left.register(Nim)
def _(game, position):
    found = 0
    for heap in range(HEAPS):
        found += np.int64(position.word >> U64(16 * heap)) & 0xFFFF
    return found


@rules.over.register(Nim)
def _(game, position):
    return position.word == U64(0)


@rules.score.register(Nim)
def _(game, position):
    return -1  # nothing left to take: the opponent took the last match


@rules.pack.register(Nim)
def _(game, position):
    return position.word, U64(0)


@rules.unpack.register(Nim)
def _(game, first, second):
    return Heaps(first)


@rules.symmetries.register(Nim)
def _(game):
    return 1


@rules.mirror.register(Nim)
def _(game, position, symmetry):
    return position


@rules.mirror_move.register(Nim)
def _(game, move, symmetry):
    return move


class Odd(NamedTuple):
    """An estimate for searches that do not see the end: who faces an odd number of heaps is glad to."""


@value.register(Odd)
def _(evaluation, game, position, state):
    heaps = 0
    for heap in range(HEAPS):
        heaps += (np.int64(position.word >> U64(16 * heap)) & 0xFFFF) > 0
    return 1 if heaps % 2 == 1 else -1


register_evaluation(Nim, "odd", Odd())


def start(*heaps: int, most: int = 3) -> Board:
    """A board with these heaps."""
    word = sum(matches << 16 * heap for heap, matches in enumerate(heaps))
    return Board(Nim(most), Heaps(U64(word)))


if __name__ == "__main__":
    import outflank

    board = start(3, 4, 5)
    print([str(move) for move in board.legal_moves])
    print(outflank.perft(board, 5).leaves, "games of five moves")
    print(outflank.search(board, depth=4, workers=1))
