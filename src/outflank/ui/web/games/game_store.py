"""Saved games in one SQLite file, which a single thread reads and writes.

Changes that arrive at the same time are written in one transaction. A move is reported only when it is on disk.
"""

import math
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

from outflank.errors import OutflankError, reason_of
from outflank.formats.files import file_lock
from outflank.ui.web.games.move_tree import SavedGame
from outflank.ui.web.requests import Games
from outflank.ui.web.server_messages import ListedGame
from outflank.ui.web.warning_log import WarningLog
from outflank.validation.documents import decoded, encoded
from outflank.validation.values import Misfit

VERSION = 1
"""Version of the database schema. A file with another version is refused, and not overwritten."""

APPLICATION = 0x6F75746C
"""SQLite application id that marks our files."""

PRIVATE = 0o600
"""File mode of the database. Only its owner can read and write it."""

MOST_GAMES = 10_000
ON_A_PAGE = 50

T = TypeVar("T")

_SCHEMA = """
create table if not exists games (id text primary key, changed real not null, listed blob not null, kept blob not null);
create index if not exists by_change on games (changed);
"""

_LISTED = "cast(listed as text)"
_HAS_NO_MOVES = f"case when json_valid({_LISTED}) then json_extract({_LISTED}, '$.moves') end = 0"
_IS_DISPOSABLE = f"case when json_valid({_LISTED}) then json_extract({_LISTED}, '$.disposable') end = 1"
_OLDEST_WITHOUT_MOVES = f"select id from games where {_HAS_NO_MOVES} order by changed limit 1"


Row = tuple[str, float, bytes, bytes]
"""Row of a game in the database: id, time of the last change, entry in the list of games, and the whole game."""


def row_of(saved: SavedGame, listed: ListedGame) -> Row:
    """Return the database row of a game."""
    return saved.id, saved.changed, encoded(listed), encoded(saved)


class Store:
    """The saved games in an SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log = WarningLog()
        self._lock, self._closed = threading.Lock(), False
        self._jobs: queue.SimpleQueue[tuple[Callable[[sqlite3.Connection], object], Future[object]] | None] = (
            queue.SimpleQueue()
        )
        ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="outflank-games", daemon=True)
        self._thread.start()
        ready.result()

    # --- called from any thread; all but `close` return a future ---

    def put(self, row: Row) -> Future[None]:
        """Save a game. If there are `MOST_GAMES` already, delete the oldest one without moves, or raise an error."""

        def write(file: sqlite3.Connection) -> None:
            exists = file.execute("select 1 from games where id = ?", row[:1]).fetchone()
            full = exists is None and file.execute("select count(*) from games").fetchone()[0] >= MOST_GAMES
            if full and not file.execute(f"delete from games where id = ({_OLDEST_WITHOUT_MOVES})").rowcount:
                raise OutflankError(f"{MOST_GAMES:,} games are kept, and no more: delete some")
            file.execute("insert or replace into games values (?, ?, ?, ?)", row)

        return self._submit(write)

    def get(self, id: str) -> Future[SavedGame]:
        """Return the game with this id."""

        def read(file: sqlite3.Connection) -> SavedGame:
            row = file.execute("select kept from games where id = ?", (id,)).fetchone()
            if row is None:
                raise OutflankError("there is no such game; it may have been deleted")
            try:
                return decoded(SavedGame, bytes(row[0]))
            except Misfit as error:
                raise OutflankError(f"this game is damaged on disk: {error}") from None

        return self._submit(read)

    def page(self, request: Games) -> Future[tuple[tuple[ListedGame, ...], bool]]:
        """Return a page of the games that a request asks for, last changed first, and whether more exist.

        Disposable games, which somebody is viewing, are left out. To search ten thousand games takes 0.2 s.
        """
        words = request.find.casefold().split()

        def matches(game: ListedGame) -> bool:
            if game.disposable or request.game not in (None, game.game) or request.result not in ("", game.result):
                return False
            seats = (game.seats.black, game.seats.white)
            texts = (game.name, *game.names, *seats, game.event, game.date, game.title, game.opening)
            text = "\n".join(texts).casefold()
            return all(word in text for word in words)

        def read(file: sqlite3.Connection) -> tuple[tuple[ListedGame, ...], bool]:
            games: list[ListedGame] = []
            before = math.inf if request.before is None else request.before
            for (listed,) in file.execute(
                "select listed from games where changed < ? order by changed desc", (before,)
            ):
                with suppress(Misfit):  # damaged games are left out
                    game = decoded(ListedGame, bytes(listed))
                    if matches(game):
                        games.append(game)
                if len(games) > ON_A_PAGE:
                    break
            return tuple(games[:ON_A_PAGE]), len(games) > ON_A_PAGE

        return self._submit(read)

    def delete(self, id: str) -> Future[bool]:
        """Delete a game, and return whether it existed."""
        return self._submit(lambda file: file.execute("delete from games where id = ?", (id,)).rowcount > 0)

    def forget_disposable(self) -> Future[None]:
        """Delete games in which nothing was ever changed. Damaged games stay."""

        def delete(file: sqlite3.Connection) -> None:
            file.execute(f"delete from games where {_IS_DISPOSABLE}")

        return self._submit(delete)

    def last_change(self) -> Future[float]:
        """Return the time of the last change of any game, or 0 if there are no games."""
        return self._submit(lambda file: float(file.execute("select max(changed) from games").fetchone()[0] or 0.0))

    def close(self) -> None:
        """Complete all requested reads and writes, and close the database."""
        with self._lock:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _submit(self, job: Callable[[sqlite3.Connection], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if self._closed:  # the future would never have a result
                future.set_exception(OutflankError("the server ends"))
            else:
                self._jobs.put((job, future))  # type: ignore[arg-type]  # job and future have the same type
        return future

    # --- in the thread of the store ---

    def _run(self, ready: "Future[None]") -> None:
        try:
            with ExitStack() as resources:
                file = self._open(resources)
                resources.callback(file.close)
                ready.set_result(None)
                while self._run_jobs(file):
                    pass
        except BaseException as error:
            # The `with` statement has already released the file lock. The lock must not be released later, because the
            # program may end as soon as `ready` fails.
            if ready.done():
                raise
            ready.set_exception(
                OutflankError(f"{self.path}: {reason_of(error)}") if isinstance(error, OSError) else error
            )

    def _open(self, resources: ExitStack) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        resources.enter_context(
            file_lock(self.path, "another server keeps its games there; --games names another file")
        )
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
        try:
            file = sqlite3.connect(self.path, isolation_level=None, timeout=5.0)
            application_id = file.execute("pragma application_id").fetchone()[0]
            version = file.execute("pragma user_version").fetchone()[0]
            empty = file.execute("select count(*) from sqlite_master").fetchone()[0] == 0
            if not empty and application_id != APPLICATION:
                raise OutflankError(f"{self.path} is another program's file: --games names ours, or a new one")
            if not empty and version != VERSION:
                raise OutflankError(f"{self.path} is of layout {version}, and this program's is {VERSION}")
            self._restrict_mode()
            file.execute("pragma journal_mode = wal")
            file.execute("pragma synchronous = full")
            if empty:
                file.execute(f"pragma application_id = {APPLICATION}")
                file.execute(f"pragma user_version = {VERSION}")
            file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise OutflankError(f"{self.path} cannot be used for games: {error}") from None
        return file

    def _restrict_mode(self) -> None:
        """Let only the owner read and write the database and the files that SQLite keeps beside it.

        Files that SQLite creates later get the mode of the database.
        """
        if sys.platform == "win32":  # file modes have no effect on Windows
            return
        for suffix in ("", "-wal", "-shm", "-journal"):
            path = self.path.with_name(self.path.name + suffix)
            try:
                if path.stat().st_mode & 0o077:
                    os.chmod(path, PRIVATE)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._log.warn("rights", f"{path} can be read by other users: {reason_of(error)}")

    def _run_jobs(self, file: sqlite3.Connection) -> bool:
        """Run all waiting jobs in one transaction, and return whether more jobs may follow."""
        jobs = [self._jobs.get()]
        with suppress(queue.Empty):
            while True:
                jobs.append(self._jobs.get_nowait())
        completions: list[Callable[[], None]] = []
        accepted = [entry for entry in jobs if entry is not None and entry[1].set_running_or_notify_cancel()]
        try:
            file.execute("begin immediate")
            for job, future in accepted:
                try:
                    completions.append(_completion(future, job(file)))
                except sqlite3.Error:
                    raise
                except Exception as error:  # an error concerns only this job
                    completions.append(_failure(future, error))
            file.execute("commit")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                if file.in_transaction:
                    file.execute("rollback")
            failure = OutflankError(f"games cannot be kept in {self.path}: {error}")
            completions = [_failure(future, failure) for _, future in accepted]
        for complete in completions:
            complete()
        return None not in jobs


def _completion(future: "Future[T]", value: T) -> Callable[[], None]:
    return lambda: future.set_result(value)


def _failure(future: "Future[T]", error: Exception) -> Callable[[], None]:
    return lambda: future.set_exception(error)
