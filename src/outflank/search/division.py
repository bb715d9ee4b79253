"""Who searches which part of a root's tree: the seam between algorithms and schedulers.

An algorithm asks a division for the root's value in a window, or by minimax; the division has
one worker search it, or many. Schemes for many live in `outflank.parallel`, one module each,
and register a way to make a division here; so may anybody's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from outflank.errors import InvalidOption, UnknownName
from outflank.kernels.compiler import interpreted
from outflank.machine import usable_cores
from outflank.search.contract import Options, WorkerStatistics
from outflank.search.root import Root, RootMove, RootValue, WindowProgress


class Division(Protocol):
    """One search's workers. Each method may raise `Stopped`, after which no value but `standing`'s is worth anything.

    What a window tells of the root's value is kept there (`Root.learn`).
    """

    @property
    def nbytes(self) -> int:
        """Memory of the workers."""

    def prepare(self) -> None:
        """Compile what will be needed, and start the workers."""

    def search_window(self, depth: int, alpha: int, beta: int, *, wanted: int, moves: Sequence[RootMove]) -> RootValue:
        """Alpha-beta's promise for (alpha, beta) at the root, by some of its `moves` alone.

        The `wanted` best moves get their exact values, if the window is full.
        """

    def search_fully(self, depth: int) -> RootValue:
        """The root's value by minimax, with the values of all its moves."""

    def standing(self) -> WindowProgress:
        """How far the window under way has come, or had when it was given up. Asked from whatever thread."""

    def forget(self) -> None:
        """Clear the tables."""

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """What each worker has done so far."""

    def close(self) -> None:
        """Let the workers go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A way to share a search among workers."""

    name: str
    carries: tuple[str, ...]
    """The algorithms that it can share."""
    promises: str
    """What does not depend on the number of workers."""
    costs: str
    """What it pays for its parallelism."""
    divide: Callable[[Root, int], Any]
    """A `Division` of a root among so many workers; for Monte-Carlo a `Playing`."""

    def promised(self, algorithm: str) -> tuple[str, ...]:
        """Of `value`, `move` and `nodes`, those that do not depend on the number of workers with such an algorithm."""
        always, _, sometimes = self.promises.partition(";")
        words = [*always.split(), *(sometimes.split() if f"with {algorithm}" in sometimes else [])]
        return tuple(name for name in ("value", "move", "nodes") if name in words)


_HOMES = {
    "fork-join": "outflank.parallel.fork_join",
    "root-split": "outflank.parallel.root_split",
    "pv-split": "outflank.parallel.pv_split",
    "jamboree": "outflank.parallel.jamboree",
    "ybw": "outflank.parallel.young_brothers",
    "shared-table": "outflank.parallel.shared_table",
    "abdada": "outflank.parallel.abdada",
    "root-parallel": "outflank.parallel.root_parallel",
    "tree-parallel": "outflank.parallel.tree_parallel",
}
"""Where the package's schemes are. By name, as plug-ins are: nothing here depends on them."""

_schemes: dict[str, Scheme] = {}

USUAL = {"minimax": "fork-join", "alphabeta": "ybw", "pvs": "ybw", "mtdf": "ybw"}
"""The best scheme for an algorithm."""


def register_scheme(scheme: Scheme) -> Scheme:
    """Make a scheme known by its name; one of the package's own is nobody else's."""
    home = _HOMES.get(scheme.name)
    if home is not None and scheme is not _schemes.get(scheme.name) and scheme.divide.__module__ != home:
        raise InvalidOption(f"scheme {scheme.name!r} is {home}: choose another name")
    _schemes[scheme.name] = scheme
    return scheme


def schemes() -> tuple[str, ...]:
    """The names of all schemes."""
    return (*_HOMES, *(name for name in _schemes if name not in _HOMES))


def scheme_named(name: str) -> Scheme:
    """The scheme called `name`."""
    if name not in schemes():
        raise UnknownName.among("scheme", name, schemes())
    if name not in _schemes:
        import_module(_HOMES[name])
    return _schemes[name]


def check_carries(scheme: Scheme, algorithm: str) -> None:
    """Refuse an algorithm that a scheme cannot divide."""
    if algorithm not in scheme.carries:
        raise InvalidOption(f"{scheme.name} does not carry {algorithm}: only {', '.join(scheme.carries)}")


def chosen_scheme(options: Options) -> tuple[Scheme | None, int]:
    """The scheme and the number of workers that the options ask for; None: one worker, alone."""
    workers = options.workers
    if options.parallel is not None:
        scheme = options.parallel if isinstance(options.parallel, Scheme) else scheme_named(options.parallel)
        check_carries(scheme, options.algorithm)
        return scheme, all_cores() if workers is None else workers
    usual = USUAL.get(options.algorithm)
    if workers is None:
        workers = all_cores() if usual is not None else 1
    if workers == 1:
        return None, 1
    if usual is None:
        raise InvalidOption(f"{options.algorithm} with {workers} workers: parallel must say how they share the work")
    return scheme_named(usual), workers


def all_cores() -> int:
    """The workers that keep this process's cores busy; in the interpreter only one gains anything."""
    return 1 if interpreted() else max(1, int(usable_cores()))
