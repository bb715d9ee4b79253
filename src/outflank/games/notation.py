"""The notation of one game: its positions, moves and files, as its description gives them to code that reads any game.

`formats.recognise` reads pasted text, `formats.game_files` whole files; both use the notation of every game.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:  # formats import this module
    from collections.abc import Iterable

    from outflank.formats.game_record import Record, Setup
    from outflank.formats.selection import Opening, Selection
    from outflank.games.rules import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """A file format for games."""

    title: str
    read: "Callable[[BinaryIO, Path | None, Selection], Iterator[tuple[int, Record]]]"
    """Yields the selected games of a stream, each with its number in the file."""
    write: "Callable[[Record], str] | None" = None
    """Returns a game as text."""
    write_all: "Callable[[Iterable[Record], Path], int] | None" = None
    """Writes all games at once, where the format is not text; returns their number."""
    files: "Callable[[Path], list[Path]] | None" = None
    """The files that `write_all` writes."""
    likeness: Callable[[bytes], int] = lambda head: 0
    """How much a file with this beginning looks like the format; 0: not at all."""
    by_line: bool = False
    """Whether every line is a game or a position, which could stand in any text."""
    holds_games: Callable[[bytes], bool] = lambda head: False
    """Whether a file with this beginning, if it looks like the format, cannot be a position or pasted text."""


def _no_match(text: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """The notations of one game. A game that has none of its own is written by its name and numbers."""

    forms: str = ""
    """The accepted notations, in words: `an Othello board line, OBF, a transcript`."""
    positions: "Callable[[str], list[Record] | None]" = _no_match
    """Returns the positions or games in a text that can only be of this game; None for any other text."""
    moves: "Callable[[str, Mapping[str, Any]], Record] | None" = None
    """Returns the game given by a list of moves, from the start with some of the game's options."""
    moves_from: "Callable[[str, Setup], Record] | None" = None
    """Returns the game given by a list of moves from a position."""
    write_moves: "Callable[[Game, Sequence[int]], str] | None" = None
    """Writes codes of moves under given rules as a line of text; None: their names with spaces between."""
    claim: Callable[[str], bool] = lambda moves: True
    """Whether a list of moves that is legal in several games belongs to this game rather than to a later one."""
    likeness: Callable[[str], int] = lambda moves: 0
    """How much a list of moves that is legal in no game looks like this game's: the error of the likeliest game is
    reported."""
    line: "Callable[[str], Setup | None]" = _no_match
    """Returns the position on a line below a drawing."""
    drawing: "Callable[[Sequence[str]], Setup | None]" = lambda lines: None
    """Returns the position that lines of text draw."""
    position_file: "Callable[[Setup], tuple[str, str]] | None" = None
    """Returns the name and the text of a file with a position, as other programs load it; None: the board's text is
    used."""
    opening: "Callable[[str], Opening] | None" = None
    """Returns the opening that a text names, without passes, by which games can be selected."""
    files: Mapping[str, FileFormat] = field(default_factory=dict)
    """The file formats, by file name suffix; the first is the default."""

    @property
    def default_suffix(self) -> str:
        """The suffix of a file of its games, if none is named."""
        return next(iter(self.files), ".games")
