"""Learns a book from recorded games: searches opening positions, and counts the games that reached each position.

The book's comments list the files that it was learnt from. Learning from the same file again, after an interruption or
to search deeper, does not count its games twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isqrt
from pathlib import Path
from typing import Unpack

from outflank.boards import Board
from outflank.books.book import Book, Key, key_of, open_book_file
from outflank.books.building import BookPlan, Building, BuildResult, Progress, searchers
from outflank.books.move_graph import MoveGraph, in_order, propagate_values, replies_to
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.game_files import read_records
from outflank.formats.game_record import Record
from outflank.formats.selection import move_codes
from outflank.games.rules import Game, Position
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import Stop

LEARNT = "# learnt from"


@dataclass(slots=True)
class Openings:
    """The opening positions in files of games, with the number of games that reached each position."""

    game: Game
    plies: int
    games: int = 0
    """Number of games read so far."""
    others: int = 0
    """Number of games that were skipped because they were played under other rules."""
    times: dict[str, Counter[Key]] = field(default_factory=dict)
    """Number of games that reached each position, by the digest of the file that the games are from."""
    names: dict[str, str] = field(default_factory=dict)
    """Name of each file that has been read, by its digest."""
    _starts: dict[Position, tuple[Position, Key]] = field(default_factory=dict)
    """Cache by starting position: the position after forced passes, and its key. Most games share one start."""

    def read(self, path: Path, wrong: Callable[[str], None], progress: Callable[[int], None], stop: Stop) -> None:
        """Count the opening positions in a file, up to its first unreadable game; `wrong` receives error messages."""
        check, records = digest_and_games(path)
        times = self.times.setdefault(check, Counter())
        if times:
            return  # this file was read before, under another name
        self.names[check] = " ".join(path.name.split())
        number = 0
        try:
            for number, record in enumerate(records, 1):
                if stop.called:
                    return
                illegal = self._count_positions(record, times)
                if illegal is not None:
                    wrong(f"{path}, game {number:,}: move {illegal} is not legal; those before it are taken")
                if not number % 1000:
                    progress(self.games)
        except FormatError as error:
            wrong(f"{path}: {error}")

    def least(self) -> int:
        """Return the default argument of `common`: 1/10 of the square root of the number of games, at least 1."""
        return max(1, isqrt(self.games) // 10)

    def common(self, games: int) -> list[Key]:
        """Return the sorted keys of the positions that at least `games` games reached."""
        total: Counter[Key] = Counter()
        for times in self.times.values():
            total.update(times)
        return sorted(key for key, count in total.items() if count >= games)

    def _count_positions(self, record: Record, times: Counter[Key]) -> int | None:
        """Count the opening positions of a game; return the number of its first illegal move, or None."""
        rules = record.start.game
        if (type(rules), rules) != (type(self.game), self.game):
            self.others += 1
            return None
        self.games += 1
        position, key = self._start(record)
        keys, illegal = [key], None
        for number, reply in enumerate(replies_to(rules, position, move_codes(record)[: self.plies], along=True), 1):
            if reply is None:
                illegal = number
                break
            if not reply.sign:
                break
            keys.append(reply.key)
        times.update(set(keys))
        return illegal

    def _start(self, record: Record) -> tuple[Position, Key]:
        start = record.start.position
        if start not in self._starts:
            board = Board.from_setup(record.start)
            while board.must_pass:
                board.push(board.legal_moves[0])
            self._starts[start] = board.position, key_of(board)
        return self._starts[start]


def learn(
    openings: Openings,
    path: Path,
    plan: BookPlan,
    *,
    games: int | None = None,
    stop: Stop,
    progress: Progress | None = None,
    tasks: TaskDispatcher | None = None,
    **options: Unpack[PlayerKeywords],
) -> BuildResult:
    """Search the positions that at least `games` games reached, and write each to the file `path` when it is done."""
    with open_book_file(openings.game, path) as file, searchers(openings.game, options, tasks, stop) as searching:
        building = Building(file, plan, searching, stop, progress)
        keys = openings.common(openings.least() if games is None else games)
        building.search(keys)
        _link(building.graph, keys)
        propagate_values(building.graph)
        if not stop.called:
            _count(file.book, openings, keys)
    return building.result()


def _link(graph: MoveGraph, keys: Sequence[Key]) -> None:
    """Add the moves from one position of `keys` to another that the searches have left out."""
    entries, learnt = graph.book.entries, set(keys)
    for key in keys:
        if (entry := entries.get(key)) is None:
            continue
        reached = {graph.replies(key)[code].key for code, _ in entry.moves if code in graph.replies(key)}
        more = []
        for code, reply in sorted(graph.every_reply(key).items()):
            if reply.sign and reply.key in learnt and reply.key in entries and reply.key not in reached:
                reached.add(reply.key)  # a symmetric move, which has the same value, is skipped
                more.append((code, reply.sign * entries[reply.key].value))
        if more:
            entries[key] = in_order(replace(entry, moves=(*entry.moves, *more)))


def _count(book: Book, openings: Openings, keys: Sequence[Key]) -> None:
    """Add the numbers of games to the entries of `keys`, and the names of the files to the book's comments."""
    known = {line.rpartition(" ")[2] for line in book.comments if line.startswith(LEARNT)}
    new_times = [times for check, times in openings.times.items() if check not in known]
    all_times = list(openings.times.values())
    for key in keys:
        if (entry := book.entries.get(key)) is not None:
            more = sum(times[key] for times in (new_times if entry.games else all_times))
            book.entries[key] = replace(entry, games=entry.games + more)
    book.comments += [
        f"{LEARNT} {name} ({openings.plies} plies) {check}"
        for check, name in openings.names.items()
        if check not in known
    ]


def rules_in(files: Sequence[Path]) -> Game:
    """Return the rules of the first game in the files; raise an error if they contain no game."""
    wrong = ""
    for file in files:
        try:
            for record in digest_and_games(file)[1]:
                return record.start.game
        except FormatError as error:
            wrong = wrong or f"{file}: {error}"
    raise OutflankError(wrong or f"{' '.join(map(str, files))}: no game is there")


def digest_and_games(path: Path) -> tuple[str, Iterator[Record]]:
    """Return the digest and the games of a file. If `path` is the folder of a match, use the file of games in it."""
    try:
        if path.is_dir():
            path = next((file for file in sorted(path.glob("games.*")) if file.suffix != ".jsonl"), path)
        digest = sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    return digest, read_records(path)
