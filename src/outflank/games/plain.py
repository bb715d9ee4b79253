"""The plain rules of a game: a second implementation of its rules, which the proof checker uses.

A proof is only as reliable as the rules that it was checked with. So the checker does not use the rules of searches
(`games.rules`). The second implementation is separate and as simple as possible. The two share only the words of a
position (`rules.pack`) and the move codes, which are below 256 here. `GameDescription.plain_rules` returns the second
implementation.

`rules` is a small `NamedTuple`; its type selects the implementations. A position is two words, from the side to move's
point of view.
"""

from typing import Any, TypeAlias

import numpy as np

from outflank.kernels.bits import Word
from outflank.kernels.generic import generic, missing
from outflank.kernels.record_types import Record, record_type

PlainRules: TypeAlias = Any
"""The plain rules of any game: a `NamedTuple`, whose type selects the implementations."""

ROOM = 1 << 12
"""Number of moves that the checker's stack can hold."""

CHILDREN = record_type(
    {
        "nodes": np.int64,  # positions entered
        "moves": (np.uint8, ROOM),
        "first": (np.uint64, ROOM),  # `first` and `second`: the words of the position after each move
        "second": (np.uint64, ROOM),
        "replies": (np.int64, ROOM),  # the number of legal replies to each move
    }
)
"""Type of the checker's stack: the moves of all positions on the current line, and the positions after them."""


@generic
def expand(rules: PlainRules, first: Word, second: Word, children: Record, start: int) -> int:
    """Write all legal moves except passes, and the positions after them, to `children[start:end]`; return `end`."""
    raise missing(expand, rules)


NONE = -1
"""Result of `next_child` if there is no further move."""


@generic
def next_child(rules: PlainRules, first: Word, second: Word, place: int) -> tuple[int, Word, Word]:
    """Return the `place` for the next call (`NONE`: no further move) and the two words of the position after the first
    legal move from `place` on. The first call passes 0. Unlike `expand`, this makes one move at a time."""
    raise missing(next_child, rules)


@generic
def can_move(rules: PlainRules, first: Word, second: Word) -> bool:
    """Return whether the side to move has a legal move other than a pass."""
    raise missing(can_move, rules)


@generic
def handed_over(rules: PlainRules, first: Word, second: Word) -> tuple[Word, Word]:
    """Return the words of the same position with the other side to move."""
    raise missing(handed_over, rules)


@generic
def outcome(rules: PlainRules, first: Word, second: Word) -> int:
    """Return the side to move's score in a position in which neither side can move."""
    raise missing(outcome, rules)


@generic
def left(rules: PlainRules, first: Word, second: Word) -> int:
    """Return an upper bound on the number of moves, without passes, that can follow. A move lowers the bound by one."""
    raise missing(left, rules)


@generic
def key_words(rules: PlainRules) -> int:
    """Return the number of words in a key of `key_of`: 1 or 2."""
    raise missing(key_words, rules)


@generic
def key_of(rules: PlainRules, first: Word, second: Word) -> tuple[Word, Word]:
    """Return the key of a position: two words that only this position and its mirror images share. The second word is 0
    if `key_words` is 1."""
    raise missing(key_of, rules)


@generic
def position_of(rules: PlainRules, key: Word, key_rest: Word) -> tuple[Word, Word]:
    """Return the two words of a position that has the key (`key`, `key_rest`).

    Symmetric positions share a key. Which of them is returned depends on the key alone.
    """
    raise missing(position_of, rules)
