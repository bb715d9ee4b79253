"""Games played on a GPU, in the simulator of Numba: those that a CPU plays from the same lots, and searches by them."""

import pytest

import outflank
from outflank.errors import OutflankError
from outflank.gpu.troubles import DeviceLost, NoDevice
from outflank.ui.cli.shared.search_thread import ResultsUntilLoss
from tests.simulator import EXAMPLES, simulated

pytestmark = pytest.mark.interpreted_only

PLAYED = """
import json
import sys
import warnings
import numpy as np
import outflank
from outflank.abalone.geometry import board as cells
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.games.rules import pack
from outflank.gpu import playing
from outflank.gpu.troubles import DeviceLost
from outflank.search import montecarlo
from outflank.search.request import Options
from outflank.search.root import Root
from tests.simulator import called

sys.path.append(sys.argv[1])
import nim

playing.THREADS, montecarlo.LONGEST = 4, 12  # so that some games are estimated
small = outflank.OthelloBoard.start(4)
six = outflank.OthelloBoard.start(6)  # whose patterns are addresses
pushed = outflank.AbaloneBoard(Abalone(2, 1), AbalonePosition(cells({(0, 0), (1, 1)}), cells({(2, 2), (8, 8)})))
usual = outflank.AbaloneBoard.start()
heaps = outflank.Board(nim.Nim(2), nim.Heaps(np.uint64(0x0001_0002_0002_0003)))


def by_hand(root, position, numbers):
    results, key = [], montecarlo.mixed(np.uint64(root.options.seed * 0x9E3779B97F4A7C15 % 2**64))
    for number in numbers:
        lots = np.array([montecarlo.mixed(key ^ np.uint64(number))])
        moves = np.zeros(300, np.uint16)
        results.append(montecarlo.playout(root.game, root.evaluation, position, root.worker, moves, lots))
    return sum(result for result, _ in results), sum(positions for _, positions in results)


for board, options in (
    (small, {}),
    (six, {"evaluation": "patterns", "ordering": "by-stage"}),
    (six, {"ordering": "none"}),
    (pushed, {"evaluation": "cohesion"}),
    (usual, {"seed": 7}),
    (heaps, {}),
):
    root = Root(board.game, board.position, Options(algorithm="flat", **options))
    games, children = playing.Games(root), [move.child for move in root.moves][:2]
    words = np.array([pack(board.game, child) for child in children], np.uint64).reshape(-1, 2)
    first = 0
    for each in (1, 3):
        there, positions = games.begin(words, each).wait()
        here = []
        for child in children:
            here.append(by_hand(root, child, range(first, first + each)))
            first += each
        assert (there.tolist(), positions) == ([sum for sum, _ in here], sum(each for _, each in here)), (there, here)

montecarlo.LONGEST = 120
for algorithm in ("flat", "uct"):
    once, again = (outflank.search(heaps, nodes=600, algorithm=algorithm, device="gpu", moves=9) for _ in range(2))
    assert (once.value, once.nodes, once.pv, once.best) == (again.value, again.nodes, again.pv, again.best)
    other = outflank.search(heaps, nodes=600, algorithm=algorithm, device="gpu", moves=9, seed=2)
    assert other.best != once.best
    assert (once.scheme, once.stopped) == ("gpu", True)
    assert 600 <= once.nodes < 900, once.nodes

# Every move has as many games: what they are worth is known as well as on a CPU.
there, here = (
    outflank.search(heaps, nodes=4000, algorithm="flat", device=device, moves=9) for device in ("gpu", "cpu")
)
values = {move.move: move.value for move in here.best}
games = here.leaves // len(values)
assert games > 50 and len({*values.values()}) > 2
assert all(abs(move.value - values[move.move]) < 4 * 1000 * (2 / games) ** 0.5 for move in there.best), (there, here)

# A device that is lost on the way.
class CudaDriverError(Exception):
    pass


wait = playing.RunningGames.wait


def lost(begun):
    if begun.games > 60:
        raise CudaDriverError("Call to cuStreamSynchronize results in CUDA_ERROR_LAUNCH_FAILED")
    return wait(begun)


playing.RunningGames.wait = lost
for algorithm in ("flat", "uct"):
    came = []
    try:
        for each in outflank.iterate(heaps, nodes=1500, algorithm=algorithm, device="gpu", moves=9):
            came.append(each)
        raise SystemExit("it was not lost")
    except DeviceLost as error:
        said, so_far = str(error), error.partial_result
    assert so_far.stopped and so_far.device == "gpu" and so_far.value is not None, so_far
    assert so_far.leaves >= (came[-1].leaves if came else 1), (so_far, came)
    assert all(abs(each.value) <= montecarlo.WIN for each in so_far.best), so_far
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = outflank.search(heaps, nodes=1500, algorithm=algorithm, device="gpu-or-cpu")
    assert found.nodes >= 1500 and found.move is not None, found
    assert (found.device, found.scheme) == ("gpu+cpu", "gpu"), found
    assert [str(each.message) for each in caught if "CPU goes on" in str(each.message)] == [f"{said}: the CPU goes on"]

    # The CPU plays from the tree that there is, and nothing of what never came stays in it.
    root = Root(heaps.game, heaps.position, Options(algorithm=algorithm, device="gpu-or-cpu"))
    root.begin_search(None)
    both = playing.DevicePlayer(root)
    both.play(30)
    before, tree = int(root.worker.leaves), both.trees[0]
    assert (both.device, before > 0, int(tree[0].visits)) == ("gpu", True, before), (both.device, before, tree[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both.play(300)
    assert both.device == "gpu+cpu" and both.trees[0] is tree
    assert before + 300 <= root.worker.leaves == tree[0].visits, (before, root.worker.leaves, tree[0])
    assert (np.abs(tree.won) <= montecarlo.WIN * tree.visits).all()
    both.play(20)
    assert root.worker.leaves == tree[0].visits >= before + 320

# One that is lost before the first game leaves all of them to the CPU, which has no scheme.
playing.RunningGames.wait = lambda begun: lost(begun._replace(games=99))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    found = outflank.search(heaps, nodes=300, algorithm="uct", device="gpu-or-cpu")
alone = outflank.search(heaps, nodes=300, algorithm="uct")
assert (found.device, found.scheme, found.value, found.pv) == ("cpu", None, alone.value, alone.pv), (found, alone)


# The command shows what was found before the line that says what is wrong.
def losing(after):
    waited = []

    def wait_or_lose(begun):
        waited.extend([begun] if begun.games else [])
        return lost(begun._replace(games=99)) if len(waited) > after else wait(begun)

    playing.RunningGames.wait = wait_or_lose


warnings.filterwarnings("always", ".*the CPU goes on")
for algorithm in ("flat", "uct"):
    asked = ("search", "--size", "4", "--algorithm", algorithm, "--nodes", "400", "--device")
    for options in ([], ["--json"]):
        losing(1)
        status, out, err = called(*asked, "gpu", *options)
        assert (status, err) == (2, f"outflank: {said}\\n"), (status, err)
        if options:
            *_, last = map(json.loads, out.splitlines())
            assert (last["schema"], last["device"], last["stopped"]) == ("outflank/search/1", "gpu", True), last
            assert last["value"] is not None and last["leaves"] > 0, last
        else:
            assert "playouts on a GPU\\n" in out and "wins" in out, out
        losing(1)
        status, out, err = called(*asked, "gpu-or-cpu", *options)
        assert (status, err) == (0, f"outflank: warning: {said}: the CPU goes on\\n"), (status, err)
        if options:
            *_, last = map(json.loads, out.splitlines())
            assert last["device"] == "gpu+cpu" and last["nodes"] >= 400, last
        else:
            assert "playouts on a GPU, and by the CPU once that was lost\\n" in out, out
        losing(0)
        assert called(*asked, "gpu", *options) == (2, "", f"outflank: {said}\\n")
print("played alike")
"""


@pytest.mark.slow(16)
def test_a_device_plays_as_a_cpu_does() -> None:
    # Words go round, with a warning.
    assert simulated(PLAYED, EXAMPLES, warned="ignore::RuntimeWarning") == "played alike\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"algorithm": "pvs"}, "device gpu: pvs searches on the CPU; a GPU plays the games of uct and flat"),
        ({"algorithm": "uct", "workers": 3}, "3 workers beside device gpu: it has threads of its own"),
        ({"algorithm": "uct", "parallel": "root-parallel"}, "parallel beside device gpu: it has threads of its own"),
        ({"algorithm": "flat", "depth": 3}, "flat has no depth"),
        ({"algorithm": "flat", "device": "gpus"}, "device='gpus': expected"),
    ],
)
def test_what_a_device_cannot_do_is_refused(options, said) -> None:
    with pytest.raises(OutflankError, match=said):
        outflank.search(outflank.OthelloBoard.start(4), **{"device": "gpu", **options})


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # words go round
def test_the_cpu_plays_where_there_is_no_device_and_it_was_asked_to(monkeypatch) -> None:
    def check() -> None:
        raise NoDevice("device gpu: there is none")

    monkeypatch.setattr("outflank.gpu.device.check_device", check)
    board = outflank.OthelloBoard.start(4)
    with pytest.raises(NoDevice):
        outflank.search(board, nodes=300, algorithm="flat", device="gpu")
    with pytest.warns(RuntimeWarning, match="there is none: the CPU goes on"):
        there = outflank.search(board, nodes=300, algorithm="flat", device="gpu-or-cpu")
    assert there.value == outflank.search(board, nodes=300, algorithm="flat").value


def test_results_that_came_before_a_loss_are_shown() -> None:
    board = outflank.OthelloBoard.start(4)
    first = outflank.search(board, depth=1)

    def losing(*results):
        yield from results
        raise DeviceLost("device gpu: it was lost")

    until_lost = ResultsUntilLoss()
    came = list(until_lost.results(losing(first)))
    assert [(each.value, each.stopped) for each in came] == [(first.value, False), (first.value, True)]
    with pytest.raises(DeviceLost):
        until_lost.check()
    with pytest.raises(DeviceLost):
        list(ResultsUntilLoss().results(losing()))
    whole = ResultsUntilLoss()
    assert list(whole.results(iter([first]))) == [first]
    whole.check()
