"""Where games start: no two openings of a match are the same, whichever way the board is turned."""

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.layouts import LAYOUTS
from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import decoded_whole
from outflank.formats.game_files import HEAD, holds_records, read_records
from outflank.formats.recognise import read
from outflank.othello.board import OthelloBoard

TRIES = 2000
"""Draws in a row that bring nothing new after which there is nothing new to be drawn."""

EARLY = 1000
"""Openings that are made before the match begins; a second's work."""

RECORD_FILES = (".ggf", ".sgf", ".wtb", ".abalone")
"""Ends of the names of files that hold whole games."""

FORMS = "random:PLIES, layouts[:PLIES] (Abalone) or FILE[:PLIES]"


def usual(start: Board[Any]) -> str:
    """The openings that are used where none are asked for."""
    if isinstance(start, OthelloBoard):
        return f"random:{start.size}"
    return "random:4"


class Openings:
    """Openings by number, each a board with its moves; those of the same text and seed are the same ones.

    `random:8` plays eight moves at random; `layouts:2` two, from one layout of Abalone after the other; a file holds
    transcripts (XOT), positions or games, one a line or as their format has it, of which `FILE:8` takes the first eight
    moves. What a file holds is shuffled.

    >>> few = Openings("random:6", OthelloBoard.start(), seed=1, count=3)
    >>> [few[number].ply for number in range(3)]
    [6, 6, 6]
    """

    def __init__(self, text: str, start: Board[Any], *, seed: int, count: int) -> None:
        self._text, self._start, self._count = text, start, count
        chance = random.Random(f"openings {seed}")
        self._form, plies = _parsed(text)
        if self._form == "random":
            self._source = _drawn([start], plies or 0, chance)
        elif self._form == "layouts":
            self._source = _drawn(_layouts(start), plies or 0, chance)
        else:
            self._source = iter(_in_file(Path(self._form), start, plies, chance))
        self._found: list[Board[Any]] = []
        self._seen: set[Any] = set()
        self._lock = Lock()
        if count:
            self[min(count, EARLY) - 1]  # that there are too few should be known before the first game

    def __getitem__(self, number: int) -> Board[Any]:
        """A board of its own with opening `number`; an error if there are not so many different ones."""
        with self._lock:
            while len(self._found) <= number:
                board = next(self._source, None)
                if board is None:
                    raise self._too_few()
                key = _key(board)
                if key not in self._seen and not board.is_game_over():
                    self._seen.add(key)
                    self._found.append(board)
            return self._found[number].copy()

    def samples(self) -> list[Board[Any]]:
        """One that begins at the start of the match, and one that begins elsewhere, of those that are there by now."""
        found: dict[bool, Board[Any]] = {}
        for board in self._found:
            first = board.copy()
            while first.moves:
                first.pop()
            found.setdefault(first == self._start, board)
        return [board.copy() for board in found.values()]

    def _too_few(self) -> OutflankError:
        more = "more plies give more" if self._form in ("random", "layouts") else "a longer file has more"
        return OutflankError(
            f"{self._text}: {len(self._found)} different openings, but {self._count} are needed for no game to repeat; "
            f"{more}"
        )


def _parsed(text: str) -> tuple[str, int | None]:
    """The kind of openings, or the file's name, and the number of plies."""
    whole = text.strip()
    if not whole.isprintable():
        raise OutflankError(f"openings {text!r}: {FORMS}")
    match = re.fullmatch(r"(.+?):([0-9]{1,3})", whole)
    if match and not os.path.exists(whole):  # which a name that no file can have does not disturb
        return match[1], int(match[2])
    if not whole or whole == "random":
        raise OutflankError(f"openings {text!r}: {FORMS}")
    return whole, None


def _key(board: Board[Any]) -> Any:
    """What is the same for positions that are the same game turned: the side to move sees it so."""
    return tuple(int(word) for word in board.canonical().position)


def _drawn(starts: list[Board[Any]], plies: int, chance: random.Random) -> Iterator[Board[Any]]:
    """Boards after so many random moves, from one start after the other, until nothing new comes."""
    seen: set[Any] = set()
    barren = 0
    while barren < TRIES:
        for start in starts:
            board = start.copy()
            for _ in range(plies):
                if board.is_game_over():
                    break
                board.push(chance.choice(board.legal_moves))
            key = _key(board)
            barren = barren + 1 if key in seen else 0
            seen.add(key)
            yield board
        if not plies:
            return


def _layouts(start: Board[Any]) -> list[Board[Any]]:
    if not isinstance(start, AbaloneBoard):
        raise OutflankError("layouts are openings of Abalone")
    return [AbaloneBoard.start(name) for name in LAYOUTS]


def _in_file(path: Path, start: Board[Any], plies: int | None, chance: random.Random) -> list[Board[Any]]:
    found = []
    try:
        for board in _boards(path, start):
            if type(board) is not type(start) or getattr(board, "size", 0) != getattr(start, "size", 0):
                raise OutflankError(f"{path}: an opening of another game than the match")
            while plies is not None and len(board.moves) > plies:
                board.pop()
            found.append(_under_rules(board, start))
    except OSError as error:
        raise OutflankError(f"openings {str(path)!r}: {reason_of(error)} ({FORMS})") from None
    chance.shuffle(found)
    return found


def _boards(path: Path, start: Board[Any]) -> Iterator[Board[Any]]:
    """What a file holds: whole games, or something on each line."""
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    if path.suffix.lower() in RECORD_FILES or holds_records(head):
        yield from (Board.from_setup(record.setup) for record in read_records(path))
        return
    kind = "abalone" if isinstance(start, AbaloneBoard) else "othello"
    size = start.size if isinstance(start, OthelloBoard) else None
    layout = next((name for name in LAYOUTS if kind == "abalone" and AbaloneBoard.start(name) == start), None)
    for number, line in enumerate(decoded_whole(path.read_bytes()).splitlines(), 1):
        words = line.partition("%")[0].partition("#")[0].strip()
        if not words:
            continue
        try:
            yield Board.from_setup(read(words, game=kind, size=size, layout=layout))
        except OutflankError as error:
            raise OutflankError(f"{path}, line {number}: {error}") from None


def _under_rules(board: Board[Any], start: Board[Any]) -> Board[Any]:
    """The same moves under the rules of the match."""
    if board.game == start.game:
        return board
    first = board.copy()
    moves = [first.pop() for _ in board.moves]
    twin = type(start)(start.game, first.position, first.turn, ply=first.ply)
    for move in reversed(moves):
        twin.push(move)
    return twin
