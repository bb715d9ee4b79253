"""Intervals of workers: complete, in order, and in the formats that other programs read."""

import json
from itertools import pairwise

import numpy as np
import pytest

from outflank import Limits, OthelloBoard
from outflank.kernels.compiler import interpreted
from outflank.lab.measuring.traces import KINDS, folded_stacks, intervals, line_steps, merge_short, trace_lines
from outflank.parallel.events import (
    CLOSED,
    DONE,
    FOUND,
    GIVEN_UP,
    OFFERED,
    OPENED,
    SEEKING,
    STARTED,
    TAKEN,
    EventRecording,
)
from outflank.search.whole_search import search


@pytest.fixture(scope="module")
def traced():
    recording = EventRecording()
    depth = 3 if interpreted() else 7
    options = {"evaluation": "discs", "parallel": "ybw", "workers": 2, "threshold": 1}
    search(OthelloBoard.start(), Limits(depth=depth), instrument=recording, **options)
    return recording.take()


def test_a_hand_made_trace():
    code = 44 << 16
    rows = [
        (0, 0, STARTED, 7, 9, 0),
        (1000, 0, TAKEN, 7, code, 0),
        (3000, 500, DONE, 7, 0, 0),
        (4000, 500, OFFERED, 7, 0, 0),
        (4500, 0, SEEKING, 0, 0, 1),
        (6000, 0, FOUND, 7, 0, 1),
        (6500, 0, TAKEN, 7, 1 | 45 << 16, 1),
        (7000, 1, OPENED, 8, 8, 1),
        (9000, 40, GIVEN_UP, 8, 0, 1),
        (9500, 40, CLOSED, 8, 0, 1),
    ]
    found = list(intervals(np.array(rows, np.int64)))
    assert [(each["worker"], each["kind"], each["begin_us"], each["end_us"]) for each in found] == [
        (0, "schedule", 0, 1),
        (0, "search", 1, 3),
        (0, "spawn", 3, 4),
        (1, "idle", 4.5, 6),
        (1, "steal", 6, 6.5),
        (1, "spawn", 6.5, 7),
        (1, "abort", 7, 9),
        (1, "schedule", 9, 9.5),
    ]
    assert found[1]["line"] == "depth 9 44"
    assert found[6]["line"] == "depth 9 45"
    assert sum(each["nodes"] for each in found) == 540


def test_no_worker_does_two_things_at_once(traced):
    found = list(intervals(traced))
    assert {each["kind"] for each in found} <= set(KINDS)
    for worker in {each["worker"] for each in found}:
        mine = [each for each in found if each["worker"] == worker]
        assert all(one["end_us"] <= other["begin_us"] for one, other in pairwise(mine))


def test_joined_intervals_cover_the_same_time(traced):
    every = list(intervals(traced))
    few = merge_short(every, 50.0)
    assert len(few) <= len(every)
    for column in ("begin_us", "end_us"):
        assert {(each["worker"], each[column]) for each in few} <= {(each["worker"], each[column]) for each in every}
    assert sum(each["end_us"] - each["begin_us"] for each in few) == pytest.approx(
        sum(each["end_us"] - each["begin_us"] for each in every)
    )
    assert sum(each["nodes"] for each in few) == sum(each["nodes"] for each in every)


def test_the_trace_is_what_viewers_open(traced):
    found = list(intervals(traced))
    trace = json.loads("".join(trace_lines(found)))
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(spans) == len(found)
    assert all(event["dur"] >= 0 for event in spans)
    counts = [event["args"]["busy"] for event in trace["traceEvents"] if event["ph"] == "C"]
    assert 1 <= max(counts) <= 2
    assert counts[-1] == 0


def test_folded_stacks_have_a_number_at_the_end(traced):
    lines = folded_stacks(list(intervals(traced))).splitlines()
    assert lines
    for line in lines:
        stack, _, count = line.rpartition(" ")
        assert int(count) > 0
        assert stack.split(";")[-1] in KINDS


def test_a_line_begins_with_its_iteration():
    assert line_steps("depth 7 f5 d6") == ["depth 7", "f5", "d6"]
    assert line_steps("") == []
