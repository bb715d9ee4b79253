"""Learning from games: the positions of their openings come into a book, with how often they were played.

A book remembers, in a comment, which files it was learnt from: who learns from the same file again, to go on with what
was interrupted or to search deeper, counts none of its games twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isqrt
from pathlib import Path
from typing import Any, Unpack

from outflank.boards import Board
from outflank.books.book import Book, Key, key_of
from outflank.books.building import BookPlan, Building, Built, Told
from outflank.books.carrying import carry_back, in_order
from outflank.books.kept import kept_book
from outflank.books.leading import Leads, replies_to
from outflank.books.searching import searchers
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.game_files import read_records
from outflank.formats.game_record import Record
from outflank.formats.selection import played
from outflank.search.contract import Stop
from outflank.search.keywords import PlayerKeywords

LEARNT = "# learnt from"


@dataclass(slots=True)
class Openings:
    """What is in files of games."""

    game: Any
    plies: int
    games: int = 0
    """Those that were read."""
    others: int = 0
    """Those of other rules, which were left out."""
    times: dict[str, Counter[Key]] = field(default_factory=dict)
    """How many games came to a position, by what tells each file from others."""
    names: dict[str, str] = field(default_factory=dict)
    """How the files are called."""
    _starts: dict[Any, tuple[Any, Key]] = field(default_factory=dict)
    """Where games begin, by what their records say, and by what a book knows that: nearly always the same."""

    def read(self, path: Path, wrong: Callable[[str], None], progress: Callable[[int], None], stop: Stop) -> None:
        """Take in a file, as far as it can be read; of what cannot, `wrong` is told in a line."""
        check, records = _opened(path)
        times = self.times.setdefault(check, Counter())
        if times:
            return  # the same file under another name
        self.names[check] = " ".join(path.name.split())
        number = 0
        try:
            for number, record in enumerate(records, 1):
                if stop.called:
                    return
                illegal = self._take(record, times)
                if illegal is not None:
                    wrong(f"{path}, game {number:,}: move {illegal} is not legal; those before it are taken")
                if not number % 1000:
                    progress(self.games)
        except FormatError as error:
            wrong(f"{path}: {error}")

    def least(self) -> int:
        """How many games make an opening, unless it is said: one where there are few, more where there are many."""
        return max(1, isqrt(self.games) // 10)

    def common(self, games: int) -> list[Key]:
        """The positions that so many games came to, in order."""
        every: Counter[Key] = Counter()
        for times in self.times.values():
            every.update(times)
        return sorted(key for key, count in every.items() if count >= games)

    def _take(self, record: Record, times: Counter[Key]) -> int | None:
        """Count the positions of a game; the number of its first move that is not legal, if there is one."""
        rules = record.start.game
        if (type(rules), rules) != (type(self.game), self.game):
            self.others += 1
            return None
        self.games += 1
        position, key = self._start(record)
        came, illegal = [key], None
        for number, reply in enumerate(replies_to(rules, position, played(record)[: self.plies], along=True), 1):
            if reply is None:
                illegal = number
                break
            if not reply.sign:
                break
            came.append(reply.key)
        times.update(set(came))
        return illegal

    def _start(self, record: Record) -> tuple[Any, Key]:
        begins = record.start.position
        if begins not in self._starts:
            board = Board.from_setup(record.start)
            while board.must_pass:
                board.push(board.legal_moves[0])
            self._starts[begins] = board.position, key_of(board)
        return self._starts[begins]


def learn(
    openings: Openings,
    path: Path,
    plan: BookPlan,
    *,
    games: int | None = None,
    stop: Stop,
    told: Told | None = None,
    tasks: TaskDispatcher | None = None,
    **options: Unpack[PlayerKeywords],
) -> Built:
    """Search the positions that so many games came to, and keep each in the book's file as soon as it is done."""
    with kept_book(openings.game, path) as kept, searchers(openings.game, options, tasks, stop) as searching:
        building = Building(kept, plan, searching, stop, told)
        keys = openings.common(openings.least() if games is None else games)
        building.search(keys)
        _link(building.leads, keys)
        carry_back(building.leads)
        if not stop.called:
            _count(kept.book, openings, keys)
    return building.result()


def _link(leads: Leads, keys: Sequence[Key]) -> None:
    """Take in the moves that were played from one position to another, if a search did not think of them."""
    entries, learnt = leads.book.entries, set(keys)
    for key in keys:
        if (entry := entries.get(key)) is None:
            continue
        reached = {leads.replies(key)[code].key for code, _ in entry.moves if code in leads.replies(key)}
        more = []
        for code, reply in sorted(leads.every_reply(key).items()):
            if reply.sign and reply.key in learnt and reply.key in entries and reply.key not in reached:
                reached.add(reply.key)  # the image of a move is as good as it
                more.append((code, reply.sign * entries[reply.key].value))
        if more:
            entries[key] = in_order(replace(entry, moves=(*entry.moves, *more)))


def _count(book: Book, openings: Openings, keys: Sequence[Key]) -> None:
    """Say how often positions were played, and in which files."""
    known = {line.rpartition(" ")[2] for line in book.comments if line.startswith(LEARNT)}
    fresh = [times for check, times in openings.times.items() if check not in known]
    every = list(openings.times.values())
    for key in keys:
        if (entry := book.entries.get(key)) is not None:
            more = sum(times[key] for times in (fresh if entry.games else every))
            book.entries[key] = replace(entry, games=entry.games + more)
    book.comments += [
        f"{LEARNT} {name} ({openings.plies} plies) {check}"
        for check, name in openings.names.items()
        if check not in known
    ]


def rules_in(files: Sequence[Path]) -> Any:
    """The rules of the first game that is there; one line if there is none."""
    wrong = ""
    for file in files:
        try:
            for record in _opened(file)[1]:
                return record.start.game
        except FormatError as error:
            wrong = wrong or f"{file}: {error}"
    raise OutflankError(wrong or f"{' '.join(map(str, files))}: no game is there")


def _opened(path: Path) -> tuple[str, Iterator[Record]]:
    """What tells a file from others, and its games; of a match that is kept in a folder, those of the match."""
    try:
        if path.is_dir():
            path = next((each for each in sorted(path.glob("games.*")) if each.suffix != ".jsonl"), path)
        digest = sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    return digest, read_records(path)
