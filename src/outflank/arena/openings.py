"""Where games start: no two openings of a match are the same, whichever way the board is turned."""

import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import decoded_whole
from outflank.formats.game_files import is_record_file, read_records
from outflank.formats.recognise import read
from outflank.games.description import description_of, titles_of_games

TRIES = 2000
"""Draws in a row that bring nothing new after which there is nothing new to be drawn."""

EARLY_PLIES = 8000
"""Limit on two numbers of plies, each about a second's work: those of the openings made before the first game, and
those of random games in a row that ended too early, after which no opening of that length is looked for."""


def forms() -> str:
    """How openings are asked for."""
    return f"random:PLIES, layouts[:PLIES] ({titles_of_games(lambda each: each.starts)}) or FILE[:PLIES]"


def usual(start: Board[Any]) -> str:
    """The openings that are used where none are asked for."""
    return description_of(start.game).openings(start)


class Openings:
    """Openings by number, each a board with its moves; those of the same text and seed are the same ones.

    `random:8` plays eight moves at random; `layouts:2` two, from one start after the other where a game has several; a
    file holds
    transcripts (XOT), positions or games, one a line or as their format has it, of which `FILE:8` takes the first eight
    moves. What a file holds is shuffled.

    >>> few = Openings("random:5", Board.from_text("f5"), seed=1, count=3)
    >>> [few[number].ply for number in range(3)]
    [6, 6, 6]
    """

    def __init__(self, text: str, start: Board[Any], *, seed: int, count: int) -> None:
        self._text, self._start, self._count = text, start, count
        chance = random.Random(f"openings {seed}")
        self._form, plies = _parsed(text)
        self._plies = plies
        if self._form == "random":
            self._source = _drawn([start], plies or 0, chance)
        elif self._form == "layouts":
            self._source = _drawn(_layouts(start), plies or 0, chance)
        else:
            self._source = iter(_in_file(Path(self._form), start, plies, chance))
        self._drawn = self._form in ("random", "layouts")
        self._found: list[Board[Any]] = []
        self._seen: set[Any] = set()
        self._lock = Lock()
        if count:
            early = max(1, EARLY_PLIES // max(plies or 0, 8))
            self[min(count, early) - 1]  # that there are too few should be known before the first game

    def __getitem__(self, number: int) -> Board[Any]:
        """A board of its own with opening `number`; an error if there are not so many different ones."""
        wasted = 0  # plies of random games in a row that ended too early
        with self._lock:
            while len(self._found) <= number:
                board = next(self._source, None)
                if board is None:
                    raise self._too_few()
                if board.is_game_over():
                    wasted += len(board.moves)
                    if self._drawn and wasted > EARLY_PLIES:
                        raise OutflankError(
                            f"openings {self._text}: games end before ply {self._plies}; use fewer plies"
                        )
                    continue
                wasted = 0
                key = _key(board)
                if key not in self._seen:
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
        more = "more plies give more" if self._drawn else "a longer file has more"
        return OutflankError(
            f"{self._text}: {len(self._found)} different openings, but {self._count} are needed for no game to repeat; "
            f"{more}"
        )


def _parsed(text: str) -> tuple[str, int | None]:
    """The kind of openings, or the file's name, and the number of plies."""
    whole = text.strip()
    if not whole.isprintable():
        raise OutflankError(f"openings {text!r}: {forms()}")
    match = re.fullmatch(r"(.+?):([0-9]{1,3})", whole)
    if match and not os.path.exists(whole):  # which a name that no file can have does not disturb
        return match[1], int(match[2])
    if not whole or whole == "random":
        raise OutflankError(f"openings {text!r}: {forms()}")
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
    starts = description_of(start.game).starts
    if not starts:
        raise OutflankError(f"layouts are openings of {titles_of_games(lambda each: each.starts)}")
    return [begin() for begin in starts.values()]


def _in_file(path: Path, start: Board[Any], plies: int | None, chance: random.Random) -> list[Board[Any]]:
    found = []
    try:
        for board in _boards(path, start):
            if not _is_same_game(board.game, start.game):
                raise OutflankError(f"{path}: an opening of another game than the match")
            while plies is not None and len(board.moves) > plies:
                board.pop()
            found.append(_under_rules(board, start))
    except OSError as error:
        raise OutflankError(f"openings {str(path)!r}: {reason_of(error)} ({forms()})") from None
    chance.shuffle(found)
    return found


def _boards(path: Path, start: Board[Any]) -> Iterator[Board[Any]]:
    """What a file holds: whole games, or something on each line."""
    if is_record_file(path):
        yield from (Board.from_setup(record.setup) for record in read_records(path))
        return
    description = description_of(start.game)
    options = description.options_at(start)
    for number, line in enumerate(decoded_whole(path.read_bytes()).splitlines(), 1):
        words = line.partition("%")[0].partition("#")[0].strip()
        if not words:
            continue
        try:
            yield Board.from_setup(read(words, game=description.name, **options))
        except OutflankError as error:
            raise OutflankError(f"{path}, line {number}: {error}") from None


def _is_same_game(one: Any, other: Any) -> bool:
    """Whether moves of one are moves of the other: on boards of the same size."""
    description = description_of(other)
    return type(one) is type(other) and description.size_of(one) == description.size_of(other)


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
