"""What the page asks of the server: a request has a number of its own (`ask`), and gets one answer with that number.

Everything has bounds: what does not fit is refused before anybody looks at it.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MOST_TEXT = 100_000
"""Letters of a pasted text."""

MOST_BYTES = 4 * MOST_TEXT + 1000
"""Of a message: the longest text, in letters of four bytes."""

Ask = Annotated[int, Meta(ge=1, le=1 << 31)]
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Words = Annotated[str, Meta(max_length=200)]
GameId = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{8,32}$")]
NodeId = Annotated[int, Meta(ge=0, le=100_000)]
Colour = Literal["black", "white"]


class Asked(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower, forbid_unknown_fields=True):
    """What the page asks."""

    ask: Ask


# --- games ---


class New(Asked, frozen=True, kw_only=True):
    """A new game, from its start or from a text in any notation that the package reads. Answer: `game`."""

    game: Name | None = None
    """None: the one that the text is of."""
    options: dict[Name, int | Name] = {}
    """Of the game: size, scoring, layout."""
    text: Annotated[str, Meta(max_length=MOST_TEXT)] | None = None
    """A position, a list of moves or a record; a record's moves are the main line, and its end is shown."""
    seats: "Seats | None" = None
    """None: both sides are moved by people."""


class Seats(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who plays, in the words of players: `human`, `computer level=5`, `random`; and the clock: `none`, `5+3`, …"""

    black: Words = "human"
    white: Words = "human"
    clock: Words = "none"


class Place(Asked, frozen=True, kw_only=True):
    """A new game from a position that was set up by hand. Answer: `game`."""

    game: Name
    options: dict[Name, int | Name] = {}
    pieces: Annotated[str, Meta(max_length=400)]
    """A sign for each cell, as in `game`."""
    turn: Colour


class Open(Asked, frozen=True, kw_only=True):
    """See a game, and be told whenever it changes, until another one is opened, or `leave`. Answer: `game`."""

    id: GameId


class Leave(Asked, frozen=True, kw_only=True):
    """See no game any more: where nobody else does, its clocks and computers stand still. Answer: `left`."""


class Sit(Asked, frozen=True, kw_only=True):
    """Who plays from now on. Answer: `game`."""

    id: GameId
    seats: Seats


class Play(Asked, frozen=True, kw_only=True):
    """A move after a node: a new one, or the one that is there already; it becomes the one shown. Answer: `game`."""

    id: GameId
    node: NodeId
    move: Name


class Go(Asked, frozen=True, kw_only=True):
    """Show another node: undo, redo, a jump. A computer whose turn it is there does not move before it is asked by
    `sit`, or a person has moved. Answer: `game`."""

    id: GameId
    node: NodeId


class Prune(Asked, frozen=True, kw_only=True):
    """Take a node away, with all that follows it. Answer: `game`."""

    id: GameId
    node: NodeId


class Promote(Asked, frozen=True, kw_only=True):
    """Make the line that leads to a node the main line. Answer: `game`."""

    id: GameId
    node: NodeId


class Resign(Asked, frozen=True, kw_only=True):
    """A side gives up. Answer: `game`."""

    id: GameId
    side: Colour


class Games(Asked, frozen=True, kw_only=True):
    """The games that are kept, the last changed first. Answer: `kept`."""

    before: float | None = None
    """Those changed before this time, for the next page; None: the first."""


class Delete(Asked, frozen=True, kw_only=True):
    """Forget a game. Answer: `gone`."""

    id: GameId


class Export(Asked, frozen=True, kw_only=True):
    """A game or the position that is shown, as text. Answer: `text`."""

    id: GameId
    node: NodeId | None = None
    """None: the one that is shown. It need not be open for that."""
    form: Name
    """One of the game's `forms` in `welcome`: `position`, `moves`, `svg`, or a format of files: `ggf`, `sgf`, …"""


# --- searches ---


class Analyse(Asked, frozen=True, kw_only=True):
    """Search a node deeper and deeper, until it is told to halt or asks for another. A connection has one search under
    way: this ends the one before. Stream: `analysis`."""

    id: GameId
    node: NodeId
    moves: Annotated[int, Meta(ge=1, le=200)] = 1
    """How many moves get values of their own."""
    options: "SearchOptions | None" = None


class SearchOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How to search, where the usual way is not meant: for those who watch schemes work."""

    algorithm: Name | None = None
    scheme: Name | None = None
    workers: Annotated[int, Meta(ge=1, le=64)] | None = None
    depth: Annotated[int, Meta(ge=1, le=60)] | None = None
    seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    exact: bool = False


class Compare(Asked, frozen=True, kw_only=True):
    """Search a node to a depth by some workers, and by one alone: what the scheme gains. Stream: `compared`."""

    id: GameId
    node: NodeId
    options: SearchOptions


class Review(Asked, frozen=True, kw_only=True):
    """Judge the moves of the main line, each for some seconds. Stream: `reviewed`, one for each move."""

    id: GameId
    seconds: Annotated[float, Meta(gt=0, le=60)] = 0.5


class Halt(Asked, frozen=True, kw_only=True):
    """End the search, comparison or review of this connection. Answer: `halted`."""


# --- the laboratory ---


class Lab(Asked, frozen=True, kw_only=True):
    """What can be measured, what is being measured, and what was. Answer: `laboratory`; and from then on, for every
    run whoever began it, a stream: `running`, with the number of the last `lab` or `run` of this connection."""


class Run(Asked, frozen=True, kw_only=True):
    """Measure; one experiment at a time. Stream: `running`, as for `lab`."""

    experiment: Name
    parameters: dict[Name, Words] = {}
    """As words, like options of `outflank lab`; what is left out is as usual."""


class Cancel(Asked, frozen=True, kw_only=True):
    """End the run under way; what it has is kept. Answer: `halted`."""


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
