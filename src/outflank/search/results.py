"""What a search answers: its result, what its workers did, and how far it is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Self

from outflank.boards.moves import Move
from outflank.games.units import Scale
from outflank.machine import DeviceUsed
from outflank.words import how_many


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveValue:
    """A root move and what it is worth to the mover."""

    move: Move
    value: int
    line: tuple[Move, ...] = ()
    """The best moves of both sides from here, it first, as far as they are known."""


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
    a search that was told to has proved it (`exact` in both); +1, 0 or -1 where it only asked who wins (`wld`). None:
    nothing has been searched."""
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
    selectivity: int = 100
    """What share, in per cent, of the guesses should be right by which nodes were spared; 100: none was made."""
    lower: int | None = None
    """The final score under perfect play is proved to be at least this. For searches that were told to prove it
    (`exact` in the options); None: nothing is proved. Both bounds are equal where the score is proved."""
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
    device: DeviceUsed = "cpu"
    """Where an ending was solved, or the games of Monte-Carlo were played."""

    def __repr__(self) -> str:
        return f"<Result {', '.join(text for _, text in self._facts())}>"

    def _repr_html_(self) -> str:
        """A small table, for notebooks."""
        rows = [*self._facts(), ("line", " ".join(map(str, self.pv)))]
        if len(self.best) > 1:
            rows += [("also", f"{entry.move} {self.scale.text(entry.value)}") for entry in self.best[1:]]
        cells = "".join(
            f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{escape(text)}</td></tr>'
            for name, text in rows
            if text
        )
        return f"<table>{cells}</table>"

    def _facts(self) -> Iterator[tuple[str, str]]:
        """What matters most, in words."""
        yield "move", str(self.move) if self.move else "no move: the game is over"
        if self.value_text:
            yield "value", self.value_text
        if self.proved_text and not self.exact:
            yield "proved", f"proved {self.proved_text}"
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
    def value_text(self) -> str:
        """The value as people read it: `+3.7 discs`; nothing if there is none."""
        return "" if self.value is None else self.scale.text(self.value, exact=self.exact)

    @property
    def proved_text(self) -> str:
        """What is proved of the final score, as people read it: `at least +4 discs`; nothing if nothing is."""
        lower = None if self.lower is None else self.scale.score_text(self.lower)
        upper = None if self.upper is None else self.scale.score_text(self.upper)
        if lower == upper:
            return lower or ""
        if self.scale.score is None:  # nothing is more than won, or less than lost
            lower, upper = (None if lower == "lost" else lower), (None if upper == "won" else upper)
            if "won" in (lower, upper) or "lost" in (lower, upper):
                return lower or upper or ""
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
class WorkerProgress:
    """What a worker of a search is at; it goes on while it is looked at."""

    busy: bool
    """Whether it has a part of the tree in hand."""
    move: Move | None
    """The root's move that this part belongs to; None: it is not known, or there is none."""
    depth: int
    """Plies left in it."""
    stolen: bool
    """Whether it belongs to a move that another worker had offered."""
    done: WorkerStatistics
    """What the worker has done so far."""


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
    done: int = 0
    """Moves of the root that are settled in this pass: not worth more, or less, than it asks for."""
    workers: tuple[WorkerProgress, ...] = ()
    """Each worker; none where they cannot be seen: of a cluster, of Monte-Carlo, and between two iterations."""

    @property
    def nodes_per_second(self) -> float:
        """Speed."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


Watch = Callable[[Progress], None]
"""Told of a search's progress."""
