"""Experiments `depths` and `pruning`: cost of a search by depth, and savings of alpha-beta, in Abalone (report 003)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.abalone.board import AbaloneBoard
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import alternating, grouped, median, number
from outflank.lab.report_programs.classroom import lab_positions, lab_search_003
from outflank.lab.report_programs.published_numbers import rows as published_rows
from outflank.search.ordering import ordering_named
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.validation.documents import Measured, Several
from outflank.validation.values import Kind, Shape

PROGRAMS = ("minimax", "alpha-beta, full windows (003)", "alpha-beta")
KINDS = "kinds:from_depth=1"
"""Move ordering of report 003's program, which both alpha-beta searches of `PROGRAMS` use."""
ORDERED = "003 with "
"""Prefix of the name of report 003's program with another move ordering."""


def _search(program: str, board: AbaloneBoard, depth: int, stop: Stop) -> Result:
    if program == "minimax":
        return search(
            board, Limits(depth=depth), stop=stop, algorithm="minimax", evaluation="rings", deepen=False, workers=1
        )
    ordering = program.removeprefix(ORDERED) if program.startswith(ORDERED) else KINDS
    return lab_search_003(board, depth, "rings", share_alpha=program == "alpha-beta", stop=stop, ordering=ordering)


def _sample(program: str, name: str, board: AbaloneBoard, depth: int, round_: int, stop: Stop) -> list[Sample]:
    if round_ == 1:
        with without_logging():
            _search(program, board, 1, stop)  # compiles
    result = _search(program, board, depth, stop)
    sample: Sample = {
        "program": program,
        "position": name,
        "depth": depth,
        "round": round_,
        "value": result.value,
        "leaves": result.leaves,
        "nodes": result.nodes,
        "seconds": result.seconds,
    }
    return [sample]


def _savings_notes(samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return a note on the leaves that pruning saves at the greatest depth that all programs have searched."""
    leaves = {key: number(group[0]["leaves"]) for key, group in grouped(samples, "program", "depth").items()}
    programs = tuple(dict.fromkeys(program for program, _ in leaves))
    minimax_depths = [depth for program, depth in leaves if program == PROGRAMS[0]]
    depths = [number(depth) for depth in minimax_depths if all((program, depth) in leaves for program in programs)]
    if not depths or len(programs) == 1:
        return ()
    deepest = max(depths)
    minimax_leaves = leaves[PROGRAMS[0], deepest]
    others = [program for program in programs if program != PROGRAMS[0]]
    parts = ", ".join(f"{minimax_leaves / leaves[program, deepest]:.1f} times those of {program}" for program in others)
    return (f"At depth {deepest} minimax evaluates {minimax_leaves:,.0f} leaves: {parts}.",)


def _sides(parameters: "DepthsParameters") -> list[tuple[str, int]]:
    return [
        (program, depth)
        for program in PROGRAMS
        for depth in parameters.depths
        if program != "minimax" or depth <= parameters.minimax_depth
    ]


def _shape(**names: Kind) -> Shape:
    return sample_shape(
        {"program": str, "position": str, "depth": Several, **names},
        round=Several,
        value=int,
        leaves=Several,
        nodes=Several,
        seconds=Measured,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthsParameters(Parameters):
    """Parameters of the experiment `depths`."""

    depths: tuple[int, ...] = option((1, 2, 3, 4, 5), "Plies from the start.")
    minimax_depth: int = option(4, "Plies of minimax, at most: at 5 it evaluates 283 million leaves.")
    rounds: int = option(3, "Times that each depth is measured.")


class Depths(Experiment[DepthsParameters]):
    """Measures time and leaves by search depth, with and without pruning."""

    name = "depths"
    question = "How do time and leaves grow with the depth, with and without pruning?"
    reports = ("003",)
    parameters = DepthsParameters

    def tasks(self, parameters: DepthsParameters) -> Sequence[Task]:
        board = AbaloneBoard.start()
        return [
            Task(
                f"{program}, depth {depth}, round {round_number}",
                partial(_sample, program, "start", board, depth, round_number),
                float(20 ** (depth - 3)) * (20 if program == "minimax" else 1),
            )
            for round_number, (program, depth) in alternating(_sides(parameters), parameters.rounds)
        ]

    def shape(self, parameters: DepthsParameters, sample: Sample) -> Shape:
        return _shape(program=Literal[*PROGRAMS], depth=Literal[*parameters.depths])

    def conclude(self, parameters: DepthsParameters, samples: Sequence[Sample]) -> Conclusion:
        by_depth: dict[int, Sample] = {int(depth): {"depth": depth} for depth in parameters.depths}
        for (program, depth), group in grouped(samples, "program", "depth").items():
            row = by_depth[int(number(depth))]
            row[f"{program}: leaves"] = group[0]["leaves"]
            row[f"{program}: time (s)"] = median(group, "seconds")
        curves = grouped(samples, "program")
        notes = _savings_notes(samples)

        def over(measure: str) -> tuple[Series, ...]:
            return tuple(
                Series(
                    name=str(program),
                    points=tuple(
                        (number(depth), median(group, measure))
                        for (depth,), group in grouped(program_samples, "depth").items()
                    ),
                )
                for (program,), program_samples in curves.items()
            )

        published = tuple(
            Series(
                name=f"003 {row['algorithm']}",
                points=((row["depth"], float(row["evaluations"])),),
                style="points",
                published=True,
            )
            for row in published_rows("003", "evaluations")
        )
        return Conclusion(
            tables=(ReportTable.of("Abalone from the start, by depth", list(by_depth.values())),),
            notes=notes,
            figures=(
                Plot(
                    title="leaves by depth",
                    x="depth (plies)",
                    y="leaves",
                    log_y=True,
                    series=(*over("leaves"), *published),
                ),
                Plot(title="time by depth", x="depth (plies)", y="time (s)", log_y=True, series=over("seconds")),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningParameters(Parameters):
    """Parameters of the experiment `pruning`."""

    depth: int = option(4, "Plies.")
    orderings: tuple[str, ...] = option(
        ("generated:from_depth=1", "reversed:from_depth=1"), "Orderings that report 003's program has beside its own."
    )

    def __post_init__(self) -> None:
        super(PruningParameters, self).__post_init__()
        for name in self.orderings:
            ordering_named(AbaloneBoard.start().game, name)  # raises for an unknown name


class Pruning(Experiment[PruningParameters]):
    """Compares the leaves and nodes of minimax and alpha-beta on report 003's positions."""

    name = "pruning"
    question = "Which part of the tree does alpha-beta leave out, in leaves and in nodes?"
    reports = ("003",)
    parameters = PruningParameters

    def tasks(self, parameters: PruningParameters) -> Sequence[Task]:
        return [
            Task(
                f"{program}, {name}",
                partial(_sample, program, name, board, parameters.depth, 1),
                10.0 if program == "minimax" else 1.0,
            )
            for name, board in lab_positions().items()
            for program in (*PROGRAMS, *(f"{ORDERED}{ordering}" for ordering in parameters.orderings))
        ]

    def shape(self, parameters: PruningParameters, sample: Sample) -> Shape:
        known = (*PROGRAMS, *(f"{ORDERED}{ordering}" for ordering in parameters.orderings))
        return _shape(program=Literal[*known])

    def conclude(self, parameters: PruningParameters, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        rates: dict[str, list[float]] = {}
        for (position,), group in grouped(samples, "position").items():
            by_program = {str(sample["program"]): sample for sample in group if sample["program"] in PROGRAMS}
            row: Sample = {"position": position}
            for program, sample in by_program.items():
                row[f"{program}: leaves"] = sample["leaves"]
                row[f"{program}: nodes"] = sample["nodes"]
                if program != "minimax" and "minimax" in by_program:
                    minimax = by_program["minimax"]
                    rate = 1 - number(sample["leaves"]) / number(minimax["leaves"])
                    row[f"{program}: leaves pruned"] = f"{rate:.2%}"
                    row[f"{program}: nodes pruned"] = f"{1 - number(sample['nodes']) / number(minimax['nodes']):.2%}"
                    rates.setdefault(program, []).append(rate)
            lines.append(row)
        differing = [
            str(position)
            for (position,), group in grouped(samples, "position").items()
            if len({sample["value"] for sample in group}) > 1
        ]
        averages = [
            f"{program} leaves out {sum(shares) / len(shares):.1%} of the leaves on average (report 003: about 97 % at "
            "depth 4)."
            for program, shares in rates.items()
        ]
        series = tuple(
            Series(name=program, points=tuple((str(sample["position"]), number(sample["leaves"])) for sample in group))
            for (program,), group in _in_program_order(samples)
        )
        bars: dict[str, Any] = {"x": "position", "y": "leaves", "kind": "bars", "log_y": True}
        ordered = _by_ordering(samples)
        orderings = tuple(
            Series(name=name, points=tuple((str(sample["position"]), number(sample["leaves"])) for sample in group))
            for name, group in ordered.items()
        )
        return Conclusion(
            tables=(
                ReportTable.of(f"pruning at depth {parameters.depth}", lines, notes=averages),
                ReportTable.of(
                    f"pruning by the order of moves, depth {parameters.depth}",
                    _ordered_rows(ordered),
                    notes=_ordered_means(ordered),
                ),
            ),
            figures=(
                Plot(title="evaluations by program", series=series, **bars),
                Plot(title="evaluations by the order of moves", series=orderings, **bars),
            ),
            notes=(f"Minimax and alpha-beta disagree on {', '.join(differing)}: they must not.",) if differing else (),
            passed=not differing,
        )


ORDERS = {
    KINDS: "by kind (003's counts)",
    "generated:from_depth=1": "as generated (2.4a)",
    "reversed:from_depth=1": "backwards (2.4c)",
}
"""Titles of move orderings in tables. Other orderings appear under their own names."""


def _by_ordering(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Return the samples by title: minimax, then report 003's program with its own ordering and with other ones."""
    groups = grouped(samples, "program")
    by_name = {"minimax": groups.get(("minimax",), []), ORDERS[KINDS]: groups.get((PROGRAMS[1],), [])}
    for (program,), group in groups.items():
        if str(program).startswith(ORDERED):
            name = str(program).removeprefix(ORDERED)
            by_name[ORDERS.get(name, name)] = group
    return {name: group for name, group in by_name.items() if group}


def _ordered_rows(ordered: dict[str, list[Sample]]) -> list[Sample]:
    minimax_leaves = {sample["position"]: number(sample["leaves"]) for sample in ordered.get("minimax", ())}
    lines: list[Sample] = []
    for name, group in ordered.items():
        line: Sample = {"order": name}
        for sample in group:
            position, leaves = sample["position"], number(sample["leaves"])
            line[f"{position}: leaves"] = int(leaves)
            line[f"{position}: pruned"] = (
                f"{1 - leaves / minimax_leaves[position]:.2%}" if position in minimax_leaves else None
            )
        lines.append(line)
    return lines


def _ordered_means(ordered: dict[str, list[Sample]]) -> list[str]:
    """Return a note on the mean share of leaves that each ordering prunes. All positions have the same weight."""
    minimax_leaves = {sample["position"]: number(sample["leaves"]) for sample in ordered.get("minimax", ())}
    parts = []
    for name, group in ordered.items():
        rates = [
            1 - number(sample["leaves"]) / minimax_leaves[sample["position"]]
            for sample in group
            if sample["position"] in minimax_leaves
        ]
        if name != "minimax" and rates:
            parts.append(f"{name} {sum(rates) / len(rates):.1%}")
    return [f"Leaves left out on average, in full windows: {', '.join(parts)}."] if parts else []


def _in_program_order(samples: Sequence[Sample]) -> list[tuple[tuple[str], list[Sample]]]:
    groups = grouped(samples, "program")
    return [((program,), groups[program,]) for program in PROGRAMS if (program,) in groups]
