"""What commands print with `--json`: one of these on each line. `docs/json.md` says which command prints which.

What is printed of a search is in `outflank.ui.cli.search_documents`, of proofs in `outflank.ui.cli.solve_documents`, of
a match in `outflank.arena.documents`, of learning in `outflank.learning.documents`, of an experiment in
`outflank.lab.store`.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from outflank.documents import Document


class ShowDocument(Document, frozen=True, kw_only=True, tag="outflank/show/1"):
    """A position."""

    game: str
    position: str
    """In the game's notation."""
    turn: Literal["black", "white"]
    ply: int
    """Moves so far, passes included."""
    legal: list[str]
    moves: list[str]
    """That led here."""
    result: str
    """`1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
    score: float | None
    """What black has won."""
    reason: str | None
    """Why the game is over."""


class PerftDocument(Document, frozen=True, kw_only=True, tag="outflank/perft/1"):
    """The size of a tree."""

    game: str
    position: str
    depth: int
    leaves: int
    seconds: float
    workers: int
    complete: bool
    """False: it was interrupted, or its GPU was lost, and there are so many leaves at least."""
    device: str = "cpu"
    """Where they were counted: `cpu` or `gpu`."""
    divide: dict[str, int] | UnsetType = UNSET
    """With `--divide`: leaves below each move."""


class CheckedLevelDocument(Struct, frozen=True, kw_only=True):
    """What was checked of a strategy's positions with so many moves left."""

    left: int
    own: int
    """Where the strategy's move was played."""
    other: int
    """Where every answer was played."""


class CheckedStrategyDocument(Struct, frozen=True, kw_only=True):
    """That a side wins so much at least."""

    side: Literal["black", "white"]
    bound: int
    positions: int
    """Of all levels."""
    levels: list[CheckedLevelDocument]
    finished: int
    """Games that ended before a leaf."""
    leaf: int
    """Moves left at the leaves."""
    leaves: int
    """Positions that were searched to the end."""
    nodes: int
    """Of those searches."""


class ProofCheckDocument(Document, frozen=True, kw_only=True, tag="outflank/proof-check/1"):
    """A proof that was found to be right."""

    game: str
    position: str
    value: int
    """For the side to move."""
    strategies: list[CheckedStrategyDocument]
    seconds: float


class ValuedMove(Struct, frozen=True, kw_only=True):
    """A move and what it is worth."""

    move: str
    value: int | None


class ValuedLine(ValuedMove, frozen=True, kw_only=True):
    """And what is expected to follow it."""

    line: list[str]


class BookDocument(Document, frozen=True, kw_only=True, tag="outflank/book/1"):
    """What a book knows of a position."""

    position: str
    positions: int
    """In the book."""
    depth: int | None
    """Plies that the position was searched to; null: it is not known."""
    games: int = 0
    """How many games came to it, of those that the book was learnt from."""
    moves: list[ValuedMove]
    unit: str
    points_per_unit: float


class GameDocument(Document, frozen=True, kw_only=True, tag="outflank/games/1"):
    """A game in a file."""

    file: str
    number: int
    game: str
    date: str
    event: str
    black: str
    white: str
    score: float | None
    """What black has won; null: it is not known."""
    best: float | None
    """What black would have won by perfect play at the end."""
    reason: str
    """Why it ended, if not by the rules."""
    length: int
    """Moves, passes left out."""
    opening: str
    """The first of them."""
    moves: str | UnsetType = UNSET
    """With `--number`: all of them."""


class ReviewGameDocument(Document, frozen=True, kw_only=True, tag="outflank/review-game/1"):
    """The game that is reviewed."""

    game: str
    black: str
    white: str
    event: str
    date: str
    result: str
    start: str
    moves: str
    command: str


class ReviewMoveDocument(Document, frozen=True, kw_only=True, tag="outflank/review-move/1"):
    """A move beside the best one there; values are for the side that moved."""

    ply: int
    side: Literal["black", "white"]
    move: str
    mark: str
    """`?!`, `?`, `??`, or nothing."""
    value: float | Literal["won", "lost"]
    """In words where the game does not say how much a win counts."""
    best: str
    best_value: float | Literal["won", "lost"]
    loss: float | None
    """Null: the game itself, where it does not say how much that counts."""
    depth: int
    exact: bool
    unit: str


class TurningPointDocument(Struct, frozen=True, kw_only=True):
    """Where the game turned."""

    ply: int
    before: str
    after: str
    blamed: str | None
    """The move; null: no single one is to blame at this depth."""


class ReviewStoryDocument(Document, frozen=True, kw_only=True, tag="outflank/review-story/1"):
    """What the review says of the whole game."""

    judged: int
    forced: int
    """Moves without a choice."""
    passes: int
    stopped: bool
    first: str
    """How it stood at the first move judged."""
    turns: list[TurningPointDocument]


class PluginDocument(Document, frozen=True, kw_only=True, tag="outflank/plugin/1"):
    """What can be chosen by a name, or could if it were not broken."""

    kind: str
    name: str
    package: str | None
    """What has installed it, with its version; null: it was registered in this process."""
    place: str
    """Where it is written: `module:attribute`, or who has registered it."""
    about: str | None
    """A line; null if it cannot be used."""
    broken: str | None
    """Why it cannot be used."""


class WarmDocument(Document, frozen=True, kw_only=True, tag="outflank/warm/1"):
    """A kernel that is ready."""

    kernel: str
    types: tuple[str, ...]
    """The classes that it is compiled for."""
    how: Literal["compiled", "loaded"]
    seconds: float


class CheckDocument(Struct, frozen=True, kw_only=True):
    """One test of the installation."""

    name: str
    passed: bool
    detail: str


class DoctorDocument(Document, frozen=True, kw_only=True, tag="outflank/doctor/1"):
    """What a bug report needs."""

    outflank: str
    python: str
    numba: str
    llvmlite: str
    numpy: str
    rich: str
    click: str
    msgspec: str
    system: str
    processor: str
    cores: int
    usable_cores: float
    memory_bytes: int | None
    usable_memory_bytes: int | None
    processors: str
    memory_nodes: int
    pinning: str
    kernels: str
    lanes: str
    threads: str
    numba_cuda: str
    gpu: str
    """Which, or why there is none."""
    gpu_memory_bytes: int | None
    gpu_free_memory_bytes: int | None
    cache: str
    cache_files: int
    cache_bytes: int
    checks: list[CheckDocument]
    passed: bool


class ClusterNodeDocument(Struct, frozen=True, kw_only=True):
    """A machine in a cluster."""

    host: str
    cores: int
    alive: bool
    head: bool
    identity: str
    directory: str


class ClusterDocument(Struct, frozen=True, kw_only=True):
    """A cluster, as its head describes it."""

    address: str
    problem: str | None
    """Why the head says nothing; null where it answers."""
    nodes: tuple[ClusterNodeDocument, ...]


class ClusterStatusDocument(Document, frozen=True, kw_only=True, tag="outflank/cluster-status/1"):
    """The clusters that this machine is in."""

    clusters: tuple[ClusterDocument, ...]
