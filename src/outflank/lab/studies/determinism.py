"""Experiment `determinism`: whether a game is the same with any number of workers, as report 004's policy demands.

Each scheme is checked against its own `Promise`. A scheme that does not promise the same moves searches the positions
of the serial game, so that its values can be compared turn by turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.errors import InvalidOption
from outflank.games.defaults import ReportProgram
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_report import ReportTable, Sample, sample_shape
from outflank.lab.measuring.search_log import search
from outflank.lab.measuring.search_samples import UNDIVIDED, grouped
from outflank.lab.report_programs.classroom import RULES_004, BrokenOff, new_board, self_play
from outflank.othello.board import OthelloBoard
from outflank.search.division import Promise, scheme_named
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.validation.documents import Count, Several
from outflank.validation.text import how_many
from outflank.validation.values import Shape

SERIAL = "serial"
"""Label of the game that one worker plays without dividing the tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeterminismParameters(Parameters):
    """Parameters of the experiment `determinism`."""

    depth: int = option(5, "Plies.")
    workers: tuple[int, ...] = option((*core_counts(), 2 * core_counts()[-1]), "Numbers of workers.")
    schemes: tuple[str, ...] = option(("fork-join",), "Schemes; ybw, jamboree and the like play alpha-beta.")
    schedule: Literal["one", "rows"] = option(
        "one", "What is handed out at a time: `one` move (004's dev), or the moves of one of the `rows` (its master)."
    )
    rounds: int = option(2, "Games on each number of workers.")

    def __post_init__(self) -> None:
        super(DeterminismParameters, self).__post_init__()
        for name in self.schemes:
            if not scheme_named(name).promised(self.algorithm):
                raise InvalidOption(
                    f"{name} promises {scheme_named(name).promises_text}: there is nothing to hold it to"
                )
            if self.schedule != "one" and name in UNDIVIDED:
                raise InvalidOption(f"schedule={self.schedule}: {name} has no nodes whose moves are handed out")

    @property
    def algorithm(self) -> str:
        """The search algorithm of all games. Games can only be equal if they use the same algorithm."""
        return "minimax" if set(self.schemes) == {"fork-join"} else "alphabeta"


class Determinism(Experiment[DeterminismParameters]):
    """Plays the same game with each scheme and number of workers, and compares it with the serial game."""

    name = "determinism"
    question = "Is what schemes promise of a whole game the same on any number of workers?"
    reports = ("004",)
    parameters = DeterminismParameters

    def tasks(self, parameters: DeterminismParameters) -> Sequence[Task]:
        tasks = [Task(SERIAL, partial(_game, parameters, None, 1, 1))]
        for scheme in parameters.schemes:
            for workers in parameters.workers:
                tasks += [
                    Task(
                        f"{scheme}, {how_many(workers, 'worker')}, game {number}",
                        partial(_game, parameters, scheme, workers, number),
                    )
                    for number in range(1, parameters.rounds + 1)
                ]
        return tasks

    def shape(self, parameters: DeterminismParameters, sample: Sample) -> Shape:
        return sample_shape(scheme=str, workers=Several, game=Several, turn=Several, move=str, value=int, nodes=Count)

    def conclude(self, parameters: DeterminismParameters, samples: Sequence[Sample]) -> Conclusion:
        games = grouped(samples, "scheme", "workers", "game")
        first = games.get((SERIAL, 1, 1), [])
        lines: list[Sample] = []
        for (scheme, workers, number), turns in games.items():
            promised = _promised(parameters, str(scheme))
            first_difference = {name: _first_difference(first, turns, name) for name in ("value", "move", "nodes")}
            broken = [
                turn
                for name, flag in PROMISED.items()
                if flag in promised and (turn := first_difference[name]) is not None
            ]
            lines.append(
                {
                    "scheme": scheme,
                    "workers": workers,
                    "game": number,
                    "turns": len(turns),
                    "promises": ", ".join(name for name, flag in PROMISED.items() if flag in promised),
                    "same values": first_difference["value"] is None,
                    "same moves": first_difference["move"] is None,
                    "same nodes": first_difference["nodes"] is None,
                    "keeps its promise": not broken,
                    "first broken": min(broken, default=None),
                }
            )
        passed = all(line["keeps its promise"] for line in lines)
        note = f"{how_many(len(lines), 'game')}, {'every promise kept' if passed else 'not every promise kept'}."
        unit = "rows" if parameters.schedule == "rows" else "single moves"
        title = f"games at depth {parameters.depth}, {parameters.algorithm}, by {unit}"
        explanation = "A scheme that promises no move searches the positions of the serial game, each for itself."
        moves_may_differ = any(Promise.MOVE not in _promised(parameters, name) for name in parameters.schemes)
        return Conclusion(
            tables=(ReportTable.of(title, lines, notes=(explanation,) if moves_may_differ else ()),),
            notes=(note,),
            passed=passed,
        )


PROMISED = {"value": Promise.VALUE, "move": Promise.MOVE, "nodes": Promise.NODES}
"""Promise for each column of a sample. A scheme that makes it must have the serial game's values in that column."""


def _promised(parameters: DeterminismParameters, scheme: str) -> Promise:
    return ~Promise(0) if scheme == SERIAL else scheme_named(scheme).promised(parameters.algorithm)


def _first_difference(first: Sequence[Sample], second: Sequence[Sample], name: str) -> int | None:
    """Return the number of the first turn at which two games differ in the column `name`, or None."""
    for turn, (turn_1, turn_2) in enumerate(zip(first, second, strict=False), 1):
        if turn_1[name] != turn_2[name]:
            return turn
    return None if len(first) == len(second) else min(len(first), len(second)) + 1


def _game(parameters: DeterminismParameters, scheme: str | None, workers: int, number: int, stop: Stop) -> list[Sample]:
    options: SearchArguments = {"algorithm": parameters.algorithm}
    if scheme is not None:
        options |= {"parallel": scheme, "workers": workers, "schedule": parameters.schedule}
    plays = self_play if Promise.MOVE in _promised(parameters, scheme or SERIAL) else _search_serial_game
    try:
        return [
            {
                "scheme": scheme or SERIAL,
                "workers": workers,
                "game": number,
                "turn": turn,
                "move": str(result.move),
                "value": result.value,
                "nodes": result.nodes,
            }
            for turn, result in enumerate(plays(parameters.depth, RULES_004, new_board(), stop=stop, **options), 1)
        ]
    except BrokenOff:
        return []  # an unfinished game is discarded


def _search_serial_game(
    depth: int, program: ReportProgram, board: OthelloBoard, *, stop: Stop, **options: Any
) -> Iterator[Result]:
    """Play the serial game, and yield the result of a search with `options` in each of its positions."""
    game = new_board()
    for serial_result in self_play(depth, program, game, stop=stop, algorithm=options["algorithm"]):
        result = search(board, Limits(depth=depth), stop=stop, **{**program.search_options(board.turn), **options})
        if stop.called:
            raise BrokenOff
        board.push(str(serial_result.move))
        yield result
