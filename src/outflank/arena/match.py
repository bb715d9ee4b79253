"""Many games: in pairs, several at a time, each kept as soon as it is over."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.arena.game_runners import GamesElsewhere, Lane, Maker
from outflank.arena.kept import Kept
from outflank.arena.openings import Openings
from outflank.arena.referee import FinishedGame, start_of
from outflank.arena.schedule import Fixture, Settings
from outflank.arena.standing import MatchStanding, Scorer
from outflank.arena.store import Directory
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.protocols.client import Interrupted, waits_ended_by
from outflank.search.contract import Stop

MOST_CONCURRENT = 256
MOST_ELSEWHERE = 1024
"""Games at a time in a cluster: each has a thread here that waits for it."""

PROGRESS_SECONDS = 0.2
"""How often a standing is made up for whoever looks on, at most."""

POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """A match that was played, to its end or until it was stopped."""

    standing: MatchStanding
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
    tasks: TaskDispatcher | None = None,
    finished: Callable[[Kept], None] | None = None,
    progress: Callable[[MatchStanding], None] | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play the match, `concurrency` games at a time; with `out`, keep it there, and with `resume` go on with it.

    `finished` is told of every game, `progress` of the standing from time to time; both are called by one thread at a
    time. Players stay from game to game. One that has a `reseed(seed)` is given a seed of its own for each game, so
    that players who draw lots do the same whatever else is played beside them. `origin` says where the results come
    from.

    With `tasks`, whose workers are `GamesHere` of the same settings, a cluster plays the games, as many at a time as
    it has lanes for.
    """
    if not 1 <= concurrency <= MOST_CONCURRENT:
        raise OutflankError(f"{concurrency} games at a time: 1 to {MOST_CONCURRENT}")
    if resume and out is None:
        raise OutflankError("to resume a match, say where it was kept (--out)")
    openings = Openings(settings.openings, settings.start, seed=settings.seed, count=settings.rounds)
    first = Lane(settings, make, plays=tasks is None)
    directory = None
    try:
        with waits_ended_by(stop):
            first.fill()
            first.check(openings.samples(), ours=tasks is None)  # a cluster's machines see for themselves
        if out is not None:
            directory = Directory(
                Path(out),
                settings,
                origin=origin or {},
                resume=resume,
                replace_old=replace,
            )
        run = _Run(settings, openings, directory, finished, progress, stop or Stop())
        run.take_up(directory.kept if directory is not None else ())
        if tasks is None:
            lanes = [first, *(Lane(settings, make) for _ in range(concurrency - 1))]
            run.play(lambda count: lanes[count] if count < len(lanes) else None)
        else:
            first.close()  # it was only to be seen that there can be such players
            far = GamesElsewhere(tasks)
            tasks.start(stop)
            run.play(lambda count: far if count < min(max(1, tasks.lanes), MOST_ELSEWHERE) else None)
        return run.result()
    except Interrupted:  # before the first game
        return _Run(settings, openings, None, None, None, stop or Stop()).result()
    finally:
        first.close()
        if directory is not None:
            directory.close()


class _Run:
    """A match under way. What the threads share is under one lock."""

    def __init__(
        self,
        settings: Settings,
        openings: Openings,
        directory: Directory | None,
        finished: Callable[[Kept], None] | None,
        progress: Callable[[MatchStanding], None] | None,
        asked_to_stop: Stop,
    ) -> None:
        self.settings, self.openings, self.directory = settings, openings, directory
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
            begun = start_of(board)
            same = same and (record.start.position, record.start.turn) == (begun.position, begun.turn)
            if not same or (each.black, each.white) != (fixture.black, fixture.white):
                raise OutflankError(f"game {each.number + 1} has another opening: the openings have changed since")
        for each in sorted(kept, key=lambda each: each.number):
            self.games[each.number] = each
            self.scorer.add(each)
        kept_before = set(self.games)
        self._fixtures = (each for each in self.settings.fixtures() if each.number not in kept_before)

    def play(self, lanes: Callable[[int], Lane | GamesElsewhere | None]) -> None:
        """Play what is left, a thread for each lane: one more whenever `lanes` has one beside those there are."""
        if self.progress is not None:
            self.progress(self.scorer.standing())
        threads: list[threading.Thread] = []
        try:
            while True:
                while (lane := lanes(len(threads))) is not None:
                    threads.append(threading.Thread(target=self._lane, args=(lane,), daemon=True))
                    threads[-1].start()
                busy = next((thread for thread in threads if thread.is_alive()), None)
                if busy is None:
                    break
                busy.join(POLL_SECONDS)
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
            self.directory.describe(standing)
            self.directory.write_records([kept.game.record for _, kept in sorted(self.games.items())])

    # --- one lane ---

    def _lane(self, lane: Lane | GamesElsewhere) -> None:
        try:
            while (fixture := self._next()) is not None:
                game = lane.play(fixture, self.openings[fixture.opening], self.stop)
                if game is None:
                    break
                self._finish(fixture, game)
        except BaseException as error:  # a full disk, a callback that fails: it belongs to the caller
            self.failed.append(error)
            self.stop()
        finally:
            lane.close()

    def _next(self) -> Fixture | None:
        with self._lock:
            if self.stop.called or self.asked_to_stop.called or self.scorer.decided:
                return None
            return next(self._fixtures, None)

    def _finish(self, fixture: Fixture, game: FinishedGame) -> None:
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
