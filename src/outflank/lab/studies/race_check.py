"""Experiment `races`: unordered accesses to the same memory, which reports 002 and 004 sought with cilkscreen."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.errors import OutflankError
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_boards import board_named
from outflank.lab.experiment_report import ReportTable, Sample, sample_shape
from outflank.lab.measuring.child_process import Failed, measure_in_child
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.races.findings import problems_text
from outflank.search.division import scheme_named
from outflank.search.request import Stop
from outflank.validation.documents import Count, JsonObject
from outflank.validation.text import how_many
from outflank.validation.values import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceCheckParameters(Parameters):
    """Parameters of the experiment `races`."""

    schemes: tuple[str, ...] = option(
        ("fork-join", "root-split", "pv-split", "jamboree", "ybw", "shared-table", "abdada"), "Schemes, by name."
    )
    position: str | None = option(None, "A position, by name or notation.  [the start, on a small board]")
    size: int = option(6, "The size of that board.")
    workers: int = option(2, "Workers.")
    depth: int = option(3, "Plies: the interpreter is some ten thousand times slower than compiled code.")
    threshold: int = option(1, "Plies left at which a part is searched alone.")
    schedules: int = option(4, "Interleavings of each scheme.")
    steps: int = option(2_000_000, "Accesses after which a search counts as endless.")
    seed: int = option(1, "From which the interleavings are drawn.")

    def __post_init__(self) -> None:
        super(RaceCheckParameters, self).__post_init__()
        if self.position is not None:
            board_named(self.position)
        for name in self.schemes:
            if "uct" in scheme_named(name).algorithms:
                raise OutflankError(f"{name} plays at random: there is no value that its schedules could agree on")

    def unused(self) -> tuple[str, ...]:
        return () if self.position is None else ("size",)


class Races(Experiment[RaceCheckParameters]):
    """Runs searches in the interpreter, with workers interleaved at random, and reports data races."""

    name = "races"
    question = "Do workers touch the same memory unordered, other than where the source says that they may?"
    reports = ("002", "004")
    parameters = RaceCheckParameters

    def tasks(self, parameters: RaceCheckParameters) -> Sequence[Task]:
        return [Task(scheme, partial(_check_scheme, parameters, scheme), timed=False) for scheme in parameters.schemes]

    def shape(self, parameters: RaceCheckParameters, sample: Sample) -> Shape:
        if sample.get("what") == "whole":
            counts = dict.fromkeys(("schedules", "accesses", "unfinished", "wrong_values"), Count)
            return sample_shape(counts, what=str, scheme=str, trouble=str)
        return sample_shape(
            what=Literal["race", "whole"],
            scheme=str,
            memory=str,
            first=str,
            second=str,
            times=Count,
            declared=bool,
            reason=str | None,
        )

    def conclude(self, parameters: RaceCheckParameters, samples: Sequence[Sample]) -> Conclusion:
        totals = [sample for sample in samples if sample["what"] == "whole"]
        races = [sample for sample in samples if sample["what"] == "race"]
        lines: list[Sample] = []
        for sample in totals:
            scheme_races = [race for race in races if race["scheme"] == sample["scheme"]]
            lines.append(
                {
                    "scheme": sample["scheme"],
                    "schedules": sample["schedules"],
                    "accesses": sample["accesses"],
                    "declared races": sum(bool(race["declared"]) for race in scheme_races),
                    "other races": sum(not race["declared"] for race in scheme_races),
                    "searches without end": sample["unfinished"],
                    "wrong values": sample["wrong_values"],
                }
            )
        passed = not any(line["other races"] or line["searches without end"] or line["wrong values"] for line in lines)
        tables = [ReportTable.of(f"races: {how_many(parameters.workers, 'worker')}, depth {parameters.depth}", lines)]
        for declared, title in ((False, "races that nobody has accepted"), (True, "races that the source declares")):
            rows = [
                {
                    "memory": memory,
                    "first": first,
                    "second": second,
                    "times": sum(int(number(race["times"])) for race in group),
                    "schemes": ", ".join(dict.fromkeys(str(race["scheme"]) for race in group)),
                    "why it is accepted": group[0]["reason"],
                }
                for (memory, first, second), group in grouped(
                    [race for race in races if race["declared"] is declared], "memory", "first", "second"
                ).items()
            ]
            if rows:
                tables.append(ReportTable.of(title, rows))
        accesses = sum(int(number(sample["accesses"])) for sample in totals)
        races_left, unfinished, wrong, schedules = (
            sum(int(number(line[name])) for line in lines)
            for name in ("other races", "searches without end", "wrong values", "schedules")
        )
        verdict = problems_text(races_left, unfinished, wrong, schedules) or "no race but the declared ones"
        troubles = [f"{sample['scheme']}: {sample['trouble']}" for sample in totals if sample["trouble"]]
        notes = (f"{accesses:,} accesses watched: {verdict}.", *troubles)
        return Conclusion(tables=tuple(tables), notes=notes, passed=passed)


def _check_scheme(parameters: RaceCheckParameters, scheme: str, stop: Stop) -> list[Sample]:
    algorithms = scheme_named(scheme).algorithms
    request: JsonObject = {
        "position": None if parameters.position is None else board_named(parameters.position).to_text(),
        "size": parameters.size,
        "parallel": scheme,
        "algorithm": "minimax" if scheme == "fork-join" else "pvs" if "pvs" in algorithms else algorithms[0],
        "workers": parameters.workers,
        "depth": parameters.depth,
        "threshold": parameters.threshold,
        "schedules": parameters.schedules,
        "steps": parameters.steps,
        "seed": parameters.seed,
    }
    try:
        rows = measure_in_child("outflank.lab.races", request, {**os.environ, "NUMBA_DISABLE_JIT": "1"}, stop)
    except Failed as error:
        raise OutflankError(f"{scheme}: {error}") from None
    return [{"scheme": scheme, **row} for row in rows]
