"""Review of a game's main line, and further tries at its mistakes.

Each judged move is saved in the game at once, and the turning points at the end.
"""

import asyncio
from collections.abc import Callable, Coroutine

from msgspec.structs import replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.defaults import Marks
from outflank.games.description import description_of
from outflank.games.evaluation import unit_scale
from outflank.players.review import JudgedMove, judge_moves, story_of, turn_text
from outflank.search.keywords import PlayerKeywords, default_selectivity
from outflank.search.request import Limits, Stop
from outflank.ui.web.games.move_tree import main_line, node_of
from outflank.ui.web.lobby.live_games import LiveGame
from outflank.ui.web.requests import Retry, Review
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.searching.worker_states import number
from outflank.ui.web.server_messages import Message, Node, Retried, Reviewed, TurningPoint


class ReviewTask:
    """One review of a game. `run` is called in a thread."""

    def __init__(self, live_game: LiveGame, request: Review, turns: Turns, loop: asyncio.AbstractEventLoop) -> None:
        self.live_game, self.request, self._turns, self._loop = live_game, request, turns, loop
        self._line: list[Node] = main_line(live_game.saved)
        self._board: Board | None = None

    async def prepare(self) -> None:
        """Load the board at the end of the main line, or raise an error if the game has no moves."""
        if len(self._line) < 2:
            raise OutflankError("no move has been made in this game")
        self._board = await self.live_game.board_at(self._line[-1].id)

    def run(self, stop: Stop, send: Callable[[Message], None], bits: int) -> None:
        """Judge the moves of the main line in order, and send the progress."""
        board = self._board
        assert board is not None
        first = board.ply - len(board.moves)
        judgements: list[JudgedMove] = []
        leased = 1
        options: PlayerKeywords = {**default_selectivity(board.game, {}), "table_bits": bits}
        judging = judge_moves(
            board,
            Limits(seconds=self.request.seconds),
            stop=stop,
            next_workers=lambda: leased,
            **options,
        )
        self._await(self.live_game.tell(()))
        send(self._message(0))
        while not stop.called:
            with self._turns.lease(stop) as workers:
                leased = workers
                judged = next(judging, None)
            if judged is None:
                break
            judgements.append(judged)
            self._save(judged, self._line[judged.ply - first], description_of(board.game).play.marks)
            send(self._message(judged.ply - first))
        if not stop.called:
            self._await(self.live_game.tell(self._story(board, judgements, first)))
        send(self._message(len(self._line) - 1, done=True))

    def _save(self, judged: JudgedMove, node: Node, marks: Marks) -> None:
        is_best = judged.best == judged.move or not judged.loss
        judged_node = replace(
            node,
            value=number(judged.black_value),
            loss=number(judged.loss),
            mark=marks.of(judged.loss),
            best="" if is_best else str(judged.best),
            exact=judged.exact,
        )
        self._await(self.live_game.judge(judged_node))

    def _await(self, change: Coroutine[object, object, None]) -> None:
        """Wait for a change of the game, which is made on the event loop."""
        asyncio.run_coroutine_threadsafe(change, self._loop).result()

    def _story(self, board: Board, judgements: list[JudgedMove], first: int) -> tuple[TurningPoint, ...]:
        outcome = board.outcome()
        final_score = None if outcome is None else float(board.recorded_score(outcome))
        scale = unit_scale(board.game)
        return tuple(
            TurningPoint(
                node=self._line[turn.ply - first].id, text=turn_text(turn, scale, self._numbered_move(turn.ply - first))
            )
            for turn in story_of(judgements, final_score).turns
        )

    def _numbered_move(self, index: int) -> str:
        """Return a move of the line as the page's list of moves numbers it: `19. b7` for black, `19… b7` for white."""
        node = self._line[index]
        row = (index + 1 + (self._line[1].side == "white")) // 2
        return f"{row}{'.' if node.side == 'black' else '…'} {node.move}"

    def _message(self, ply: int, *, done: bool = False) -> Reviewed:
        return Reviewed(of=self.request.ask, id=self.live_game.saved.id, ply=ply, plies=len(self._line) - 1, done=done)


class RetryTask:
    """The judgement of another move in place of a reviewed one. `run` is called in a thread."""

    def __init__(self, live_game: LiveGame, request: Retry, turns: Turns) -> None:
        self.live_game, self.request, self._turns = live_game, request, turns
        self._node = node_of(live_game.saved, request.node)
        self._board: Board | None = None

    async def prepare(self) -> None:
        """Make the move on a board, or raise an error if it is illegal or the other move has no review."""
        if self._node.parent is None or self._node.loss is None:
            raise OutflankError("this move has no review")
        self._board = await self.live_game.board_at(self._node.parent)
        self._board.push(self.request.move)

    def run(self, stop: Stop, send: Callable[[Message], None], bits: int) -> None:
        """Judge the move, unless the review has its value, and send the judgement."""
        board, node = self._board, self._node
        assert board is not None
        assert node.loss is not None
        move = str(board.moves[-1])
        if move == node.move:
            loss = node.loss
        elif move == node.best:
            loss = 0.0
        else:
            options: PlayerKeywords = {**default_selectivity(board.game, {}), "table_bits": bits}
            with self._turns.lease(stop) as workers:
                limits = Limits(seconds=self.request.seconds)
                judging = judge_moves(
                    board, limits, since=board.ply - 1, stop=stop, next_workers=lambda: workers, **options
                )
                judged = next(judging, None)
            if judged is None:
                return
            loss = number(judged.loss)
        solved = loss < description_of(board.game).play.marks.mistake
        send(Retried(of=self.request.ask, node=node.id, move=move, loss=loss, solved=solved))
