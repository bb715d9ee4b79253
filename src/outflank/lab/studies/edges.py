"""A table of edges beside report 000's evaluation: does it save boards, and does it win games?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.arena import Duel, Openings
from outflank.games.sides import Side
from outflank.kinds import Several, Shape
from outflank.lab.boards import POSITIONS
from outflank.lab.classroom import REPORT_000
from outflank.lab.duel_tables import duel_between, duel_columns
from outflank.lab.experiment import Conclusion, Task, option
from outflank.lab.measuring import grouped, number
from outflank.lab.report import ReportTable, Sample, sample_shape
from outflank.lab.search_log import search, unnoted
from outflank.lab.studies.choosing import Choosing, ChoosingParameters
from outflank.othello.board import OthelloBoard
from outflank.othello.edge_table import EDGE_VALUES, STATES
from outflank.othello.evaluation import FourPart
from outflank.search.contract import Limits, Stop

WITHOUT = "four-part"
TABLES: dict[str, Any] = {"edges by probabilities": "four-part+edges", "edges by brute force": FourPart(8, 2)}
"""The evaluations with a table of edges, by how it was learnt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgesChoice(ChoosingParameters):
    """What is measured and played."""

    depth: int = option(11, "Plies from the start.")
    midgame_depth: int = option(9, "Plies from any other board.")
    positions: tuple[str, ...] = option(("tournament",), POSITIONS)
    rounds: int = option(1, "Times that each side is measured.")
    games: int = option(40, "Of each table against none, in pairs: an opening with both colours.")
    game_depth: int = option(4, "Plies of a move in a game.")
    seed: int = option(1, "For the openings.")


class Edges(Choosing):
    """Report 000's attempt at edges."""

    name = "edges"
    question = "Does a table of edges make report 000's evaluation better?"
    reports = ("000",)
    parameters = EdgesChoice
    choices = tuple(
        ({"evaluation": name}, {"evaluation": evaluation}) for name, evaluation in ((WITHOUT, WITHOUT), *TABLES.items())
    )

    def tasks(self, chosen: Any) -> Sequence[Task]:
        pairs = [
            Task(f"{name} against {WITHOUT}, pair {pair}", partial(_pair, name, pair, chosen))
            for pair in range(1, (chosen.games + 1) // 2 + 1)
            for name in TABLES
        ]
        return [*super().tasks(chosen), *pairs]

    def shape(self, chosen: Any, sample: Sample) -> Shape:
        if "pair" in sample:
            colour = Literal["black", "white"]
            return sample_shape(evaluation=Literal[*TABLES], pair=Several, colour=colour, discs=int, moves=str)
        return super().shape(chosen, sample)

    def conclude(self, chosen: Any, samples: Sequence[Sample]) -> Conclusion:
        games = [sample for sample in samples if "pair" in sample]
        measured = [sample for sample in samples if "pair" not in sample]
        lines = []
        for (name,), played in grouped(games, "evaluation").items():
            duel = _duel(played)
            lines.append({"with": name, **duel_columns(duel), "discs a game": duel.margin})
        found = super().conclude(chosen, measured) if measured else Conclusion(tables=())
        matches = (
            (ReportTable.of(f"edges: games against {WITHOUT}, depth {chosen.game_depth}", lines),) if lines else ()
        )
        return Conclusion(tables=(*found.tables, *matches), figures=found.figures, notes=found.notes)

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        spread = ", ".join(
            f"{how} from {values.min()} to {values.max()}" for how, values in zip(TABLES, EDGE_VALUES, strict=True)
        )
        return (
            f"Both tables have {STATES:,} entries ({spread}). Report 000 tried two ways to learn one, found none that "
            "improved its search, and left edges out.",
        )


def _pair(evaluation: str, pair: int, chosen: EdgesChoice, stop: Stop) -> list[Sample]:
    """An opening, played with each colour."""
    start = OthelloBoard.start()
    opening = Openings("random:8", start, seed=chosen.seed, count=pair)[pair - 1]
    samples: list[Sample] = []
    for colour, side in (("black", Side.BLACK), ("white", Side.WHITE))[: chosen.games - 2 * (pair - 1)]:
        board: Any = opening.copy()
        while not board.is_game_over():
            if board.legal_moves[0].is_pass:
                board.push("pass")
                continue
            own = TABLES[evaluation] if board.turn is side else WITHOUT
            options = {**REPORT_000, "evaluation": own, "table_bits": 16}
            with unnoted():  # tens of thousands of little searches; the games themselves are in the samples
                found = search(board, Limits(depth=chosen.game_depth), stop=stop, workers=1, **options)
            if stop.called:
                return []
            board.push(str(found.move))
        won = board.discs(side) - board.discs(side.other)
        moves = "".join(str(move) for move in board.moves)
        samples.append({"evaluation": evaluation, "pair": pair, "colour": colour, "discs": won, "moves": moves})
    return samples


def _duel(games: Sequence[Sample]) -> Duel:
    won = [number(game["discs"]) for game in games]
    return duel_between(games, [0.5 + 0.5 * ((discs > 0) - (discs < 0)) for discs in won], won)
