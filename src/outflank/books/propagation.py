"""Values of later positions are propagated back to earlier ones.

A move that leads to a position of the book has the value of that position's best move, whatever a shallower search
found. Moves that an entry leaves out stay out, even if the moves it has turn out worse than was thought: including them
made a book of a game with many moves ten times as large.
"""

from collections.abc import Iterator
from dataclasses import replace

from outflank.books.book import Entry, Key
from outflank.books.move_graph import MoveGraph


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
