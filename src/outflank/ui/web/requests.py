"""Requests from the web page to the server. Each request has a number (`ask`).

The server sends one answer with the number of the request. For long activities it sends a stream of messages instead,
or besides. All fields have limits. A request that exceeds a limit is refused before it is handled.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MOST_TEXT = 100_000
"""Maximum number of characters of a pasted text."""

MOST_FILES = 4
MOST_FILE_BYTES = 1_500_000
"""Maximum size of the files in a request, together. The largest WTHOR file of a year has 0.6 MB, its names 0.1 MB."""

MOST_BYTES = 4 * (MOST_FILE_BYTES // 3 + MOST_FILES) + 4000
"""Maximum size of a request in bytes: the largest files in base64, with other fields."""

MOST_LABEL = 100
"""Maximum number of characters in a name of a game, a player or an event."""

MOST_COMMENT = 2000
"""Maximum number of characters in the comment on a position."""

MOST_ARROWS = 60
"""Maximum number of arrows and circles on the board of a position."""

Ask = Annotated[int, Meta(ge=1, le=1 << 31)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Words = Annotated[str, Meta(max_length=200)]
Label = Annotated[str, Meta(max_length=MOST_LABEL)]
GameId = Name
"""Id of a game, or any other short text of an address, for which there is no game."""
NodeId = Annotated[int, Meta(ge=0, le=100_000)]
Colour = Literal["black", "white"]


class PageRequest(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower, forbid_unknown_fields=True):
    """A request from the web page. `ask` is its number."""

    ask: Ask


# --- games ---


class GameFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file with games, or with the names of the players and events in another file."""

    name: Annotated[str, Meta(max_length=255)]
    data: Annotated[bytes, Meta(max_length=MOST_FILE_BYTES)]
    """Content of the file, in base64."""


class Read(PageRequest, frozen=True, kw_only=True):
    """List the games in a text or in files, of which `new` can begin one. Answer: `found`."""

    game: Name | None = None
    options: dict[Name, int | Name] = {}
    text: Annotated[str, Meta(max_length=MOST_TEXT)] | None = None
    files: Annotated[tuple[GameFile, ...], Meta(max_length=MOST_FILES)] = ()


MOST_KEPT = 200
"""Maximum number of games that one request saves."""


class Keep(PageRequest, frozen=True, kw_only=True):
    """Save games of a text or of files without opening them. Answer: `saved`."""

    game: Name | None = None
    options: dict[Name, int | Name] = {}
    text: Annotated[str, Meta(max_length=MOST_TEXT)] | None = None
    files: Annotated[tuple[GameFile, ...], Meta(max_length=MOST_FILES)] = ()
    numbers: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(min_length=1, max_length=MOST_KEPT)]
    """Numbers of the games, as in `found`."""


class New(PageRequest, frozen=True, kw_only=True):
    """Begin a new game, from its start, or from a text or files in any notation that the package reads. Answer:
    `game`."""

    game: Name | None = None
    """Name of the game, or None for the game that the text contains."""
    options: dict[Name, int | Name] = {}
    """Options of the game, such as size, scoring and layout."""
    text: Annotated[str, Meta(max_length=MOST_TEXT)] | None = None
    """A position, a list of moves, or a game record. The moves become the main line, and its end is shown."""
    files: Annotated[tuple[GameFile, ...], Meta(max_length=MOST_FILES)] = ()
    """Files, instead of a text."""
    number: Annotated[int, Meta(ge=1)] = 1
    """Number of the game in the text or in the files, as in `found`."""
    seats: "Seats | None" = None
    """Players and clock. With None, both sides are human, without a clock."""
    keep: bool = True
    """Whether to keep a game from a text even if nobody changes anything in it. Links ask for games that are deleted
    when nobody views them, as games that begin at their start always are."""


class Seats(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Players, as on the command line (`human`, `computer level=5`, `random`), and the clock (`none`, `5+3`, …)."""

    black: Words = "human"
    white: Words = "human"
    clock: Words = "none"


class Place(PageRequest, frozen=True, kw_only=True):
    """Begin a new game from a position that was set up by hand. Answer: `game`."""

    game: Name
    options: dict[Name, int | Name] = {}
    pieces: Annotated[str, Meta(max_length=400)]
    """A letter for each cell of the board: X black, O white, . empty."""
    turn: Colour


class Open(PageRequest, frozen=True, kw_only=True):
    """Open a game, and receive its changes until `leave`, or until another game is opened. Answer: `game`."""

    id: GameId


class Leave(PageRequest, frozen=True, kw_only=True):
    """Close the open game. Without other watchers, its clocks and computers stop. Answer: `left`."""


class Enter(PageRequest, frozen=True, kw_only=True):
    """Say which browser this is, so that its seats are known again. Answer: `entered`."""

    secret: Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]
    """Random name that only this browser knows."""


class Take(PageRequest, frozen=True, kw_only=True):
    """Take a seat, or leave it. Nobody else can move for the side then. Answer: `game`."""

    id: GameId
    side: Colour
    leave: bool = False


class Offer(PageRequest, frozen=True, kw_only=True):
    """Offer the opponent to take back one's last move or to play again, or accept the same offer. Answer: `game`."""

    id: GameId
    what: Literal["", "takeback", "rematch"]
    """Empty: withdraw or decline an offer."""


class Sit(PageRequest, frozen=True, kw_only=True):
    """Change the players and the clock. Answer: `game`."""

    id: GameId
    seats: Seats


class Play(PageRequest, frozen=True, kw_only=True):
    """Make a move at a node, new or already in the tree. The node after it becomes the current one. Answer: `game`."""

    id: GameId
    node: NodeId
    move: Name


class Go(PageRequest, frozen=True, kw_only=True):
    """Make another node the current one: undo, redo or a jump. If a computer is to move there, it moves only after
    `sit` or after a user's move. Answer: `game`."""

    id: GameId
    node: NodeId


class Prune(PageRequest, frozen=True, kw_only=True):
    """Remove a node and its descendants. Answer: `game`."""

    id: GameId
    node: NodeId


class Promote(PageRequest, frozen=True, kw_only=True):
    """Make the line to a node the main line. Answer: `game`."""

    id: GameId
    node: NodeId


class Resign(PageRequest, frozen=True, kw_only=True):
    """Resign for a side. Answer: `game`."""

    id: GameId
    side: Colour


class Games(PageRequest, frozen=True, kw_only=True):
    """List the saved games, beginning with the last changed. Answer: `kept`."""

    before: float | None = None
    """List games that were last changed before this time. None requests the first page of the list."""
    find: Words = ""
    """Words that must all occur in a game's name, players, event, date, title or opening, ignoring case."""
    game: Name | None = None
    """Name of the only game to list, or None for all."""
    result: Literal["", "*", "0-1", "1-0", "1/2-1/2"] = ""
    """Result of the games to list, where `*` stands for unfinished games. Empty for all."""


class Describe(PageRequest, frozen=True, kw_only=True):
    """Name a game and its players. The game need not be open. Answer: `game`."""

    id: GameId
    name: Label
    names: tuple[Label, Label]
    """Names of black and white. Empty: what the players are, like `computer level=3`."""
    event: Label
    date: Label


class Annotate(PageRequest, frozen=True, kw_only=True):
    """Write a comment on a position and draw on its board, in place of what is there. The game need not be open.
    Answer: `game`."""

    id: GameId
    node: NodeId
    comment: Annotated[str, Meta(max_length=MOST_COMMENT)] = ""
    arrows: Annotated[tuple[tuple[Name, Name], ...], Meta(max_length=MOST_ARROWS)] = ()
    """Cells at the start and the end of each arrow. If both are the same, a circle marks the cell."""


class Delete(PageRequest, frozen=True, kw_only=True):
    """Delete a game. Answer: `gone`."""

    id: GameId


class Export(PageRequest, frozen=True, kw_only=True):
    """Export a game or a position as text. The game need not be open. Answer: `text`."""

    id: GameId
    node: NodeId | None = None
    """Node to export, or None for the current one."""
    form: Name
    """Name of one of the game's `forms` in `welcome`: `position`, `moves`, `svg`, or a file format like `ggf`."""


# --- searches ---


class Analyse(PageRequest, frozen=True, kw_only=True):
    """Search a node deeper and deeper until `halt`. Stream: `analysis`.

    A connection has one search at a time: a new search ends the previous one.
    """

    id: GameId
    node: NodeId
    moves: Annotated[int, Meta(ge=1, le=200)] = 1
    """Number of best moves for which a value is computed."""
    tree: bool = False
    """Whether the messages contain the open split points, if several workers share the search."""
    options: "SearchOptions | None" = None


class SearchOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search options with which a user can watch parallel schemes at work. Unset options have their defaults."""

    algorithm: Name | None = None
    scheme: Name | None = None
    workers: Annotated[int, Meta(ge=1, le=64)] | None = None
    depth: Annotated[int, Meta(ge=1, le=60)] | None = None
    seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    exact: bool = False


class Compare(PageRequest, frozen=True, kw_only=True):
    """Search a node with several workers, and then with one worker, to measure the speed-up. Stream: `compared`."""

    id: GameId
    node: NodeId
    options: SearchOptions


class Steps(PageRequest, frozen=True, kw_only=True):
    """Search a small tree by plain alpha-beta or minimax and record every node, as `outflank search --steps` does.
    Answer: `text`, with the recording as a JSON document."""

    id: GameId
    node: NodeId
    depth: Annotated[int, Meta(ge=1, le=6)]
    algorithm: Literal["minimax", "alphabeta"] = "alphabeta"


class Review(PageRequest, frozen=True, kw_only=True):
    """Judge the moves of the main line, with searches of `seconds` each. Stream: `reviewed`, one for each move."""

    id: GameId
    seconds: Annotated[float, Meta(gt=0, le=60)] = 0.5


class Retry(PageRequest, frozen=True, kw_only=True):
    """Judge another move in place of a reviewed one, as the review judges moves. Stream: `retried`, one message."""

    id: GameId
    node: NodeId
    """Node after the reviewed move."""
    move: Name
    """Move to judge, in the position before the reviewed move."""
    seconds: Annotated[float, Meta(gt=0, le=60)] = 0.5


class Explore(PageRequest, frozen=True, kw_only=True):
    """Look up a node's position in the indexed games and in the game's book. Answer: `explored`."""

    id: GameId
    node: NodeId


class Halt(PageRequest, frozen=True, kw_only=True):
    """End the search, comparison, review or judgement of this connection. Answer: `halted`."""


# --- puzzles ---


class Puzzles(PageRequest, frozen=True, kw_only=True):
    """List the puzzles of a day. Answer: `puzzleset`."""

    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    """Date where the user is, like `2026-05-17`."""


class Attempt(PageRequest, frozen=True, kw_only=True):
    """Play moves from the position of a puzzle, and judge the last one. Stream: `puzzleposition`, one message."""

    number: Annotated[int, Meta(ge=0, le=1_000_000)]
    """Number of the puzzle, as in `puzzleset`."""
    moves: Annotated[tuple[Name, ...], Meta(max_length=60)] = ()
    """Moves of both sides from the puzzle's position on."""


# --- the laboratory ---


class Lab(PageRequest, frozen=True, kw_only=True):
    """List the laboratory's experiments, the current run and the reports. Answer: `laboratory`.

    From then on this connection receives a stream, `running`, about the runs of all connections. The messages have the
    number of this connection's last `lab` or `run` request.
    """


class Run(PageRequest, frozen=True, kw_only=True):
    """Run an experiment. Only one runs at a time. Stream: `running`, as for `lab`."""

    experiment: Name
    parameters: dict[Name, Words] = {}
    """Values of the experiment's parameters as text, as for options of `outflank lab`. Omitted parameters have
    defaults."""


class Cancel(PageRequest, frozen=True, kw_only=True):
    """Stop the current run of an experiment. Its results so far are saved. Answer: `halted`."""


Request = (
    Read
    | Keep
    | New
    | Place
    | Open
    | Leave
    | Enter
    | Take
    | Offer
    | Sit
    | Play
    | Go
    | Prune
    | Promote
    | Resign
    | Games
    | Describe
    | Annotate
    | Delete
    | Export
    | Analyse
    | Compare
    | Steps
    | Review
    | Retry
    | Puzzles
    | Attempt
    | Explore
    | Halt
    | Lab
    | Run
    | Cancel
)
