"""The transposition table by itself."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import OthelloBoard, search
from outflank.errors import OutflankError
from outflank.games.rules import pack
from outflank.kernels.compiler import interpreted, kernel
from outflank.othello.squares import START, othello
from outflank.search import table as tables
from outflank.search.outbox import adopt
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.table import EXACT, LOWER, NO_MOVE, UPPER, Table
from tests.walking import walk

WORDS = st.integers(0, 2**64 - 1)
PACKAGE = Path(tables.__file__).parents[1]


@kernel
def put(address, shift, first, second, data):
    tables.remember(address, shift, first, second, data)


@kernel
def get(address, shift, first, second):
    return tables.looked_up(address, shift, first, second)


@kernel
def spread(words, shift):
    found = np.zeros(len(words), np.int64)
    for index in range(len(words)):
        found[index] = np.int64(tables.hashed(words[index, 0], words[index, 1]) >> np.uint64(shift))
    return found


def look(table, first, second):
    return np.uint64(get(table.address, table.shift, np.uint64(first), np.uint64(second)))


@given(
    st.integers(-30_000, 30_000),
    st.integers(0, 200),
    st.sampled_from([UPPER, LOWER, EXACT]),
    st.integers(0, NO_MOVE),
    st.integers(0, tables.AGES - 1),
    st.integers(0, 5),
)
def test_data_is_packed_and_taken_apart_again(value, depth, bound, move, age, selectivity_index):
    data = tables.with_selectivity(tables.packed(value, depth, bound, move, age), selectivity_index)
    assert data != 0
    found = (
        tables.value_of(data),
        tables.depth_of(data),
        tables.bound_of(data),
        tables.move_of(data),
        tables.age_of(data),
        tables.selectivity_of(data),
    )
    assert found == (value, depth, bound, move, age, selectivity_index)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=40, unique=True), st.integers(4, 10))
def test_what_is_found_is_what_was_put(positions, bits):
    table = Table(bits)
    known = {}
    for number, (first, second) in enumerate(positions):
        data = tables.packed(number, number % 20, EXACT, number, 1)
        put(table.address, table.shift, np.uint64(first), np.uint64(second), data)
        known[first, second] = int(data)
        assert int(look(table, first, second)) == int(data)
    for (first, second), data in known.items():
        assert int(look(table, first, second)) in (0, data)
    assert look(table, 123456789, 987654321) == 0 or (123456789, 987654321) in known
    assert table.occupancy().entries <= min(len(known), table.slots)
    table.clear()
    assert table.occupancy().share == 0


def test_an_empty_table_knows_nothing_not_even_zeros():
    table = Table(4)
    assert look(table, 0, 0) == 0
    data = tables.packed(5, 3, EXACT, 1, 0)
    put(table.address, table.shift, np.uint64(0), np.uint64(0), data)
    assert int(look(table, 0, 0)) == int(data)


def test_deep_entries_of_this_search_stay_and_old_ones_go():
    table = Table(4)
    rng = np.random.default_rng(1)
    put(table.address, table.shift, np.uint64(1), np.uint64(2), tables.packed(1, 50, EXACT, 1, 6))
    for _ in range(2_000):
        first, second = rng.integers(3, 2**63, 2, dtype=np.uint64)
        put(table.address, table.shift, first, second, tables.packed(0, 3, EXACT, 1, 6))
    assert tables.depth_of(look(table, 1, 2)) == 50
    for _ in range(2_000):
        first, second = rng.integers(3, 2**63, 2, dtype=np.uint64)
        put(table.address, table.shift, first, second, tables.packed(0, 3, EXACT, 1, 7))
    assert look(table, 1, 2) == 0


def test_a_torn_entry_is_a_miss():
    table = Table(4)
    first, second = np.uint64(0x1234), np.uint64(0x5678)
    put(table.address, table.shift, first, second, tables.packed(11, 5, EXACT, 1, 0))
    place = int(np.flatnonzero(table.words)[2])  # its data
    whole = table.words[place]
    for torn in (tables.packed(12, 5, EXACT, 1, 0), tables.packed(11, 6, EXACT, 1, 0)):
        table.words[place] = torn
        assert look(table, first, second) == 0
    table.words[place] = whole
    assert look(table, first, second) == whole


@kernel
def hammer(address, shift, seed, times):
    """Write and read entries whose data follow from their words; count those that do not."""
    wrong = 0
    state = np.uint64(seed)
    for _ in range(times):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        first = state % np.uint64(40)
        second = first * np.uint64(77)
        found = tables.looked_up(address, shift, first, second)
        if found != np.uint64(0) and (found >> np.uint64(16)) & np.uint64(0xFFFF) != first:
            wrong += 1
        tables.remember(
            address, shift, first, second, tables.packed(np.int64(state & np.uint64(255)), 3, EXACT, first, 1)
        )
    return wrong


@pytest.mark.compiled
def test_workers_that_write_at_once_never_read_anothers_data():
    table = Table(4)
    hammer(table.address, table.shift, 1, 1)
    wrong: list[int] = []
    threads = [
        threading.Thread(target=lambda seed=seed: wrong.append(hammer(table.address, table.shift, seed, 400_000)))
        for seed in (1, 2, 3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0, 0, 0]


@pytest.mark.slow(2)
def test_the_hash_spreads_like_chance():
    """Positions near each other fill as many of n buckets as n random throws would: 1 - 1/e."""
    game = othello()
    words = list({pack(game, walk(game, START, seed, 6 + seed % 20)) for seed in range(600)})
    one_bit = [
        (np.uint64(1 << a | 1 << b), np.uint64(1 << c))
        for a in range(0, 64, 3)
        for b in range(1, 64, 7)
        for c in (5, 9)
    ]
    for sample in (words, list(set(one_bit))):
        bits = int(np.log2(len(sample)))
        sample = np.array(sample[: 1 << bits], np.uint64)
        buckets = spread(sample, 64 - bits)
        filled = len(set(buckets.tolist())) / len(sample)
        assert filled == pytest.approx(1 - np.exp(-1), abs=0.06)


@pytest.mark.parametrize("bits", [0, 3, 35, 1000])
def test_sizes_that_make_no_sense_are_refused(bits):
    with pytest.raises(OutflankError):
        Table(bits)


def test_memory_is_what_it_says():
    table = Table(10)
    assert table.nbytes == 32 << 10
    assert table.slots == 5 << 8
    assert table.address % 128 == 0


# --- its layout is its own ---


@pytest.mark.skipif(not interpreted(), reason="a kernel freezes the layout when it is compiled")
@pytest.mark.parametrize(("ways", "words"), [(1, 4), (10, 32)])
def test_another_associativity_concerns_nobody_else(monkeypatch, ways, words):
    board = OthelloBoard.start(4)
    alone = search(board, depth=4, workers=1, algorithm="minimax", deepen=False)
    monkeypatch.setattr(tables, "WAYS", ways)
    monkeypatch.setattr(tables, "WORDS_PER_BUCKET", words)
    table = Table(8)
    assert table.slots == (1 << 8 - 2) * ways
    for options in ({"parallel": "ybw"}, {"parallel": "abdada"}, {"canonical": True}):
        table.clear()
        found = search(board, depth=4, workers=1, table=table, **options)
        assert (found.value, found.hits > 0) == (alone.value, True), options
    known = table.positions()
    assert len(known) == table.occupancy().entries > 0
    # What one node tells another, and what the laboratory reads.
    there = Root(board.game, board.position, Options(table_bits=8))
    rows = [[first, second, tables.packed(3, 9, EXACT, 1, 0)] for first, second in known]
    assert adopt(np.array(rows, np.uint64), len(rows), there.worker) == len(rows)
    assert {tuple(row) for row in there.table.positions().tolist()} <= {tuple(row) for row in known.tolist()}


@pytest.mark.interpreted_only
def test_nobody_else_knows_the_layout():
    private = {"WAYS", "WORDS_PER_BUCKET", "FOREIGN", "PRESENT", "OFFSET"}
    for path in PACKAGE.rglob("*.py"):
        for imported in re.findall(r"from outflank\.search\.table import (\([^)]*\)|.*)", path.read_text()):
            assert not private & set(re.findall(r"\w+", imported)), path


@given(st.integers(0, tables.WRITERS - 1), st.integers(0, 200))
def test_a_stamp_is_found_again_and_leaves_the_rest_alone(writer, depth):
    data = tables.packed(-7, depth, LOWER, 3, tables.stamp(writer))
    assert int(tables.writer_of(data)) == writer
    fields = (tables.value_of(data), tables.depth_of(data), tables.bound_of(data), tables.move_of(data))
    assert tuple(map(int, fields)) == (-7, depth, LOWER, 3)
    assert tables.is_foreign(data) == 0


def test_what_another_node_found_is_kept_without_its_marks():
    data = tables.marked(tables.with_selectivity(tables.packed(-7, 5, LOWER, 3, 5), 2), 4, 2)
    kept = tables.adopted(data, 7)
    assert tables.is_foreign(kept) == 1
    assert tables.workers_at(kept, 2) == 0
    assert int(kept) == int(tables.with_selectivity(tables.packed(-7, 5, LOWER, 3, 7), 2)) | tables.FOREIGN
