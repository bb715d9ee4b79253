"""Examples in the documentation: Python and commands run, on a small scale."""

import ast
import re
import shlex
import shutil
import sys
import threading
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from glob import glob
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import click
import numpy as np
import pytest

import outflank
from outflank import user_modules
from outflank.distributed.engines import ENGINES
from outflank.distributed.engines.inside_engine import InsideEngine
from outflank.errors import OutflankError
from outflank.formats.game_files import read_records, write_records
from outflank.games import description, evaluation
from outflank.games.description import GAMES
from outflank.games.evaluation import value
from outflank.gpu.troubles import NoDevice
from outflank.kernels.bits import popcount
from outflank.lab.experiment import EXPERIMENTS
from outflank.players.specs import player
from outflank.protocols.gtp_server import GtpEngine
from outflank.search.division import SCHEMES, register_scheme, scheme_named
from outflank.search.request import Limits
from outflank.ui.cli import cli
from outflank.ui.cli.shared.json_documents import GradeDocument
from outflank.validation.documents import decoded
from tests.installing import forget_modules, register_for_now, register_game_for_now

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]
LIBRARIES = {"openspiel": "pyspiel"}
"""Pages whose examples need a library that the tests do not install, and its name."""
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ON_A_GPU = {
    "answers[blocks, threads]": "tests/gpu/test_gpu.py::test_kernels_for_a_device_are_kept_until_a_source_changes"
}
"""Python that needs a GPU, by a part of it, and the test of such code."""


class Snippet(NamedTuple):
    """An example, and where it stands."""

    place: str
    text: str


def snippets(page: Path, *languages: str) -> list[Snippet]:
    """The examples of a page in these languages."""
    text = page.read_text(encoding="utf-8")
    return [
        Snippet(f"{page.name}:{text.count(chr(10), 0, found.start()) + 2}", found[2])
        for found in FENCE.finditer(text)
        if found[1] in languages
    ]


def pages_in(*languages: str) -> list[Any]:
    """The pages that have examples in these languages."""
    return [pytest.param(page, id=page.stem) for page in PAGES if snippets(page, *languages)]


# --- Python ---


@pytest.mark.parametrize("page", pages_in("python"))
def test_what_python_imports_and_asks_modules_for_is_there(page: Path) -> None:
    imported: set[str] = {"outflank"}
    modules: dict[str, ModuleType] = {"outflank": outflank}
    if page.stem in LIBRARIES:
        pytest.importorskip(LIBRARIES[page.stem])
    for place, text in snippets(page, "python"):
        tree = ast.parse(text, place)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    imported.add(name.name)
                    root = name.name if name.asname else name.name.partition(".")[0]
                    modules[name.asname or root] = import_module(root)
                    import_module(name.name)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for name in node.names:
                    module = import_module(node.module)
                    if not hasattr(module, name.name) and find_spec(f"{node.module}.{name.name}"):
                        import_module(f"{node.module}.{name.name}")  # as the statement does
                    assert hasattr(module, name.name), f"{place}: {ast.unparse(node)}"
                    if isinstance(found := getattr(module, name.name), ModuleType):
                        modules[name.asname or name.name] = found
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and re.fullmatch(r"\w+(\.\w+)+", chain := ast.unparse(node)):
                _check_chain(chain.split("."), modules, imported, place)


def _check_chain(names: list[str], modules: dict[str, ModuleType], imported: set[str], place: str) -> None:
    """See that each name is in the module before it. What other code has imported does not count."""
    found: Any = modules.get(names[0])
    for name in names[1:]:
        if not isinstance(found, ModuleType) or not found.__name__.startswith("outflank"):
            return
        path = f"{found.__name__}.{name}"
        public = name in getattr(found, "__all__", ()) or path not in sys.modules
        assert public or path in imported, f"{place}: {'.'.join(names)}: {path} has not been imported"
        assert hasattr(found, name), f"{place}: {'.'.join(names)}: {found.__name__} has no {name}"
        found = getattr(found, name)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """What examples take for granted; whatever they ask for is done on a small scale, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for registry in (ENGINES, EXPERIMENTS, SCHEMES, GAMES):
        register_for_now(monkeypatch, registry)
    _search_little(monkeypatch)
    _play_little(monkeypatch)
    _measure_nothing(monkeypatch)
    results = tmp_path / "results"
    shutil.copytree(ROOT / "benchmarks" / "results" / "lab", results)
    write_records(list(read_records(_one_game(tmp_path))), "WTH_1998.wtb")
    return {
        "__name__": __name__,
        "outflank": outflank,
        "board": outflank.OthelloBoard.start(),
        "threading": SimpleNamespace(Timer=lambda seconds, call: threading.Timer(0.01, call)),
        "ThreadPoolExecutor": ThreadPoolExecutor,
        "help": lambda about: None,
        "DaskEngine": type("DaskEngine", (InsideEngine,), {"forms": {"dask": "dask:N"}}),
        "NamedTuple": NamedTuple,
        "value": value,
        "popcount": popcount,
        "MIDDLE": 0x3C3C000000,
        "read_word": lambda table, slot: table[slot],
        "table": [0],
        "slot": 0,
        "symmetries": [list(range(64))],
    }


def _one_game(folder: Path) -> Path:
    """A file with a whole game."""
    board, squares = outflank.OthelloBoard.start(), ""
    while not board.is_game_over:
        squares += str(board.push(board.legal_moves[0]))
    path = folder / "game.txt"
    path.write_text(f"{squares.replace('pass', '')}\n")
    return path


def _search_little(monkeypatch: pytest.MonkeyPatch) -> None:
    checked = Limits.__post_init__

    def limit(limits: Limits) -> None:
        checked(limits)
        if limits.depth is not None:
            object.__setattr__(limits, "depth", 1)
        else:
            object.__setattr__(limits, "nodes", 20)

    monkeypatch.setattr(Limits, "__post_init__", limit)
    count = outflank.perft
    monkeypatch.setattr(outflank, "perft", lambda board, depth, **options: count(board, 1, **options))
    connect = import_module("outflank.distributed").connect
    monkeypatch.setattr("outflank.distributed.connect", lambda address: connect("inside:2"))
    prove = import_module("outflank.proofs.finding").prove

    def proved(board: Any, value: int, *, leaf: int) -> Any:
        while board.moves_left > 2:
            board.push(board.legal_moves[0])
        return prove(board, outflank.solve(board).value, leaf=leaf)

    monkeypatch.setattr("outflank.proofs.finding.prove", proved)


def _solve_on_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = signature(import_module("outflank.gpu.solving_on_device").solve)

    def solved(*asked: Any, **more: Any) -> Any:
        return np.full(len(solve.bind(*asked, **more).args[0]), 6)

    monkeypatch.setattr("outflank.gpu.solving_on_device.solve", solved)


def _play_little(monkeypatch: pytest.MonkeyPatch) -> None:
    positions_of = outflank.Positions.of
    monkeypatch.setattr(outflank.Positions, "of", lambda boards: positions_of(list(boards)[:2]))
    arena = import_module("outflank.arena")
    settings, start = arena.Settings, outflank.OthelloBoard.start(4)
    few = {"players": ("random", "first"), "start": start, "games": 2, "sprt": None}
    monkeypatch.setattr(arena, "Settings", lambda **given: replace(settings(**given), **few))
    tasks = import_module("outflank.distributed.cluster")
    open_tasks = tasks.open_tasks
    monkeypatch.setattr(tasks, "open_tasks", lambda address, make: open_tasks("inside:2", make))
    monkeypatch.setattr("outflank.protocols.gtp_client.GtpPlayer", _NoEngine)


class _NoEngine:
    """In place of a program that is not installed."""

    def __init__(self, command: str, game: Any) -> None:
        pass

    def choose(self, board: Any, clock: Any) -> Any:
        return SimpleNamespace(move=board.legal_moves[0])

    def close(self) -> None:
        pass


def _measure_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run, redraw = outflank.lab.run, outflank.lab.redraw

    def measured(name: str, **parameters: Any) -> Any:
        if name != "scaling":
            return run(name, **parameters)
        EXPERIMENTS.get(name).parameters(**parameters)
        return redraw("results/scaling.json")

    def drawn(path: str, *, formats: tuple[str, ...] = (), **more: Any) -> Any:
        return redraw(path, formats=tuple(each for each in formats if each != "pdf"), **more)

    monkeypatch.setattr(outflank.lab, "run", measured)
    monkeypatch.setattr(outflank.lab, "redraw", drawn)
    monkeypatch.setattr(
        "outflank.lab.experiment_report._library",
        lambda name: SimpleNamespace(DataFrame=lambda *_, **__: None, table=lambda _: None, array=lambda _: None),
    )


@pytest.mark.slow(6)
@pytest.mark.filterwarnings("ignore:overflow encountered")  # of a generator that means it, in the interpreter
@pytest.mark.parametrize("page", pages_in("python"))
def test_python_of_a_page_runs_from_top_to_bottom(
    page: Path, small: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem in LIBRARIES:
        pytest.importorskip(LIBRARIES[page.stem])
    if page.stem == "gpu":
        _solve_on_no_device(monkeypatch)
    if page.stem == "games":  # its examples are pieces of this one
        small |= vars(register_game_for_now(monkeypatch, "connect-four"))
    for place, text in snippets(page, "python"):
        if not any(part in text for part in ON_A_GPU):
            exec(compile(text, place, "exec"), small)


def test_an_example_of_iterate_may_be_interrupted_before_its_first_result(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(board: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(outflank, "iterate", interrupted)
    (example,) = (each for each in snippets(ROOT / "docs" / "search.md", "python") if "outflank.iterate(" in each.text)
    exec(compile(example.text, example.place, "exec"), small)


# --- commands ---

COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )?(?:mpiexec -n \d+ )?(outflank .*)")
LABELS = "test_labels_are_the_same_to_the_bit_and_go_on_where_they_were"
WEIGHTS = "test_an_evaluation_is_named_by_its_file_and_read_anew_when_that_is_written_anew"
ELSEWHERE = {
    r"pip install|-m venv|^cd outflank": "tests/project/test_release.py::test_what_is_tried_of_a_package_decides",
    r"^gogui-twogtp|gtp: some-engine": "tests/protocols/test_engines_play.py::test_our_own_engines_play_each_other",
    r"perft .*--device gpu": "tests/gpu/test_gpu_counting.py::test_a_device_counts_as_many_leaves_as_a_cpu",
    r"solve .*--device gpu": "tests/gpu/test_gpu_solve.py::test_solve_tells_what_it_tells_of_a_cpu",
    r"train label .*--device gpu": f"tests/gpu/test_gpu_solve.py::{LABELS}",
    r"(search|match) .*device[= ]gpu": "tests/gpu/test_gpu_playing.py::test_a_device_plays_as_a_cpu_does",
    r"outflank doctor": "tests/ui/cli/test_cli.py::test_doctor_says_what_a_bug_report_needs",
    r"lab grade": "tests/lab/test_grading.py::test_the_command_prints_points_and_feedback",
    r"outflank puzzles|1998\.puzzles": "tests/players/test_puzzles.py::test_the_commands_make_check_and_play",
    r"train run": "tests/learning/test_train.py::test_the_whole_loop_on_the_command_line",
    r"evaluation[= ]patterns:six/": f"tests/learning/test_train.py::{WEIGHTS}",
    r"train generate .*--cluster": "tests/learning/test_train_on_clusters.py::test_the_commands_work_on_a_cluster",
    r"six\.proof": "tests/proofs/test_proofs.py::test_solve_writes_a_proof_that_is_right",
    r"computer report=003": "tests/ui/cli/test_play_command.py::test_players_without_hands_play_to_the_end",
}
"""Commands that need a GPU, a network, other programs or minutes, by a pattern, and the tests of such commands.

`tests/lab/test_lab.py` runs every experiment (`outflank lab NAME`). Here the parameters of experiments are checked, and
a stored result is shown.
"""


@pytest.fixture
def examples_forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what commands import with `--import`; other tests expect that nothing was imported."""
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(user_modules, "_imported", {})
    monkeypatch.setattr(evaluation, "_registered", {game: dict(of) for game, of in evaluation._registered.items()})
    monkeypatch.setattr(description, "_by_rules", dict(description._by_rules))
    register_for_now(monkeypatch, GAMES)
    for file in (ROOT / "examples").rglob("*.py"):
        monkeypatch.delitem(sys.modules, file.stem, raising=False)  # other tests install the examples elsewhere
    yield
    forget_modules(ROOT / "examples")
    for file in (ROOT / "examples").rglob("*.py"):  # a page copies them
        sys.modules.pop(file.stem, None)


@pytest.fixture
def small_commands(small: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Files that commands read, folders of a user's own, and a small scale for whatever they do."""
    _write_inputs(tmp_path)
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    limit = Limits.__post_init__

    def limit_searches(limits: Limits) -> None:
        if (limits.depth, limits.seconds, limits.nodes) != (None, None, None):  # `solve` proves what it is given
            limit(limits)

    stored_result = cache(partial(outflank.lab.redraw, "results/scaling.json"))
    run_options = signature(import_module("outflank.lab.experiment_runner").run).parameters

    def show_stored_result(name: str, **arguments: Any) -> Any:
        EXPERIMENTS.get(name).parameters(**{key: arguments[key] for key in arguments.keys() - run_options})
        return stored_result()

    monkeypatch.setattr(Limits, "__post_init__", limit_searches)
    folder = "outflank.ui.cli"
    monkeypatch.setattr(f"{folder}.laboratory.lab_command.run", show_stored_result)
    monkeypatch.setattr(f"{folder}.laboratory.lab_command.redraw", outflank.lab.redraw)
    count = import_module(f"{folder}.searching.perft_command").perft
    monkeypatch.setattr(f"{folder}.searching.perft_command.perft", lambda board, depth, **more: count(board, 1, **more))
    monkeypatch.setattr(f"{folder}.playing.match_command.Settings", import_module("outflank.arena").Settings)
    plan = import_module(f"{folder}.books.build_commands").BookPlan
    monkeypatch.setattr(
        f"{folder}.books.build_commands.BookPlan",
        lambda **given: replace(plan(**given), plies=1, width=1, positions=given.get("positions") and 3),
    )
    clusters = import_module("outflank.distributed.cluster")
    connect, open_tasks = clusters.connect, import_module("outflank.distributed.cluster").open_tasks
    monkeypatch.setattr(clusters, "connect", lambda where, **more: connect("inside:2", **more))
    for module in (f"{folder}.playing.match_command", f"{folder}.books.build_commands"):
        monkeypatch.setattr(f"{module}.open_tasks", lambda where, make, **more: open_tasks("inside:2", make))
    monkeypatch.setattr("outflank.ui.web.app.application", lambda lobby, access: lobby)
    monkeypatch.setattr(  # a server that ends at once
        "outflank.ui.web.http_server.server_of",
        lambda lobby, limits: SimpleNamespace(run=lambda sockets: lobby.close()),
    )
    monkeypatch.setattr(f"{folder}.playing.serve_command.data_folder", lambda: tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda address: True)
    register_scheme(replace(scheme_named("ybw"), name="two-levels"))  # the plug-in of an example
    with (tmp_path / "nothing").open("w+") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


def _write_inputs(folder: Path) -> None:
    """Write the files that the commands of the pages read."""
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("*.ipynb"))
    for path in (ROOT / "examples" / "course").glob("assignment_*.py"):
        shutil.copy(path, folder)
    board = outflank.OthelloBoard.start(4)
    while board.moves_left > 2:
        board.push(board.legal_moves[0])
    (folder / "endings.obf").write_text(f"{board.to_text()};\n")
    (folder / "position.txt").write_text(f"{outflank.OthelloBoard.start().to_text()}\n")
    (folder / "short.txt").write_text("f5d6c3\n")
    (short,) = read_records(folder / "short.txt")
    for name in ("game.ggf", "monday.ggf", "tuesday.sgf"):
        write_records([short], str(folder / name))
    won = replace(short, black="Tastet", white="Other", date="1998", score=12)
    write_records([won] * 17, str(folder / "WTH_1998.wtb"))


def shell_lines(page: Path) -> Iterator[Snippet]:
    """Every command line of a page, without its comment."""
    for place, text in snippets(page, "sh"):
        yield from (Snippet(place, line.partition("  #")[0].strip()) for line in text.splitlines())


def is_elsewhere(line: str) -> bool:
    return any(re.search(pattern, line) for pattern in ELSEWHERE)


@pytest.mark.slow(5)
@pytest.mark.usefixtures("examples_forgotten", "small_commands")
@pytest.mark.filterwarnings("ignore:overflow encountered")  # of a generator that means it, in the interpreter
@pytest.mark.parametrize("page", pages_in("sh"))
def test_commands_of_a_page_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place, line in shell_lines(page):
        if copied := re.fullmatch(r"cp (examples/\S+) \.", line):
            shutil.copy(copied[1], ".")
        elif not is_elsewhere(line):
            command = COMMAND.fullmatch(line)
            assert command, f"{place}: {line}: not a command of ours, and no test in ELSEWHERE"
            status, printed = _run(command[1], capsys)
            assert status == 0, f"{place}: {line}: {status} {printed.err}"
            assert printed.out or "outflank engine" in line, f"{place}: {line}"


def _run(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[object, Any]:
    """Run a command in this process; return its exit status, and what it has printed."""
    words = [name for word in shlex.split(line) for name in (sorted(glob(word)) if "*" in word else [word])]
    try:
        status = cli.main(args=words[1:], prog_name="outflank", standalone_mode=False)
    except click.Abort:  # so a server ends
        status = 0 if words[1] == "serve" else 130
    except (OutflankError, click.ClickException) as error:
        status = str(error)
    return status or 0, capsys.readouterr()


def test_commands_that_run_elsewhere_are_on_a_page_and_in_a_test() -> None:
    lines = [line for page in PAGES for _, line in shell_lines(page)]
    for pattern in ELSEWHERE:
        assert any(re.search(pattern, line) for line in lines), f"{pattern}: on no page"
    blocks = [text for page in PAGES for _, text in snippets(page, "python")]
    assert all(any(part in text for text in blocks) for part in ON_A_GPU)
    for test in (*ELSEWHERE.values(), *ON_A_GPU.values()):
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


@pytest.mark.usefixtures("examples_forgotten")
@pytest.mark.parametrize("page", pages_in("sh"))
def test_commands_that_run_elsewhere_are_read(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for place, line in shell_lines(page):
        assert set(re.findall(r"pip install '\S*\[(\w+)\]'", line)) <= set(extras), place
        if is_elsewhere(line) and (command := COMMAND.fullmatch(line)):
            try:
                _parse(cli, shlex.split(command[1])[1:])
            except NoDevice:
                pass  # said of a command that is read
            except click.ClickException as error:
                pytest.fail(f"{place}: {line}: {error.format_message()}")


LANGUAGES = {"python", "sh", "powershell", "json", "toml", "text"}
"""Languages of blocks. Blocks of `text` are outputs, settings of players, and the two texts that tests below read."""


def test_every_block_has_a_language() -> None:
    assert {language for page in PAGES for language, _ in FENCE.findall(page.read_text(encoding="utf-8"))} == LANGUAGES


def _text_of(page: str, beginning: str) -> str:
    (text,) = (text for _, text in snippets(ROOT / "docs" / page, "text") if text.startswith(beginning))
    return text


def test_a_dialogue_in_gtp_is_one_that_the_engine_leads() -> None:
    text = _text_of("protocols.md", "> 1 boardsize")
    engine = GtpEngine(lambda board: player("first", board.game))
    for line, answer in re.findall(r"> (.*)\n(.*)\n", text):
        first, _, rest = (engine.answer(line) or "").strip().partition(" ")
        assert first == answer.partition(" ")[0], line
        if "genmove" in line:
            assert rest in ("D6", "F4", "F6")  # all legal answers
        else:
            assert rest == answer.partition(" ")[2], line


def test_a_game_in_our_format_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "one.abalone").write_text(_text_of("formats.md", "game: abalone"))
    (record,) = read_records(tmp_path / "one.abalone")
    assert (record.black, record.score, len(record.moves)) == ("outflank", 6, 3)


def test_json_and_toml_are_what_the_programs_read_and_write() -> None:
    (grade,) = snippets(ROOT / "docs" / "course" / "index.md", "json")
    assert decoded(GradeDocument, grade.text.encode()).checks[0].points == 10
    project, entry = (tomllib.loads(text) for _, text in snippets(ROOT / "docs" / "plugins.md", "toml"))
    for document in (project, entry):
        assert document["project"]["entry-points"].keys() <= {"outflank.schemes", "outflank.evaluations"}


def test_the_first_commands_have_a_form_for_windows() -> None:
    (first, *_), (windows, *_) = (snippets(ROOT / "README.md", language) for language in ("sh", "powershell"))
    translated = first.text.replace("python3 ", "py ").replace(".venv/bin/", ".venv\\Scripts\\").replace(" && ", "; ")
    assert windows.text == translated


def _parse(command: click.Command, words: list[str], parent: click.Context | None = None) -> None:
    """See that a command and those that it has take these words; nothing is run."""
    with command.make_context(command.name, list(words), parent) as context:
        rest = [*context._protected_args, *context.args]
        if isinstance(command, click.Group) and rest:
            _, inner, left = command.resolve_command(context, rest)
            assert inner is not None
            _parse(inner, left, context)
