"""The request of a search: limits, options, deadlines, known bounds, and `Stop`."""

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import Annotated, Any, Literal

from outflank.errors import InvalidOption
from outflank.machine import MOST_WORKERS, DeviceOption
from outflank.placement import Pin
from outflank.search.ordering import Ordering
from outflank.validation.values import Between, Called, check_fields

DEEPEST = 100
"""Greatest depth limit, in plies: more than any search completes."""

LONGEST_SECONDS = 1e9
"""Longest time limit in seconds: some thirty years. The clocks that stop a search can count a few times as far."""

Plies = Annotated[int, Between(0, 1 << 20)]
"""Number of plies; a number larger than the tree's depth means all of them."""

EvaluationOrName = Annotated[
    str | tuple[Any, ...], Called("the name of an evaluation, or one itself (a NamedTuple with a registered `value`)")
]
OrderingOrName = Annotated[str | Ordering, Called("the name of an ordering, or an Ordering")]

Selectivity = Literal[73, 87, 95, 98, 99, 100]
"""Confidence of selective pruning, in per cent."""

TieRule = Literal["first", "lowest", "highest"]

TABLELESS = ("minimax", "uct", "flat")
"""Algorithms that use no transposition table."""


def option(default: Any, help_text: str, *, usual: str = "", flag: str = "") -> Any:
    """Return a field that commands offer as an option. `usual` describes the default in words; `flag` is the option's
    name if that differs from the field's name."""
    return field(default=default, metadata={"help": help_text, "usual": usual, "flag": flag})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a search must stop. Every unset limit is infinite."""

    depth: int | None = option(None, "Search depth in plies.")
    """Plies to look ahead."""
    seconds: float | None = option(None, "Seconds to search.", flag="--time")
    """Wall-clock time of the search, without compilation."""
    nodes: int | None = option(None, "Nodes to search.")
    """Positions to enter, give or take a few thousand."""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise InvalidOption(f"depth {self.depth}: a search looks 1 to {DEEPEST} plies ahead")
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidOption(f"{self.seconds} seconds: a search needs a positive time")
        if self.seconds is not None and self.seconds > LONGEST_SECONDS:
            raise InvalidOption(f"{self.seconds:g} seconds: a search takes {LONGEST_SECONDS:g} at most")
        if self.nodes is not None and self.nodes < 1:
            raise InvalidOption(f"{self.nodes} nodes: a search enters at least one")


@dataclass(slots=True)
class Deadline:
    """Absolute time at which a search stops: for players, whose clock also runs while a search is set up."""

    at: float
    """Time of the deadline, as `time.perf_counter` counts."""
    setup_seconds: float = 0.0
    """Time in seconds to set up a search. No later stage of a search begins if less time than this is left."""
    began_at: float | None = None
    """Time at which the search began, after its set-up; set by the search."""
    longest_pause_seconds: float = 0.0
    """Longest time that the system kept a worker off its core; set by the search."""

    def left_seconds(self) -> float:
        """Return the seconds until the deadline: 0 once it has passed, and at most `LONGEST_SECONDS`."""
        return min(max(0.0, self.at - time.perf_counter()), LONGEST_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a search is done. Kernels read most options at run time. A kernel is compiled again only for another type of
    evaluation, and an exact search has a type of its own."""

    algorithm: str = option("pvs", "One of minimax, alphabeta, pvs, mtdf, uct, flat.")
    """minimax, alphabeta, pvs, mtdf, uct or flat."""
    evaluation: EvaluationOrName | None = option(
        None, "A name, or patterns:FILE; an unknown name lists the known ones.", usual="the game's best"
    )
    """The name of a registered evaluation, or an evaluation; None: the game's default."""
    ordering: OrderingOrName | None = option(
        None,
        "A name, or one with settings (kinds:from_depth=1); an unknown name lists the known ones.",
        usual="the game's best",
    )
    """The name of an ordering, possibly with settings (`kinds:from_depth=1,sort=best`), or an `Ordering`; None: the
    game's default ordering, with the game's settings for killers and history."""
    table_bits: int | None = option(20, "Size of the table: 32 · 2^BITS bytes; 0: no table.")
    """Size of the transposition table: 32 · 2^bits bytes; None: no table."""
    table_depth: Literal["equal", "at-least"] = option(
        "equal", "Depth of table entries that may cut off a search; at-least is for players."
    )
    """Depth of table entries that may cut off a node. `at-least` is for players: values then depend on the entries that
    the table happens to hold."""
    canonical: bool = option(False, "Let symmetric positions share a table entry.")
    passes: Literal["free", "ply", "evaluated"] = option(
        "free", "A pass costs no ply, costs a ply, or is evaluated at once."
    )
    selectivity: Selectivity = option(100, "Confidence of selective pruning, in per cent; 100: no selective pruning.")
    """Confidence of a selective search, in per cent: the share of its guesses that should be right; 100: no guesses. A
    lower value needs an evaluation whose errors at each depth are known."""
    quiescence: Annotated[int, Between(0, 10)] = option(0, "Plies of quiescence search beyond the depth.")
    """Plies by which a line may continue with noisy moves before it is evaluated. In Abalone, noisy moves push a marble
    off the board."""
    ties: TieRule = option("first", "Which of several equal moves is played.")
    """Choice among equal moves: the first move searched, or the move with the lowest or the highest code."""
    share_alpha: bool = option(True, "Whether each root move is searched with the bound of the moves before it.")
    pivot: Literal["carried", "reset"] = option("carried", "First guess of MTD(f).")
    """First guess of MTD(f): the previous iteration's value, or 0."""
    step: Literal[1, 2] = option(1, "Plies between iterations.")
    aspiration: Annotated[int, Between(1, 1 << 20)] | None = option(
        None, "Half the width of the first window around the last value."
    )
    deepen: bool = option(True, "Whether to deepen iteratively.")
    exact: bool = option(
        False, "Prove the final score under perfect play; estimates come first.", usual="no limit of time"
    )
    wld: bool = option(False, "With --exact: prove only win, loss or draw, which is faster.")
    """Whether an exact search proves only the winner, which is faster: the value is then +1, 0 or -1 (won, drawn,
    lost), and `lower` and `upper` are the bounds of the score that were proved on the way."""
    use_endgame_kernels: bool = True
    """Whether an exact search uses the game's endgame solver, bounds and move ordering. If false, the search plays
    every line to its end by the rules alone; the value is the same."""
    moves: Annotated[int, Between(1, 1 << 20)] = option(1, "Number of best moves to evaluate.")
    seed: int = option(1, "Random seed of Monte-Carlo.")
    device: DeviceOption = option("cpu", "Where Monte-Carlo playouts run.")
    """Device for Monte-Carlo playouts, and for proofs of endgame positions by `outflank.solve`; `gpu-or-cpu`: a GPU if
    there is one."""
    workers: Annotated[int, Between(1, MOST_WORKERS)] | None = option(
        None, "Threads that search.", usual="one per core; one for Monte-Carlo"
    )
    """Threads that search; None: one per core, but only one for Monte-Carlo without `parallel`, so that a seed repeats
    a search."""
    parallel: str | Any | None = option(None, "How workers share the search: {names}.", usual="the best")
    """Scheme by which the workers share the search, a name or a `Scheme`; None: the best that supports the
    algorithm."""
    threshold: Plies | None = option(
        None, "Remaining plies from which subtrees are no longer split.", usual="the scheme's own"
    )
    levels: Annotated[int, Between(1, 1 << 20)] | None = option(
        None, "Plies from the root at which nodes are split.", usual="the scheme's own"
    )
    schedule: Literal["one", "rows", "static"] | Annotated[int, Between(1, 1 << 20)] = option(
        "one",
        "How moves are assigned to workers: one, by rows of the board, a number at a time, or static (in advance).",
    )
    """How the moves of a divided node are handed out: `one` at a time, by `rows` of the board, a given number at a
    time, or `static`: divided among the workers in advance."""
    pin: Annotated[Pin, Called("none, compact, spread, or processors by number, like 0+2")] = option(
        "none", "Processors of the workers: compact (side by side), spread (apart), or their numbers, like 0,2."
    )
    """Processors that workers are bound to: `compact` (side by side), `spread` (apart), or processor numbers, one for
    each worker."""
    interleave: bool = option(False, "Interleave the table across all memory nodes.")
    """Whether the table's pages alternate between all memory nodes; else a page lies near its first writer."""
    pace: Annotated[int, Between(0, 1 << 40)] = option(0, "Nodes after which a worker yields its core.", usual="never")
    """Nodes after which a worker yields its core, so that more workers than cores advance evenly; 0: never."""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Bounds of a position's final score that an earlier search has proved. The next search only starts from these
    bounds: it proves its own value anew."""

    lower: int | None = None
    upper: int | None = None
    move: int | None = None
    """Code of the root move whose score is at least `lower`."""

    def window(self, guess: int, reach: int) -> tuple[int, int]:
        """Return the window around a guess, limited to the scores that are still possible."""
        if self.lower is not None:
            guess = max(guess, self.lower)
        if self.upper is not None:
            guess = min(guess, self.upper)
        low, high = guess - reach, guess + reach
        if self.lower is not None:
            low = max(low, self.lower - 1)
        if self.upper is not None:
            high = min(high, self.upper + 1)
        return low, max(high, low + 1)


class Stop:
    """Cancels searches from another thread or a signal handler: once it is called, they return their results so far.
    A `Stop` stays called: a later search with the same `Stop` ends at once, with a warning.

    Callers need only the call itself and `called`. `add_listener` and `remove_listener` are for code that can be
    stopped, such as a player; only searches call `warn_if_reused`.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # a signal handler may call this `Stop` while its own thread holds the lock
        self._listeners: list[Callable[[], None]] = []
        self._spent = False
        self.called: bool = False
        """Whether this `Stop` has been called."""

    def __repr__(self) -> str:
        return f"<Stop{', called' if self.called else ''}>"

    def __call__(self) -> None:
        with self._lock:
            self.called = True
            for listener in self._listeners:
                listener()

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Call `listener` when this `Stop` is called, or at once if it already was."""
        with self._lock:
            self._listeners.append(listener)
            if self.called:
                listener()

    def remove_listener(self, listener: Callable[[], None]) -> None:
        """Do not call `listener` any more."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
                self._spent = self._spent or self.called

    def warn_if_reused(self) -> None:
        """Warn if this `Stop` has already ended a search and a user starts another search with it. If the package
        itself starts the search, there is no warning."""
        if not self._spent:
            return
        depth, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_ENTRY_MODULES):
            depth, frame = depth + 1, frame.f_back
        if not frame.f_globals.get("__name__", "").startswith("outflank."):
            message = (
                "this Stop has been called and has ended a search: another one ends at once; make a new Stop for it"
            )
            warnings.warn(message, RuntimeWarning, stacklevel=depth)


_ENTRY_MODULES = ("outflank.search", "outflank.distributed.cluster")
"""Prefixes of the names of the modules that users call to search."""
