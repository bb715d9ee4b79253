"""The rules of a game as a proof checker needs them, written a second time.

A proof is only as good as the rules that it was checked by. So these are not the rules that searches use
(`games.rules`): a game has a second, separate implementation, as plain as possible, and nothing is shared but the words
of a position (`rules.pack`) and the codes of moves, which are below 256 here. A game with such rules names them in its
description (`GameDescription.plain_rules`).

`rules` is a small `NamedTuple` whose type selects the bodies. A position is two words, as the side to move sees it.
"""

from typing import Any, TypeAlias

import numpy as np

from outflank.kernels.bits import Word
from outflank.kernels.generic import generic, missing
from outflank.kernels.record_types import Record, record_type

PlainRules: TypeAlias = Any
"""The plain rules of any game: a `NamedTuple` whose type selects the bodies."""

ROOM = 1 << 12
"""The number of moves that a checker's stack can hold."""

CHILDREN = record_type(
    {
        "nodes": np.int64,  # positions entered
        "moves": (np.uint8, ROOM),
        "first": (np.uint64, ROOM),  # the words of the position after each
        "second": (np.uint64, ROOM),
        "replies": (np.int64, ROOM),
    }
)
"""A checker's stack: the moves of the positions on the current line, and the positions after them."""


@generic
def expand(rules: PlainRules, first: Word, second: Word, children: Record, start: int) -> int:
    """Write each legal move, except passes, and the position after it to `children` from `start` on; return the end."""
    raise missing(expand, rules)


NONE = -1
"""The end of the moves."""


@generic
def next_child(rules: PlainRules, first: Word, second: Word, place: int) -> tuple[int, Word, Word]:
    """Return the next place at or after `place` (0 at first), and the words of the position after the move there;
    `NONE` instead of a place if there is no further move. Like `expand`, but one move at a time."""
    raise missing(next_child, rules)


@generic
def can_move(rules: PlainRules, first: Word, second: Word) -> bool:
    """Return whether `expand` would write any move."""
    raise missing(can_move, rules)


@generic
def handed_over(rules: PlainRules, first: Word, second: Word) -> tuple[Word, Word]:
    """Return the words of the same position with the other side to move."""
    raise missing(handed_over, rules)


@generic
def outcome(rules: PlainRules, first: Word, second: Word) -> int:
    """Return the score of the side to move where neither side can move."""
    raise missing(outcome, rules)


@generic
def left(rules: PlainRules, first: Word, second: Word) -> int:
    """Return how many moves can follow, passes not counted: the number falls by one with each move."""
    raise missing(left, rules)


@generic
def key_words(rules: PlainRules) -> int:
    """Return how many words a key has: 1 or 2."""
    raise missing(key_words, rules)


@generic
def key_of(rules: PlainRules, first: Word, second: Word) -> tuple[Word, Word]:
    """Return two words that are the same for this position and its mirror images, and for no other position; the second
    is 0 where keys have one word."""
    raise missing(key_of, rules)


@generic
def position_of(rules: PlainRules, key: Word, key_rest: Word) -> tuple[Word, Word]:
    """Return the words of the position that represents all positions with the key (`key`, `key_rest`)."""
    raise missing(position_of, rules)
