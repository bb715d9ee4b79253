"""What a search is asked and what it answers."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal

from outflank.boards.moves import Move
from outflank.errors import OutflankError
from outflank.search.ordering import Ordering

DEEPEST = 100
"""More plies than a search will ever see the end of; Othello's longest games are shorter."""

AlgorithmName = Literal["minimax", "alphabeta", "pvs", "mtdf", "uct", "flat"]


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
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise OutflankError(f"depth {self.depth}: a search looks 1 to {DEEPEST} plies ahead")
        if self.seconds is not None and not 0 < self.seconds < 10**9:
            raise OutflankError(f"{self.seconds} seconds: a search needs a positive time")
        if self.nodes is not None and self.nodes < 1:
            raise OutflankError(f"{self.nodes} nodes: a search enters at least one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a search goes about it. None of these but `evaluation` changes what is compiled."""

    algorithm: str = "pvs"
    """minimax, alphabeta, pvs, mtdf, uct or flat."""
    evaluation: str | Any | None = None
    """The name of a registered evaluation, or one itself; None: the game's default."""
    ordering: str | Ordering | None = None
    """The name of an ordering, or one itself; None: the game's default, with killers and history."""
    table_bits: int | None = 20
    """32 · 2^bits bytes for the transposition table; None: no table."""
    table_depth: Literal["equal", "at-least"] = "equal"
    """Which entries may end a search. `at-least` is for players: values then depend on what the table holds."""
    canonical: bool = False
    """Whether symmetric positions share an entry."""
    passes: Literal["free", "ply", "evaluated"] = "free"
    """What a pass costs: nothing, a ply, or the node is evaluated at once."""
    quiet: int = 0
    """Plies by which a line may go on with noisy moves, those that push a marble off, before it is evaluated."""
    ties: Literal["first", "lowest", "highest"] = "first"
    """Among equal moves: the first one found, or that with the lowest or the highest code."""
    share_alpha: bool = True
    """Whether a root move is searched only as far as it could be better than those before."""
    pivot: Literal["carried", "reset"] = "carried"
    """Where MTD(f) starts: at the last iteration's value, or at 0."""
    step: int = 1
    """Plies between iterations."""
    aspiration: int | None = None
    """Half the width of the first window about the last iteration's value; None: the window is full."""
    deepen: bool = True
    """Whether shallower searches come first."""
    exact: bool = False
    """Whether to play out to the end: nothing is estimated."""
    moves: int = 1
    """How many of the best moves to find the values of."""
    seed: int = 1
    """For Monte-Carlo."""

    def __post_init__(self) -> None:
        for name, allowed in (
            ("table_depth", ("equal", "at-least")),
            ("passes", ("free", "ply", "evaluated")),
            ("ties", ("first", "lowest", "highest")),
            ("pivot", ("carried", "reset")),
            ("step", (1, 2)),
        ):
            if getattr(self, name) not in allowed:
                raise OutflankError(f"{name}={getattr(self, name)!r}: one of {', '.join(map(str, allowed))}")
        if not 0 <= self.quiet <= 10:
            raise OutflankError(f"quiet={self.quiet}: a line goes on for 0 to 10 plies")
        if self.moves < 1:
            raise OutflankError(f"moves={self.moves}: at least one move is wanted")
        if self.aspiration is not None and self.aspiration < 1:
            raise OutflankError(f"aspiration={self.aspiration}: a window is at least 1 wide")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveValue:
    """A root move and what it is worth to the mover."""

    move: Move
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a search, or one iteration of it, found."""

    value: int
    """For the side to move, in the evaluation's unit."""
    move: Move | None
    """The best move; None if the game is over."""
    pv: tuple[Move, ...]
    """The principal variation: the best moves of both sides, as far as they are known."""
    depth: int
    """Plies searched; 0: nothing but the position itself."""
    nodes: int
    """Positions entered, all iterations together."""
    leaves: int
    """Positions evaluated."""
    seconds: float
    exact: bool
    """Whether the value is that of perfect play to the end: nothing in it was estimated."""
    stopped: bool = False
    """Whether a limit or a call ended the search before its depth was reached."""
    best: tuple[MoveValue, ...] = ()
    """The best moves with their values, as many as were asked for."""
    lookups: int = 0
    """Times that the table was asked."""
    hits: int = 0
    """Times that it knew the position."""
    table_bytes: int = 0
    """Memory of the table."""

    @property
    def nodes_per_second(self) -> float:
        """Speed."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


class Stop:
    """A way to cancel searches from another thread: call it, and they come back with what they have."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listeners: list[Callable[[], None]] = []
        self.called = False
        """Whether it has been called."""

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
            self._listeners.remove(listener)
