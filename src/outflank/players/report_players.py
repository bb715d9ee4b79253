"""The reports' programs by name; each belongs to a game's description."""

from outflank.errors import OutflankError, UnknownName
from outflank.games.defaults import ReportProgram
from outflank.games.description import GAMES, GameDescription
from outflank.games.rules import Game


def report_program(report: str) -> ReportProgram:
    """Return the program of a report, of any game."""
    return _game_and_program(report)[1]


def game_of_report(report: str) -> GameDescription:
    """Return the game that the program of a report plays."""
    return _game_and_program(report)[0]


def program_named(report: str, game: Game) -> ReportProgram:
    """Return the program of a report, which must be one for this game."""
    description, program = _game_and_program(report)
    if not isinstance(game, description.rules):
        raise OutflankError(f"report {report} plays {description.title}")
    return program


def _game_and_program(report: str) -> tuple[GameDescription, ReportProgram]:
    for name in GAMES.own:  # first, because installed games have to be looked for
        description = GAMES.get(name)
        if report in description.play.programs:
            return description, description.play.programs[report]
    known = {
        name: (description, program)
        for description in GAMES.parts().values()
        for name, program in description.play.programs.items()
    }
    if report not in known:
        raise UnknownName.among("report", report, sorted(known))
    return known[report]
