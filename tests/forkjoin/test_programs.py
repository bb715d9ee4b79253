"""Programs of one's own: their results on any number of workers, and their errors."""

import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import forkjoin
from outflank.errors import OutflankError
from outflank.forkjoin import running
from outflank.kernels.compiler import interpreted
from tests.conftest import examples
from tests.forkjoin import programs

EXAMPLES = Path(__file__).parents[2] / "examples"
WORKERS = (1, 2, 4)
QUEENS = (1, 0, 0, 2, 10, 4, 40, 92, 352)


@pytest.fixture
def fork_join(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import fork_join

    return fork_join


@pytest.fixture
def _often_switched():
    """Let the interpreter switch threads so often that tasks are stolen."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.interpreted_only
@pytest.mark.usefixtures("_often_switched")
def test_examples_agree_with_plain_python(fork_join):
    assert [forkjoin.run(fork_join.fib, n, workers=2) for n in range(10)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    most = 8 if interpreted() else 9
    for rows in (0, 3, 9):
        counts = [fork_join.queens(n, rows).measure(workers=2).value for n in range(1, most)]
        assert counts == list(QUEENS[: most - 1])
    for n in (0, 1, 2, 31, 100):
        program = fork_join.sorting(n, grain=4)
        before = sorted(program.data.values)
        program.measure(workers=2)
        assert program.data.values.tolist() == before
    program = fork_join.multiplication(5)
    program.measure(workers=2)
    assert np.allclose(program.data.product, program.data.left @ program.data.right)
    assert fork_join.reduced_sum(50).measure(workers=2).value == sum(range(50))


@pytest.mark.usefixtures("_often_switched")
@given(low=st.integers(-9, 9), count=st.integers(-2, 40), grain=st.integers(-1, 12), seed=st.integers(0, 99))
@examples(60)
def test_a_reduction_combines_in_the_order_of_the_serial_loop(low, count, grain, seed):
    expected = 1, 0
    for index in range(low, low + count):
        expected = programs.compose(expected, ((index * seed) % 97 + 1, (index + seed) % 89))
    for workers in WORKERS:
        assert forkjoin.run(programs.compose_all, low, low + count, grain, seed, workers=workers) == expected


@pytest.mark.interpreted_only
@given(rows=st.integers(0, 5), columns=st.integers(0, 6), grain=st.integers(1, 4), workers=st.sampled_from(WORKERS))
def test_nested_loops_call_their_body_once_for_each_index(rows, columns, grain, workers):
    data = programs.Marks(np.zeros(rows * columns))
    forkjoin.run(programs.mark_rows, rows, columns, grain, workers=workers, data=data)
    assert data.counts.tolist() == [1.5] * (rows * columns)


@pytest.mark.usefixtures("_often_switched")
def test_children_are_synced_in_any_order_and_words_of_every_type_arrive():
    depth = 3 if interpreted() else 9
    expected = programs.expected_words(depth, 0.5, 2**64 - 5, (-7, 3.0))
    for workers in WORKERS:
        outcome = forkjoin.measure(programs.words, depth, 0.5, 2**64 - 5, (-7, 3.0), workers=workers)
        assert outcome.value == expected
        assert outcome.spawns == (3 ** (depth + 1) - 3) // 2
        if workers == 1:
            assert outcome.steals == 0


@pytest.mark.compiled
def test_tasks_are_stolen():
    # A worker may get no core for a while, so there are several attempts.
    steals = [forkjoin.measure(programs.words, 10, 0.5, 1, (0, 0.0), workers=2).steals for _ in range(5)]
    assert max(steals) > 0


@pytest.mark.usefixtures("_often_switched")
def test_without_free_frames_the_parent_runs_the_child(monkeypatch):
    monkeypatch.setattr(running, "FRAMES", 2)
    depth = 3 if interpreted() else 6
    for workers in WORKERS:
        outcome = forkjoin.measure(programs.words, depth, 0.5, 9, (1, 2.0), workers=workers)
        assert outcome.value == programs.expected_words(depth, 0.5, 9, (1, 2.0))
        assert sum(worker.shortages for worker in outcome.workers) > 0


@pytest.mark.interpreted_only
def test_a_chain_of_children_longer_than_the_frames():
    assert forkjoin.run(programs.line, 40, workers=1) == 40


def test_an_exception_in_a_task_ends_the_run():
    depth = 3 if interpreted() else 8
    for workers in WORKERS:
        with pytest.raises(ValueError, match="the word is 0"):
            forkjoin.run(programs.words, depth, 0.5, 0, (1, 2.0), workers=workers)


@pytest.mark.interpreted_only
@pytest.mark.usefixtures("_often_switched")
def test_a_division_by_zero_ends_the_run_wherever_it_happens():
    for leaf in range(16):
        with pytest.raises(ZeroDivisionError):
            forkjoin.run(programs.divide, 4, leaf, 0, workers=2)


@pytest.mark.usefixtures("foreground")
def test_an_interrupt_stops_a_run():
    forkjoin.run(programs.words, 0, 0.5, 1, (1, 2.0))  # compiled before the interrupt
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forkjoin.run(programs.words, 60, 0.5, 1, (1, 2.0), workers=2)
    timer.join()


@pytest.mark.interpreted_only
def test_a_child_that_is_never_synced_is_reported():
    with pytest.raises(OutflankError, match="forget: 1 spawned task was never synced"):
        forkjoin.run(programs.forget, 3, workers=1)


# --- wrong uses ---


@pytest.mark.interpreted_only
def test_wrong_tasks_are_refused():
    def named(worker, *, n):
        pass

    def text(worker, n: str):
        pass

    def long(worker, n: tuple[int, int, int, int, int, int, int, int, int, int]):
        pass

    for function, message in (
        (named, "named ones"),
        (text, "pass arrays as the data of run"),
        (long, "10 words"),
        (lambda: 0, "the worker and then named"),
        (len, "not a function"),
        (lambda worker: long, "top-level"),
    ):
        with pytest.raises(forkjoin.NotATask, match=message):
            forkjoin.task(function)


@pytest.mark.interpreted_only
def test_wrong_calls_are_refused(fork_join):
    for arguments, message in (
        ((), r"expected \(n\)"),
        ((1, 2), r"expected \(n\)"),
        ((1.5,), "1.5 is not an integer"),
        ((1 << 63,), "is not from"),
    ):
        with pytest.raises(forkjoin.NotATask, match=message):
            forkjoin.run(fork_join.fib, *arguments)
    with pytest.raises(forkjoin.NotATask, match="add is not a task"):
        forkjoin.run(fork_join.add, 1)
    for workers in (0, -1, 2.0, 10**6):
        with pytest.raises(OutflankError, match="workers="):
            forkjoin.run(fork_join.fib, 3, workers=workers)
    with pytest.raises(forkjoin.NotATask, match="not a Reducer"):
        forkjoin.reduce(None, fork_join.add, programs.linear, 0, 1, 1, 1)
    with pytest.raises(forkjoin.NotATask, match="has no result"):
        forkjoin.reduce(None, fork_join.total, programs.mark, 0, 1, 1, 1, 1.0)
    with pytest.raises(forkjoin.NotATask, match="top-level"):
        forkjoin.Reducer(0, max)


@pytest.mark.interpreted_only
def test_a_result_of_another_type_than_declared_is_refused(monkeypatch, fork_join):
    monkeypatch.setattr(fork_join.fib, "py_func", lambda worker, n: 0.5)
    with pytest.raises(forkjoin.NotATask, match=r"task fib: 0\.5 is not an integer, .* annotate it `-> float`"):
        forkjoin.run(fork_join.fib, 1)
    identity = forkjoin.Reducer((-100, np.uint64(64), 0), lambda left, right: left)
    with pytest.raises(forkjoin.NotATask, match=r"task linear: .* `-> tuple\[int, np.uint64, int\]`"):
        forkjoin.reduce(None, identity, programs.linear, 0, 1, 1, 1)


@forkjoin.task
def returns_a_float(worker, n: int) -> int:
    return n / 2


@pytest.mark.compiled
def test_a_compiled_result_of_another_type_is_explained():
    with pytest.raises(forkjoin.NotATask, match="returns_a_float returns float64, but declares int64"):
        forkjoin.run(returns_a_float, 1)


@pytest.mark.interpreted_only
def test_programs_by_name(fork_join):
    place = str(EXAMPLES / "fork_join.py")
    assert forkjoin.program_named(f"{place}:fib", [7]).measure(workers=1).value == 13
    assert forkjoin.program_named(f"{place}:queens", [5]).measure(workers=1).value == 10
    for name, message in (
        ("fork_join", "write FILE.py:NAME"),
        (f"{place}:nothing", "no task or function 'nothing'"),
        (f"{place}:Sorting", "must return a forkjoin.Program"),
    ):
        arguments = [1, 2] if name.endswith("Sorting") else []
        with pytest.raises(OutflankError, match=message):
            forkjoin.program_named(name, arguments)


def test_tasks_may_call_each_other():
    for workers in (1, 2):
        assert [forkjoin.run(programs.even, n, workers=workers) for n in (0, 1, 10)] == [1, 0, 1]
        assert [forkjoin.run(programs.odd, n, workers=workers) for n in (0, 1, 10)] == [0, 1, 0]
        assert forkjoin.run(programs.leaves, 4, workers=workers) == 3**4
