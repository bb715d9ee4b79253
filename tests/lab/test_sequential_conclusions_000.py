"""Measurements that only report 000's conclusions on its sequential program need, on a small scale."""

import pytest

from outflank.lab.reproduction import sequential_conclusions_000 as measured
from outflank.search.request import Stop


def cells(source, *arguments):
    return {(cell.row, cell.column): cell.ours for cell in source(*arguments, Stop())}


@pytest.mark.interpreted_only
def test_rules_are_counted_in_random_games():
    found = {row[0]: ours for (row, _), ours in cells(measured._rules, 3).items()}
    assert found["boards of random games"] > 3 * 50
    assert found["boards with an empty centre square"] == 0
    assert found["different images of a board"] == 8
    assert (found["first moves"], found["first moves that differ"]) == (4, 1)
    assert found["6×6 lines of play, log10"] > 12


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_one_choice_varies_at_a_time():
    tables = cells(measured._tables, 2)
    assert {row[1] for row, _ in tables} == set(measured.TABLES)
    assert {row[0] for row, _ in tables} == set(measured.VARIED)
    assert all(count > 0 for count in tables.values())
    boards = cells(measured._without_potential, 3)
    by_evaluation = {
        name: [count for (row, _), count in boards.items() if row[0] == name] for name in measured.EVALUATIONS
    }
    assert [len(counts) for counts in by_evaluation.values()] == [7, 7]
    assert by_evaluation["four-part"] != by_evaluation["without potential mobility"]
