"""Many games: in pairs, several at a time, each kept as soon as it is over."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.arena.openings import Openings
from outflank.arena.referee import Game, play
from outflank.arena.schedule import Fixture, Settings
from outflank.arena.seat import Seat
from outflank.arena.standing import Scorer, Standing
from outflank.arena.store import Directory, Kept
from outflank.boards import Board
from outflank.engine.clock import Clock
from outflank.engine.player import Choice, Player, PlayerFailed, SimplePlayer
from outflank.errors import OutflankError
from outflank.formats.record import Record
from outflank.search.contract import Stop

Maker = Callable[[str, Any], Player]
"""Makes a player from its words for a game's rules. Each concurrent game has players of its own."""

MOST_CONCURRENT = 256

PROGRESS_SECONDS = 0.2
"""How often a standing is made up for whoever looks on, at most."""

POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """A match that was played, to its end or until it was stopped."""

    standing: Standing
    games: tuple[Kept, ...]
    """In the order of the schedule."""
    interrupted: bool

    @property
    def records(self) -> list[Record]:
        """The games as records."""
        return [kept.game.record for kept in self.games]


def play_match(
    settings: Settings,
    make: Maker,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    replace: bool = False,
    origin: dict[str, Any] | None = None,
    concurrency: int = 1,
    finished: Callable[[Kept], None] | None = None,
    progress: Callable[[Standing], None] | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play the match, `concurrency` games at a time; with `out`, keep it there, and with `resume` go on with it.

    `finished` is told of every game, `progress` of the standing from time to time; both are called by one thread at a
    time. Players stay from game to game. One that has a `reseed(seed)` is given a seed of its own for each game, so
    that players who draw lots do the same whatever else is played beside them. `origin` says where the results come
    from.
    """
    if not 1 <= concurrency <= MOST_CONCURRENT:
        raise OutflankError(f"{concurrency} games at a time: 1 to {MOST_CONCURRENT}")
    if resume and out is None:
        raise OutflankError("to resume a match, say where it was kept (--out)")
    openings = Openings(settings.openings, settings.start, seed=settings.seed, count=settings.rounds)
    first = _players(settings, make)
    directory = None
    try:
        if out is not None:
            directory = Directory(
                Path(out),
                settings.as_dict(),
                settings.start.game,
                origin=origin or {},
                resume=resume,
                replace_old=replace,
            )
        run = _Run(settings, make, openings, directory, finished, progress, stop or Stop())
        run.take_up(directory.kept if directory is not None else ())
        run.play([first, *({} for _ in range(concurrency - 1))])
        return run.result()
    finally:
        for seat in first.values():
            seat.close()
        if directory is not None:
            directory.close()


def _players(settings: Settings, make: Maker) -> dict[int, Seat]:
    """One of each: that a player cannot be made should be known before the first game."""
    seats: dict[int, Seat] = {}
    try:
        for number, text in enumerate(settings.players):
            seats[number] = Seat(make(text, settings.start.game))
    except Exception as error:
        for seat in seats.values():
            seat.close()
        if isinstance(error, OutflankError):
            raise
        raise OutflankError(f"{settings.players[len(seats)]}: {error}") from error
    return seats


class _Absent(SimplePlayer):
    """In the place of a player that could not be made."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self._error = error

    def new_game(self, board: Board[Any]) -> None:
        raise PlayerFailed(f"cannot start: {self._error}")

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        raise PlayerFailed(f"cannot start: {self._error}")


class _Run:
    """A match under way. What the threads share is under one lock."""

    def __init__(
        self,
        settings: Settings,
        make: Maker,
        openings: Openings,
        directory: Directory | None,
        finished: Callable[[Kept], None] | None,
        progress: Callable[[Standing], None] | None,
        asked_to_stop: Stop,
    ) -> None:
        self.settings, self.make, self.openings, self.directory = settings, make, openings, directory
        self.finished, self.progress = finished, progress
        self.games: dict[int, Kept] = {}
        self.scorer = Scorer(settings)
        self.asked_to_stop = asked_to_stop
        self.stop = Stop()
        """Ends the games under way."""
        self.failed: list[BaseException] = []
        self._lock = threading.Lock()
        self._fixtures: Iterator[Fixture] = settings.fixtures()
        self._shown = 0.0

    def take_up(self, kept: Sequence[Kept]) -> None:
        """Count what was played before, once it has proved to belong to this match."""
        for each in kept:
            fixture = self.settings.fixture(each.number)
            if fixture is None:
                raise OutflankError(f"game {each.number + 1} has been played: more games than are asked for now")
            board, record = self.openings[fixture.opening], each.game.record
            opening = [move.code for move in board.moves]
            same = [move.code for move in record.moves[: len(opening)]] == opening
            if not same or (each.black, each.white) != (fixture.black, fixture.white):
                raise OutflankError(f"game {each.number + 1} has another opening: the openings have changed since")
        for each in sorted(kept, key=lambda each: each.number):
            self.games[each.number] = each
            self.scorer.add(each)
        kept_before = set(self.games)
        self._fixtures = (each for each in self.settings.fixtures() if each.number not in kept_before)

    def play(self, lanes: Sequence[dict[int, Seat]]) -> None:
        """Play what is left, a thread for each lane of players."""
        if self.progress is not None:
            self.progress(self.scorer.standing())
        threads = [threading.Thread(target=self._lane, args=(seats,), daemon=True) for seats in lanes]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(POLL_SECONDS)
                    # Looked at, not listened to: a signal's handler would call it while this thread holds its lock.
                    if self.asked_to_stop.called and not self.stop.called:
                        self.stop()
        finally:
            self.stop()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
            self._conclude()
        if self.failed:
            raise self.failed[0]

    def result(self) -> MatchResult:
        """What has come out."""
        standing = self.scorer.standing()
        games = tuple(kept for _, kept in sorted(self.games.items()))
        return MatchResult(standing=standing, games=games, interrupted=not standing.complete)

    def _conclude(self) -> None:
        standing = self.scorer.standing()
        if self.progress is not None and not self.failed:
            self.progress(standing)
        if self.directory is not None:
            self.directory.describe(complete=standing.complete, standing=standing.as_dict())
            self.directory.write_records([kept.game.record for _, kept in sorted(self.games.items())])

    # --- one lane ---

    def _lane(self, seats: dict[int, Seat]) -> None:
        try:
            while (fixture := self._next()) is not None:
                for number in (fixture.black, fixture.white):
                    self._seat(seats, number, fixture)
                game = self._game(fixture, seats)
                if game is None:
                    break
                self._finish(fixture, game)
        except BaseException as error:  # a full disk, a callback that fails: it belongs to the caller
            self.failed.append(error)
            self.stop()
        finally:
            for seat in seats.values():
                seat.close()
            seats.clear()

    def _next(self) -> Fixture | None:
        with self._lock:
            if self.stop.called or self.asked_to_stop.called or self.scorer.decided:
                return None
            return next(self._fixtures, None)

    def _seat(self, seats: dict[int, Seat], number: int, fixture: Fixture) -> None:
        """See that a player sits in its place: the one of the last game, or another if that cannot go on."""
        if number in seats and seats[number].lost:
            seats.pop(number).close()
        if number not in seats:
            text = self.settings.players[number]
            try:
                player = self.make(text, self.settings.start.game)
            except Exception as error:  # an engine that was there before may be gone: its game is lost, not the match
                player = _Absent(text, error)
            seats[number] = Seat(player)
        reseed = getattr(seats[number].player, "reseed", None)
        if reseed is not None:
            seed = self.settings.seed_of(fixture, number)
            seats[number].ask(lambda _: reseed(seed))

    def _game(self, fixture: Fixture, seats: dict[int, Seat]) -> Game | None:
        settings = self.settings
        return play(
            seats[fixture.black],
            seats[fixture.white],
            self.openings[fixture.opening],
            control=settings.clock,
            ply_limit=settings.ply_limit,
            ponder=settings.ponder,
            lag_seconds=settings.lag_seconds,
            stop=self.stop,
            names=(settings.names[fixture.black], settings.names[fixture.white]),
        )

    def _finish(self, fixture: Fixture, game: Game) -> None:
        kept = Kept(number=fixture.number, black=fixture.black, white=fixture.white, game=game)
        with self._lock:
            if self.directory is not None:
                self.directory.add(kept)
            self.games[kept.number] = kept
            self.scorer.add(kept)
            if self.scorer.decided:
                self.stop()
            if self.finished is not None:
                self.finished(kept)
            if self.progress is not None and time.monotonic() > self._shown + PROGRESS_SECONDS:
                self.progress(self.scorer.standing())
                self._shown = time.monotonic()
