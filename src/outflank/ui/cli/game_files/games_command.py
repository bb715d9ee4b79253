"""`outflank games`: list the games in files."""

import re
import shutil
import sys
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import click

from outflank.errors import OutflankError
from outflank.formats.game_record import Record
from outflank.formats.movetext import write_moves
from outflank.formats.selection import Selection, move_codes, opening_of
from outflank.games.description import GAMES
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.ui.cli.game_files.convert_command import FormatName, games_of
from outflank.ui.cli.shared.game_options import HelpWithGames
from outflank.ui.cli.shared.option_groups import NameOf
from outflank.ui.cli.shared.position_options import diagnostics, game_name, print_json
from outflank.ui.cli.shared.streams import exit_quietly

MOVES_SHOWN = 8
"""Number of moves of a game that the printed list shows."""

MOVES_WIDTH = 2 * MOVES_SHOWN
"""Width of the column of moves, enough if every move is written as one square. Longer notations exceed it."""

COLUMNS = "{0:>7}  {1:<10.10}  {2:<25.25}  {3:<19.19}  {4:<19.19}  {5:>5}  {6:>5}  {7}"
FEWER_COLUMNS = "{0:>7}  {1:<10.10}  {3:<14.14}  {4:<14.14}  {5:>5}  {6:>5}  {7}"
"""Format of a game's line on terminals narrower than `WIDE` columns. It has no event, and shorter names."""
WIDE = 120


def _years(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """Return the first and last year of `1998`, `1990-1999`, `1990-` or `-1999`."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,4})?(-)?(\d{1,4})?", text.strip(), re.ASCII)
    if match is None or not (match[1] or match[3]):
        raise OutflankError(f"--year {text}: expected a year or two, like 1998 or 1990-1999")
    first = int(match[1] or 0)
    return first, int(match[3]) if match[3] else 9999 if match[2] else first


@click.command("games", cls=HelpWithGames)
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@click.option("--player", metavar="NAME", default="", help="Games of a player; a part of the name is enough.")
@click.option("--event", metavar="NAME", default="", help="Games of a tournament.")
@click.option("--year", "years", metavar="A-B", callback=_years, help="Games of a year, or of several.")
@click.option("--game", type=NameOf(GAMES), help="Only this game; --opening is then in its notation.")
@click.option("--opening", metavar="MOVES", help="Games with these first moves, like f5d6c3, in any orientation.")
@click.option("--min-score", type=float, metavar="N", help="Games that black has won by at least N.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="List only the first N.")
@click.option("--number", type=click.IntRange(1), metavar="N", help="Print the moves of game number N.")
@click.option("--from", "from_", type=FormatName(), help="The format, if neither content nor name shows it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per game.")
def command(
    files: tuple[str, ...],
    number: int | None,
    game: str | None,
    opening: str | None,
    limit: int | None,
    from_: str | None,
    as_json: bool,
    **filters: Any,
) -> int:
    """List the games in files: number, date, event, black, white, black's score, number of moves, opening.

    A file's format is recognised by its content ({files}); - is standard input. The games of several files
    form one list. Each line then ends with the name of the game's file, and the number counts the games of that file.
    The status is 1 if no game matches.

    \b
      outflank games WTH_1998.wtb --player tastet --opening f5d6c3d3c4
      outflank games WTH_1998.wtb --number 17
    """
    selection = Selection(number=number, opening=opening_of(opening, game) if opening else None, **filters)
    if number is not None and len(files) > 1:
        raise OutflankError(f"--number {number}: of which of the {len(files)} files? give one")
    matching = (
        (file, index, record)
        for file in files
        for index, record in games_of(file, selection, from_)
        if game is None or game == game_name(record.start.game)
    )
    count = 0
    try:
        for file, index, record in islice(matching, limit if number is None else 1):
            count += 1
            if as_json:
                _print_json(file, index, record, whole=number is not None)
            elif number is not None:
                print(_moves(record, [move.code for move in record.moves]))
            else:
                several = len(files) > 1
                if count == 1:
                    columns = (
                        "number",
                        "date",
                        "event",
                        "black",
                        "white",
                        "score",
                        "moves",
                        f"{'opening':<{MOVES_WIDTH}}",
                    )
                    layout, width = _layout()
                    print((layout.format(*columns) + ("  file" if several else "")).rstrip()[:width])
                print(_line(layout, width, index, record, file if several else "")[:width])
        sys.stdout.flush()
    except BrokenPipeError:
        exit_quietly()
    if number is not None and not count:
        raise OutflankError(f"{files[0]}: there is no game number {number:,} like that")
    if not count and limit != 0:
        diagnostics().print(f"outflank: {' '.join(files)}: no such game", soft_wrap=True)
        return 1
    return 0


def _layout() -> tuple[str, int | None]:
    """Return the format string of a game's line, and the width at which lines are cut: None in a pipe."""
    if not sys.stdout.isatty():
        return COLUMNS, None
    width = shutil.get_terminal_size().columns
    return (COLUMNS if width >= WIDE else FEWER_COLUMNS), width


def _line(layout: str, width: int | None, number: int, record: Record, file: str) -> str:
    codes = move_codes(record)
    score = "" if record.score is None else f"{record.score:+g}"
    texts = (record.date, record.event, record.black, record.white)
    line = layout.format(number, *map(_printable, texts), score, len(codes), "")
    move_count = MOVES_SHOWN
    while width is not None and move_count and len(line) + len(_moves(record, codes[:move_count])) > width:
        move_count -= 1  # leave out the whole move: half of one would be unreadable
    return f"{line}{_moves(record, codes[:move_count]):<{MOVES_WIDTH}}  {_printable(file)}".rstrip()


def _print_json(file: str, number: int, record: Record, *, whole: bool) -> None:
    from msgspec import UNSET

    from outflank.ui.cli.shared.json_documents import GameDocument

    codes = move_codes(record)
    document = GameDocument(
        file=file,
        number=number,
        game=game_name(record.start.game),
        date=record.date,
        event=record.event,
        black=record.black,
        white=record.white,
        score=record.score,
        best=record.best,
        reason=record.reason,
        length=len(codes),
        opening=_moves(record, codes[:MOVES_SHOWN]),
        moves=_moves(record, [move.code for move in record.moves]) if whole else UNSET,
    )
    print_json(document)


def _moves(record: Record, codes: Sequence[int]) -> str:
    return _move_text(record.start.game, codes if isinstance(codes, bytes) else tuple(codes), record.start.turn)


@lru_cache(1 << 14)  # openings repeat: the cache saves a third of the time of listing a million games
def _move_text(game: Game, codes: Sequence[int], turn: Side) -> str:
    return write_moves(game, codes, turn)


@lru_cache(1 << 14)
def _printable(text: str) -> str:
    """Return the text with control characters replaced, because a terminal would obey them."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)
