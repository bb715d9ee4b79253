"""Base class of experiments that compare options of report 000's sequential program on several boards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import DEFAULT_GAME, POSITIONS, StudyPosition, study_positions
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import (
    SEARCH_KINDS,
    Contender,
    grouped,
    in_rounds,
    median,
    median_count,
    number,
    timing_warnings,
)
from outflank.lab.report_programs.classroom import REPORT_000
from outflank.search.keywords import SearchArguments
from outflank.validation.documents import Several
from outflank.validation.values import Shape

START, MIDGAME = "start", "midgame"

FEW_BOARDS = 4
"""Greatest number of boards that get their own table and colour. More boards are grouped by stage of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardsParameters(Parameters):
    """Parameters that select the boards to search, and the search depths."""

    depth: int = option(13, "Plies from the start.")
    midgame_depth: int = option(11, "Plies from any other board.")
    positions: tuple[str, ...] = option((START, MIDGAME), POSITIONS)

    @property
    def boards(self) -> list[StudyPosition]:
        """The boards to search."""
        return study_positions(DEFAULT_GAME, self.positions)

    def unused(self) -> tuple[str, ...]:
        starts = [place.name == START for place in self.boards if place.depth is None]
        used = {"depth": True in starts, "midgame_depth": False in starts}
        return tuple(name for name, is_used in used.items() if not is_used)

    def plies(self, board: StudyPosition) -> int:
        """Return the search depth for a board, in plies."""
        return board.depth or (self.depth if board.name == START else self.midgame_depth)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoosingParameters(BoardsParameters):
    """Parameters of an experiment that compares search options."""

    rounds: int = option(3, "Times that each side is measured.")


class Choosing(Experiment):
    """An experiment that compares search options by visited nodes and by time."""

    choices: tuple[tuple[Sample, SearchArguments], ...]
    """Labels and search options of each compared search."""

    def tasks(self, parameters: ChoosingParameters) -> Sequence[Task]:
        sides = [
            Contender(
                labels={"board": place.name, **labels},
                board=place.board,
                depth=parameters.plies(place),
                options={**REPORT_000, **options},
            )
            for place in parameters.boards
            for labels, options in self.choices
        ]
        return in_rounds(sides, parameters.rounds)

    def shape(self, parameters: ChoosingParameters, sample: Sample) -> Shape:
        labels = {name: Literal[*(side[name] for side, _ in self.choices)] for name in self.labels}
        return sample_shape(SEARCH_KINDS, labels, board=str, round=Several)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels that distinguish the compared searches."""
        return tuple(self.choices[0][0])

    def conclude(self, parameters: ChoosingParameters, samples: Sequence[Sample]) -> Conclusion:
        boards = grouped(samples, "board")
        if len(boards) <= FEW_BOARDS:
            tables = [self._table(str(board), group) for (board,), group in boards.items()]
            series = [bars for (board,), group in boards.items() for bars in self._bars(str(board), group)]
        else:
            tables = [self._joint_table(samples)]
            series = self._bars_by_stage(samples)
        plot = Plot(
            title=f"{self.name}: boards visited",
            x=", ".join(self.labels),
            y="boards" if len(boards) <= FEW_BOARDS else "boards / those of the best on the same board",
            series=tuple(series),
            kind="bars",
            log_y=True,
        )
        notes = (*self._fewest(samples), *self.notes(samples), *timing_warnings(self._sides(samples)))
        return Conclusion(tables=tuple(tables), figures=(plot,), notes=notes)

    def _sides(self, samples: Sequence[Sample]) -> dict[str, Sequence[Sample]]:
        return {", ".join(map(str, key)): group for key, group in grouped(samples, *self.labels, "board").items()}

    def _fewest(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        """Return a note that names the boards on which each choice visits the fewest nodes."""
        boards: dict[tuple[Cell, ...], list[str]] = {}
        for label, ratios in self.ratios(samples).items():
            for board, ratio in ratios.items():
                if ratio == 1:
                    boards.setdefault(label, []).append(board)
        total = len(grouped(samples, "board"))
        parts = [
            f"{', '.join(map(str, label))} "
            f"({', '.join(names) if total <= FEW_BOARDS else f'on {len(names)} of {total}'})"
            for label, names in boards.items()
        ]
        return (f"Fewest boards visited: {'; '.join(parts)}.",) if parts else ()

    def _table(self, board: str, board_samples: Sequence[Sample]) -> ReportTable:
        groups = grouped(board_samples, *self.labels)
        nodes = {label: median_count(group, "nodes") for label, group in groups.items()}
        least = min(nodes.values())
        lines = [
            {
                **dict(zip(self.labels, label, strict=True)),
                "time (s)": median(group, "seconds"),
                "boards": nodes[label],
                "boards / least": nodes[label] / least,
                "value": group[0]["value"],
                **self.published_cells(board, label),
            }
            for label, group in groups.items()
        ]
        return ReportTable.of(f"{self.name}: {board}, depth {board_samples[0]['depth']}", lines)

    def _bars(self, board: str, board_samples: Sequence[Sample]) -> list[Series]:
        points = tuple(
            (", ".join(map(str, label)), float(median_count(group, "nodes")))
            for label, group in grouped(board_samples, *self.labels).items()
        )
        return [Series(name=board, points=points), *self.published(board)]

    def _joint_table(self, samples: Sequence[Sample]) -> ReportTable:
        lines = []
        ratios = self.ratios(samples)
        for label, label_samples in grouped(samples, *self.labels).items():
            by_stage = grouped(
                ({"stage": stage_of(board), "ratio": ratio} for board, ratio in ratios[label].items()), "stage"
            )
            per_board = grouped(label_samples, "board").values()
            lines.append(
                {
                    **dict(zip(self.labels, label, strict=True)),
                    "time (s)": sum(median(group, "seconds") for group in per_board),
                    "boards": sum(median_count(group, "nodes") for group in per_board),
                    **{
                        f"{stage}, / least": _mean([number(row["ratio"]) for row in rows])
                        for (stage,), rows in by_stage.items()
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

    def ratios(self, samples: Sequence[Sample]) -> dict[tuple[Cell, ...], dict[str, float]]:
        """Return the number of visited nodes relative to the best choice on the same board, by choice and board."""
        result: dict[tuple[Cell, ...], dict[str, float]] = {}
        for (board,), board_samples in grouped(samples, "board").items():
            nodes = {
                label: median_count(group, "nodes") for label, group in grouped(board_samples, *self.labels).items()
            }
            for label, count in nodes.items():
                result.setdefault(label, {})[str(board)] = count / min(nodes.values())
        return result

    def _bars_by_stage(self, samples: Sequence[Sample]) -> list[Series]:
        ratios = self.ratios(samples)
        stages = dict.fromkeys(stage_of(board) for by_board in ratios.values() for board in by_board)
        return [
            Series(
                name=stage,
                points=tuple(
                    (
                        ", ".join(map(str, label)),
                        _mean([ratio for board, ratio in by_board.items() if stage_of(board) == stage]),
                    )
                    for label, by_board in ratios.items()
                ),
            )
            for stage in stages
        ]

    def published_cells(self, board: str, label: tuple[Cell, ...]) -> Sample:
        """Return the published cells of report 000 for the row `label` of the table of `board`; none by default."""
        return {}

    def published(self, board: str) -> list[Series]:
        """Return the published numbers of report 000 for `board` as bars; none by default."""
        return []

    def notes(self, samples: Sequence[Sample]) -> tuple[str, ...]:
        """Return notes on the results; none by default."""
        return ()


def stage_of(board: str) -> str:
    """Return the stage of the game, which is a board's name without its number and depth: `late` for `late1@9`."""
    return re.sub(r"(?:(?<!\d)\d++)?(?:@\d++)?$", "", board)


def _mean(ratios: Sequence[float]) -> float:
    return prod(ratios) ** (1 / len(ratios))
