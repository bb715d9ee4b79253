"""Endings on a GPU: what Numba's simulator shows without one, beside a search that was written apart."""

from types import SimpleNamespace

import numpy as np
import pytest

import outflank
from outflank.errors import InvalidOption
from outflank.gpu import device_table as memory_module
from outflank.gpu import jobs, solving_on_device
from outflank.kernels.bits import U64
from tests.simulator import simulated

BESIDE_THE_RULES = """
import math
import random
import sys
import warnings

import numpy as np

import outflank
from outflank.errors import InvalidOption
from outflank.games.rules import fill, pack, play, score
from outflank.gpu import ending_kernels as endings
from outflank.gpu import solving_on_device as solving
from outflank.gpu.troubles import DeviceLost
from outflank.machine import usable_cores


def value(game, position):
    moves = np.zeros(64, np.uint16)
    end = fill(game, position, moves, 0)
    if end == 0:
        return score(game, position)
    return max(-value(game, play(game, position, moves[index])) for index in range(end))


def drawn(board, free, count, lots):
    found = []
    while len(found) < count:
        game, position = board.game, board.position
        while True:
            left = 64 - bin(int(position.own | position.opp | ~game.mask)).count("1")
            moves = np.zeros(64, np.uint16)
            end = fill(game, position, moves, 0)
            if left <= free:
                found.append(position)
            if left <= free or end == 0:
                break
            position = play(game, position, moves[lots.randrange(end)])
    return found


lots = random.Random(20261116)
solving.THREADS, solving.BLOCKS_PER_MULTIPROCESSOR, solving.DIVIDED = 3, 1, 9
endings.CHECK_MASK = 1
"""

VALUES = """
for size, scoring, free, count, budget, divided in (
    (8, "winner-takes-empties", 0, 2, 99, 9),
    (8, "discs", 1, 5, 99, 9),
    (8, "winner-takes-empties", 2, 6, 99, 9),
    (8, "discs", 3, 8, 99, 9),
    (8, "winner-takes-empties", 4, 8, 10**6, 9),
    (8, "discs", 5, 6, 10**6, 9),
    (4, "winner-takes-empties", 6, 6, 10**6, 9),
    (6, "discs", 6, 4, 10**6, 9),
    (8, "winner-takes-empties", 7, 2, 10**6, 9),
    # Divided soon, and again: all values come from other threads. And where there is room for few moves, or one.
    (8, "winner-takes-empties", 5, 6, 3, 200),
    (8, "discs", 6, 4, 5, 400),
    (6, "winner-takes-empties", 7, 2, 8, 400),
    (6, "discs", 6, 4, 10**6, 400),
    (4, "winner-takes-empties", 7, 4, 10**6, 60),
    (8, "discs", 6, 4, 5, 12),
    (4, "discs", 7, 4, 5, 1),
):
    board = outflank.OthelloBoard.start(size, scoring=scoring)
    positions = drawn(board, free, count, lots)
    solving.BUDGET, solving.DIVIDED = budget, divided
    # Parts that a thread does not divide, those that wait for others, and endings that are begun whole: all of these.
    solving.SHORT = solving.SHORT_OF_FEW = lots.choice((1, 2, 4, 10))
    solving.SERIAL_MOVES = solving.SERIAL_MOVES_OF_FEW = lots.choice((1, 2, 3))
    solving.DIVIDED_ENDINGS = lots.choice((0, 1, 9))
    endings.TABLE_FROM, endings.QUICK = lots.choice((2, 3, 5)), lots.choice((0, 10))
    told = []
    words = np.array([pack(board.game, position) for position in positions], np.uint64)
    found = outflank.gpu.solve(words, board.game, room=4, progress=lambda done, total: told.append((done, total)))
    assert found.tolist() == [value(board.game, position) for position in positions], (size, scoring, free, budget)
    assert told[-1] == (count, count) and sorted(told) == told and len(told) == -(-count // 4), told

# As few threads as can be: each does what it has divided itself.
solving.THREADS, solving.PARTS, solving.BUDGET, solving.DIVIDED = 1, 1, 3, 60
for count in (1, 3):
    positions = drawn(board, 5, count, lots)
    words = np.array([pack(board.game, position) for position in positions], np.uint64)
    found = outflank.gpu.solve(words, board.game).tolist()
    assert found == [value(board.game, position) for position in positions], found
print("all right")
"""

TROUBLES = """
board = outflank.OthelloBoard.start(8)
words = np.array([pack(board.game, position) for position in drawn(board, 4, 6, lots)], np.uint64)
right = [value(board.game, type(board.position)(*each)) for each in words]
for nothing in (np.zeros((0, 2), np.uint64), np.array([]), []):
    assert outflank.gpu.solve(nothing).tolist() == []
assert outflank.gpu.solve(words.astype(np.int64)[::-1]).tolist() == right[::-1]
assert outflank.gpu.solve(words.tolist()).tolist() == right
for wrong, said in (
    (words.ravel(), "positions of shape (12,): expected a row of two words for each"),
    (words.astype(float), "positions of type float64: expected words, numpy.uint64"),
    (np.array([[1, 1]], np.uint64), "position 0: two pieces on one cell, or one outside the board"),
    (
        np.array([pack(board.game, board.position)], np.uint64),
        "position 0: 60 free cells; a device solves endings with at most 16",
    ),
):
    try:
        outflank.gpu.solve(wrong)
    except InvalidOption as error:
        assert str(error) == said, error
    else:
        raise AssertionError(said)
try:
    outflank.gpu.solve(words, outflank.AbaloneBoard.start().game)
except InvalidOption as error:
    assert str(error).startswith("device gpu: it solves endings only of games whose moves are cells"), error

whole = solving.Slot.collect
collected = []


def lost(slot):
    if collected:
        raise DeviceLost("device gpu: it was lost")
    collected.append(slot)
    return whole(slot)


solving.Slot.collect = lost
try:
    outflank.gpu.solve(words, room=2)
except DeviceLost as error:
    assert sorted(error.partial_result.tolist()).count(endings.UNSOLVED) == 4
    assert all(had in (is_, endings.UNSOLVED) for had, is_ in zip(error.partial_result.tolist(), right))
collected.clear()
solving.ROWS, told = 1, []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    solved = outflank.gpu.solve(words, room=2, device="gpu-or-cpu", progress=lambda *done: told.append(done))
assert solved.tolist() == right
assert told[0] == (2, 6) and told[-1] == (6, 6) and len(told) == 1 + -(-4 // math.ceil(usable_cores())), told
assert [str(each.message) for each in caught] == ["device gpu: it was lost: the CPU goes on"]
print("all told")
"""


@pytest.mark.interpreted_only
@pytest.mark.slow(6)
def test_values_are_those_of_the_rules() -> None:
    assert simulated(BESIDE_THE_RULES + VALUES) == "all right\n"


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
def test_what_a_device_cannot_do_is_told_and_what_it_did_is_kept() -> None:
    assert simulated(BESIDE_THE_RULES + TROUBLES) == "all told\n"


WORDS = "expected words, whole numbers of 64 bits, found"
ROWS = "expected a row of two words for each"


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("abc", f"positions: {WORDS} 'abc'"),
        (None, f"positions: {WORDS} None"),
        ([[1, -1]], f"positions: {WORDS} -1"),
        ([[1 << 63, -1]], f"positions: {WORDS} -1"),  # NumPy makes floats of these
        ([[1, 1 << 64]], f"positions: {WORDS} 18446744073709551616"),
        ([[1 << 99999, 1]], f"positions: {WORDS} a number of more digits than are read"),
        ([["1", "2"]], f"positions: {WORDS} '1'"),
        ([[1.5, 2]], f"positions: {WORDS} 1.5"),
        ([[True, 2]], f"positions: {WORDS} True"),
        ([[None, 2]], f"positions: {WORDS} None"),
        ({"own": 1}, f"positions: {WORDS} an object"),
        (np.array([["1", "2"]], object), f"positions: {WORDS} '1'"),
        ([[1, 2], [3]], f"positions in rows that are not alike: {ROWS}"),
        ([[1, 2], [3, [4]]], f"positions in rows that are not alike: {ROWS}"),
        ([np.zeros((2, 2)), np.zeros((2, 3))], f"positions: {ROWS}, found a list"),
        (7, f"positions of shape (1,): {ROWS}"),
        (np.array(["1", "2"]), "positions of type <U1: expected words, numpy.uint64"),
        (np.ones((1, 2), bool), "positions of type bool: expected words, numpy.uint64"),
        (np.array([[1, -1]], np.int8), "positions of type int8 below 0: expected words, numpy.uint64"),
    ],
)
def test_what_is_no_position_is_told_in_a_line(given, said) -> None:
    with pytest.raises(InvalidOption) as told:
        outflank.gpu.solve(given)
    assert str(told.value) == said


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("room", "found"), [("many", "'many'"), (1.5, "1.5"), (0, "0"), (-4, "-4"), ([4], "a list")])
def test_a_room_is_a_number_of_endings(room, found) -> None:
    with pytest.raises(InvalidOption) as told:
        outflank.gpu.solve([], room=room)
    assert str(told.value) == f"room: expected a whole number of at least 1 or nothing (null), found {found}"


@pytest.mark.interpreted_only
@pytest.mark.parametrize("free", [1 << 29, 1_000_000_007, 3 << 30, 1 << 37])
def test_batches_take_a_quarter_of_the_free_memory_at_most(monkeypatch, free) -> None:
    memory = []

    def taken(shape, kind):
        memory.append(int(np.prod(shape)) * np.dtype(kind).itemsize)

    made_up = {"device_array": taken, "pinned_array": lambda *shape: None, "stream": lambda: None}
    monkeypatch.setattr(solving_on_device, "cuda", SimpleNamespace(**made_up))
    monkeypatch.setattr(solving_on_device, "simulated", lambda: False)
    monkeypatch.setattr(solving_on_device, "free_bytes", lambda: free)
    monkeypatch.setattr(solving_on_device, "tables_on_device", lambda game: None)
    table = []
    monkeypatch.setattr(
        solving_on_device, "new_table", lambda bits: table.append(memory_module.ENTRY_BYTES << bits) or [None] * 7
    )
    monkeypatch.setattr(solving_on_device.Slot, "begin", lambda *arguments: None)
    monkeypatch.setattr(solving_on_device.Slot, "collect", lambda slot: (np.zeros(solver.room, np.int8), 0))
    solver = solving_on_device.Solver(outflank.OthelloBoard.start().game)
    solver.values(np.zeros((solver.room, 2), np.uint64), np.zeros(solver.room, np.int8))
    tallies = solving_on_device.TALLIES * 8 * solving_on_device.SLOTS
    assert sum(memory) - tallies == solver.nbytes <= free // 4
    assert solver.table_bytes == 7 * memory_module.ENTRY_BYTES
    assert solver.room == solving_on_device.ROOM or sum(memory) > 0.9 * free // 4
    # The table is beside that, and has a power of two of entries, as rings of parts have.
    assert free // 8 // 2 < table[0] <= free // 8 or table[0] == memory_module.ENTRY_BYTES << memory_module.MOST_BITS
    assert (
        solver._parts == solving_on_device.DIVIDED
        or free // 8 // 4 < 2 * solving_on_device._nbytes(0, solver._parts) <= free // 8
    )
    assert solver._parts.bit_count() == 1


@pytest.mark.interpreted_only
def test_a_batch_of_few_endings_has_a_part_of_the_threads(monkeypatch) -> None:
    launched = {}

    class Kernel:
        def __init__(self, name) -> None:
            self._name = name

        def __getitem__(self, launch):
            launched[self._name] = launch[:2]
            return lambda *arguments: None

    array = SimpleNamespace(copy_to_device=lambda *a, **b: None, copy_to_host=lambda *a, **b: None)
    part = type("Rows", (), {"__getitem__": lambda rows, which: array, "copy_to_host": array.copy_to_host})
    made_up = {"device_array": lambda *shape: part(), "pinned_array": np.zeros, "stream": lambda: None}
    monkeypatch.setattr(solving_on_device, "cuda", SimpleNamespace(**made_up))
    monkeypatch.setattr(solving_on_device, "_multiprocessors", lambda: 132)
    for name in ("prepare", "solve_each"):
        monkeypatch.setattr(solving_on_device, name, Kernel(name))
    slot, blocks = solving_on_device.Slot(1000, 8), []
    whole = 132 * solving_on_device.BLOCKS_PER_MULTIPROCESSOR
    for count in (1, 2, 50, 1000):
        slot.begin(None, None, None, np.zeros((count, 2), np.uint64), solving_on_device.WHOLE)
        blocks.append(launched["solve_each"][0])
        assert launched["prepare"] == (whole, solving_on_device.THREADS)
    assert blocks[0] * solving_on_device.THREADS == solving_on_device.PARTS
    assert blocks == sorted(blocks)
    assert blocks[-2] < blocks[-1] == whole


@pytest.mark.interpreted_only
def test_a_table_gives_back_what_was_kept_and_nothing_of_an_entry_that_two_have_written() -> None:
    table = np.zeros((16, memory_module.WORDS), np.uint64)
    unknown = (memory_module.LOWEST, memory_module.HIGHEST)
    lots = np.random.default_rng(3)
    positions = lots.integers(0, 1 << 64, (200, 2), np.uint64)
    assert memory_module.look_up(table, U64(0), U64(0)) == unknown
    torn = 0
    for (first, second), (low, high) in zip(positions, lots.integers(-64, 65, (200, 2)).tolist(), strict=True):
        before = table.copy()
        memory_module.store_bounds(table, first, second, low, high)
        assert memory_module.look_up(table, first, second) == (low, high)
        place = int((table != before).any(axis=1).argmax())
        whole = table[place].copy()
        for words in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
            table[place] = before[place]
            table[place, words] = whole[words]
            if (table[place] != whole).any():
                assert memory_module.look_up(table, first, second) == unknown
                torn += 1
        table[place] = whole
    assert torn > 1000
    known = [memory_module.look_up(table, *each) != unknown for each in positions]
    assert sum(known) == 16  # the last that came to each place


@pytest.mark.interpreted_only
def test_a_list_has_first_what_leaves_the_opponent_the_least() -> None:
    lots = np.random.default_rng(4)
    for number in (1, 3, jobs.LISTED, 14):
        cells, lefts = (
            lots.permutation(64)[:number].tolist(),
            lots.integers(0, jobs.MOST_LEFT + 1, number).tolist(),
        )
        listed, left, others = U64(0), jobs.EMPTY, U64(0)
        for index, (cell, each) in enumerate(zip(cells, lefts, strict=True)):
            count = min(index, jobs.LISTED)
            listed, left, out = jobs.with_move(listed, left, count, U64(cell), U64(each))
            others |= out
        kept = min(number, jobs.LISTED)
        found = [int(listed >> U64(6 * index)) & 63 for index in range(kept)]
        inside = sorted(zip(lefts, range(number), cells, strict=True))[:kept]
        assert found == [cell for _, _, cell in inside]
        assert int(others) == sum(1 << cell for cell in cells if cell not in found)
