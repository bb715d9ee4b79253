"""The programs whose searches are measured: a report's in one word, or one that is put together."""

from dataclasses import dataclass
from typing import Any

from outflank.boards import Board
from outflank.distributed.cluster import ALGORITHMS
from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import OWN_GAMES, description_of, game_named
from outflank.games.evaluation import evaluation_named
from outflank.lab.classroom import REPORT_000
from outflank.lab.experiment import Parameters, option
from outflank.search.ordering import ordering_named

OURS = "ours"
PROGRAMS: dict[str, dict[str, Any]] = {OURS: {"algorithm": "pvs", "table_bits": 22}, "000": REPORT_000}
"""What each program searches with."""

GAME_OF = {"000": next(name for name in OWN_GAMES if "000" in game_named(name).programs)}
"""Programs that play one game only."""


def game_of(board: Board[Any]) -> str:
    """The name of a board's game."""
    return description_of(board.game).name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramChoice(Parameters):
    """Which program searches."""

    program: str | None = option(None, "The program that searches: 000 (that report's) or ours.  [000, if it can]")
    algorithm: str | None = option(None, "Another algorithm: alphabeta, pvs or mtdf.  [the program's]")
    evaluation: str | None = option(None, "Another evaluation, by name.  [the program's]")
    ordering: str | None = option(None, "Another ordering, by name.  [the program's]")

    def searched_with(
        self, board: Board[Any], usual: str | None = None, *, algorithm: str | None = None
    ) -> dict[str, Any]:
        """What a board is searched with: the program, or the `usual` one, with other parts where they are named.

        A program that does not play the board's game is refused if it was asked for; if not, ours takes its place.
        With an `algorithm`, that one and not those that a cluster supports.
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
        chosen = self.program or usual
        given = {
            "algorithm": algorithm or self.algorithm,
            "evaluation": self.evaluation,
            "ordering": self.ordering,
        }
        return {
            **(PROGRAMS[chosen] if chosen is not None else {}),
            **{name: value for name, value in given.items() if value is not None},
        }


def program_note(options: dict[str, Any]) -> str:
    """What a program consists of."""
    parts = [str(options["algorithm"])]
    parts += [f"{name} {options[name]}" for name in ("evaluation", "ordering", "step") if options.get(name) is not None]
    return f"The program: {', '.join(parts)}."
