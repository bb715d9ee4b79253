"""The record of one searching worker: its options, counters and stacks.

Everything that does not select compiled code is a field here, read at run time. Only the types
of game, evaluation and probe make another compilation.
"""

from typing import Any

import numpy as np

from outflank.games.hints import FEATURES
from outflank.games.rules import MOVE
from outflank.kernels.atomics import load
from outflank.kernels.compiler import inner
from outflank.kernels.records import record_type

ROOM = 1 << 14
"""Moves on the line that a worker is in."""

PLIES = 128
"""The longest line."""

CODES = 1 << 13
"""Codes of moves that the history keeps apart; larger ones share."""

PASS_FREE, PASS_PLY, PASS_EVALUATES = 0, 1, 2
"""What a pass costs: nothing, a ply, or the node is evaluated at once."""

SORT_NONE, SORT_BEST, SORT_ALL = 0, 1, 2
"""How moves are ordered: as generated, the most promising one first, or all of them."""

POLL_NODES = 4096
"""Nodes between two looks at the stop flag: some hundred microseconds."""

WORKER = record_type(
    {
        # what others write
        "stop": np.int64,  # not 0: come back at once
        # counters
        "nodes": np.int64,  # positions entered, leaves included
        "leaves": np.int64,  # positions evaluated
        "estimates": np.int64,  # leaves that were not the end of a game
        "lookups": np.int64,
        "hits": np.int64,  # positions the table knew
        "cuts": np.int64,  # and those it made an end of
        "aborted": np.int64,  # the last search was stopped: its value is worthless
        "poll_at": np.int64,  # nodes at which to look at the stop flag again
        "node_limit": np.int64,
        # options
        "pass_rule": np.int64,
        "quiet": np.int64,  # plies of noisy moves beyond the depth
        "scout": np.int64,  # principal variation search
        "table": np.int64,  # address of the table; 0: none
        "table_shift": np.int64,
        "table_from": np.int64,  # depth from which it is asked
        "at_least": np.int64,  # entries of greater depth may end a search too
        "canonical": np.int64,  # symmetric positions share an entry
        "age": np.int64,
        "sort": np.int64,
        "sort_from": np.int64,  # depth from which moves are ordered
        "killers": np.int64,  # whether each is used
        "history": np.int64,
        "weights": (np.int64, FEATURES),
        # stacks and memories
        "line_length": (np.int64, PLIES),
        "line": (MOVE, (PLIES, PLIES)),
        "killer": (MOVE, (PLIES, 2)),
        "moves": (MOVE, ROOM),
        "scores": (np.int64, ROOM),
        "past": (np.int64, CODES),
    },
    apart=("stop",),
)


@inner
def stopped(worker: Any) -> Any:
    """Whether the search must end; looks at the flag only every `POLL_NODES` nodes."""
    if worker.aborted != 0:
        return True
    if worker.nodes >= worker.poll_at:
        worker.poll_at = worker.nodes + POLL_NODES
        if load(worker, "stop", "relaxed") != 0 or worker.nodes >= worker.node_limit:
            worker.aborted = 1
            return True
        if worker.poll_at > worker.node_limit:
            worker.poll_at = worker.node_limit
    return False
