"""The autograder: model solutions pass, and wrong programs fail the check that is meant for them."""

import json
import sys
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from outflank import OthelloBoard, OutflankError, perft
from outflank.lab.grading import ASSIGNMENTS, abalone_assignment, grade
from outflank.lab.grading import __main__ as grader
from outflank.lab.grading.assignment import Wrong
from outflank.lab.grading.oracles import alphabeta, minimax, start, with_table, young_brothers
from outflank.lab.grading.submission import assignment_numbered
from outflank.ui.cli import cli

COURSE = Path(__file__).parents[2] / "examples" / "course"

HARD_CODED = """
from outflank import forkjoin

ASSIGNMENT = 1

@forkjoin.task
def answer(worker, value: int) -> int:
    return value

def program(game, position, depth):
    return forkjoin.Program(answer, {0: 0, 1: 3, 2: 0, 3: 3}.get(depth, 0))
"""

PLANTED = {
    "sequential": (
        1,
        "parallelism",
        "parallelism 1.0",
        [
            ("    spawned = forkjoin.spawn(worker, value, own, opp, others, depth)\n", ""),
            ("forkjoin.sync(worker, spawned)", "value(worker, own, opp, others, depth)"),
        ],
    ),
    "hard-coded": (1, "values", "is right", HARD_CODED),
    "too fine": (2, "granularity", "too fine", [("GRANULARITY = 2", "GRANULARITY = 0")]),
    "racy": (
        3,
        "races",
        "a race",
        [
            ("    game: Game\n", "    game: Game\n    leaves: np.ndarray\n"),
            ("    mask = worker", "    worker.data.leaves[0] += 1\n    mask = worker"),
            ("data=Data(game)", "data=Data(game, np.zeros(1, np.int64))"),
        ],
    ),
    "wrong ties": (
        3,
        "ties",
        "the lowest of equally good moves",
        [("if left[0] >= right[0]:", "if left[0] > right[0]:")],
    ),
    "no pruning": (
        4,
        "nodes",
        "nothing is cut off",
        [("        if best >= beta:\n            break\n    return best\n\n\nclass", "    return best\n\n\nclass")],
    ),
    "brothers that do not wait": (
        4,
        "young brothers",
        "the number of nodes",
        [
            ("value(worker, own, opp, todo ^ others, depth, alpha, beta)\n            if", "-FAR\n            if"),
            (
                "value(worker, own, opp, others, depth, max(alpha, eldest), beta)",
                "value(worker, own, opp, todo, depth, alpha, beta)",
            ),
            ("or others == U64(0):\n                return eldest", "or False:\n                return eldest"),
        ],
    ),
    "torn entries": (
        5,
        "torn entries",
        "mixture",
        [("first ^ data", "first"), ("second ^ data", "second"), ('"relaxed") ^ data ==', '"relaxed") ==')],
    ),
    "plain accesses": (5, "torn entries", "not atomic", [('load(table, index, "relaxed")', "table[index]")]),
    "shallow entries": (5, "values", "at depth", [("entry_depth == depth", "entry_depth >= 0")]),
    "echoes": (
        6,
        "agreement",
        "sends entries on",
        [
            (
                "            self._improve(*entry)\n        return []",
                "            self.store(*entry)\n        return self.flush()",
            )
        ],
    ),
    "one-sided": (
        7,
        "fairness",
        "the sum must be 0",
        [("popcount(position.own) - popcount(position.opp)", "popcount(position.own)")],
    ),
    "lost moves": (
        7,
        "as good as the report's order",
        "not the",
        [("return sorted(moves, key=for_opponent)", "return sorted(moves, key=for_opponent)[:9]")],
    ),
}


def solution(number: int) -> Path:
    return COURSE / "solutions" / f"solution_{number}.py"


def planted(name: str, folder: Path) -> Path:
    """A wrong program: a model solution with an error in it."""
    number, _, _, changes = PLANTED[name]
    source = changes
    if not isinstance(changes, str):
        source = solution(number).read_text(encoding="utf-8")
        for old, new in changes:
            assert old in source
            source = source.replace(old, new)
    path = folder / f"planted_{name.replace(' ', '_').replace('-', '_')}.py"
    path.write_text(source, encoding="utf-8")
    return path


@pytest.fixture
def load(monkeypatch):
    """Import a program as the child process does, and forget it afterwards."""
    monkeypatch.setattr("outflank.games.evaluation._registered", {})
    loaded = []

    def load(path: Path):
        spec = spec_from_file_location(path.stem, path)
        module = module_from_spec(spec)
        sys.modules[path.stem] = module
        loaded.append(path.stem)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in loaded:
        del sys.modules[name]


def checks(number: int):
    """The checks of an assignment that run in the interpreter."""
    return [check for check in assignment_numbered(number).checks if not check.compiled]


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")  # NumPy's, of the hash in a solution
@pytest.mark.parametrize("number", [pytest.param(number, marks=pytest.mark.slow(6)) for number in ASSIGNMENTS])
def test_the_model_solution_passes_every_check(number, load, monkeypatch):
    one_board = partial(abalone_assignment.leaves_of_orders, boards=1)
    monkeypatch.setattr(abalone_assignment, "leaves_of_orders", one_board)
    program = load(solution(number))
    assert assignment_numbered(number).missing_names(program) == []
    # Of the first 15 seeds, 11 draws the smallest positions: the same checks in a third of the time.
    for check in checks(number):
        assert check.run(program, 11)


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("name", PLANTED)
def test_a_wrong_program_fails_the_check_that_is_meant_for_it(name, load, tmp_path):
    number, failing, reason, _ = PLANTED[name]
    program = load(planted(name, tmp_path))
    (check,) = [check for check in checks(number) if check.name == failing]
    with pytest.raises(Wrong, match=reason):
        check.run(program, 1)


STARTERS = {1: "parallelism", 2: "values", 3: "ties", 4: "nodes", 5: "round trip", 6: "table", 7: "whole numbers"}
"""A check that the starter code of each assignment does not pass."""


@pytest.mark.interpreted_only
@pytest.mark.parametrize("number", STARTERS)
def test_starter_code_can_be_graded_and_leaves_something_to_do(number, load):
    program = load(COURSE / f"assignment_{number}.py")
    assert number == program.ASSIGNMENT
    assert assignment_numbered(number).missing_names(program) == []
    (check,) = [check for check in checks(number) if check.name == STARTERS[number]]
    with pytest.raises(Wrong):
        check.run(program, 1)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("seed", [3, 21])
def test_the_races_of_the_starter_are_found_with_any_seed(seed, load):
    program = load(COURSE / "assignment_3.py")
    (check,) = [check for check in checks(3) if check.name == "races"]
    with pytest.raises(Wrong, match=r"a race: data\.(best|leaves)"):
        check.run(program, seed)


# --- the command ---


def run(*arguments: str):
    result = CliRunner().invoke(cli, ["lab", "grade", *arguments], standalone_mode=False)
    return result.return_value, result.stdout, result.exception


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
def test_the_command_prints_points_and_feedback():
    status, text, _ = run(str(solution(6)), "--quick", "--json")
    document = json.loads(text)
    assert status == 0
    assert (document["assignment"], document["score"], document["points"]) == (6, 80, 80)
    assert [check["name"] for check in document["checks"]] == [check.name for check in checks(6)]
    assert all(check["passed"] and check["feedback"] for check in document["checks"])


ENDINGS = """
import os, sys, time
ASSIGNMENT = 6
REPLICATION, THRESHOLD = "none", 1
endings = iter(["raise KeyError('depth')", "sys.exit(0)", "bytearray(1 << 40)"])
class Node:
    def __init__(self, *arguments):
        print("this is not a result")
        exec(next(endings))
def best_depth(*arguments):
    os._exit(0)
"""


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
def test_whatever_a_program_does_is_one_line_of_feedback(tmp_path):
    path = tmp_path / "homework.py"
    path.write_text(ENDINGS, encoding="utf-8")
    names: list[str] = []
    result = grade(path, quick=True, progress=names.append)
    assert not result.passed
    assert [check.feedback for check in result.checks] == [
        "line 9: KeyError: 'depth'",
        "the program calls sys.exit",
        "the program needs more than 4 GiB",
        "the program ended",
    ]
    assert names == [check.name for check in checks(6)]


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
def test_a_check_without_end_is_ended(tmp_path):
    path = tmp_path / "homework.py"
    path.write_text(ENDINGS.replace("exec(next(endings))", "time.sleep(60)"), encoding="utf-8")
    first, *others = grade(path, quick=True, seconds=1.0).checks
    assert first.feedback == "it did not end within 1 s"
    assert {check.feedback for check in others} == {"not run, because 'table' ended the program"}


@pytest.mark.interpreted_only
@pytest.mark.slow(2)
@pytest.mark.parametrize(
    ("source", "seconds", "message"),
    [
        ("def\n", 60, "homework.py: it cannot be imported: homework.py, line 2: "),
        ("import time\ntime.sleep(60)\n", 0.2, "homework.py: it did not end within 0.2 s while it was imported"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused_with_one_line(source, seconds, message, tmp_path):
    path = tmp_path / "homework.py"
    path.write_text(f"ASSIGNMENT = 6\n{source}", encoding="utf-8")
    _, text, error = run(str(path), "--quick", "--seconds", str(seconds))
    assert isinstance(error, OutflankError)  # status 2
    assert message in str(error)
    assert "\n" not in str(error)
    assert not text


@pytest.mark.interpreted_only
def test_a_file_that_cannot_be_graded_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(grader, "import_user_module", lambda file: SimpleNamespace(Node=1))
    assert grader._load("homework.py", assignment_numbered(6)) == (
        None,
        "it does not define best_depth, REPLICATION, THRESHOLD",
    )
    path = tmp_path / "homework.py"
    for source, arguments, message in (
        ("ASSIGNMENT = 99\n", [], "assignment 99: there are 1, 2, 3, 4, 5, 6, 7"),
        ("ASSIGNMENT = 1  # mine\n", ["--assignment", "3"], "it says ASSIGNMENT = 1, so it is not graded as"),
        ('ASSIGNMENT = "one"\n', [], 'ASSIGNMENT = "one": expected a number from 1 to 7'),
        ("program = 1\n", [], "it has no line ASSIGNMENT = N"),
    ):
        path.write_text(source, encoding="utf-8")
        _, _, error = run(str(path), *arguments)
        assert isinstance(error, OutflankError)
        assert message in str(error)
    assert "none.py: No such file" in str(run(str(tmp_path / "none.py"))[2])
    for number in ("x", "8"):
        _, _, error = run(str(path), "--assignment", number)
        assert f"'{number}' is not a number from 1 to 7" in error.format_message()


# --- the oracles ---


@pytest.mark.interpreted_only
def test_oracles_count_what_is_known():
    assert [minimax(start(8), depth).leaves for depth in range(6)] == [1, 4, 12, 56, 244, 1396]
    assert minimax(start(4), 6).leaves == perft(OthelloBoard.start(4), 6).leaves
    for search in (alphabeta, young_brothers, lambda position, depth: with_table(position, depth, {})):
        assert search(start(4), 8).value == minimax(start(4), 8).value
