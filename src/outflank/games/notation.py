"""The notation of one game: functions that read and write its positions, moves and game files.

`formats.recognise` reads pasted text, and `formats.game_files` reads whole files. Both try the notations of all games.
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
    """Yields the selected games in a stream, each with its number in the file."""
    write: "Callable[[Record], str] | None" = None
    """Returns a game as text; None: the format is not text, or cannot be written."""
    write_all: "Callable[[Iterable[Record], Path], int] | None" = None
    """Writes all games to a file that is not text, and returns their number."""
    files: "Callable[[Path], list[Path]] | None" = None
    """Returns the files that `write_all` writes for a given path."""
    likeness: Callable[[bytes], int] = lambda head: 0
    """Returns how much the first bytes of a file look like the format; 0: not at all."""
    by_line: bool = False
    """Whether every line is a game or a position. Text in other formats may contain such lines, too."""
    holds_games: Callable[[bytes], bool] = lambda head: False
    """Returns whether a file of this format that starts with these bytes holds games, not a position or pasted text."""


def _no_match(text: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """The notations of one game. A game without notations writes a position as the game's name and numbers."""

    forms: str = ""
    """The accepted notations as a list for users: `an Othello board line, OBF, a transcript`."""
    positions: "Callable[[str], list[Record] | None]" = _no_match
    """Returns the positions or games in a text that can only belong to this game; None for any other text."""
    moves: "Callable[[str, Mapping[str, Any]], Record] | None" = None
    """Returns the game that a list of moves describes, from the start that the given options set."""
    moves_from: "Callable[[str, Setup], Record] | None" = None
    """Returns the game that a list of moves describes, from a given position."""
    write_moves: "Callable[[Game, Sequence[int]], str] | None" = None
    """Returns move codes under given rules as a line of text; None: the line has the moves' names, separated by
    spaces."""
    claim: Callable[[str], bool] = lambda moves: True
    """Returns whether a list of moves is in this game's usual notation. If so, the game is tried before other games."""
    likeness: Callable[[str], int] = lambda moves: 0
    """Returns how much a list of moves that is legal in no game looks like this game's. The user sees the error of the
    game with the highest number."""
    line: "Callable[[str], Setup | None]" = _no_match
    """Returns the position that a line of text describes; programs print such lines below drawings."""
    drawing: "Callable[[Sequence[str]], Setup | None]" = lambda lines: None
    """Returns the position in a drawing made of lines of text."""
    position_file: "Callable[[Setup], tuple[str, str]] | None" = None
    """Returns the name and the text of a position file that other programs read; None: the board's text is used."""
    opening: "Callable[[str], Opening] | None" = None
    """Returns the opening that a text gives by name or moves (without passes), to select games that begin with it."""
    files: Mapping[str, FileFormat] = field(default_factory=dict)
    """The file formats, by file name suffix; the first is the default."""

    @property
    def default_suffix(self) -> str:
        """The suffix of a file of this game's records if the user names no suffix."""
        return next(iter(self.files), ".games")
