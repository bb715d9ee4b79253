"""Bits, lanes, atomics and records: each twin against the other."""

import gc
import os
import subprocess
import sys
import threading
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.errors import InvalidOption
from outflank.games.patterns import optimization_barrier
from outflank.kernels import atomics, bits, lane_forms, lanes
from outflank.kernels.atomics import compare_exchange, exchange, fetch_add, fetch_max, load, store
from outflank.kernels.cache import KernelCache
from outflank.kernels.compiler import inlined, inner, kernel, never_inlined
from outflank.kernels.generic import generic, missing
from outflank.kernels.late import address_for, call_at
from outflank.kernels.memory import address_of, prefetch, read_short, read_word
from outflank.kernels.pipeline import is_plain
from outflank.kernels.record_types import HUGE_PAGE, LINE, allocate, allocated_bytes, record_type
from outflank.kernels.workers import run_workers
from tests.conftest import examples

WORDS = st.integers(0, 2**64 - 1)


# --- bits ---


@kernel
def all_bits(word):
    lowest = bits.lowest(word)
    return bits.popcount(word), lowest, bits.byte_swap(word), bits.bit_reverse(word), bits.bit_at(lowest)


@given(WORDS.filter(bool))
def test_bits_agree_with_plain_arithmetic(word):
    found = all_bits(np.uint64(word))
    binary = f"{word:064b}"
    assert found[0] == binary.count("1")
    assert found[1] == 63 - binary.rindex("1")
    assert int(found[2]) == int.from_bytes(word.to_bytes(8, "big"), "little")
    assert int(found[3]) == int(binary[::-1], 2)
    assert int(found[4]) == word & -word
    assert tuple(map(int, found)) == tuple(map(int, all_bits.py_func(np.uint64(word))))


# --- lanes ---


@kernel
def all_lanes(a, b, c, d, places):
    one = lanes.lanes(a, b, c, d)
    two = lanes.lanes(places, places + np.uint64(1), places, places)
    mixed = (one & ~lanes.spread(b, one)) | (one << two) | (one >> two)
    counts = lanes.bit_counts(mixed) + lanes.bit_counts(one)
    return (
        lanes.merged(mixed),
        lanes.total(counts),
        lanes.merged(lanes.occupied(one) & two),
        lanes.lane(mixed, 2),
    )


@given(WORDS, WORDS, WORDS, WORDS, st.integers(0, 60))
def test_lanes_mean_the_same_in_both_worlds(a, b, c, d, places):
    arguments = [np.uint64(word) for word in (a, b, c, d, places)]
    words = [a, b, c, d]
    steps = [places, places + 1, places, places]
    whole = 2**64 - 1
    mixed = [(w & ~b & whole) | (w << s & whole) | w >> s for w, s in zip(words, steps, strict=True)]
    expected = (
        mixed[0] | mixed[1] | mixed[2] | mixed[3],
        sum(w.bit_count() for w in mixed + words),
        (places if a or c or d else 0) | (places + 1 if b else 0),
        mixed[2],
    )
    assert tuple(map(int, all_lanes(*arguments))) == expected
    assert tuple(map(int, all_lanes.py_func(*arguments))) == expected


NEON, SSE2, AVX2, AVX512 = "+neon,-sve", "+sse2", "+avx,+avx2,-avx512f", "+avx,+avx2,+avx512f"


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("triple", "features", "four", "eight"),
    [
        ("aarch64-unknown-linux-gnu", NEON, "scalars", "vectors"),
        ("arm64-apple-darwin23.0", NEON, "scalars", "vectors"),
        ("x86_64-unknown-linux-gnu", SSE2, "scalars", "scalars"),
        ("x86_64-unknown-linux-gnu", AVX2, "vectors", "vectors"),
        ("x86_64-pc-windows-msvc", AVX512, "vectors", "vectors"),
    ],
)
def test_the_form_of_lanes_is_chosen_by_registers_and_number(triple, features, four, eight, monkeypatch):
    monkeypatch.setattr(lane_forms, "forced_form", lambda: None)
    width = lane_forms.vector_bits(triple, features)
    assert [lane_forms.choose_form(count, width)[0] for count in (4, 8)] == [four, eight]
    monkeypatch.setattr(lane_forms, "forced_form", lambda: "scalars")
    assert {lane_forms.choose_form(count, width)[0] for count in (4, 8)} == {"scalars"}


@pytest.mark.interpreted_only
def test_a_form_of_lanes_that_there_is_not_is_refused(monkeypatch):
    asked = lane_forms.forced_form.__wrapped__
    for word, form in (("", None), ("vectors", "vectors"), ("scalars", "scalars")):
        monkeypatch.setenv(lane_forms.FORCED, word)
        assert asked() == form
    monkeypatch.setenv(lane_forms.FORCED, "wide")
    with pytest.raises(InvalidOption, match="OUTFLANK_LANES=wide: expected vectors or scalars"):
        asked()


IN_ANOTHER_FORM = """
from outflank import AbaloneBoard, OthelloBoard, perft
from outflank.kernels.lane_forms import form_of

print([perft(OthelloBoard.start(), 6).leaves, perft(AbaloneBoard.start(), 3).leaves])
print({form_of(4), form_of(8)})
"""


@pytest.mark.compiled
@pytest.mark.slow(7)
@pytest.mark.parametrize("form", ["vectors", "scalars"])
def test_rules_are_the_same_in_both_forms_of_lanes(form):
    """One of them is also what this machine's kernels have, in all other tests."""
    environment = os.environ | {lane_forms.FORCED: form}
    command = [sys.executable, "-c", IN_ANOTHER_FORM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines() == ["[8200, 98912]", str({form})], done.stderr


@kernel
def in_place(a):
    one = lanes.lanes(a, a)
    one |= one
    return lanes.merged(one)


@pytest.mark.compiled
def test_lanes_refuse_to_be_changed_in_place():
    from numba.core.errors import TypingError

    with pytest.raises(TypingError):
        in_place(np.uint64(1))


# --- atomics ---

CELL = record_type({"signed": np.int64, "small": np.uint8, "unsigned": np.uint64, "row": (np.int32, 4)})


@kernel
def every_atomic(record, array, grid):
    store(record, "signed", 5)
    store(record, "small", 200, "relaxed")
    store(record, "unsigned", 7, "seq_cst")
    a = fetch_add(record, "signed", -8)
    b = fetch_add(record, "small", 100, "relaxed")
    c = fetch_max(record, "unsigned", 9)
    d = fetch_max(record, "signed", -2, "seq_cst")
    e = exchange(record, "unsigned", 11, "acquire")
    f = compare_exchange(record, "unsigned", 11, 12, "release")
    g = compare_exchange(record, "unsigned", 11, 13)
    h = fetch_add(array, 1, 4)
    i = fetch_max(grid, (1, 2), 6)
    j = exchange(record.row, 3, 8)
    loads = (
        load(record, "signed", "relaxed"),
        load(record, "small"),
        load(record, "unsigned", "seq_cst"),
        load(array, 1),
        load(grid, (1, 2)),
        load(record.row, 3),
    )
    return (a, b, c, d, e, f, g, h, i, j), loads


def test_atomics_return_the_old_value_and_leave_the_new_one():
    def fresh():
        return allocate(CELL, 1)[0], np.arange(3, dtype=np.int64), np.zeros((2, 3), np.uint32)

    expected = ((5, 200, 7, -3, 9, True, False, 1, 0, 0), (-2, 44, 12, 5, 6, 8))
    for run in (every_atomic, every_atomic.py_func):
        olds, news = run(*fresh())
        assert (tuple(map(int, olds)), tuple(map(int, news))) == expected


SHARED = record_type({"added": np.int64, "most": np.int64, "turns": np.int64}, own_lines=("added", "most"))


@kernel
def contend(shared, slots, mine, times):
    for step in range(times):
        fetch_add(shared, "added", 1, "relaxed")
        fetch_add(slots, step % len(slots), 1)
        fetch_max(shared, "most", mine * times + step)
        done = False
        while not done:
            turns = load(shared, "turns", "relaxed")
            done = compare_exchange(shared, "turns", turns, turns + 3)


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("twin", [pytest.param("compiled", marks=pytest.mark.compiled), "python"])
def test_atomics_are_exact_under_threads(threads, twin):
    run, times = (contend, 50_000) if twin == "compiled" else (contend.py_func, 300)
    shared, slots = allocate(SHARED, 1)[0], np.zeros(3, np.int64)
    run_workers(run, [(shared, slots, mine, times) for mine in range(threads)], stop=lambda: None)
    assert shared.added == threads * times
    assert slots.sum() == threads * times
    assert shared.most == threads * times - 1
    assert shared.turns == 3 * threads * times


@kernel
def lossy(shared, times):
    """Add without atomics, in step with one other thread: both read before either writes."""
    for step in range(times):
        seen = load(shared, "added", "relaxed")
        fetch_add(shared, "turns", 1)
        while load(shared, "turns") < 4 * step + 2:
            pass
        store(shared, "added", seen + 1)
        fetch_add(shared, "turns", 1)
        while load(shared, "turns") < 4 * step + 4:
            pass


@pytest.mark.compiled
def test_the_test_above_can_fail():
    """A load and a store in place of a fetch-add lose every other update."""
    shared = allocate(SHARED, 1)[0]
    run_workers(lossy, [(shared, 10)] * 2, stop=lambda: None)
    assert shared.added == 10


@kernel
def wrong_field(record):
    return load(record, "nothing")


@kernel
def wrong_order(record):
    return load(record, "signed", "release")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("run", "message"), [(wrong_field, "no field 'nothing'"), (wrong_order, "must be a literal among")]
)
def test_mistakes_are_named_while_compiling(run, message):
    from numba.core.errors import TypingError

    with pytest.raises(TypingError, match=message):
        run(allocate(CELL, 1)[0])


def test_python_twins_wrap_round():
    cells = np.array([np.iinfo(np.int64).max])
    assert atomics.fetch_add(cells, 0, 1) == np.iinfo(np.int64).max
    assert cells[0] == np.iinfo(np.int64).min


@kernel
def odd_values(cells):
    return (
        exchange(cells, 0, 300),
        compare_exchange(cells, 0, 44 + 256, 5),
        fetch_max(cells, 1, -1),
        bits.popcount(-1),
        bits.lowest(-8),
    )


def test_values_that_do_not_fit_wrap_alike_in_both_worlds():
    found = []
    for run in (odd_values, odd_values.py_func):
        cells = np.array([7, 9], np.uint8)
        found.append((*map(int, run(cells)), *cells.tolist()))
    assert found[0] == found[1] == (7, 1, 9, 64, 3, 5, 255)


@kernel
def read_announced(address):
    prefetch(address)
    return read_word(address, 1), optimization_barrier(optimization_barrier(-3) + read_short(address, 4))


def test_what_is_announced_is_read_as_it_is_and_a_sum_is_settled_as_it_is():
    words = np.array([3, 0xFFF9], np.uint64)
    assert read_announced(address_of(words)) == read_announced.py_func(address_of(words)) == (0xFFF9, -10)


# --- records ---


@given(
    st.integers(1, 5),
    st.lists(st.sampled_from([np.int64, np.uint8, np.int32, (np.uint16, 77)]), min_size=1, max_size=6),
    st.booleans(),
)
def test_records_start_on_lines_of_their_own(count, kinds, on_huge_page):
    dtype = record_type({f"field{number}": kind for number, kind in enumerate(kinds)})
    records = allocate(dtype, count, on_huge_page=on_huge_page)
    assert dtype.itemsize % LINE == 0
    assert records.ctypes.data % (HUGE_PAGE if on_huge_page else LINE) == 0
    assert allocated_bytes(records) >= records.nbytes
    assert not records.tobytes().strip(b"\0")
    for name in dtype.names:
        base, offset = dtype.fields[name][0].base, dtype.fields[name][1]
        assert offset % base.alignment == 0


def test_fields_set_apart_share_no_line():
    dtype = record_type({"one": np.int64, "two": np.int64, "three": np.int64}, own_lines=("two",))
    offsets = [dtype.fields[name][1] // LINE for name in dtype.names]
    assert len(set(offsets)) == 3


# --- workers ---


def test_a_failing_worker_stops_the_others_and_is_reported():
    stopped = threading.Event()

    def work(number):
        if number == 1:
            raise RuntimeError("worker 1 is broken")
        stopped.wait(20)
        return number

    with pytest.raises(RuntimeError, match="worker 1"):
        run_workers(work, [(0,), (1,), (2,)], stop=stopped.set)
    assert stopped.is_set()


def test_results_come_in_order():
    assert run_workers(lambda number: number * number, [(3,), (1,), (2,)], stop=lambda: None) == [9, 1, 4]


# --- generic functions and inner ones ---


class Circle(tuple):
    __slots__ = ()


@generic
def area(shape, scale):
    """The area."""
    raise missing(area, shape)


@area.register(Circle)
def _(shape, scale):
    return 3 * scale


@inner
def doubled(number):
    return 2 * number


def test_generic_functions_dispatch_in_the_interpreter():
    assert area(Circle(), 2) == 6
    assert doubled(4) == 8
    with pytest.raises(TypeError, match="area: nothing registered for str"):
        area("square", 1)


def test_a_kernel_must_not_hide_values_in_a_closure():
    hidden = 3

    def function(number):
        return number + hidden

    with pytest.raises(TypeError, match="top-level function"):
        kernel(function)


@examples(20)
@given(st.integers(-1000, 1000))
def test_kernels_call_inner_functions(number):
    assert twice(number) == 2 * number


@kernel
def twice(number):
    return doubled(number)


# --- parts ---


@inner
def _step(number):
    return number + 1


@inner
def _stride(number):
    return 2 * _step(number)


@kernel
def _walk(number):
    return _stride(number) + _step(number)


@pytest.mark.compiled
def test_parts_are_compiled_once_and_only_kernels_become_machine_code(monkeypatch):
    monkeypatch.setattr(KernelCache, "_path", lambda *_: None)  # nothing is loaded
    assert _walk.compiled  # Numba is loaded
    from numba.core import event

    with event.install_recorder("numba:compile") as recorder:
        assert _walk(np.int64(3)) == 12
    made = [each.data["dispatcher"] for _, each in recorder.buffer if each.is_start]
    assert sorted(dispatcher.py_func.__name__ for dispatcher in made) == ["_step", "_stride", "_walk"]
    (walk,) = _walk.compiled.overloads.values()
    assert "linkonce" not in walk.library.get_llvm_str()  # its parts are its own
    for dispatcher in made:
        (result,) = dispatcher.overloads.values()
        engine = result.library.codegen._engine
        assert engine.is_symbol_defined(result.fndesc.llvm_func_name) == (dispatcher.py_func is _walk.py_func)


@never_inlined
def _halved(number):
    return number // 2


@inlined
def _doubled(number):
    return number * 2


@kernel
def _there_and_back(number):
    return _halved(number) + _doubled(number)


@pytest.mark.compiled
def test_parts_are_inlined_or_left_apart_as_they_say(monkeypatch):
    monkeypatch.setattr(KernelCache, "_path", lambda *_: None)
    assert _there_and_back(np.int64(8)) == 20
    (result,) = _there_and_back.compiled.overloads.values()
    defined = [function.name for function in result.library.get_defined_functions()]
    assert [any(part in name for name in defined) for part in ("_halved", "_doubled")] == [True, False]


# --- steps of the compiler ---


@inner
def _of_any_kind(number):
    if number < 0:
        raise ValueError("below nothing")
    squares = [each * each for each in range(number)]
    return len(squares) if isinstance(number, int) else 0


@inner
def _stepped(number):
    total = 0
    while number > total:
        total += max(number // 2, 1)
    return total


@kernel
def _unlike(number, share):
    above = _of_any_kind(number) + _stepped(number) - 3
    return above + max(number, 2), max(share, 0.25) * 2, max(share, number), above - 1 + (share - 1)


def test_what_needs_a_step_of_its_own_is_compiled_as_it_stands():
    """And calls of one name for different types are different ones."""
    assert _unlike(3, 0.5) == (6, 1.0, 3, 1.5)


@pytest.mark.interpreted_only
def test_what_needs_a_step_of_its_own_is_known_by_its_code():
    def raising(number):
        raise ValueError(number)

    def within(number):
        with number:
            return 1

    def comprehending(numbers):
        return sum(each for each in numbers)

    def holding(number):
        return within(number)

    def reducing(numbers):
        return reduce(max, numbers)

    assert all(map(is_plain, (_walk.py_func, _stride, _stepped, less.py_func)))
    assert not any(map(is_plain, (_of_any_kind, raising, within, comprehending, holding, reducing)))


@pytest.mark.compiled
def test_numba_is_as_it_was_when_a_kernel_has_been_compiled():
    from numba.core import errors, event, postproc

    def state():
        return event.start_event, event.end_event, postproc.PostProcessor.run, dict(vars(errors.termcolor()))

    before, collects = state(), gc.isenabled()
    assert twice(np.int8(3)) == 6
    assert state() == before
    assert gc.isenabled() == collects


# --- calls by address ---


@kernel
def less(a, b):
    return a - np.int64(b)


@kernel
def called_late(address, a, b):
    return 2 * call_at(address, a, b)


def test_a_kernel_is_called_by_an_address_that_its_caller_finds():
    address = address_for(less, np.int64(0), np.uint64(0))
    assert address == address_for(less, np.int64(0), np.uint64(0)) or called_late.compiled is called_late.py_func
    assert called_late(address, np.int64(3), np.uint64(10)) == -14
    assert call_at(address, np.int64(3), np.uint64(10)) == -7
