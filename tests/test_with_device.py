"""A search whose endings a device solves: here something else answers, in its place."""

import time

import numpy as np
import pytest

import outflank
from outflank.errors import InvalidOption
from outflank.gpu import desk as desks
from outflank.gpu.troubles import DeviceLost, NoDevice
from outflank.kernels.posting import QUESTION, answer, take
from outflank.kernels.record_types import allocate
from outflank.parallel import with_device
from outflank.parallel.divided import Divided
from outflank.search.contract import Options
from outflank.search.many_endings import solve_many
from outflank.search.root import Root

pytestmark = pytest.mark.compiled

POSITIONS = (  # 19 and 20 squares empty
    "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O",
    "--O-------OOX---OOOXXXO-OOOOXOXXXXXOOXOXXXXXXOOXX-XXXXOX--XXXX-- X",
)


@pytest.fixture
def asked(monkeypatch):
    """How many endings were asked for; each is answered by the CPU's kernels."""
    count = []
    # All is compiled before a search begins, or that might be over before the first question is taken.
    nobody, nothing = allocate(QUESTION, 1), np.zeros(1, np.int64)
    answer(
        nobody,
        nothing,
        np.zeros(1, np.int8),
        take(nobody, np.zeros((1, 2), np.uint64), np.zeros((1, 2), np.int8), nothing),
    )
    solve_many(outflank.OthelloBoard.start().game, np.array([[0x7FFFFFFFFFFFFFFE, 1]], np.uint64))

    def answer_all(desk):
        room = len(desk.questions)
        words, windows = np.zeros((room, 2), np.uint64), np.zeros((room, 2), np.int8)
        owners = np.zeros(room, np.int64)
        while not desk._over.is_set():
            taken = take(desk.questions, words, windows, owners)
            if taken == 0:
                time.sleep(1e-4)
                continue
            count.append(taken)
            found = solve_many(desk._game, words[:taken]).astype(np.int8)
            answer(desk.questions, owners, found, taken)

    monkeypatch.setattr(desks, "check_device", lambda: None)
    monkeypatch.setattr(with_device, "on_device", lambda asked, there, here: there())
    monkeypatch.setattr(desks.Desk, "_answer_all", answer_all)
    monkeypatch.setattr(with_device, "ASKED", 12)
    return count


@pytest.mark.parametrize("text", POSITIONS)
def test_the_value_is_that_of_the_cpu_alone(asked, text) -> None:
    board = outflank.Board.from_text(text)
    alone = outflank.solve(board, workers=1)
    for workers in (2, 9):
        found = outflank.solve(board, device="gpu", workers=workers)
        assert (found.value, found.exact, found.lower, found.upper) == (alone.value, True, alone.value, alone.value)
    assert sum(asked) > 0


def test_nobody_waits_for_a_device_that_is_slow(asked, monkeypatch) -> None:
    held, awaited = [], []

    def take_and_keep(desk):
        room = len(desk.questions)
        words, windows, owners = np.zeros((room, 2), np.uint64), np.zeros((room, 2), np.int8), np.zeros(room, np.int64)
        while not desk._over.is_set():
            taken = take(desk.questions, words, windows, owners)
            if taken == 0:
                time.sleep(1e-4)
                continue
            held.append(taken)
            time.sleep(0.3)  # far longer than anybody waits
            awaited.append(answer(desk.questions, owners, np.full(taken, 64, np.int8), taken))

    monkeypatch.setattr(desks.Desk, "_answer_all", take_and_keep)
    board = outflank.Board.from_text(POSITIONS[1])
    assert outflank.solve(board, device="gpu", workers=6).value == outflank.solve(board, workers=1).value
    assert sum(held) > 0 == sum(awaited)  # all had gone on by themselves


def test_a_device_that_is_lost_is_told_or_the_cpu_goes_on(asked, monkeypatch) -> None:
    def lose(desk):
        raise DeviceLost("device gpu: it was lost")

    monkeypatch.setattr(desks.Desk, "_answer_all", lose)
    board = outflank.Board.from_text(POSITIONS[0])
    with pytest.raises(DeviceLost, match="it was lost"):
        outflank.solve(board, device="gpu", workers=4)
    with pytest.warns(RuntimeWarning, match="it was lost: the CPU goes on"):
        found = outflank.solve(board, device="gpu-or-cpu", workers=4)
    assert found.value == outflank.solve(board, workers=1).value


def test_whatever_ends_the_answers_is_told(asked, monkeypatch) -> None:
    def fail(desk):
        raise RuntimeError("not a trouble of CUDA's")

    monkeypatch.setattr(desks.Desk, "_answer_all", fail)
    with pytest.raises(RuntimeError, match="not a trouble of CUDA's"):
        outflank.solve(outflank.Board.from_text(POSITIONS[0]), device="gpu", workers=4)


def test_without_a_device_nothing_is_begun(monkeypatch) -> None:
    def none() -> None:
        raise NoDevice("device gpu: there is none")

    monkeypatch.setattr("outflank.gpu.device.check_device", none)
    board = outflank.Board.from_text(POSITIONS[0])
    with pytest.raises(NoDevice):
        next(outflank.iterate(board, exact=True, device="gpu"))
    with pytest.warns(RuntimeWarning, match="there is none: the CPU goes on"):
        found = outflank.solve(board, device="gpu-or-cpu")
    assert found.value == outflank.solve(board, workers=1).value


def test_a_game_without_such_a_solver_is_left_to_the_cpu_where_that_may_go_on() -> None:
    board = outflank.AbaloneBoard.start()
    with pytest.raises(InvalidOption, match="this game's endings are solved on the CPU"):
        next(outflank.iterate(board, exact=True, device="gpu"))
    root = Root(board.game, board.position, Options(exact=True, device="gpu-or-cpu"))
    with pytest.warns(RuntimeWarning, match="this game's endings are solved on the CPU"):
        assert type(with_device.ON_GPU.divide(root, 2)) is Divided


def test_what_a_device_cannot_do_is_refused() -> None:
    board = outflank.Board.from_text(POSITIONS[0])
    with pytest.raises(InvalidOption, match="parallel beside device gpu"):
        outflank.solve(board, device="gpu", parallel="ybw")
    with pytest.raises(InvalidOption, match="alphabeta searches on the CPU"):
        outflank.search(board, device="gpu", algorithm="alphabeta", depth=3)
