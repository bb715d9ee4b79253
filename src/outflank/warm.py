"""Compiles all kernels of the package except the kernels of `learning`, for both games, or loads them from the
cache; and builds the companion package `outflank-kernels`, in which kernels are installed ready to run."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

from outflank import __version__
from outflank.errors import OutflankError
from outflank.games.description import OWN_GAMES, game_named
from outflank.games.rules import Game, Position
from outflank.installation import install_command
from outflank.kernels import cache, companion_package, lane_forms
from outflank.kernels.companion_package import Processor
from outflank.kernels.compiler import Kernel, kernels, load_numba
from outflank.search.division import SCHEMES


def _starts() -> list[tuple[Game, Position]]:
    boards = [game_named(name).start() for name in OWN_GAMES]
    return [(board.game, board.position) for board in boards]


STARTS = _starts()


HOMES = (
    "games.position_loops",
    "books.game_index",
    "books.move_graph",
    "diagnosis",
    "distributed.node_steps",
    "lab.spans.cilkview_counts",
    "lab.measuring.node_work",
    "lab.report_programs.program_001",
    "lab.spans.work_and_span",
    "lab.measuring.function_profile",
    "lab.replay.fork_join_graph",
    "lab.replay.schedulers",
    "lab.replay.sharing_costs",
    "lab.simulation.stealing_search",
    "lab.studies.hashing",
    "lab.studies.storage",
    "parallel.exchange_steps",
    "proofs.finding",
    "search.leaf_batches",
    "gpu.by_moves",
    "search.many_endings",
    "search.montecarlo",
    "search.samples",
)
"""Modules that define kernels, or sample arguments of kernels, and that no parallel scheme imports."""


def own_kernels() -> list[Kernel]:
    """Import all modules with kernels; return the kernels of the package, except the kernels of `learning`."""
    for home in HOMES:
        import_module(f"outflank.{home}")
    for name in SCHEMES.own:
        SCHEMES.get(name)  # imports the scheme's kernels
    return [kernel for kernel in kernels() if _is_warmed(kernel.py_func.__module__)]


def _is_warmed(module: str) -> bool:
    """Return whether a module's kernels are compiled here. Few users need the kernels of `learning`."""
    return module.startswith("outflank.") and not module.startswith("outflank.learning.")


def warm(*, every: bool = False) -> Iterator[cache.Event]:
    """Run all `own_kernels` on their sample arguments; yield each compilation, or loading from the cache, as it ends.

    With `every`, this includes all evaluations that can be chosen by name, not only the usual ones.
    """
    reported = len(cache.history)
    for game, position in STARTS:
        for kernel in own_kernels():
            for arguments in kernel.samples(game, position, every=every):
                kernel(*arguments)
            yield from cache.history[reported:]
            reported = len(cache.history)


# --- the companion package ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelsWheel:
    """A wheel of the companion package."""

    path: Path
    processors: tuple[str, ...]
    """Generic processors for which it has kernels."""
    omitted: tuple[str, ...]
    """Generic processors with features that this machine does not have: their kernels could not be tried here."""
    kernels: int
    """Number of kernels for each processor."""


def build_wheel(directory: Path, *, every: bool = False, report: Callable[[str], None]) -> KernelsWheel:
    """Compile all kernels for every generic processor whose code runs here; write them to a wheel in `directory`.

    The wheel requires exactly the versions of the packages with which its kernels were compiled. `every` has the same
    meaning as in `warm`; `report` receives a line before the kernels of a processor are compiled.
    """
    _require_hatchling()
    load_numba()
    triple, _, features = companion_package.host()
    usable = companion_package.usable_processors(triple, features)
    if not usable:
        raise OutflankError(f"kernels for other machines cannot be compiled on this processor ({triple})")
    tag = _wheel_tag()
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as root:
        counts = set()
        for processor in usable:
            report(f"compiling kernels for {processor.name} …")
            folder = companion_package.folder(Path(root), processor)
            _compile_for(processor, folder, every=every)
            counts.add(sum(1 for _ in folder.rglob("*.kernel")))
        if len(counts) > 1:
            raise OutflankError(f"the processors have different numbers of kernels: {sorted(counts)}")
        path = _pack(Path(root), tag, directory)
    omitted = [processor.name for processor in companion_package.generic_processors(triple) if processor not in usable]
    names = tuple(processor.name for processor in usable)
    return KernelsWheel(path=path, processors=names, omitted=tuple(omitted), kernels=counts.pop())


def _compile_for(processor: Processor, folder: Path, *, every: bool) -> None:
    """Compile all kernels for a generic processor, in a child process whose cache folder is `folder`."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NUMBA_DISABLE_JIT", lane_forms.FORCED)
    }
    environment |= {
        "NUMBA_CPU_NAME": processor.name,
        "NUMBA_CPU_FEATURES": processor.features,
        "OUTFLANK_CACHE_DIR": str(folder),
        companion_package.SWITCH: "native",  # an installed companion package would be used instead of the compiler
    }
    command = [sys.executable, "-m", "outflank", "warm", *(["--all"] if every else [])]
    process = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if process.returncode != 0:
        reason = (process.stderr.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
        raise OutflankError(f"kernels cannot be compiled for {processor.name}: {reason}")


def _require_hatchling() -> None:
    try:
        import hatchling  # noqa: F401
    except ImportError:
        raise OutflankError(f"a wheel needs one more package: {install_command('wheel')}") from None


def _wheel_tag() -> str:
    """Return the Pythons and systems on which the wheel can be installed: those of Numba's own wheel."""
    lines = (distribution("numba").read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    if not tags:
        raise OutflankError("Numba was not installed from a wheel: its system and version of Python are unknown")
    return "-".join(".".join(dict.fromkeys(parts)) for parts in zip(*tags, strict=True))


def _pack(root: Path, tag: str, directory: Path) -> Path:
    """Write the wheel with the companion package in `root`; return its path."""
    from hatchling.builders.wheel import WheelBuilder
    from hatchling.metadata.core import ProjectMetadata

    class Builder(WheelBuilder):
        def get_default_build_data(self) -> dict[str, Any]:
            return {**super().get_default_build_data(), "tag": tag, "pure_python": False}

    project = {
        "name": "outflank-kernels",
        "version": __version__,
        "description": "Kernels of outflank, compiled ahead of time",
        "license": "MIT",
        "requires-python": f"=={sys.version_info.major}.{sys.version_info.minor}.*",
        "dependencies": [
            f"outflank=={__version__}",
            *(f"{name}=={version(name)}" for name in ("numba", "llvmlite", "numpy")),
        ],
    }
    wheel = {"packages": [companion_package.PACKAGE], "ignore-vcs": True}
    config = {"project": project, "tool": {"hatch": {"build": {"targets": {"wheel": wheel}}}}}
    builder = Builder(str(root), metadata=ProjectMetadata(str(root), None, config))
    (path,) = builder.build(directory=str(directory), versions=["standard"])
    return Path(path)
