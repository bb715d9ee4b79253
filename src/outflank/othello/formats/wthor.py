"""WTHOR, the French federation's record of tournament games: 68 bytes a game, a year a file.

A file is read in pieces, and of a piece only the games that are wanted become records; their moves
are made out when somebody looks at them. So a million games are listed in seconds, in the memory of one piece.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, overload

import numpy as np
from numpy.typing import NDArray

from outflank.errors import FormatError
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.replay import column, replay
from outflank.formats.selection import Selection, contains
from outflank.formats.setup import Setup
from outflank.games.sides import Side
from outflank.othello.formats.openings import OthelloOpening
from outflank.othello.formats.wthor_header import HEADER_BYTES, MOVES, NAME, USUAL_DEPTH, Header
from outflank.othello.formats.wthor_names import EVENTS, MOST_NAMES, PLAYERS, names_beside
from outflank.othello.rules import PASS
from outflank.othello.squares import START, othello, square_name

GAME = np.dtype(
    [("event", "<u2"), ("black", "<u2"), ("white", "<u2"), ("discs", "u1"), ("best", "u1"), ("moves", "u1", (MOVES,))]
)
GAME_BYTES = GAME.itemsize

GAMES_AT_ONCE = 8192

FIRST = Setup(format=NAME, game=othello(), position=START)

WRONG = 255
SQUARES = np.full(256, WRONG, np.uint8)
"""The square of a move's byte, which is 10 · row + column."""
for _square in range(64):
    SQUARES[10 * (_square // 8 + 1) + _square % 8 + 1] = _square
_as_squares = SQUARES.tobytes()

_plain = [PlayedMove(code=code) for code in range(PASS + 1)]


class WthorMoves(Sequence[PlayedMove]):
    """A game's moves, made out when they are first looked at: then passes are put in, and a wrong move is an error."""

    __slots__ = ("_bytes", "_moves", "_number")

    def __init__(self, data: bytes, number: int) -> None:
        self._bytes = data
        self._number = number
        self._moves: tuple[PlayedMove, ...] | None = None

    @property
    def squares(self) -> bytes:
        """The squares as they are written, without the passes, tried or not."""
        return self._bytes.rstrip(b"\0").translate(_as_squares)

    @property
    def played(self) -> tuple[PlayedMove, ...]:
        """All moves, passes included."""
        if self._moves is None:
            squares = self.squares
            found = replay(FIRST.game, FIRST.position, Side.BLACK, column(squares))
            if found.rows < len(squares):
                wrong = square_name(8, squares[found.rows])
                raise FormatError(f"{where(self._number)}: move {found.rows + 1}, {wrong}, is not legal")
            self._moves = tuple(_plain[code] for code in found.codes)
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


def where(number: int) -> str:
    """The place of a game in its file, in words."""
    return f"{NAME}, game {number:,} (byte {HEADER_BYTES + GAME_BYTES * (number - 1):,})"


def read_wthor(
    stream: BinaryIO, path: Path | None = None, selection: Selection | None = None
) -> Iterator[tuple[int, Record]]:
    """The wanted games with their numbers; names are looked for beside `path`."""
    header = Header.of_games(stream.read(HEADER_BYTES))
    pieces = _Pieces(header, path, selection or Selection())
    done = 0
    while done < header.games:
        data = stream.read(GAME_BYTES * min(GAMES_AT_ONCE, header.games - done))
        games = np.frombuffer(data, GAME, len(data) // GAME_BYTES)
        sound = _sound(games)
        yield from pieces.records(data, games[:sound], done)
        done += sound
        if sound < len(games):
            raise FormatError(f"{where(done + 1)}: {_what_is_wrong(games[sound])}")
        if len(games) < GAMES_AT_ONCE and done < header.games:
            raise FormatError(f"{where(done + 1)}: the file ends here, its header says {header.games:,} games")
    if stream.read(1):
        raise FormatError(f"{where(done + 1)}: more bytes, though the header says {header.games:,} games")


class _Pieces:
    """What turns pieces of one file into records."""

    def __init__(self, header: Header, path: Path | None, wish: Selection) -> None:
        self._wish = wish
        self._year = header.year
        self._depth = header.depth or USUAL_DEPTH
        self._players, self._events = (_padded(names_beside(path, suffix)) for suffix in (PLAYERS, EVENTS))
        self._wanted_players = _wanted(self._players, wish.player)
        self._wanted_events = _wanted(self._events, wish.event)

    def records(self, data: bytes, games: NDArray[np.void], done: int) -> Iterator[tuple[int, Record]]:
        """The wanted ones of `games`, which are the bytes `data` and follow on number `done`."""
        date = f"{self._year:04d}" if self._year else ""
        knows_best = self._depth > 1  # of one empty square the best use is the only one: there is no news in it
        places = np.flatnonzero(self._mask(games, done))
        chosen = games[places]
        columns = (chosen[name].tolist() for name in ("event", "black", "white", "discs", "best"))
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
        """Which of the games are wanted: what `Selection.takes` says, for all of them at once."""
        wish = self._wish
        mask = np.full(len(games), wish.takes_year(self._year or None))
        if wish.number is not None:
            mask &= np.arange(done + 1, done + len(games) + 1) == wish.number
        if wish.player:
            mask &= self._wanted_players[games["black"]] | self._wanted_players[games["white"]]
        if wish.event:
            mask &= self._wanted_events[games["event"]]
        if wish.min_score is not None:
            mask &= 2.0 * games["discs"] - 64.0 >= wish.min_score
        if isinstance(wish.opening, OthelloOpening):
            squares = SQUARES[games["moves"]]
            begins = np.zeros(len(games), np.bool_)
            for image in wish.opening.squares:
                begins |= (squares[:, : len(image)] == np.frombuffer(image, np.uint8)).all(axis=1)
            mask &= begins
        elif wish.opening is not None:
            mask[:] = False  # of another game
        return mask


def _padded(names: list[str]) -> list[str]:
    """A name for every number: whoever is not in the file is unknown."""
    return names + [""] * (MOST_NAMES + 1 - len(names))


def _wanted(names: list[str], part: str) -> NDArray[np.bool_]:
    """Which of the numbers have a name with `part` in it; nothing if nobody asks."""
    return np.fromiter((contains(name, part) for name in names), np.bool_) if part else np.zeros(0, np.bool_)


def _sound(games: NDArray[np.void]) -> int:
    """How many games come before the first that cannot be one."""
    moves = games["moves"]
    wrong = ((SQUARES[moves] == WRONG) & (moves != 0)).any(axis=1)
    wrong |= ((moves[:, 1:] != 0) & (moves[:, :-1] == 0)).any(axis=1)
    wrong |= (games["discs"] > 64) | (games["best"] > 64)
    return int(np.argmax(wrong)) if wrong.any() else len(games)


def _what_is_wrong(game: np.void) -> str:
    if max(game["discs"], game["best"]) > 64:
        return f"black's discs are {game['discs']} and in theory {game['best']}; 64 is the most"
    moves = game["moves"].tolist()
    for number, byte in enumerate(moves, 1):
        if byte and SQUARES[byte] == WRONG:
            return f"move {number} is {byte}; 10 · row + column is 11 to 88"
    return f"a move after the last, which is number {moves.index(0)}"
