"""GGF, the format of the Generic Game Server: writing games, and reading their details (players, date, result, clock).

    (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[one]PW[other]TI[05:00//02:00]TY[8]RE[-58.00:r]
    BO[8 <64 cells> *]B[D3/-2.00/1.03]W[C5]…;)

A move's value is for the mover, in discs; its time is in seconds. GGF has no notes: they follow a move as in SGF.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from outflank.formats.brackets import escaped, write_notes
from outflank.formats.clock_text import ClockTimes, read_clock, write_clock
from outflank.formats.fields import REASONS, one_line, read_number, write_number, write_seconds
from outflank.formats.game_record import PlayedMove, Record
from outflank.othello.formats.board_line import othello_size, write_board_line
from outflank.othello.rules import PASS
from outflank.othello.squares import square_name

NAME = "GGF"

_letters = {"r": "resigned", "t": "time", "s": "agreed"}
_date = re.compile(r"(\d{4})(?:\.(\d\d?))?(?:\.(\d\d?))?(?:[_ ](\d\d?):(\d\d)(?::(\d\d))?(?:\.(\S+))?)?", re.ASCII)
_iso = re.compile(
    r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)
_clock = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d\d)(?:/(?:(\d{1,3}):)?(\d{1,4}):(\d\d))?", re.ASCII)


def write_ggf(record: Record) -> str:
    """Return the game as a line of GGF."""
    size = othello_size(record, NAME)
    start = record.start
    board = write_board_line(start.game, start.position, start.turn).replace("X", "*")
    details = {
        "GM": "Othello",
        "PC": record.event,
        "DT": _write_date(record.date),
        "PB": record.black,
        "PW": record.white,
        "TI": _write_clock(record.clock),
        "TY": str(size),
        "RE": _write_result(record),
    }
    required = ("PB", "PW")
    head = "".join(f"{name}[{escaped(text)}]" for name, text in details.items() if text or name in required)
    moves = []
    turn = start.turn
    for move in record.moves:
        notes = write_notes(move.notes, lines=False)
        moves.append(f"{turn.value[0].upper()}[{_write_move(size, move)}]{notes}")
        turn = turn.other
    return f"(;{head}BO[{size} {board}]{write_notes(record.notes, lines=False)}{''.join(moves)};)\n"


def with_ggf_details(record: Record, details: Mapping[str, str]) -> Record:
    """Return the record with the players, event, date, result and clock that the GGF properties `details` state."""
    result, _, reason = details.get("RE", "").partition(":")
    reason = one_line(reason)
    score = read_number(result)
    return replace(
        record,
        black=one_line(details.get("PB", "")),
        white=one_line(details.get("PW", "")),
        event=one_line(details.get("EV") or details.get("PC", "")),
        date=_read_date(details.get("DT", "").strip()),
        score=record.score if score is None else score,
        reason=_letters.get(reason.lower(), reason if reason in REASONS else ""),
        clock=_read_clock(one_line(details.get("TI", ""))),
    )


def _write_move(size: int, move: PlayedMove) -> str:
    name = "PA" if move.code == PASS else square_name(size, move.code).upper()
    value, seconds = write_number(move.value, decimals=2), write_seconds(move.seconds, decimals=2)
    return f"{name}/{value}/{seconds}".rstrip("/")


def _write_result(record: Record) -> str:
    score = write_number(record.score, decimals=2, sign=True)
    if not record.reason:
        return score
    letter = next((letter for letter, reason in _letters.items() if reason == record.reason), record.reason)
    return f"{score or '?'}:{letter}"


def _write_date(date: str) -> str:
    match = _iso.fullmatch(date)
    if match is None:
        return ""
    day = ".".join(part for part in match.group(1, 2, 3) if part)
    zone = {None: "", "Z": ".GMT", "+00:00": ".GMT"}.get(match[5], f".{match[5]}")
    return f"{day}_{match[4]}{zone}" if match[4] else day


def _read_date(text: str) -> str:
    if re.fullmatch(r"\d{9,10}", text, re.ASCII):  # seconds since 1970, as the server also writes it
        return datetime.fromtimestamp(int(text), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    match = _date.fullmatch(text)
    if match is None:
        return ""
    day = "-".join([match[1], *(f"{int(part):02d}" for part in match.group(2, 3) if part)])
    if not match[4] or not match[3]:
        return day
    zone = match[7] or ""
    if zone.upper() in ("GMT", "UTC", "Z"):
        zone = "Z"
    elif not re.fullmatch(r"[+-]\d\d:?\d\d", zone):
        zone = ""  # ISO 8601 has no zone names: the time is local
    seconds = f":{match[6]}" if match[6] else ""
    return f"{day}T{int(match[4]):02d}:{match[5]}{seconds}{zone}"


def _write_clock(clock: str) -> str:
    """Return a clock of time and increment in GGF's notation, `05:00/00:02`; other clocks are unchanged."""
    times = read_clock(clock)
    if times is None or times.game is None or any(part % 1 for part in (times.game, times.increment)):
        return clock
    parts = (int(part) for part in (times.game, times.increment) if part)
    return "/".join(f"{part // 60:02d}:{part % 60:02d}" for part in parts)


def _read_clock(text: str) -> str:
    match = _clock.fullmatch(text.rstrip("/"))
    if match is None:
        return text
    hours, minutes, seconds, *increment_parts = (int(part or 0) for part in match.groups())
    increment = 3600 * increment_parts[0] + 60 * increment_parts[1] + increment_parts[2]
    return write_clock(ClockTimes(3600 * hours + 60 * minutes + seconds, increment))
