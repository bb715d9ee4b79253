"""The graph of a book's moves; a position is its key, which all symmetric positions share.

A book may have a hundred thousand positions: a kernel plays their moves. As long as they are few the interpreter runs
it, for loading the compiler takes longer than the moves do.
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
"""The kinds of moves: illegal; ending the game; leaving the same side to move, or the other one."""

POSITIONS_INTERPRETED = 200
"""Number of positions of a process before the compiler is loaded. Interpreted, a move of Othello takes 0.5 ms, one of
Abalone 1.1 ms, and compiled a few µs."""

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
    """Play each of `codes` from `position`, or, `along` a line, each after the one before.

    Forced passes are played. `kinds` receives the kind of each move, and a row of `words` the key of the position after
    it. `moves` is room for twice the legal moves. Return the number of moves played: a line ends with its first illegal
    move.
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
    """The position that a move leads to, after forced passes."""

    key: Key
    sign: int
    """-1 if the other side moves there, 0 if the game is over."""


def replies_to(game: Game, position: Position, codes: Sequence[int], *, along: bool) -> list[Reply | None]:
    """Return where moves of a position, or of a line from it up to the first illegal one, lead; None if illegal."""
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
    """The graph of a book's moves, each looked up once."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._replies: dict[Key, dict[int, Reply]] = {}

    def replies(self, key: Key) -> dict[int, Reply]:
        """Return the replies by the codes of an entry's moves; illegal moves are left out."""
        codes = [code for code, _ in self.book.entries[key].moves]
        known = self._replies.setdefault(key, {})
        if unknown := [code for code in codes if code not in known]:
            known.update(self._looked_up(key, unknown))
        return {code: known[code] for code in codes if code in known}

    def children(self, key: Key) -> Iterator[Key]:
        """Yield the positions of the book that its moves lead to, in the order of their codes."""
        for _, reply in sorted(self.replies(key).items()):
            if reply.sign and reply.key in self.book.entries:
                yield reply.key

    def every_reply(self, key: Key) -> dict[int, Reply]:
        """Return the replies by all legal moves."""
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
# A move that leads to a position of the book has the value of that position's best move, whatever a shallower search
# found. Moves that an entry leaves out stay out, even if the moves it has turn out worse than was thought: including
# them made a book of a game with many moves ten times as large.


def propagate_values(graph: MoveGraph, start: Key | None = None) -> bool:
    """Give moves the values of the positions they lead to, the last ones first; return whether any value changed.

    A move back to a position that can come before is left out: that position's value depends on this one.
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
    """Return the entry with its best moves first, equal ones by their codes: the same moves make the same line."""
    return replace(entry, moves=tuple(sorted(entry.moves, key=lambda move: (-move[1], move[0]))))


def with_moves_of(graph: MoveGraph, key: Key, entry: Entry, before: Entry) -> Entry:
    """Return an entry that replaces `before`, with those moves of `before` that lead to positions of the book.

    These have values, and without the moves their positions could not be reached any more.
    """
    replies, codes = graph.replies(key), {code for code, _ in entry.moves}
    more = [
        (code, value)
        for code, value in before.moves
        if code not in codes and code in replies and replies[code].key in graph.book.entries
    ]
    return in_order(replace(entry, moves=(*entry.moves, *more), games=max(entry.games, before.games)))


def _last_first(graph: MoveGraph, start: Key | None) -> Iterator[Key]:
    """Yield all positions of the book, each after those that its moves lead to, unless these lead back to it.

    They are visited from `start`, and then in the order of their keys: the order does not depend on values.
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
