"""The interface between root algorithms and parallel schemes: divisions, schemes and their registry.

A `Division` consists of the workers of one search. An algorithm asks a division for the root's value in a window, or
for its minimax value. A `Scheme` makes a division with several workers. The package's schemes are in
`outflank.parallel`; plug-ins and users can register more schemes (`outflank.plugins`).
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
from outflank.search.request import Options
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, WindowProgress


class Division(Protocol):
    """The workers of one search. Each method may raise `Stopped`; after that only the value of `standing` is valid.

    A division passes the bounds that a window proves to `Root.learn`. If it has a true attribute `reads_deadline`, its
    workers check the root's deadline themselves (`stopping`); otherwise a timer stops them.
    """

    @property
    def nbytes(self) -> int:
        """Memory of the workers in bytes."""

    def prepare(self) -> None:
        """Compile the kernels, and start the workers."""

    def search_window(
        self, depth: int, alpha: int, beta: int, *, best_count: int, moves: Sequence[RootMove]
    ) -> RootValue:
        """Return the best of `moves`. Its value is exact inside (alpha, beta), otherwise a bound on that side.

        If the window contains every value, the `best_count` best moves get their exact values.
        """

    def search_fully(self, depth: int) -> RootValue:
        """Return the root's minimax value, and set the exact value of each of its moves."""

    def standing(self) -> WindowProgress:
        """Return the progress of the current window, or of the window that was stopped. This method may be called from
        any thread."""

    def forget(self) -> None:
        """Clear the transposition table."""

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of each worker so far."""

    def close(self) -> None:
        """Stop the workers."""


class Promise(Flag):
    """Parts of a search's result that do not depend on the number of workers."""

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
    """Names of the algorithms that the scheme supports."""
    promises: Promise
    """Parts of the result that do not depend on the number of workers."""
    minimax_promises: Promise | None = None
    """Promises for minimax; None: the same as for the other algorithms."""
    promises_note: str = ""
    """Condition under which the promises hold, or the reason why no more is promised, as text for users."""
    overhead: str
    """Causes of parallel overhead, as text for users."""
    divide: Callable[[Root, int], Any]
    """Function that takes a root and a number of workers; returns a `Division`, or for Monte-Carlo a `Playing`."""

    def promised(self, algorithm: str) -> Promise:
        """Return the parts of the result of `algorithm` that do not depend on the number of workers."""
        if algorithm == "minimax" and self.minimax_promises is not None:
            return self.minimax_promises
        return self.promises

    @property
    def promises_text(self) -> str:
        """The promises as text, such as `value and move; with minimax nodes too`."""
        added = (self.minimax_promises or self.promises) & ~self.promises
        text = f"{self.promises}; with minimax {added} too" if added else str(self.promises)
        return f"{text} ({self.promises_note})" if self.promises_note else text


SCHEMES = Registry(
    "scheme",
    "outflank.schemes",
    {
        "fork-join": "outflank.parallel.schemes:FORK_JOIN",
        "root-split": "outflank.parallel.schemes:ROOT_SPLIT",
        "pv-split": "outflank.parallel.schemes:PV_SPLIT",
        "jamboree": "outflank.parallel.schemes:JAMBOREE",
        "ybw": "outflank.parallel.schemes:YOUNG_BROTHERS",
        "shared-table": "outflank.parallel.schemes:SHARED_TABLE",
        "abdada": "outflank.parallel.schemes:ABDADA",
        "root-parallel": "outflank.parallel.schemes:ROOT_PARALLEL",
        "tree-parallel": "outflank.parallel.tree_parallel:TREE_PARALLEL",
    },
    check=instance_of(Scheme),
)
"""Registry of all schemes of the package, of plug-ins and of users. The package's own schemes are given by import path,
because this folder must not import `parallel`."""

DEFAULT_SCHEMES = {
    "minimax": "fork-join",
    "alphabeta": "ybw",
    "pvs": "ybw",
    "mtdf": "ybw",
    "uct": "tree-parallel",
    "flat": "root-parallel",
}
"""Default scheme of each algorithm."""

MONTE_CARLO = ("uct", "flat")
"""Monte-Carlo algorithms. By default they use one worker, so that a seed repeats the same playouts."""


def register_scheme(scheme: Scheme) -> Scheme:
    """Register a scheme under its name, and return the scheme. Only the module that defines its `divide` may register
    the same name again."""
    return SCHEMES.register(scheme.name, scheme, by=scheme.divide.__module__)


def schemes() -> tuple[str, ...]:
    """Return the names of all schemes."""
    return SCHEMES.names()


def scheme_named(name: str) -> Scheme:
    """Return the scheme called `name`."""
    return SCHEMES.get(name)


def check_supports(scheme: Scheme, algorithm: str) -> None:
    """Raise `InvalidOption` if a scheme does not support an algorithm."""
    if algorithm not in scheme.algorithms:
        hint = f"; {DEFAULT_SCHEMES[algorithm]} supports {algorithm}" if algorithm in DEFAULT_SCHEMES else ""
        raise InvalidOption(f"{scheme.name} does not support {algorithm}: only {', '.join(scheme.algorithms)}{hint}")


def select_scheme(options: Options) -> tuple[Scheme | None, int]:
    """Return the scheme (None: one worker searches alone) and the number of workers for these options."""
    workers = options.workers
    if options.device != "cpu":
        return _on_device(options)
    if options.parallel is not None:
        scheme = options.parallel if isinstance(options.parallel, Scheme) else scheme_named(options.parallel)
        check_supports(scheme, options.algorithm)
        return scheme, all_cores() if workers is None else workers
    if workers is None:
        workers = 1 if options.algorithm in MONTE_CARLO else all_cores()
    return (None, 1) if workers == 1 else (scheme_named(DEFAULT_SCHEMES[options.algorithm]), workers)


def _on_device(options: Options) -> tuple[Scheme, int]:
    """Return the scheme for Monte-Carlo playouts on a GPU, imported by name because `search` must not import `gpu`."""
    if options.algorithm not in MONTE_CARLO:
        supported = (
            f"a GPU plays the games of {' and '.join(MONTE_CARLO)}, and outflank.solve proves short endings there"
        )
        raise InvalidOption(f"device {options.device}: {options.algorithm} searches on the CPU; {supported}")
    if options.parallel is not None or options.workers not in (None, 1):
        option = "parallel" if options.parallel is not None else f"{options.workers} workers"
        raise InvalidOption(f"{option} beside device {options.device}: it has threads of its own to share the games")
    return import_module("outflank.gpu.playing").ON_GPU, 1


def all_cores() -> int:
    """Return the default number of workers: one per usable core, but 1 in the interpreter, where more workers gain
    nothing."""
    return 1 if interpreted() else max(1, int(usable_cores()))
