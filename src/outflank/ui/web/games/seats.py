"""Descriptions of the players that the web server allows: they start no program, read no file and do not think long."""

import re

from outflank.errors import OutflankError
from outflank.games.rules import Game
from outflank.games.sides import Side
from outflank.players.clock import Clocks, TimeControl
from outflank.players.player import Player
from outflank.players.specs import HUMAN, player, program_named
from outflank.ui.web.requests import Seats
from outflank.ui.web.server_limits import MOST_MOVE_SECONDS

MOST_DEPTH = 30

TABLE_BITS = 17
"""Each of the two transposition tables of a player has 2^`TABLE_BITS` entries, which take 4 MiB."""

_SETTING = r"(level|depth|time|report)=([A-Za-z0-9.]{1,16})"
_WORDS = re.compile(rf"computer(?: +{_SETTING})*|random|first|{HUMAN}", re.ASCII)


def check_seats(seats: Seats, game: Game) -> None:
    """Raise an error for players and clocks that are not allowed on the web."""
    time_control(seats)
    for words in (seats.black, seats.white):
        _check_words(words.strip(" "), game)


def _check_words(words: str, game: Game) -> None:
    if _WORDS.fullmatch(words) is None:
        allowed = "human, random, first, or computer with level=, depth=, time= or report="
        raise OutflankError(f"{words!r} is no player here: {allowed}")
    settings = dict(re.findall(_SETTING, words))
    if "depth" in settings and not 1 <= _number(int, settings["depth"], "depth") <= MOST_DEPTH:
        raise OutflankError(f"depth={settings['depth']}: 1 to {MOST_DEPTH}")
    if "time" in settings and not 0 < _number(float, settings["time"], "time") <= MOST_MOVE_SECONDS:
        raise OutflankError(f"time={settings['time']}: at most {MOST_MOVE_SECONDS:g} seconds a move")
    if not is_human(words):
        web_player(words, game, variety=1).close()  # to raise an error now, not at the first move


def _number(kind: type[int] | type[float], text: str, name: str) -> float:
    try:
        return kind(text)
    except ValueError:
        raise OutflankError(f"{name}={text}: expected a number") from None


def is_human(words: str) -> bool:
    """Return whether `words` describe a human player."""
    return words.strip() == HUMAN


def player_words(seats: Seats, side: Side) -> str:
    """Return the description of a side's player."""
    return (seats.black if side is Side.BLACK else seats.white).strip()


def web_player(words: str, game: Game, variety: int) -> Player:
    """Return the player that `words` describe. Its tables are small, because many players may exist at once."""
    report = re.search(r"report=(\S+)", words)
    uses_tables = report is None or program_named(report[1], game).search.get("table_bits", TABLE_BITS) is not None
    if words.startswith("computer") and uses_tables:
        words = f"{words} table_bits={TABLE_BITS}"
    return player(words, game, variety=variety)


def time_control(seats: Seats) -> TimeControl:
    """Return the time control of both sides."""
    return TimeControl.parse(seats.clock)


def has_clock(seats: Seats) -> bool:
    """Return whether the game is played with clocks."""
    return time_control(seats) != TimeControl()


def full_clocks(words: str) -> tuple[float | None, float | None]:
    """Return the initial seconds of both clocks; None: no time limit."""
    seconds = TimeControl.parse(words).game_seconds
    return seconds, seconds


def clocks_of(seats: Seats, left: tuple[float | None, float | None]) -> Clocks:
    """Return the clocks of both sides. `left` has the seconds left of black and white."""
    clocks = Clocks.alike(time_control(seats))
    clocks.left = {Side.BLACK: left[0], Side.WHITE: left[1]}
    return clocks
