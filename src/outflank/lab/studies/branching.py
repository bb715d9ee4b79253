"""How wide the tree is under different evaluations: report 001's remark on mobility."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.games.evaluation import evaluation_named
from outflank.kinds import Count, Several, Shape
from outflank.lab.boards import usual_board
from outflank.lab.classroom import BrokenOff, legal_count
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.measuring import grouped, number
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.studies.turns import PLAIN, PLAYED, game
from outflank.search.contract import Stop
from outflank.search.probes import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchingChoice(Parameters):
    """What is measured."""

    depth: int = option(7, "Plies of alpha-beta.")
    evaluations: tuple[str, ...] = option(("mobility", "discs", "four-part", "phased"), "By name.")
    opponent: Literal["random", "first"] = option("random", "Who answers: any move, or always the `first` one.")
    games: int = option(5, "Games with each colour, against the random player.")
    seed: int = option(1, "For the random player.")

    def unused(self) -> tuple[str, ...]:
        return ("games", "seed") if self.opponent == "first" else ()  # which always plays the same game

    @property
    def played(self) -> int:
        """Games with each colour."""
        return self.games if self.opponent == "random" else 1


class Branching(Experiment[BranchingChoice]):
    """How the evaluation changes the width of the tree."""

    name = "branching"
    question = "How does the evaluation change the branching factor?"
    reports = ("001",)
    parameters = BranchingChoice

    def tasks(self, chosen: BranchingChoice) -> Sequence[Task]:
        for evaluation in chosen.evaluations:
            evaluation_named(usual_board().game, evaluation)  # says so at once if there is none
        return [
            Task(
                f"{evaluation} as {'black' if black else 'white'}, game {number_}",
                partial(_branching, evaluation, chosen, black, number_),
            )
            for number_ in range(1, chosen.played + 1)
            for evaluation in chosen.evaluations
            for black in (True, False)
        ]

    def shape(self, chosen: BranchingChoice, sample: Sample) -> Shape:
        return sample_shape(PLAYED, evaluation=str, legal=Several, inner=Several, moves=Count)

    def conclude(self, chosen: BranchingChoice, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        for (evaluation,), found in grouped(samples, "evaluation").items():
            turns = [number(sample["legal"]) for sample in found]
            inner = sum(number(sample["inner"]) for sample in found)
            lines.append(
                {
                    "evaluation": evaluation,
                    "own moves per turn": statistics.mean(turns),
                    "deviation": statistics.pstdev(turns),
                    "moves per inner node": sum(number(sample["moves"]) for sample in found) / inner,
                    "nodes per turn": statistics.mean(number(sample["nodes"]) for sample in found),
                    "effective branching": statistics.mean(
                        number(sample["nodes"]) ** (1 / chosen.depth) for sample in found
                    ),
                    "turns": len(turns),
                }
            )
        notes = (
            *_narrowest(lines),
            "Report 001 expects a mobility evaluation to narrow the tree, since both sides shrink each other's choice. "
            "Moves per inner node are those of the positions searched; effective branching is nodes^(1/depth).",
        )
        columns = NARROW
        bars = tuple(
            Series(name=column, points=tuple((str(row["evaluation"]), number(row[column])) for row in lines))
            for column in columns
        )
        plot = Plot(title="branching by evaluation", x="evaluation", y="moves", kind="bars", series=bars)
        title = f"branching at depth {chosen.depth}, against the {OPPONENTS[chosen.opponent]} player"
        return Conclusion(tables=(ReportTable.of(title, lines),), figures=(plot,), notes=notes)


OPPONENTS = {"random": "random", "first": "first-move"}
"""What they are called."""

NARROW = ("moves per inner node", "effective branching")
"""Two ways to say how wide a tree is."""


def _narrowest(lines: Sequence[Sample]) -> tuple[str, ...]:
    """Which evaluation has the narrowest tree."""
    if len(lines) < 2:
        return ()
    least = {column: min(lines, key=lambda line: number(line[column])) for column in NARROW}
    told = [f"{column} {line['evaluation']} ({number(line[column]):.2f})" for column, line in least.items()]
    return (f"Narrowest: by {', by '.join(told)}.",)


def _branching(evaluation: str, chosen: BranchingChoice, black: bool, number_: int, stop: Stop) -> list[Sample]:
    samples: list[Sample] = []
    counts = Counts()
    options = {**PLAIN, "evaluation": evaluation, "algorithm": "alphabeta", "workers": 1, "instrument": counts}
    seed = 1000 * chosen.seed + 2 * number_ + black
    before = (0, 0)
    try:
        games = game(chosen.depth, options, chosen.opponent, black=black, seed=seed, stop=stop)
        for turn, (board, found) in enumerate(games, 1):
            inner, moves = sum(counts.nodes), sum(counts.moves)
            samples.append(
                {
                    "evaluation": evaluation,
                    "colour": "black" if black else "white",
                    "game": number_,
                    "turn": turn,
                    "legal": legal_count(board),
                    "nodes": found.nodes,
                    "inner": inner - before[0],
                    "moves": moves - before[1],
                }
            )
            before = (inner, moves)
    except BrokenOff:
        pass
    return samples
