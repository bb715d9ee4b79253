"""Leaves counted on a GPU, in the simulator of Numba: as many as on a CPU, of any game, in whatever portions."""

import pytest

import outflank
from outflank.errors import OutflankError
from outflank.ui.cli import main
from tests.simulator import EXAMPLES, simulated

pytestmark = pytest.mark.interpreted_only

COUNTED = """
import json
import sys
from functools import partial
import numpy as np
import outflank
from outflank.abalone.geometry import board as cells
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.gpu import counting, perft
from outflank.gpu.troubles import DeviceLost

from tests.simulator import called

sys.path.append(sys.argv[1])
import nim


small = outflank.OthelloBoard.start(4)
pushed = outflank.AbaloneBoard(Abalone(2, 1), AbalonePosition(cells({(0, 0), (1, 1)}), cells({(2, 2), (8, 8)})))
heaps = outflank.Board(nim.Nim(2), nim.Heaps(np.uint64(0x0000_0000_0002_0003)))

for board, depth, how in (
    (small, 0, {}),
    (small, 1, {}),
    (small, 2, {}),
    (small, 4, {}),
    (pushed, 3, {}),
    (pushed, 3, {"finished": False, "room": 40}),
    (heaps, 4, {"room": 1}),
    (heaps, 4, {"finished": False}),
    (heaps, 6, {}),
):
    told = []
    there = perft(board, depth, threads=4, progress=lambda *done: told.append(done), **how)
    here = outflank.perft(board, depth, finished=how.get("finished", True))
    assert (there.leaves, there.divide, there.device) == (here.leaves, here.divide, "gpu"), (board, depth, there, here)
    assert told == sorted(told) and (depth < 3 or told[-1] == (1000, 1000)), told


def interrupt(done, total):
    if done > 300:
        raise KeyboardInterrupt


try:
    perft(heaps, 4, threads=4, room=1, progress=interrupt)
    raise SystemExit("it was not interrupted")
except KeyboardInterrupt as interrupted:
    found = interrupted.partial_result
whole = outflank.perft(heaps, 4)
assert 0 < found.leaves < whole.leaves, found
assert all(leaves <= whole.divide[move] for move, leaves in found.divide.items()), found


class CudaDriverError(Exception):
    pass


def losing(after):
    "Lose the device after so many portions."
    counted = []

    def count(counting, *level):
        counted.append(level)
        if len(counted) > after + 1:  # the first one compiles
            counting._sums = None  # nobody reads what it held
            raise CudaDriverError("Call to cuStreamSynchronize results in CUDA_ERROR_LAUNCH_FAILED")
        return portion(counting, *level)

    counting._Counting._count = count


portion = counting._Counting._count
for after in (0, 3):
    losing(after)
    try:
        perft(heaps, 4, threads=4, room=1)
        raise SystemExit("it was not lost")
    except DeviceLost as lost:
        found = lost.partial_result
    assert (found.leaves > 0) == (after > 0) and found.leaves < whole.leaves, found
    assert all(leaves <= whole.divide[move] for move, leaves in found.divide.items()), found

# The command: what was counted, and the line; or all of it, by the CPU.
counting.perft = partial(perft, threads=4, room=8)
counting.most_moves = lambda game: 8  # that positions so near the start have, so that there are several portions
line = "device gpu: it was lost on the way, with all that it held; this process cannot use it again"
named = "(CUDA_ERROR_LAUNCH_FAILED)"
small_whole = outflank.perft(small, 4)
for options in ([], ["--json", "--divide"]):
    losing(1)
    status, out, err = called("perft", "--size", "4", "--depth", "4", "--device", "gpu", *options)
    assert (status, err) == (2, f"outflank: {line} {named}\\n"), (status, err)
    if options:
        document = json.loads(out)
        assert (document["complete"], document["device"]) == (False, "gpu"), document
        assert 0 < document["leaves"] == sum(document["divide"].values()) < small_whole.leaves, document
    else:
        assert "depth 4: at least " in out and out.endswith("on a GPU, not finished\\n"), out
    losing(1)
    status, out, err = called("perft", "--size", "4", "--depth", "4", "--device", "gpu-or-cpu", *options)
    assert (status, err) == (0, f"outflank: warning: {line} {named}: the CPU goes on\\n"), (status, err)
    if options:
        document = json.loads(out)
        assert (document["complete"], document["device"]) == (True, "cpu"), document
        assert document["leaves"] == small_whole.leaves, document
    else:
        assert f"{small_whole.leaves:,} leaves" in out and out.endswith("1 worker\\n"), out
    losing(0)
    nothing = called("perft", "--size", "4", "--depth", "4", "--device", "gpu", *options)
    assert nothing == (2, "", f"outflank: {line} {named}\\n"), nothing
print("as many")
"""


@pytest.mark.slow(20)
def test_a_device_counts_as_many_leaves_as_a_cpu() -> None:
    assert simulated(COUNTED, EXAMPLES, warned="always") == "as many\n"


def test_threads_of_the_cpu_are_refused_on_a_device(monkeypatch, capsys) -> None:
    monkeypatch.setattr("outflank.gpu.device.check_device", lambda: None)
    with pytest.raises(SystemExit) as left:
        main(["perft", "--depth", "3", "--device", "gpu", "--workers", "2"])
    assert left.value.code == 2
    assert capsys.readouterr().err == (
        "outflank: --workers 2 are threads of the CPU, which counts nothing with --device gpu\n"
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"room": "many"}, "room: expected a whole number of at least 1 or nothing (null), found 'many'"),
        ({"room": 0}, "room: expected a whole number of at least 1 or nothing (null), found 0"),
        ({"threads": 2000}, "threads: expected a whole number from 1 to 1024, found 2000"),
    ],
)
def test_room_and_threads_are_numbers(option, said) -> None:
    with pytest.raises(OutflankError) as told:
        outflank.gpu.perft(outflank.OthelloBoard.start(), 3, **option)
    assert str(told.value) == said
