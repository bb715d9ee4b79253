"""`outflank solve` and `outflank train label` with `--device gpu`, in Numba's simulator: they tell what a CPU tells."""

import pytest

from outflank import Board, Table, iterate, solve
from outflank.errors import InvalidOption, OutflankError
from outflank.games.description import game_named
from outflank.gpu.troubles import NoDevice
from outflank.learning.labelling import Labels
from outflank.learning.subject import Judge, Subject
from outflank.search.request import Stop
from outflank.ui.cli import main
from outflank.ui.cli.solving.solve_run import solve_on_device
from tests.simulator import simulated

pytestmark = pytest.mark.interpreted_only

BEGIN = """
import json
import os
import random
import signal
import sys
import warnings
from pathlib import Path

import numpy as np

import outflank
from outflank.gpu import by_moves
from outflank.gpu import ending_kernels as endings
from outflank.gpu import solving_on_device as solving
from tests.simulator import called

solving.THREADS, solving.BLOCKS_PER_MULTIPROCESSOR, endings.CHECK_MASK, solving.DIVIDED = 3, 1, 1, 9
lots = random.Random(20261116)


def drawn(size, scoring, free):
    while True:
        board = outflank.OthelloBoard.start(size, scoring=scoring)
        while board.legal_moves:
            if board.moves_left <= free:
                return board
            board.push(lots.choice(board.legal_moves))
"""

BOARDS = """
passing = outflank.Board.from_text("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- O")
over = outflank.Board.from_text("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX---- O")
assert passing.must_pass and not over.legal_moves
boards = [
    drawn(8, "winner-takes-empties", 5),
    drawn(4, "discs", 6),
    passing,
    drawn(8, "discs", 4),
    over,
    drawn(8, "winner-takes-empties", 3),
    drawn(4, "discs", 5),
]
told = []
for wld in (False, True):
    for every_move in (False, True):
        found = by_moves.solve_boards(
            boards, wld=wld, every_move=every_move, progress=lambda *done: told.append(done)
        )
        for board, there in zip(boards, found, strict=True):
            here = outflank.solve(board, wld=wld, moves=max(1, len(board.legal_moves)), workers=1, parallel=None)
            same = ("value", "depth", "exact", "value_text", "scale", "stopped")
            assert [getattr(there, name) for name in same] == [getattr(here, name) for name in same], (there, here)
            worth = {each.move: each.value for each in here.best}
            if every_move:
                assert {each.move: each.value for each in there.best} == worth, (there, here)
                values = [each.value for each in there.best]
                assert values == sorted(values, reverse=True)
            else:
                assert [(each.move, each.value) for each in there.best] == [(there.move, there.value)][: len(worth)]
            if not wld:
                # Of equal moves the first in the game's order.
                best = [move for move in board.legal_moves if worth[move] == there.value]
                assert there.move == (best[0] if best else None), (there, here)
                assert there.lower == there.upper == there.value
            assert there.pv == ((there.move,) if there.move else ())
    moves = sum(len(board.legal_moves) for board in boards)
    assert told[-1] == (moves, moves) and all(total == moves for _, total in told), told
assert by_moves.solve_boards([]) == []
assert sum(each.nodes for each in found) > 0 and len({each.seconds for each in found}) == 1
for wld in (False, True):
    for number, board in enumerate(boards):
        alone = outflank.solve(board, device="gpu", wld=wld, moves=2)
        (one,) = by_moves.solve_boards([board], wld=wld, every_move=True)
        assert (alone.value, alone.move, alone.best, alone.exact) == (one.value, one.move, one.best[:2], True), alone
        assert alone.device == ("gpu" if board.legal_moves else "cpu")
assert by_moves.solvable_indices([outflank.OthelloBoard.start(), over, outflank.OthelloBoard.start(4)]) == [1, 2]
print("the same")
"""

TABLES = """
LONG = f"{'X' * 46}{'-' * 18} O;"
script = Path(sys.argv[1]) / "endings.obf"
near = [drawn(8, "winner-takes-empties", free) for free in (4, 3, 5)]
best = outflank.solve(near[0], workers=1, parallel=None)
lines = [f"{near[0].to_text()}; {best.move}:{best.value:+d};", near[1].to_text(), LONG, f"{near[2].to_text()}; A1:+99;"]
script.write_text("\\n".join(lines))

# What it took, which of equal moves is the best, how far a line is followed, and what more is known than who wins.
differ = {"nodes", "seconds", "nodes_per_second", "table_bytes", "worker_bytes", "device", "move", "moves", "pv"}
for options in ([], ["--moves"], ["--wld"]):
    here, there = (
        called("solve", str(script), "--json", "--workers", "1", *options, "--device", device)
        for device in ("cpu", "gpu")
    )
    assert here[0] == there[0] == 1 and not here[2], (here, there)
    assert there[2] == "outflank: 1 position with more than 16 free cells: for the CPU, after the others\\n", there
    documents = [list(map(json.loads, each[1].splitlines())) for each in (here, there)]
    for one, other in zip(*documents, strict=True):
        more = {"lower", "upper"} if options == ["--wld"] else set()
        assert {name for name in one if one[name] != other[name]} <= differ | more, (one, other)
        if "pv" in other and other["move"] == one["move"]:
            assert other["pv"] == one["pv"][:1]
        if options == ["--moves"] and "moves" in one:
            assert {each["move"]: each["value"] for each in one["moves"]} == {
                each["move"]: each["value"] for each in other["moves"]
            }
    assert [each.get("device") for each in documents[1]] == ["gpu", "gpu", "cpu", "gpu", None]
    assert documents[1][0]["table_bytes"] > 0 < documents[1][0]["worker_bytes"]

status, out, err = called("solve", str(script), "--device", "gpu", "--moves")
assert status == 1 and "4 of 4 positions proved, 1 not as expected" in out and "memory: " in out, out
assert [line.split()[0] for line in out.splitlines() if line[:8].strip().isdigit()] == ["1", "2", "3", "4"], out

# Ctrl-C, as soon as the first batch is there: what is proved is told, and the first that is not.
by_moves.SMALLEST, by_moves.ROOM = 1, len(near[0].legal_moves)
whole = solving.Slot.collect
collected = []


def interrupted(slot):
    collected.append(slot)
    if len(collected) == 2:  # the first one compiles
        os.kill(os.getpid(), signal.SIGINT)
        while not stops[-1].called:
            pass
    return whole(slot)


from outflank.search.request import Stop

stops = []
begin = Stop.__init__


def noted(stop):
    begin(stop)
    stops.append(stop)


Stop.__init__, solving.Slot.collect = noted, interrupted
for options in ([], ["--json"]):
    collected.clear()
    status, out, err = called("solve", str(script), "--device", "gpu", *options)
    assert status == 130, (status, out, err)
    if options:
        first, second, total = map(json.loads, out.splitlines())
        assert (first["exact"], second["exact"], second["stopped"]) == (True, False, True), out
        assert (total["proved"], total["positions"], total["interrupted"]) == (1, 2, True), total
    else:
        assert "1 of 2 positions proved" in out and "not proved" in out, out
print("told alike")
"""

LOST = """
from outflank.gpu.troubles import DeviceLost

script = Path(sys.argv[1]) / "endings.obf"
several = (board for board in iter(lambda: drawn(8, "winner-takes-empties", 4), None) if len(board.legal_moves) > 1)
near = [next(several) for _ in range(3)]
over = outflank.Board.from_text("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX---- O")
long = f"{'X' * 46}{'-' * 18} O"
script.write_text("\\n".join(f"{each};" for each in [*(board.to_text() for board in near), over.to_text(), long]))
right = [outflank.solve(board, workers=1, parallel=None).value for board in (*near, over)]
moves = [len(board.legal_moves) for board in near]


class CudaDriverError(Exception):
    pass


def losing(after):
    '''Lose the device when so many batches have been solved; one more ran before, which compiles.'''
    collected = []

    def collect(slot):
        collected.append(slot)
        if len(collected) > after + 1:
            raise CudaDriverError("Call to cuStreamSynchronize results in CUDA_ERROR_LAUNCH_FAILED")
        return whole(slot)

    solving.Slot.collect = collect


whole = solving.Slot.collect
by_moves.SMALLEST = by_moves.ROOM = 1  # a batch for each ending
line = "device gpu: it was lost on the way, with all that it held; this process cannot use it again"
named = "(CUDA_ERROR_LAUNCH_FAILED)"
told_before = "outflank: 1 position with more than 16 free cells: for the CPU, after the others\\n"

# In Python: results of what was proved, and of what was not.
losing(moves[0] + 1)
try:
    by_moves.solve_boards(near)
    raise SystemExit("it was not lost")
except DeviceLost as lost:
    found = lost.partial_result
assert [(each.value, each.exact, each.device) for each in found] == [
    (right[0], True, "gpu"),
    (None, False, "gpu"),
    (None, False, "gpu"),
], found
assert found[1].lower is not None and found[1].lower <= right[1] and found[2].lower is None, found

# With `gpu`: what was proved, the first that was not, and the line.
for options in ([], ["--json"]):
    losing(moves[0] + 1)
    status, out, err = called("solve", str(script), "--device", "gpu", *options)
    assert (status, err) == (2, f"{told_before}outflank: {line} {named}; this is what is proved\\n"), (status, err)
    if options:
        first, second, ended, total = map(json.loads, out.splitlines())
        assert (first["value"], first["exact"], first["device"]) == (right[0], True, "gpu"), first
        assert (second["value"], second["exact"], second["stopped"]) == (None, False, True), second
        assert (ended["number"], ended["value"], ended["device"]) == (4, right[3], "cpu"), ended
        assert (total["proved"], total["positions"], total["interrupted"]) == (2, 3, False), total
    else:
        assert "2 of 3 positions proved" in out and "not proved" in out, out

# Before anything is proved there is nothing to tell but the line.
script.write_text(f"{near[0].to_text()};")
for options in ([], ["--json"]):
    losing(0)
    assert called("solve", str(script), "--device", "gpu", *options) == (2, "", f"outflank: {line} {named}\\n")

# With `gpu-or-cpu` the CPU solves the rest, and each position has who solved it.
script.write_text("\\n".join(f"{board.to_text()};" for board in (*near, over)))
for options in ([], ["--json"]):
    losing(moves[0] + 1)
    status, out, err = called("solve", str(script), "--device", "gpu-or-cpu", *options)
    assert (status, err) == (0, f"outflank: warning: {line} {named}: the CPU goes on\\n"), (status, err)
    if options:
        *each, total = map(json.loads, out.splitlines())
        assert [document["value"] for document in each] == right, each
        assert [document["device"] for document in each] == ["gpu", "gpu+cpu", "cpu", "cpu"], each
        assert total["proved"] == 4, total
    else:
        assert "4 of 4 positions proved" in out, out
print("nothing is lost but the device")
"""

LABELS = """
from outflank.games.description import game_named
from outflank.learning import fit, labelling
from outflank.learning.generating import Generation, generate
from outflank.learning.labelling import Labels, label
from outflank.learning.pieces import Halted, Work
from outflank.search.request import Stop

labelling.ROWS, labelling.PORTION = 4, 8
fit.on_device = lambda device, there, here: here()  # a simulator takes long to fit; that it does is another test's
labels = Labels(plies=1, exact=5, passes=2)
here, there, cut, gone = (Path(sys.argv[1]) / name for name in ("here", "there", "cut", "gone"))
for folder in (here, there, cut, gone):
    generate(folder, Generation(start=game_named("othello").start(size=4), positions=80, per_game=4, seed=5), Work())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


asked = []
solve = solving.solve
solving.solve = lambda boards, *rest, **options: asked.append(len(boards)) or solve(boards, *rest, room=4, **options)
label(here, labels, Work())
assert not asked
made = label(there, labels, Work(device="gpu"))
assert contents(there) == contents(here)
assert sum(asked) == made.solved > 16 and len(asked) > 1, (asked, made)

# Interrupted in the middle of a portion: whole parts are kept, and not solved again.
stop = Stop()
said = []


def tell(text):
    said.append(text)
    if len(said) == 3:
        stop()


try:
    label(cut, labels, Work(device="gpu", stop=stop, progress=tell))
    raise SystemExit("it was not interrupted")
except Halted:
    pass
assert said[0].startswith("label: ") and said[0].endswith(f" of {made.solved} endings solved"), said
kept = sum(len(np.load(path)["values"]) for path in (cut / "values.parts").iterdir())
assert 8 < kept < made.solved, kept
asked.clear()
label(cut, labels, Work(device="gpu"))
assert sum(asked) == made.solved - kept, (asked, kept, made)
assert contents(cut) == contents(here)

# So it is where the device is lost, in the second portion; and the CPU solves the rest if it may.
from outflank.gpu.troubles import DeviceLost

whole, collected = solving.Slot.collect, []


def lost(slot):
    collected.append(slot)
    if len(collected) > 3:
        raise DeviceLost("device gpu: it was lost")
    return whole(slot)


solving.Slot.collect = lost
try:
    label(gone, labels, Work(device="gpu"))
    raise SystemExit("it was not lost")
except DeviceLost:
    kept = sum(len(np.load(path)["values"]) for path in (gone / "values.parts").iterdir())
assert 8 < kept < made.solved, kept
asked.clear(), collected.clear()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    label(gone, labels, Work(device="gpu-or-cpu"))
assert {str(each.message) for each in caught} == {"device gpu: it was lost: the CPU goes on"}
assert sum(asked) == made.solved - kept and len(collected) > 3, (asked, kept)
assert contents(gone) == contents(here)
print("to the bit")
"""


@pytest.mark.slow(3)
def test_boards_have_the_results_of_a_search() -> None:
    assert simulated(BEGIN + BOARDS) == "the same\n"


@pytest.mark.slow(2)
def test_solve_tells_what_it_tells_of_a_cpu(tmp_path) -> None:
    assert simulated(BEGIN + TABLES, tmp_path) == "told alike\n"


@pytest.mark.slow(2)
def test_what_was_solved_is_told_when_the_device_is_lost(tmp_path) -> None:
    assert simulated(BEGIN + LOST, tmp_path, warned="always") == "nothing is lost but the device\n"


@pytest.mark.slow(4)
def test_labels_are_the_same_to_the_bit_and_go_on_where_they_were(tmp_path) -> None:
    assert simulated(BEGIN + LABELS, tmp_path) == "to the bit\n"


def refused(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (2, "", 1)
    return str(err)


@pytest.mark.parametrize(
    "option", [("--proof", "p"), ("--save", "s"), ("--cluster", "inside:2"), ("--time", "9"), ("--nodes", "9")]
)
def test_what_makes_no_sense_on_a_device_is_refused(option, monkeypatch, capsys) -> None:
    monkeypatch.setattr("outflank.gpu.device.check_device", lambda: None)
    told = refused(capsys, "solve", "--size", "4", "--device", "gpu", *option)
    assert told.startswith(f"outflank: {option[0]} ")
    assert told.endswith(f": leave out --device, or {option[0]}\n")


def test_a_game_without_such_a_solver_is_refused(monkeypatch, capsys) -> None:
    monkeypatch.setattr("outflank.gpu.device.check_device", lambda: None)
    told = refused(capsys, "solve", "--game", "abalone", "--device", "gpu")
    assert told.startswith("outflank: device gpu: it solves endings only of games whose moves are cells")


def test_a_game_without_such_a_solver_is_left_to_the_cpu_where_that_may_go_on() -> None:
    board = game_named("abalone").start()
    how = {"wld": False, "every_move": False, "quiet": True}
    with pytest.warns(RuntimeWarning, match="games whose moves are cells of a board: the CPU goes on"):
        assert solve_on_device([board], "gpu-or-cpu", Stop(), **how) == ({}, None)


def test_without_a_device_nothing_is_begun(monkeypatch, capsys, tmp_path) -> None:
    def none() -> None:
        raise NoDevice("device gpu: there is none")

    monkeypatch.setattr("outflank.gpu.device.check_device", none)
    for arguments in (["solve", "--size", "4"], ["train", "label", str(tmp_path / "learning")]):
        assert refused(capsys, *arguments, "--device", "gpu") == "outflank: device gpu: there is none\n"
    assert not list(tmp_path.iterdir())


LONG = "--OOOO--X-OOOOO-XXOOXOXXXOXOXXXXXXXOXXXX-XXOXOXX--OXXX-X----X--- O"
SHORT = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- O"


@pytest.fixture
def any_device(monkeypatch) -> None:
    monkeypatch.setattr("outflank.gpu.device.check_device", lambda: None)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (LONG, {}, "device gpu: this board has 17 free cells, and a GPU takes at most 16"),
        (SHORT, {"seconds": 1}, "seconds beside device gpu: a GPU takes a whole ending at once"),
        (SHORT, {"workers": 2}, "workers beside device gpu: a GPU takes a whole ending at once"),
        (SHORT, {"table": Table(10)}, "table beside device gpu: a GPU takes a whole ending at once"),
        (SHORT, {"moves": 0}, "moves=0"),
    ],
)
def test_what_a_gpu_cannot_solve_is_one_line(any_device, text, options, said) -> None:
    with pytest.raises(OutflankError) as refusal:
        solve(Board.from_text(text), device="gpu", **options)
    assert str(refusal.value).startswith(said)
    with pytest.raises(InvalidOption, match="device gpu: pvs searches on the CPU; a GPU plays the games of uct"):
        next(iterate(Board.from_text(text), exact=True, device="gpu"))


def test_the_cpu_solves_what_a_gpu_cannot_if_it_may(any_device) -> None:
    stop = Stop()
    stop()
    with pytest.warns(RuntimeWarning, match="at most 16: the CPU goes on"):
        result = solve(Board.from_text(LONG), device="gpu-or-cpu", workers=1, stop=stop)
    assert (result.stopped, result.device) == (True, "cpu")


def test_a_device_labels_longer_endings_than_a_cpu() -> None:
    subject = Subject(game_named("othello").start().game)
    judge = Judge(subject)
    assert Labels(exact=16).settings(subject, "", judge, "gpu").exact == 16
    assert Labels().settings(subject, "", judge, "gpu") == Labels().settings(subject, "", judge, "cpu")
    for device, most in (("cpu", 11), ("gpu", 16)):
        with pytest.raises(InvalidOption, match=f"solves at most {most}$"):
            Labels(exact=most + 1).settings(subject, "", judge, device)
