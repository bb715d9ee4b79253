"""Experiment `edges`: whether an edge table improves report 000's evaluation, by boards visited and by games won."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.arena import Duel, Openings
from outflank.games.sides import Side
from outflank.lab.experiment import Conclusion, Task, option
from outflank.lab.experiment_boards import POSITIONS
from outflank.lab.experiment_report import ReportTable, Sample, sample_shape
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.lab.studies.duels import duel_between, duel_columns
from outflank.lab.studies.option_comparisons import Choosing, ChoosingParameters
from outflank.othello.board import OthelloBoard
from outflank.othello.edge_table import EDGE_VALUES, STATES
from outflank.othello.evaluation import FourPart
from outflank.search.request import Limits, Stop
from outflank.validation.documents import Several
from outflank.validation.values import Shape

WITHOUT = "four-part"
TABLES: dict[str, str | FourPart] = {
    "edges by probabilities": "four-part+edges",
    "edges by brute force": FourPart(8, 2),
}
"""Evaluations with a table of edge patterns, by the method that learnt the table."""


WORTH_A_PROCESS = 20
"""Least number of games that are played in child processes, which take longer to start than a few games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgesParameters(ChoosingParameters):
    """Parameters of the experiment `edges`."""

    depth: int = option(11, "Plies from the start.")
    midgame_depth: int = option(9, "Plies from any other board.")
    positions: tuple[str, ...] = option(("tournament",), POSITIONS)
    rounds: int = option(1, "Times that each side is measured.")
    games: int = option(40, "Of each table against none, in pairs: an opening with both colours.")
    game_depth: int = option(4, "Plies of a move in a game.")
    seed: int = option(1, "For the openings.")


class Edges(Choosing):
    """Compares report 000's evaluation without and with a table of edge patterns."""

    name = "edges"
    question = "Does a table of edges make report 000's evaluation better?"
    reports = ("000",)
    parameters = EdgesParameters
    choices = tuple(
        ({"evaluation": name}, {"evaluation": evaluation}) for name, evaluation in ((WITHOUT, WITHOUT), *TABLES.items())
    )

    def tasks(self, parameters: Any) -> Sequence[Task]:
        pairs = [
            Task(
                f"{name} against {WITHOUT}, pair {pair}",
                partial(_pair, name, pair, parameters),
                timed=False,
                in_process=parameters.games >= WORTH_A_PROCESS,
            )
            for pair in range(1, (parameters.games + 1) // 2 + 1)
            for name in TABLES
        ]
        return [*super().tasks(parameters), *pairs]

    def shape(self, parameters: Any, sample: Sample) -> Shape:
        if "pair" in sample:
            colour = Literal["black", "white"]
            return sample_shape(evaluation=Literal[*TABLES], pair=Several, colour=colour, discs=int, moves=str)
        return super().shape(parameters, sample)

    def conclude(self, parameters: Any, samples: Sequence[Sample]) -> Conclusion:
        games = [sample for sample in samples if "pair" in sample]
        search_samples = [sample for sample in samples if "pair" not in sample]
        lines = []
        for (name,), played in grouped(games, "evaluation").items():
            duel = duel_of_edges(played)
            lines.append({"with": name, **duel_columns(duel), "discs a game": duel.margin})
        searches = super().conclude(parameters, search_samples) if search_samples else Conclusion(tables=())
        matches = (
            (ReportTable.of(f"edges: games against {WITHOUT}, depth {parameters.game_depth}", lines),) if lines else ()
        )
        return Conclusion(tables=(*searches.tables, *matches), figures=searches.figures, notes=searches.notes)

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        ranges = ", ".join(
            f"{method} from {values.min()} to {values.max()}"
            for method, values in zip(TABLES, EDGE_VALUES, strict=True)
        )
        return (
            f"Both tables have {STATES:,} entries ({ranges}). Report 000 tried two ways to learn one, found none that "
            "improved its search, and left edges out.",
        )


def _pair(evaluation: str, pair: int, parameters: EdgesParameters, stop: Stop) -> list[Sample]:
    """Play one opening with each colour, or only as black if one game is left. Return a sample of each game."""
    start = OthelloBoard.start()
    opening = Openings("random:8", start, seed=parameters.seed, count=pair)[pair - 1]
    samples: list[Sample] = []
    for colour, side in (("black", Side.BLACK), ("white", Side.WHITE))[: parameters.games - 2 * (pair - 1)]:
        board = opening.copy()
        assert isinstance(board, OthelloBoard)
        if not finish_game(board, {side: TABLES[evaluation], side.other: WITHOUT}, parameters.game_depth, stop):
            return []
        margin = board.discs(side) - board.discs(side.other)
        moves = "".join(str(move) for move in board.moves)
        samples.append({"evaluation": evaluation, "pair": pair, "colour": colour, "discs": margin, "moves": moves})
    return samples


def finish_game(board: OthelloBoard, evaluations: Mapping[Side, str | FourPart], depth: int, stop: Stop) -> bool:
    """Play a game to its end, each side with its evaluation in report 000's program. Return False if stopped."""
    while not board.is_game_over:
        if board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        options = {**REPORT_000, "evaluation": evaluations[board.turn], "table_bits": 16}
        with without_logging():  # tens of thousands of small searches; the samples hold the games
            result = search(board, Limits(depth=depth), stop=stop, workers=1, **options)
        if stop.called:
            return False
        board.push(str(result.move))
    return True


def duel_of_edges(games: Sequence[Sample]) -> Duel:
    """Return the games of one edge table as a `Duel`, from the view of the player that uses the table."""
    margins = [number(game["discs"]) for game in games]
    return duel_between(games, [0.5 + 0.5 * ((discs > 0) - (discs < 0)) for discs in margins], margins)
