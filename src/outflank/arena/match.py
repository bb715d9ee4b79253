"""Plays the games of a match, several at a time, and stores each as soon as it is over."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outflank.arena.game_runners import ClusterLane, Lane
from outflank.arena.match_documents import Directory
from outflank.arena.match_game import MatchGame
from outflank.arena.openings import Openings
from outflank.arena.referee import FinishedGame, start_of
from outflank.arena.schedule import Fixture, Settings
from outflank.arena.standing import MatchStanding, Scorer
from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.protocols.client import Interrupted, waits_ended_by
from outflank.protocols.player_process import Maker
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject

MOST_CONCURRENT = 256
MOST_ELSEWHERE = 1024
"""Largest number of concurrent games on a cluster. A thread of this process waits for each game."""

PROGRESS_SECONDS = 0.2
"""Shortest time between two calls of `progress`, in seconds."""

POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """Result of a match that was played to its end or until it was stopped."""

    standing: MatchStanding
    games: tuple[MatchGame, ...]
    """The games in the order of the schedule."""
    interrupted: bool

    @property
    def records(self) -> list[Record]:
        """Records of the games, in the order of the schedule."""
        return [match_game.game.record for match_game in self.games]


def play_match(
    settings: Settings,
    make: Maker,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    replace: bool = False,
    origin: JsonObject | None = None,
    concurrency: int = 1,
    tasks: TaskDispatcher | None = None,
    finished: Callable[[MatchGame], None] | None = None,
    progress: Callable[[MatchStanding], None] | None = None,
    stop: Stop | None = None,
) -> MatchResult:
    """Play the match, `concurrency` games at a time; store it in the folder `out`, or `resume` the match there.

    `finished` is called with each game as it finishes, and `progress` with the standing from time to time. Only one
    thread at a time calls them. Players are reused from game to game. A player with a method `reseed(seed)` gets its
    own seed for each game, so that its moves do not depend on which games run concurrently. `origin` is the provenance
    of the results.

    With `tasks`, a cluster plays the games. Each lane of the cluster plays one game at a time. The cluster's workers
    must be `GameWorker` objects with the same settings.
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
            first.check(openings.samples(), ours=tasks is None)  # a cluster's machines check our players themselves
        if out is not None:
            directory = Directory(
                Path(out),
                settings,
                origin=origin or {},
                resume=resume,
                replace_old=replace,
            )
        run = _Run(settings, openings, directory, finished, progress, stop or Stop())
        run.add_stored_games(directory.stored_games if directory is not None else ())
        if tasks is None:
            lanes = [first, *(Lane(settings, make) for _ in range(concurrency - 1))]
            run.play(lambda count: lanes[count] if count < len(lanes) else None)
        else:
            first.close()  # it was only made to check that the players can be created
            cluster_lane = ClusterLane(tasks)
            tasks.start(stop)
            run.play(lambda count: cluster_lane if count < min(max(1, tasks.lanes), MOST_ELSEWHERE) else None)
        return run.result()
    except Interrupted:  # before the first game
        return _Run(settings, openings, None, None, None, Stop()).result()
    finally:
        first.close()
        if directory is not None:
            directory.close()


class _Run:
    """A match in progress. One lock guards the state that the threads share."""

    def __init__(
        self,
        settings: Settings,
        openings: Openings,
        directory: Directory | None,
        finished: Callable[[MatchGame], None] | None,
        progress: Callable[[MatchStanding], None] | None,
        outer_stop: Stop,
    ) -> None:
        self.settings, self.openings, self.directory = settings, openings, directory
        self.finished, self.progress = finished, progress
        self.games: dict[int, MatchGame] = {}
        self.scorer = Scorer(settings)
        self.outer_stop = outer_stop
        self.stop = Stop()
        """Stops the games in progress when it is called."""
        self.failed: list[BaseException] = []
        self._lock = threading.Lock()
        self._fixtures: Iterator[Fixture] = settings.fixtures()
        self._last_progress = 0.0

    def add_stored_games(self, stored_games: Sequence[MatchGame]) -> None:
        """Count the games that the directory holds, after checking that they belong to this match."""
        for game in stored_games:
            fixture = self.settings.fixture(game.number)
            if fixture is None:
                raise OutflankError(f"game {game.number + 1} has been played: more games than are asked for now")
            board, record = self.openings[fixture.opening], game.game.record
            opening = [move.code for move in board.moves]
            same = [move.code for move in record.moves[: len(opening)]] == opening
            start = start_of(board)
            same = same and (record.start.position, record.start.turn) == (start.position, start.turn)
            if not same or (game.black, game.white) != (fixture.black, fixture.white):
                raise OutflankError(f"game {game.number + 1} has another opening: the openings have changed since")
        for game in sorted(stored_games, key=lambda game: game.number):
            self.games[game.number] = game
            self.scorer.add(game)
        stored_numbers = set(self.games)
        self._fixtures = (fixture for fixture in self.settings.fixtures() if fixture.number not in stored_numbers)

    def play(self, lane_at: Callable[[int], Lane | ClusterLane | None]) -> None:
        """Play the remaining games, one thread per lane. A thread is added while `lane_at(number of threads)` is not
        None."""
        if self.progress is not None:
            self.progress(self.scorer.standing())
        threads: list[threading.Thread] = []
        try:
            while True:
                while (lane := lane_at(len(threads))) is not None:
                    threads.append(threading.Thread(target=self._lane, args=(lane,), daemon=True))
                    threads[-1].start()
                busy = next((thread for thread in threads if thread.is_alive()), None)
                if busy is None:
                    break
                busy.join(POLL_SECONDS)
                # The stop is polled: a signal handler could call a listener while this thread holds its lock.
                if self.outer_stop.called and not self.stop.called:
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
        standing = self.scorer.standing()
        games = tuple(match_game for _, match_game in sorted(self.games.items()))
        return MatchResult(standing=standing, games=games, interrupted=not standing.complete)

    def _conclude(self) -> None:
        standing = self.scorer.standing()
        if self.progress is not None and not self.failed:
            self.progress(standing)
        if self.directory is not None:
            self.directory.describe(standing)
            self.directory.write_records([match_game.game.record for _, match_game in sorted(self.games.items())])

    # --- one lane ---

    def _lane(self, lane: Lane | ClusterLane) -> None:
        try:
            while (fixture := self._next()) is not None:
                game = lane.play(fixture, self.openings[fixture.opening], self.stop)
                if game is None:
                    break
                self._finish(fixture, game)
        except BaseException as error:  # a full disk or a failing callback: re-raised for the caller
            self.failed.append(error)
            self.stop()
        finally:
            lane.close()

    def _next(self) -> Fixture | None:
        with self._lock:
            if self.stop.called or self.outer_stop.called or self.scorer.decided:
                return None
            return next(self._fixtures, None)

    def _finish(self, fixture: Fixture, game: FinishedGame) -> None:
        match_game = MatchGame(number=fixture.number, black=fixture.black, white=fixture.white, game=game)
        with self._lock:
            if self.directory is not None:
                self.directory.add(match_game)
            self.games[match_game.number] = match_game
            self.scorer.add(match_game)
            if self.scorer.decided:
                self.stop()
            if self.finished is not None:
                self.finished(match_game)
            if self.progress is not None and time.monotonic() > self._last_progress + PROGRESS_SECONDS:
                self.progress(self.scorer.standing())
                self._last_progress = time.monotonic()
