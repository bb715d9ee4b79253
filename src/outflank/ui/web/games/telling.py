"""Games as messages: what the page needs to draw one, and a line of the list."""

from functools import lru_cache
from typing import Any

from outflank.boards import Board
from outflank.boards.tabletop import tabletop_of
from outflank.games.description import description_of
from outflank.games.sides import Side
from outflank.games.tabletop import Place, Tabletop
from outflank.ui.web import messages
from outflank.ui.web.games.positions import Boards
from outflank.ui.web.games.seats import control_of, has_clock
from outflank.ui.web.games.tree import KeptGame, Verdict, colour, main_line, node_of
from outflank.ui.web.messages import Cell, ClockState, Ended, Gesture


def game_message(kept: KeptGame, boards: Boards) -> messages.Game:
    """A game as it is, but for its clock, and who thinks."""
    board = boards.at(kept, kept.node)
    table = tabletop_of(board)
    node = node_of(kept, kept.node)
    outcome = ended(kept, kept.node, board)
    before = None if node.parent is None else boards.at(kept, node.parent)
    return messages.Game(
        id=kept.id,
        game=kept.game,
        title=description_of(board.game).describe(board.game),
        options=kept.options,
        revision=kept.revision,
        changed=kept.changed,
        start=kept.start,
        position=board.to_text(),
        nodes=kept.nodes,
        node=kept.node,
        shape=table.shape,
        cells=_cells(table.places),
        pieces=table.pieces(board),
        turn=colour(board.turn),
        legal=() if outcome is not None else tuple(_gesture(table, board, move) for move in board.legal_moves),
        last=None if before is None else _gesture(table, before, before.parse_move(node.move)),
        passes=outcome is None and board.must_pass,
        standing=board.standing(),
        counts=(table.counts(board, Side.BLACK), table.counts(board, Side.WHITE)),
        counted=table.counted,
        outcome=outcome,
        seats=kept.seats,
        clock=None,
        thinking=None,
        remark=kept.remark,
        names=kept.names,
    )


@lru_cache(16)
def _cells(places: tuple[Place, ...]) -> tuple[Cell, ...]:
    return tuple(Cell(name=each.name, row=each.row, x=each.x, y=each.y) for each in places)


def _gesture(table: Tabletop, board: Board[Any], move: Any) -> Gesture:
    found = table.gesture(board, move)
    return Gesture(move=str(move), to=found.to, picked=found.picked, way=found.way, goes=found.goes)


def ended(kept: KeptGame, number: int, board: Board[Any]) -> Ended | None:
    """How the game has ended at a node, if it has."""
    verdict = kept.verdict
    if verdict is not None and verdict.node == number:
        return _forfeited(verdict, board)
    outcome = board.outcome()
    if outcome is None:
        return None
    unit = description_of(board.game).unit
    if outcome.winner is None:
        text = f"a draw: {outcome.reason}"
    else:
        by = f" by {abs(outcome.score)} {unit.name}" if unit.scored else ""
        text = f"{outcome.winner} wins{by}: {outcome.reason}"
    winner = None if outcome.winner is None else colour(outcome.winner)
    return Ended(winner=winner, score=board.recorded(outcome), reason=outcome.reason, text=text)


REASONS = {"resigned": "{loser} resigned", "time": "{loser} has used up its time"}


def _forfeited(verdict: Verdict, board: Board[Any]) -> Ended:
    loser = Side(verdict.loser)
    score = description_of(board.game).forfeit(board.game) * (1 if loser is Side.WHITE else -1)
    reason = REASONS.get(verdict.reason, verdict.reason).format(loser=loser)
    return Ended(winner=colour(loser.other), score=score, reason=reason, text=f"{loser.other} wins: {reason}")


def clock_state(kept: KeptGame, running: Side | None, elapsed: float) -> ClockState | None:
    """Both clocks, `elapsed` seconds after that of the side `running` has begun to; None: there are none."""
    if not has_clock(kept.seats):
        return None
    control = control_of(kept.seats)

    def left(side: Side, kept_seconds: float | None) -> float | None:
        full = control.move_seconds if control.move_seconds is not None else kept_seconds
        return full if full is None or side is not running else max(0.0, full - elapsed)

    return ClockState(
        text=control.in_words,
        black=left(Side.BLACK, kept.left[0]),
        white=left(Side.WHITE, kept.left[1]),
        running=None if running is None else colour(running),
    )


def listed_game(kept: KeptGame, boards: Boards) -> messages.KeptGame:
    """A game as a line of a list."""
    line = main_line(kept)
    end = boards.at(kept, line[-1].id)
    outcome = ended(kept, line[-1].id, end)
    results = {"black": "1-0", "white": "0-1", None: "1/2-1/2"}
    return messages.KeptGame(
        id=kept.id,
        game=kept.game,
        title=description_of(end.game).describe(end.game),
        changed=kept.changed,
        moves=len(line) - 1,
        seats=kept.seats,
        result="*" if outcome is None else results[outcome.winner],
        position=end.to_text(),
        pieces=tabletop_of(end).pieces(end),
        layout=0,  # the list says which
    )


def layout_of(listed: messages.KeptGame) -> messages.Layout:
    """How the cells of a listed game's board lie."""
    table = tabletop_of(Board.from_text(listed.position, game=listed.game))
    return messages.Layout(shape=table.shape, cells=_cells(table.places))
