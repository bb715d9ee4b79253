"""What workers share: the crew's own record, a hand for each worker, and frames, the split points.

Words that several workers write are atomics; the others have one writer, and are published by
the atomic that hands them over (a push on a deque, a count of those still inside).
"""

from typing import Any

import numpy as np

from outflank.games.rules import MOVE
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.kernels.memory import read_word, record_at
from outflank.kernels.record_types import record_type
from outflank.search.stopping import LIFELINE
from outflank.search.worker import PLIES

CAPACITY = 256
"""Permits on a worker's deque: seldom more than one for each split point on the line that it is in."""

CREW = record_type(
    {
        # where the others are
        "hands": np.int64,  # address of the first
        "count": np.int64,  # workers
        "bell": np.int64,
        "room": np.int64,  # moves that a frame has room for
        # how the tree is divided
        "threshold": np.int64,  # no frame with so many plies left, or fewer
        "levels": np.int64,  # no frame so many plies from the root, or more
        "eldest_first": np.int64,  # whether a frame's first move is searched before the others are offered
        "serial_moves": np.int64,  # how many are, where the window is open
        "serial_moves_at_cut": np.int64,  # and where one of them should cut the frame off
        "serial_moves_at_all": np.int64,  # and where none should
        "near_leaves": np.int64,  # with so many plies left, or fewer, one less is
        "wait_while_improving": np.int64,  # whether the others also wait until one has not beaten the best before it
        "leftmost": np.int64,  # whether only nodes on the leftmost line become frames
        "scout": np.int64,  # whether later moves are asked with a null window first
        "in_order": np.int64,  # whether those that beat it wait for their elder brothers
        "hold": np.int64,  # whether a frame is closed to others while a move that beat its scout is searched
        "share_alpha": np.int64,  # whether a move's value narrows the windows of the others
        "prune": np.int64,  # alpha-beta below the frames; 0: minimax
        "lot": np.int64,  # moves handed out at a time, or one of the two below
        "stumble": np.int64,  # for tests: give up the core at one delicate place in so many; 0: never
        # what changes
        "open": np.int64,  # whether a root is being searched
        "over": np.int64,  # the workers may go home
        "sleepers": np.int64,
        "wake": np.int64,  # sleepers wait for it to change
    },
    apart=("open", "over", "sleepers", "wake"),
)

HAND = record_type(
    {
        # the deque: thieves write `top`, the owner `bottom`
        "top": np.int64,
        "bottom": np.int64,
        "returned": np.int64,  # frames of this worker's that others have given back, as a list
        "idle": np.int64,  # whether the worker has nothing
        "permits": (np.int64, CAPACITY),
        # the owner's alone from here on
        "id": np.int64,
        "free": np.int64,  # frames, as a list
        "random": np.uint64,
        # the job in hand: a position, what is asked of it, and whose move it is
        "first": np.uint64,
        "second": np.uint64,
        "depth": np.int64,
        "ply": np.int64,
        "alpha": np.int64,
        "beta": np.int64,
        "frame": np.int64,  # the split point that it belongs to
        "index": np.int64,  # of the move there
        "until": np.int64,  # the moves before this one go with it
        "leftmost": np.int64,
        "expected": np.int64,  # of the position
        "holding": np.int64,  # it beat its scout, and the frame is closed meanwhile
        "value": np.int64,
        "valid": np.int64,
        "line_length": np.int64,  # of the principal variation from the position in hand on; 0: not known
        "line": (MOVE, PLIES),
        # statistics
        "busy_ns": np.int64,
        "since": np.int64,  # when it last became busy
        "wasted": np.int64,
        "spawned": np.int64,
        "executed": np.int64,
        "stolen": np.int64,
        "tries": np.int64,
        "steals": np.int64,
        "sent": np.int64,
        "obeyed": np.int64,
        "frames": np.int64,  # taken from a pool
        "released": np.int64,
        "shortages": np.int64,  # nodes that were not divided because the pool was empty
    },
    apart=("top", "bottom", "returned", "idle"),
)

STATISTICS = (
    "busy_ns",
    "wasted",
    "spawned",
    "executed",
    "stolen",
    "tries",
    "steals",
    "sent",
    "obeyed",
    "frames",
    "released",
    "shortages",
)

FRAME = record_type(
    {
        # its lifeline: these four words must come first
        "cut": np.int64,  # not 0: its value is settled, whoever is still inside must leave
        "above": np.int64,  # the frame whose move this is; 0: the root
        "held": np.int64,  # 1 + the index of a move that beat its scout and is being searched; 0: none
        "index": np.int64,  # of the move in the frame above
        # written by the one who opens it
        "first": np.uint64,
        "second": np.uint64,
        "depth": np.int64,
        "left": np.int64,  # the depth below its moves
        "ply": np.int64,
        "alpha": np.int64,
        "beta": np.int64,
        "until": np.int64,
        "holding": np.int64,  # whether the frame above is held for this move
        "leftmost": np.int64,
        "expected": np.int64,  # one of the three below
        "count": np.int64,  # moves
        "opener": np.int64,  # the worker who offered its moves; `NOT_OFFERED`: nobody has yet
        "owner": np.int64,  # the worker whose pool it comes from
        "link": np.int64,  # the next one on a list
        "in_turn": np.int64,  # the moves that beat a scout are being searched, one after the other
        # written by all inside
        "join": np.int64,  # permits out and workers inside
        "key": np.int64,  # the best value so far and its move
        "next": np.int64,  # the first move that nobody has taken
        "postponed": np.int64,  # moves that were given up for the sake of one that held the frame
        "bad": np.int64,  # a part was given up: there will be no value
        # the principal variation, for one at a time: only where a value inside an open window is delivered
        "writing": np.int64,  # whether somebody is at it
        "line_key": np.int64,  # the key whose line it is
        "line_length": np.int64,
        "line": (MOVE, PLIES),
    },
    apart=("join", "key"),
)
"""Two rows of `room` words follow it: its moves with their ranks, and what was found of each."""

RANK_BITS = 16
"""A key is value · 2^16 + rank: the greatest is the best value, and among equals the highest rank."""

RANK = (1 << RANK_BITS) - 1
"""The part of a key that is the rank."""

CODE = (1 << RANK_BITS) - 1
"""The part of a word in a frame's row of moves that is the move; the rank is above it."""

IN_ADVANCE, ROWS = 0, -1
"""For `lot`: every worker gets its share at once; or the moves of one row of the board at a time."""

OPEN, CUT, ALL = range(3)
"""What is expected of a frame: a value inside its window; that its first move cuts it off; that no move does."""

DESCEND, DELIVER, TAKE, LEAVE, IDLE, OFFER, AWAY = range(7)
"""Steps: search the position in hand; bring its value to its frame; take a move of the frame; leave it;
find another; offer the frame's moves and take one; go home."""

WORD_OF = {name: place[1] // 8 for name, place in (FRAME.fields or {}).items()}
"""Which word of a frame a field is."""

assert [WORD_OF[name] for name in LIFELINE] == list(range(len(LIFELINE))), "a lifeline begins every frame"

HAND_BYTES, FRAME_BYTES = HAND.itemsize, FRAME.itemsize

NOT_OFFERED = -1
"""The opener of a frame whose moves nobody has offered yet."""

NOTHING = -(1 << 60)
"""Less than every key."""

FAILED = 1 << 40
"""Found of a move that beat its scout and waits for its turn."""

POSTPONED = 1 << 41
"""Found of a move that was given up for the sake of another, and will be taken again."""

SEARCHED = 1 << 42
"""Found of such a move once it has been taken."""


@inner
def hand_of(crew: Any, worker: Any) -> Any:
    """The hand of worker number `worker`."""
    return record_at(crew.hands + worker * HAND_BYTES, HAND)


@inner
def frame_at(address: Any) -> Any:
    """The frame at an address."""
    return record_at(address, FRAME)


@inner
def moves_of(frame: Any) -> Any:
    """The address of a frame's row of moves, from the frame's own address."""
    return frame + FRAME_BYTES


@inner
def move_at(frame: Any, index: Any) -> Any:
    """Move number `index` of the frame at an address."""
    return MOVE(read_word(moves_of(frame), index) & U64(CODE))


@inner
def rank_at(frame: Any, index: Any) -> Any:
    """Its rank among equal moves."""
    return np.int64(read_word(moves_of(frame), index) >> U64(RANK_BITS))


def frame_bytes(room: int) -> int:
    """The memory of a frame with room for so many moves."""
    return -(-(FRAME_BYTES + 16 * room) // 128) * 128
