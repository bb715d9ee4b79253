"""The stop protocol: who is told to give up, and who is not."""

import numpy as np
import pytest

from outflank.kernels.memory import address_of
from outflank.kernels.record_types import allocate
from outflank.parallel.shared_state import FRAME
from outflank.search import stopping
from outflank.search.stopping import BELL, HEARING, LIFELINE, halt, poll_stop, ring
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
    assert set(HEARING) <= set(WORKER.names)


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
