"""The records that workers share: the crew's own record, a hand for each worker, and frames, the split points.

Words that several workers write are atomics. Each other word has one writer, and is published by the atomic that hands
it over: a push on a deque, or the count of workers inside a frame.
"""

from typing import TypeAlias

import numpy as np

from outflank.games.rules import MOVE, MoveCode
from outflank.kernels.atomics import compare_exchange, exchange, load
from outflank.kernels.bits import U64, Int
from outflank.kernels.compiler import inner
from outflank.kernels.memory import read_word, record_at
from outflank.kernels.record_types import Record, record_type
from outflank.search.stopping import LIFELINE
from outflank.search.worker import PLIES

Crew: TypeAlias = Record
"""A record of type `CREW`: the settings and the state that all workers share."""

Hand: TypeAlias = Record
"""A record of type `HAND`: the state of one worker."""

Frame: TypeAlias = Record
"""A record of type `FRAME`: a split point."""

CAPACITY = 256
"""Capacity of a worker's deque of permits to join split points. The deque seldom holds more than one permit for each
split point on the worker's current line."""

CREW = record_type(
    {
        # addresses and sizes
        "hands": np.int64,  # address of the first hand
        "count": np.int64,  # number of workers
        "bell": np.int64,
        "room": np.int64,  # moves that a frame has room for
        # how the tree is divided
        "threshold": np.int64,  # nodes with this many plies left, or fewer, are not split
        "levels": np.int64,  # nodes this many plies from the root, or more, are not split
        "eldest_first": np.int64,  # whether a frame's first moves are searched before the others are offered
        "serial_moves": np.int64,  # number of moves searched first if the window is open
        "serial_moves_at_cut": np.int64,  # number of moves searched first if one should cut the frame off
        "serial_moves_at_all": np.int64,  # number of moves searched first if none should cut the frame off
        "near_leaves": np.int64,  # with this many plies left, or fewer, one move less is searched first
        "wait_while_improving": np.int64,  # whether the other moves wait while each move beats the best
        "leftmost": np.int64,  # whether only nodes on the leftmost line become frames
        "scout": np.int64,  # whether later moves are searched with a null window first
        "in_order": np.int64,  # whether moves that beat their scout wait for their elder brothers
        "hold": np.int64,  # whether a frame is closed to others while a move that beat its scout is searched
        "share_alpha": np.int64,  # whether a move's value narrows the windows of the others
        "prune": np.int64,  # alpha-beta below the frames; 0: minimax
        "lot": np.int64,  # moves handed out at a time; or `IN_ADVANCE` or `ROWS`
        "stepwise": np.int64,  # for simulations: a worker returns after each step, and its next step is in its hand
        "stumble": np.int64,  # for tests: where there are races, yield the core once in this many times; 0: never
        # words that change during a search
        "open": np.int64,  # not 0: a root is being searched; table-driven schemes store the episode
        "over": np.int64,  # not 0: the helpers' threads end
        "sleepers": np.int64,
        "wake": np.int64,  # sleepers wait for this word to change
        "news": np.int64,  # number of ended jobs of other processes, and of messages about them (`crew_exchange`)
    },
    own_lines=("open", "over", "sleepers", "wake", "news"),
)

HAND = record_type(
    {
        # the deque: thieves write `top`, the owner `bottom`
        "top": np.int64,
        "bottom": np.int64,
        "returned": np.int64,  # list of this worker's frames that others have returned
        "idle": np.int64,  # whether the worker holds no work
        "permits": (np.int64, CAPACITY),
        # only the owner writes the following
        "id": np.int64,
        "free": np.int64,  # list of unused frames
        "random": np.uint64,
        # the worker's current job: a position, its window, and its move at a split point
        "first": np.uint64,
        "second": np.uint64,
        "depth": np.int64,
        "ply": np.int64,
        "alpha": np.int64,
        "beta": np.int64,
        "frame": np.int64,  # address of the frame that the job belongs to
        "index": np.int64,  # index of the move in the frame
        "until": np.int64,  # end of the lot: the moves before this index are taken together
        "leftmost": np.int64,
        "expected": np.int64,  # expected result, as in a frame
        "holding": np.int64,  # whether the frame is held for the move, which beat its scout
        "step": np.int64,  # the next step, if the crew works stepwise
        "value": np.int64,
        "valid": np.int64,
        "line_length": np.int64,  # length of the principal variation from that position; 0: unknown
        "line": (MOVE, PLIES),
        # statistics
        "busy_ns": np.int64,
        "since": np.int64,  # time at which the worker last became busy
        "wasted": np.int64,
        "spawned": np.int64,
        "executed": np.int64,
        "stolen": np.int64,
        "tries": np.int64,
        "steals": np.int64,
        "sent": np.int64,
        "obeyed": np.int64,
        "frames": np.int64,  # frames taken from a pool
        "released": np.int64,
        "shortages": np.int64,  # nodes that were not divided because the pool was empty
    },
    own_lines=("top", "bottom", "returned", "idle"),
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
        # the frame's lifeline: these four words must come first
        "cut": np.int64,  # not 0: the frame's value is known, workers still inside must leave
        "above": np.int64,  # address of the frame whose move leads here; 0: the root
        "held": np.int64,  # 1 + the index of a move that beat its scout and is being searched; 0: none
        "index": np.int64,  # index of the move in the frame above
        # written by the worker that opens the frame
        "first": np.uint64,
        "second": np.uint64,
        "depth": np.int64,
        "left": np.int64,  # depth below the frame's moves
        "ply": np.int64,
        "alpha": np.int64,
        "beta": np.int64,
        "until": np.int64,
        "holding": np.int64,  # whether the frame above is held for this move
        "leftmost": np.int64,
        "expected": np.int64,  # expected result: `OPEN`, `CUT` or `ALL`
        "count": np.int64,  # number of moves
        "opener": np.int64,  # the worker that offered the frame's moves; `NOT_OFFERED`: none has yet
        "owner": np.int64,  # the worker whose pool owns the frame
        "link": np.int64,  # the next frame on a list
        "in_turn": np.int64,  # not 0: moves that beat a scout are being searched one after the other
        # of a frame that stands for a job of another process (`crew_exchange`)
        "imported": np.int64,  # not 0: it stands for such a job; `first` and `second` are the job's position
        "value": np.int64,  # the job's value, from the point of view of the side to move in its position
        "finished": np.int64,  # not 0: the job has ended; its value is there unless `bad` is set
        # written by all workers inside
        "join": np.int64,  # number of permits and workers inside
        "key": np.int64,  # best value so far and its move's rank
        "next": np.int64,  # first move that no worker has taken
        "postponed": np.int64,  # number of moves given up for a move that held the frame
        "bad": np.int64,  # not 0: a part was given up, there will be no value
        # the principal variation, one writer at a time: only for values inside an open window
        "writing": np.int64,  # whether a worker is writing the line
        "line_key": np.int64,  # the key that the line belongs to
        "line_length": np.int64,
        "line": (MOVE, PLIES),
    },
    own_lines=("join", "key"),
)
"""A split point. Two rows of `room` words follow the record: the frame's moves with their ranks, and their values."""

RANK_BITS = 16
"""Number of bits of the rank in a key. A key is value · 2^16 + rank: if two keys have equal values, the key with the
higher rank is greater."""

RANK = (1 << RANK_BITS) - 1
"""Mask of the rank in a key."""

CODE = (1 << RANK_BITS) - 1
"""Mask of the move's code in a word that stores a split point's move. The move's rank is in the bits above."""

IN_ADVANCE, ROWS = 0, -1
"""Special values of `lot`, the number of moves handed out at a time. `IN_ADVANCE`: the whole share of a worker; `ROWS`:
the moves of one row of the board."""

OPEN, CUT, ALL = range(3)
"""Expected result of a split point: a value inside its window; a cut-off by its first move; no cut-off."""

DESCEND, DELIVER, TAKE, LEAVE, IDLE, OFFER, AWAY = range(7)
"""Steps of a worker: search its current position; deliver the value to its split point; take a move there; leave the
split point; find another one; offer a split point's moves and take one; end."""

WORD_OF = {name: place[1] // 8 for name, place in (FRAME.fields or {}).items()}
"""Index of the word at which each field of a frame begins."""

assert [WORD_OF[name] for name in LIFELINE] == list(range(len(LIFELINE))), "a lifeline begins every frame"

HAND_BYTES, FRAME_BYTES = HAND.itemsize, FRAME.itemsize

NOT_OFFERED = -1
"""Value of a split point's `opener` until its moves are offered."""

NOTHING = -(1 << 60)
"""Key (value and rank) that is less than every other."""

FAILED = 1 << 40
"""Mark in place of a move's value: it beat its scout and waits for its turn."""

POSTPONED = 1 << 41
"""Mark in place of a move's value: it was given up for another move, and will be taken again."""

SEARCHED = 1 << 42
"""Mark in place of a move's value: it was postponed, and has been taken again."""


@inner
def hand_of(crew: Crew, worker: int) -> Hand:
    """Return the `HAND` record of worker number `worker`."""
    return record_at(crew.hands + worker * HAND_BYTES, HAND)


@inner
def frame_at(address: int) -> Frame:
    """Return the `FRAME` record at an address."""
    return record_at(address, FRAME)


@inner
def moves_of(frame: int) -> int:
    """Return the address of the row of moves of the split point at address `frame`."""
    return frame + FRAME_BYTES


@inner
def move_at(frame: int, index: int) -> MoveCode:
    """Return move number `index` of the split point at address `frame`."""
    return MOVE(read_word(moves_of(frame), index) & U64(CODE))


@inner
def rank_at(frame: int, index: int) -> Int:
    """Return the rank of move number `index` of a split point. Of equal moves the one with the highest rank wins."""
    return np.int64(read_word(moves_of(frame), index) >> U64(RANK_BITS))


def frame_bytes(room: int) -> int:
    """Return the size in bytes of a `FRAME` record with room for `room` moves."""
    return -(-(FRAME_BYTES + 16 * room) // 128) * 128


# Memory for frames: each worker has a list of unused frames, and a second list on which others return its frames.
#
# The owner takes the second list whole when the first is empty, so that no single frame is taken from a list that
# another worker reads.


@inner
def take_frame(hand: Hand) -> Int:
    """Return the address of an unused `FRAME` record; 0: there is none, and the node is not split."""
    address = hand.free
    if address == 0:
        address = exchange(hand, "returned", 0)  # race: with a worker that reads the head, and will fail to replace it
        if address == 0:
            hand.shortages += 1
            return address
    hand.free = frame_at(address).link
    hand.frames += 1
    return address


@inner
def release(crew: Crew, hand: Hand, address: int) -> None:
    """Return a `FRAME` record to the pool of its owner, once no worker is inside."""
    frame = frame_at(address)
    hand.released += 1
    if frame.owner == hand.id:
        frame.link = hand.free
        hand.free = address
        return
    owner = hand_of(crew, frame.owner)
    while True:
        head = load(owner, "returned", "relaxed")  # race: the compare-exchange fails if the head has changed
        frame.link = head
        if compare_exchange(owner, "returned", head, address):  # race: with others that read the head
            break
