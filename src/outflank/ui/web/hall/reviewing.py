"""A review of a game's main line, as it goes on: each move that is judged is written into the game."""

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import Marks, description_of
from outflank.games.evaluation import counted
from outflank.players.review import Judged, reviewed
from outflank.players.story import story_of
from outflank.search.contract import Limits, Stop
from outflank.search.keywords import PlayerKeywords
from outflank.search.usual import usual_selectivity
from outflank.ui.cli.review_view import told_turn
from outflank.ui.web.games.tree import main_line
from outflank.ui.web.hall.tables import Table
from outflank.ui.web.messages import Message, Node, Reviewed, Turn
from outflank.ui.web.requests import Review
from outflank.ui.web.searching.at_work import number
from outflank.ui.web.searching.turns import Turns


class Reviewing:
    """One review; `run` is called in a thread."""

    def __init__(self, table: Table, asked: Review, turns: Turns, loop: asyncio.AbstractEventLoop) -> None:
        self.table, self.asked, self._turns, self._loop = table, asked, turns, loop
        self._line: list[Node] = main_line(table.kept)
        self._board: Board[Any] | None = None

    async def prepare(self) -> None:
        """See that there is something to judge."""
        if len(self._line) < 2:
            raise OutflankError("no move has been made in this game")
        self._board = await self.table.board_at(self._line[-1].id)

    def run(self, stop: Stop, tell: Callable[[Message], None], bits: int) -> None:
        """Judge one move after the other."""
        board = self._board
        assert board is not None
        first = board.ply - len(board.moves)
        found: list[Judged] = []
        leased = 1
        options: PlayerKeywords = {**usual_selectivity(board.game, {}), "table_bits": bits}
        judging = reviewed(
            board,
            Limits(seconds=self.asked.seconds),
            stop=stop,
            next_workers=lambda: leased,
            **options,
        )
        tell(self._message(0))
        while not stop.called:
            with self._turns.lease(stop) as workers:
                leased = workers
                judged = next(judging, None)
            if judged is None:
                break
            found.append(judged)
            self._keep(judged, self._line[judged.ply - first], description_of(board.game).marks)
            tell(self._message(judged.ply - first))
        story: tuple[Turn, ...] = ()
        if not stop.called:
            story = self._story(board, found, first)
        tell(self._message(len(self._line) - 1, story, done=True))

    def _keep(self, judged: Judged, node: Node, marks: Marks) -> None:
        same = judged.best == judged.move or not judged.loss
        written = replace(
            node,
            value=number(judged.black_value),
            loss=number(judged.loss),
            mark=marks.of(judged.loss),
            best="" if same else str(judged.best),
            exact=judged.exact,
        )
        asyncio.run_coroutine_threadsafe(self.table.judge(written), self._loop).result()

    def _story(self, board: Board[Any], found: list[Judged], first: int) -> tuple[Turn, ...]:
        outcome = board.outcome()
        ended = None if outcome is None else float(board.recorded(outcome))
        scale = counted(board.game)
        return tuple(
            Turn(node=self._line[turn.ply - first].id, text=told_turn(turn, scale))
            for turn in story_of(found, ended).turns
        )

    def _message(self, ply: int, story: tuple[Turn, ...] = (), *, done: bool = False) -> Reviewed:
        return Reviewed(
            of=self.asked.ask, id=self.table.kept.id, ply=ply, plies=len(self._line) - 1, done=done, story=story
        )
