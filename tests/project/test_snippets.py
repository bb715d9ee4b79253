"""Examples in the documentation: Python runs, on a small scale, and the options of commands are there."""

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
from importlib import import_module
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
from outflank.formats.game_files import read_records, write_records
from outflank.games import description, evaluation
from outflank.games.description import GAMES
from outflank.games.evaluation import value
from outflank.gpu.troubles import NoDevice
from outflank.kernels.bits import popcount
from outflank.lab.experiment import EXPERIMENTS
from outflank.search.division import SCHEMES, register_scheme, scheme_named
from outflank.search.request import Limits
from outflank.ui.cli import cli
from tests.installing import forget_modules, register_for_now

pytestmark = pytest.mark.interpreted_only

ROOT = Path(__file__).parents[2]
LIBRARIES = {"openspiel": "pyspiel"}
"""Pages whose examples need a library that the tests do not install, and its name."""
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", *(ROOT / "examples").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_WHOLE = ("kernels", "games")
"""Pages whose examples are pieces of larger programs: of kernels for a GPU, and of `examples/connect-four`."""


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
                    assert hasattr(import_module(node.module), name.name), f"{place}: {ast.unparse(node)}"
                    if isinstance(found := getattr(import_module(node.module), name.name), ModuleType):
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
@pytest.mark.parametrize("page", [each for each in pages_in("python") if each.id not in NOT_WHOLE])
def test_python_of_a_page_runs_from_top_to_bottom(
    page: Path, small: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem in LIBRARIES:
        pytest.importorskip(LIBRARIES[page.stem])
    if page.stem == "gpu":
        _solve_on_no_device(monkeypatch)
    for place, text in snippets(page, "python"):
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

COMMAND = re.compile(r"(?:mpiexec -n \d+ )?(outflank .*)")


@pytest.fixture
def _imports_forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
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


@pytest.mark.usefixtures("_imports_forgotten")
@pytest.mark.parametrize("page", pages_in("", "sh"))
def test_commands_of_a_page_are_read(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    register_for_now(monkeypatch, SCHEMES)
    register_scheme(replace(scheme_named("ybw"), name="two-levels"))  # the plug-in of an example
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for place, text in snippets(page, "", "sh"):
        for line in text.splitlines():
            assert set(re.findall(r"pip install '\S*\[(\w+)\]'", line)) <= set(extras), place
            if found := COMMAND.fullmatch(line):
                words = shlex.split(re.split(r"\s{2,}", found[1])[0])
                try:
                    _parse(cli, words[1:])
                except NoDevice:
                    pass  # said of a command that is read
                except click.ClickException as error:
                    pytest.fail(f"{place}: {line}: {error.format_message()}")


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
