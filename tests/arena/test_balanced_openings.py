"""Balanced openings: they are within the margin, do not depend on workers or interruptions, and are shipped."""

import json
from functools import partial

import pytest

from outflank import Board, Limits, OthelloBoard, search
from outflank.arena import balanced_openings
from outflank.arena.balanced_openings import BalancePlan, find_balanced_openings
from outflank.arena.openings import Openings
from outflank.errors import OutflankError
from outflank.search.request import Stop
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only

START = OthelloBoard.start(6)
PLAN = BalancePlan(plies=4, within=4.0, depth=1, count=12, seed=3)
BATCH = 4
find = partial(find_balanced_openings, START, plan=PLAN)


@pytest.fixture
def run(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return call


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(balanced_openings, "BATCH", BATCH)


def test_each_is_within_the_margin_and_no_two_are_the_same(tmp_path):
    path = tmp_path / "list.txt"
    found, searched = find(path, stop=Stop(), workers=2)
    assert (found, searched % BATCH) == (12, 0)
    openings = Openings(str(path), START, seed=1, count=12)  # which leaves out what is the same or symmetric
    for number in range(12):
        board = openings[number]
        assert (len(board.moves), board.turn) == (4, START.turn)
        value = search(board, Limits(depth=1), workers=1)
        assert abs(value.scale.number(value.value)) <= PLAN.within
    assert find(path, stop=Stop()) == (found, searched)  # nothing is left to do


def test_neither_workers_nor_interruptions_change_them(tmp_path):
    whole, pieces = tmp_path / "whole.txt", tmp_path / "pieces.txt"
    plan = BalancePlan(plies=4, within=2.0, depth=1, count=5, seed=3)
    find_balanced_openings(START, whole, plan, stop=Stop(), workers=1)
    assert whole.read_text().splitlines()[-1] != f"# {BATCH} positions searched", "it takes several batches"
    for _ in range(20):
        stop = Stop()
        begun: list[int] = []

        def report(found, searched, stop=stop, begun=begun):
            begun.append(searched)
            if searched - begun[0] > BATCH * 1.3:
                stop()

        find_balanced_openings(START, pieces, plan, stop=stop, progress=report, workers=2)
        if not stop.called:
            break
    assert pieces.read_text() == whole.read_text()


@pytest.mark.slow(3)
def test_it_ends_when_all_openings_are_searched(tmp_path):
    plan = BalancePlan(plies=2, within=64.0, depth=1, count=99, seed=3)
    assert find_balanced_openings(START, tmp_path / "list.txt", plan, stop=Stop()) == (3, 3)
    assert find_balanced_openings(START, tmp_path / "list.txt", plan, stop=Stop()) == (3, 3)


def test_a_file_of_another_kind_is_not_written_over(tmp_path):
    path = tmp_path / "list.txt"
    for text in ("f5d6\n", "", "# openings\n# 12 positions searched\n"):
        path.write_text(text)
        with pytest.raises(OutflankError, match="was not begun with the same options"):
            find(path, stop=Stop())
        assert path.read_text() == text


@pytest.mark.slow(4)
def test_a_start_in_the_middle_of_a_game_is_written_as_positions(tmp_path):
    path = tmp_path / "list.txt"
    middle = Board.from_text(START.to_text())
    for _ in range(6):
        middle.push(middle.legal_moves[0])
    middle = Board.from_text(middle.to_text())
    find_balanced_openings(middle, path, PLAN, stop=Stop())
    opening = Openings(str(path), middle, seed=1, count=3)[0]
    assert opening.ply == middle.ply + 4


def test_the_command_finds_and_continues(run, tmp_path):
    path = tmp_path / "list.txt"
    words = [
        "book",
        "openings",
        "--size",
        6,
        "--plies",
        4,
        "--depth",
        1,
        "--count",
        3,
        "--out",
        path,
        "--quiet",
        "--within",
        9,
    ]
    words += ["--within", 9]
    status, out, _ = run(*words, "--json")
    document = json.loads(out)
    assert (status, document["schema"], document["openings"]) == (0, "outflank/openings-found/1", 3)
    assert run(*words)[:2] == (0, f"{path}: 3 openings in {document['searched']} positions\n")
    status, _, err = run(*words, "--seed", 2)
    assert status == 2
    assert "same options" in err
    short = tmp_path / "short.txt"
    assert run(*words, "--plies", 1, "--out", short)[1].endswith("1 opening in 1 position; there are no more\n")


def test_the_shipped_list_is_for_the_start_on_8x8():
    openings = Openings("balanced", OthelloBoard.start(scoring="discs"), seed=1, count=300)
    first = openings[0]
    assert (first.ply, first.game) == (8, OthelloBoard.start(scoring="discs").game)
    assert [openings[number].transcript() for number in range(5)] != [
        Openings("balanced", OthelloBoard.start(), seed=2, count=5)[number].transcript() for number in range(5)
    ]
    assert all(openings[number].ply == 8 for number in range(300))
    for start in (OthelloBoard.start(6), OthelloBoard.from_text("f5")):
        with pytest.raises(OutflankError, match="no balanced openings from this start"):
            Openings("balanced", start, seed=1, count=2)
    with pytest.raises(OutflankError, match="without a number of plies"):
        Openings("balanced:4", OthelloBoard.start(), seed=1, count=2)
