"""What alpha-beta saves in Abalone, and how a search grows with its depth: report 003's figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.abalone.board import AbaloneBoard
from outflank.kinds import Kind, Measured, Several, Shape
from outflank.lab.classroom import lab_positions, lab_search_003
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.literature import rows as published_rows
from outflank.lab.measuring import alternating, grouped, median, number
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.search_log import search, unnoted
from outflank.search.contract import Limits, Stop
from outflank.search.ordering import ordering_named
from outflank.search.results import Result

PROGRAMS = ("minimax", "alpha-beta, full windows (003)", "alpha-beta")
KINDS = "kinds:from_depth=1"
"""The ordering of report 003's program, and of those above."""
ORDERED = "003 with "
"""Before the name of another ordering."""


def _searched(program: str, board: AbaloneBoard, depth: int, stop: Stop) -> Result:
    if program == "minimax":
        return search(
            board, Limits(depth=depth), stop=stop, algorithm="minimax", evaluation="rings", deepen=False, workers=1
        )
    ordering = program.removeprefix(ORDERED) if program.startswith(ORDERED) else KINDS
    return lab_search_003(board, depth, "rings", share_alpha=program == "alpha-beta", stop=stop, ordering=ordering)


def _sample(program: str, name: str, board: AbaloneBoard, depth: int, round_: int, stop: Stop) -> list[Sample]:
    if round_ == 1:
        with unnoted():
            _searched(program, board, 1, stop)  # compiles
    found = _searched(program, board, depth, stop)
    sample: Sample = {
        "program": program,
        "position": name,
        "depth": depth,
        "round": round_,
        "value": found.value,
        "leaves": found.leaves,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }
    return [sample]


def _saved(samples: Sequence[Sample]) -> tuple[str, ...]:
    """What pruning saves, at the greatest depth that all programs have searched."""
    leaves = {key: number(found[0]["leaves"]) for key, found in grouped(samples, "program", "depth").items()}
    programs = tuple(dict.fromkeys(program for program, _ in leaves))
    shared = [depth for program, depth in leaves if program == PROGRAMS[0]]
    depths = [number(depth) for depth in shared if all((program, depth) in leaves for program in programs)]
    if not depths or len(programs) == 1:
        return ()
    deepest = max(depths)
    whole = leaves[PROGRAMS[0], deepest]
    others = [program for program in programs if program != PROGRAMS[0]]
    told = ", ".join(f"{whole / leaves[program, deepest]:.1f} times those of {program}" for program in others)
    return (f"At depth {deepest} minimax evaluates {whole:,.0f} leaves: {told}.",)


def _sides(chosen: "DepthsChoice") -> list[tuple[str, int]]:
    return [
        (program, depth)
        for program in PROGRAMS
        for depth in chosen.depths
        if program != "minimax" or depth <= chosen.minimax_depth
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
class DepthsChoice(Parameters):
    """What is measured."""

    depths: tuple[int, ...] = option((1, 2, 3, 4, 5), "Plies from the start.")
    minimax_depth: int = option(4, "Plies of minimax, at most: at 5 it evaluates 283 million leaves.")
    rounds: int = option(3, "Times that each depth is measured.")


class Depths(Experiment[DepthsChoice]):
    """Time and leaves by depth."""

    name = "depths"
    question = "How do time and leaves grow with the depth, with and without pruning?"
    reports = ("003",)
    parameters = DepthsChoice

    def tasks(self, chosen: DepthsChoice) -> Sequence[Task]:
        board = AbaloneBoard.start()
        return [
            Task(
                f"{program}, depth {depth}, round {number_}",
                partial(_sample, program, "start", board, depth, number_),
                float(20 ** (depth - 3)) * (20 if program == "minimax" else 1),
            )
            for number_, (program, depth) in alternating(_sides(chosen), chosen.rounds)
        ]

    def shape(self, chosen: DepthsChoice, sample: Sample) -> Shape:
        return _shape(program=Literal[*PROGRAMS], depth=Literal[*chosen.depths])

    def conclude(self, chosen: DepthsChoice, samples: Sequence[Sample]) -> Conclusion:
        by_depth: dict[int, Sample] = {int(depth): {"depth": depth} for depth in chosen.depths}
        for (program, depth), found in grouped(samples, "program", "depth").items():
            row = by_depth[int(number(depth))]
            row[f"{program}: leaves"] = found[0]["leaves"]
            row[f"{program}: time (s)"] = median(found, "seconds")
        curves = grouped(samples, "program")
        notes = _saved(samples)

        def over(measure: str) -> tuple[Series, ...]:
            return tuple(
                Series(
                    name=str(program),
                    points=tuple(
                        (number(depth), median(each, measure)) for (depth,), each in grouped(found, "depth").items()
                    ),
                )
                for (program,), found in curves.items()
            )

        printed = tuple(
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
                    series=(*over("leaves"), *printed),
                ),
                Plot(title="time by depth", x="depth (plies)", y="time (s)", log_y=True, series=over("seconds")),
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PruningChoice(Parameters):
    """What is measured."""

    depth: int = option(4, "Plies.")
    orderings: tuple[str, ...] = option(
        ("generated:from_depth=1", "reversed:from_depth=1"), "Orderings that report 003's program has beside its own."
    )

    def __post_init__(self) -> None:
        super(PruningChoice, self).__post_init__()
        for name in self.orderings:
            ordering_named(AbaloneBoard.start().game, name)  # refuses what is none


class Pruning(Experiment[PruningChoice]):
    """Minimax beside alpha-beta on report 003's positions."""

    name = "pruning"
    question = "Which part of the tree does alpha-beta leave out, in leaves and in nodes?"
    reports = ("003",)
    parameters = PruningChoice

    def tasks(self, chosen: PruningChoice) -> Sequence[Task]:
        return [
            Task(
                f"{program}, {name}",
                partial(_sample, program, name, board, chosen.depth, 1),
                10.0 if program == "minimax" else 1.0,
            )
            for name, board in lab_positions().items()
            for program in (*PROGRAMS, *(f"{ORDERED}{ordering}" for ordering in chosen.orderings))
        ]

    def shape(self, chosen: PruningChoice, sample: Sample) -> Shape:
        known = (*PROGRAMS, *(f"{ORDERED}{ordering}" for ordering in chosen.orderings))
        return _shape(program=Literal[*known])

    def conclude(self, chosen: PruningChoice, samples: Sequence[Sample]) -> Conclusion:
        lines: list[Sample] = []
        rates: dict[str, list[float]] = {}
        for (position,), found in grouped(samples, "position").items():
            by_program = {str(sample["program"]): sample for sample in found if sample["program"] in PROGRAMS}
            row: Sample = {"position": position}
            for program, sample in by_program.items():
                row[f"{program}: leaves"] = sample["leaves"]
                row[f"{program}: nodes"] = sample["nodes"]
                if program != "minimax" and "minimax" in by_program:
                    whole = by_program["minimax"]
                    rate = 1 - number(sample["leaves"]) / number(whole["leaves"])
                    row[f"{program}: leaves pruned"] = f"{rate:.2%}"
                    row[f"{program}: nodes pruned"] = f"{1 - number(sample['nodes']) / number(whole['nodes']):.2%}"
                    rates.setdefault(program, []).append(rate)
            lines.append(row)
        differing = [
            str(position)
            for (position,), found in grouped(samples, "position").items()
            if len({sample["value"] for sample in found}) > 1
        ]
        notes = [
            f"{program} leaves out {sum(found) / len(found):.1%} of the leaves on average (report 003: about 97 % at "
            "depth 4)."
            for program, found in rates.items()
        ]
        if differing:
            notes.append(f"Minimax and alpha-beta disagree on the value of {', '.join(differing)}: they must not.")
        series = tuple(
            Series(name=program, points=tuple((str(sample["position"]), number(sample["leaves"])) for sample in found))
            for (program,), found in _in_order(samples)
        )
        bars: dict[str, Any] = {"x": "position", "y": "leaves", "kind": "bars", "log_y": True}
        ordered = _by_ordering(samples)
        orderings = tuple(
            Series(name=name, points=tuple((str(each["position"]), number(each["leaves"])) for each in found))
            for name, found in ordered.items()
        )
        return Conclusion(
            tables=(
                ReportTable.of(f"pruning at depth {chosen.depth}", lines),
                ReportTable.of(f"pruning by the order of moves, depth {chosen.depth}", _ordered_rows(ordered)),
            ),
            figures=(
                Plot(title="evaluations", series=series, **bars),
                Plot(title="evaluations by the order of moves", series=orderings, **bars),
            ),
            notes=(*notes, *_ordered_means(ordered)),
            passed=not differing,
        )


ORDERS = {
    KINDS: "by kind (003's counts)",
    "generated:from_depth=1": "as generated (2.4a)",
    "reversed:from_depth=1": "backwards (2.4c)",
}
"""What orderings are called; others by their own names."""


def _by_ordering(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """The samples of report 003's program by its order of moves, its own first; minimax leaves none out."""
    groups = grouped(samples, "program")
    found = {"minimax": groups.get(("minimax",), []), ORDERS[KINDS]: groups.get((PROGRAMS[1],), [])}
    for (program,), each in groups.items():
        if str(program).startswith(ORDERED):
            name = str(program).removeprefix(ORDERED)
            found[ORDERS.get(name, name)] = each
    return {name: each for name, each in found.items() if each}


def _ordered_rows(ordered: dict[str, list[Sample]]) -> list[Sample]:
    whole = {sample["position"]: number(sample["leaves"]) for sample in ordered.get("minimax", ())}
    lines: list[Sample] = []
    for name, found in ordered.items():
        line: Sample = {"order": name}
        for sample in found:
            position, leaves = sample["position"], number(sample["leaves"])
            line[f"{position}: leaves"] = int(leaves)
            line[f"{position}: pruned"] = f"{1 - leaves / whole[position]:.2%}" if position in whole else None
        lines.append(line)
    return lines


def _ordered_means(ordered: dict[str, list[Sample]]) -> list[str]:
    """What each order leaves out, all positions counting alike."""
    whole = {sample["position"]: number(sample["leaves"]) for sample in ordered.get("minimax", ())}
    told = []
    for name, found in ordered.items():
        rates = [1 - number(each["leaves"]) / whole[each["position"]] for each in found if each["position"] in whole]
        if name != "minimax" and rates:
            told.append(f"{name} {sum(rates) / len(rates):.1%}")
    return [f"Leaves left out on average, in full windows: {', '.join(told)}."] if told else []


def _in_order(samples: Sequence[Sample]) -> list[tuple[tuple[str], list[Sample]]]:
    groups: dict[Any, list[Sample]] = grouped(samples, "program")
    return [((program,), groups[program,]) for program in PROGRAMS if (program,) in groups]
