"""Saving, loading and reviewing the game of `outflank play`."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.game_files import read_records, write_records
from outflank.formats.game_record import PlayedMove, Record, Setup
from outflank.games.description import description_of
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.clock import TimeControl
from outflank.validation.text import how_many


def record_of(
    start: Board, board: Board, moves: list[PlayedMove], names: dict[Side, str], control: TimeControl
) -> Record:
    """Return the record of a game, finished or not."""
    outcome = board.outcome()
    score = None if outcome is None else board.recorded_score(outcome)
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
    """Write a game to a new file, and return the file's path."""
    path = Path(name).expanduser()
    if not path.name:
        raise OutflankError("save where? give a file name")
    if not path.suffix:
        path = path.with_suffix(_suffix(record))
    if path.exists():
        raise OutflankError(f"{path} exists: choose another name")
    with _errors_with(path):
        write_records([record], path)
    return path


@contextmanager
def _errors_with(path: Path) -> Iterator[None]:
    """Turn a system error into an `OutflankError` that names the path. The session shows the message and goes on."""
    try:
        yield
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None


def _suffix(record: Record) -> str:
    """Return the suffix of the file format that stores every part of a game."""
    return description_of(record.start.game).notation.default_suffix


MOST_COUNTED = 10_000
"""Maximum number of games that are counted in a loaded file. Counting more would delay the reply to the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A game that was loaded from a file."""

    start: Board
    board: Board
    moves: list[PlayedMove]
    description: str
    """File name, game number and length of the game, in words."""


def load_game(words: str, game: Game) -> Loaded:
    """Return the game that `words` name. They are `FILE NUMBER`, or `FILE` for the first game of the file."""
    path, number = _path_and_number(words)
    if not path.name:
        raise OutflankError("load what? give a file name, and the number of a game where there are several")
    with _errors_with(path):
        games = read_records(path)
        records = list(islice(games, number))
        if len(records) < number:
            contents = f"{len(records)} games" if len(records) > 1 else "1 game" if records else "no game"
            raise OutflankError(f"{path} holds {contents}{f', and not number {number}' if records else ''}")
        others = _count(games, MOST_COUNTED - number) + number - 1
    record = records[-1]
    board = Board.from_setup(record.setup)
    if type(board.game) is not type(game):
        raise OutflankError(f"{path} holds another game")
    description = f"{path}, {how_many(len(record.moves), 'move')}"
    if others:
        total = f"{others + 1:,}" if others + 1 < MOST_COUNTED else f"{MOST_COUNTED:,} or more"
        description += f": game {number:,} of {total} (load FILE NUMBER takes another)"
    return Loaded(start=Board.from_setup(record.start), board=board, moves=list(record.moves), description=description)


def _path_and_number(words: str) -> tuple[Path, int]:
    """Return the file name and the game number in `words`. An existing file may have a name that ends in a number."""
    path, (name, _, last) = Path(words).expanduser(), words.rpartition(" ")
    if path.exists() or not name or not (last.isascii() and last.isdigit() and int(last)):
        return path, 1
    return Path(name.strip()).expanduser(), int(last)


def _count(games: Iterator[Record], most: int) -> int:
    """Return the number of readable games that remain in the iterator, at most `most`."""
    count = 0
    with suppress(OutflankError):  # damage in other games does not matter here
        for _ in islice(games, max(0, most)):
            count += 1
    return count


def review_game(record: Record) -> None:
    """Review a game and print the review, like `outflank review`."""
    from outflank.ui.cli.game_files.review_command import command

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"game{_suffix(record)}"
        with _errors_with(path):
            write_records([record], path)
        command.main(["--file", str(path)], prog_name="outflank review", standalone_mode=False)
