"""The reports' programs by name: each is a game's own, and that game's description has it."""

from typing import Any

from outflank.errors import OutflankError, UnknownName
from outflank.games.description import GAMES, GameDescription
from outflank.games.programs import ReportProgram


def report_program(report: str) -> ReportProgram:
    """The program of a report, whatever it plays."""
    return _found(report)[1]


def game_of_report(report: str) -> GameDescription:
    """What the program of a report plays."""
    return _found(report)[0]


def program_named(report: str, game: Any) -> ReportProgram:
    """The program of a report, which must be one for this game."""
    description, program = _found(report)
    if not isinstance(game, description.rules):
        raise OutflankError(f"report {report} plays {description.title}")
    return program


def _found(report: str) -> tuple[GameDescription, ReportProgram]:
    for name in GAMES.own:  # before the installed ones, which have to be looked for
        each = GAMES.get(name)
        if report in each.programs:
            return each, each.programs[report]
    known = {name: (each, program) for each in GAMES.parts().values() for name, program in each.programs.items()}
    if report not in known:
        raise UnknownName.among("report", report, sorted(known))
    return known[report]
