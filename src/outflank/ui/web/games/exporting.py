"""Export of games and positions from the web server as text."""

import time
from collections.abc import Callable

from outflank.boards import Board
from outflank.errors import FormatError, UnknownName
from outflank.formats.game_files import ANY_GAMES
from outflank.formats.game_record import Notes, PlayedMove, Record
from outflank.formats.movetext import write_moves
from outflank.games.description import GameDescription, description_of
from outflank.games.notation import FileFormat
from outflank.search.recorded_search import record_search
from outflank.search.request import Options
from outflank.ui.web.games.game_messages import result_at
from outflank.ui.web.games.move_tree import SavedGame, first_board, main_line, path_to
from outflank.ui.web.requests import Steps
from outflank.ui.web.server_messages import Form, Node, Text
from outflank.validation.documents import encoded

SVG_WIDTH = 640


def forms_of(description: GameDescription) -> tuple[Form, ...]:
    """Return the formats in which a game can be exported."""
    files = [
        Form(name=suffix.removeprefix("."), title=file_format.title, suffix=suffix)
        for suffix, file_format in _file_formats(description).items()
    ]
    return (
        Form(name="position", title="position", suffix=".txt"),
        Form(name="moves", title="moves", suffix=".txt"),
        *files,
        Form(name="svg", title="picture", suffix=".svg"),
    )


def exported(saved: SavedGame, number: int, board: Board, form: str, ask: int) -> Text:
    """Return the game up to the node `number`, or only the node's position, as text in the format `form`.

    `ask` is the number of the request.
    """
    description = description_of(board.game)
    writers: dict[str, Callable[[], str]] = {
        "position": board.to_text,
        "moves": lambda: write_moves(board.game, [move.code for move in board.moves], first_board(saved).turn),
        "svg": lambda: board.svg(width=SVG_WIDTH, legal=False),
    }
    for suffix, file_format in _file_formats(description).items():
        writers[suffix.removeprefix(".")] = lambda file_format=file_format: _file_text(  # type: ignore[misc]
            file_format, saved, number, board
        )
    if form not in writers:
        raise UnknownName.among("form", form, writers)
    suffix = next(known.suffix for known in forms_of(description) if known.name == form)
    return Text(re=ask, form=form, file=f"{saved.game}-{len(board.moves)}{suffix}", text=writers[form]())


def exported_search(board: Board, request: Steps) -> Text:
    """Return the recording of a small search of `board`."""
    document = record_search(board, request.depth, Options(algorithm=request.algorithm, table_bits=None))
    text = encoded(document).decode()
    return Text(re=request.ask, form="steps", file=f"steps-{document.algorithm}-{request.depth}.json", text=text)


def _file_formats(description: GameDescription) -> dict[str, FileFormat]:
    """Return the writable file formats of a game by suffix. If it has none, return the formats that fit any game."""
    own_formats = {suffix: form for suffix, form in description.notation.files.items() if form.write is not None}
    return own_formats or {suffix: form for suffix, form in ANY_GAMES.items() if form.write is not None}


def _file_text(form: FileFormat, saved: SavedGame, number: int, board: Board) -> str:
    assert form.write is not None
    try:
        return form.write(record_of(saved, number, board))
    except FormatError:  # the format holds only positions, like OBF
        return form.write(Record(start=board.setup()))


def record_of(saved: SavedGame, number: int, board: Board) -> Record:
    """Return the record of a game with the moves from its start to the node `number`: with the values of a review, and
    the notes."""
    outcome = result_at(saved, number, board)
    forfeited = saved.verdict is not None and saved.verdict.node == number
    names = [name or words for name, words in zip(saved.names, (saved.seats.black, saved.seats.white), strict=True)]
    first, *nodes = path_to(saved, number)
    as_recorded = outcome is None and number == main_line(saved)[-1].id
    return Record(
        start=first_board(saved).setup(),
        moves=tuple(
            PlayedMove(code=move.code, value=_value_for_mover(node), notes=Notes(node.comment, node.arrows))
            for move, node in zip(board.moves, nodes, strict=True)
        ),
        notes=Notes(first.comment, first.arrows),
        black=names[0],
        white=names[1],
        event=saved.event,
        date=saved.date or time.strftime("%Y-%m-%d", time.localtime(saved.changed)),
        score=outcome.score if outcome is not None else saved.score if as_recorded else None,
        reason=saved.verdict.reason if saved.verdict is not None and forfeited else saved.reason if as_recorded else "",
        clock="" if saved.seats.clock == "none" else saved.seats.clock,
    )


def _value_for_mover(node: Node) -> float | None:
    return None if node.value is None else node.value if node.side == "black" else -node.value
