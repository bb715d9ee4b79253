"""What algorithms cost in whole games against weak players: report 001's measurements."""

import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.boards import OthelloBoard
from outflank.errors import UnknownName
from outflank.games.evaluation import evaluation_named
from outflank.games.sides import Side
from outflank.lab.classroom import Stopped, legal_count
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option, register
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import beyond_cores, grouped, number
from outflank.lab.report import Figure, Plot, Sample, Series, Table, sample_shape
from outflank.lab.searched import search, unnoted
from outflank.schema import Count, Kind, Measured, Several, Shape
from outflank.search.contract import Limits, Result, Stop
from outflank.search.probes import Counts

PLAIN: dict[str, Any] = {"evaluation": "mobility", "table_bits": None, "deepen": False}
"""Report 001's searches: moves of one side minus those of the other, no table, one iteration."""

ALGORITHMS: dict[str, dict[str, Any]] = {
    "SerialPVS": {"algorithm": "pvs"},
    "AlphaBeta": {"algorithm": "alphabeta"},
    "ParallelPVS": {"algorithm": "pvs", "parallel": "root-split", "share_alpha": False},
    "ParallelAlphaBeta": {"algorithm": "alphabeta", "parallel": "root-split", "share_alpha": False},
    "Jamboree": {"algorithm": "pvs", "parallel": "jamboree"},
    "SharedHashtable": {"algorithm": "pvs", "parallel": "shared-table", "table_bits": 20},
    "YoungBrothersWait": {"algorithm": "pvs", "parallel": "ybw"},
}
"""By report 001's names; the last one is ours. Its naive parallel versions give every root move a full window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    depth: int = option(9, "Plies; report 001 counts nodes at 11.")
    algorithms: tuple[str, ...] = option(tuple(ALGORITHMS), "By report 001's names.")
    workers: int = option(core_counts()[-1], "Workers of the parallel ones.")
    games: int = option(5, "Games with each colour.")
    seed: int = option(1, "For the random player.")

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        for name in self.algorithms:
            if name not in ALGORITHMS:
                raise UnknownName.among("algorithm", name, ALGORITHMS)


def _options(name: str, chosen: Any) -> dict[str, Any]:
    options = {**PLAIN, **ALGORITHMS[name]}
    return {**options, "workers": chosen.workers if "parallel" in options else 1}


def play(
    depth: int, options: dict[str, Any], opponent: str, *, black: bool, seed: int, stop: Stop
) -> Iterator[tuple[OthelloBoard, Result]]:
    """A game against a weak player: the board before each turn of ours, and what was found there."""
    board = OthelloBoard.start()
    random_ = random.Random(seed)
    ours = Side.BLACK if black else Side.WHITE
    while not board.is_game_over():
        if board.turn is not ours:
            moves = board.legal_moves
            board.push(str(moves[0] if opponent == "first" else random_.choice(moves)))
            continue
        if board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        found = search(board, Limits(depth=depth), stop=stop, in_game=True, **options)
        if stop.called:
            raise Stopped
        yield board, found
        board.push(str(found.move))


def _game(name: str, chosen: Choice, opponent: str, black: bool, number_: int, stop: Stop) -> list[Sample]:
    """One game: a sample for each turn."""
    options = _options(name, chosen)
    seed = 1000 * chosen.seed + 2 * number_ + black
    if number_ == 1:
        with unnoted():
            search(OthelloBoard.start(), Limits(depth=1), **options)  # compiles
    samples: list[Sample] = []
    try:
        for turn, (_, found) in enumerate(play(chosen.depth, options, opponent, black=black, seed=seed, stop=stop), 1):
            samples.append(
                {
                    "algorithm": name,
                    "opponent": opponent,
                    "colour": "black" if black else "white",
                    "game": number_,
                    "turn": turn,
                    "nodes": found.nodes,
                    "seconds": found.seconds,
                }
            )
    except Stopped:
        pass
    return samples


PLAYED: dict[str, Kind] = {
    "colour": Literal["black", "white"],
    "game": Several,
    "turn": Several,
    "nodes": Several,
}


class Turns(Experiment[Choice]):
    """Games of every algorithm against one weak player."""

    opponent: str
    measure: str
    unit: str
    scale = 1.0

    def games(self, chosen: Choice) -> int:
        """Games with each colour."""
        return chosen.games

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        return [
            Task(
                f"{name} as {'black' if black else 'white'}, game {number_}",
                partial(_game, name, chosen, self.opponent, black, number_),
                10.0 if ALGORITHMS[name].get("share_alpha") is False else 1.0,
            )
            for number_ in range(1, self.games(chosen) + 1)
            for name in chosen.algorithms
            for black in (True, False)
        ]

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        return sample_shape(PLAYED, algorithm=str, opponent=str, seconds=Measured)

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        for (name,), found in grouped(samples, "algorithm").items():
            values = [self.scale * number(sample[self.measure]) for sample in found]
            games = [
                statistics.mean(self.scale * number(sample[self.measure]) for sample in game)
                for game in grouped(found, "colour", "game").values()
            ]
            lines.append(
                {
                    "algorithm": name,
                    f"mean per turn ({self.unit})": statistics.mean(values),
                    "deviation over turns": statistics.pstdev(values),
                    "deviation over games": statistics.pstdev(games),
                    "turns": len(values),
                    "games": len(games),
                    **self.beside(str(name)),
                }
            )
        column = f"mean per turn ({self.unit})"
        bars = Series(
            name=f"depth {chosen.depth}", points=tuple((str(row["algorithm"]), number(row[column])) for row in lines)
        )
        figures: tuple[Figure, ...] = (
            Plot(
                title=f"{self.name} per turn",
                x="algorithm",
                y=f"{self.measure} per turn ({self.unit})",
                kind="bars",
                log_y=True,
                series=(bars, *self.published(chosen)),
            ),
        )
        title = f"{self.name} per turn at depth {chosen.depth}, against the {self.opponent}-move player"
        return Conclusion(
            tables=(Table.of(title, lines),),
            figures=figures,
            notes=(*self.notes(lines), *beyond_cores((chosen.workers,))),
        )

    def beside(self, name: str) -> Sample:
        """What the report printed for a row."""
        return {}

    def published(self, chosen: Choice) -> tuple[Series, ...]:
        """The report's bars."""
        return ()

    def notes(self, lines: Sequence[Sample]) -> tuple[str, ...]:
        """What is seen in the table."""
        return ()


@register
class Nodes(Turns):
    """Nodes per turn against the player who takes the first move."""

    name = "nodes"
    question = "How many nodes per turn do serial and parallel algorithms search?"
    reports = ("001",)
    parameters = Choice
    opponent, measure, unit = "first", "nodes", "nodes"

    def games(self, chosen: Choice) -> int:
        # Against the first move a serial search plays the same game every time; the others nearly so.
        return 1

    def _printed(self) -> dict[str, float]:
        return {row["algorithm"]: row["nodes_per_turn"] for row in published_rows("001", "nodes")}

    def beside(self, name: str) -> Sample:
        return {"001, depth 11": self._printed().get(name)}

    def published(self, chosen: Choice) -> tuple[Series, ...]:
        return (Series(name="001, depth 11", points=tuple(self._printed().items()), published=True),)

    def notes(self, lines: Sequence[Sample]) -> tuple[str, ...]:
        mean = {str(row["algorithm"]): number(row["mean per turn (nodes)"]) for row in lines}
        found = []
        for serial, parallel in (("SerialPVS", "ParallelPVS"), ("AlphaBeta", "ParallelAlphaBeta")):
            if serial in mean and parallel in mean:
                ratio = mean[parallel] / mean[serial]
                found.append(f"{parallel} searches {ratio:.1f} times the nodes of {serial} (report 001: roughly 10).")
        return tuple(found)


@register
class Times(Turns):
    """Time per turn against the random player."""

    name = "times"
    question = "How long do serial and parallel algorithms think per turn?"
    reports = ("001",)
    parameters = Choice
    opponent, measure, unit, scale = "random", "seconds", "ms", 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchingChoice(Parameters):
    """What is measured."""

    depth: int = option(7, "Plies of alpha-beta.")
    evaluations: tuple[str, ...] = option(("mobility", "discs", "four-part", "phased"), "By name.")
    games: int = option(5, "Games with each colour, against the random player.")
    seed: int = option(1, "For the random player.")


@register
class Branching(Experiment[BranchingChoice]):
    """How the evaluation changes the width of the tree."""

    name = "branching"
    question = "How does the evaluation change the branching factor?"
    reports = ("001",)
    parameters = BranchingChoice

    def tasks(self, chosen: BranchingChoice) -> Sequence[Task]:
        for evaluation in chosen.evaluations:
            evaluation_named(OthelloBoard.start().game, evaluation)  # says so at once if there is none
        return [
            Task(
                f"{evaluation} as {'black' if black else 'white'}, game {number_}",
                partial(_branching, evaluation, chosen, black, number_),
            )
            for number_ in range(1, chosen.games + 1)
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
            "Report 001 expects a mobility evaluation to narrow the tree, since both sides shrink each other's choice. "
            "Moves per inner node are those of the positions searched; effective branching is nodes^(1/depth).",
        )
        columns = ("moves per inner node", "effective branching")
        bars = tuple(
            Series(name=column, points=tuple((str(row["evaluation"]), number(row[column])) for row in lines))
            for column in columns
        )
        plot = Plot(title="branching by evaluation", x="evaluation", y="moves", kind="bars", series=bars)
        return Conclusion(tables=(Table.of(f"branching at depth {chosen.depth}", lines),), figures=(plot,), notes=notes)


def _branching(evaluation: str, chosen: BranchingChoice, black: bool, number_: int, stop: Stop) -> list[Sample]:
    samples: list[Sample] = []
    options = {**PLAIN, "evaluation": evaluation, "algorithm": "alphabeta", "workers": 1}
    seed = 1000 * chosen.seed + 2 * number_ + black
    counts = Counts()
    before = (0, 0)
    try:
        games = play(chosen.depth, {**options, "instrument": counts}, "random", black=black, seed=seed, stop=stop)
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
    except Stopped:
        pass
    return samples
