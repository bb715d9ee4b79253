"""State of a simulated cluster whose nodes steal from each other: nodes, their stacks and deques, and pending events.

All times are in nanoseconds, as integers, so that a seed gives the same run on every machine.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.games.rules import MOVE
from outflank.kernels.compiler import inner
from outflank.kernels.record_types import Record, Records, allocate, record_type

MOST_MOVES = 64
"""Number of moves for which a frame has room."""

STACK = 512
"""Number of frames for which the stack of a node has room."""

RESERVE = 64
"""Free frames that a node needs to steal: a stolen job opens at most one frame for each ply that it has left."""

BEGIN, LOOKED_UP, SERIAL, SYNC, RETURN, LEAVE = range(6)
"""Phases of a frame: not begun; its table entry has been requested from another node; about to call one of its first
moves, or to spawn the other moves; waiting for spawned moves; done, with a value to store and to send; about to leave
the stack."""

REVERSE, FORWARD, IN_ORDER = range(3)
"""Orders in which moves are spawned: the last move first; the earliest move first; or in order, so that a node that
takes a job gets the earliest move of the position that no node has taken."""

OPEN, CUT, ALL = range(3)
"""Expected result of a frame: its window is open, so that its value is needed; or it has a null window, and a cut-off
is expected, or none."""

UNBORN, QUEUED, RUNNING, DELIVERED = -1, -2, -3, -4
"""States of a move in `frame.thief`. For a stolen move, this field has the number of the thief instead."""

READY, RESULT, ABORT, REQUEST, REPLY, ENTRIES, ENTRY = range(7)
"""Kinds of events: a node has finished an action; or a message arrives: the value of a stolen job, the order to give up
a stolen job, a thief's request, the victim's reply, table entries for a private table, or an entry for the distributed
table."""

TIME, ORDER, KIND, PLACE, EVENT_FIELDS = 0, 1, 2, 3, 8
"""Columns of an event: its time, a number that orders events of the same time, its kind, and the node that it concerns.
The other columns depend on the kind."""

FRAME = record_type(
    {
        "first": np.uint64,  # the two words of the position
        "second": np.uint64,
        "alpha": np.int64,
        "beta": np.int64,
        "depth": np.int64,
        "ply": np.int64,
        "left": np.int64,  # depth below its moves
        "phase": np.int64,
        "uid": np.int64,  # number of the frame on its node, which no other frame has
        "parent": np.int64,  # index of the frame on the same stack that waits for its value; -1: on another node
        "child": np.int64,  # index of its move in the frame that waits
        "origin": np.int64,  # node of the frame that waits, if it was stolen, with that frame's index and number
        "origin_frame": np.int64,
        "origin_uid": np.int64,
        "dead": np.int64,  # not 0: nobody needs its value any more
        "best": np.int64,
        "best_move": np.int64,
        "expected": np.int64,  # expected result: `OPEN`, `CUT` or `ALL`
        "count": np.int64,
        "begun": np.int64,  # moves called before the others are spawned
        "outstanding": np.int64,  # spawned moves without a value
        "moves": (MOVE, MOST_MOVES),
        "thief": (np.int64, MOST_MOVES),  # state of each move
        "ceiling": (np.int64, MOST_MOVES),  # upper end of the window in which each move is searched
        "is_better": (np.int64, MOST_MOVES),  # not 0: a null window has shown that the move beats the best
        "held_by": np.int64,  # move that is searched again while the others wait; -1: none
    }
)
"""A tree node on the stack of a cluster node: either divided into its moves, or searched sequentially."""

NODE = record_type(
    {
        "height": np.int64,  # frames on its stack
        "version": np.int64,  # `READY` events with another version are obsolete
        "busy": np.int64,  # not 0: busy until the time `until`
        "until": np.int64,
        "searching": np.int64,  # tree nodes of the sequential search that it is busy with
        "owed": np.int64,  # time of short actions, by which its next longer action is extended
        "uids": np.int64,  # frames so far
        "head": np.int64,  # oldest job of its deque, which is stolen first
        "tail": np.int64,
        # the stolen job that is on its way to this node; `in_owner` -1: none
        "in_owner": np.int64,
        "in_frame": np.int64,
        "in_uid": np.int64,
        "in_child": np.int64,
        "in_first": np.uint64,
        "in_second": np.uint64,
        "in_alpha": np.int64,
        "in_beta": np.int64,
        "in_depth": np.int64,
        "in_ply": np.int64,
        "in_expected": np.int64,
        # totals
        "boards": np.int64,
        "spawns": np.int64,
        "tried": np.int64,  # steal requests, also those in vain
        "won": np.int64,
        "aborted": np.int64,  # frames given up
        "updates": np.int64,  # broadcasts of table entries
        "sent": np.int64,  # table entries in them
        "sending": np.int64,  # time that these broadcasts took
        "receiving": np.int64,  # time that table entries of others took
        "looking_up": np.int64,  # time of look-ups in the parts of the distributed table on other nodes
    }
)

MACHINE = record_type(
    {
        # costs, in nanoseconds
        "board": np.int64,  # a tree node
        "spawn": np.int64,
        "latency": np.int64,  # any message, one way
        "send": np.int64,  # an update, to one node, for its sender
        "send_entry": np.int64,  # in addition for each entry
        "receive": np.int64,  # an update, for its receiver
        "receive_entry": np.int64,
        # the program
        "threshold": np.int64,
        "null_windows": np.int64,  # not 0: principal variation search
        "serial_moves": (np.int64, 3),  # moves called before the others are spawned, by the expected result
        "spawn_order": np.int64,  # `REVERSE`, `FORWARD` or `IN_ORDER`
        "batch": np.int64,  # entries of an update
        "waits": np.int64,  # not 0: the sender waits until a node has received an update
        "table": np.int64,  # address of the distributed table; 0: there is none
        "table_shift": np.int64,
        # state
        "now": np.int64,
        "events": np.int64,
        "order": np.int64,
        "pooled": np.int64,  # entries put into `pool` so far
        "random": np.uint64,
        "finished": np.int64,  # not 0: the root has its value
    }
)


class ClusterState(NamedTuple):
    """The memory of a simulated cluster."""

    machine: Record
    nodes: Records
    frames: Records
    """`STACK` frames for each node."""
    jobs: npt.NDArray[np.int64]
    """The deque of each node. A row has the index of a frame on the stack, the frame's number, and a move's index."""
    events: npt.NDArray[np.int64]
    """Pending events, as a binary heap."""
    pool: npt.NDArray[np.uint64]
    """Ring buffer of the table entries of updates that have not arrived everywhere."""


def new_state(count: int, batch: int) -> ClusterState:
    """Return the state of `count` idle nodes that send updates of `batch` entries."""
    nodes = allocate(NODE, count)
    nodes["in_owner"] = -1
    return ClusterState(
        machine=allocate(MACHINE, 1)[0],
        nodes=nodes,
        frames=allocate(FRAME, count * STACK),
        jobs=np.zeros((count, STACK * MOST_MOVES, 3), np.int64),
        events=np.zeros((1 << 18, EVENT_FIELDS), np.int64),
        pool=np.zeros((max(1 << 16, 4 * count * batch), 3), np.uint64),
    )


@inner
def schedule(
    state: ClusterState, time: int, kind: int, node: int, first: int, second: int, third: int, fourth: int
) -> None:
    """Add an event."""
    machine, events = state.machine, state.events
    place = machine.events
    machine.events += 1
    machine.order += 1
    while place > 0:
        above = (place - 1) >> 1
        if events[above, TIME] <= time:
            break
        for field in range(EVENT_FIELDS):
            events[place, field] = events[above, field]
        place = above
    events[place, TIME], events[place, ORDER], events[place, KIND] = time, machine.order, kind
    events[place, PLACE] = node
    events[place, 4], events[place, 5], events[place, 6], events[place, 7] = first, second, third, fourth


@inner
def next_event(state):
    """Remove the earliest event, advance the time to it, and return its kind, node and four details."""
    machine, events = state.machine, state.events
    machine.now = events[0, TIME]
    kind, node = events[0, KIND], events[0, PLACE]
    first, second, third, fourth = events[0, 4], events[0, 5], events[0, 6], events[0, 7]
    machine.events -= 1
    size, place = machine.events, 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and _is_earlier(events, below + 1, below):
            below += 1
        if not _is_earlier(events, below, size):
            break
        for field in range(EVENT_FIELDS):
            events[place, field] = events[below, field]
        place = below
    for field in range(EVENT_FIELDS):
        events[place, field] = events[size, field]
    return kind, node, first, second, third, fourth


@inner
def _is_earlier(events, first, second):
    if events[first, TIME] != events[second, TIME]:
        return events[first, TIME] < events[second, TIME]
    return events[first, ORDER] < events[second, ORDER]


@inner
def random_below(machine, limit):
    """Return a random number from 0 to `limit` - 1, by Marsaglia's xorshift."""
    word = machine.random
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    machine.random = word
    return np.int64((word >> np.uint64(33)) % np.uint64(limit))
