"""The graph of a book's moves, and propagation of values through it.

The key of a position is a node of the graph, and symmetric positions share a key. A kernel plays the moves, because a
book may have a hundred thousand positions. The first positions are interpreted: loading the compiler takes longer than
playing a few moves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outflank.books.book import Book, Entry, Key
from outflank.games.rules import (
    MOVE,
    Game,
    Moves,
    Position,
    canonical,
    fill,
    is_pass,
    mirror,
    most_moves,
    pack,
    play,
    unpack,
)
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, kernel

ILLEGAL, ENDED, SAME, OTHER = -1, 0, 1, 2
"""Kinds of moves: illegal; ending the game; the same side moves next (after a pass); the other side moves next."""

POSITIONS_INTERPRETED = 200
"""Number of positions whose moves Python plays before the compiler is loaded. Interpreted, a move takes 0.5 ms in
Othello and 1.1 ms in Abalone; compiled, a few µs."""

_positions_begun = count()


@kernel
def follow_moves(
    game: Game,
    position: Position,
    codes: Moves,
    along: bool,
    moves: Moves,
    kinds: NDArray[np.int64],
    words: NDArray[np.uint64],
) -> int:
    """Play each move of `codes` from `position`; with `along`, play them one after the other as a line.

    Forced passes are played too. `kinds` receives the kind of each move, and `words` receives the key of the position
    after each move. `moves` is scratch space for twice the greatest number of legal moves. Return the number of rows
    filled: a line ends with its first illegal move.
    """
    current = position
    legal = fill(game, position, moves, np.int64(0))
    for row in range(len(codes)):
        move = codes[row]
        kinds[row] = ILLEGAL
        for index in range(legal):
            if moves[index] == move:
                kinds[row] = SAME
        if kinds[row] == ILLEGAL:
            if along:
                return row + 1
            continue
        if not along:
            current = position
        playing = True
        end = legal
        while playing:
            current = play(game, current, move)
            kinds[row] = SAME + OTHER - kinds[row]
            end = fill(game, current, moves, legal)
            move = moves[legal]
            playing = end == legal + 1 and is_pass(game, move)
        if end == legal:
            kinds[row] = ENDED
        words[row, 0], words[row, 1] = pack(game, mirror(game, current, canonical(game, current)))
        if along:
            for index in range(legal, end):
                moves[index - legal] = moves[index]
            legal = end - legal
    return len(codes)


@follow_moves.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, position, *_room(game, (), along=False)


class Reply(NamedTuple):
    """The position after a move of a book and the forced passes that follow the move."""

    key: Key
    sign: int
    """1 if the same side moves next, -1 if the other side does, 0 if the game is over."""


def replies_to(game: Game, position: Position, codes: Sequence[int], *, along: bool) -> list[Reply | None]:
    """Return the `Reply` of each move, None if illegal. With `along`, they form a line that ends at an illegal move."""
    room = _room(game, codes, along=along)
    play_moves = follow_moves.py_func if next(_positions_begun) < POSITIONS_INTERPRETED else follow_moves
    rows = int(play_moves(game, position, *room))
    *_, kinds, words = room
    signs = {ENDED: 0, SAME: 1, OTHER: -1}
    results = zip(kinds[:rows].tolist(), words[:rows].tolist(), strict=True)
    return [None if kind == ILLEGAL else Reply((first, second), signs[kind]) for kind, (first, second) in results]


def _room(game: Game, codes: Sequence[int], *, along: bool) -> tuple[Any, ...]:
    rows = len(codes)
    return (
        np.array([*codes], MOVE),
        along,
        np.zeros(2 * int(most_moves(game)) + 1, MOVE),
        np.zeros(rows, np.int64),
        np.zeros((rows, 2), np.uint64),
    )


class MoveGraph:
    """The graph of a book's moves. Each move is played once and cached."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._replies: dict[Key, dict[int, Reply]] = {}

    def replies(self, key: Key) -> dict[int, Reply]:
        """Return the `Reply` of each move of the entry at `key`, by move code; illegal moves are left out."""
        codes = [code for code, _ in self.book.entries[key].moves]
        known = self._replies.setdefault(key, {})
        if unknown := [code for code in codes if code not in known]:
            known.update(self._looked_up(key, unknown))
        return {code: known[code] for code in codes if code in known}

    def children(self, key: Key) -> Iterator[Key]:
        """Yield the positions of the book after the moves of the entry at `key`, in the order of move codes."""
        for _, reply in sorted(self.replies(key).items()):
            if reply.sign and reply.key in self.book.entries:
                yield reply.key

    def every_reply(self, key: Key) -> dict[int, Reply]:
        """Return the `Reply` of each legal move of the position `key`, by move code."""
        game = self.book.game
        moves = np.zeros(int(most_moves(game)), MOVE)
        position = unpack(game, U64(key[0]), U64(key[1]))
        return dict(self._looked_up(key, moves[: int(fill(game, position, moves, 0))].tolist()))

    def _looked_up(self, key: Key, codes: Sequence[int]) -> Iterator[tuple[int, Reply]]:
        position = unpack(self.book.game, U64(key[0]), U64(key[1]))
        for code, reply in zip(codes, replies_to(self.book.game, position, codes, along=False), strict=True):
            if reply is not None:
                yield code, reply


# Values of later positions are propagated back to earlier ones.
#
# A move to a position of the book gets the value of that position's best move, which replaces the result of the
# shallower search. Moves that an entry leaves out are not added, even if its own moves get worse: adding them made the
# book of a game with many moves ten times as large.


def propagate_values(graph: MoveGraph, start: Key | None = None) -> bool:
    """Give each move the value of the position that it leads to, from the leaves up; return whether a value changed.

    A move to a position outside the book keeps its value. So does a move back to an earlier position, because the value
    of the earlier position depends on this move.
    """
    book, done, changed = graph.book, set[Key](), False
    for key in _last_first(graph, start):
        before = book.entries[key]
        replies = graph.replies(key)
        moves = []
        for code, value in before.moves:
            reply = replies.get(code)
            if reply is not None and reply.sign and reply.key in done:
                value = reply.sign * book.entries[reply.key].value
            moves.append((code, value))
        done.add(key)
        after = in_order(replace(before, moves=tuple(moves)))
        if after != before:
            book.entries[key] = after
            changed = True
    return changed


def in_order(entry: Entry) -> Entry:
    """Return the entry with its moves sorted by value, then by code, so that a book's file is reproducible."""
    return replace(entry, moves=tuple(sorted(entry.moves, key=lambda move: (-move[1], move[0]))))


def with_moves_of(graph: MoveGraph, key: Key, entry: Entry, before: Entry) -> Entry:
    """Return `entry` with further moves: all moves of the older entry `before` that lead to positions of the book.

    Without these moves the positions after them could no longer be reached.
    """
    replies, codes = graph.replies(key), {code for code, _ in entry.moves}
    more = [
        (code, value)
        for code, value in before.moves
        if code not in codes and code in replies and replies[code].key in graph.book.entries
    ]
    return in_order(replace(entry, moves=(*entry.moves, *more), games=max(entry.games, before.games)))


def _last_first(graph: MoveGraph, start: Key | None) -> Iterator[Key]:
    """Yield all positions of the book in post-order: each after the positions that its moves lead to, except on cycles.

    The traversal begins at `start`, then at each other key in order, so that the result does not depend on values.
    """
    entries = graph.book.entries
    seen: set[Key] = set()
    for first in [*([start] if start in entries and start is not None else []), *sorted(entries)]:
        if first in seen:
            continue
        seen.add(first)
        line = [(first, graph.children(first))]
        while line:
            key, replies = line[-1]
            child = next((reply for reply in replies if reply not in seen), None)
            if child is None:
                line.pop()
                yield key
            else:
                seen.add(child)
                line.append((child, graph.children(child)))
