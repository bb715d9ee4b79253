"""Comparisons of choices for report 000's sequential program, on its two boards or on any set of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from outflank.kinds import Several, Shape
from outflank.lab.boards import POSITIONS, USUAL_GAME, Chosen, chosen_boards
from outflank.lab.classroom import REPORT_000
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.measuring import SEARCHED, Contender, disturbed, grouped, in_rounds, median, median_count, number
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape

START, MIDGAME = "start", "midgame"

FEW = 4
"""Boards up to which each has a table and a colour of its own; more are taken together by the stage of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardsChoice(Parameters):
    """Which boards are searched, and how deep."""

    depth: int = option(13, "Plies from the start.")
    midgame_depth: int = option(11, "Plies from any other board.")
    positions: tuple[str, ...] = option((START, MIDGAME), POSITIONS)

    @property
    def boards(self) -> list[Chosen]:
        """The boards."""
        return chosen_boards(USUAL_GAME, self.positions)

    def unused(self) -> tuple[str, ...]:
        asked = [each.name == START for each in self.boards if each.depth is None]
        used = {"depth": True in asked, "midgame_depth": False in asked}
        return tuple(name for name, is_used in used.items() if not is_used)

    def plies(self, board: Chosen) -> int:
        """How deep a board is searched."""
        return board.depth or (self.depth if board.name == START else self.midgame_depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingParameters(BoardsChoice):
    """What is measured."""

    rounds: int = option(3, "Times that each side is measured.")


class Choosing(Experiment[Any]):
    """A comparison of choices."""

    choices: tuple[tuple[Sample, dict[str, Any]], ...]
    """The labels and the options of each."""

    def tasks(self, chosen: ChoosingParameters) -> Sequence[Task]:
        sides = [
            Contender(
                labels={"board": each.name, **labels},
                board=each.board,
                depth=chosen.plies(each),
                options={**REPORT_000, **options},
            )
            for each in chosen.boards
            for labels, options in self.choices
        ]
        return in_rounds(sides, chosen.rounds)

    def shape(self, chosen: ChoosingParameters, sample: Sample) -> Shape:
        labels = {name: Literal[*(each[name] for each, _ in self.choices)] for name in self.labels}
        return sample_shape(SEARCHED, labels, board=str, round=Several)

    @property
    def labels(self) -> tuple[str, ...]:
        """What sets the sides apart."""
        return tuple(self.choices[0][0])

    def conclude(self, chosen: ChoosingParameters, samples: Sequence[Sample]) -> Conclusion:
        boards = grouped(samples, "board")
        if len(boards) <= FEW:
            tables = [self._table(str(board), found) for (board,), found in boards.items()]
            series = [each for (board,), found in boards.items() for each in self._bars(str(board), found)]
        else:
            tables = [self._together(samples)]
            series = self._stages(samples)
        plot = Plot(
            title=f"{self.name}: boards visited",
            x=", ".join(self.labels),
            y="boards" if len(boards) <= FEW else "boards / those of the best on the same board",
            series=tuple(series),
            kind="bars",
            log_y=True,
        )
        notes = (*self._fewest(samples), *self.notes(samples), *disturbed(self._sides(samples)))
        return Conclusion(tables=tuple(tables), figures=(plot,), notes=notes)

    def _sides(self, samples: Sequence[Sample]) -> dict[str, Sequence[Sample]]:
        return {", ".join(map(str, key)): found for key, found in grouped(samples, *self.labels, "board").items()}

    def _fewest(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        """On which boards which choice visits the fewest."""
        boards: dict[tuple[Any, ...], list[str]] = {}
        for label, ratios in self.ratios(samples).items():
            for board, ratio in ratios.items():
                if ratio == 1:
                    boards.setdefault(label, []).append(board)
        every = len(grouped(samples, "board"))
        told = [
            f"{', '.join(map(str, label))} ({', '.join(found) if every <= FEW else f'on {len(found)} of {every}'})"
            for label, found in boards.items()
        ]
        return (f"Fewest boards visited: {'; '.join(told)}.",) if told else ()

    def _table(self, board: str, found: Sequence[Sample]) -> ReportTable:
        groups = grouped(found, *self.labels)
        nodes = {label: median_count(each, "nodes") for label, each in groups.items()}
        least = min(nodes.values())
        lines = [
            {
                **dict(zip(self.labels, label, strict=True)),
                "time (s)": median(each, "seconds"),
                "boards": nodes[label],
                "boards / least": nodes[label] / least,
                "value": each[0]["value"],
                **self.beside(board, label),
            }
            for label, each in groups.items()
        ]
        return ReportTable.of(f"{self.name}: {board}, depth {found[0]['depth']}", lines)

    def _bars(self, board: str, found: Sequence[Sample]) -> list[Series]:
        points = tuple(
            (", ".join(map(str, label)), float(median_count(each, "nodes")))
            for label, each in grouped(found, *self.labels).items()
        )
        return [Series(name=board, points=points), *self.published(board)]

    def _together(self, samples: Sequence[Sample]) -> ReportTable:
        lines = []
        ratios = self.ratios(samples)
        for label, found in grouped(samples, *self.labels).items():
            by_stage = grouped(
                ({"stage": stage_of(board), "ratio": ratio} for board, ratio in ratios[label].items()), "stage"
            )
            per_board = grouped(found, "board").values()
            lines.append(
                {
                    **dict(zip(self.labels, label, strict=True)),
                    "time (s)": sum(median(each, "seconds") for each in per_board),
                    "boards": sum(median_count(each, "nodes") for each in per_board),
                    **{
                        f"{stage}, / least": _mean([number(each["ratio"]) for each in of])
                        for (stage,), of in by_stage.items()
                    },
                    "all, / least": _mean(list(ratios[label].values())),
                    "fewest on": sum(ratio == 1 for ratio in ratios[label].values()),
                }
            )
        note = (
            "Times and boards are sums; / least: boards visited over those of the best choice on the same board, the "
            "geometric mean over boards."
        )
        return ReportTable.of(f"{self.name}: {len(grouped(samples, 'board'))} boards", lines, notes=(note,))

    def ratios(self, samples: Sequence[Sample]) -> dict[tuple[Any, ...], dict[str, float]]:
        """Boards visited over those of the best choice on the same board, by choice and board."""
        found: dict[tuple[Any, ...], dict[str, float]] = {}
        for (board,), of in grouped(samples, "board").items():
            nodes = {label: median_count(each, "nodes") for label, each in grouped(of, *self.labels).items()}
            for label, count in nodes.items():
                found.setdefault(label, {})[str(board)] = count / min(nodes.values())
        return found

    def _stages(self, samples: Sequence[Sample]) -> list[Series]:
        ratios = self.ratios(samples)
        stages = dict.fromkeys(stage_of(board) for of in ratios.values() for board in of)
        return [
            Series(
                name=stage,
                points=tuple(
                    (
                        ", ".join(map(str, label)),
                        _mean([ratio for board, ratio in of.items() if stage_of(board) == stage]),
                    )
                    for label, of in ratios.items()
                ),
            )
            for stage in stages
        ]

    def beside(self, board: str, label: tuple[Any, ...]) -> Sample:
        """What the report printed for a row."""
        return {}

    def published(self, board: str) -> list[Series]:
        """The report's bars."""
        return []

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        """What is seen in the tables."""
        return ()


def stage_of(board: str) -> str:
    """Where in a game a named board belongs: its name without number and depth."""
    return re.sub(r"(?:(?<!\d)\d++)?(?:@\d++)?$", "", board)


def _mean(ratios: Sequence[float]) -> float:
    return prod(ratios) ** (1 / len(ratios))
