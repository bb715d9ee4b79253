"""Compiles all kernels of the package except the kernels of `learning`, for both games, or loads them from the
cache."""

from collections.abc import Iterator
from importlib import import_module

from outflank.games.description import OWN_GAMES, game_named
from outflank.games.rules import Game, Position
from outflank.kernels import cache
from outflank.kernels.compiler import Kernel, kernels
from outflank.search.division import SCHEMES


def _starts() -> list[tuple[Game, Position]]:
    boards = [game_named(name).start() for name in OWN_GAMES]
    return [(board.game, board.position) for board in boards]


STARTS = _starts()


HOMES = (
    "games.position_loops",
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
