"""How one game is written: its positions, moves and files, as its description tells them to those who read any game's.

`formats.recognise` reads what a person pastes, `formats.game_files` whole files; both ask the notation of every game.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:  # formats stand above this module, and know it
    from collections.abc import Iterable

    from outflank.formats.game_record import Record
    from outflank.formats.selection import Opening, Selection
    from outflank.formats.setup import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """A way of keeping games in a file."""

    title: str
    read: "Callable[[BinaryIO, Path | None, Selection], Iterator[tuple[int, Record]]]"
    """The wanted games of a stream, each with its number in the file."""
    write: "Callable[[Record], str] | None" = None
    """A game as text."""
    write_all: "Callable[[Iterable[Record], Path], int] | None" = None
    """All games at once, where they are no text; how many there were."""
    files: "Callable[[Path], list[Path]] | None" = None
    """The files that `write_all` writes."""
    likeness: Callable[[bytes], int] = lambda head: 0
    """How much a file that begins so looks like one; 0: not at all."""
    by_line: bool = False
    """Whether every line is a game or a position, which could stand in any text."""
    holds_games: Callable[[bytes], bool] = lambda head: False
    """Whether a file that begins so, and looks like one, is no position or pasted text as well."""


def _nothing(text: str) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """The ways in which one game is written. A game that has none of its own is written by its name and numbers."""

    forms: str = ""
    """What is understood, in words: `an Othello board line, OBF, a transcript`."""
    positions: "Callable[[str], list[Setup] | None]" = _nothing
    """The positions or games in a text that is of this game and no other; None: it is not."""
    moves: "Callable[[str, Mapping[str, Any]], Setup] | None" = None
    """The game that a list of moves is, from the start with some of the game's options."""
    moves_from: "Callable[[str, Setup], Setup] | None" = None
    """The same from a position."""
    write_moves: "Callable[[Any, Sequence[int]], str] | None" = None
    """Codes of moves under some rules as a line of text; None: their names with spaces between."""
    names: tuple[str, ...] = ()
    """Words by which headers of games say that it is this one."""
    claim: Callable[[str], int] = lambda moves: 0
    """How early a list of moves should be tried as one of this game's, where it may be of several; 0: never."""
    likeness: Callable[[str], int] = lambda moves: 0
    """How much a list of moves that is right in no game looks like one of this game's: its error is told."""
    line: "Callable[[str], Setup | None]" = _nothing
    """The position on a line that stands below a drawing."""
    drawing: "Callable[[Sequence[str]], Setup | None]" = lambda lines: None
    """The position that lines of text draw."""
    position_file: "Callable[[Setup], tuple[str, str]] | None" = None
    """The name and the text of a file with a position, as other programs load it; None: what boards write of it."""
    opening: "Callable[[str], Opening] | None" = None
    """The opening, passes left out, that a text names: by it games are looked for."""
    files: Mapping[str, FileFormat] = field(default_factory=dict)
    """Its file formats, by the ends of their names; the first is the usual one."""

    @property
    def usual_suffix(self) -> str:
        """The end of the name of a file that keeps its games."""
        return next(iter(self.files), ".games")
