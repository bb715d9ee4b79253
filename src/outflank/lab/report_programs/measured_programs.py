"""The choice of the program that experiments measure: a report's program, or one with some parts replaced."""

from dataclasses import dataclass

from outflank.boards import Board
from outflank.distributed.cluster import ALGORITHMS
from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import OWN_GAMES, description_of, game_named
from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment import Parameters, option
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.search.keywords import SearchArguments
from outflank.search.ordering import ordering_named

OURS = "ours"
PROGRAMS: dict[str, SearchArguments] = {OURS: {"algorithm": "pvs", "table_bits": 22}, "000": REPORT_000}
"""Search options of each program that an experiment can measure."""

GAME_OF = {"000": next(name for name in OWN_GAMES if "000" in game_named(name).play.programs)}
"""Game of each program that plays only one game."""


def game_of(board: Board) -> str:
    """Return the name of the board's game."""
    return description_of(board.game).name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramChoice(Parameters):
    """Parameters of an experiment that select the program to measure."""

    program: str | None = option(None, "The program that searches: 000 (that report's) or ours.  [000, if it can]")
    algorithm: str | None = option(None, "Another algorithm: alphabeta, pvs or mtdf.  [the program's]")
    evaluation: str | None = option(None, "Another evaluation, by name.  [the program's]")
    ordering: str | None = option(None, "Another ordering, by name.  [the program's]")

    def search_options(
        self, board: Board, usual: str | None = None, *, algorithm: str | None = None
    ) -> SearchArguments:
        """Return the search options for a board: the options of a program, with the parts that the user replaced.

        The program is the selected one, or `usual` if none is selected. A selected program that does not play the
        board's game is an error. A `usual` program that does not play it is replaced by ours. `algorithm` overrides the
        parameter `algorithm`, and need not be one that a cluster supports.
        """
        game = game_of(board)
        if self.program is not None and self.program not in PROGRAMS:
            raise UnknownName.among("program", self.program, PROGRAMS)
        if self.program is not None and GAME_OF.get(self.program, game) != game:
            raise InvalidOption(f"program={self.program}: it plays {game_named(GAME_OF[self.program]).title} alone")
        if algorithm is None and self.algorithm is not None and self.algorithm not in ALGORITHMS:
            raise UnknownName.among("algorithm for a cluster", self.algorithm, ALGORITHMS)
        if self.evaluation is not None:
            evaluation_named(board.game, self.evaluation)
        if self.ordering is not None:
            ordering_named(board.game, self.ordering)
        if usual is not None and GAME_OF.get(usual, game) != game:
            usual = OURS
        program = self.program or usual
        replaced = {"algorithm": algorithm or self.algorithm, "evaluation": self.evaluation, "ordering": self.ordering}
        return {
            **(PROGRAMS[program] if program is not None else {}),
            **{name: value for name, value in replaced.items() if value is not None},
        }


def program_note(options: SearchArguments) -> str:
    """Return a note that describes the program with these search options, part by part."""
    parts = [str(options["algorithm"])]
    parts += [f"{name} {options[name]}" for name in ("evaluation", "ordering", "step") if options.get(name) is not None]
    return f"The program: {', '.join(parts)}."
