"""Saved games as messages to the web page: a whole game, its clocks, its result, and its entry in the list of games."""

from functools import lru_cache
from math import inf

from outflank.boards import Board, Move
from outflank.boards.board_tabletop import tabletop_of
from outflank.games.description import description_of
from outflank.games.presentation import Place, Tabletop
from outflank.games.scores import Scores
from outflank.games.sides import Side
from outflank.players.review import Accuracy, accuracy_of
from outflank.ui.web import server_messages
from outflank.ui.web.games.move_tree import Boards, SavedGame, Verdict, colour, main_line, node_of
from outflank.ui.web.games.seat_owners import is_guarded
from outflank.ui.web.games.seats import has_clock, time_control
from outflank.ui.web.requests import Colour
from outflank.ui.web.server_messages import CERTAIN, Cell, ClockState, GameResult, Gesture, ShownBoard, SideAccuracy


def game_message(saved: SavedGame, boards: Boards) -> server_messages.Game:
    """Return a game as a message, without clocks and without the side that is thinking."""
    board = boards.at(saved, saved.node)
    tabletop = tabletop_of(board)
    node = node_of(saved, saved.node)
    outcome = result_at(saved, saved.node, board)
    board_before = None if node.parent is None else boards.at(saved, node.parent)
    return server_messages.Game(
        id=saved.id,
        game=saved.game,
        title=description_of(board.game).describe(board.game),
        options=saved.options,
        revision=saved.revision,
        changed=saved.changed,
        start=saved.start,
        position=board.to_text(),
        nodes=saved.nodes,
        node=saved.node,
        shape=tabletop.shape,
        cells=_cells(tabletop.places),
        pieces=tabletop.pieces(board),
        turn=colour(board.turn),
        legal=() if outcome is not None else tuple(_gesture(tabletop, board, move) for move in board.legal_moves),
        last=None if board_before is None else _gesture(tabletop, board_before, board_before.parse_move(node.move)),
        passes=outcome is None and board.must_pass,
        opening=board.opening,
        standing=board.score_text(),
        counts=(tabletop.counts(board, Side.BLACK), tabletop.counts(board, Side.WHITE)),
        counted=tabletop.counted_unit,
        outcome=outcome,
        seats=saved.seats,
        clock=None,
        thinking=None,
        remark=saved.remark,
        names=saved.names,
        story=saved.story,
        accuracy=_accuracy(saved),
        guarded=is_guarded(saved, boards),
        rematch=saved.rematch,
        disposable=saved.disposable,
    )


def _accuracy(saved: SavedGame) -> tuple[SideAccuracy, SideAccuracy] | None:
    """Return how well black and white played the main line, as far as it was reviewed; None: it was not."""
    losses: dict[Colour | None, list[float]] = {"black": [], "white": []}
    for node in main_line(saved):
        if node.side is not None and node.loss is not None:
            losses[node.side].append(node.loss if node.loss < CERTAIN else inf)
    if not any(losses.values()):
        return None
    black, white = (accuracy_of(losses[side]) for side in ("black", "white"))
    return _side_accuracy(black), _side_accuracy(white)


def _side_accuracy(accuracy: Accuracy) -> SideAccuracy:
    return SideAccuracy(moves=accuracy.moves, best=accuracy.best, mean_loss=accuracy.mean_loss)


@lru_cache(16)
def _cells(places: tuple[Place, ...]) -> tuple[Cell, ...]:
    return tuple(Cell(name=place.name, row=place.row, x=place.x, y=place.y) for place in places)


def _gesture(tabletop: Tabletop, board: Board, move: Move) -> Gesture:
    gesture = tabletop.gesture(board, move)
    return Gesture(move=str(move), to=gesture.to, picked=gesture.picked, way=gesture.way, goes=gesture.goes)


def shown_board(board: Board) -> ShownBoard:
    """Return a position as the page draws it, with the move that led to it."""
    tabletop, before = tabletop_of(board), board.copy()
    return ShownBoard(
        shape=tabletop.shape,
        cells=_cells(tabletop.places),
        pieces=tabletop.pieces(board),
        turn=colour(board.turn),
        legal=() if board.is_game_over else tuple(_gesture(tabletop, board, move) for move in board.legal_moves),
        last=_gesture(tabletop, before, before.pop()) if board.moves else None,
    )


def result_at(saved: SavedGame, number: int, board: Board) -> GameResult | None:
    """Return the result of the game at the node `number`, or None if the game is not over there."""
    verdict = saved.verdict
    if verdict is not None and verdict.node == number:
        return _forfeit_result(verdict, board)
    outcome = board.outcome()
    if outcome is None:
        return None
    winner = None if outcome.winner is None else colour(outcome.winner)
    text = f"{_result_text(winner, outcome.score, description_of(board.game).scores)}: {outcome.reason}"
    score = board.recorded_score(outcome)
    return GameResult(
        winner=winner, score=score, reason=outcome.reason, text=text, counts=_final_counts(board, winner, score)
    )


def _final_counts(board: Board, winner: Colour | None, score: int) -> tuple[int, int] | None:
    """Return the counts of both sides, whose difference is the score: the winner may also get the empty cells."""
    if not description_of(board.game).scores.scored:
        return None
    tabletop = tabletop_of(board)
    black, white = tabletop.counts(board, Side.BLACK), tabletop.counts(board, Side.WHITE)
    extra = abs(score) - abs(black - white)
    return (black + extra * (winner == "black"), white + extra * (winner == "white"))


def _result_text(winner: Colour | None, score: float, scores: Scores) -> str:
    """Return the result of a game that ended by the rules, without the reason for its end."""
    if winner is None:
        return "a draw"
    return f"{winner} wins by {abs(score):g} {scores.unit}" if scores.scored else f"{winner} wins"


REASONS = {"resigned": "{loser} resigned", "time": "{loser} has used up its time"}


def _forfeit_result(verdict: Verdict, board: Board) -> GameResult:
    loser = Side(verdict.loser)
    score = description_of(board.game).scores.forfeit(board.game) * (1 if loser is Side.WHITE else -1)
    reason = REASONS.get(verdict.reason, verdict.reason).format(loser=loser)
    return GameResult(winner=colour(loser.other), score=score, reason=reason, text=f"{loser.other} wins: {reason}")


def clock_state(saved: SavedGame, running: Side | None, elapsed: float) -> ClockState | None:
    """Return both clocks, or None if the game has no clocks.

    The clock of the side `running` is reduced by `elapsed` seconds. The clock of a side that has lost on time is at 0.
    """
    if not has_clock(saved.seats):
        return None
    control, verdict = time_control(saved.seats), saved.verdict
    fallen = verdict.loser if verdict is not None and verdict.reason == "time" and verdict.node == saved.node else None

    def left(side: Side, saved_seconds: float | None) -> float | None:
        if colour(side) == fallen:
            return 0.0
        full = control.move_seconds if control.move_seconds is not None else saved_seconds
        return full if full is None or side is not running else max(0.0, full - elapsed)

    return ClockState(
        text=control.in_words,
        black=left(Side.BLACK, saved.left[0]),
        white=left(Side.WHITE, saved.left[1]),
        running=None if running is None else colour(running),
    )


def listed_game(saved: SavedGame, boards: Boards) -> server_messages.ListedGame:
    """Return the entry of a game in the list of games."""
    line = main_line(saved)
    end = boards.at(saved, line[-1].id)
    result, result_text = _listed_result(saved, result_at(saved, line[-1].id, end), end)
    return server_messages.ListedGame(
        id=saved.id,
        game=saved.game,
        title=description_of(end.game).describe(end.game),
        changed=saved.changed,
        moves=len(line) - 1,
        seats=saved.seats,
        opening=end.opening,
        name=saved.name,
        names=saved.names,
        event=saved.event,
        date=saved.date,
        result=result,
        result_text=result_text,
        position=end.to_text(),
        pieces=tabletop_of(end).pieces(end),
        layout=0,  # set by `Lobby.page`
        disposable=saved.disposable,
    )


def _listed_result(saved: SavedGame, outcome: GameResult | None, end: Board) -> tuple[str, str]:
    """Return the result of a game as `1-0` etc. and as text. If the main line does not end the game, the result is that
    of the game's record, if it has one."""
    if outcome is None:
        return recorded_result(saved.score, saved.reason, description_of(end.game).scores)
    return RESULTS[outcome.winner], outcome.text.partition(":")[0]


RESULTS: dict[Colour | None, str] = {"black": "1-0", "white": "0-1", None: "1/2-1/2"}


def recorded_result(score: float | None, reason: str, scores: Scores) -> tuple[str, str]:
    """Return the result in a game's record as `1-0` etc. and as text: `*` and an empty text if it has none."""
    if score is None:
        return "*", ""
    winner: Colour | None = None if not score else "black" if score > 0 else "white"
    text = f"{winner} wins: {reason}" if winner and reason else _result_text(winner, score, scores)
    return RESULTS[winner], text


def layout_of(listed: server_messages.ListedGame) -> server_messages.Layout:
    """Return the layout of a listed game's board."""
    tabletop = tabletop_of(Board.from_text(listed.position, game=listed.game))
    return server_messages.Layout(shape=tabletop.shape, cells=_cells(tabletop.places))
