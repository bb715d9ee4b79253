"""Who searches which part of a root's tree: the seam between algorithms and schedulers.

An algorithm asks a division for the root's value in a window, or by minimax; the division has
one worker search it, or many. Schemes for many live in `outflank.parallel`, one module each,
and are ways to make a division; anybody's own are found beside them (`outflank.plugins`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from importlib import import_module
from typing import Any, Protocol

from outflank.errors import InvalidOption
from outflank.kernels.compiler import interpreted
from outflank.machine import usable_cores
from outflank.plugins import Registry, instance_of
from outflank.search.contract import Options
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, WindowProgress


class Division(Protocol):
    """One search's workers. Each method may raise `Stopped`, after which no value but `standing`'s is worth anything.

    What a window tells of the root's value is kept there (`Root.learn`). Where `reads_deadline` is there and true, the
    workers see by themselves that the root's deadline has come (`stopping`); a timer stops all others.
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


class Promise(Flag):
    """What of a search's result does not depend on the number of workers."""

    VALUE = auto()
    MOVE = auto()
    NODES = auto()

    def __str__(self) -> str:
        return " and ".join(str(flag.name).lower() for flag in Promise if flag in self) or "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A way to share a search among workers."""

    name: str
    algorithms: tuple[str, ...]
    """The algorithms that it can share."""
    promises: Promise
    """What does not depend on the number of workers."""
    minimax_promises: Promise | None = None
    """The same for minimax; None: no more than for the other algorithms."""
    promises_note: str = ""
    """A condition or a reason, for people."""
    overhead: str
    """What it pays for its parallelism."""
    divide: Callable[[Root, int], Any]
    """A `Division` of a root among so many workers; for Monte-Carlo a `Playing`."""

    def promised(self, algorithm: str) -> Promise:
        """Return what does not depend on the number of workers with an algorithm."""
        if algorithm == "minimax" and self.minimax_promises is not None:
            return self.minimax_promises
        return self.promises

    @property
    def promises_text(self) -> str:
        """The promises in a line: `value and move; with minimax nodes too`."""
        more = (self.minimax_promises or self.promises) & ~self.promises
        text = f"{self.promises}; with minimax {more} too" if more else str(self.promises)
        return f"{text} ({self.promises_note})" if self.promises_note else text


SCHEMES = Registry(
    "scheme",
    "outflank.schemes",
    {
        "fork-join": "outflank.parallel.fork_join:FORK_JOIN",
        "root-split": "outflank.parallel.root_split:ROOT_SPLIT",
        "pv-split": "outflank.parallel.pv_split:PV_SPLIT",
        "jamboree": "outflank.parallel.jamboree:JAMBOREE",
        "ybw": "outflank.parallel.young_brothers:YOUNG_BROTHERS",
        "shared-table": "outflank.parallel.shared_table:SHARED_TABLE",
        "abdada": "outflank.parallel.abdada:ABDADA",
        "root-parallel": "outflank.parallel.root_parallel:ROOT_PARALLEL",
        "tree-parallel": "outflank.parallel.tree_parallel:TREE_PARALLEL",
    },
    check=instance_of(Scheme),
)
"""The package's schemes, plug-ins' and users'. By name: nothing here depends on them."""

USUAL = {
    "minimax": "fork-join",
    "alphabeta": "ybw",
    "pvs": "ybw",
    "mtdf": "ybw",
    "uct": "tree-parallel",
    "flat": "root-parallel",
}
"""The best scheme for an algorithm."""

MONTE_CARLO = ("uct", "flat")
"""The algorithms that play games. One worker does unless more are asked for, so that a seed repeats the games."""


def register_scheme(scheme: Scheme) -> Scheme:
    """Make a scheme known by its name, which is its module's from then on."""
    return SCHEMES.register(scheme.name, scheme, by=scheme.divide.__module__)


def schemes() -> tuple[str, ...]:
    """The names of all schemes."""
    return SCHEMES.names()


def scheme_named(name: str) -> Scheme:
    """The scheme called `name`."""
    return SCHEMES.get(name)


def check_supports(scheme: Scheme, algorithm: str) -> None:
    """Refuse an algorithm that a scheme cannot divide."""
    if algorithm not in scheme.algorithms:
        hint = f"; {USUAL[algorithm]} supports {algorithm}" if algorithm in USUAL else ""
        raise InvalidOption(f"{scheme.name} does not support {algorithm}: only {', '.join(scheme.algorithms)}{hint}")


def chosen_scheme(options: Options) -> tuple[Scheme | None, int]:
    """The scheme and the number of workers that the options ask for; None: one worker, alone."""
    workers = options.workers
    if options.device != "cpu":
        return _on_device(options)
    if options.parallel is not None:
        scheme = options.parallel if isinstance(options.parallel, Scheme) else scheme_named(options.parallel)
        check_supports(scheme, options.algorithm)
        return scheme, all_cores() if workers is None else workers
    if workers is None:
        workers = 1 if options.algorithm in MONTE_CARLO else all_cores()
    return (None, 1) if workers == 1 else (scheme_named(USUAL[options.algorithm]), workers)


def _on_device(options: Options) -> tuple[Scheme, int]:
    """Return the scheme that plays Monte-Carlo games on a GPU. It is imported by name: this module does not depend on
    the GPU's.
    """
    if options.algorithm not in MONTE_CARLO:
        there = f"a GPU plays the games of {' and '.join(MONTE_CARLO)}, and outflank.solve proves short endings there"
        raise InvalidOption(f"device {options.device}: {options.algorithm} searches on the CPU; {there}")
    if options.parallel is not None or options.workers not in (None, 1):
        given = "parallel" if options.parallel is not None else f"{options.workers} workers"
        raise InvalidOption(f"{given} beside device {options.device}: it has threads of its own to share the games")
    return import_module("outflank.gpu.playing").ON_GPU, 1


def all_cores() -> int:
    """The workers that keep this process's cores busy; in the interpreter only one gains anything."""
    return 1 if interpreted() else max(1, int(usable_cores()))
