"""Experiment `branching`: tree width by evaluation. Report 001 expects the evaluation `mobility` to narrow the tree."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import default_board
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.report_programs.classroom import BrokenOff, legal_count
from outflank.lab.studies.nodes_per_turn import PLAIN, PLAYED, game
from outflank.search.probes import Counts
from outflank.search.request import Stop
from outflank.validation.documents import Count, Several
from outflank.validation.values import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchingParameters(Parameters):
    """Parameters of the experiment `branching`."""

    depth: int = option(7, "Plies of alpha-beta.")
    evaluations: tuple[str, ...] = option(("mobility", "discs", "four-part", "phased"), "By name.")
    opponent: Literal["random", "first"] = option("random", "Who answers: any move, or always the `first` one.")
    games: int = option(5, "Games with each colour, against the random player.")
    seed: int = option(1, "For the random player.")

    def unused(self) -> tuple[str, ...]:
        return ("games", "seed") if self.opponent == "first" else ()  # the first-move player always plays the same game

    @property
    def played(self) -> int:
        """Number of games that are played with each colour."""
        return self.games if self.opponent == "random" else 1


class Branching(Experiment[BranchingParameters]):
    """Measures how the evaluation changes the width of the tree."""

    name = "branching"
    question = "How does the evaluation change the branching factor?"
    reports = ("001",)
    parameters = BranchingParameters

    def tasks(self, parameters: BranchingParameters) -> Sequence[Task]:
        for evaluation in parameters.evaluations:
            evaluation_named(default_board().game, evaluation)  # raises at once for an unknown name
        return [
            Task(
                f"{evaluation} as {'black' if black else 'white'}, game {game_number}",
                partial(_branching, evaluation, parameters, black, game_number),
            )
            for game_number in range(1, parameters.played + 1)
            for evaluation in parameters.evaluations
            for black in (True, False)
        ]

    def shape(self, parameters: BranchingParameters, sample: Sample) -> Shape:
        return sample_shape(PLAYED, evaluation=str, legal=Several, inner=Several, moves=Count)

    def conclude(self, parameters: BranchingParameters, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        for (evaluation,), group in grouped(samples, "evaluation").items():
            turns = [number(sample["legal"]) for sample in group]
            inner_nodes = sum(number(sample["inner"]) for sample in group)
            lines.append(
                {
                    "evaluation": evaluation,
                    "own moves per turn": statistics.mean(turns),
                    "deviation": statistics.pstdev(turns),
                    "moves per inner node": sum(number(sample["moves"]) for sample in group) / inner_nodes,
                    "nodes per turn": statistics.mean(number(sample["nodes"]) for sample in group),
                    "effective branching": statistics.mean(
                        number(sample["nodes"]) ** (1 / parameters.depth) for sample in group
                    ),
                    "turns": len(turns),
                }
            )
        notes = (
            *_narrowest(lines),
            "Report 001 expects a mobility evaluation to narrow the tree, since both sides shrink each other's choice. "
            "Moves per inner node are those of the positions searched; effective branching is nodes^(1/depth).",
        )
        columns = WIDTH_MEASURES
        bars = tuple(
            Series(name=column, points=tuple((str(row["evaluation"]), number(row[column])) for row in lines))
            for column in columns
        )
        plot = Plot(title="branching by evaluation", x="evaluation", y="moves", kind="bars", series=bars)
        title = f"branching at depth {parameters.depth}, against the {OPPONENTS[parameters.opponent]} player"
        return Conclusion(tables=(ReportTable.of(title, lines),), figures=(plot,), notes=notes)


OPPONENTS = {"random": "random", "first": "first-move"}
"""Opponent's name in titles, by value of the parameter `opponent`."""

WIDTH_MEASURES = ("moves per inner node", "effective branching")
"""Table columns that measure the width of a tree."""


def _narrowest(lines: Sequence[Sample]) -> tuple[str, ...]:
    """Return a note that names the evaluation with the narrowest tree."""
    if len(lines) < 2:
        return ()
    least = {column: min(lines, key=lambda line: number(line[column])) for column in WIDTH_MEASURES}
    parts = [f"{column} {line['evaluation']} ({number(line[column]):.2f})" for column, line in least.items()]
    return (f"Narrowest: by {', by '.join(parts)}.",)


def _branching(
    evaluation: str, parameters: BranchingParameters, black: bool, game_number: int, stop: Stop
) -> list[Sample]:
    samples: list[Sample] = []
    counts = Counts()
    options = {**PLAIN, "evaluation": evaluation, "algorithm": "alphabeta", "workers": 1, "instrument": counts}
    seed = 1000 * parameters.seed + 2 * game_number + black
    before = (0, 0)
    try:
        turns = game(parameters.depth, options, parameters.opponent, black=black, seed=seed, stop=stop)
        for turn, (board, result) in enumerate(turns, 1):
            inner, moves = sum(counts.nodes), sum(counts.moves)
            samples.append(
                {
                    "evaluation": evaluation,
                    "colour": "black" if black else "white",
                    "game": game_number,
                    "turn": turn,
                    "legal": legal_count(board),
                    "nodes": result.nodes,
                    "inner": inner - before[0],
                    "moves": moves - before[1],
                }
            )
            before = (inner, moves)
    except BrokenOff:
        pass
    return samples
