"""Compiled kernels on disk, seen from other processes."""

import importlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

import outflank.warm
from outflank.folders import cache_folder
from outflank.kernels import cache, cache_files, companion_package, lane_forms
from tests.forks import Forks

pytestmark = pytest.mark.compiled

PACKAGE = Path(outflank.__file__).parent


def surroundings(cache_dir: Path, path: Path | None = None) -> dict[str, str]:
    """The environment of a process with a cache of its own."""
    environment = os.environ | {"OUTFLANK_CACHE_DIR": str(cache_dir), "PYTHONDONTWRITEBYTECODE": "1"}
    return environment | ({"PYTHONPATH": str(path)} if path is not None else {})


def python(*arguments: str, cache_dir: Path, path: Path | None = None, start: bool = False):
    """Run Python with a cache of its own; the finished process, or one that is under way."""
    environment, command = surroundings(cache_dir, path), [sys.executable, *arguments]
    if start:
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def forks():
    forks = Forks()
    yield forks
    forks.close()


@pytest.fixture(scope="module")
def forked(forks):
    """As `python`, in a process that has read Numba: for tests to which it is all one how it was begun."""
    return lambda *arguments, **more: forks.run(*arguments, environment=surroundings(**more))


COMMAND_LINE = "from outflank.__main__ import begin; begin()"


@pytest.mark.slow(5)
def test_every_kernel_has_samples_and_is_reloaded_by_a_second_process():
    for _ in outflank.warm.warm():  # where the tests keep theirs: all of them are compiled already, or now
        pass
    done = python("-m", "outflank", "warm", "--json", cache_dir=cache_folder())
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {event["how"] for event in events} == {"loaded"}
    assert {event["kernel"] for event in events} == {kernel.name for kernel in outflank.warm.own_kernels()}
    # Each one was run as well: a kernel that crashes on reload would have ended the process.


COUNTED = """
import numpy
from outflank.kernels.record_types import allocate
from outflank.search import perft

def counted(board, depth):
    arguments = numpy.int64(depth), numpy.int64(1), allocate(perft.WORKER, 1)[0], numpy.int64(0)
    return perft.leaves(board.game, board.position, *arguments, allocate(perft.SHARED, 1)[0])
"""
"""Leaves counted by the one kernel that plays: those that divide a count take as long to compile again."""

PERFT = COUNTED + "import outflank; print(counted(outflank.OthelloBoard.start(), 5))"
HISTORY = "; from outflank.kernels import cache; print([event.how for event in cache.history])"


TINY = """
from outflank.kernels.compiler import kernel

@kernel
def doubled(number):
    return 2 * number

@kernel
def next_to(number):
    return number + 1
"""
TWICE = "import tiny; print(tiny.next_to(tiny.doubled(3)))"
"""Two kernels that are compiled in no time, for tests to which it is all one what is kept."""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `TWICE` finds its module."""
    path = tmp_path_factory.mktemp("tiny")
    (path / "tiny.py").write_text(TINY)
    return path


def test_processes_that_start_cold_at_once_all_finish(forked, tiny, tmp_path):
    running = [python("-c", TWICE, cache_dir=tmp_path, path=tiny, start=True) for _ in range(3)]
    for process in running:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (0, "7\n"), err
    after = forked("-c", TWICE + HISTORY, cache_dir=tmp_path, path=tiny)
    assert after.stdout == "7\n['loaded', 'loaded']\n"
    assert not list(tmp_path.rglob("*.part"))


def test_what_is_kept_runs_without_numbas_libraries(tiny, tmp_path):
    """To read them takes as long as Numba itself; who compiles needs them."""
    asked = TWICE + "; import sys; print('numba.np.linalg' in sys.modules)" + HISTORY
    assert python("-c", asked, cache_dir=tmp_path, path=tiny).stdout == "7\nTrue\n['compiled', 'compiled']\n"
    assert python("-c", asked, cache_dir=tmp_path, path=tiny).stdout == "7\nFalse\n['loaded', 'loaded']\n"


CALLS = """
from outflank.kernels.compiler import kernel

@kernel
def factorial(number):
    return number * factorial(number - 1) if number > 1 else 1

@kernel
def twice(number):
    return 2 * factorial(number)
"""


def test_a_kernel_that_another_calls_is_made_once_and_found_again(forked, tmp_path):
    (tmp_path / "calls.py").write_text(CALLS)
    arguments = {"cache_dir": tmp_path / "cache", "path": tmp_path}
    asked = "import calls; print(calls.twice(5))" + HISTORY
    inside = "; module = next(iter(calls.twice.compiled.overloads.values())).library._final_module"
    inside += "; print([bool(each.is_declaration) for each in module.functions if 'factorial' in each.name])"
    assert forked("-c", asked + inside, **arguments).stdout == "240\n['compiled', 'compiled']\n[True]\n"
    # Its caller finds it also where another process has made it.
    (callee,) = tmp_path.rglob("*factorial*.kernel")
    callee.unlink()
    assert forked("-c", asked, **arguments).stdout == "240\n['compiled', 'loaded']\n"
    # One that asks for what is not there any more is made anew.
    (caller,) = tmp_path.rglob("*twice*.kernel")
    cache_files.write(caller, (cache_files.read(caller) or b"").replace(b"factorial", b"factorian"))
    assert forked("-c", asked, **arguments).stdout == "240\n['loaded', 'compiled']\n"


@pytest.mark.parametrize(("called", "times"), [("NRT_Allocate", 0), ("no_such_function_anywhere", 1)])
def test_numbas_libraries_are_read_for_what_nobody_knows_yet(monkeypatch, called, times):
    from numba.core.registry import cpu_target

    target, read = cpu_target.target_context, []
    monkeypatch.setattr(target, "refresh", lambda: read.append(called))
    assert cache_files.from_bytes(pickle.dumps(((), (called,), ())), target) is None  # for there is no code
    assert len(read) == times


PACK = """
import pathlib, sys
import calls
from outflank.kernels import cache, cache_files, companion_package
print(calls.twice(5))
triple, _, features = host = companion_package.host()
processor = companion_package.usable_processors(triple, features)[0]
folder = companion_package.folder(pathlib.Path(sys.argv[1]), processor) / "kernels" / cache.stamp()
for kernel in (calls.twice, calls.factorial):
    stored = kernel.compiled._cache
    for signature in kernel.compiled.overloads:
        key = stored.key(signature)
        code = cache_files.read(stored.path(key, *cache._target(host)))
        generic = cache._target((triple, processor.name, processor.features))
        cache_files.write(folder / stored.file_name(key, *generic), code)
"""
"""Puts the kernels of `CALLS` into a companion package. Its argument is the folder of installed packages."""


def test_kernels_of_the_companion_package_are_not_compiled(forked, tmp_path):
    (tmp_path / "calls.py").write_text(CALLS)
    assert forked("-c", PACK, str(tmp_path / "home"), cache_dir=tmp_path / "maker", path=tmp_path).stdout == "240\n"
    package = tmp_path / "home" / companion_package.PACKAGE
    before = {file: file.read_bytes() for file in package.rglob("*.kernel")}
    assert len(before) == 2
    homes = f"companion_package.homes = lambda: [pathlib.Path({str(tmp_path / 'home')!r})]; "
    use = "import pathlib; from outflank.kernels import companion_package; " + homes
    asked = use + "import calls; print(calls.twice(5))" + HISTORY

    def run(cache: str) -> str:
        done = forked("-c", asked, cache_dir=tmp_path / cache, path=tmp_path)
        assert done.stderr == ""
        return done.stdout

    assert run("first") == "240\n['loaded', 'loaded']\n"
    assert not (tmp_path / "first").exists()
    # Kernels of the package and of the user's cache call each other.
    (callee,) = package.rglob("*factorial*.kernel")
    callee.write_bytes(callee.read_bytes()[:-1] + b"?")
    assert run("second") == "240\n['compiled', 'loaded']\n"
    assert run("second") == "240\n['loaded', 'loaded']\n"
    (stamp,) = {file.parent for file in before}
    stamp.rename(stamp.with_name("of-other-versions"))
    assert run("third") == "240\n['compiled', 'compiled']\n"


def test_an_edited_source_of_the_package_is_never_served_stale(forked, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "src" / "outflank")
    arguments = {"cache_dir": tmp_path / "cache", "path": tmp_path / "src"}
    assert forked("-c", PERFT, **arguments).stdout == "1396\n"
    # Not the kernel's own file: a helper that it calls through two others.
    edited = tmp_path / "src" / "outflank" / "othello" / "rules.py"
    text = edited.read_text()
    assert "return popcount(todo)\n" in text
    edited.write_text(text.replace("return popcount(todo)\n", "return popcount(todo) + 1000\n"))
    assert forked("-c", PERFT, **arguments).stdout == f"{1396 + 1000 * 244}\n"
    edited.write_text(text)
    back = forked("-c", PERFT + HISTORY, **arguments)
    assert back.stdout.startswith("1396\n")
    assert "compiled" not in back.stdout


GAME = (
    COUNTED
    + """
from typing import NamedTuple
import numpy as np
from outflank.games import rules
from outflank import Board
import {helper}

class Nim(NamedTuple):
    most: int

class Heap(NamedTuple):
    left: np.uint64

@rules.most_moves.register(Nim)
def _(game):
    return 8

@rules.count.register(Nim)
def _(game, position):
    return min({helper}.allowed(game.most), np.int64(position.left))

@rules.fill.register(Nim)
def _(game, position, moves, start):
    end = start
    for take in range(1, rules.count(game, position) + 1):
        moves[end] = take
        end += 1
    return end

@rules.play.register(Nim)
def _(game, position, move):
    return Heap(position.left - np.uint64(move))

@rules.pack.register(Nim)
def _(game, position):
    return position.left, np.uint64(0)

@rules.unpack.register(Nim)
def _(game, first, second):
    return Heap(first)

def leaves():
    return counted(Board(Nim(2), Heap(np.uint64(20))), 6)
"""
)
HELPER = """
from outflank.kernels.compiler import inner

@inner
def allowed(most):
    return most + {extra}
"""


def test_users_modules_are_part_of_the_key(forked, tmp_path):
    code = tmp_path / "code"
    code.mkdir()
    (code / "nim.py").write_text(GAME.format(helper="amount"))
    arguments = {"cache_dir": tmp_path / "cache", "path": code}
    program = "import nim; print(nim.leaves())"
    for extra, leaves in ((0, 64), (1, 729), (0, 64)):
        (code / "amount.py").write_text(HELPER.format(extra=extra))
        done = forked("-c", program, **arguments)
        assert done.stdout == f"{leaves}\n", done.stderr
    loaded = forked("-c", program + HISTORY, **arguments)
    assert "compiled" not in loaded.stdout
    assert "loaded" in loaded.stdout
    # The package's own kernels are not compiled again for that.
    both = forked("-c", "import nim" + PERFT, **arguments)
    alone = forked("-c", PERFT + HISTORY, **arguments)
    assert both.stdout == "1396\n"
    assert "compiled" not in alone.stdout


LATE = """
from outflank.kernels.compiler import inner, kernel

@inner
def twice(number):
    return 2 * number

import amount

@kernel
def add(number):
    return twice(number) + amount.K
"""


def test_libraries_of_another_environment_are_not_the_users_own(tmp_path, monkeypatch):
    """As with `pip install --user`, or in an environment that sees the system's packages."""
    elsewhere = tmp_path / "elsewhere" / "site-packages"
    elsewhere.mkdir(parents=True)
    (elsewhere / "borrowed_tool.py").write_text("from numpy.ma import masked\n")
    (tmp_path / "own_game.py").write_text("import own_helper\nimport borrowed_tool\n")
    (tmp_path / "own_helper.py").write_text("from numpy.ma import masked\n")
    monkeypatch.syspath_prepend(elsewhere)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("own_game")
    try:
        assert [name for name, _ in cache._imported_sources("own_game")] == ["own_game", "own_helper"]
        assert cache._constants(sys.modules["own_helper"])  # that constant is no ordinary array
    finally:
        for name in ("own_game", "own_helper", "borrowed_tool"):
            del sys.modules[name]


def test_imports_and_values_that_come_late_are_part_of_the_key(forked, tmp_path, monkeypatch):
    (tmp_path / "late.py").write_text(LATE)
    arguments = {"cache_dir": tmp_path / "cache", "path": tmp_path}
    program = "import late; print(late.add(10))"
    for value, expected in (("1", 21), ("7", 27), ("1", 21)):
        (tmp_path / "amount.py").write_text(f"K = {value}\n")
        assert forked("-c", program, **arguments).stdout == f"{expected}\n"
    # The same text, other values.
    (tmp_path / "amount.py").write_text("K = int(__import__('os').environ['LATE_K'])\n")
    for value in ("5", "9"):
        monkeypatch.setenv("LATE_K", value)
        assert forked("-c", program, **arguments).stdout == f"{20 + int(value)}\n"
    assert "loaded" in forked("-c", program + HISTORY, **arguments).stdout


def test_a_package_edited_under_a_process_is_not_kept(forked, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "src" / "outflank")
    arguments = {"cache_dir": tmp_path / "cache", "path": tmp_path / "src"}
    edited = tmp_path / "src" / "outflank" / "search" / "perft.py"
    program = f"""
import outflank, pathlib
board = outflank.OthelloBoard.start()
path = pathlib.Path({str(edited)!r})
text = path.read_text()
path.write_text(text.replace("total += count(game, child)", "total += 1000 + count(game, child)"))
{COUNTED}
print(counted(board, 4))
path.write_text(text)
"""
    done = forked("-c", program, **arguments)
    assert done.stdout == f"{244 + 56 * 1000}\n", done.stderr
    assert forked("-c", PERFT, **arguments).stdout == "1396\n"


def test_a_package_whose_files_are_being_exchanged_is_not_kept(monkeypatch, tmp_path):
    """As by an update of a checkout, while a process compiles."""
    from numba.core.registry import cpu_target

    kept = cache.KernelCache(outflank.warm.own_kernels()[0].py_func, "kept")
    codegen = cpu_target.target_context.codegen()
    assert kept._path(kept.key(()), codegen) is not None
    monkeypatch.setattr(cache, "_package_sources", lambda: [str(tmp_path / "gone.py")])
    assert kept._path(kept.key(()), codegen) is None


def test_the_form_of_lanes_is_part_of_the_key(monkeypatch):
    from numba.core.registry import cpu_target

    kept = cache.KernelCache(outflank.warm.own_kernels()[0].py_func, "kept")
    codegen = cpu_target.target_context.codegen()
    paths = set()
    for form in (None, "vectors", "scalars"):
        monkeypatch.setattr(lane_forms, "forced_form", lambda form=form: form)
        paths.add(kept._path(kept.key(()), codegen))
    assert len(paths - {None}) == 3


RELOAD = """
import importlib, pathlib, sys
import nim
print(nim.leaves())
path = pathlib.Path(nim.__file__)
path.write_text(path.read_text().replace("allowed(game.most)", "allowed(game.most + 1)"))
importlib.reload(nim)
print(nim.leaves())
"""


def test_a_reloaded_module_is_compiled_again(forked, tmp_path):
    (tmp_path / "nim.py").write_text(GAME.format(helper="amount"))
    (tmp_path / "amount.py").write_text(HELPER.format(extra=0))
    done = forked("-c", RELOAD, cache_dir=tmp_path / "cache", path=tmp_path)
    assert done.stdout == "64\n729\n", done.stderr


def test_classes_made_in_functions_are_told_apart(forked, tmp_path):
    body = textwrap.indent(GAME.format(helper="amount").split("def leaves")[0], "    ")
    body = body.replace("amount.allowed(game.most)", "width")
    head = "def variant(width):\n"
    tail = "\n    return counted(Board(Nim(0), Heap(np.uint64(30))), 4)\n"
    (tmp_path / "factory.py").write_text(head + body + tail)
    (tmp_path / "amount.py").write_text(HELPER.format(extra=0))
    program = "import factory; print(factory.variant(2), factory.variant(3))"
    for _ in range(2):
        done = forked("-c", program, cache_dir=tmp_path / "cache", path=tmp_path)
        assert done.stdout == "16 81\n", done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows always knows a profile")
def test_without_a_home_directory_nothing_is_kept_but_all_works(forks):
    environment = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    environment["OUTFLANK_CACHE_DIR"] = "~nobody-of-that-name/cache"
    for arguments, status in ((["perft", "--depth", "3"], 0), (["doctor"], 1)):
        done = forks.run("-c", COMMAND_LINE, *arguments, environment=environment)
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        assert "home directory" in done.stderr + done.stdout


SCRIPT = """
import sys
from outflank.kernels import cache
from outflank.kernels.compiler import inner

if len(sys.argv) > 1:
    @inner
    def allowed(most):
        return most + 1
else:
    @inner
    def allowed(most):
        return most

""" + GAME.replace("import {helper}\n", "").replace("{helper}.allowed", "allowed")
SCRIPT_END = "\nprint(leaves(), {event.how for event in cache.history})\n"


def test_a_game_in_a_script_is_kept_like_a_modules(forked, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + SCRIPT_END)
    arguments = {"cache_dir": tmp_path / "cache"}
    assert forked(str(script), **arguments).stdout == "64 {'compiled'}\n"
    assert forked(str(script), **arguments).stdout == "64 {'loaded'}\n"
    # Which of the functions in the file are defined is part of the key, and so is the file.
    assert forked(str(script), "more", **arguments).stdout == "729 {'compiled'}\n"
    script.write_text(SCRIPT.replace("return most\n", "return most + 1\n") + SCRIPT_END)
    assert forked(str(script), **arguments).stdout == "729 {'compiled'}\n"
    script.write_text(SCRIPT + SCRIPT_END)
    assert forked(str(script), **arguments).stdout == "64 {'loaded'}\n"


LATER = """
import pathlib, sys
text = pathlib.Path(sys.argv[1]).read_text()
exec(text)
"""


def test_what_is_not_in_a_scripts_file_is_not_kept(forked, tmp_path):
    text, executed = tmp_path / "text", tmp_path / "executed.py"
    text.write_text(SCRIPT.replace("len(sys.argv) > 1", "False") + SCRIPT_END)
    executed.write_text(LATER)
    for command in ([str(executed), str(text)], ["-c", text.read_text()]):
        done = forked(*command, cache_dir=tmp_path / "cache")
        assert done.stdout == "64 {'compiled'}\n", done.stderr
    assert not list((tmp_path / "cache").rglob("*.kernel"))


def test_a_cache_that_cannot_be_written_is_reported_and_worked_around(forked, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the directory should be")
    done = forked("-c", COMMAND_LINE, "perft", "--depth", "4", cache_dir=blocked / "inside")
    assert done.returncode == 0
    assert "244" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "OUTFLANK_CACHE_DIR" in done.stderr


def test_a_cache_that_fails_without_a_reason_is_reported(monkeypatch, tmp_path):
    """Some errors of the system carry no words."""
    failing = cache.KernelCache(test_old_generations_make_room, "failing")
    monkeypatch.setattr(failing, "_path", lambda signature, codegen: tmp_path / "a.kernel")
    monkeypatch.setattr(cache_files, "to_bytes", lambda result: b"")
    monkeypatch.setattr(cache, "publish", lambda result, callee: None)
    library, described = (
        SimpleNamespace(has_dynamic_globals=False, callees=()),
        SimpleNamespace(llvm_func_name="failing"),
    )
    result = SimpleNamespace(codegen=None, lifted=(), library=library, fndesc=described)
    for error, said in ((OSError("the disk is away"), "the disk is away"), (OSError(), "OSError without a reason")):

        def fail(path, payload, error=error):
            raise error

        monkeypatch.setattr(cache_files, "write", fail)
        monkeypatch.setattr(cache_files, "_warned", False)
        with pytest.warns(RuntimeWarning, match=rf"kernels cannot be kept in .* \({said}\)"):
            failing.save_overload((), result)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_cache_is_reported_and_worked_around(forked, tmp_path):
    tmp_path.chmod(0o555)
    done = forked("-c", COMMAND_LINE, "perft", "--depth", "4", cache_dir=tmp_path)
    assert done.returncode == 0
    assert "OUTFLANK_CACHE_DIR" in done.stderr


def test_a_missing_cache_directory_is_made(forked, tiny, tmp_path):
    done = forked("-c", TWICE, cache_dir=tmp_path / "not" / "yet" / "there", path=tiny)
    assert (done.stdout, done.stderr) == ("7\n", "")
    assert len(list((tmp_path / "not").rglob("*.kernel"))) == 2


@pytest.fixture(scope="module")
def kept(forked, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds two kernels."""
    path = tmp_path_factory.mktemp("kept")
    assert forked("-c", TWICE, cache_dir=path, path=tiny).stdout == "7\n"
    assert len(list(path.rglob("*.kernel"))) == 2
    return path


def sealed(file: Path, payload: bytes) -> None:
    """Keep something, as a kernel is kept."""
    cache_files.write(file, payload)


# Each gets a kernel's file, and what is in another's.
DAMAGES = {
    "half": lambda file, other: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "a byte": lambda file, other: file.write_bytes(file.read_bytes()[:-1] + b"?"),
    "empty": lambda file, other: file.write_bytes(b""),
    "no pickle": lambda file, other: sealed(file, b"no pickle"),
    "nothing": lambda file, other: sealed(file, b""),
    "None": lambda file, other: sealed(file, pickle.dumps(None)),
    "its shape alone": lambda file, other: sealed(file, pickle.dumps((None,) * 9)),
    "a missing module": lambda file, other: sealed(file, b"cnothing.of.that.name\nclass\n."),
    "another kernel": lambda file, other: file.write_bytes(other),
    "a directory": lambda file, other: (file.unlink(), file.mkdir()),
    "a pipe": lambda file, other: (file.unlink(), os.mkfifo(file)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_no_kernel_is_a_miss(forked, tiny, kept, tmp_path, damage):
    shutil.copytree(kept, tmp_path / "cache")
    first, second = (tmp_path / "cache").rglob("*.kernel")
    for file, other in (first, second.read_bytes()), (second, first.read_bytes()):
        DAMAGES[damage](file, other)
    done = forked("-c", TWICE + HISTORY, cache_dir=tmp_path / "cache", path=tiny)
    assert done.stdout == "7\n['compiled', 'compiled']\n", done.stderr
    assert "Traceback" not in done.stderr


def test_kernels_that_others_may_write_are_not_run(forked, tiny, kept, tmp_path):
    shutil.copytree(kept, tmp_path / "cache")
    before = {file: file.read_bytes() for file in (tmp_path / "cache").rglob("*.kernel")}
    (tmp_path / "cache" / "kernels").chmod(0o777)
    done = forked("-c", TWICE + HISTORY, cache_dir=tmp_path / "cache", path=tiny)
    assert (done.returncode, done.stdout) == (0, "7\n['compiled', 'compiled']\n")
    assert done.stderr.count("outflank") == 1
    assert f"others may write to {tmp_path / 'cache' / 'kernels'}" in done.stderr
    assert "OUTFLANK_CACHE_DIR" in done.stderr
    assert {file: file.read_bytes() for file in (tmp_path / "cache").rglob("*.kernel")} == before


def test_old_generations_make_room(forked, tiny, tmp_path):
    for number in range(9):
        folder = tmp_path / "kernels" / f"old{number}"
        folder.mkdir(parents=True)
        (folder / "a.kernel").write_bytes(b"")
        os.utime(folder, (number, number))
    assert forked("-c", TWICE, cache_dir=tmp_path, path=tiny).returncode == 0
    left = sorted(path.name for path in (tmp_path / "kernels").iterdir())
    assert len(left) == cache_files.GENERATIONS_KEPT
    assert [name for name in left if name.startswith("old")] == ["old4", "old5", "old6", "old7", "old8"]


def test_nothing_compiles_before_it_is_needed(tmp_path):
    program = textwrap.dedent(
        """
        import sys
        import outflank
        assert not {"numba", "numpy", "rich"} & set(sys.modules)
        board = outflank.Board.from_text("f5d6c3")
        str(board), board.svg(), board.canonical(), outflank.AbaloneBoard.start().legal_moves
        assert "numba" not in sys.modules
        """
    )
    done = python("-c", program, cache_dir=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


def test_every_module_with_kernel_code_is_part_of_the_key():
    """Whichever folder it is in: a game's, or one that has hardly any."""
    marks = re.compile(rb"^@(?:kernel|inner|inlined)\b|^@[\w.]+\.register\(", re.MULTILINE)
    with_kernels = {path for path in PACKAGE.rglob("*.py") if marks.search(path.read_bytes())}
    assert len(with_kernels) > 30
    assert with_kernels <= set(map(Path, cache._package_sources()))
    assert all(cache._is_kernel_source(path, path.read_bytes()) for path in with_kernels)
