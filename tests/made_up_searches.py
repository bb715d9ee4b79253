"""A search that takes no time, in the place of the one that books are built with."""

import dataclasses
import random

from outflank.books.book import key_of
from outflank.search.results import MoveValue, Result


def made_up_search(board, limits, *, stop, moves, **_):
    """A search whose values nobody can foresee, and which differ with the depth."""
    values = {
        move: random.Random(f"{key_of(board)} {move.code} {limits.depth}").randrange(-50, 50)
        for move in board.canonical().legal_moves
    }
    ranked = sorted(values, key=lambda move: -values[move])[:moves]
    return Result(
        value=values[ranked[0]],
        move=ranked[0],
        pv=(),
        depth=limits.depth,
        nodes=0,
        leaves=0,
        seconds=0.0,
        exact=False,
        best=tuple(MoveValue(move=move, value=values[move]) for move in ranked),
    )


def steady_search(board, limits, *, stop, moves, **_):
    """One that thinks nothing of any move but the first, and does not change its mind."""
    found = made_up_search(board, limits, stop=stop, moves=moves)
    codes = sorted(found.best, key=lambda each: each.move.code)
    best = tuple(MoveValue(move=each.move, value=-50 if place else 0) for place, each in enumerate(codes))
    return dataclasses.replace(found, value=0, move=best[0].move, best=best)


def reached(board, book, plies):
    """The positions that a book leads to, with the values of their moves, and those of the positions after them."""
    ply = [board.canonical()]
    for _ in range(plies):
        coming = {}
        for position in ply:
            for code, value in book.look_up(position):
                after = position.copy()
                after.push(after.move(code))
                while not after.is_game_over and str(after.legal_moves[0]) == "pass":
                    after.push("pass")
                replies = book.look_up(after)
                if replies:
                    yield position, value, replies[0][1] if after.turn is position.turn else -replies[0][1]
                    coming[key_of(after)] = after.canonical()
        ply = list(coming.values())
