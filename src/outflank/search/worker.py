"""The record of a search worker: its options, counters, move stack and principal variations.

Options are fields that kernels read at run time. A kernel is compiled again only for another type of game, evaluation
or probe.
"""

from typing import TypeAlias

import numpy as np

from outflank.games.hints import FEATURES, STAGES
from outflank.games.rules import MOVE
from outflank.kernels.record_types import Record, record_type
from outflank.search.stopping import STOP_FIELDS

ROOM = 1 << 14
"""Capacity of a worker's move stack: the moves of all nodes on its current line."""

PLIES = 128
"""Maximum number of plies of a line."""

LOOKUP_GROUP = 8
"""Number of positions that are prefetched and then looked up in the table together."""

CODES = 1 << 13
"""Number of slots of the history table; a move's slot is its code modulo this number."""

PASS_FREE, PASS_PLY, PASS_EVALUATES = 0, 1, 2
"""Cost of a pass: no ply; one ply; or the node is evaluated at once."""

SORT_NONE, SORT_BEST, SORT_ALL = 0, 1, 2
"""Ways to order moves: as generated; only the most promising move first; or all moves, by repeated selection of the
next best move."""

SORT_INSERTION, SORT_BACKWARDS, SORT_MERGE, SORT_HEAP = 3, 4, 5, 6
"""Ways to sort all moves before the first move is tried (`ordering.sort_moves`)."""

WORKER = record_type(
    {
        **STOP_FIELDS,  # fields that serve to stop the worker
        # counters
        "nodes": np.int64,  # positions entered, leaves included
        "leaves": np.int64,  # positions evaluated
        "estimates": np.int64,  # leaves that were not the end of a game, and guesses of selective searches
        "lookups": np.int64,
        "hits": np.int64,  # look-ups that found a value
        "cuts": np.int64,  # nodes cut off by a table entry
        "foreign_hits": np.int64,  # hits on entries of another node of a cluster
        "foreign_cuts": np.int64,
        "cutoffs": np.int64,  # nodes cut off by a move
        "first_cutoffs": np.int64,  # nodes cut off by the first move tried
        # options
        "pass_rule": np.int64,
        "quiescence": np.int64,  # plies of noisy moves beyond the depth
        "scout": np.int64,  # not 0: principal variation search
        "table": np.int64,  # address of the table; 0: none
        "table_shift": np.int64,
        "table_from": np.int64,  # remaining depth from which the table is queried
        "at_least": np.int64,  # not 0: entries of greater depth cut off nodes too
        "canonical": np.int64,  # not 0: symmetric positions share an entry
        "age": np.int64,
        "selectivity_index": np.int64,  # selectivity of the search (`selective`); 0: not selective
        "margins": np.int64,  # address of the record `MARGINS`; 0: none
        "realm": np.int64,  # added to the depth of entries: `PROVED` in exact searches, else 0
        "workspace": np.int64,  # address of the memory of the game's endgame kernels; 0: none
        "outbox": np.int64,  # address of the ring for entries to send; 0: none
        "send_from": np.int64,  # minimum depth of entries to send
        "send_within": np.int64,  # maximum ply of entries to send
        "sorting": np.int64,
        "sort_at": np.int64,  # address of `sort_moves`, if moves are sorted before the first is tried
        "sort_from": np.int64,  # remaining depth from which moves are ordered
        "killers": np.int64,  # whether killers are used
        "history": np.int64,  # whether the history is used
        "jitter": np.int64,  # not 0: seed that varies the order of moves with similar scores
        "exact_order": np.int64,  # whether moves are ordered for exact play, not by the weights
        "estimate_order": np.int64,  # whether the evaluation takes part in move ordering
        "staged": np.int64,  # whether the weights change with the stage of the game
        "weights": (np.int64, (STAGES, FEATURES)),
        # stacks and memories
        "line_length": (np.int64, PLIES),
        "line": (MOVE, (PLIES, PLIES)),
        "killer": (MOVE, (PLIES, 2)),
        "moves": (MOVE, ROOM),
        "scores": (np.int64, ROOM),
        "asked": (np.uint64, (LOOKUP_GROUP, 2)),  # positions that are looked up together
        "past": (np.int64, CODES),
    },
)

Worker: TypeAlias = Record
"""A record of type `WORKER`."""

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
"""Names of the fields of a `WORKER` record that are counters."""

_FIRST_STACK = "line_length"

SETTINGS = (*tuple(WORKER.names or ())[: (WORKER.names or ()).index(_FIRST_STACK)], "killer")
"""Fields that are copied from the first worker's record to the records of all other workers: settings, counters and
killers. All other fields are 0 at first."""
