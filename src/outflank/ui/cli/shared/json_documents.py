"""JSON documents that commands print with `--json`, one on each line. `docs/json.md` lists them by command.

Other modules define the documents of searches (`ui/cli/searching/search_documents.py`), proofs
(`ui/cli/solving/solve_documents.py`), matches (`arena/match_documents.py`), books (`books/exchange.py`), learning
(`learning/step_documents.py`) and experiments (`lab/result_store.py`).
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from outflank.validation.documents import Document


class ShowDocument(Document, frozen=True, kw_only=True, tag="outflank/show/1"):
    """Position that `outflank show` draws."""

    game: str
    position: str
    """Position in the game's notation."""
    turn: Literal["black", "white"]
    ply: int
    """Number of moves so far, including passes."""
    legal: list[str]
    moves: list[str]
    """Moves that led to the position."""
    opening: str
    """Name of the opening, or empty."""
    result: str
    """`1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on."""
    score: float | None
    """Black's score, or null while the game goes on."""
    reason: str | None
    """Reason for the end of the game, or null while it goes on."""


class PerftDocument(Document, frozen=True, kw_only=True, tag="outflank/perft/1"):
    """Number of leaves of a game tree."""

    game: str
    position: str
    depth: int
    leaves: int
    seconds: float
    workers: int
    complete: bool
    """False if the count was interrupted or its GPU was lost. `leaves` is then a lower bound."""
    device: str = "cpu"
    """Device that counted the leaves: `cpu` or `gpu`."""
    divide: dict[str, int] | UnsetType = UNSET
    """Number of leaves below each move, with `--divide`."""


class CheckedLevelDocument(Struct, frozen=True, kw_only=True):
    """Numbers of positions that the check of a strategy visited and in which `left` moves were left."""

    left: int
    own: int
    """Number of positions in which only the strategy's move was played."""
    other: int
    """Number of positions in which every legal move of the opponent was played."""


class CheckedStrategyDocument(Struct, frozen=True, kw_only=True):
    """Strategy with which `side` provably scores at least `bound`."""

    side: Literal["black", "white"]
    bound: int
    positions: int
    """Number of positions that the check visited on all levels."""
    levels: list[CheckedLevelDocument]
    finished: int
    """Number of games that ended before they reached a leaf."""
    leaf: int
    """Number of moves left at a leaf, a position in which the strategy ends."""
    leaves: int
    """Number of leaves, which the check searched to the end of the game."""
    nodes: int
    """Number of nodes in the searches of the leaves."""


class ProofCheckDocument(Document, frozen=True, kw_only=True, tag="outflank/proof-check/1"):
    """Proof that was checked and found correct."""

    game: str
    position: str
    value: int
    """Proved value of the position for the side to move."""
    strategies: list[CheckedStrategyDocument]
    seconds: float


class ValuedMove(Struct, frozen=True, kw_only=True):
    """Move with its value in points."""

    move: str
    value: int | None


class ValuedLine(ValuedMove, frozen=True, kw_only=True):
    """Move with its value and principal variation."""

    value_in_units: float | None
    """Value in the document's `unit`; null if it only says who wins."""
    line: list[str]


class BookDocument(Document, frozen=True, kw_only=True, tag="outflank/book/1"):
    """Entry of a position in an opening book."""

    position: str
    opening: str
    """Name of the opening, or empty."""
    positions: int
    """Number of positions in the book."""
    depth: int | None
    """Depth in plies of the position's search, or null if the position is not in the book."""
    games: int = 0
    """Number of games through the position. Only games from which the book was learnt are counted."""
    moves: list[ValuedMove]
    unit: str
    points_per_unit: float


class ExploredMove(Struct, frozen=True, kw_only=True):
    """Move with the results of the games in which it was made, for the side to move."""

    move: str
    mirrored: list[str]
    """Moves that are mirror images of `move` in a symmetric position. Their games are counted here."""
    games: int
    wins: int
    draws: int
    losses: int
    """Number of lost games. Games without a result are neither won, drawn nor lost."""
    mean_score: float | None
    book_value: float | None
    """Value in the book in the game's unit, or null if the book lacks the move or its value only says who wins."""


class ExploredGame(Struct, frozen=True, kw_only=True):
    """Game that reached the position."""

    file: str
    number: int
    """Number of the game in its file, counted from 1."""
    black: str
    white: str
    year: int | None
    score: float | None
    """Black's score."""
    move: str
    """Move that was made in the position."""


class ExploreDocument(Document, frozen=True, kw_only=True, tag="outflank/explore/1"):
    """Moves that were made in a position, in the games of an index."""

    position: str
    turn: Literal["black", "white"]
    opening: str
    """Name of the opening, or empty."""
    games: int
    """Number of games that reached the position."""
    moves: list[ExploredMove]
    latest: list[ExploredGame]


class GameDocument(Document, frozen=True, kw_only=True, tag="outflank/games/1"):
    """Game in a file."""

    file: str
    number: int
    game: str
    date: str
    event: str
    black: str
    white: str
    score: float | None
    """Black's score, or null if it is not known."""
    best: float | None
    """Black's score if the endgame had been played perfectly, as the file states it, or null."""
    reason: str
    """Reason for the end of the game, if the rules did not end it."""
    length: int
    """Number of moves without passes."""
    opening: str
    """First moves of the game."""
    moves: str | UnsetType = UNSET
    """All moves of the game, with `--number`."""


class ReviewGameDocument(Document, frozen=True, kw_only=True, tag="outflank/review-game/1"):
    """Game under review."""

    game: str
    black: str
    white: str
    event: str
    date: str
    result: str
    start: str
    moves: str
    opening: str
    """Name of the opening, or empty."""
    command: str


class ReviewMoveDocument(Document, frozen=True, kw_only=True, tag="outflank/review-move/1"):
    """Move of a reviewed game and the best move in the same position. Values are for the side that moved."""

    ply: int
    side: Literal["black", "white"]
    move: str
    mark: str
    """Mark of a bad move, by its loss: `?!`, `?` or `??`. Empty for other moves."""
    value: float | Literal["won", "lost"]
    """Value of the played move. It is `won` or `lost` if the game is decided and does not score the size of a win."""
    best: str
    best_value: float | Literal["won", "lost"]
    loss: float | None
    """Loss against the best move. It is null if the move lost a game that does not score the size of a win."""
    depth: int
    exact: bool
    unit: str


class TurningPointDocument(Struct, frozen=True, kw_only=True):
    """Change of the game's expected outcome at a ply."""

    ply: int
    before: str
    after: str
    blamed: str | None
    """Move that caused the change, or null if no single move did at this depth."""


class ReviewStoryDocument(Document, frozen=True, kw_only=True, tag="outflank/review-story/1"):
    """Summary of a reviewed game."""

    judged: int
    forced: int
    """Number of moves without an alternative."""
    passes: int
    stopped: bool
    first: str
    """Expected outcome of the game at the first move that was judged."""
    turns: list[TurningPointDocument]
    black: "AccuracyDocument"
    white: "AccuracyDocument"


class AccuracyDocument(Struct, frozen=True, kw_only=True):
    """How well a side played in a reviewed game."""

    moves: int
    """Number of judged moves, which are those with an alternative."""
    best: int
    """Number of moves that lost nothing."""
    mean_loss: float
    """Mean loss of the moves in the game's unit."""


class PluginDocument(Document, frozen=True, kw_only=True, tag="outflank/plugin/1"):
    """Part that can be chosen by name (game, scheme, …), or that cannot be loaded."""

    kind: str
    name: str
    package: str | None
    """Package that installed the part, with its version, or null if this process registered it."""
    place: str
    """Where the part is defined: `module:attribute`, or the code that registered it."""
    about: str | None
    """Description in one line, or null if the part cannot be used."""
    broken: str | None
    """Reason why the part cannot be used, or null if it can."""


class BenchSearchDocument(Document, frozen=True, kw_only=True, tag="outflank/bench-search/1"):
    """One search of `outflank bench`."""

    search: str
    nodes: int
    seconds: float


class BenchDocument(Document, frozen=True, kw_only=True, tag="outflank/bench/1"):
    """Totals of `outflank bench`."""

    complete: bool
    """False if the run was interrupted. `nodes` is then not comparable with other runs."""
    nodes: int
    """Nodes of all searches. The number is the same on every machine."""
    seconds: float
    nodes_per_second: int


class GradeCheckDocument(Struct, frozen=True, kw_only=True):
    """One check of a graded program."""

    name: str
    points: int
    """Points that the check is worth."""
    passed: bool
    feedback: str


class GradeDocument(Document, frozen=True, kw_only=True, tag="outflank/grade/1"):
    """Grade of a student's program."""

    assignment: int
    title: str
    score: int
    """Points of the checks that passed."""
    points: int
    """Points of all checks that were run."""
    checks: tuple[GradeCheckDocument, ...]


class WarmDocument(Document, frozen=True, kw_only=True, tag="outflank/warm/1"):
    """Kernel that is compiled or was in the cache."""

    kernel: str
    types: tuple[str, ...]
    """Classes for which the kernel is compiled."""
    how: Literal["compiled", "loaded"]
    seconds: float


class WheelDocument(Document, frozen=True, kw_only=True, tag="outflank/kernels-wheel/1"):
    """Wheel with kernels for other machines."""

    path: str
    processors: tuple[str, ...]
    """Generic processors for which it has kernels: levels of x86-64, or LLVM's names."""
    omitted: tuple[str, ...]
    """Generic processors whose code does not run on the machine that built the wheel."""
    kernels: int
    """Number of kernels for each processor."""


class CheckDocument(Struct, frozen=True, kw_only=True):
    """One test of the installation."""

    name: str
    passed: bool
    detail: str


class DoctorDocument(Document, frozen=True, kw_only=True, tag="outflank/doctor/1"):
    """Facts for a bug report, and tests of the installation."""

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
    outflank_kernels: str
    """Processor for which the installed package outflank-kernels has kernels, or why it is not used."""
    threads: str
    numba_cuda: str
    gpu: str
    """Name of the GPU, or why there is none."""
    gpu_memory_bytes: int | None
    gpu_free_memory_bytes: int | None
    cache: str
    cache_files: int
    cache_bytes: int
    checks: list[CheckDocument]
    passed: bool


class ClusterNodeDocument(Struct, frozen=True, kw_only=True):
    """Machine in a cluster."""

    host: str
    cores: int
    alive: bool
    head: bool
    identity: str
    directory: str


class ClusterDocument(Struct, frozen=True, kw_only=True):
    """Cluster as its head describes it."""

    address: str
    problem: str | None
    """Reason why the head does not answer, or null if it does."""
    nodes: tuple[ClusterNodeDocument, ...]


class ClusterStatusDocument(Document, frozen=True, kw_only=True, tag="outflank/cluster-status/1"):
    """Clusters that this machine belongs to."""

    clusters: tuple[ClusterDocument, ...]
