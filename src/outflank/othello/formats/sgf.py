"""SGF for Othello (`GM[2]`): writing games, and reading their details (players, date, result, clock).

    (;FF[4]GM[2]CA[UTF-8]SZ[8]PB[one]PW[other]DT[1998-05-17]RE[B+4]AB[e4][d5]AW[d4][e5]PL[B]
    ;B[f5]V[2]C[a comment]AR[f5:d6];W[d6]…)

In SGF the value `V` of a move is the value for black. SGF has no property for the time of a move.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from outflank.errors import FormatError
from outflank.formats.brackets import escaped, write_notes
from outflank.formats.clock_text import ClockTimes, read_clock, write_clock
from outflank.formats.fields import REASONS, one_line, read_date, read_number, write_number
from outflank.formats.game_record import Record, Setup
from outflank.games.sides import Side
from outflank.othello.formats.board_line import othello_size
from outflank.othello.rules import PASS
from outflank.othello.squares import size_of, square_name, squares

NAME = "SGF"

LONGEST_CLOCK = 1e6
"""Number of seconds from which SGF's `TM` is kept as text instead of being read as a time control."""

_letters = {"R": "resigned", "T": "time", "F": "illegal move"}


def write_sgf(record: Record) -> str:
    """Return the game as SGF text of two lines, the second with the moves."""
    size = othello_size(record, NAME)
    start = record.start
    own, opp = (int(word) for word in start.position)
    black, white = (own, opp) if start.turn is Side.BLACK else (opp, own)
    if not black | white:
        raise FormatError("SGF cannot tell a board without discs from the start of a game")
    times = read_clock(record.clock)
    seconds = None if times is None or times.increment else times.game  # TM has no increment
    details = {
        "PB": record.black,
        "PW": record.white,
        "EV": record.event,
        "DT": read_date(record.date),
        "RE": _write_result(record.score),
        "GC": record.reason,
        **({"TI": record.clock} if seconds is None else {"TM": write_number(seconds)}),
    }
    head = "".join(f"{name}[{escaped(text)}]" for name, text in details.items() if text)
    stones = "".join(_write_stones(name, size, word) for name, word in (("AB", black), ("AW", white)))
    turn = start.turn
    moves = []
    for move in record.moves:
        square = "PA" if move.code == PASS else square_name(size, move.code)
        value = None if move.value is None else move.value if turn is Side.BLACK else -move.value
        text = write_number(value)
        value_text = f"V[{text}]" if text else ""
        moves.append(f";{_letter(turn)}[{square}]{value_text}{write_notes(move.notes, lines=True)}")
        turn = turn.other
    notes = write_notes(record.notes, lines=True)
    root = f"FF[4]GM[2]CA[UTF-8]SZ[{size}]{head}{stones}PL[{_letter(start.turn)}]{notes}"
    return f"(;{root}\n{''.join(moves)})\n"


def write_sgf_position(setup: Setup) -> str:
    """Return a position as an SGF game without moves, with only the properties that every SGF reader knows."""
    size = size_of(setup.game)
    own, opp = (int(word) for word in setup.position)
    black, white = (own, opp) if setup.turn is Side.BLACK else (opp, own)
    stones = "".join(_write_stones(name, size, word) for name, word in (("AB", black), ("AW", white)))
    return f"(;FF[4]GM[2]SZ[{size}]{stones}PL[{_letter(setup.turn)}])\n"


def with_sgf_details(record: Record, details: Mapping[str, str]) -> Record:
    """Return the record with the players, event, date, result and clock that the SGF properties `details` state."""
    score, reason = _read_result(details.get("RE", "").strip())
    comment = one_line(details.get("GC", ""))
    return replace(
        record,
        black=one_line(details.get("PB", "")),
        white=one_line(details.get("PW", "")),
        event=one_line(details.get("EV") or details.get("PC", "")),
        date=read_date(details.get("DT", "")),
        # After a resignation or a loss on time, the last position does not show the result.
        score=score if score is not None or reason else record.score,
        reason=comment if comment in REASONS else reason,
        clock=_read_clock(details),
    )


def _read_clock(details: Mapping[str, str]) -> str:
    seconds = read_number(details.get("TM", ""))
    if details.get("TI") or details.get("OT") or not seconds or not 0 < seconds < LONGEST_CLOCK:
        return one_line(details.get("TI") or " ".join(filter(None, (details.get("TM", ""), details.get("OT", "")))))
    return write_clock(ClockTimes(seconds))


def _letter(side: Side) -> str:
    return side.value[0].upper()


def _write_stones(name: str, size: int, word: int) -> str:
    names = [square_name(size, square) for square in squares(size) if word >> square & 1]
    return name + "".join(f"[{square}]" for square in names) if names else ""


def _write_result(score: float | None) -> str:
    margin = write_number(score)
    if not margin or float(margin) == 0:
        return margin
    return f"W+{margin[1:]}" if margin.startswith("-") else f"B+{margin}"


def _read_result(text: str) -> tuple[float | None, str]:
    """Return black's score (None: not stated) and the reason (empty: not stated) in a value of `RE`."""
    if text.lower() in ("0", "draw"):
        return 0.0, ""
    match = re.fullmatch(r"([BW])\+(.*)", text, re.IGNORECASE)
    if match is None:
        return None, ""
    margin = read_number(match[2])
    if margin is None:
        return None, _letters.get(match[2][:1].upper(), "")
    return margin if match[1].upper() == "B" else -margin, ""
