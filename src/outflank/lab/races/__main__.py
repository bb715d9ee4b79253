"""A check in a process of its own: kernels are compiled or interpreted from the first import on.

Reads a JSON object from standard input: the position, and the arguments of `check`; prints its findings as rows,
and what was searched.
"""

import json
import sys
from typing import Any

from outflank.boards import Board
from outflank.documents import encoded
from outflank.games.description import OWN_GAMES, game_named
from outflank.lab.races import RaceFindings, check
from outflank.lab.search_log import MeasuredElsewhere, noting, together


def main() -> None:
    """Check what is asked for."""
    request: dict[str, Any] = json.load(sys.stdin)
    position, size = request.pop("position"), request.pop("size")
    board = game_named(OWN_GAMES[0]).start(size=size) if position is None else Board.from_text(position)
    with noting() as notes:
        found = rows(check(board, **request))
    print(encoded(MeasuredElsewhere(rows=tuple(found), searched=together(notes))).decode())


def rows(findings: RaceFindings) -> list[dict[str, Any]]:
    """RaceFindings as samples: a row for each race, and one for the whole."""
    found: list[dict[str, Any]] = [
        {
            "what": "whole",
            "schedules": findings.schedules,
            "steps": findings.steps,
            "accesses": findings.accesses,
            "unfinished": len(findings.unfinished),
            "wrong_values": len(findings.wrong),
            "trouble": "; ".join(findings.unfinished),
        }
    ]
    found += [
        {
            "what": "race",
            "memory": race.what,
            "first": str(race.first),
            "second": str(race.second),
            "times": race.times,
            "declared": race.declared,
            "reason": race.reason,
        }
        for race in findings.races
    ]
    return found


if __name__ == "__main__":
    main()
