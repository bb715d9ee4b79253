"""Plays one game between two players, with clocks, rules and forfeits."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from outflank.arena import seat as seats
from outflank.arena.seat import Answer, Seat
from outflank.boards import Board, Move
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.games.description import description_of
from outflank.games.sides import Side
from outflank.players.clock import Clocks, TimeControl
from outflank.players.collecting import collect_new, collecting_between_moves
from outflank.players.player import Choice, Player
from outflank.players.processor_use import ProcessorUse
from outflank.search.request import Stop

TIME, ILLEGAL, CRASHED, PLY_LIMIT = "time", "illegal move", "crashed", "ply limit"

START_SECONDS = 600.0
"""Time, in seconds, that a player may take to get ready for a game, which may include compilation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a game: points, margin and reason."""

    points: float
    """Black's points: 1, ½ or 0."""
    score: float
    """Black's margin in the game's unit, which may differ from 0 in a draw. After a forfeit it is the score for
    forfeits."""
    reason: str = ""
    """Why the game ended: empty if it ended by the rules, else `time`, `illegal move`, `crashed` or `ply limit`."""
    detail: str = ""
    """Explanation of `reason` in a few words."""
    forfeited_by: Side | None = None
    """Side that lost by forfeit; None if there was no forfeit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedGame:
    """A game that was played to its end, with its record and its result."""

    record: Record
    ending: Ending
    processor: Mapping[Side, ProcessorUse] = field(default_factory=dict)
    """Processor time that each side used while it was to move. A side without a measurable process of its own is
    missing."""


class _Forfeit(Exception):
    def __init__(self, side: Side, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.side, self.reason, self.detail = side, reason, detail


class _Interrupted(Exception):
    pass


def play(
    black: Player | Seat,
    white: Player | Seat,
    board: Board,
    *,
    control: TimeControl | Mapping[Side, TimeControl] | None = None,
    ply_limit: int | None = None,
    ponder: bool = False,
    lag_seconds: float = 0.0,
    stop: Stop | None = None,
    event: str = "",
    names: tuple[str, str] | None = None,
) -> FinishedGame | None:
    """Play a game from `board`, whose moves so far are the opening; return None if `stop` was called before the end.

    A player that runs out of time, makes an illegal move or fails loses. A forced pass is played for the player. After
    `ply_limit` moves, not counting the opening's, the game is drawn. With `ponder`, players think on the opponent's
    time. The first `lag_seconds` of each move are not charged.
    """
    players = {Side.BLACK: black, Side.WHITE: white}
    own = {side: Seat(player) for side, player in players.items() if not isinstance(player, Seat)}
    seated = {side: player if isinstance(player, Seat) else own[side] for side, player in players.items()}
    controls = control if isinstance(control, Mapping) else dict.fromkeys(Side, control or TimeControl())
    table = _Table(seated, board, Clocks(dict(controls)), stop or Stop(), lag_seconds)
    try:
        ending = table.play(ply_limit, ponder)
    except _Interrupted:
        return None
    finally:
        table.end_pondering()
        for seat in own.values():
            seat.leave()
    player_names = names or (seated[Side.BLACK].player.name, seated[Side.WHITE].player.name)
    record = Record(
        start=start_of(board),
        moves=(*(PlayedMove(code=move.code) for move in board.moves), *table.played),
        black=player_names[0],
        white=player_names[1],
        event=event,
        date=date.today().isoformat(),
        score=0 if ending.points == 0.5 else ending.score,  # programs that read records take the winner from the sign
        reason=ending.reason,
        clock="" if controls[Side.BLACK] == TimeControl() else str(controls[Side.BLACK]),
    )
    return FinishedGame(record=record, ending=ending, processor=table.used)


def start_of(board: Board) -> Setup:
    """Return the position at which the game on a board started."""
    first = board.copy()
    while first.moves:
        first.pop()
    return replace(first.setup(), format="match")


class _Table:
    """A game in progress."""

    def __init__(self, seated: dict[Side, Seat], board: Board, clocks: Clocks, stop: Stop, lag_seconds: float) -> None:
        self.seats, self.board, self.clocks, self.stop = seated, board.copy(), clocks, stop
        self.lag_seconds = lag_seconds
        self.played: list[PlayedMove] = []
        self.used: dict[Side, ProcessorUse] = {}
        self.pondering: dict[Side, tuple[Answer[None], Stop]] = {}

    def play(self, ply_limit: int | None, ponder: bool) -> Ending:
        try:
            for side in Side:
                self._get_ready(side)
            with collecting_between_moves() if self.clocks.are_limited else nullcontext():
                return self._play_moves(ply_limit, ponder)
        except _Forfeit as forfeit:
            return self._forfeited(forfeit)

    def _play_moves(self, ply_limit: int | None, ponder: bool) -> Ending:
        while not self.board.is_game_over:
            if ply_limit is not None and len(self.played) >= ply_limit:
                return Ending(points=0.5, score=0, reason=PLY_LIMIT, detail=f"{ply_limit} moves without an end")
            if self.clocks.are_limited:
                collect_new()  # while no clock runs
            self._turn(ponder)
        return ending_by_rules(self.board)

    def end_pondering(self) -> None:
        for answer, stop in self.pondering.values():
            stop()
            answer.wait(seats.GRACE_SECONDS)
        for side, (answer, _) in self.pondering.items():
            self.seats[side].lost |= not answer.arrived
        self.pondering.clear()

    def _get_ready(self, side: Side) -> None:
        board = self.board.copy()
        answer = self.seats[side].ask(lambda player: player.new_game(board))
        if not self._await(answer, START_SECONDS):
            self.seats[side].lost = True
            raise _Forfeit(side, TIME, f"not ready for the game after {START_SECONDS:g} s")
        self._check(side, answer)

    def _turn(self, ponder: bool) -> None:
        """Let the side to move play."""
        moves = self.board.legal_moves
        if self.board.must_pass:
            self.board.push(moves[0])
            self.played.append(PlayedMove(code=moves[0].code))
            return
        side = self.board.turn
        if ponder:
            self._let_ponder(side.other)
        with self._measuring(side):
            choice, seconds = self._ask(side)
        move = choice.move
        if not isinstance(move, Move) or move not in self.board.legal_moves:
            self.seats[side].lost = True
            raise _Forfeit(side, ILLEGAL, f"{move} is not a legal move")
        self.board.push(move)
        self.played.append(PlayedMove(code=move.code, value=choice.value_as_score(self.board.game), seconds=seconds))

    @contextmanager
    def _measuring(self, side: Side) -> Iterator[None]:
        """Add the processor time that the player's process uses in this block. No clock runs while the time is read."""
        reading = getattr(self.seats[side].player, "processor_reading", lambda: None)
        before, began = reading(), time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - began
            after = reading()
            if before is not None and after is not None:
                self.used[side] = self.used.get(side, ProcessorUse()) + before.until(after, seconds)

    def _ask(self, side: Side) -> tuple[Choice, float]:
        """Return the player's choice and the seconds that it took."""
        seat, clock, board, stop = self.seats[side], self.clocks.of(side), self.board.copy(), Stop()
        ponder_answer, stop_pondering = self.pondering.pop(side, (None, None))
        # The clock runs while the player returns from pondering: the player pays for a late return.
        answer = seat.ask(lambda player: player.choose(board, clock, stop=stop))
        if stop_pondering is not None:
            stop_pondering()
        limit = None if clock.move_seconds is None else clock.move_seconds + self.lag_seconds
        try:
            in_time = self._await(answer, limit)
        except _Interrupted:
            stop()
            seat.lost |= not answer.wait(seats.GRACE_SECONDS)
            raise
        if not in_time:
            stop()
            seat.lost |= not answer.wait(seats.GRACE_SECONDS)
            raise _Forfeit(side, TIME, f"more than {limit:.3g} s" + (", and did not come back" if seat.lost else ""))
        if ponder_answer is not None:
            self._check(side, ponder_answer)
        self._check(side, answer)
        if not self.clocks.spend(side, max(0.0, answer.seconds - self.lag_seconds)):
            raise _Forfeit(side, TIME, f"{answer.seconds:.3f} s")
        choice = answer.value
        if not isinstance(choice, Choice):
            seat.lost = True
            raise _Forfeit(side, CRASHED, f"answered {choice!r}")
        return choice, round(answer.seconds, 3)  # rounded as in stored records

    def _await(self, answer: Answer[Any], seconds: float | None) -> bool:
        """Wait for an answer; return whether it came in time. Raise `_Interrupted` if the match is stopped."""
        arrived = threading.Event()
        answer.on_arrival(arrived.set)
        self.stop.add_listener(arrived.set)
        try:
            arrived.wait(None if seconds is None else min(seconds, threading.TIMEOUT_MAX))
        finally:
            self.stop.remove_listener(arrived.set)
        if self.stop.called:
            raise _Interrupted
        return answer.arrived

    def _check(self, side: Side, answer: Answer[Any]) -> None:
        """Raise `_Forfeit` if the player's answer is an exception."""
        if answer.error is not None:
            self.seats[side].lost = True
            words = " ".join(str(answer.error).split())
            raise _Forfeit(side, CRASHED, f"{type(answer.error).__name__}: {words}"[:200])

    def _let_ponder(self, side: Side) -> None:
        if side not in self.pondering:
            board, stop = self.board.copy(), Stop()
            self.pondering[side] = (self.seats[side].ask(lambda player: player.ponder(board, stop=stop)), stop)

    def _forfeited(self, forfeit: _Forfeit) -> Ending:
        lost = -1 if forfeit.side is Side.BLACK else 1
        return Ending(
            points=0.0 if forfeit.side is Side.BLACK else 1.0,
            score=lost * description_of(self.board.game).scores.forfeit(self.board.game),
            reason=forfeit.reason,
            detail=forfeit.detail,
            forfeited_by=forfeit.side,
        )


def ending_by_rules(board: Board) -> Ending:
    """Return the result of a game that has ended by the rules."""
    outcome = board.outcome()
    assert outcome is not None
    points = 0.5 if outcome.winner is None else 1.0 if outcome.winner is Side.BLACK else 0.0
    score = description_of(board.game).scores.final_margin(board, outcome.score)
    return Ending(points=points, score=score, detail=outcome.reason)
