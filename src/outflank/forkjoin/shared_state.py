"""The records of a run: one for the run itself, one for each worker, and frames, which hold spawned tasks.

A frame belongs to the worker that spawns the task. This worker takes the frame from its own list, and returns it to the
list when it syncs; no other worker changes the list. A thief reads the arguments and writes the result.
"""

from typing import TypeAlias

import numpy as np

from outflank.kernels.compiler import inner
from outflank.kernels.memory import record_at
from outflank.kernels.record_types import Record, record_type

FRAMES = 4096
"""Frames of a worker, and capacity of its deque, so that a deque is never full. A child that finds no frame is not
offered to others: its parent runs it when it syncs."""

ARGUMENT_WORDS, RESULT_WORDS = 9, 4
"""Maximum number of words of a task's arguments, without the worker, and of its result. A frame then has 128 bytes."""

RUN = record_type(
    {
        "workers": np.int64,  # address of the first worker's record
        "count": np.int64,  # number of workers
        # words that change during a run
        "over": np.int64,  # not 0: the first task has returned, or the run was stopped
        "sleepers": np.int64,
        "wake": np.int64,  # sleepers wait for this word to change
    },
    own_lines=("over", "sleepers", "wake"),
)

HAND = record_type(
    {
        # the deque: thieves write `top`, the owner `bottom`
        "top": np.int64,
        "bottom": np.int64,
        "stop": np.int64,  # not 0: the worker must give up, because the run was stopped or a task has failed
        "permits": (np.int64, FRAMES),  # addresses of frames
        # only the owner writes the following
        "id": np.int64,
        "run": np.int64,  # address of the run's record
        "free": np.int64,  # list of frames that were used and returned
        "fresh": np.int64,  # address of the first frame that was never used
        "end": np.int64,  # address after the last frame
        "random": np.uint64,
        # statistics
        "spawns": np.int64,
        "syncs": np.int64,
        "steals": np.int64,
        "tries": np.int64,
        "shortages": np.int64,  # spawns that found no frame
        "idle_ns": np.int64,
    },
    own_lines=("top", "bottom", "stop"),
)

FRAME = record_type(
    {
        "state": np.int64,  # `OFFERED`, `DONE`, or the number of the thief
        "entry": np.int64,  # address of the code that runs the task
        "link": np.int64,  # next frame of the list of returned frames
        "arguments": (np.uint64, ARGUMENT_WORDS),
        "result": (np.uint64, RESULT_WORDS),
    }
)

OFFERED, DONE = -1, -2
"""States of a frame: its task waits in a deque, or has ended. While a thief runs the task, the state is the thief's
number."""

HAND_BYTES, FRAME_BYTES = HAND.itemsize, FRAME.itemsize


Run: TypeAlias = Record
"""A record of type `RUN`."""

Hand: TypeAlias = Record
"""A record of type `HAND`."""

Frame: TypeAlias = Record
"""A record of type `FRAME`."""


@inner
def frame_at(address: int) -> Frame:
    """Return the frame at an address."""
    return record_at(address, FRAME)


@inner
def run_of(hand: Hand) -> Run:
    """Return the record of a worker's run."""
    return record_at(hand.run, RUN)


@inner
def hand_of(run: Run, number: int) -> Hand:
    """Return the record of worker `number`."""
    return record_at(run.workers + number * HAND_BYTES, HAND)
