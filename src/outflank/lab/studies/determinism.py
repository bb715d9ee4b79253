"""Whether a game is the same on any number of workers: report 004's policy, put to the test."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from outflank.lab.classroom import RULES_004, Stopped, new_board, self_play
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option, register
from outflank.lab.measuring import grouped
from outflank.lab.report import Sample, Table, sample_shape
from outflank.schema import Several, Shape
from outflank.search.contract import Stop
from outflank.words import how_many


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    depth: int = option(5, "Plies.")
    workers: tuple[int, ...] = option((*core_counts(), 2 * core_counts()[-1]), "Numbers of workers.")
    schemes: tuple[str, ...] = option(("fork-join",), "Schemes; ybw, jamboree and the like play alpha-beta.")
    rounds: int = option(2, "Games on each number of workers.")


@register
class Determinism(Experiment[Choice]):
    """The same game again and again."""

    name = "determinism"
    question = "Are moves and values of a whole game the same on any number of workers?"
    reports = ("004",)
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        found = [Task("serial", partial(_game, chosen, None, 1, 1))]
        for scheme in chosen.schemes:
            for workers in chosen.workers:
                found += [
                    Task(
                        f"{scheme}, {how_many(workers, 'worker')}, game {number}",
                        partial(_game, chosen, scheme, workers, number),
                    )
                    for number in range(1, chosen.rounds + 1)
                ]
        return found

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        return sample_shape(scheme=str, workers=Several, game=Several, turn=Several, move=str, value=int)

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        games = grouped(samples, "scheme", "workers", "game")
        first = [(sample["move"], sample["value"]) for sample in next(iter(games.values()), [])]
        lines: list[Sample] = []
        for (scheme, workers, number), found in games.items():
            moves = [(sample["move"], sample["value"]) for sample in found]
            differs = next((turn for turn, (a, b) in enumerate(zip(first, moves, strict=False), 1) if a != b), None)
            if differs is None and len(first) != len(moves):
                differs = min(len(first), len(moves)) + 1
            lines.append(
                {
                    "scheme": scheme,
                    "workers": workers,
                    "game": number,
                    "turns": len(found),
                    "same moves and values": differs is None,
                    "first difference": differs,
                }
            )
        same = all(line["same moves and values"] for line in lines)
        note = f"{how_many(len(lines), 'game')}, {'all the same' if same else 'not all the same'}."
        return Conclusion(tables=(Table.of(f"games at depth {chosen.depth}", lines),), notes=(note,), passed=same)


def _game(chosen: Choice, scheme: str | None, workers: int, number: int, stop: Stop) -> list[Sample]:
    algorithm = "minimax" if scheme in (None, "fork-join") and set(chosen.schemes) == {"fork-join"} else "alphabeta"
    options = {"algorithm": algorithm, "parallel": scheme, "workers": workers}
    samples: list[Sample] = []
    try:
        for turn, found in enumerate(self_play(chosen.depth, RULES_004, new_board(), stop=stop, **options), 1):
            samples.append(
                {
                    "scheme": scheme or "serial",
                    "workers": workers,
                    "game": number,
                    "turn": turn,
                    "move": str(found.move),
                    "value": found.value,
                }
            )
    except Stopped:
        pass  # the samples will not be kept
    return samples
