"""Puzzles on the web: the set of a day, and the judgement of a user's moves."""

from collections.abc import Callable, Sequence
from datetime import date

from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.evaluation import Exact, scale_of
from outflank.games.rules import is_pass
from outflank.players.puzzles import Puzzle, daily_set, final_score, score_text
from outflank.search.request import Stop
from outflank.ui.web.games.game_messages import shown_board
from outflank.ui.web.games.move_tree import colour
from outflank.ui.web.requests import Attempt, Puzzles
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.server_messages import Message, PuzzleEntry, PuzzlePosition, PuzzleSet, ValuedMove

MOVES_TO_FIND = 3
"""Number of the user's moves after which a puzzle is solved, unless the game ends before."""


def puzzle_set(puzzles: Sequence[Puzzle], request: Puzzles) -> PuzzleSet:
    """Return the puzzles of a day, as the answer to a request."""
    try:
        day = date.fromisoformat(request.day)
    except ValueError:
        raise OutflankError(f"{request.day} is no date") from None
    entries = tuple(_entry(number, puzzles[number]) for number in daily_set(puzzles, day))
    return PuzzleSet(re=request.ask, puzzles=entries)


def _entry(number: int, puzzle: Puzzle) -> PuzzleEntry:
    board = puzzle.board()
    scale = scale_of(board.game, Exact())
    scores = sorted(puzzle.scores.items(), key=lambda item: -item[1])
    return PuzzleEntry(
        number=number,
        game=puzzle.game,
        title=description_of(board.game).describe(board.game),
        options=dict(description_of(board.game).variants.options_of(board.game)),
        position=puzzle.position,
        turn=colour(board.turn),
        left=puzzle.left,
        rating=puzzle.rating,
        moves=tuple(
            ValuedMove(move=move, value=score, value_text=scale.text(score, bare=True), exact=True)
            for move, score in scores
        ),
        best_text=score_text(board, scores[0][1]),
        line=tuple(puzzle.line.split()),
    )


class AttemptTask:
    """The judgement of a user's last move in a puzzle. `run` is called in a thread."""

    def __init__(self, puzzles: Sequence[Puzzle], request: Attempt, turns: Turns) -> None:
        if request.number >= len(puzzles):
            raise OutflankError(f"there is no puzzle number {request.number}")
        self.puzzle, self.request, self._turns = puzzles[request.number], request, turns

    def run(self, stop: Stop, send: Callable[[Message], None], bits: int) -> None:
        """Play the moves, find the score after the last one with a table of 2^`bits` entries, and send both."""
        board, request = self.puzzle.board(), self.request
        side, own_moves, is_own = board.turn, 0, False
        for text in request.moves:
            mover = board.turn
            is_own = not is_pass(board.game, board.push(text).code) and mover is side
            own_moves += is_own
        over = board.is_game_over
        is_users_turn = not over and board.turn is side and not board.must_pass
        score, reply = None, ""
        if is_own or (not over and board.turn is not side):
            with self._turns.lease(stop):
                score, reply = final_score(board, side, stop, bits)
            if stop.called:
                return
        elif board.must_pass:
            reply = str(board.legal_moves[0])
        right = score >= self.puzzle.scores[self.puzzle.best] if is_own and score is not None else None
        over = over or right is False or own_moves >= MOVES_TO_FIND
        send(
            PuzzlePosition(
                of=request.ask,
                number=request.number,
                moves=tuple(map(str, board.moves)),
                board=shown_board(board),
                right=right,
                value_text="" if right is None or score is None else score_text(board, score),
                reply="" if over or is_users_turn else reply,
                over=over,
            )
        )
