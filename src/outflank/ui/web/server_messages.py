"""Messages from the server to the web page, over one WebSocket. They are JSON objects with a `kind`.

A request of the page has a number (`ask`). The answer has the same number (`re`). It is the result, or `refused` with
the reason in one line. Long activities send a stream of messages with the number of the request that started them
(`of`). A stream ends with a message in which `done` is true, or with `refused`. The version changes when an older page
would not understand the messages.
"""

from typing import Literal

from msgspec import Struct

from outflank.ui.web.requests import Colour, Seats

VERSION = 1

CERTAIN = 1e9
"""Number that represents a certain win in a game without scores, since JSON has no infinity."""


Owner = Literal["", "you", "other"]
"""Whom a seat belongs to: to nobody, to the receiver of the message, or to another browser."""


class ServerMessage(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """A message from the server to the web page."""


class Welcome(ServerMessage, frozen=True, kw_only=True):
    """First message that the server sends on a connection."""

    version: int
    package: str
    """Version of the package."""
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
    """Highest playing strength (level) of the computer. The lowest is 1."""
    level_texts: tuple[str, ...]
    """Name and strength of each level, such as `beginner, +237 Elo`; empty if the game does not describe its levels."""
    default_level: int
    """Level of the computer in a user's first game."""
    starts: tuple["StartChoice", ...]
    """Positions and openings from which a game can begin under the default rules."""
    unit: str
    """Unit of the game's scores: discs, marbles."""
    forms: tuple["Form", ...]


class GameChoice(Struct, frozen=True, kw_only=True):
    """An option of a game."""

    name: str
    help: str
    choices: tuple[int | str, ...]
    labels: tuple[str, ...]
    """Label of each choice, for users."""
    default: int | str


class StartChoice(Struct, frozen=True, kw_only=True):
    """A position or an opening from which a game can begin."""

    name: str
    text: str
    """Text for the request `new`."""


class Form(Struct, frozen=True, kw_only=True):
    """A text format for a game or a position."""

    name: str
    title: str
    suffix: str
    """Suffix of files in this format, like `.ggf`."""


class SchemeKind(Struct, frozen=True, kw_only=True):
    """A parallel scheme, which shares a search among workers."""

    name: str
    algorithms: tuple[str, ...]
    """Search algorithms that the scheme can share among workers."""
    promises: str
    overhead: str


class Refused(ServerMessage, frozen=True, kw_only=True):
    """Refusal of a request."""

    re: int | None
    """Number of the refused request, or None if its number could not be read."""
    why: str
    """Reason in one line, for the user."""


class Game(ServerMessage, frozen=True, kw_only=True):
    """Current state of a game. The message is an answer, or reports a change to connections that have the game open."""

    re: int | None = None
    id: str
    game: str
    title: str
    """Name of the game for users, like `Othello 6×6`."""
    options: dict[str, int | str]
    revision: int
    """Number that grows with every change. A message with a lower number is outdated."""
    changed: float
    """Time of the last change, in seconds since 1970."""
    start: str
    """Initial position of the game as text."""
    position: str
    """Position at the current node as text."""
    nodes: tuple["Node", ...]
    """Tree of moves. The first node is the start, and the first child of each node is on the main line."""
    node: int
    """Number of the current node, which is on the screen."""
    shape: Literal["squares", "hexagons"]
    """Grid of the board. In `squares` a cell has four neighbours at a distance of 1, in `hexagons` six."""
    cells: tuple["Cell", ...]
    pieces: str
    """A letter for each cell of the board: X black, O white, . empty."""
    turn: Colour
    legal: tuple["Gesture", ...]
    """Legal moves. Empty if the game is over."""
    last: "Gesture | None"
    """Move that led to the current node, or None at the start."""
    passes: bool
    """Whether the side to move can only pass. The pass is then its only legal move."""
    opening: str
    """Name of the opening that was played up to the current node. It may be empty."""
    standing: str
    """Score at the current node as text, like `black 2, white 2`."""
    counts: tuple[int, int]
    """Counts of black and white: discs on the board, or marbles pushed off it."""
    counted: str
    """Unit of `counts`: `discs`, `marbles taken`."""
    outcome: "GameResult | None"
    seats: Seats
    clock: "ClockState | None"
    """Clocks of both sides, or None if the game has no clocks."""
    thinking: Colour | None
    """Side whose computer is thinking about its move, or None."""
    compiling: tuple[int, int] | None = None
    """Number of compiled kernels, and about how many are needed, while a machine's first computer waits for them."""
    remark: str
    """Computer's remark about its last move, like `depth 12, +2.3 discs` or `book`. It may be empty."""
    names: tuple[str, str] = ("", "")
    """Names of the players, if the game is from a record with names."""
    story: tuple["TurningPoint", ...] = ()
    """Turning points of the main line, as the last review found them."""
    accuracy: tuple["SideAccuracy", "SideAccuracy"] | None = None
    """How well black and white played the main line, or None before a review."""
    owners: tuple["Owner", "Owner"] = ("", "")
    """Whom the seats of black and white belong to, for the connection that receives the message."""
    guarded: bool = False
    """Whether a seat is taken and the game is not over. Then only the owners of seats can move and undo."""
    offer: Literal["", "takeback", "rematch"] = ""
    """Offer of a player that the opponent has not answered."""
    offered_by: Colour | None = None
    rematch: str = ""
    """Id of the next game of the same players. It may be empty."""
    disposable: bool = False
    """Whether the game is deleted as soon as nobody views it, because nothing was changed in it since it was begun."""


class SideAccuracy(Struct, frozen=True, kw_only=True):
    """How well a side played the moves that a review judged."""

    moves: int
    best: int
    """Number of moves that lost nothing."""
    mean_loss: float
    """Mean loss of the moves, in the game's unit."""


class Node(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A position in the tree of a game."""

    id: int
    parent: int | None
    move: str
    """Move that led to this position. Empty at the start."""
    side: Colour | None = None
    """Side that made the move."""
    value: float | None = None
    """Value of the position for black, in the game's unit, or None before a review."""
    loss: float | None = None
    """Loss of the move against the best move, or None before a review."""
    mark: str = ""
    """Mark of a bad move: `?!`, `?` or `??`. Empty for other moves."""
    best: str = ""
    """Best move according to a review. Empty if `move` is as good as the best move."""
    exact: bool = False
    """Whether `value` is the proved value under perfect play."""
    comment: str = ""
    """What a user wrote about the position."""
    arrows: tuple[tuple[str, str], ...] = ()
    """Cells at the start and the end of the arrows that a user drew. If both are the same, it is a circle."""


class Cell(Struct, frozen=True, kw_only=True):
    """A cell of a board."""

    name: str
    row: int
    """Row of the cell, counted from 0 at the top."""
    x: float
    y: float
    """Vertical coordinate of the cell's centre. It grows downwards. Centres of neighbours are 1 apart."""


class Gesture(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move, and how a user makes it with a pointer."""

    move: str
    to: str = ""
    """Target cell of the move. Empty for a move without one, such as a pass."""
    picked: tuple[str, ...] = ()
    """Cells of the line of pieces that the user selects first. Empty if the move puts a new piece on the board."""
    way: tuple[float, float] | None = None
    """Direction in which the selected pieces move, or None if the move puts down a piece or passes."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """Source and target cell of every piece that moves. The target is None if the piece is pushed off the board."""


class GameResult(Struct, frozen=True, kw_only=True):
    """The result of a game."""

    winner: Colour | None
    """Side that won, or None for a draw."""
    score: int
    """Black's score."""
    reason: str
    text: str
    """Result of the game in one sentence."""
    counts: tuple[int, int] | None = None
    """Final counts of black and white, such as discs, or None if the game is not scored or ended by a forfeit."""


class ClockState(Struct, frozen=True, kw_only=True):
    """Both clocks of a game at the time of the message."""

    text: str
    """Time control in words, like `5 minutes for the game`."""
    black: float | None
    """Black's seconds left for the game, or for the move if each move has its own time. None: no time limit."""
    white: float | None
    running: Colour | None


class Kept(ServerMessage, frozen=True, kw_only=True):
    """A page of the list of saved games."""

    re: int
    games: tuple["ListedGame", ...]
    layouts: tuple["Layout", ...]
    """Different layouts of the listed games' boards."""
    more: bool


class Layout(Struct, frozen=True, kw_only=True):
    """Shape and cells of a board, enough to draw a small picture."""

    shape: Literal["squares", "hexagons"]
    cells: tuple["Cell", ...]


class ListedGame(Struct, frozen=True, kw_only=True):
    """A saved game in the list of games."""

    id: str
    game: str
    title: str
    changed: float
    moves: int
    """Number of moves on the main line."""
    seats: Seats
    opening: str = ""
    """Name of the opening of the main line. It may be empty."""
    name: str = ""
    """Name that a user gave to the game."""
    names: tuple[str, str] = ("", "")
    """Names of black and white, if the game is from a record with names or a user named them."""
    event: str = ""
    date: str = ""
    """Date on which the game was played, as far as it is known: `1998`, `1998-05-17`."""
    result: str
    """`1-0`, `0-1`, `1/2-1/2`, or `*` for an unfinished game."""
    result_text: str = ""
    """Result for users, like `black wins by 12 discs`. Empty for an unfinished game."""
    position: str
    pieces: str
    """Pieces at the end of the main line: a letter for each cell, X black, O white, . empty."""
    layout: int
    """Index of the board's layout in `layouts` of the message `kept`."""
    disposable: bool = False


class Found(ServerMessage, frozen=True, kw_only=True):
    """The games in a text or in files."""

    re: int
    games: tuple["FoundGame", ...]
    problem: str
    """Why further games could not be read. Empty if all were read."""


class FoundGame(Struct, frozen=True, kw_only=True):
    """A game or position in a text or in files. Unknown texts are empty."""

    number: int
    """Number of the game, counted from 1."""
    title: str
    """Name of the game for users, like `Othello 6×6`."""
    names: tuple[str, str]
    """Names of black and white."""
    event: str
    date: str
    moves: int
    """Number of moves, passes left out."""
    result: str
    """`1-0`, `0-1`, `1/2-1/2`, or `*` if the record has no result."""
    result_text: str
    """Result for users, like `black wins by 12 discs`. Empty if the record has none."""


class Saved(ServerMessage, frozen=True, kw_only=True):
    """Answer to `keep`."""

    re: int
    games: int
    """Number of games that were saved."""


class Gone(ServerMessage, frozen=True, kw_only=True):
    """Notice that a game was deleted. It is an answer, and is also sent to connections that have the game open."""

    re: int | None = None
    id: str


class Entered(ServerMessage, frozen=True, kw_only=True):
    """Answer to `enter`."""

    re: int


class Left(ServerMessage, frozen=True, kw_only=True):
    """Answer to `leave`: the connection has no open game any more."""

    re: int


class Text(ServerMessage, frozen=True, kw_only=True):
    """An exported game or position."""

    re: int
    form: str
    file: str
    """Suggested name for a file with the exported text."""
    text: str


class Halted(ServerMessage, frozen=True, kw_only=True):
    """Answer to `halt` or `cancel`: the connection's search or the laboratory's run was stopped."""

    re: int


class ValuedMove(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A move and its value for the side that makes it."""

    move: str
    value: float
    """Value in the game's unit, or ±1e9 for a certain win or loss."""
    value_text: str
    """Value as text, like `+3.7`."""
    exact: bool = False
    line: tuple[str, ...] = ()


class Analysis(ServerMessage, frozen=True, kw_only=True):
    """Progress of an analysis, sent several times a second."""

    of: int
    id: str
    node: int
    depth: int
    """Depth in plies of the last completed iteration, or 0 before the first."""
    at_depth: int
    """Depth in plies of the current iteration."""
    exact: bool
    """Whether the position's value is proved."""
    selectivity: int
    """Confidence of selective pruning in per cent. 100 means that nothing is pruned selectively."""
    value_text: str
    """Value of the position as text. Empty before the first value."""
    proved_text: str
    """Proved bounds of the position's score, like `at least +4 discs`. Empty if there are none."""
    moves: tuple[ValuedMove, ...]
    """Moves for which a value was computed, beginning with the best."""
    nodes: int
    seconds: float
    """Seconds of searching, without the time spent waiting for cores."""
    speed: float
    """Mean number of nodes per second of searching."""
    root_moves: tuple[int, int]
    """Number of root moves completed in the current iteration, and number of all root moves."""
    workers: tuple["WorkerState", ...]
    tree: tuple["LiveNode", ...]
    """Split points that live at this moment and the subtrees that workers search, each after its parent. Empty if they
    were not requested, and for schemes without split points."""
    scheme: str
    """Name of the parallel scheme of the search. Empty with one worker."""
    table: float
    """Occupancy of the transposition table, from 0 to 1."""
    table_bytes: int
    waiting: bool
    """Whether the analysis waits for its turn among other searches."""
    done: bool
    """Whether the analysis has ended: solved, at a limit, or halted."""
    compiling: tuple[int, int] | None = None
    """Number of compiled kernels, and about how many are needed, while a machine's first search waits for them."""


class WorkerState(Struct, frozen=True, kw_only=True):
    """Current state of a worker of a parallel search. Counts include the whole search so far."""

    busy: bool
    move: str
    """Root move below which the worker searches. Empty if it is unknown or there is none."""
    depth: int
    """Remaining depth of the worker's job in plies."""
    stolen: bool
    """Whether the job was stolen from another worker."""
    nodes: int
    speed: float
    """Nodes per second of this worker since the last message."""
    busy_seconds: float
    """Time in seconds in which the worker had work. It is 0 in a search with one worker, which measures no time."""
    idle_seconds: float
    """Time in seconds in which the worker looked for work, or slept."""
    useful: float
    """Share of its time in which the worker had work, from 0 to 1."""
    spawned: int
    steals: int
    aborts: int
    """Number of jobs that were aborted because their values were no longer needed."""
    wasted: int
    """Number of nodes in aborted jobs."""


class LiveNode(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A split point, or the root of a subtree that one worker searches alone."""

    parent: int | None = None
    """Index of the split point above in the list, or None for the root."""
    order: int
    """Place of `move` among the moves of the split point above, in the order of search, counted from 0."""
    move: str = ""
    depth: int
    """Plies left."""
    alpha: str = ""
    """Lower end of the window as text, for the side to move. Empty if there is none."""
    beta: str = ""
    value: str = ""
    """Best value of a split point so far, for the side to move. Empty before the first value."""
    moves: int = 0
    """Number of moves of a split point. 0 if one worker searches the subtree alone."""
    begun: int = 0
    """Number of moves that workers have taken."""
    worker: int
    """Index of the worker that searches the subtree, or that offered the split point's moves; before that, of a worker
    in it."""


class Compared(ServerMessage, frozen=True, kw_only=True):
    """Progress or result of a comparison. The same position is searched by several workers, and then by one worker."""

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
    """Time of the search with one worker, divided by the time with all workers, or None before the end."""
    efficiency: float | None
    overhead: float | None
    """Search overhead: additional nodes of the parallel search, divided by the nodes of the search with one worker."""
    same: bool | None
    """Whether the parallel search and the search with one worker returned the same value."""
    done: bool


class Reviewed(ServerMessage, frozen=True, kw_only=True):
    """Progress of a review of a game. The message `game`, which is sent too, has its judgements and turning points."""

    of: int
    id: str
    ply: int
    plies: int
    done: bool


class Retried(ServerMessage, frozen=True, kw_only=True):
    """Judgement of another move in place of a reviewed one. The stream of `retry` has only this message."""

    of: int
    node: int
    """Node after the reviewed move."""
    move: str
    """Move that was judged."""
    loss: float
    """Loss of the move against the best move, at least 0. ±1e9 stands for a certain win or loss."""
    solved: bool
    """Whether the loss is smaller than a mistake's, so that the move solves the exercise."""
    done: bool = True


class TurningPoint(Struct, frozen=True, kw_only=True):
    """A move of a reviewed game at which the lead changed."""

    node: int
    text: str


class PuzzleSet(ServerMessage, frozen=True, kw_only=True):
    """The puzzles of a day, the easiest first."""

    re: int
    puzzles: tuple["PuzzleEntry", ...]


class PuzzleEntry(Struct, frozen=True, kw_only=True):
    """A puzzle: a position in which exactly one move keeps the best final score."""

    number: int
    """Number of the puzzle among all puzzles of the server."""
    game: str
    title: str
    options: dict[str, int | str]
    position: str
    turn: Colour
    left: int
    """Number of moves left, such as empty squares."""
    rating: int
    """Difficulty on the scale of a player's rating."""
    moves: tuple[ValuedMove, ...]
    """Legal moves with their final scores under perfect play, the best first."""
    best_text: str
    """Final score of the best move with its unit, like `+12 discs`."""
    line: tuple[str, ...]
    """Perfect play of both sides, beginning with the best move."""


class PuzzlePosition(ServerMessage, frozen=True, kw_only=True):
    """A position of a puzzle after some moves. The stream of `attempt` has only this message."""

    of: int
    number: int
    moves: tuple[str, ...]
    """Moves from the puzzle's position on."""
    board: "ShownBoard"
    right: bool | None
    """Whether the last move keeps the best score, or None if the user did not make it."""
    value_text: str
    """Final score after the user's last move under perfect play, like `+12 discs`. Empty if `right` is None."""
    reply: str
    """Next move if the user does not choose it: the opponent's best reply, or a pass. Otherwise empty."""
    over: bool
    """Whether the puzzle is solved or failed."""
    done: bool = True


class ShownBoard(Struct, frozen=True, kw_only=True):
    """A position as the page draws it. The fields are those of a `game`."""

    shape: Literal["squares", "hexagons"]
    cells: tuple["Cell", ...]
    pieces: str
    turn: Colour
    legal: tuple["Gesture", ...]
    last: "Gesture | None"


class Explored(ServerMessage, frozen=True, kw_only=True):
    """Answer to `explore`: the moves that were made in a position, and the latest games that reached it."""

    re: int
    id: str
    node: int
    indexed: int
    """Number of indexed games with the same rules. 0: there is no index."""
    games: int
    """Number of indexed games that reached the position."""
    moves: tuple["ExploredMove", ...]
    """Moves that were made or that the game's book has, beginning with the most frequent."""
    latest: tuple["ExploredGame", ...]


class ExploredMove(Struct, frozen=True, kw_only=True):
    """A move with the results of the games in which it was made."""

    moves: tuple[str, ...]
    """The move, and the moves that are its mirror images in a symmetric position."""
    games: int
    results: tuple[int, int, int]
    """Numbers of wins, draws and losses of the side to move. Games without a result are in none of them."""
    mean_score: float | None
    """Mean score of the side to move, or None if no game has a result."""
    book_text: str
    """Value of the move in the book, for the side to move. Empty if the book lacks it."""


class ExploredGame(Struct, frozen=True, kw_only=True):
    """An indexed game that reached a position."""

    names: tuple[str, str]
    """Names of black and white. Unknown names are empty."""
    year: int | None
    score: float | None
    """Black's score, or None if it is unknown."""
    move: str
    """Move that was made in the position."""
    file: str
    number: int
    """Number of the game in the file, counted from 1."""


class Laboratory(ServerMessage, frozen=True, kw_only=True):
    """Answer to `lab`: the experiments of the laboratory, the current run, and the reports."""

    re: int
    groups: tuple["ExperimentGroup", ...]
    experiments: tuple["ExperimentKind", ...]
    running: str
    """Name of the running experiment. Empty if none is running."""
    progress: "Running | None"
    """Progress of the running experiment, or None if none is running."""
    reports: tuple["ReportFile", ...]


class ExperimentGroup(Struct, frozen=True, kw_only=True):
    """Experiments on one subject."""

    title: str
    about: str
    """What these experiments are about, in one sentence."""
    experiments: tuple[str, ...]


class ExperimentKind(Struct, frozen=True, kw_only=True):
    """An experiment of the laboratory."""

    name: str
    question: str
    reports: tuple[str, ...]
    """Numbers of the published reports (000 to 004) that asked the experiment's question."""
    parameters: tuple["ExperimentParameter", ...]


class ExperimentParameter(Struct, frozen=True, kw_only=True):
    """A parameter of an experiment."""

    name: str
    title: str
    """Name for users, like `Table bits`."""
    help: str
    usual: str
    """Default value as text, as the request `run` takes it. Empty if the program chooses the value."""
    field: Literal["choice", "choices", "number", "text"]
    """Kind of the parameter's field in a form: one of `choices`, several of them, a whole number, or any text."""
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    """Limits of a number. None if there is no limit."""


class ReportFile(Struct, frozen=True, kw_only=True):
    """A report page that a run has written."""

    id: str
    experiment: str
    changed: float
    complete: bool
    settings: dict[str, str]
    """Values of the parameters that were chosen for the run, as in the request `run`."""
    address: str
    """Address of the report page on this server."""


class Running(ServerMessage, frozen=True, kw_only=True):
    """Progress of a run of an experiment."""

    of: int
    """Number of the last `lab` or `run` request of the connection that receives the message."""
    experiment: str
    task: str
    part: float
    """Completed part of the experiment's run, from 0 to 1."""
    seconds_left: float | None
    done: bool
    failed: str
    """Reason why the run wrote no report. Empty if the run has not failed."""
    report: ReportFile | None


Message = (
    Welcome
    | Refused
    | Game
    | Kept
    | Found
    | Saved
    | Gone
    | Entered
    | Left
    | Text
    | Halted
    | Analysis
    | Compared
    | Reviewed
    | Retried
    | PuzzleSet
    | PuzzlePosition
    | Explored
    | Laboratory
    | Running
)
