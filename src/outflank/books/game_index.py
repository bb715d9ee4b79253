"""An index of files of games: for every position, the games that reached it, with their next moves and results.

A file begins with a header in JSON. Two tables follow: the games, and the moves of all games, sorted by the position in
which they were made. The file is mapped into memory: opening it reads only the header, and a look-up reads only the
moves that were made in the position. Symmetric positions share their moves.
"""

import mmap
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outflank.boards import Board
from outflank.books.book import Book
from outflank.books.from_games import digest_and_games
from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.fields import one_line, year_of
from outflank.formats.files import replacing
from outflank.formats.game_record import Record
from outflank.formats.selection import move_codes
from outflank.games.description import description_of, game_named
from outflank.games.position_loops import NO_MOVE, Words
from outflank.games.rules import (
    MOVE,
    Game,
    Moves,
    Position,
    fill,
    is_pass,
    mirror,
    mirror_move,
    most_moves,
    pack,
    play,
    symmetries,
    unpack,
)
from outflank.games.sides import Side
from outflank.kernels.compiler import Samples, kernel
from outflank.search.request import Stop
from outflank.validation.documents import Count, Document, Several, decoded, encoded
from outflank.validation.values import Misfit

MAGIC = b"outflank games\n\x01"
"""First bytes of an index, with the version of its layout. The length of the header follows, in eight bytes."""

GAME_ROW = np.dtype(
    [("file", "<u4"), ("number", "<u4"), ("black", "<u4"), ("white", "<u4"), ("year", "<u2"), ("score", "<f4")]
)
"""A game: its file, its number there, its players' names, its year (0: unknown), black's score (NaN: unknown)."""

MOVE_ROW = np.dtype([("key", "<u8"), ("game", "<u4"), ("move", "<u2")])
"""A move: the key of the position in which it was made, its game, and its code in the canonical position."""

Table: TypeAlias = NDArray[np.void]

GAMES_AT_ONCE = 4096
MOVES_INTERPRETED = 1000
"""Number of moves up to which games are interpreted. Loading the compiler takes longer than to play so few moves."""

PART_BITS = 6
PARTS = 1 << PART_BITS
"""Number of temporary files, among which the moves are divided by the highest bits of their keys, so that only one part
at a time is in memory."""


class IndexHeader(Document, frozen=True, kw_only=True, tag="outflank/game-index/1"):
    """Header of an index."""

    game: str
    rules: dict[str, int]
    """Rules of all games in the index: the fields of the game's rules."""
    plies: Several
    """Number of moves of each game that are in the index."""
    games: Several
    moves: Count
    """Number of moves of all games together."""
    files: tuple[str, ...]
    """Names of the files, from which the games are."""
    names: tuple[str, ...]
    """Names of the players."""


# --- keys of positions ---


def _keys(words: NDArray[np.uint64], white: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return hashes of canonical positions, which are pairs of words, and of the side to move."""
    first, second = words[..., 0], words[..., 1]
    mixed = first * np.uint64(0x9E3779B97F4A7C15) ^ (second ^ second >> np.uint64(31)) * np.uint64(0xD6E8FEB86659FD93)
    mixed = mixed + white * np.uint64(0xA0761D6478BD642F)
    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0xFF51AFD7ED558CCD)
    return mixed ^ mixed >> np.uint64(29)


def _key_and_moves(board: Board) -> tuple[int, dict[int, list[int]]]:
    """Return the key of a board, and its legal moves by their image in the canonical position.

    In a symmetric position, several moves have the same image.
    """
    game, position = board.game, board.position
    images = [pack(game, mirror(game, position, number)) for number in range(int(symmetries(game)))]
    pairs = [(int(first), int(second)) for first, second in images]
    smallest = min(pairs)
    matching = [number for number, pair in enumerate(pairs) if pair == smallest]
    moves: dict[int, list[int]] = {}
    for move in board.legal_moves:
        image = min(int(mirror_move(game, MOVE(move.code), number)) for number in matching)
        moves.setdefault(image, []).append(move.code)
    white = np.array([board.turn is Side.WHITE])
    return int(_keys(np.array([smallest], np.uint64), white)[0]), moves


@kernel
def follow_games(
    game: Game,
    starts: Words,
    codes: Moves,
    moves: Moves,
    words: NDArray[np.uint64],
    played: Moves,
    illegal: NDArray[np.int64],
) -> None:
    """Play the games whose moves, without passes, are the rows of `codes`, from the packed positions `starts`.

    For each move, forced passes included, `words` receives the canonical position before it, and `played` its image in
    this position, the smallest if there are several. The rest of a row of `played` stays as it is. `illegal` receives
    the number of each game's first illegal move; 0: there is none. `moves` is a buffer for legal moves.
    """
    for row in range(len(codes)):
        position = unpack(game, starts[row, 0], starts[row, 1])
        column = 0
        illegal[row] = 0
        for ply in range(played.shape[1]):
            if column == codes.shape[1] or codes[row, column] == NO_MOVE:
                break
            end = fill(game, position, moves, np.int64(0))
            move = codes[row, column]
            if end == 1 and is_pass(game, moves[0]):
                move = moves[0]
            else:
                column += 1
            legal = False
            for index in range(end):
                legal = legal or moves[index] == move
            if not legal:
                illegal[row] = column
                break
            first, second = pack(game, position)
            image = np.int64(move)
            for symmetry in range(1, symmetries(game)):
                first_image, second_image = pack(game, mirror(game, position, symmetry))
                if first_image < first or (first_image == first and second_image < second):
                    first, second = first_image, second_image
                    image = np.int64(mirror_move(game, move, symmetry))
                elif first_image == first and second_image == second:
                    image = min(image, np.int64(mirror_move(game, move, symmetry)))
            words[row, ply, 0] = first
            words[row, ply, 1] = second
            played[row, ply] = image
            position = play(game, position, move)


@follow_games.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    starts = np.array([pack(game, position)], np.uint64)
    yield game, starts, np.full((1, 1), NO_MOVE, MOVE), *_room(game, 1, 1)


def _room(game: Game, games: int, plies: int) -> tuple[Any, ...]:
    return (
        np.zeros(int(most_moves(game)), MOVE),
        np.zeros((games, plies, 2), np.uint64),
        np.full((games, plies), NO_MOVE, MOVE),
        np.zeros(games, np.int64),
    )


# --- building ---


@dataclass(slots=True)
class IndexBuilder:
    """Builds an index of files of games. The moves are in temporary files until the index is written."""

    game: Game
    plies: int
    """Greatest number of moves of each game that are in the index, forced passes included."""
    folder: Path
    """Folder for temporary files."""
    games: int = 0
    moves: int = 0
    others: int = 0
    """Number of games that were left out because they were played under other rules."""
    _digests: set[str] = field(default_factory=set)
    _files: list[str] = field(default_factory=list)
    _names: dict[str, int] = field(default_factory=dict)
    _tables: list[Table] = field(default_factory=list)
    _parts: list[IO[bytes]] = field(default_factory=list)
    _starts: dict[Position, tuple[int, int]] = field(default_factory=dict)
    """Cache by starting position: the packed position. Most games share one start."""

    def read(self, path: Path, wrong: Callable[[str], None], progress: Callable[[int], None], stop: Stop) -> None:
        """Add the games of a file, up to its first unreadable game; `wrong` receives error messages."""
        digest, records = digest_and_games(path)
        if digest in self._digests:
            return  # the same file, perhaps under another name
        self._digests.add(digest)
        self._files.append(str(path.absolute()))
        waiting: list[tuple[int, Record]] = []
        try:
            for number, record in enumerate(records, 1):
                rules = record.start.game
                if (type(rules), rules) != (type(self.game), self.game):
                    self.others += 1
                    continue
                waiting.append((number, record))
                if len(waiting) == GAMES_AT_ONCE:
                    self._add(path, waiting, wrong)
                    waiting = []
                    progress(self.games)
                if stop.called:
                    return
        except FormatError as error:
            wrong(f"{path}: {error}")
        self._add(path, waiting, wrong)

    def _add(self, path: Path, numbered: Sequence[tuple[int, Record]], wrong: Callable[[str], None]) -> None:
        if not numbered:
            return
        records = [record for _, record in numbered]
        codes = np.full((len(records), self.plies), NO_MOVE, MOVE)
        for row, record in enumerate(records):
            line = move_codes(record)[: self.plies]
            codes[row, : len(line)] = np.frombuffer(line, np.uint8) if isinstance(line, bytes) else line
        starts = np.array([self._packed_start(record) for record in records], np.uint64)
        room = _room(self.game, len(records), self.plies)
        few = np.count_nonzero(codes != NO_MOVE) <= MOVES_INTERPRETED
        (follow_games.py_func if few else follow_games)(self.game, starts, codes, *room)
        _, words, played, illegal = room
        for row in np.flatnonzero(illegal).tolist():
            wrong(f"{path}, game {numbered[row][0]:,}: move {illegal[row]} is not legal; those before it are taken")
        begins_white = np.array([record.start.turn is Side.WHITE for record in records])
        white = begins_white[:, None] ^ (np.arange(self.plies) % 2 == 1)
        made = played != NO_MOVE
        table = np.empty(np.count_nonzero(made), MOVE_ROW)
        table["key"] = _keys(words, white)[made]
        table["game"] = np.broadcast_to(self.games + np.arange(len(records))[:, None], made.shape)[made]
        table["move"] = played[made]
        self._divide(_in_order(table))
        self._tables.append(self._game_table(numbered))
        self.games += len(records)

    def _packed_start(self, record: Record) -> tuple[int, int]:
        start = record.start.position
        if start not in self._starts:
            first, second = pack(self.game, start)
            self._starts[start] = int(first), int(second)
        return self._starts[start]

    def _game_table(self, numbered: Sequence[tuple[int, Record]]) -> Table:
        table = np.empty(len(numbered), GAME_ROW)
        table["file"] = len(self._files) - 1
        table["number"] = [number for number, _ in numbered]
        for side in ("black", "white"):
            table[side] = [self._name(getattr(record, side)) for _, record in numbered]
        table["year"] = [year_of(record.date) or 0 for _, record in numbered]
        table["score"] = [np.nan if record.score is None else record.score for _, record in numbered]
        return table

    def _name(self, name: str) -> int:
        number = self._names.get(name)
        return self._names.setdefault(name, len(self._names)) if number is None else number

    def _divide(self, table: Table) -> None:
        """Append moves, which are in order, to the temporary files. Each file has a range of keys."""
        table = table[~_repeated(table)]
        self.moves += len(table)
        if not self._parts:
            self._parts = [TemporaryFile(dir=self.folder) for _ in range(PARTS)]  # noqa: SIM115  # closed later
        ends = np.searchsorted(table["key"] >> np.uint64(64 - PART_BITS), np.arange(PARTS + 1))
        for part, first, end in zip(self._parts, ends, ends[1:], strict=False):
            part.write(table[first:end].tobytes())

    def write(self, target: Path) -> None:
        """Write the index to a file."""
        header = IndexHeader(
            game=description_of(self.game).name,
            rules=description_of(self.game).rules_as_json(self.game),
            plies=self.plies,
            games=self.games,
            moves=self.moves,
            files=tuple(self._files),
            names=tuple(map(one_line, self._names)),
        )
        data = encoded(header)
        with replacing(target) as stream:
            stream.write(MAGIC + len(data).to_bytes(8, "little") + data)
            for games in self._tables:
                stream.write(games.tobytes())
            for part in self._parts:
                part.seek(0)
                stream.write(_in_order(np.frombuffer(part.read(), MOVE_ROW)).tobytes())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the temporary files."""
        for part in self._parts:
            part.close()


def _in_order(table: Table) -> Table:
    """Return moves in the order of their keys; moves with the same key stay in their order, which is that of games."""
    return table[np.argsort(table["key"], kind="stable")]


def _repeated(table: Table) -> NDArray[np.bool_]:
    """Return which moves, which are in order, were made when their game had been in the same position before."""
    repeated = np.zeros(len(table), np.bool_)
    repeated[1:] = (table["key"][1:] == table["key"][:-1]) & (table["game"][1:] == table["game"][:-1])
    return repeated


# --- looking up ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A move from a position, with the results of the games in which it was made, for the side to move."""

    codes: tuple[int, ...]
    """Code of the move, and the codes of the moves that are its mirror images in this position."""
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    """Number of lost games. Games without a result are neither won, drawn nor lost."""
    mean_score: float | None = None
    """Mean score of the games with a result; None: there are none."""
    book_value: int | None = None
    """Value of the move in the book; None: it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedGame:
    """A game that reached a position."""

    file: str
    number: int
    """Number of the game in its file, counted from 1."""
    black: str
    white: str
    year: int | None
    score: float | None
    """Black's score; None: unknown."""
    code: int
    """Code of the move that was made in the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """The games of indexes that reached a position, and the moves of these games and of a book."""

    games: int
    moves: tuple[Continuation, ...]
    """The moves that were made or that the book has, the most frequent first."""
    latest: tuple[IndexedGame, ...]
    """The latest of the games, the last one first."""


class GameIndex:
    """An index in a file, which is mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as stream:
                data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            raise OutflankError(
                f"{path}: {reason_of(error) if isinstance(error, OSError) else 'it is empty'}"
            ) from None
        if data[: len(MAGIC)] != MAGIC:
            raise FormatError(f"{path} is not an index of games, as `outflank explore index` writes")
        first = len(MAGIC) + 8
        begin = first + int.from_bytes(data[len(MAGIC) : first], "little")
        try:
            self.header = decoded(IndexHeader, data[first:begin])
        except Misfit as error:
            raise FormatError(f"{path} is damaged: {error}") from None
        size = begin + self.header.games * GAME_ROW.itemsize + self.header.moves * MOVE_ROW.itemsize
        if len(data) != size:
            raise FormatError(f"{path} is damaged: it has {len(data):,} bytes of {size:,}")
        try:
            self.game: Game = game_named(self.header.game).rules_from_json(self.header.rules)
        except OutflankError as error:
            raise FormatError(f"{path}: {error}") from None
        self._games: Table = np.frombuffer(data, GAME_ROW, self.header.games, begin)
        self._moves: Table = np.frombuffer(data, MOVE_ROW, offset=begin + self._games.nbytes)

    def fits(self, game: Game) -> bool:
        """Return whether the games of the index have these rules."""
        return (type(game), game) == (type(self.game), self.game)

    def _moves_at(self, key: int) -> Table:
        """Return the moves that were made in the position with this key."""
        keys: Any = self._moves["key"]
        first = bisect_left(keys, key)
        moves = self._moves[first : bisect_right(keys, key, first)]
        if len(moves) and moves["game"].max() >= len(self._games):
            raise FormatError(f"{self.path} is damaged: it has a move of no game")
        return moves

    def tallies(self, key: int, white: bool) -> dict[int, NDArray[np.float64]]:
        """Return the sums for each move made in a position: games, wins, draws, losses, scores of the side to move."""
        moves = self._moves_at(key)
        scores = self._games["score"][moves["game"]] * np.float32(-1 if white else 1)
        codes = moves["move"].astype(np.intp)
        weights = (np.ones(len(moves)), scores > 0, scores == 0, scores < 0, np.nan_to_num(scores))
        sums = np.array([np.bincount(codes, weight) for weight in weights])
        return {int(code): sums[:, code] for code in np.flatnonzero(sums[0])}

    def latest(self, key: int, most: int) -> list[IndexedGame]:
        """Return the latest games that reached a position, the last one first."""
        moves = self._moves_at(key)
        years = self._games["year"][moves["game"]]
        if len(moves) > most:
            moves = moves[years >= np.partition(years, -most)[-most]]  # far fewer to sort
            years = self._games["year"][moves["game"]]
        order = np.lexsort((moves["game"], years))[::-1][:most]
        return [self._game(int(row["game"]), int(row["move"])) for row in moves[order]]

    def _game(self, number: int, code: int) -> IndexedGame:
        game, header = self._games[number], self.header
        try:
            file, black, white = header.files[game["file"]], header.names[game["black"]], header.names[game["white"]]
        except IndexError:
            raise FormatError(f"{self.path} is damaged: it has a game without a file or players") from None
        return IndexedGame(
            file=file,
            number=int(game["number"]),
            black=black,
            white=white,
            year=int(game["year"]) or None,
            score=None if np.isnan(game["score"]) else float(game["score"]),
            code=code,
        )


def explore(board: Board, indexes: Iterable[GameIndex], book: Book | None = None, *, most: int = 0) -> Exploration:
    """Return the moves of games and of a book in the position of `board`, and the latest `most` games that reached it.

    Indexes of other rules are left out.
    """
    key, moves = _key_and_moves(board)
    fitting = [index for index in indexes if index.fits(board.game)]
    sums = {image: np.zeros(5) for image in moves}
    latest: list[IndexedGame] = []
    for index in fitting:
        for image, tally in index.tallies(key, board.turn is Side.WHITE).items():
            if image in sums:
                sums[image] += tally
        latest += index.latest(key, most) if most else []
    values = {} if book is None else dict(book.look_up(board))
    continuations = [_continuation(tuple(moves[image]), tally, values) for image, tally in sums.items()]
    known = [move for move in continuations if move.games or move.book_value is not None]
    known.sort(key=lambda move: (-move.games, -(move.book_value or 0), move.codes))
    latest.sort(key=lambda game: -(game.year or 0))
    return Exploration(
        games=sum(move.games for move in known),
        moves=tuple(known),
        latest=tuple(replace(game, code=moves[game.code][0]) for game in latest[:most] if game.code in moves),
    )


def _continuation(codes: tuple[int, ...], tally: NDArray[np.float64], values: dict[int, int]) -> Continuation:
    games, wins, draws, losses = map(int, tally[:4])
    results = wins + draws + losses
    return Continuation(
        codes=codes,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        mean_score=float(tally[4]) / results if results else None,
        book_value=next((values[code] for code in codes if code in values), None),
    )
