"""What the page and the server say to each other, over one WebSocket: JSON objects that have a `kind`.

The page asks, with a number of its own (`ask`), and gets one answer with that number (`re`): what it asked for, or
`refused` with a line that says why. What goes on for a while comes as a stream of messages with the number of what
began it (`of`), until one that says `done`. Everything has bounds: what does not fit is refused before anybody looks at
it. The version changes when an older page would not understand.
"""

from typing import Literal

from msgspec import Struct

from outflank.ui.web.requests import Colour, Seats

VERSION = 1


class Said(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """What the server says."""


class Welcome(Said, frozen=True, kw_only=True):
    """The first message of a connection."""

    version: int
    package: str
    """The version of the package."""
    games: tuple["GameKind", ...]
    algorithms: tuple[str, ...]
    schemes: tuple["SchemeKind", ...]
    cores: int


class GameKind(Struct, frozen=True, kw_only=True):
    """A game that can be played here."""

    name: str
    title: str
    options: tuple["GameChoice", ...]
    levels: int
    """1 to so many."""
    unit: str
    """What its scores count: discs, marbles."""
    forms: tuple["Form", ...]


class GameChoice(Struct, frozen=True, kw_only=True):
    """An option of a game."""

    name: str
    help: str
    choices: tuple[int | str, ...]
    told: tuple[str, ...]
    """Each choice in words."""
    default: int | str


class Form(Struct, frozen=True, kw_only=True):
    """A way in which a game or a position is written."""

    name: str
    title: str
    suffix: str
    """Of a file: `.ggf`."""


class SchemeKind(Struct, frozen=True, kw_only=True):
    """A way to share a search among workers."""

    name: str
    algorithms: tuple[str, ...]
    """The algorithms that it can share."""
    promises: str
    overhead: str


class Refused(Said, frozen=True, kw_only=True):
    """It cannot be done."""

    re: int | None
    """None: it was no message of ours."""
    why: str
    """One line, for the person at the page."""


class Game(Said, frozen=True, kw_only=True):
    """A game, as it is now. Sent as an answer, and whenever a game that is open has changed."""

    re: int | None = None
    id: str
    game: str
    title: str
    """`Othello 6×6`."""
    options: dict[str, int | str]
    revision: int
    """Grows with every change: an older one is not news."""
    changed: float
    """When, in seconds since 1970."""
    start: str
    """The first position, as text."""
    position: str
    """The one that is shown, as text."""
    nodes: tuple["Node", ...]
    """The tree of moves; the first is the start. Among those of one parent the first is the main line."""
    node: int
    """The one that is shown."""
    shape: Literal["squares", "hexagons"]
    """How cells lie: each has four neighbours at a distance of 1, or six."""
    cells: tuple["Cell", ...]
    pieces: str
    """A sign for each cell: X black, O white, . empty."""
    turn: Colour
    legal: tuple["Gesture", ...]
    """None: the game is over."""
    last: "Gesture | None"
    """The move that led here."""
    passes: bool
    """Whether the side to move can only pass: its one legal move."""
    standing: str
    """`black 2, white 2`."""
    counts: tuple[int, int]
    """Black's and white's: discs on the board, or marbles pushed off it."""
    counted: str
    """What they are: `discs`, `marbles taken`."""
    outcome: "Ended | None"
    seats: Seats
    clock: "ClockState | None"
    """None: there is none."""
    thinking: Colour | None
    """The side whose computer is at its move."""
    remark: str
    """What the computer that moved last said of it: `depth 12, +2.3 discs`, `book`; empty: nothing."""
    names: tuple[str, str] = ("", "")
    """Of the players, where a record has them."""


class Node(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position in the tree of a game."""

    id: int
    parent: int | None
    move: str
    """That led here; empty at the start."""
    side: Colour | None = None
    """Who made it."""
    value: float | None = None
    """What black had here, in the game's unit, as a review found; None: it was not judged."""
    loss: float | None = None
    """What the move lost against the best one."""
    mark: str = ""
    """`?!`, `?` or `??`."""
    best: str = ""
    """What should have been played."""
    exact: bool = False
    """Whether the value is that of perfect play."""


class Cell(Struct, frozen=True, kw_only=True):
    """A place on a board."""

    name: str
    row: int
    """From above, 0 first."""
    x: float
    y: float
    """Of its middle; neighbours are 1 apart, and y grows downwards."""


class Gesture(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move, and how a hand makes it."""

    move: str
    to: str = ""
    """The cell that is chosen; empty: none, as for a pass."""
    picked: tuple[str, ...] = ()
    """The pieces that are taken up before, in a line; none: a piece is put down."""
    way: tuple[float, float] | None = None
    """Which way they go."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """From where to where every piece goes that moves; to None: off the board."""


class Ended(Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winner: Colour | None
    """None: drawn."""
    score: int
    """What black has won."""
    reason: str
    text: str
    """In one sentence."""


class ClockState(Struct, frozen=True, kw_only=True):
    """Both clocks, when the message was written."""

    text: str
    """`5 minutes for the game`."""
    black: float | None
    """Seconds left; for the move, where each has its own time."""
    white: float | None
    running: Colour | None


class Kept(Said, frozen=True, kw_only=True):
    """Games that are kept."""

    re: int
    games: tuple["KeptGame", ...]
    layouts: tuple["Layout", ...]
    """Those of their boards, each once."""
    more: bool


class Layout(Struct, frozen=True, kw_only=True):
    """How the cells of a board lie, as in `game`: enough for a small picture."""

    shape: Literal["squares", "hexagons"]
    cells: tuple["Cell", ...]


class KeptGame(Struct, frozen=True, kw_only=True):
    """One of them."""

    id: str
    game: str
    title: str
    changed: float
    moves: int
    """On the main line."""
    seats: Seats
    result: str
    """`1-0`, …, or `*` while it goes on."""
    position: str
    pieces: str
    """Of the end of the main line."""
    layout: int
    """Which of the answer's layouts its board has."""


class Gone(Said, frozen=True, kw_only=True):
    """A game is forgotten: an answer, and to whoever has it open."""

    re: int | None = None
    id: str


class Left(Said, frozen=True, kw_only=True):
    """No game is open any more."""

    re: int


class Text(Said, frozen=True, kw_only=True):
    """What was exported."""

    re: int
    form: str
    file: str
    """A name for it."""
    text: str


class Halted(Said, frozen=True, kw_only=True):
    """Nothing is under way any more."""

    re: int


class Valued(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move and what it is worth to the mover."""

    move: str
    value: float
    """In the game's unit; ±1e9: won or lost."""
    value_text: str
    """`+3.7`."""
    exact: bool = False
    line: tuple[str, ...] = ()


class Analysis(Said, frozen=True, kw_only=True):
    """How far a search is: several times a second. The same fields from iteration to iteration."""

    of: int
    id: str
    node: int
    depth: int
    """Of the last iteration that was finished; 0: none was."""
    at_depth: int
    """Of the one under way."""
    exact: bool
    """Whether the value is proved."""
    selectivity: int
    """In per cent: 100 leaves nothing out."""
    value_text: str
    """The value, in words; empty: none yet."""
    proved_text: str
    """What is proved of the score: `at least +4 discs`."""
    moves: tuple[Valued, ...]
    """The best first, as many as have values."""
    nodes: int
    seconds: float
    """Of searching; not while it waited for others."""
    speed: float
    """Nodes a second."""
    root_moves: tuple[int, int]
    """How many moves of the root are settled in this iteration, of how many."""
    workers: tuple["AtWork", ...]
    scheme: str
    """Empty: one worker alone."""
    table: float
    """How full the table is, 0 to 1."""
    table_bytes: int
    waiting: bool
    """Whether it waits for its turn among the searches of others."""
    done: bool
    """Whether it has come to its end: solved, a limit, or halted."""
    compiling: bool = False
    """Whether kernels are being compiled: the first search of a machine."""


class AtWork(Struct, frozen=True, kw_only=True):
    """A worker of a search, now. Counts are of the whole search so far."""

    busy: bool
    move: str
    """The root's move below which it searches; empty: not known, or none."""
    depth: int
    """Plies left below the piece in its hands."""
    stolen: bool
    """Whether another worker had offered that piece."""
    nodes: int
    speed: float
    """Nodes a second since the message before."""
    useful: float
    """The part of its time with work in hand, 0 to 1."""
    spawned: int
    steals: int
    aborts: int
    """Pieces that it gave up because their value was not wanted any more."""
    wasted: int
    """Nodes of those."""


class Compared(Said, frozen=True, kw_only=True):
    """A comparison, while it goes on and at its end."""

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
    """None: not known yet."""
    efficiency: float | None
    overhead: float | None
    """Nodes that one worker would not have entered, per node that it would."""
    same: bool | None
    """Whether both found the same value."""
    done: bool


class Reviewed(Said, frozen=True, kw_only=True):
    """How far a review is. What it finds of a move stands in that node of `game`, which is sent too."""

    of: int
    id: str
    ply: int
    plies: int
    done: bool
    story: tuple["Turn", ...] = ()
    """At the end: where the game turned."""


class Turn(Struct, frozen=True, kw_only=True):
    """A change of who was winning."""

    node: int
    text: str


class Laboratory(Said, frozen=True, kw_only=True):
    """What can be measured, and what was."""

    re: int
    experiments: tuple["ExperimentKind", ...]
    running: str
    """The name of the experiment under way; empty: none."""
    progress: "Running | None"
    """How far that one is; None: none is under way."""
    reports: tuple["ReportFile", ...]


class ExperimentKind(Struct, frozen=True, kw_only=True):
    """An experiment."""

    name: str
    question: str
    reports: tuple[str, ...]
    """Those of the five reports that asked it."""
    parameters: tuple["ExperimentParameter", ...]


class ExperimentParameter(Struct, frozen=True, kw_only=True):
    """What can be chosen about it."""

    name: str
    help: str
    usual: str
    """In words, as `run` takes them; empty: the program chooses."""


class ReportFile(Struct, frozen=True, kw_only=True):
    """A page that a run has written."""

    id: str
    experiment: str
    changed: float
    complete: bool
    address: str
    """Where the page is found on this server."""


class Running(Said, frozen=True, kw_only=True):
    """How far a run is."""

    of: int
    """The last `lab` or `run` of the connection."""
    experiment: str
    task: str
    part: float
    """0 to 1."""
    seconds_left: float | None
    done: bool
    failed: str
    """Why there is no report; empty: there will be one."""
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
