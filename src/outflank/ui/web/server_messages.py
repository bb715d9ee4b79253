"""The messages from the server to the page, over one WebSocket: JSON objects that have a `kind`.

A request of the page has a number (`ask`), and gets one answer with that number (`re`): the result, or `refused` with a
line that gives the reason. Long activities send a stream of messages with the number of the request that started them
(`of`), until one has `done`. Everything has limits: a request that exceeds them is refused before it is handled. The
version changes when an older page would not understand.
"""

from typing import Literal

from msgspec import Struct

from outflank.ui.web.requests import Colour, Seats

VERSION = 1


class ServerMessage(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """A message from the server."""


class Welcome(ServerMessage, frozen=True, kw_only=True):
    """The first message of a connection."""

    version: int
    package: str
    """The version of the package."""
    games: tuple["GameKind", ...]
    algorithms: tuple[str, ...]
    schemes: tuple["SchemeKind", ...]
    cores: int


class GameKind(Struct, frozen=True, kw_only=True):
    """A game that can be played on this server."""

    name: str
    title: str
    options: tuple["GameChoice", ...]
    levels: int
    """The highest level; the lowest is 1."""
    unit: str
    """The unit of its scores: discs, marbles."""
    forms: tuple["Form", ...]


class GameChoice(Struct, frozen=True, kw_only=True):
    """An option of a game."""

    name: str
    help: str
    choices: tuple[int | str, ...]
    told: tuple[str, ...]
    """A label for each choice."""
    default: int | str


class Form(Struct, frozen=True, kw_only=True):
    """A text format for a game or a position."""

    name: str
    title: str
    suffix: str
    """The suffix of its files: `.ggf`."""


class SchemeKind(Struct, frozen=True, kw_only=True):
    """A scheme that shares a search among workers."""

    name: str
    algorithms: tuple[str, ...]
    """The algorithms that it can share."""
    promises: str
    overhead: str


class Refused(ServerMessage, frozen=True, kw_only=True):
    """A request cannot be fulfilled."""

    re: int | None
    """None: the message was no valid request."""
    why: str
    """The reason in one line, for the user."""


class Game(ServerMessage, frozen=True, kw_only=True):
    """The current state of a game: sent as an answer, and whenever the open game has changed."""

    re: int | None = None
    id: str
    game: str
    title: str
    """`Othello 6×6`."""
    options: dict[str, int | str]
    revision: int
    """Grows with every change: a message with a lower one is outdated."""
    changed: float
    """Time of the last change, in seconds since 1970."""
    start: str
    """The first position, as text."""
    position: str
    """The current position, as text."""
    nodes: tuple["Node", ...]
    """The tree of moves; the first node is the start. The first child of each node is on the main line."""
    node: int
    """The current node, which is shown."""
    shape: Literal["squares", "hexagons"]
    """The grid: a cell has four neighbours at a distance of 1, or six."""
    cells: tuple["Cell", ...]
    pieces: str
    """A letter for each cell: X black, O white, . empty."""
    turn: Colour
    legal: tuple["Gesture", ...]
    """The legal moves; empty: the game is over."""
    last: "Gesture | None"
    """The move that led to the current node."""
    passes: bool
    """Whether the side to move can only pass: its one legal move."""
    standing: str
    """`black 2, white 2`."""
    counts: tuple[int, int]
    """Black's and white's counts: discs on the board, or marbles pushed off it."""
    counted: str
    """The unit of the counts: `discs`, `marbles taken`."""
    outcome: "GameResult | None"
    seats: Seats
    clock: "ClockState | None"
    """None: the game has no clock."""
    thinking: Colour | None
    """The side whose computer is thinking about its move."""
    remark: str
    """The computer's remark about its last move: `depth 12, +2.3 discs`, `book`; empty: none."""
    names: tuple[str, str] = ("", "")
    """The names of the players, if the game is from a record with names."""


class Node(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position in the tree of a game."""

    id: int
    parent: int | None
    move: str
    """The move that led to this position; empty at the start."""
    side: Colour | None = None
    """The side that made the move."""
    value: float | None = None
    """Black's value here by a review, in the game's unit; None: not reviewed."""
    loss: float | None = None
    """The loss of the move against the best one."""
    mark: str = ""
    """The mark of the move: `?!`, `?` or `??`."""
    best: str = ""
    """The best move, if it is another one."""
    exact: bool = False
    """Whether the value is that of perfect play."""


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of a board."""

    name: str
    row: int
    """The row, counted from the top, starting at 0."""
    x: float
    y: float
    """The coordinates of its centre are x and y; neighbours are 1 apart, and y grows downwards."""


class Gesture(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move, and the gesture by which a user makes it."""

    move: str
    to: str = ""
    """The target cell; empty: none, as for a pass."""
    picked: tuple[str, ...] = ()
    """The cells of the pieces that are selected first, in a line; empty: a piece is put down."""
    way: tuple[float, float] | None = None
    """Direction in which the picked pieces move; None: a piece is put down, or a pass."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """Source and target of every piece that moves; None: off the board."""


class GameResult(Struct, frozen=True, kw_only=True):
    """The result of a game."""

    winner: Colour | None
    """None: a draw."""
    score: int
    """The score of black."""
    reason: str
    text: str
    """The result in one sentence."""


class ClockState(Struct, frozen=True, kw_only=True):
    """Both clocks at the time of the message."""

    text: str
    """The time control in words: `5 minutes for the game`."""
    black: float | None
    """Seconds left for the game, or for the move where the time is per move."""
    white: float | None
    running: Colour | None


class Kept(ServerMessage, frozen=True, kw_only=True):
    """A page of the list of saved games."""

    re: int
    games: tuple["ListedGame", ...]
    layouts: tuple["Layout", ...]
    """The layouts of their boards, each once."""
    more: bool


class Layout(Struct, frozen=True, kw_only=True):
    """The cells of a board, as in `game`: enough for a thumbnail."""

    shape: Literal["squares", "hexagons"]
    cells: tuple["Cell", ...]


class ListedGame(Struct, frozen=True, kw_only=True):
    """A saved game in the list."""

    id: str
    game: str
    title: str
    changed: float
    moves: int
    """Number of moves on the main line."""
    seats: Seats
    result: str
    """`1-0`, …, or `*` for an unfinished game."""
    position: str
    pieces: str
    """The pieces at the end of the main line, as in `game`."""
    layout: int
    """Index of its board's layout in the answer's `layouts`."""


class Gone(ServerMessage, frozen=True, kw_only=True):
    """A game was deleted: sent as an answer, and to every connection that has it open."""

    re: int | None = None
    id: str


class Left(ServerMessage, frozen=True, kw_only=True):
    """The connection has no open game any more."""

    re: int


class Text(ServerMessage, frozen=True, kw_only=True):
    """An exported game or position."""

    re: int
    form: str
    file: str
    """A suggested file name."""
    text: str


class Halted(ServerMessage, frozen=True, kw_only=True):
    """The search or run was stopped."""

    re: int


class ValuedMove(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move and its value for the side that makes it."""

    move: str
    value: float
    """The value in the game's unit; ±1e9: won or lost."""
    value_text: str
    """The value as text: `+3.7`."""
    exact: bool = False
    line: tuple[str, ...] = ()


class Analysis(ServerMessage, frozen=True, kw_only=True):
    """The progress of an analysis, several times a second, with the same fields in every iteration."""

    of: int
    id: str
    node: int
    depth: int
    """Depth of the last completed iteration; 0: none."""
    at_depth: int
    """Depth of the current iteration."""
    exact: bool
    """Whether the value is proved."""
    selectivity: int
    """Selectivity in per cent: 100 prunes nothing selectively."""
    value_text: str
    """The value as text; empty: none yet."""
    proved_text: str
    """The proved bounds of the score: `at least +4 discs`."""
    moves: tuple[ValuedMove, ...]
    """The moves that have values, the best first."""
    nodes: int
    seconds: float
    """Time of searching, without the time spent waiting for cores."""
    speed: float
    """Nodes per second."""
    root_moves: tuple[int, int]
    """Number of root moves completed in this iteration, and number of all."""
    workers: tuple["WorkerState", ...]
    scheme: str
    """The parallel scheme; empty: one worker."""
    table: float
    """Occupancy of the transposition table, 0 to 1."""
    table_bytes: int
    waiting: bool
    """Whether the analysis waits for its turn among other searches."""
    done: bool
    """Whether the analysis has ended: solved, at a limit, or halted."""
    compiling: bool = False
    """Whether kernels are being compiled, as for the first search on a machine."""


class WorkerState(Struct, frozen=True, kw_only=True):
    """The current state of a worker. Counts are of the whole search so far."""

    busy: bool
    move: str
    """The root move below which it searches; empty: unknown or none."""
    depth: int
    """Remaining depth of the job it is working on."""
    stolen: bool
    """Whether the job was stolen from another worker."""
    nodes: int
    speed: float
    """Nodes per second since the message before."""
    useful: float
    """Share of its time with work, 0 to 1."""
    spawned: int
    steals: int
    aborts: int
    """Jobs aborted because their value was no longer needed."""
    wasted: int
    """Nodes of aborted jobs."""


class Compared(ServerMessage, frozen=True, kw_only=True):
    """The progress or the result of a comparison."""

    of: int
    stage: Literal["together", "alone", "done"]
    depth: int
    scheme: str
    workers: int
    together_seconds: float
    together_nodes: int
    alone_seconds: float
    alone_nodes: int
    speed_up: float | None
    """None: not yet known."""
    efficiency: float | None
    overhead: float | None
    """Search overhead: additional nodes per node of the search by one worker."""
    same: bool | None
    """Whether both searches returned the same value."""
    done: bool


class Reviewed(ServerMessage, frozen=True, kw_only=True):
    """The progress of a review. The judgement of a move is in its node of `game`, which is sent too."""

    of: int
    id: str
    ply: int
    plies: int
    done: bool
    story: tuple["TurningPoint", ...] = ()
    """In the last message: the turning points of the game."""


class TurningPoint(Struct, frozen=True, kw_only=True):
    """A turning point: the move at which the lead changed."""

    node: int
    text: str


class Laboratory(ServerMessage, frozen=True, kw_only=True):
    """The experiments of the laboratory, and the reports."""

    re: int
    experiments: tuple["ExperimentKind", ...]
    running: str
    """The name of the running experiment; empty: none."""
    progress: "Running | None"
    """The progress of the running experiment; None: none is running."""
    reports: tuple["ReportFile", ...]


class ExperimentKind(Struct, frozen=True, kw_only=True):
    """An experiment."""

    name: str
    question: str
    reports: tuple[str, ...]
    """The numbers of the five published reports that asked this question."""
    parameters: tuple["ExperimentParameter", ...]


class ExperimentParameter(Struct, frozen=True, kw_only=True):
    """A parameter of an experiment."""

    name: str
    help: str
    usual: str
    """The default as text, as `run` takes it; empty: the program chooses."""


class ReportFile(Struct, frozen=True, kw_only=True):
    """A report page that a run has written."""

    id: str
    experiment: str
    changed: float
    complete: bool
    address: str
    """The address of the page on this server."""


class Running(ServerMessage, frozen=True, kw_only=True):
    """The progress of a run."""

    of: int
    """The number of the connection's last `lab` or `run`."""
    experiment: str
    task: str
    part: float
    """The completed part, 0 to 1."""
    seconds_left: float | None
    done: bool
    failed: str
    """The reason why there is no report; empty: there will be one."""
    report: ReportFile | None


Message = (
    Welcome
    | Refused
    | Game
    | Kept
    | Gone
    | Left
    | Text
    | Halted
    | Analysis
    | Compared
    | Reviewed
    | Laboratory
    | Running
)
