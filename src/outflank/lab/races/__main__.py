"""Program that runs a race check in its own process with kernels in the interpreter.

Compilation of kernels can only be disabled before they are imported. The program reads a JSON object from standard
input: the position and the arguments of `check`, or a fork-join program and the arguments of `check_program`. It prints
the findings as rows, with a log of the searches.
"""

from functools import partial

from outflank.boards import Board
from outflank.forkjoin import program_named
from outflank.games.description import OWN_GAMES, game_named
from outflank.lab.measuring.child_process import read_request
from outflank.lab.measuring.search_log import ChildMeasurements, log_searches, merged_entries
from outflank.lab.races import RaceFindings, check, check_program
from outflank.validation.documents import JsonObject, encoded


def main() -> None:
    """Run the requested check and print its findings."""
    request = read_request()
    with log_searches() as entries:
        if "program" in request:
            program = partial(program_named, request.pop("program"), request.pop("arguments"))
            samples = rows(check_program(program, **request))
        else:
            position, size = request.pop("position"), request.pop("size")
            board = game_named(OWN_GAMES[0]).start(size=size) if position is None else Board.from_text(position)
            samples = rows(check(board, **request))
    print(encoded(ChildMeasurements(rows=tuple(samples), searched=merged_entries(entries))).decode())


def rows(findings: RaceFindings) -> list[JsonObject]:
    """Return the findings as samples: one for the whole check, and one for each race."""
    samples: list[JsonObject] = [
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
    samples += [
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
    return samples


if __name__ == "__main__":
    main()
