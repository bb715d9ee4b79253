"""The requests of the page to the server: each has a number (`ask`), and gets one answer with that number.

Everything has limits: a request that exceeds them is refused before it is handled.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MOST_TEXT = 100_000
"""Maximum characters of a pasted text."""

MOST_BYTES = 4 * MOST_TEXT + 1000
"""Maximum size of a message: the longest text, at four bytes per character."""

Ask = Annotated[int, Meta(ge=1, le=1 << 31)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Words = Annotated[str, Meta(max_length=200)]
GameId = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{8,32}$")]
NodeId = Annotated[int, Meta(ge=0, le=100_000)]
Colour = Literal["black", "white"]


class PageRequest(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower, forbid_unknown_fields=True):
    """A request of the page."""

    ask: Ask


# --- games ---


class New(PageRequest, frozen=True, kw_only=True):
    """Begin a new game, from its start or from a text in any notation that the package reads. Answer: `game`."""

    game: Name | None = None
    """The name of the game; None: the game of the text."""
    options: dict[Name, int | Name] = {}
    """Options of the game: size, scoring, layout."""
    text: Annotated[str, Meta(max_length=MOST_TEXT)] | None = None
    """A position, a list of moves or a record; a record's moves become the main line, and its end is shown."""
    seats: "Seats | None" = None
    """None: both sides are human."""


class Seats(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The players as on the command line: `human`, `computer level=5`, `random`; and the clock: `none`, `5+3`, …"""

    black: Words = "human"
    white: Words = "human"
    clock: Words = "none"


class Place(PageRequest, frozen=True, kw_only=True):
    """Begin a new game from a position that was set up by hand. Answer: `game`."""

    game: Name
    options: dict[Name, int | Name] = {}
    pieces: Annotated[str, Meta(max_length=400)]
    """A letter for each cell, as in `game`."""
    turn: Colour


class Open(PageRequest, frozen=True, kw_only=True):
    """Open a game, and receive every change until `leave`, or until another game is opened. Answer: `game`."""

    id: GameId


class Leave(PageRequest, frozen=True, kw_only=True):
    """Close the open game: without other watchers its clocks and computers stop. Answer: `left`."""


class Sit(PageRequest, frozen=True, kw_only=True):
    """Change the players. Answer: `game`."""

    id: GameId
    seats: Seats


class Play(PageRequest, frozen=True, kw_only=True):
    """Make a move after a node, new or already in the tree; its node becomes the current one. Answer: `game`."""

    id: GameId
    node: NodeId
    move: Name


class Go(PageRequest, frozen=True, kw_only=True):
    """Make another node the current one: undo, redo, a jump. A computer whose turn it is there moves only after `sit`,
    or after a user's move. Answer: `game`."""

    id: GameId
    node: NodeId


class Prune(PageRequest, frozen=True, kw_only=True):
    """Remove a node, with all that follows it. Answer: `game`."""

    id: GameId
    node: NodeId


class Promote(PageRequest, frozen=True, kw_only=True):
    """Make the line that leads to a node the main line. Answer: `game`."""

    id: GameId
    node: NodeId


class Resign(PageRequest, frozen=True, kw_only=True):
    """Resign for a side. Answer: `game`."""

    id: GameId
    side: Colour


class Games(PageRequest, frozen=True, kw_only=True):
    """List the saved games, the last changed first. Answer: `kept`."""

    before: float | None = None
    """Only games changed before this time, for the next page; None: the first page."""


class Delete(PageRequest, frozen=True, kw_only=True):
    """Delete a game. Answer: `gone`."""

    id: GameId


class Export(PageRequest, frozen=True, kw_only=True):
    """Export a game or a position as text. The game need not be open. Answer: `text`."""

    id: GameId
    node: NodeId | None = None
    """None: the current node."""
    form: Name
    """One of the game's `forms` in `welcome`: `position`, `moves`, `svg`, or a format of files: `ggf`, `sgf`, …"""


# --- searches ---


class Analyse(PageRequest, frozen=True, kw_only=True):
    """Search a node deeper and deeper, until `halt`. A connection has one search at a time: this ends the one before.
    Stream: `analysis`."""

    id: GameId
    node: NodeId
    moves: Annotated[int, Meta(ge=1, le=200)] = 1
    """Number of best moves that get values of their own."""
    options: "SearchOptions | None" = None


class SearchOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of a search other than the default, to watch schemes at work."""

    algorithm: Name | None = None
    scheme: Name | None = None
    workers: Annotated[int, Meta(ge=1, le=64)] | None = None
    depth: Annotated[int, Meta(ge=1, le=60)] | None = None
    seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    exact: bool = False


class Compare(PageRequest, frozen=True, kw_only=True):
    """Search a node to a depth by several workers and by one, to measure the speed-up. Stream: `compared`."""

    id: GameId
    node: NodeId
    options: SearchOptions


class Review(PageRequest, frozen=True, kw_only=True):
    """Judge the moves of the main line, each for some seconds. Stream: `reviewed`, one for each move."""

    id: GameId
    seconds: Annotated[float, Meta(gt=0, le=60)] = 0.5


class Halt(PageRequest, frozen=True, kw_only=True):
    """End the search, comparison or review of this connection. Answer: `halted`."""


# --- the laboratory ---


class Lab(PageRequest, frozen=True, kw_only=True):
    """List the experiments, the current run and the reports. Answer: `laboratory`; from then on, for every run of any
    connection, a stream: `running`, with the number of the last `lab` or `run` of this connection."""


class Run(PageRequest, frozen=True, kw_only=True):
    """Run an experiment; one runs at a time. Stream: `running`, as for `lab`."""

    experiment: Name
    parameters: dict[Name, Words] = {}
    """Values as text, like options of `outflank lab`; omitted parameters have their defaults."""


class Cancel(PageRequest, frozen=True, kw_only=True):
    """Stop the current run; its results so far are saved. Answer: `halted`."""


Request = (
    New
    | Place
    | Open
    | Leave
    | Sit
    | Play
    | Go
    | Prune
    | Promote
    | Resign
    | Games
    | Delete
    | Export
    | Analyse
    | Compare
    | Review
    | Halt
    | Lab
    | Run
    | Cancel
)
