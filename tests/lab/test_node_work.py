"""The work inside a node, in several ways that must all find the same."""

import numpy as np
import pytest

from outflank.errors import OutflankError
from outflank.kernels.bits import U64, popcount
from outflank.lab import experiment as registry
from outflank.lab.experiment_boards import study_positions
from outflank.lab.measuring.node_work import (
    BY_DIRECTIONS,
    BY_SQUARES,
    FLIPS,
    IN_LANES,
    MOVES,
    NOTHING,
    OPERATIONS,
    VALUE,
    WAYS,
    one_by_one,
    side_by_side,
)
from outflank.lab.studies.within import AFTER, BESIDE, TWO, _time_two_workers, boards_near
from outflank.othello.rules import flips, legal
from outflank.search.request import Stop

(MIDGAME,) = study_positions("othello", ("midgame",))


@pytest.fixture(scope="module")
def boards():
    return boards_near(MIDGAME, 40)


def test_boards_have_a_move_each(boards):
    owns, opps, _ = boards
    assert 20 <= len(owns) <= 40
    assert all(int(legal(own, opp)) & int(disc) for own, opp, disc in zip(*boards, strict=True))
    assert not (owns & opps).any()


@pytest.mark.parametrize("operation", [MOVES, FLIPS, VALUE])
def test_every_way_finds_what_the_rules_find(boards, operation):
    for own, opp, disc in list(zip(*boards, strict=True))[:12]:
        right = {
            MOVES: lambda own, opp, disc: int(legal(own, opp)),
            FLIPS: lambda own, opp, disc: int(flips(own, opp, disc)),
            VALUE: lambda own, opp, disc: 64 + int(popcount(own)) - int(popcount(opp)),
        }[operation](own, opp, disc)
        one = [np.array([word], np.uint64) for word in (own, opp, disc)]
        for way in (BY_SQUARES, BY_DIRECTIONS, IN_LANES):
            assert int(one_by_one(operation, way, 2, *one, U64(0))) == right, WAYS[way]
            assert int(side_by_side(operation, way, 2, *one)) == right, WAYS[way]


@pytest.mark.parametrize("operation", range(len(OPERATIONS)))
def test_two_workers_find_the_same_as_one(boards, operation):
    _, seconds, found = _time_two_workers(operation, *boards, Stop())
    assert found == int(one_by_one(operation, IN_LANES, 1, *boards, U64(0)))
    assert seconds > 0


def test_a_stop_ends_two_workers(boards):
    stop = Stop()
    stop()
    assert _time_two_workers(NOTHING, *boards, stop)[0] > 0  # it comes back


@pytest.mark.interpreted_only
def test_two_workers_are_told_to_gain_only_where_they_do():
    experiment = registry.experiment_named("within")
    chosen = experiment.parameters(positions=("midgame",), rounds=1)

    def sample(operation, way, nanoseconds, order=AFTER, found="1"):
        return {
            "position": "midgame",
            "operation": operation,
            "way": way,
            "order": order,
            "round": 1,
            "calls": 1,
            "seconds": 1.0,
            "nanoseconds": nanoseconds,
            "found": found,
        }

    def concluded(together, **more):
        return experiment.conclude(
            chosen,
            [
                sample("nothing", WAYS[IN_LANES], 5.0),
                sample("nothing", TWO, 250.0),
                sample("move generation", WAYS[BY_DIRECTIONS], 30.0),
                sample("move generation", WAYS[IN_LANES], 20.0),
                sample("move generation", WAYS[IN_LANES], 10.0, order=BESIDE),
                sample("move generation", TWO, together, **more),
            ],
        )

    slow, fast = concluded(260.0), concluded(12.0)
    assert "1.50 times as fast as direction by direction" in slow.notes[0]
    assert "costs 250 ns, 12.5 times the whole call" in slow.notes[0]
    assert "costs 12 ns" in fast.notes[0]  # no more than the quickest that was shared
    assert "nothing is gained there" in slow.notes[0]
    assert "that is a gain" in fast.notes[0]
    assert slow.passed
    assert not concluded(260.0, found="2").passed
    assert slow.tables[0].column("a call beside others (ns)") == [None, 10.0, None]


@pytest.mark.interpreted_only
def test_too_few_boards_to_time_are_refused():
    with pytest.raises(OutflankError, match="boards"):
        registry.experiment_named("within").parameters(boards=3)
