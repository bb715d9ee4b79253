"""`outflank train` on a cluster: the same files as those of one process, whatever happens to the nodes on the way."""

import random
import time
from functools import partial

import numpy as np
import pytest

from outflank import AbaloneBoard
from outflank.distributed.cluster import open_tasks
from outflank.distributed.tasks import TaskDispatcher
from outflank.distributed.tasks.carrier import NodeUnfit, ThreadTasks
from outflank.errors import OutflankError
from outflank.games.pattern_weights import Learning, encode_weights
from outflank.games.rules import MOVE, pack
from outflank.learning import piece_worker
from outflank.learning.generating import Generation, generate, read_positions
from outflank.learning.labelling import Labels, label
from outflank.learning.piece_worker import PieceWorker
from outflank.learning.pieces import Halted, Work
from outflank.learning.selfplay import Beginnings, Playing
from outflank.learning.subject import Judge, Subject
from outflank.othello.board import OthelloBoard
from outflank.search.request import Stop
from outflank.search.table import NO_MOVE
from outflank.ui.cli import main

pytestmark = pytest.mark.interpreted_only

START = OthelloBoard.start(4)
FEW = Generation(start=START, positions=80, per_game=3, seed=5)
LABELS = Labels(plies=2, exact=6, passes=4)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 8)
    monkeypatch.setattr("outflank.learning.labelling.ROWS", 8)


@pytest.fixture
def on_two_nodes():
    with open_tasks("inside:2", PieceWorker, per_node=2) as tasks:
        yield partial(Work, tasks=tasks)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def learnt(folder, work, generation=FEW, labels=LABELS):
    generate(folder, generation, work)
    label(folder, labels, work)
    return contents(folder)


def test_positions_and_values_from_a_cluster_are_the_same(tmp_path, on_two_nodes):
    assert learnt(tmp_path / "cluster", on_two_nodes()) == learnt(tmp_path / "alone", Work())


def record(seed):
    """A game by chance that has a few moves left: what follows takes little time."""
    board, chance = OthelloBoard.start(), random.Random(seed)
    for _ in range(48):
        board.push(chance.choice(board.legal_moves))
    return "".join(str(move) for move in board.moves if str(move) != "pass")


@pytest.mark.slow(4)
def test_games_that_begin_as_recorded_ones_are_the_same(tmp_path, on_two_nodes):
    games = tmp_path / "games.txt"
    games.write_text("".join(f"{record(seed)}\n" for seed in range(15)))
    recorded = Generation(start=OthelloBoard.start(), positions=30, per_game=3, games=(games,))
    for name, work in (("cluster", on_two_nodes()), ("alone", Work())):
        generate(tmp_path / name, recorded, work)
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")
    assert len(set(read_positions(tmp_path / "cluster")[2].game.tolist())) > 8


def test_a_group_of_recorded_games_needs_only_its_own_beginnings():
    subject = Subject(START.game)
    starts, board = [], START.copy()
    for _ in range(5):  # with fewer and fewer moves left
        starts.append(pack(board.game, board.position))
        board.push(board.legal_moves[0])
    beginnings = Beginnings(np.array(starts, np.uint64), np.full((5, 3), NO_MOVE, MOVE))
    options = {"seed": 3, "depth": 1, "per_game": 3}
    for number in range(3):
        whole = Playing(subject, Judge(subject), beginnings, **options).group(number)
        part, lines = beginnings.of_group(number)
        assert len(part.starts) == 8
        positions = Playing(subject, Judge(subject), part, **options).group(number)
        assert (lines[positions.game] == whole.game).all()
        assert all(
            (getattr(positions, name) == getattr(whole, name)).all() for name in ("boards", "left", "result", "fair")
        )


def test_weights_are_sent_and_need_not_be_on_the_nodes(tmp_path, on_two_nodes, monkeypatch):
    monkeypatch.setattr("outflank.learning.selfplay.GAMES", 2)
    monkeypatch.setattr("outflank.learning.labelling.ROWS", 2)
    start = AbaloneBoard.start()
    subject = Subject(start.game)
    monkeypatch.setattr(Learning, "longest", 8)  # plies of a game; all of Abalone takes a minute here
    file = tmp_path / subject.weights_name
    weights = np.random.default_rng(1).integers(-50, 50, subject.zero_weights().shape).astype(np.int16)
    file.write_bytes(encode_weights(subject.patterns, weights))
    generation = Generation(start=start, positions=4, per_game=1, evaluation=f"patterns:{file}")
    labels = Labels(weights=file, plies=1)
    alone = learnt(tmp_path / "alone", Work(), generation, labels)
    made = []

    class Sent(Judge):
        def __init__(self, subject, name=None, weights=None):
            super().__init__(subject, name, weights)
            made.append(weights is not None)

    monkeypatch.setattr(piece_worker, "Judge", Sent)
    assert learnt(tmp_path / "cluster", on_two_nodes(), generation, labels) == alone
    assert made
    assert all(made)


class Stalling(PieceWorker):
    """A worker that makes one piece, and then waits until its tasks are cancelled."""

    def __init__(self):
        super().__init__()
        self._left = 1

    def do(self, item, stop):
        self._left -= 1
        if self._left >= 0:
            return super().do(item, stop)
        while not stop.called:
            time.sleep(0.01)
        return None


class StopAt:
    """A receiver of progress that stops the work when a folder has so many pieces."""

    def __init__(self, folder, count, stop):
        self._folder, self._count, self._stop = folder, count, stop

    def __call__(self, text):
        if len(list(self._folder.glob("*.npz"))) >= self._count:
            self._stop()


def test_steps_on_a_cluster_are_stopped_and_resumed(tmp_path, on_two_nodes):
    cut = tmp_path / "cut"
    steps = {"positions": partial(generate, cut, FEW), "values": partial(label, cut, LABELS)}
    for name, step in steps.items():
        stamps = {}
        for count in (1, 2):
            stop = Stop()
            with open_tasks("inside:1", Stalling) as tasks, pytest.raises(Halted):
                step(Work(tasks=tasks, stop=stop, progress=StopAt(cut / f"{name}.parts", count, stop)))
            kept = {path: path.stat().st_mtime_ns for path in (cut / f"{name}.parts").iterdir()}
            assert len(kept) == count
            assert stamps.items() <= kept.items()
            stamps = kept
        step(on_two_nodes())
    assert contents(cut) == learnt(tmp_path / "alone", Work())


class Failing(PieceWorker):
    """A worker that fails at its second piece."""

    done = 0

    def do(self, item, stop):
        self.done += 1
        if self.done == 2:
            raise MemoryError("no room")
        return super().do(item, stop)


def test_a_piece_that_fails_ends_the_step_and_loses_nothing(tmp_path, on_two_nodes):
    with open_tasks("inside:1", Failing) as tasks, pytest.raises(OutflankError, match=r"^MemoryError: no room$"):
        generate(tmp_path / "cluster", FEW, Work(tasks=tasks))
    assert (tmp_path / "cluster" / "positions.parts").exists()
    assert learnt(tmp_path / "cluster", on_two_nodes()) == learnt(tmp_path / "alone", Work())


def test_weights_of_other_patterns_are_refused():
    subject = Subject(START.game)
    judge = Judge(subject, weights=subject.zero_weights())
    item = {
        "kind": "solved",
        "game": "othello",
        "rules": subject.description.rules_as_json(subject.rules),
        "judge": {"evaluation": None, "check": judge.check},
        "arrays": judge.encoded_weights,
        "numbers": {},
    }
    assert PieceWorker().do(item, Stop()) == {"lacks_weights": True}
    with pytest.raises(OutflankError, match="do not suit"):
        PieceWorker().do(
            {**item, "judge": {"evaluation": None, "check": "0"}, "weights": judge.encoded_weights}, Stop()
        )


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_the_commands_work_on_a_cluster(tmp_path, capsys):
    options = ("--size", 4, "--positions", 30, "--generations", 2, "--match-games", 0, "--plies", 2, "--passes", 3)
    for name, where in (("alone", ("--workers", 1)), ("cluster", ("--cluster", "inside:2", "--workers", 2))):
        status, _, err = run(capsys, "train", "run", *options, "--out", tmp_path / name, "--quiet", *where)
        assert (status, err) == (0, "")
    for folder in ("generation-01", "generation-02"):
        assert contents(tmp_path / "cluster" / folder) == contents(tmp_path / "alone" / folder)


@pytest.mark.parametrize("command", [("generate", "--size", 4, "--out"), ("label",)])
def test_what_is_no_cluster_is_one_line(tmp_path, capsys, command):
    status, out, err = run(capsys, "train", *command, tmp_path, "--cluster", "nowhere")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "'nowhere' is no cluster" in err


class Picky(ThreadTasks):
    def open(self, events):
        super().open(events)
        events.put(NodeUnfit(9, "elsewhere, process 1: another version"))


def test_a_node_that_cannot_work_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "outflank.ui.cli.training.train_command.open_tasks",
        lambda where, make, per_node: TaskDispatcher(Picky(make, per_node=per_node)),
    )
    options = ("--size", 4, "--positions", 20, "--out", tmp_path / "a", "--cluster", "inside:1")
    status, _, err = run(capsys, "train", "generate", *options)
    assert (status, err) == (0, "outflank: warning: made nothing: elsewhere, process 1: another version\n")
