"""Games in texts and files that users paste, open or drop: their list, and the one that is chosen from it."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from outflank.errors import FormatError, OutflankError
from outflank.formats.fields import decoded
from outflank.formats.game_files import file_formats, is_record_file, select_records
from outflank.formats.game_record import Record
from outflank.formats.recognise import records_in_text
from outflank.formats.selection import Selection, move_codes
from outflank.games.description import RuleOptions, description_of
from outflank.ui.web.games.game_messages import recorded_result
from outflank.ui.web.requests import GameFile
from outflank.ui.web.server_messages import Found, FoundGame

MOST_FOUND = 10_000
"""Maximum number of games in a list."""


def games_among(records: Iterator[Record], ask: int) -> Found:
    """Return the list of games that `records` yields, as the answer to the request with the number `ask`.

    If an error ends the reading early, the list has the games before it, and the reason.
    """
    games: list[FoundGame] = []
    problem = ""
    try:
        for record in islice(records, MOST_FOUND + 1):
            games.append(_found_game(len(games) + 1, record))
    except OutflankError as error:
        if not games:
            raise
        problem = " ".join(str(error).split())[:400]
    if not games:
        raise FormatError("there is no game in it")
    if len(games) > MOST_FOUND:
        problem = f"only the first {MOST_FOUND:,} games are listed"
    return Found(re=ask, games=tuple(games[:MOST_FOUND]), problem=problem)


def _found_game(number: int, record: Record) -> FoundGame:
    description = description_of(record.start.game)
    result, result_text = recorded_result(record.score, record.reason, description.scores)
    return FoundGame(
        number=number,
        title=description.describe(record.start.game),
        names=(record.black, record.white),
        event=record.event,
        date=record.date,
        moves=len(move_codes(record)),
        result=result,
        result_text=result_text,
    )


def record_numbered(records: Iterator[Record], number: int) -> Record:
    """Return one of `records`, counted from 1, or raise an error if there are not so many."""
    record = next(islice(records, number - 1, None), None)
    if record is None:
        raise OutflankError(f"there is no game number {number:,}")
    return record


def records_in_files(files: Sequence[GameFile], game: str | None, options: RuleOptions) -> Iterator[Record]:
    """Yield the games of uploaded files in order. Files with the names of players and events are not listed themselves.

    Readers find the name files by their path. So all files are written to a temporary folder first.
    """
    with TemporaryDirectory(prefix="outflank-") as folder:
        paths = [_written(file, Path(folder)) for file in files]
        companions = _companion_suffixes()
        games = [path for path in paths if path.suffix not in companions]
        for path in games or paths:
            if is_record_file(path):
                yield from (record for _, record in select_records(path, Selection()))
            else:
                yield from records_in_text(decoded(path.read_bytes()), game, options)


def _written(file: GameFile, folder: Path) -> Path:
    """Write a file to a folder under a name without special characters, and return its path."""
    stem, _, suffix = file.name.lower().rpartition(".")
    name = re.sub(r"[^a-z0-9]", "_", stem or suffix)[:100] or "games"
    extension = f".{suffix}" if stem and re.fullmatch("[a-z0-9]{1,16}", suffix) else ""
    path = folder / f"{name}{extension}"
    while path.exists():
        path = path.with_stem(f"{path.stem}_")
    path.write_bytes(file.data)
    return path


def _companion_suffixes() -> set[str]:
    """Return the suffixes of files that hold the names for a file of games beside them."""
    games = Path("games")
    return {file.suffix for form in file_formats().values() if form.files for file in form.files(games)[1:]}
