"""Who may play at a table on the web, in words: nothing that starts a program, reads a file or thinks for hours."""

import re
from typing import Any

from outflank.errors import OutflankError
from outflank.games.sides import Side
from outflank.players.clock import Clocks, TimeControl
from outflank.players.player import Player
from outflank.players.programs import program_named
from outflank.players.specs import HUMAN, player
from outflank.ui.web.requests import Seats

MOST_DEPTH = 30
MOST_SECONDS = 60.0
"""Of a move, whatever a player was told."""

TABLE_BITS = 17
"""Each of a player's two tables: 4 MiB."""

_SETTING = r"(level|depth|time|report)=([A-Za-z0-9.]{1,16})"
_WORDS = re.compile(rf"computer(?: +{_SETTING})*|random|first|{HUMAN}", re.ASCII)


def check_seats(seats: Seats, game: Any) -> None:
    """Refuse players and clocks that are not for here."""
    control_of(seats)
    for words in (seats.black, seats.white):
        _check_words(words.strip(" "), game)


def _check_words(words: str, game: Any) -> None:
    if _WORDS.fullmatch(words) is None:
        known = "human, random, first, or computer with level=, depth=, time= or report="
        raise OutflankError(f"{words!r} is no player here: {known}")
    settings = dict(re.findall(_SETTING, words))
    if "depth" in settings and not 1 <= _number(int, settings["depth"], "depth") <= MOST_DEPTH:
        raise OutflankError(f"depth={settings['depth']}: 1 to {MOST_DEPTH}")
    if "time" in settings and not 0 < _number(float, settings["time"], "time") <= MOST_SECONDS:
        raise OutflankError(f"time={settings['time']}: at most {MOST_SECONDS:g} seconds a move")
    if not is_human(words):
        seated(words, game, variety=1).close()  # refuse now, not at the first move, what cannot be made


def _number(kind: type[int] | type[float], text: str, name: str) -> float:
    try:
        return kind(text)
    except ValueError:
        raise OutflankError(f"{name}={text}: expected a number") from None


def is_human(words: str) -> bool:
    """Whether a person moves there."""
    return words.strip() == HUMAN


def words_of(seats: Seats, side: Side) -> str:
    """Who plays a side."""
    return (seats.black if side is Side.BLACK else seats.white).strip()


def seated(words: str, game: Any, variety: int) -> Player:
    """The player of those words, with small tables: there may be many at once."""
    report = re.search(r"report=(\S+)", words)
    tables = report is None or program_named(report[1], game).search.get("table_bits", TABLE_BITS) is not None
    if words.startswith("computer") and tables:
        words = f"{words} table_bits={TABLE_BITS}"
    return player(words, game, variety=variety)


def control_of(seats: Seats) -> TimeControl:
    """The time that both have."""
    return TimeControl.parse(seats.clock)


def has_clock(seats: Seats) -> bool:
    """Whether time is counted at all."""
    return control_of(seats) != TimeControl()


def full_clocks(words: str) -> tuple[float | None, float | None]:
    """What both have at the beginning."""
    seconds = TimeControl.parse(words).game_seconds
    return seconds, seconds


def clocks_of(seats: Seats, left: tuple[float | None, float | None]) -> Clocks:
    """Both clocks, with what they have left."""
    clocks = Clocks.alike(control_of(seats))
    clocks.left = {Side.BLACK: left[0], Side.WHITE: left[1]}
    return clocks
