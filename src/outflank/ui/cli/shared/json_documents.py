"""Documents that commands print with `--json`, one on each line. `docs/json.md` lists them by command.

Other modules define those of a search (`ui/cli/searching/search_documents.py`), of proofs
(`ui/cli/solving/solve_documents.py`), of a match (`arena/match_documents.py`), of books
(`books/exchange.py`), of learning
(`learning/step_documents.py`) and of an experiment (`lab/result_store.py`).
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from outflank.validation.documents import Document


class ShowDocument(Document, frozen=True, kw_only=True, tag="outflank/show/1"):
    """A position."""

    game: str
    position: str
    """The position in the game's notation."""
    turn: Literal["black", "white"]
    ply: int
    """Number of moves so far, passes included."""
    legal: list[str]
    moves: list[str]
    """The moves that led to the position."""
    result: str
    """`1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
    score: float | None
    """Black's score."""
    reason: str | None
    """Why the game is over; null while it goes on."""


class PerftDocument(Document, frozen=True, kw_only=True, tag="outflank/perft/1"):
    """The size of a tree."""

    game: str
    position: str
    depth: int
    leaves: int
    seconds: float
    workers: int
    complete: bool
    """False: the count was interrupted or its GPU was lost, and `leaves` is a lower bound."""
    device: str = "cpu"
    """Where the leaves were counted: `cpu` or `gpu`."""
    divide: dict[str, int] | UnsetType = UNSET
    """With `--divide`: leaves below each move."""


class CheckedLevelDocument(Struct, frozen=True, kw_only=True):
    """The checked positions of a strategy with a given number of moves left."""

    left: int
    own: int
    """Positions where the strategy's move was played."""
    other: int
    """Positions where every answer was played."""


class CheckedStrategyDocument(Struct, frozen=True, kw_only=True):
    """A checked strategy, by which a side scores at least `bound`."""

    side: Literal["black", "white"]
    bound: int
    positions: int
    """Positions of all levels."""
    levels: list[CheckedLevelDocument]
    finished: int
    """Games that ended before a leaf."""
    leaf: int
    """Moves left at the leaves."""
    leaves: int
    """Positions that were searched to the end."""
    nodes: int
    """Nodes of these searches."""


class ProofCheckDocument(Document, frozen=True, kw_only=True, tag="outflank/proof-check/1"):
    """A proof that was checked and found correct."""

    game: str
    position: str
    value: int
    """The value for the side to move."""
    strategies: list[CheckedStrategyDocument]
    seconds: float


class ValuedMove(Struct, frozen=True, kw_only=True):
    """A move and its value."""

    move: str
    value: int | None


class ValuedLine(ValuedMove, frozen=True, kw_only=True):
    """A move, its value and its principal variation."""

    line: list[str]


class BookDocument(Document, frozen=True, kw_only=True, tag="outflank/book/1"):
    """The entry of a position in a book."""

    position: str
    positions: int
    """Number of positions in the book."""
    depth: int | None
    """Plies that the position was searched to; null: it is not in the book."""
    games: int = 0
    """Games that came to the position, of those that the book was learnt from."""
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
    """Black's score; null: it is not known."""
    best: float | None
    """Black's score after perfect play at the end."""
    reason: str
    """Why the game ended, if not by the rules."""
    length: int
    """Number of moves without passes."""
    opening: str
    """The first moves."""
    moves: str | UnsetType = UNSET
    """All moves, with `--number`."""


class ReviewGameDocument(Document, frozen=True, kw_only=True, tag="outflank/review-game/1"):
    """The game under review."""

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
    """A move beside the best one in its position; values are for the side that moved."""

    ply: int
    side: Literal["black", "white"]
    move: str
    mark: str
    """`?!`, `?`, `??`, or nothing."""
    value: float | Literal["won", "lost"]
    """The value, in words where the game does not score the size of a win."""
    best: str
    best_value: float | Literal["won", "lost"]
    loss: float | None
    """The loss against the best move; null: the move lost the game, where the size of a win is not scored."""
    depth: int
    exact: bool
    unit: str


class TurningPointDocument(Struct, frozen=True, kw_only=True):
    """A point where the expected outcome changed."""

    ply: int
    before: str
    after: str
    blamed: str | None
    """The move that caused it; null: no single move is to blame at this depth."""


class ReviewStoryDocument(Document, frozen=True, kw_only=True, tag="outflank/review-story/1"):
    """The review's summary of the whole game."""

    judged: int
    forced: int
    """Moves without an alternative."""
    passes: int
    stopped: bool
    first: str
    """The expected outcome at the first move judged."""
    turns: list[TurningPointDocument]


class PluginDocument(Document, frozen=True, kw_only=True, tag="outflank/plugin/1"):
    """A part that can be chosen by name, or could be if it were not broken."""

    kind: str
    name: str
    package: str | None
    """The package that installed it, with its version; null: it was registered in this process."""
    place: str
    """Where it is defined: `module:attribute`, or the code that registered it."""
    about: str | None
    """A description in one line; null if it cannot be used."""
    broken: str | None
    """Why it cannot be used; null if it can."""


class BenchSearchDocument(Document, frozen=True, kw_only=True, tag="outflank/bench-search/1"):
    """One search of the benchmark."""

    search: str
    nodes: int
    seconds: float


class BenchDocument(Document, frozen=True, kw_only=True, tag="outflank/bench/1"):
    """The whole benchmark."""

    complete: bool
    """False: it was interrupted, and `nodes` is no signature."""
    nodes: int
    """The signature: all nodes of all searches."""
    seconds: float
    nodes_per_second: int


class WarmDocument(Document, frozen=True, kw_only=True, tag="outflank/warm/1"):
    """A kernel that is ready."""

    kernel: str
    types: tuple[str, ...]
    """The classes that the kernel is compiled for."""
    how: Literal["compiled", "loaded"]
    seconds: float


class CheckDocument(Struct, frozen=True, kw_only=True):
    """One test of the installation."""

    name: str
    passed: bool
    detail: str


class DoctorDocument(Document, frozen=True, kw_only=True, tag="outflank/doctor/1"):
    """The facts that a bug report needs."""

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
    """The GPU's name, or why there is none."""
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
    """Why the head does not answer; null if it does."""
    nodes: tuple[ClusterNodeDocument, ...]


class ClusterStatusDocument(Document, frozen=True, kw_only=True, tag="outflank/cluster-status/1"):
    """The clusters that this machine belongs to."""

    clusters: tuple[ClusterDocument, ...]
