"""What a search is asked and what it answers."""

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from threading import RLock
from typing import Annotated, Any, Literal, Self

from outflank.boards.moves import Move
from outflank.errors import InvalidOption
from outflank.games.units import Scale
from outflank.machine import MOST_WORKERS
from outflank.placement import Pin
from outflank.schema import Between, Called, check_fields
from outflank.search.ordering import Ordering
from outflank.words import how_many

DEEPEST = 100
"""More plies than a search will ever see the end of; Othello's longest games are shorter."""

LONGEST_SECONDS = 1e9
"""Some thirty years; the clocks that stop a search count a few times as far."""

Plies = Annotated[int, Between(0, 1 << 20)]
"""Of the tree: more than any has is all of them."""

EvaluationOrName = Annotated[
    str | tuple[Any, ...], Called("the name of an evaluation, or one itself (a NamedTuple with a registered `value`)")
]
OrderingOrName = Annotated[str | Ordering, Called("the name of an ordering, or an Ordering")]

TieRule = Literal["first", "lowest", "highest"]

TABLELESS = ("minimax", "uct", "flat")
"""Algorithms that ask no transposition table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a search must stop. Every unset limit is infinite."""

    depth: int | None = None
    """Plies to look ahead."""
    seconds: float | None = None
    """Wall clock for the search, compiling not counted."""
    nodes: int | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a search goes about it. None of these but `evaluation` changes what is compiled."""

    algorithm: str = "pvs"
    """minimax, alphabeta, pvs, mtdf, uct or flat."""
    evaluation: EvaluationOrName | None = None
    """The name of a registered evaluation, or one itself; None: the game's default."""
    ordering: OrderingOrName | None = None
    """The name of an ordering, perhaps with settings (`kinds:from_depth=1,sort=best`), or one itself; None: the game's
    default, with killers and history."""
    table_bits: int | None = 20
    """32 · 2^bits bytes for the transposition table; None: no table."""
    table_depth: Literal["equal", "at-least"] = "equal"
    """Which entries may end a search. `at-least` is for players: values then depend on what the table holds."""
    canonical: bool = False
    """Whether symmetric positions share an entry."""
    passes: Literal["free", "ply", "evaluated"] = "free"
    """What a pass costs: nothing, a ply, or the node is evaluated at once."""
    quiet: Annotated[int, Between(0, 10)] = 0
    """Plies by which a line may go on with noisy moves, those that push a marble off, before it is evaluated."""
    ties: TieRule = "first"
    """Among equal moves: the first one found, or that with the lowest or the highest code."""
    share_alpha: bool = True
    """Whether a root move is searched only as far as it could be better than those before."""
    pivot: Literal["carried", "reset"] = "carried"
    """Where MTD(f) starts: at the last iteration's value, or at 0."""
    step: Literal[1, 2] = 1
    """Plies between iterations."""
    aspiration: Annotated[int, Between(1, 1 << 20)] | None = None
    """Half the width of the first window about the last iteration's value; None: the window is full."""
    deepen: bool = True
    """Whether shallower searches come first."""
    exact: bool = False
    """Whether to prove the final score under perfect play, after estimates if `deepen` is set."""
    moves: Annotated[int, Between(1, 1 << 20)] = 1
    """How many of the best moves to find the values of."""
    seed: int = 1
    """For Monte-Carlo."""
    workers: Annotated[int, Between(1, MOST_WORKERS)] | None = None
    """Threads that search; None: one per core, or one alone for Monte-Carlo unless `parallel` says how."""
    parallel: str | Any | None = None
    """The scheme by which they share the work, by name or a `Scheme`; None: the best that carries the algorithm."""
    threshold: Plies | None = None
    """Plies left at which a part of the tree is no longer divided; None: the scheme's usual one."""
    levels: Annotated[int, Between(1, 1 << 20)] | None = None
    """Plies from the root that are divided; None: the scheme's usual number."""
    schedule: Literal["one", "rows", "static"] | Annotated[int, Between(1, 1 << 20)] = "one"
    """How the moves of a divided node are handed out: by `one`, by `rows` of the board, so many at a time, or
    `static`: divided among the workers in advance."""
    pin: Annotated[Pin, Called("none, compact, spread, or processors by number, like 0+2")] = "none"
    """Where workers stay: `compact` (side by side), `spread` (apart), or the numbers of processors, one for each."""
    interleave: bool = False
    """Whether the table is dealt to all memory nodes in turn; else a page lies near its first writer."""
    pace: Annotated[int, Between(0, 1 << 40)] = 0
    """Nodes after which a worker gives up its core, so that more workers than cores advance evenly; 0: never."""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveValue:
    """A root move and what it is worth to the mover."""

    move: Move
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStatistics:
    """What one worker did in a search."""

    useful_seconds: float = 0.0
    """Time with a part of the tree in hand."""
    idle_seconds: float = 0.0
    """Time spent looking for one, or waiting."""
    nodes: int = 0
    wasted_nodes: int = 0
    """Nodes of the parts in hand when they were given up because their value was not wanted any more."""
    spawned: int = 0
    """Moves that it offered to others."""
    executed: int = 0
    """Offered moves that it searched, its own or others'; one that is taken up again counts again."""
    stolen: int = 0
    """Those of them that another worker had offered."""
    steals_tried: int = 0
    steals_won: int = 0
    aborts_sent: int = 0
    """Cut-offs of its own that others had to be told of."""
    aborts_obeyed: int = 0
    """Parts that it gave up."""
    table_lookups: int = 0
    table_hits: int = 0
    cutoffs: int = 0
    """Nodes ended by a move that was too good."""
    first_cutoffs: int = 0
    """Those where it was the first move tried: the ordering was right."""

    @classmethod
    def summed(cls, some: Sequence[Self], others: Sequence[Self]) -> tuple[Self, ...]:
        """What each worker did in two parts of a search."""
        names = [each.name for each in fields(cls)]
        return tuple(
            cls(**{name: getattr(one, name) + getattr(other, name) for name in names})
            for one, other in zip(some, others, strict=False)
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """What a search, or one iteration of it, found; never more than it has."""

    value: int | None
    """For the side to move, in points: `scale` says what they mean. They are the evaluation's, or the final score once
    a search that was told to has proved it (`exact` in both). None: nothing has been searched."""
    move: Move | None
    """The best move; None if the game is over. Where `depth` is 0 and nothing is proved it is legal, and no more."""
    pv: tuple[Move, ...]
    """The principal variation: the best moves of both sides, as far as they are known."""
    depth: int
    """Plies that `value` looks ahead; 0: nothing has been searched."""
    nodes: int
    """Positions entered, all iterations together."""
    leaves: int
    """Positions evaluated."""
    seconds: float
    exact: bool
    """Whether the value is that of perfect play to the end: nothing in it was estimated."""
    lower: int | None = None
    """The final score under perfect play is proved to be at least this. For searches that were told to prove it
    (`exact` in the options); None: nothing is proved. Both bounds are equal where the value is proved."""
    upper: int | None = None
    """And at most this."""
    stopped: bool = False
    """Whether a limit or a call ended the search before its depth was reached, or its proof was complete."""
    best: tuple[MoveValue, ...] = ()
    """The best moves with their values, as many as were asked for."""
    lookups: int = 0
    """Times that the table was asked."""
    hits: int = 0
    """Times that it knew the position."""
    table_bytes: int = 0
    """Memory of the table."""
    scheme: str | None = None
    """How the workers shared the work; None: there was one, and nothing to share."""
    workers: tuple[WorkerStatistics, ...] = ()
    """What each worker did."""
    worker_bytes: int = 0
    """Memory of the workers: their records, stacks and split points."""
    scale: Scale = field(default_factory=Scale)
    """How its values are to be read."""

    def __repr__(self) -> str:
        return f"<Result {', '.join(text for _, text in self._facts())}>"

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        rows = [*self._facts(), ("line", " ".join(map(str, self.pv)))]
        if len(self.best) > 1:
            rows += [("also", f"{entry.move} {self.scale.say(entry.value)}") for entry in self.best[1:]]
        cells = "".join(
            f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{escape(text)}</td></tr>'
            for name, text in rows
            if text
        )
        return f"<table>{cells}</table>"

    def _facts(self) -> Iterator[tuple[str, str]]:
        """What matters most, in words."""
        yield "move", str(self.move) if self.move else "no move: the game is over"
        if self.said:
            yield "value", self.said
        if self.proved and not self.exact:
            yield "proved", f"proved {self.proved}"
        searched = f"depth {self.depth}" if self.depth else "nothing searched" if self.move else ""
        yield (
            "searched",
            ", ".join(
                part
                for part, wanted in (("exact", self.exact), (searched, searched), ("stopped", self.stopped))
                if wanted
            ),
        )
        yield "work", f"{how_many(self.nodes, 'node')} in {self.seconds:.2f} s"

    @property
    def said(self) -> str:
        """The value as people read it: `+3.7 discs`; nothing if there is none."""
        return "" if self.value is None else self.scale.say(self.value, exact=self.exact)

    @property
    def proved(self) -> str:
        """What is proved of the final score, as people read it: `at least +4 discs`; nothing if nothing is."""
        lower = None if self.lower is None else self.scale.say_score(self.lower)
        upper = None if self.upper is None else self.scale.say_score(self.upper)
        if lower == upper:
            return lower or ""
        bounds = (lower and f"at least {lower}", upper and f"at most {upper}")
        return ", ".join(bound for bound in bounds if bound)

    @property
    def idle_share(self) -> float:
        """The part of the workers' time in which they had nothing to do."""
        idle = sum(worker.idle_seconds for worker in self.workers)
        busy = sum(worker.useful_seconds for worker in self.workers)
        return idle / (idle + busy) if idle + busy > 0 else 0.0

    @property
    def nodes_per_second(self) -> float:
        """Speed."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A parallel search beside the sequential one, to the same depth."""

    alone: Result
    together: Result

    @property
    def speed_up(self) -> float:
        """How many times faster."""
        return self.alone.seconds / self.together.seconds if self.together.seconds > 0 else 0.0

    @property
    def efficiency(self) -> float:
        """Speed-up per worker."""
        return self.speed_up / max(len(self.together.workers), 1)

    @property
    def search_overhead(self) -> float:
        """Nodes that one worker would not have entered, per node that it would; negative where luck saved some."""
        return self.together.nodes / self.alone.nodes - 1 if self.alone.nodes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a search is at while an iteration runs."""

    depth: int
    """Of the iteration."""
    proving: bool
    """Whether it plays out to the end: values are final scores then."""
    nodes: int
    """Positions entered so far, all iterations together."""
    seconds: float
    begun: int
    """Moves of the root that have been taken up in this pass."""
    moves: int
    """And how many it has."""
    move: Move | None
    """The one taken up last; None: not known."""
    best: Move | None = None
    """The best of those that are done; None: none is."""
    value: int | None = None
    """What it is worth at this depth, at least."""
    upper: int | None = None
    """What the position is worth at this depth, at most, as far as that is known."""

    @property
    def nodes_per_second(self) -> float:
        """Speed."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


Watch = Callable[[Progress], None]
"""Told of a search's progress."""


class Stop:
    """A way to cancel searches from another thread, or from the handler of a signal: call it, and they come back with
    what they have. It stays called: a search that is given it later ends at once, and warns that it does.

    Calling it and `called` are all that a caller needs. `tell` and `forget` are for who makes something that can be
    stopped, such as a player; `warn_if_spent` is the searches'.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # a handler may call it while its own thread is in here
        self._listeners: list[Callable[[], None]] = []
        self._spent = False
        self.called = False
        """Whether it has been called."""

    def __repr__(self) -> str:
        return f"<Stop{', called' if self.called else ''}>"

    def __call__(self) -> None:
        with self._lock:
            self.called = True
            for listener in self._listeners:
                listener()

    def tell(self, listener: Callable[[], None]) -> None:
        """Call `listener` when this is called; at once, if it has been."""
        with self._lock:
            self._listeners.append(listener)
            if self.called:
                listener()

    def forget(self, listener: Callable[[], None]) -> None:
        """Do not call `listener` any more."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
                self._spent = self._spent or self.called

    def warn_if_spent(self) -> None:
        """Say so if a search that this has ended is followed by another of the user's; ours may end at once."""
        if not self._spent:
            return
        depth, frame = 1, sys._getframe()
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_ASKED):
            depth, frame = depth + 1, frame.f_back
        if not frame.f_globals.get("__name__", "").startswith("outflank."):
            said = "this Stop has been called and has ended a search: another one ends at once; make a new Stop for it"
            warnings.warn(said, RuntimeWarning, stacklevel=depth)


_ASKED = ("outflank.search", "outflank.distributed.cluster")
"""The modules that a user asks for a search."""
