"""The record of one searching worker: its options, counters and stacks.

Everything that does not select compiled code is a field here, read at run time. Only the types
of game, evaluation and probe make another compilation.
"""

import numpy as np

from outflank.games.hints import FEATURES, STAGES
from outflank.games.rules import MOVE
from outflank.kernels.record_types import record_type
from outflank.search.stopping import HEARING

ROOM = 1 << 14
"""Moves on the line that a worker is in."""

PLIES = 128
"""The longest line."""

ASKED = 8
"""Positions that are looked up together."""

CODES = 1 << 13
"""Codes of moves that the history keeps apart; larger ones share."""

PASS_FREE, PASS_PLY, PASS_EVALUATES = 0, 1, 2
"""What a pass costs: nothing, a ply, or the node is evaluated at once."""

SORT_NONE, SORT_BEST, SORT_ALL = 0, 1, 2
"""How moves are ordered: as generated, the most promising one first, or all of them, each when it is its turn."""

SORT_INSERTION, SORT_BACKWARDS, SORT_MERGE, SORT_HEAP = 3, 4, 5, 6
"""All of them before the first is tried: see `sorting`."""

WORKER = record_type(
    {
        **HEARING,  # when to stop
        # counters
        "nodes": np.int64,  # positions entered, leaves included
        "leaves": np.int64,  # positions evaluated
        "estimates": np.int64,  # leaves that were not the end of a game
        "lookups": np.int64,
        "hits": np.int64,  # positions the table knew
        "cuts": np.int64,  # and those it made an end of
        "foreign_hits": np.int64,  # those of the hits that another node of a cluster had found
        "foreign_cuts": np.int64,
        "cutoffs": np.int64,  # nodes ended by a move that was too good
        "first_cutoffs": np.int64,  # and those where it was the first move tried
        # options
        "pass_rule": np.int64,
        "quiescence": np.int64,  # plies of noisy moves beyond the depth
        "scout": np.int64,  # principal variation search
        "table": np.int64,  # address of the table; 0: none
        "table_shift": np.int64,
        "table_from": np.int64,  # depth from which it is asked
        "at_least": np.int64,  # entries of greater depth may end a search too
        "canonical": np.int64,  # symmetric positions share an entry
        "age": np.int64,
        "selectivity_index": np.int64,  # how selective the search is (`selective`); 0: not at all
        "margins": np.int64,  # address of how far a shallow search must be off a window for it to count; 0: none does
        "realm": np.int64,  # added to the depth of entries: `PROVED` where the game is played out
        "workspace": np.int64,  # address of what the game's own kernels of endings need; 0: nothing
        "outbox": np.int64,  # address of the ring for entries that others are told of; 0: none
        "send_from": np.int64,  # depth from which they are told
        "send_within": np.int64,  # and the ply up to which
        "sorting": np.int64,
        "sort_at": np.int64,  # address of `sort_moves`, where the moves are sorted before the first is tried
        "sort_from": np.int64,  # depth from which moves are ordered
        "killers": np.int64,  # whether each is used
        "history": np.int64,
        "jitter": np.int64,  # not 0: moves that look alike are tried in another order, one for each number
        "exact_order": np.int64,  # whether moves are ordered as the game's exact play has it, not by the weights
        "estimate_order": np.int64,  # whether they are ordered by the evaluation of a short look at each
        "staged": np.int64,  # whether the weights change with the stage of the game
        "weights": (np.int64, (STAGES, FEATURES)),
        # stacks and memories
        "line_length": (np.int64, PLIES),
        "line": (MOVE, (PLIES, PLIES)),
        "killer": (MOVE, (PLIES, 2)),
        "moves": (MOVE, ROOM),
        "scores": (np.int64, ROOM),
        "asked": (np.uint64, (ASKED, 2)),  # positions that are looked up together
        "past": (np.int64, CODES),
    },
)

COUNTERS = (
    "nodes",
    "leaves",
    "estimates",
    "lookups",
    "hits",
    "cuts",
    "foreign_hits",
    "foreign_cuts",
    "cutoffs",
    "first_cutoffs",
)
"""The fields that count."""

_FIRST_STACK = "line_length"

SETTINGS = (*tuple(WORKER.names or ())[: (WORKER.names or ()).index(_FIRST_STACK)], "killer")
"""The fields that say what a worker does, and those that count: all but its stacks and memories; of these the killers,
which are none at first."""
