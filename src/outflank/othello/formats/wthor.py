"""WTHOR, the French Othello federation's database of tournament games: 68 bytes for each game, one file for each year.

A file is read in chunks, and only the selected games of a chunk become records; their moves are parsed at first access.
So a million games are listed in seconds, with the memory of one chunk.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, overload

import numpy as np
from numpy.typing import NDArray

from outflank.errors import FormatError
from outflank.formats.fields import year_of
from outflank.formats.files import replacing
from outflank.formats.game_files import naming_game
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.formats.replay import column, replay
from outflank.formats.selection import Selection, contains
from outflank.games.sides import Side
from outflank.othello.formats.board_line import othello_size
from outflank.othello.formats.line_games import OthelloOpening, is_standard_game
from outflank.othello.formats.wthor_files import (
    DEFAULT_DEPTH,
    EVENTS,
    HEADER_BYTES,
    MOST_NAMES,
    MOVES,
    NAME,
    PLAYERS,
    Header,
    NameList,
    header_bytes,
    names_beside,
)
from outflank.othello.rules import PASS
from outflank.othello.squares import START, othello, square_name

WITHOUT_THEORY = 1
"""Depth in the header of a file without theoretical scores: with one empty square, only one result is possible."""


class WthorWriter:
    """Writes games to a seekable WTHOR file; `finish` completes it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.games = 0
        self._stream = stream
        self._players, self._events = NameList(PLAYERS), NameList(EVENTS)
        self._year: int | None = None
        self._depth: int | None = None

    def add(self, record: Record) -> None:
        """Write a game; raise `FormatError` if WTHOR cannot hold it in this file."""
        othello_size(record, NAME)
        if not is_standard_game(record):
            raise FormatError(f"{NAME} holds games from the start of the 8×8 board")
        if record.score is None:
            raise FormatError(f"{NAME} holds games whose score is known")
        discs, best = (_discs(score) for score in (record.score, record.score if record.best is None else record.best))
        self._check_agreement(record)
        moves = bytes(10 * (move.code // 8 + 1) + move.code % 8 + 1 for move in record.moves if move.code != PASS)
        if len(moves) > MOVES:
            raise FormatError(f"{NAME} holds games of {MOVES} moves, not of {len(moves)}")
        if not self.games:
            self._stream.write(bytes(HEADER_BYTES))
        numbers = (self._events.number(record.event), *map(self._players.number, (record.black, record.white)))
        references = b"".join(number.to_bytes(2, "little") for number in numbers)
        self._stream.write(references + bytes((discs, best)) + moves.ljust(MOVES, b"\0"))
        self.games += 1

    def finish(self) -> tuple[bytes, bytes]:
        """Write the header; return the contents of the two files with the names of players and of tournaments."""
        self._stream.seek(0)
        depth = self._depth or WITHOUT_THEORY
        self._stream.write(header_bytes(games=self.games, year=self._year or 0, depth=depth))
        return self._players.to_bytes(), self._events.to_bytes()

    def _check_agreement(self, record: Record) -> None:
        """Raise `FormatError` unless all games have the same year and the same depth of theoretical scores."""
        year = year_of(record.date)
        depth = None if record.best is None else record.best_empties or DEFAULT_DEPTH
        if self.games and year != self._year:
            raise FormatError(f"{NAME} holds games of one year: {self._year or 'unknown'}, not {year or 'unknown'}")
        if self.games and depth != self._depth:
            raise FormatError(
                f"{NAME} holds theoretical scores of one depth: {self._depth or 'none'}, not {depth or 'none'}"
            )
        self._year, self._depth = year, depth


def _discs(score: float) -> int:
    """Return the number of black's discs that gives black this score, if the winner gets the empty squares."""
    if not abs(score) <= 64 or score % 2:
        raise FormatError(f"{NAME} cannot hold a score of {score:+g}: it is the difference of 64 discs")
    return int(32 + score / 2)


def files_of(target: Path) -> list[Path]:
    """Return the files that `write_wthor` writes: the games, the players' names and the tournaments' names."""
    return [target, *(target.with_suffix(suffix) for suffix in (PLAYERS, EVENTS))]


def write_wthor(records: Iterable[Record], target: Path) -> int:
    """Write games to the three files of `files_of(target)`, and return the number of games."""
    with ExitStack() as opened:
        games, *names = (opened.enter_context(replacing(file)) for file in files_of(target))
        writer = WthorWriter(games)
        ended_early = True
        try:
            for number, record in enumerate(records, 1):
                with naming_game(number, records):
                    writer.add(record)
            ended_early = False
        finally:
            if writer.games or not ended_early:
                for stream, data in zip(names, writer.finish(), strict=True):
                    stream.write(data)
    return writer.games


GAME = np.dtype(
    [("event", "<u2"), ("black", "<u2"), ("white", "<u2"), ("discs", "u1"), ("best", "u1"), ("moves", "u1", (MOVES,))]
)
GAME_BYTES = GAME.itemsize

GAMES_AT_ONCE = 8192

FIRST = Setup(format=NAME, game=othello(), position=START)

WRONG = 255
SQUARES = np.full(256, WRONG, np.uint8)
"""The square for each byte of a move, 10 · row + column; `WRONG` for a byte that is no square."""
for _square in range(64):
    SQUARES[10 * (_square // 8 + 1) + _square % 8 + 1] = _square
_as_squares = SQUARES.tobytes()

_played_moves = [PlayedMove(code=code) for code in range(PASS + 1)]


class WthorMoves(Sequence[PlayedMove]):
    """The moves of one game, parsed at first access, which inserts passes and raises an error for an illegal move."""

    __slots__ = ("_bytes", "_moves", "_number")

    def __init__(self, data: bytes, number: int) -> None:
        self._bytes = data
        self._number = number
        self._moves: tuple[PlayedMove, ...] | None = None

    @property
    def squares(self) -> bytes:
        """The squares of the moves in the file, unchecked and without passes."""
        return self._bytes.rstrip(b"\0").translate(_as_squares)

    @property
    def played(self) -> tuple[PlayedMove, ...]:
        """All moves of the game, including passes."""
        if self._moves is None:
            squares = self.squares
            result = replay(FIRST.game, FIRST.position, Side.BLACK, column(squares))
            if result.rows < len(squares):
                wrong = square_name(8, squares[result.rows])
                raise FormatError(f"{game_location(self._number)}: move {result.rows + 1}, {wrong}, is not legal")
            self._moves = tuple(_played_moves[code] for code in result.codes)
        return self._moves

    def __len__(self) -> int:
        return len(self.played)

    @overload
    def __getitem__(self, place: int) -> PlayedMove: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[PlayedMove]: ...
    def __getitem__(self, place: int | slice) -> PlayedMove | Sequence[PlayedMove]:
        return self.played[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WthorMoves):
            return self._bytes == other._bytes
        return self.played == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.played)

    def __repr__(self) -> str:
        return repr(self.played)


def game_location(number: int) -> str:
    """Return the location of a game in its file, as text for error messages."""
    return f"{NAME}, game {number:,} (byte {HEADER_BYTES + GAME_BYTES * (number - 1):,})"


def read_wthor(
    stream: BinaryIO, path: Path | None = None, selection: Selection | None = None
) -> Iterator[tuple[int, Record]]:
    """Yield the selected games with their numbers; names of players and events are read from files beside `path`."""
    header = Header.of_games(stream.read(HEADER_BYTES))
    maker = _RecordMaker(header, path, selection or Selection())
    done = 0
    while done < header.games:
        data = stream.read(GAME_BYTES * min(GAMES_AT_ONCE, header.games - done))
        games = np.frombuffer(data, GAME, len(data) // GAME_BYTES)
        valid = _valid_count(games)
        yield from maker.records(data, games[:valid], done)
        done += valid
        if valid < len(games):
            raise FormatError(f"{game_location(done + 1)}: {_problem(games[valid])}")
        if len(games) < GAMES_AT_ONCE and done < header.games:
            raise FormatError(f"{game_location(done + 1)}: the file ends here, its header says {header.games:,} games")
    if stream.read(1):
        raise FormatError(f"{game_location(done + 1)}: more bytes, though the header says {header.games:,} games")


class _RecordMaker:
    """Makes game records from the chunks of one file."""

    def __init__(self, header: Header, path: Path | None, selection: Selection) -> None:
        self._selection = selection
        self._year = header.year
        self._depth = header.depth or DEFAULT_DEPTH
        self._players, self._events = (_padded(names_beside(path, suffix)) for suffix in (PLAYERS, EVENTS))
        self._matching_players = _matching(self._players, selection.player)
        self._matching_events = _matching(self._events, selection.event)

    def records(self, data: bytes, games: NDArray[np.void], done: int) -> Iterator[tuple[int, Record]]:
        """Yield the selected `games` with their numbers; `data` are their bytes, and `done` games came before."""
        date = f"{self._year:04d}" if self._year else ""
        knows_best = self._depth > 1  # at depth 1 the only move is the best
        places = np.flatnonzero(self._mask(games, done))
        selected = games[places]
        columns = (selected[name].tolist() for name in ("event", "black", "white", "discs", "best"))
        for place, event, black, white, discs, best in zip(places.tolist(), *columns, strict=True):
            end = (place + 1) * GAME_BYTES
            number = done + place + 1
            yield (
                number,
                Record(
                    start=FIRST,
                    moves=WthorMoves(data[end - MOVES : end], number),
                    black=self._players[black],
                    white=self._players[white],
                    event=self._events[event],
                    date=date,
                    score=2.0 * discs - 64.0,
                    best=2.0 * best - 64.0 if knows_best else None,
                    best_empties=self._depth if knows_best else None,
                ),
            )

    def _mask(self, games: NDArray[np.void], done: int) -> NDArray[np.bool_]:
        """Return for each game whether it is selected, like `Selection.matches`, but for all games at once."""
        selection = self._selection
        mask = np.full(len(games), selection.matches_year(self._year or None))
        if selection.number is not None:
            mask &= np.arange(done + 1, done + len(games) + 1) == selection.number
        if selection.player:
            mask &= self._matching_players[games["black"]] | self._matching_players[games["white"]]
        if selection.event:
            mask &= self._matching_events[games["event"]]
        if selection.min_score is not None:
            mask &= 2.0 * games["discs"] - 64.0 >= selection.min_score
        if isinstance(selection.opening, OthelloOpening):
            squares = SQUARES[games["moves"]]
            begins = np.zeros(len(games), np.bool_)
            for image in selection.opening.squares:
                begins |= (squares[:, : len(image)] == np.frombuffer(image, np.uint8)).all(axis=1)
            mask &= begins
        elif selection.opening is not None:
            mask[:] = False  # an opening of another game
        return mask


def _padded(names: list[str]) -> list[str]:
    """Return `names` extended by empty names, so that every number that a game may refer to has a name."""
    return names + [""] * (MOST_NAMES + 1 - len(names))


def _matching(names: list[str], part: str) -> NDArray[np.bool_]:
    """Return whether each of `names` contains `part`; an empty array if `part` is empty."""
    return np.fromiter((contains(name, part) for name in names), np.bool_) if part else np.zeros(0, np.bool_)


def _valid_count(games: NDArray[np.void]) -> int:
    """Return the number of `games` before the first invalid one."""
    moves = games["moves"]
    wrong = ((SQUARES[moves] == WRONG) & (moves != 0)).any(axis=1)
    wrong |= ((moves[:, 1:] != 0) & (moves[:, :-1] == 0)).any(axis=1)
    wrong |= (games["discs"] > 64) | (games["best"] > 64)
    return int(np.argmax(wrong)) if wrong.any() else len(games)


def _problem(game: np.void) -> str:
    if max(game["discs"], game["best"]) > 64:
        return f"black's discs are {game['discs']} and in theory {game['best']}; 64 is the most"
    moves = game["moves"].tolist()
    for number, byte in enumerate(moves, 1):
        if byte and SQUARES[byte] == WRONG:
            return f"move {number} is {byte}; 10 · row + column is 11 to 88"
    return f"a move after the last, which is number {moves.index(0)}"
