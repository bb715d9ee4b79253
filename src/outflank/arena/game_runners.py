"""Lanes of a match: each plays games one after another, in this process or on a cluster."""

import threading
import warnings
from collections.abc import Iterable

from outflank.arena.match_game import GameLine, MatchGame
from outflank.arena.referee import Ending, FinishedGame, play, start_of
from outflank.arena.schedule import Fixture, Settings
from outflank.arena.seat import GRACE_SECONDS, Seat
from outflank.boards import Board
from outflank.distributed.tasks import Item, TaskDispatcher
from outflank.errors import OutflankError
from outflank.formats.game_record import PlayedMove, Record
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player, PlayerFailed, SimplePlayer, try_out
from outflank.players.specs import is_program
from outflank.protocols.client import Interrupted
from outflank.protocols.player_process import Maker, PlayerProcess
from outflank.search.request import Stop
from outflank.validation.documents import converted, plain

CLOSE_SECONDS = 2 * GRACE_SECONDS
"""Seconds that a closing worker waits for its games. A player that has not returned by then is abandoned."""


class Lane:
    """Plays games in sequence with the same players.

    If one of the players is an external program, our own players run in child processes, too.
    """

    def __init__(self, settings: Settings, make: Maker, *, plays: bool = True) -> None:
        """If `plays` is false, the lane plays no games and only checks that its players can be created."""
        self._settings, self._make = settings, make
        self._seats: dict[int, Seat] = {}
        self._in_processes = plays and any(is_program(text) for text in settings.players)

    def fill(self) -> None:
        """Create all players, so that an error in creating one is reported before the first game."""
        for number, text in enumerate(self._settings.players):
            try:
                self._seats[number] = Seat(self._player(text))
            except Exception as error:
                self.close()
                if isinstance(error, OutflankError | Interrupted):
                    raise
                raise OutflankError(f"{text}: {error}") from error

    def check(self, boards: Iterable[Board], *, ours: bool = True, programs: bool = True) -> None:
        """Check that players can play from these boards: our own players if `ours`, external programs if `programs`."""
        for board in boards:
            for number, text in enumerate(self._settings.players):
                if programs if is_program(text) else ours:
                    try_out(self._seats[number].player, board, text)

    def play(self, fixture: Fixture, board: Board, stop: Stop) -> FinishedGame | None:
        """Play the scheduled game from its opening, `board`; return None if `stop` was called before its end."""
        settings = self._settings
        for number in (fixture.black, fixture.white):
            self._seat(number, fixture)
        return play(
            self._seats[fixture.black],
            self._seats[fixture.white],
            board,
            control=settings.clock,
            ply_limit=settings.ply_limit,
            ponder=settings.ponder,
            lag_seconds=settings.lag_seconds,
            stop=stop,
            names=(settings.names[fixture.black], settings.names[fixture.white]),
        )

    def close(self) -> None:
        """Close all players of the lane."""
        for seat in self._seats.values():
            seat.close()
        self._seats.clear()

    def _player(self, text: str) -> Player:
        """Return a new player for the specification `text`, in a child process if the lane uses them."""
        game = self._settings.start.game
        if is_program(text) or not self._in_processes:
            return self._make(text, game)
        try:
            return PlayerProcess(self._make, text, game)
        except OutflankError as error:
            player = self._make(text, game)  # raises an error if the specification itself is wrong
            warnings.warn(
                f"{text} plays in this process, and not in one of its own as the programs that it meets: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
            return player

    def _seat(self, number: int, fixture: Fixture) -> None:
        """Prepare a player for a game: replace it if it cannot go on, and set its random seed for the game."""
        seats = self._seats
        if number in seats and seats[number].lost:
            seats.pop(number).close()
        if number not in seats:
            text = self._settings.players[number]
            try:
                player = self._player(text)
            except Exception as error:  # a program may have disappeared: it loses the game, and the match goes on
                player = _Absent(text, error)
            seats[number] = Seat(player)
        reseed = getattr(seats[number].player, "reseed", None)
        if reseed is not None:
            seed = self._settings.seed_of(fixture, number)
            seats[number].ask(lambda _: reseed(seed))


class _Absent(SimplePlayer):
    """Stands in for a player that could not be created, and forfeits the game."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self._error = error

    def new_game(self, board: Board) -> None:
        raise PlayerFailed(f"cannot start: {self._error}")

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        raise PlayerFailed(f"cannot start: {self._error}")


class ClusterLane:
    """Lets a cluster play games of a match."""

    def __init__(self, tasks: TaskDispatcher) -> None:
        self._tasks = tasks

    def play(self, fixture: Fixture, board: Board, stop: Stop) -> FinishedGame | None:
        """Let a node play the scheduled game. The opening is sent along, since a node may lack the file of openings."""
        opening = Record(start=start_of(board), moves=tuple(PlayedMove(code=move.code) for move in board.moves))
        unplayed = FinishedGame(record=opening, ending=Ending(points=0.5, score=0))
        answer = self._tasks.do(_game_item(fixture, unplayed), stop=stop)
        return None if answer is None else MatchGame.of(converted(GameLine, answer), board.game).game

    def close(self) -> None:
        """Do nothing, since the nodes of the cluster own the players."""


class GameWorker:
    """Task worker that plays games of a match on a node of a cluster, with players of its own."""

    def __init__(self, settings: Settings, make: Maker) -> None:
        self._settings, self._make = settings, make
        self._changed = threading.Condition()
        self._closed, self._busy = False, 0
        first = Lane(settings, make)
        first.fill()
        try:
            first.check([settings.start], programs=False)  # this machine may lack a GPU that others have
        except BaseException:
            first.close()
            raise
        self._free = [first]

    def do(self, item: Item, stop: Stop) -> Item | None:
        """Play the game that `item` describes, in a free or a new lane; None if `stop` was called before its end."""
        unplayed = MatchGame.of(converted(GameLine, item), self._settings.start.game)
        fixture = self._settings.fixture(unplayed.number)
        if fixture is None:
            raise OutflankError(f"there is no game {unplayed.number + 1} in this match")
        board = Board.from_setup(unplayed.game.record.setup)
        with self._changed:
            lane = self._free.pop() if self._free else Lane(self._settings, self._make)
            self._busy += 1
        try:
            game = lane.play(fixture, board, stop)
        finally:
            if self._closed:
                lane.close()
            with self._changed:
                self._free.append(lane)
                self._busy -= 1
                self._changed.notify_all()
        return None if game is None else _game_item(fixture, game)

    def close(self) -> None:
        """Close all players, since an external program would outlive this process."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: not self._busy, CLOSE_SECONDS)
            free, self._free = self._free, []
        for lane in free:
            lane.close()


def _game_item(fixture: Fixture, game: FinishedGame) -> Item:
    match_game = MatchGame(number=fixture.number, black=fixture.black, white=fixture.white, game=game)
    item: Item = plain(match_game.line)
    return item
