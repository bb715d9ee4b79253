"""Games and positions as text."""

import time
from collections.abc import Callable
from typing import Any

from outflank.boards import Board
from outflank.errors import FormatError, UnknownName
from outflank.formats.game_files import ANY_GAMES
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.move_lists import write_moves
from outflank.games.description import GameDescription, description_of
from outflank.games.notation import FileFormat
from outflank.ui.web.games.positions import first_board
from outflank.ui.web.games.telling import ended
from outflank.ui.web.games.tree import KeptGame
from outflank.ui.web.messages import Form, Text

SVG_WIDTH = 640


def forms_of(description: GameDescription) -> tuple[Form, ...]:
    """The ways in which games of a kind can be written."""
    files = [
        Form(name=suffix.removeprefix("."), title=each.title, suffix=suffix)
        for suffix, each in _files(description).items()
    ]
    return (
        Form(name="position", title="position", suffix=".txt"),
        Form(name="moves", title="moves", suffix=".txt"),
        *files,
        Form(name="svg", title="picture", suffix=".svg"),
    )


def exported(kept: KeptGame, number: int, board: Board[Any], form: str, ask: int) -> Text:
    """The line that leads to a node, whose board this is, or the position there."""
    description = description_of(board.game)
    writers: dict[str, Callable[[], str]] = {
        "position": board.to_text,
        "moves": lambda: write_moves(board.game, [move.code for move in board.moves], first_board(kept).turn),
        "svg": lambda: board.svg(width=SVG_WIDTH, legal=False),
    }
    for suffix, each in _files(description).items():
        writers[suffix.removeprefix(".")] = lambda each=each: _written(each, kept, number, board)  # type: ignore[misc]
    if form not in writers:
        raise UnknownName.among("form", form, writers)
    suffix = next(each.suffix for each in forms_of(description) if each.name == form)
    return Text(re=ask, form=form, file=f"{kept.game}-{len(board.moves)}{suffix}", text=writers[form]())


def _files(description: GameDescription) -> dict[str, FileFormat]:
    """Those of its own; where it has none, those of any game."""
    own = {suffix: each for suffix, each in description.notation.files.items() if each.write is not None}
    return own or {suffix: each for suffix, each in ANY_GAMES.items() if each.write is not None}


def _written(form: FileFormat, kept: KeptGame, number: int, board: Board[Any]) -> str:
    assert form.write is not None
    try:
        return form.write(record_of(kept, number, board))
    except FormatError:  # it may hold positions alone, as OBF does
        return form.write(Record(start=board.setup()))


def record_of(kept: KeptGame, number: int, board: Board[Any]) -> Record:
    """The line that leads to a node, as files hold it."""
    outcome = ended(kept, number, board)
    forfeited = kept.verdict is not None and kept.verdict.node == number
    names = [name or words for name, words in zip(kept.names, (kept.seats.black, kept.seats.white), strict=True)]
    return Record(
        start=first_board(kept).setup(),
        moves=tuple(PlayedMove(code=move.code) for move in board.moves),
        black=names[0],
        white=names[1],
        date=time.strftime("%Y-%m-%d", time.localtime(kept.changed)),
        score=None if outcome is None else outcome.score,
        reason=kept.verdict.reason if kept.verdict is not None and forfeited else "",
        clock="" if kept.seats.clock == "none" else kept.seats.clock,
    )
