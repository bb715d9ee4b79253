"""Games from the table to files and back, and into a review."""

import tempfile
import time
from pathlib import Path
from typing import Any

from outflank.boards import AbaloneBoard, Board
from outflank.engine.clock import TimeControl
from outflank.errors import OutflankError
from outflank.formats.record import PlayedMove, Record
from outflank.formats.records import read_records, write_records
from outflank.formats.setup import Setup
from outflank.games.abalone.kernels import Abalone
from outflank.games.sides import Side


def record_of(
    start: Board[Any], board: Board[Any], moves: list[PlayedMove], names: dict[Side, str], control: TimeControl
) -> Record:
    """The game as it stands."""
    outcome = board.outcome()
    score = None if outcome is None else outcome.score
    if score is not None and isinstance(board, AbaloneBoard):
        score = board.lost(Side.WHITE) - board.lost(Side.BLACK)  # as records count
    return Record(
        start=Setup(format="game", game=start.game, position=start.position, turn=start.turn, ply=start.ply),
        moves=tuple(moves),
        black=names[Side.BLACK],
        white=names[Side.WHITE],
        date=time.strftime("%Y-%m-%d"),
        score=score,
        clock="" if control == TimeControl() else str(control),
    )


def save_game(record: Record, name: str) -> Path:
    """Write a game to a new file; its path."""
    path = Path(name).expanduser()
    if not path.name:
        raise OutflankError("save where? give a file name")
    if not path.suffix:
        path = path.with_suffix(_suffix(record))
    if path.exists():
        raise OutflankError(f"{path} exists: choose another name")
    write_records([record], path)
    return path


def _suffix(record: Record) -> str:
    """How a file is called that keeps everything of a game."""
    return ".abalone" if isinstance(record.start.game, Abalone) else ".ggf"


def load_game(name: str, game: Any) -> tuple[Board[Any], Board[Any], list[PlayedMove]]:
    """The first game of a file: its start, where it stands, and its moves."""
    path = Path(name).expanduser()
    if not path.name:
        raise OutflankError("load what? give a file name")
    record = next(iter(read_records(path)), None)
    if record is None:
        raise OutflankError(f"{path} holds no game")
    board = Board.from_setup(record.setup)
    if type(board.game) is not type(game):
        raise OutflankError(f"{path} holds another game")
    return Board.from_setup(record.start), board, list(record.moves)


def review_game(record: Record) -> None:
    """Go through a game as `outflank review` does."""
    from outflank.ui.cli.review import command

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"game{_suffix(record)}"
        write_records([record], path)
        command.main(["--file", str(path)], prog_name="outflank review", standalone_mode=False)
