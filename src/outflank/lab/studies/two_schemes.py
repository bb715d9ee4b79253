"""Experiment `two-schemes`: how two schemes share one search, side by side on the same clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from outflank.errors import InvalidOption
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import DEFAULT_GAME, GAME, by_game, study_positions
from outflank.lab.experiment_report import Figure, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import (
    FEWEST_ROUNDS,
    SEARCH_KINDS,
    Contender,
    check_divides,
    grouped,
    in_rounds,
    median,
    median_count,
    number,
    search_overhead,
    share,
    speed_up_warnings,
    timing_warnings,
    worker_count_warnings,
)
from outflank.lab.measuring.traces import KINDS
from outflank.lab.studies.profile import busy_points, flame_of, timeline_of, trace_samples
from outflank.search.division import check_supports, scheme_named
from outflank.search.keywords import SearchArguments
from outflank.validation.documents import Count, Duration, Several
from outflank.validation.values import Between, Shape

ALONE = "one worker"
"""Label of the search by one worker, with which both schemes are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSchemesParameters(Parameters):
    """Parameters of the experiment `two-schemes`."""

    schemes: tuple[str, ...] = option(
        ("ybw", "jamboree"), "The two schemes: fork-join, root-split, pv-split, jamboree or ybw."
    )
    game: str = option(DEFAULT_GAME, GAME)
    position: str | None = option(None, "The position, by name or in any notation.  [the game's mid-game board]")
    algorithm: str = option("pvs", "minimax, alphabeta, pvs or mtdf; both schemes must support it.")
    depth: int | None = option(None, f"Plies.  [{by_game('profile_depth')}]")
    workers: int = option(core_counts()[-1], "Workers.")
    rounds: int = option(FEWEST_ROUNDS, "Times that each search is measured, besides the recorded one.")

    def __post_init__(self) -> None:
        super(TwoSchemesParameters, self).__post_init__()
        if len(self.schemes) != 2 or self.schemes[0] == self.schemes[1]:
            raise InvalidOption(f"schemes={','.join(self.schemes)}: two different schemes are compared")
        for name in self.schemes:
            check_divides(name)
            check_supports(scheme_named(name), self.algorithm)
        study_positions(self.game, self._positions)

    @property
    def _positions(self) -> tuple[str, ...] | None:
        return None if self.position is None else (self.position,)

    @property
    def sides(self) -> dict[str, Contender]:
        """The searches by label: one worker alone, and both schemes."""
        place = study_positions(self.game, self._positions)[0]
        depth = place.depth or self.depth or game_named(self.game).lab.profile_depth
        sides = {}
        for name in (ALONE, *self.schemes):
            options: SearchArguments = {"algorithm": self.algorithm, "workers": 1}
            if name != ALONE:
                options |= {"parallel": name, "workers": self.workers}
            sides[name] = Contender(labels={"scheme": name}, board=place.board, depth=depth, options=options)
        return sides


class TwoSchemes(Experiment[TwoSchemesParameters]):
    """Compares two schemes: speed-up, overhead and idle time, and what each worker did, on the same clock."""

    name = "two-schemes"
    question = "How do two schemes share the same search, side by side on one clock?"
    reports = ()
    parameters = TwoSchemesParameters

    def tasks(self, parameters: TwoSchemesParameters) -> Sequence[Task]:
        sides = parameters.sides
        recorded = [Task(f"recording of {name}", partial(trace_samples, sides[name])) for name in parameters.schemes]
        return [*in_rounds(list(sides.values()), parameters.rounds), *recorded]

    def shape(self, parameters: TwoSchemesParameters, sample: Sample) -> Shape:
        if "what" not in sample:
            return sample_shape(SEARCH_KINDS, scheme=Literal[ALONE, *parameters.schemes], round=Several)
        return sample_shape(
            scheme=Literal[*parameters.schemes],
            what=Literal["interval", "total"],
            worker=Annotated[int, Between(0, parameters.workers - 1)],
            kind=Literal[*KINDS],
            begin_us=Duration,
            end_us=Duration,
            nodes=Count,
            line=str,
        )

    def conclude(self, parameters: TwoSchemesParameters, samples: Sequence[Sample]) -> Conclusion:
        groups = grouped((sample for sample in samples if "what" not in sample), "scheme")
        alone = groups.get((ALONE,), [])
        rows = [
            _row(name, parameters.workers, groups[name,], alone) for name in parameters.schemes if (name,) in groups
        ]
        recorded = grouped((sample for sample in samples if sample.get("what") == "interval"), "scheme")
        spans = [(name, recorded[name,]) for name in parameters.schemes if (name,) in recorded]
        end = max((number(sample["end_us"]) for _, group in spans for sample in group), default=0.0)
        values = {name: {sample["value"] for sample in group} for (name,), group in groups.items()}
        unequal = len(set().union(*values.values())) > 1
        notes = [
            "The lanes and flame graphs show one search of each scheme, recorded apart from the measured ones.",
            *worker_count_warnings((parameters.workers,)),
            *timing_warnings({str(name): group for (name,), group in groups.items()}),
            *speed_up_warnings(
                [(str(row["scheme"]), parameters.workers, row["speed-up"]) for row in rows], parameters.rounds
            ),
        ]
        if unequal:
            notes.append("The values of the searches differ: they must not.")
        figures: tuple[Figure, ...] = (
            timeline_of("what each worker did, on one clock", [(f"{name} ", group) for name, group in spans]),
            Plot(
                title="busy workers over time",
                x="time (ms)",
                y="workers",
                series=tuple(
                    Series(name=str(name), points=busy_points(group, end), style="line") for name, group in spans
                ),
            ),
            *(flame_of(f"{name}: flame graph of the tree", group) for name, group in spans),
        )
        return Conclusion(
            tables=(ReportTable.of(f"two schemes, {parameters.workers} workers", rows),),
            figures=figures if spans else (),
            notes=tuple(notes),
            passed=not unequal,
        )


def _row(name: str, workers: int, samples: Sequence[Sample], alone: Sequence[Sample]) -> Sample:
    """Return the row of a scheme. What needs the search by one worker is empty if an interrupted run lacks it."""
    seconds = median(samples, "seconds")
    speed_up = median(alone, "seconds") / seconds if alone else None
    busy, idle = median(samples, "useful_seconds"), median(samples, "idle_seconds")
    return {
        "scheme": name,
        "time (s)": seconds,
        "one worker (s)": median(alone, "seconds") if alone else None,
        "speed-up": speed_up,
        "efficiency": None if speed_up is None else speed_up / workers,
        "nodes": median_count(samples, "nodes"),
        "search overhead": search_overhead(samples, alone) if alone else None,
        "idle share": share(idle, busy + idle),
        "wasted nodes": median_count(samples, "wasted_nodes"),
        "steals": median_count(samples, "steals_won"),
    }
