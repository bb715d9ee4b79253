"""How much faster more workers are: the table that all five reports have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outflank.errors import OutflankError
from outflank.lab.boards import chosen_board
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option, register
from outflank.lab.literature import curve, fact, rows
from outflank.lab.measuring import (
    RANGES,
    SEARCHED,
    Side,
    Workers,
    beyond_cores,
    disturbed,
    doubtful,
    grouped,
    in_rounds,
    median,
    median_count,
    number,
    relative_spread,
    search_overhead,
    share,
    speed_up_range,
)
from outflank.lab.report import Figure, Plot, Sample, Series, Table, sample_shape
from outflank.lab.studies.clusters import (
    OPENINGS,
    check_cluster,
    scaling_conclusion,
    scaling_shape,
    scaling_tasks,
    start_board,
)
from outflank.machine import usable_cores
from outflank.schema import Several, Shape
from outflank.search.division import check_carries, scheme_named
from outflank.words import how_many

CLUSTER_DEPTH = 17
"""Plies that take one worker some 20 to 60 seconds from an opening."""

FEWEST_ROUNDS = 5
"""Repeats below which medians are not worth a conclusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    game: str = option("othello", "othello (a mid-game board) or abalone (report 003's first mid-game).")
    position: str | None = option(None, "A position in any notation.  [the game's]")
    schemes: tuple[str, ...] = option(("ybw",), "Schemes, by name.")
    algorithm: str | None = option(None, "minimax, alphabeta, pvs or mtdf.  [pvs; minimax for fork-join]")
    depth: int | None = option(None, "Plies.  [12 for Othello, 6 for Abalone; minimax 7 and 4]")
    workers: tuple[int, ...] = option(core_counts(), "Numbers of workers.")
    rounds: int = option(FEWEST_ROUNDS, "Times that each is measured.")
    share_alpha: bool = option(True, "Whether root moves know of each other's values; report 003's do not.")
    cluster: str | None = option(None, "Measure nodes of a cluster: local:N, ray://HOST:PORT or mpi.")
    nodes: tuple[int, ...] = option((1, 2), "Numbers of its nodes, each with one worker.")
    policies: tuple[str, ...] = option(("none", "async"), "How they tell each other of entries.")
    boards: tuple[str, ...] = option(
        tuple(OPENINGS), "What they search: openings by name, or positions; start@19: to that depth."
    )

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        check_cluster(self.cluster, self.policies)
        if self.cluster is not None:
            for board in self.boards:
                start_board(board, CLUSTER_DEPTH)
        chosen_board(self.game, self.position)
        for name in self.schemes:
            scheme = scheme_named(name)
            if self.algorithm is not None:
                check_carries(scheme, self.algorithm)

    def unused(self) -> tuple[str, ...]:
        if self.cluster is None:
            return "nodes", "policies", "boards"
        return "game", "position", "schemes", "algorithm", "workers", "share_alpha"


@register
class Scaling(Experiment[Choice]):
    """Speed-up, efficiency and search overhead by scheme and number of workers."""

    name = "scaling"
    question = "How much faster are more workers, and what do they waste?"
    reports = ("000", "001", "002", "003", "004")
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        if chosen.cluster is not None:
            depth = chosen.depth or CLUSTER_DEPTH
            return scaling_tasks(chosen.cluster, chosen.boards, chosen.policies, chosen.nodes, depth, chosen.rounds)
        return in_rounds(_sides(chosen), chosen.rounds)

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        if chosen.cluster is not None:
            return scaling_shape(sample)
        return sample_shape(SEARCHED, scheme=str, workers=Workers, round=Several)

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        if chosen.cluster is not None:
            return scaling_conclusion(chosen.cluster, samples, chosen.rounds)
        groups = grouped(samples, "scheme", "workers")
        lines: list[Sample] = []
        for (scheme, workers), found in groups.items():
            serial = _serial(chosen, groups, str(scheme))
            one = groups.get((scheme, 1))
            lines.append(_row(str(scheme), int(number(workers)), found, serial, one))
        notes = list(beyond_cores(chosen.workers))
        fitting = {
            f"{scheme} with {how_many(int(number(workers)), 'worker')}": found
            for (scheme, workers), found in groups.items()
            if number(workers) <= usable_cores()
        }
        notes += disturbed(fitting)
        faster = [(str(line["scheme"]), number(line["workers"]), line["speed-up"]) for line in lines]
        notes += doubtful(faster, chosen.rounds, fewest=FEWEST_ROUNDS)
        values = {str(scheme): {sample["value"] for sample in found} for (scheme, _), found in groups.items()}
        differing = [scheme for scheme, seen in values.items() if len(seen) > 1]
        if differing:
            notes.append(f"The value differs between runs of {', '.join(differing)}: it must not.")
        notes.append(
            "Speed-up is the serial program's time over this one's, both medians. Report 003 took evaluations per "
            "second instead: that counts the nodes which only a parallel search enters as gain."
        )
        return Conclusion(
            tables=(Table.of(f"scaling, {chosen.game}", lines),),
            figures=_figures(chosen, groups),
            notes=tuple(notes),
            passed=not differing,
        )


def _sides(chosen: Choice) -> list[Side]:
    board = chosen_board(chosen.game, chosen.position)
    sides: list[Side] = []
    for scheme in chosen.schemes:
        algorithm = _algorithm(chosen, scheme)
        if algorithm in ("uct", "flat"):
            raise OutflankError(f"scaling compares searches to a depth: {scheme} carries {algorithm}, which has none")
        depth = chosen.depth or _usual_depth(chosen.game, algorithm)
        options: dict[str, Any] = {"algorithm": algorithm, "share_alpha": chosen.share_alpha}
        if algorithm == "minimax":
            options |= {"deepen": False, "evaluation": "discs" if chosen.game == "othello" else None}
        serial = Side(
            labels={"scheme": f"serial {algorithm}", "workers": 1},
            board=board,
            depth=depth,
            options={**options, "share_alpha": True, "workers": 1},
        )
        if serial not in sides:  # once for all schemes that are held against it
            sides.append(serial)
        sides += [
            Side(
                labels={"scheme": scheme, "workers": workers},
                board=board,
                depth=depth,
                options={**options, "parallel": scheme, "workers": workers},
            )
            for workers in chosen.workers
        ]
    return sides


def _algorithm(chosen: Choice, scheme: str) -> str:
    """What is asked for, or what a scheme usually carries."""
    if chosen.algorithm is not None:
        return chosen.algorithm
    usual = "minimax" if scheme == "fork-join" else "pvs"
    carries = scheme_named(scheme).carries
    return usual if usual in carries else carries[0]


def _serial(chosen: Choice, groups: dict[Any, list[Sample]], scheme: str) -> list[Sample] | None:
    """The serial searches that a scheme is held against; documents of old have one for each scheme."""
    if scheme.startswith("serial "):
        return None
    return groups.get((f"serial {_algorithm(chosen, scheme)}", 1)) or groups.get((f"serial for {scheme}", 1))


def _usual_depth(game: str, algorithm: str) -> int:
    if algorithm == "minimax":
        return 7 if game == "othello" else 4
    return 12 if game == "othello" else 6


def _row(
    scheme: str, workers: int, found: Sequence[Sample], serial: Sequence[Sample] | None, one: Sequence[Sample] | None
) -> Sample:
    seconds = median(found, "seconds")
    comparable = workers <= usable_cores()
    busy = median(found, "useful_seconds") + median(found, "idle_seconds")
    per_second = median(found, lambda sample: number(sample["leaves"]) / number(sample["seconds"]))
    faster = median(serial, "seconds") / seconds if serial and comparable else None
    rate_of_one = median(one, lambda sample: number(sample["leaves"]) / number(sample["seconds"])) if one else None
    return {
        "scheme": scheme,
        "workers": workers,
        "wall (s)": seconds,
        "spread": f"{relative_spread(found, 'seconds'):.1%}",
        "user (s)": median(found, "user_seconds"),
        "system (s)": median(found, "system_seconds"),
        "speed-up": faster,
        "against one worker": median(one, "seconds") / seconds if one and comparable else None,
        "efficiency": faster / workers if faster is not None else None,
        "nodes": median_count(found, "nodes"),
        "search overhead": search_overhead(found, serial) if serial else None,
        "nodes/s": round(median(found, lambda sample: number(sample["nodes"]) / number(sample["seconds"]))),
        "evaluations/s as speed-up (003)": per_second / rate_of_one if rate_of_one and comparable else None,
        "steals": median_count(found, "steals_won"),
        "idle share": share(median(found, "idle_seconds"), busy),
        "runs": len(found),
    }


def _figures(chosen: Choice, groups: dict[Any, list[Sample]]) -> tuple[Figure, ...]:
    counts = sorted({workers for workers in chosen.workers if workers <= usable_cores()})
    linear = Series(name="linear", points=tuple((count, float(count)) for count in counts), style="dashed")
    speedups, efficiencies, overheads = [linear], [], []
    for scheme in chosen.schemes:
        serial = _serial(chosen, groups, scheme)
        measured = {count: groups[scheme, count] for count in counts if (scheme, count) in groups}
        if serial is None or not measured:
            continue
        base, nodes = median(serial, "seconds"), median(serial, "nodes")
        faster = {count: base / median(found, "seconds") for count, found in measured.items()}
        ranges = tuple(speed_up_range(serial, each) for each in measured.values())
        speedups.append(Series(name=scheme, points=tuple(faster.items()), spread=ranges))
        efficiencies.append(Series(name=scheme, points=tuple((count, each / count) for count, each in faster.items())))
        more = {count: median(found, "nodes") / nodes - 1 for count, found in measured.items()}
        overheads.append(Series(name=scheme, points=tuple(more.items())))
    return (
        Plot(
            title="speed-up against the serial program",
            x="workers",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(*speedups, *_published()),
            caption=RANGES,
        ),
        Plot(title="efficiency S/(p·T(p))", x="workers", y="efficiency", series=tuple(efficiencies)),
        Plot(
            title="search overhead",
            x="workers",
            y="nodes beyond the serial search's, per node",
            series=tuple(overheads),
        ),
    )


def _published() -> list[Series]:
    """What the reports measured, as speed-up over their serial programs."""
    serial = rows("000", "speedup")[0]["seq_total_s"]
    found = []
    for program in ("par", "par_rmi", "par_tuple"):
        times = curve("000", "speedup", "processors", f"{program}_total_s").points
        points = tuple((processors, serial / seconds) for processors, seconds in times)
        found.append(Series(name=f"000 {program}", points=points, style="points", published=True))
    whole = fact("004", "serial_seconds")
    times = curve("004", "efficiency", "threads", "real_s").points
    points = tuple((threads, whole / seconds) for threads, seconds in times)
    found.append(Series(name="004", points=points, style="points", published=True))
    return found
