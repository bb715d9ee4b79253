"""What a checker of proofs asks of a game: its rules, written a second time.

A proof is worth as much as the rules that it was checked by. So these are not the ones that searches use
(`games.rules`): a game writes them apart, as plainly as it can, and nothing is shared but the words of a position
(`rules.pack`) and the codes of moves, which are below 256 here. A game that has them names them in its description
(`GameDescription.plain_rules`).

`rules` is a small `NamedTuple` whose type selects the bodies. A position is two words, as the side to move sees it.
"""

from typing import Any

import numpy as np

from outflank.kernels.generic import generic, missing
from outflank.kernels.record_types import record_type

ROOM = 1 << 12
"""Moves on the line that a checker is in."""

CHILDREN = record_type(
    {
        "nodes": np.int64,  # positions entered
        "moves": (np.uint8, ROOM),
        "first": (np.uint64, ROOM),  # the words of the position after each
        "second": (np.uint64, ROOM),
        "replies": (np.int64, ROOM),
    }
)
"""Where a checker keeps the moves of the positions that it is in, and what they lead to."""


@generic
def expand(rules: Any, first: Any, second: Any, children: Any, start: Any) -> Any:
    """Write each legal move, a pass not being one, and the position after it to `children`; from `start` to the
    returned end."""
    raise missing(expand, rules)


NONE = -1
"""No place."""


@generic
def next_child(rules: Any, first: Any, second: Any, place: Any) -> Any:
    """The same one by one, for who may not need all: from a place, 0 at first, the next one, and the words of the
    position after the move there; `NONE` instead of a place if there is no other move."""
    raise missing(next_child, rules)


@generic
def can_move(rules: Any, first: Any, second: Any) -> Any:
    """Whether `expand` would write any."""
    raise missing(can_move, rules)


@generic
def handed_over(rules: Any, first: Any, second: Any) -> Any:
    """The words of the same position with the other side to move."""
    raise missing(handed_over, rules)


@generic
def outcome(rules: Any, first: Any, second: Any) -> Any:
    """What the side to move has won where neither can move."""
    raise missing(outcome, rules)


@generic
def left(rules: Any, first: Any, second: Any) -> Any:
    """How many moves can follow, passes not counted: one less after each."""
    raise missing(left, rules)


@generic
def key_words(rules: Any) -> Any:
    """How many words a key has: 1 or 2."""
    raise missing(key_words, rules)


@generic
def key_of(rules: Any, first: Any, second: Any) -> Any:
    """Two words that this position and its mirror images have in common, and no other has; the second is 0 where keys
    have one."""
    raise missing(key_of, rules)


@generic
def position_of(rules: Any, one: Any, two: Any) -> Any:
    """The words of the position, of those with this key, that stands for all of them."""
    raise missing(position_of, rules)
