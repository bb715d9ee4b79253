"""Games on disk: one SQLite file, which one thread alone reads and writes.

Many changes that come at once are written together. Nobody is told of a move before it is on disk.
"""

import os
import queue
import sqlite3
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TypeVar

from outflank.documents import decoded, encoded
from outflank.errors import OutflankError, reason_of
from outflank.formats.locks import held
from outflank.kinds import Misfit
from outflank.ui.web.games.tree import KeptGame, is_untouched
from outflank.ui.web.messages import KeptGame as Listed
from outflank.ui.web.warning_log import WarningLog

VERSION = 1
"""Of the file's layout: another one is refused, and not written over."""

APPLICATION = 0x6F75746C
"""By which the file says that it is ours."""

PRIVATE = 0o600
"""File mode of the database: only its owner reads and writes it."""

MOST_GAMES = 10_000
ON_A_PAGE = 50

T = TypeVar("T")

_LAYOUT = """
create table if not exists games (id text primary key, changed real not null, listed blob not null, kept blob not null);
create index if not exists by_change on games (changed);
"""

_LISTED = "cast(listed as text)"
_EMPTY = f"case when json_valid({_LISTED}) then json_extract({_LISTED}, '$.moves') end = 0"
_OLDEST_EMPTY = f"select id from games where {_EMPTY} order by changed limit 1"


Row = tuple[str, float, bytes, bytes]
"""A game as it is written."""


def row_of(kept: KeptGame, listed: Listed) -> Row:
    """What is written of a game, and of its line in the list."""
    return kept.id, kept.changed, encoded(listed), encoded(kept)


class Store:
    """The games that are kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = WarningLog()
        self._lock, self._closed = threading.Lock(), False
        self._jobs: queue.SimpleQueue[tuple[Callable[[sqlite3.Connection], object], Future[object]] | None] = (
            queue.SimpleQueue()
        )
        ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._work, args=(ready,), name="outflank-games", daemon=True)
        self._thread.start()
        ready.result()

    # --- asked from whatever thread; each answers by a future ---

    def put(self, row: Row) -> Future[None]:
        """Keep a game as it is now; where there are too many, the oldest one without moves makes room."""

        def write(file: sqlite3.Connection) -> None:
            known = file.execute("select 1 from games where id = ?", row[:1]).fetchone()
            full = known is None and file.execute("select count(*) from games").fetchone()[0] >= MOST_GAMES
            if full and not file.execute(f"delete from games where id = ({_OLDEST_EMPTY})").rowcount:
                raise OutflankError(f"{MOST_GAMES:,} games are kept, and no more: delete some")
            file.execute("insert or replace into games values (?, ?, ?, ?)", row)

        return self._ask(write)

    def get(self, id: str) -> Future[KeptGame]:
        """The game called so."""

        def read(file: sqlite3.Connection) -> KeptGame:
            row = file.execute("select kept from games where id = ?", (id,)).fetchone()
            if row is None:
                raise OutflankError("there is no such game; it may have been deleted")
            try:
                return decoded(KeptGame, bytes(row[0]))
            except Misfit as error:
                raise OutflankError(f"this game is damaged on disk: {error}") from None

        return self._ask(read)

    def page(self, before: float | None) -> Future[tuple[tuple[Listed, ...], bool]]:
        """The games changed last before a time, and whether there are more; what is damaged is left out."""

        def read(file: sqlite3.Connection) -> tuple[tuple[Listed, ...], bool]:
            where, values = ("", ()) if before is None else ("where changed < ?", (before,))
            rows = file.execute(
                f"select listed from games {where} order by changed desc limit {ON_A_PAGE + 1}", values
            ).fetchall()
            found = []
            for (listed,) in rows[:ON_A_PAGE]:
                with suppress(Misfit):
                    found.append(decoded(Listed, bytes(listed)))
            return tuple(found), len(rows) > ON_A_PAGE

        return self._ask(read)

    def delete(self, id: str) -> Future[bool]:
        """Forget a game; whether there was one."""
        return self._ask(lambda file: file.execute("delete from games where id = ?", (id,)).rowcount > 0)

    def forget_untouched(self) -> Future[None]:
        """Forget games that were begun and left without a move; what is damaged stays."""

        def forget(file: sqlite3.Connection) -> None:
            for id, kept in file.execute(f"select id, kept from games where {_EMPTY}").fetchall():
                with suppress(Misfit):
                    if is_untouched(decoded(KeptGame, bytes(kept))):
                        file.execute("delete from games where id = ?", (id,))

        return self._ask(forget)

    def last_change(self) -> Future[float]:
        """When a game was last changed; 0: there is none."""
        return self._ask(lambda file: float(file.execute("select max(changed) from games").fetchone()[0] or 0.0))

    def close(self) -> None:
        """Write what there is to write, and let the file go."""
        with self._lock:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    # --- in the thread ---

    def _ask(self, job: Callable[[sqlite3.Connection], T]) -> Future[T]:
        answer: Future[T] = Future()
        with self._lock:
            if self._closed:  # or it would be waited for without an end
                answer.set_exception(OutflankError("the server ends"))
            else:
                self._jobs.put((job, answer))  # type: ignore[arg-type]  # the two fit each other
        return answer

    def _work(self, ready: "Future[None]") -> None:
        try:
            with ExitStack() as opened:
                file = self._opened(opened)
                opened.callback(file.close)
                ready.set_result(None)
                while self._some(file):
                    pass
        except BaseException as error:  # told when the lock is gone: the program may end at once
            if ready.done():
                raise
            ready.set_exception(
                OutflankError(f"{self.path}: {reason_of(error)}") if isinstance(error, OSError) else error
            )

    def _opened(self, opened: ExitStack) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened.enter_context(held(self.path, "another server keeps its games there; --games names another file"))
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        try:
            file = sqlite3.connect(self.path, isolation_level=None, timeout=5.0)
            found = file.execute("pragma application_id").fetchone()[0]
            version = file.execute("pragma user_version").fetchone()[0]
            empty = file.execute("select count(*) from sqlite_master").fetchone()[0] == 0
            if not empty and found != APPLICATION:
                raise OutflankError(f"{self.path} is another program's file: --games names ours, or a new one")
            if not empty and version != VERSION:
                raise OutflankError(f"{self.path} is of layout {version}, and this program's is {VERSION}")
            self._narrow_rights()
            file.execute("pragma journal_mode = wal")
            file.execute("pragma synchronous = full")
            if empty:
                file.execute(f"pragma application_id = {APPLICATION}")
                file.execute(f"pragma user_version = {VERSION}")
            file.executescript(_LAYOUT)
        except sqlite3.Error as error:
            raise OutflankError(f"{self.path} cannot be used for games: {error}") from None
        return file

    def _narrow_rights(self) -> None:
        """Restrict the mode of the database and of SQLite's files beside it to their owner.

        What SQLite makes from here on has the rights of the file itself.
        """
        if sys.platform == "win32":  # where file modes have no effect
            return
        for ending in ("", "-wal", "-shm", "-journal"):
            path = self.path.with_name(self.path.name + ending)
            try:
                if path.stat().st_mode & 0o077:
                    os.chmod(path, PRIVATE)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._log.warn("rights", f"{path} can be read by other users: {reason_of(error)}")

    def _some(self, file: sqlite3.Connection) -> bool:
        """Do what is asked, all of it in one transaction; whether there will be more."""
        jobs = [self._jobs.get()]
        with suppress(queue.Empty):
            while True:
                jobs.append(self._jobs.get_nowait())
        answers: list[Callable[[], None]] = []
        whole = [each for each in jobs if each is not None and each[1].set_running_or_notify_cancel()]
        try:
            file.execute("begin immediate")
            for job, answer in whole:
                try:
                    answers.append(_good(answer, job(file)))
                except sqlite3.Error:
                    raise
                except Exception as error:  # of this job alone
                    answers.append(_bad(answer, error))
            file.execute("commit")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if file.in_transaction:
                    file.execute("rollback")
            failure = OutflankError(f"games cannot be kept in {self.path}: {error}")
            answers = [_bad(answer, failure) for _, answer in whole]
        for tell in answers:
            tell()
        return None not in jobs


def _good(answer: "Future[T]", value: T) -> Callable[[], None]:
    return lambda: answer.set_result(value)


def _bad(answer: "Future[T]", error: Exception) -> Callable[[], None]:
    return lambda: answer.set_exception(error)
