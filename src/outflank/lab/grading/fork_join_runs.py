"""Runs of a submission's fork-join programs: values, work and span in nodes, and races."""

from collections.abc import Iterable
from functools import partial
from unittest.mock import patch

from outflank import forkjoin
from outflank.errors import OutflankError
from outflank.forkjoin import recording as recordings
from outflank.lab.grading.assignment import Program, Wrong
from outflank.lab.grading.counted_game import PLAYED
from outflank.lab.grading.oracles import Position
from outflank.lab.races.task_check import check_program
from outflank.lab.spans.task_spans import task_spans
from outflank.lab.spans.work_and_span import BURDEN_NODES, Spans


def program_of(submission: Program, position: Position, *arguments: int) -> forkjoin.Program:
    """Return the submission's program for a position."""
    program = submission.program(position.game, position.words, *arguments)
    if not isinstance(program, forkjoin.Program):
        raise Wrong(f"program returns {program!r}, and not a forkjoin.Program")
    return program


def outcome_of(submission: Program, position: Position, *arguments: int, workers: int) -> forkjoin.Outcome:
    """Run the submission's program for a position."""
    try:
        return program_of(submission, position, *arguments).measure(workers=workers)
    except OutflankError as error:
        raise Wrong(str(error)) from None


def spans_of(submission: Program, position: Position, *arguments: int) -> Spans:
    """Return work and span of the submission's program on one worker, in nodes.

    The clock of the recording is replaced by the number of moves played, so that the figures are exact.
    """
    recording = forkjoin.Recording(1 << 16)
    program = program_of(submission, position, *arguments)
    with patch.object(recordings, "nanoseconds", lambda: PLAYED[0]):
        try:
            program.measure(workers=1, recording=recording)
        except OutflankError as error:
            raise Wrong(str(error)) from None
    if recording.lost:
        raise Wrong(f"more than {recording.capacity:,} spawns and syncs: spawn larger tasks")
    spans = task_spans(recording.events, burden=BURDEN_NODES)
    if spans.work == 0:
        raise Wrong("the program plays no move")
    return spans


def expect_no_race(submission: Program, cases: Iterable[tuple[Position, int]], *, seed: int, schedules: int) -> int:
    """Run programs on two workers under seeded schedules; return the number of accesses.

    Raise `Wrong` if there is a race, or if the value under some schedule is not the value that one worker finds.
    """
    accesses = 0
    for position, depth in cases:
        findings = check_program(
            partial(program_of, submission, position, depth), workers=2, seed=seed, schedules=schedules
        )
        accesses += findings.accesses
        if findings.undeclared:
            raise Wrong(f"a race: {findings.undeclared[0]}")
        if findings.unfinished:
            raise Wrong(findings.unfinished[0])
        if findings.wrong:
            value, expected = findings.wrong[0]
            raise Wrong(f"two workers return {value}, and one returns {expected}, at {position}")
    return accesses
