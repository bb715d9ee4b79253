"""Whether a game is the same on any number of workers: report 004's policy, put to the test.

Each scheme is held to what it promises. One that promises no move searches the positions of the game that one worker
plays, so that it can be held to its values turn by turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.errors import InvalidOption
from outflank.games.programs import ReportProgram
from outflank.kinds import Several, Shape
from outflank.lab.classroom import RULES_004, BrokenOff, new_board, self_play
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.measuring import UNDIVIDED, grouped
from outflank.lab.report import ReportTable, Sample, sample_shape
from outflank.lab.search_log import search
from outflank.othello.board import OthelloBoard
from outflank.search.contract import Limits, Stop
from outflank.search.division import Promise, scheme_named
from outflank.search.results import Result
from outflank.words import how_many

SERIAL = "serial"
"""The name of the game that one worker plays without dividing anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeterminismParameters(Parameters):
    """What is measured."""

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
        """What plays: one for all, so that games can be the same."""
        return "minimax" if set(self.schemes) == {"fork-join"} else "alphabeta"


class Determinism(Experiment[DeterminismParameters]):
    """The same game again and again."""

    name = "determinism"
    question = "Is what schemes promise of a whole game the same on any number of workers?"
    reports = ("004",)
    parameters = DeterminismParameters

    def tasks(self, chosen: DeterminismParameters) -> Sequence[Task]:
        found = [Task(SERIAL, partial(_game, chosen, None, 1, 1))]
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

    def shape(self, chosen: DeterminismParameters, sample: Sample) -> Shape:
        return sample_shape(scheme=str, workers=Several, game=Several, turn=Several, move=str, value=int)

    def conclude(self, chosen: DeterminismParameters, samples: Sequence[Sample]) -> Conclusion:
        games = grouped(samples, "scheme", "workers", "game")
        first = games.get((SERIAL, 1, 1), [])
        lines: list[Sample] = []
        for (scheme, workers, number), found in games.items():
            promised = _promised(chosen, str(scheme))
            same = {name: _first_difference(first, found, name) for name in ("value", "move", "nodes")}
            broken = [turn for name, flag in PROMISED.items() if flag in promised and (turn := same[name]) is not None]
            lines.append(
                {
                    "scheme": scheme,
                    "workers": workers,
                    "game": number,
                    "turns": len(found),
                    "promises": ", ".join(name for name, flag in PROMISED.items() if flag in promised),
                    "same values": same["value"] is None,
                    "same moves": same["move"] is None,
                    "same nodes": same["nodes"] is None,
                    "keeps its promise": not broken,
                    "first broken": min(broken, default=None),
                }
            )
        kept = all(line["keeps its promise"] for line in lines)
        note = f"{how_many(len(lines), 'game')}, {'every promise kept' if kept else 'not every promise kept'}."
        by = "rows" if chosen.schedule == "rows" else "single moves"
        title = f"games at depth {chosen.depth}, {chosen.algorithm}, by {by}"
        about = "A scheme that promises no move searches the positions of the serial game, each for itself."
        loose = any(Promise.MOVE not in _promised(chosen, name) for name in chosen.schemes)
        return Conclusion(
            tables=(ReportTable.of(title, lines, notes=(about,) if loose else ()),), notes=(note,), passed=kept
        )


PROMISED = {"value": Promise.VALUE, "move": Promise.MOVE, "nodes": Promise.NODES}
"""The column of each promise."""


def _promised(chosen: DeterminismParameters, scheme: str) -> Promise:
    return ~Promise(0) if scheme == SERIAL else scheme_named(scheme).promised(chosen.algorithm)


def _first_difference(first: Sequence[Sample], found: Sequence[Sample], name: str) -> int | None:
    """The turn from which on two games are not the same in something; older documents have no nodes."""
    for turn, (one, other) in enumerate(zip(first, found, strict=False), 1):
        if one.get(name) != other.get(name):
            return turn
    return None if len(first) == len(found) else min(len(first), len(found)) + 1


def _game(chosen: DeterminismParameters, scheme: str | None, workers: int, number: int, stop: Stop) -> list[Sample]:
    options: dict[str, Any] = {"algorithm": chosen.algorithm}
    if scheme is not None:
        options |= {"parallel": scheme, "workers": workers, "schedule": chosen.schedule}
    plays = self_play if Promise.MOVE in _promised(chosen, scheme or SERIAL) else _beside_the_serial_game
    try:
        return [
            {
                "scheme": scheme or SERIAL,
                "workers": workers,
                "game": number,
                "turn": turn,
                "move": str(found.move),
                "value": found.value,
                "nodes": found.nodes,
            }
            for turn, found in enumerate(plays(chosen.depth, RULES_004, new_board(), stop=stop, **options), 1)
        ]
    except BrokenOff:
        return []  # nothing of it would be kept


def _beside_the_serial_game(
    depth: int, program: ReportProgram, board: OthelloBoard, *, stop: Stop, **options: Any
) -> Iterator[Result]:
    """Each position of the game that one worker plays, searched in another way."""
    game = new_board()
    for alone in self_play(depth, program, game, stop=stop, algorithm=options["algorithm"]):
        found = search(board, Limits(depth=depth), stop=stop, **{**program.searching(board.turn), **options})
        if stop.called:
            raise BrokenOff
        board.push(str(alone.move))
        yield found
