"""The workspace of one worker's endgame solver: tables of the board, the rules, and a private transposition table.

The workspace is one record, passed as one argument. Each use of a global array costs a kernel four instructions; a use
of a record's field costs none.
"""

from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Value
from outflank.kernels.bits import U64, Word, byte_swap, multiply
from outflank.kernels.compiler import inlined, inner
from outflank.kernels.memory import address_of, prefetch
from outflank.kernels.record_types import Record, Records, allocate, record_type
from outflank.othello.endings.line_tables import (
    GROUPS,
    edge_fields,
    groups,
    last_counts,
    quarters,
    squares,
    stable_edges,
    stable_from,
    worth,
)
from outflank.othello.rules import WINNER_TAKES_EMPTIES, Othello
from outflank.othello.squares import SIZES, othello, size_of

MOST_EMPTIES = 16
"""Largest number of empty squares that the workspace has room for."""

MOST_MOVES = 16

TABLE_BITS = 13
"""Binary logarithm of the number of pairs of table entries. This table fits in the second-level cache; the solver was
no faster with a table four times as large."""

WORDS = 4
"""Number of words in a table entry: own discs, the opponent's discs, the data, and padding that keeps a pair in one
cache line."""

ENDING = record_type(
    {
        "nodes": np.int64,  # positions entered
        "table_at": np.int64,  # the table's address
        "ending_at": np.int64,  # the address of the kernel `ending`
        "scoring": np.int64,  # whether the winner takes the empty squares
        "area": np.int64,  # squares of the board
        "mask": U64,
        # edges of the board, for `stability` (`line_tables.edge_fields`)
        "top": U64,
        "bottom": U64,
        "left": U64,
        "right": U64,
        "side_columns": U64,
        "end_rows": U64,
        "border": U64,
        "corners": U64,
        # tables of `line_tables`
        "square": (U64, (64, 8)),
        "worth": (np.int64, 64),
        "quarters": (U64, 16),
        "groups": (U64, (16, GROUPS)),
        "stable_from": (np.int64, 65),
        "last_counts": (np.uint8, (8, 256)),
        "edges": (np.uint8, (256, 256)),
        # moves on the worker's current line, by number of empty squares; and the transposition table
        "promise": (np.int64, (MOST_EMPTIES + 1, MOST_MOVES)),
        "turned": (U64, (MOST_EMPTIES + 1, 64)),
        "answers": (U64, (MOST_EMPTIES + 1, 64)),
        "table": (U64, (2 << TABLE_BITS, WORDS)),
    },
    own_lines=("square", "table"),
)

Workspace: TypeAlias = Record
"""A record of type `ENDING`."""

_OFFSETS = {name: place[1] for name, place in (ENDING.fields or {}).items()}


def is_known(game: Othello) -> bool:
    """Return whether the board has one of the sizes that the endgame solver has tables for."""
    return any(game.mask == othello(size).mask for size in SIZES)


def new_spaces(game: Othello, workers: int) -> Records:
    """Return an array of workspaces, one for each worker, with their tables filled in.

    The array is allocated as a whole. With separate huge pages for each record, clearing the pages took longer than
    searches of a few plies by 16 workers.
    """
    spaces = allocate(ENDING, workers, on_huge_page=True)
    _constant_bytes(spaces)[:] = _constant_bytes(_template(game))
    spaces["table_at"] = address_of(spaces) + ENDING.itemsize * np.arange(workers) + _OFFSETS["table"]
    return spaces


def _constant_bytes(spaces: npt.NDArray[np.void]) -> npt.NDArray[np.uint8]:
    """Return the bytes of workspaces before the first field for moves: the rules and the tables of the board. Setting
    these bytes by one copy saves 0.5 ms."""
    return spaces.view(np.ndarray).view(np.uint8).reshape(len(spaces), -1)[:, : _OFFSETS["promise"]]


@cache
def _template(game: Othello) -> Records:
    """Return the workspace from which the workspaces of all workers are copied."""
    size = size_of(game)
    spaces = allocate(ENDING, 1)
    space = spaces[0]
    space.area = size * size
    space.mask = game.mask
    space.scoring = int(game.scoring == WINNER_TAKES_EMPTIES)
    for name, word in edge_fields(int(game.mask), size).items():
        space[name] = word
    space.square[:] = squares()
    space.worth[:] = worth(size)
    space.quarters[:] = quarters()
    space.groups[:] = groups(size)
    space.stable_from[:] = stable_from(size)
    space.last_counts[:] = last_counts()
    space.edges[:] = stable_edges(size)
    return spaces


# Each worker has a small private table of positions, with their proved bounds and their best moves. No other worker
# reads this table, so entries are never torn. Entries come in pairs. The first entry keeps the position with more empty
# squares, the second entry the latest position. Bounds are proved, so entries do not age.

OWN, OPP, KNOWN = U64(0), U64(1), U64(2)
BYTE = U64(255)
OFFSET = np.int64(64)
"""Number added to scores, so that they are stored as non-negative bytes."""

NO_SQUARE = U64(64)
NOTHING = U64(0)

_FACTOR, _OTHER_FACTOR = U64(0x9E3779B97F4A7C15), U64(0xC2B2AE3D27D4EB4F)


@inlined
def pair_of(own: Word, opp: Word) -> Word:
    """Return the index of the first of the two entries that may hold a position."""
    mixed = multiply(own, _FACTOR) ^ byte_swap(multiply(opp, _OTHER_FACTOR))
    return (multiply(mixed, _FACTOR) >> U64(64 - TABLE_BITS)) << U64(1)


@inlined
def prefetch_pair(space: Workspace, own: Word, opp: Word) -> None:
    """Prefetch the table entries of a position that may be looked up soon."""
    prefetch(space.table_at + np.int64(pair_of(own, opp)) * (8 * WORDS))


@inlined
def lookup(space: Workspace, own: Word, opp: Word, pair: Word) -> Word:
    """Return the data of a position's table entry; `NOTHING` if the position has none."""
    if space.table[pair, OWN] == own and space.table[pair, OPP] == opp:
        return space.table[pair, KNOWN]
    second = pair + U64(1)
    if space.table[second, OWN] == own and space.table[second, OPP] == opp:
        return space.table[second, KNOWN]
    return NOTHING


@inlined
def at_least(known: Word) -> Value:
    """Return the lower bound on the value in an entry's data."""
    return np.int64(known & BYTE) - OFFSET


@inlined
def at_most(known: Word) -> Value:
    """Return the upper bound on the value in an entry's data."""
    return np.int64((known >> U64(8)) & BYTE) - OFFSET


@inlined
def best_square(known: Word) -> Word:
    """Return the square of the best move in an entry's data, or `NO_SQUARE`."""
    return (known >> U64(16)) & BYTE


@inner
def store(
    space: Workspace, own: Word, opp: Word, pair: Word, empties: int, low: Value, high: Value, square: Word
) -> None:
    """Store that low <= v <= high for the value v of a position, and the `square` of its best move."""
    entry = pair
    same = space.table[entry, OWN] == own and space.table[entry, OPP] == opp
    if not same and (space.table[entry, KNOWN] >> U64(24)) & BYTE > U64(empties):
        entry = pair + U64(1)
        same = space.table[entry, OWN] == own and space.table[entry, OPP] == opp
    if same:
        low = max(low, at_least(space.table[entry, KNOWN]))
        high = min(high, at_most(space.table[entry, KNOWN]))
    space.table[entry, OWN] = own
    space.table[entry, OPP] = opp
    space.table[entry, KNOWN] = (
        U64(low + OFFSET) | (U64(high + OFFSET) << U64(8)) | (square << U64(16)) | (U64(empties) << U64(24))
    )
