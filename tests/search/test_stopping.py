"""The stop protocol: who is told to give up, and who is not."""

import threading
import time

import numpy as np
import pytest

from outflank.boards import Board
from outflank.kernels.memory import address_of
from outflank.kernels.record_types import allocate
from outflank.othello.board import OthelloBoard
from outflank.parallel.shared_state import FRAME
from outflank.search import stopping
from outflank.search.request import Deadline, Options
from outflank.search.root import Root
from outflank.search.stopping import BELL, LIFELINE, STOP_FIELDS, halt, poll_stop, ring, set_deadline
from outflank.search.whole_search import iterate
from outflank.search.whole_search import search as search_board
from outflank.search.worker import WORKER


@pytest.fixture
def search():
    """A bell, and two workers that hear it: at the second move of a frame below the root's first, and at the third."""
    bells, workers, frames = allocate(BELL, 1), allocate(WORKER, 2), allocate(FRAME, 2)
    bells[0].workers = 2
    stopping.begin(bells[0], workers, None)
    frames[1].above, frames[1].index = address_of(frames[:1]), 0
    for place, worker in enumerate(workers, 1):
        worker.bell, worker.lifeline, worker.place = address_of(bells), address_of(frames[1:]), place
    return bells[0], workers, frames


def polled(workers):
    return [bool(poll_stop(worker)) for worker in workers]


def test_a_lifeline_begins_every_frame():
    assert [FRAME.fields[name][1] for name in LIFELINE] == [0, 8, 16, 24]
    assert set(STOP_FIELDS) <= set(WORKER.names)


def test_nobody_is_stopped_by_a_bell_that_rings_for_others(search):
    bell, workers, _ = search
    assert polled(workers) == [False, False]
    ring(bell)
    assert polled(workers) == [False, False]
    assert (workers["heard"] == 1).all()


def test_who_hangs_on_what_is_cut_gives_up_when_the_bell_rings(search):
    for level in range(2):
        bell, workers, frames = search
        stopping.begin(bell, workers, None)
        frames["cut"] = np.arange(2) == level
        assert polled(workers) == [False, False], "nobody has rung"
        ring(bell)
        assert polled(workers) == [True, True]


def test_a_frame_that_is_held_is_for_those_before(search):
    bell, workers, frames = search
    frames[1].held = 2
    ring(bell)
    assert polled(workers) == [False, True]


def test_a_halt_and_the_limit_of_nodes_stop_everybody(search):
    bell, workers, _ = search
    halt(bell)
    assert polled(workers) == [True, True]
    stopping.begin(bell, workers, 100)
    assert polled(workers) == [False, False]
    workers[0].nodes = 100
    assert polled(workers) == [True, True], "the one who reaches it tells the others"
    assert int(bell.nodes) == 100


HOUR = 3600 * 10**9


def poll_again(workers):
    workers["poll_at"] = workers["report_at"] = 0
    return polled(workers)


def test_who_sees_that_the_deadline_has_come_stops_everybody(search):
    bell, workers, _ = search
    set_deadline(bell, HOUR)
    assert poll_again(workers) == [False, False]
    set_deadline(bell, 0)
    assert poll_again(workers) == [True, True]
    stopping.begin(bell, workers, None)
    assert poll_again(workers) == [False, False], "another search has no deadline"


def test_who_was_off_its_core_stops_as_much_earlier(search):
    bell, workers, _ = search
    set_deadline(bell, HOUR)
    workers["longest_pause_ns"] = HOUR // 2
    assert poll_again(workers) == [False, False]
    workers[0].longest_pause_ns = 2 * HOUR
    assert poll_again(workers) == [True, True]


def test_pauses_are_measured_while_a_worker_works(search):
    _, workers, _ = search
    assert poll_again(workers) == [False, False]
    assert (workers["polled_ns"] > 0).all()
    workers[0].polled_ns -= 10**9
    workers[1].polled_ns = 0  # it was idle meanwhile
    assert poll_again(workers) == [False, False]
    assert workers[0].longest_pause_ns >= 10**9
    assert workers[1].longest_pause_ns == 0


def test_slow_nodes_are_looked_at_more_often(search):
    _, workers, _ = search
    workers["poll_step"] = stopping.POLL_NODES
    for _ in range(20):
        workers["polled_ns"] -= 10**9
        poll_again(workers)
        workers["longest_pause_ns"] = 0
    assert (workers["poll_step"] == stopping.FEWEST_NODES).all()


def test_what_completes_a_line_counts_for_nothing_and_sees_the_deadline(search):
    bell, workers, _ = search
    workers["uncounted"], workers["nodes"] = 1, 1000
    set_deadline(bell, HOUR)
    assert poll_again(workers) == [False, False]
    assert int(bell.nodes) == 0
    set_deadline(bell, 0)
    assert poll_again(workers) == [True, True]


@pytest.mark.compiled
@pytest.mark.parametrize("options", [{"workers": 1}, {"workers": 2}, {"workers": 1, "algorithm": "uct"}])
def test_no_timer_is_needed_to_end_a_compiled_search(monkeypatch, options):
    """A timer's thread would have to be scheduled, and to get the interpreter's lock, before it could stop anybody."""

    def refuse(*arguments):
        raise AssertionError("a timer was made")

    monkeypatch.setattr(threading, "Timer", refuse)
    board = Board.from_text("f5d6c3d3c4f4f6")
    assert search_board(board, seconds=0.05, **options).stopped


@pytest.mark.interpreted_only
def test_no_stage_begins_with_less_time_left_than_its_set_up_takes():
    board, later = OthelloBoard.start(4), time.perf_counter() + 3600

    def exact(setup_seconds):
        deadline = Deadline(later, setup_seconds=setup_seconds)
        *_, last = iterate(board, nodes=1 << 40, exact=True, deadline=deadline)
        return last.exact

    assert exact(1.0)
    assert not exact(7200.0), "a stage of estimates came first"


def test_a_deadline_that_has_come_leaves_a_move(search):
    board = Board.from_text("f5d6c3d3c4f4f6")
    deadline = Deadline(0.0)
    *_, last = iterate(board, workers=1, deadline=deadline)
    assert last.stopped
    assert last.move in board.legal_moves
    assert deadline.left_seconds() == 0.0


def test_a_search_says_how_long_it_was_held_up():
    board = Board.from_text("f5d6c3d3c4f4f6")
    root = Root(board.game, board.position, Options(workers=1))
    root.begin_search(None, 1.0)
    root.worker.longest_pause_ns = 25 * 10**6
    assert root.longest_pause_seconds == 0.025
    root.begin_search(None)
    assert root.longest_pause_seconds == 0.0
