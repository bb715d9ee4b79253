"""What is found further on is carried back.

A move that leads to a position of the book is worth what that position's best move is worth, whatever a shallower
search said of it. Moves that an entry leaves out stay out, even where those it has come to less than was thought: to
take them in as well made a book of a game with many moves ten times as large.
"""

from collections.abc import Iterator
from dataclasses import replace

from outflank.books.book import Entry, Key
from outflank.books.leading import Leads


def carry_back(leads: Leads, start: Key | None = None) -> bool:
    """Give moves the values of the positions they lead to, the last ones first; whether any value has changed.

    Not where they lead back to a position that can come before: what that is worth depends on this one.
    """
    book, done, changed = leads.book, set[Key](), False
    for key in _last_first(leads, start):
        before = book.entries[key]
        replies = leads.replies(key)
        carried = []
        for code, value in before.moves:
            reply = replies.get(code)
            if reply is not None and reply.sign and reply.key in done:
                value = reply.sign * book.entries[reply.key].value
            carried.append((code, value))
        done.add(key)
        after = in_order(replace(before, moves=tuple(carried)))
        if after != before:
            book.entries[key] = after
            changed = True
    return changed


def in_order(entry: Entry) -> Entry:
    """With its best moves first, those of the same worth by their codes: the same moves make the same line."""
    return replace(entry, moves=tuple(sorted(entry.moves, key=lambda move: (-move[1], move[0]))))


def with_moves_of(leads: Leads, key: Key, entry: Entry, before: Entry) -> Entry:
    """An entry that takes the place of another, with the moves of that one that lead to positions of the book: these
    have values, and nobody would come there any more."""
    replies, codes = leads.replies(key), {code for code, _ in entry.moves}
    more = [
        (code, value)
        for code, value in before.moves
        if code not in codes and code in replies and replies[code].key in leads.book.entries
    ]
    return in_order(replace(entry, moves=(*entry.moves, *more), games=max(entry.games, before.games)))


def _last_first(leads: Leads, start: Key | None) -> Iterator[Key]:
    """All positions of the book, each after those that its moves lead to, as far as these do not lead back to it.

    They are looked through from `start`, and then in their own order: what leads where does not depend on values.
    """
    entries = leads.book.entries
    seen: set[Key] = set()
    for first in [*([start] if start in entries and start is not None else []), *sorted(entries)]:
        if first in seen:
            continue
        seen.add(first)
        line = [(first, leads.on(first))]
        while line:
            key, following = line[-1]
            child = next((each for each in following if each not in seen), None)
            if child is None:
                line.pop()
                yield key
            else:
                seen.add(child)
                line.append((child, leads.on(child)))
