"""What the compiler's settings are worth: report 003's choice of compiler and of -O3, -ipo and -xHost, with ours."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Literal

from outflank.errors import UnknownName
from outflank.kernels.compiler import interpreted
from outflank.kinds import Duration, Measured, Several, Shape
from outflank.lab.child_process import Failed, measure_in_child
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.measuring import alternating, grouped, median, number
from outflank.lab.report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.search.contract import Stop

USUAL = "O3"
"""What kernels are compiled with elsewhere: the highest level, for this processor, loops vectorised."""

SETTINGS: dict[str, dict[str, str]] = {
    "O0": {"NUMBA_OPT": "0"},
    "O1": {"NUMBA_OPT": "1"},
    "O2": {"NUMBA_OPT": "2"},
    USUAL: {},
    "any-processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "scalar-loops": {"NUMBA_LOOP_VECTORIZE": "0"},
    "straight-vectors": {"NUMBA_SLP_VECTORIZE": "1"},
}
"""What the compiler is told. All but the first three are O3: without -xHost, so to speak; with no loop vectorised; with
straight code vectorised as well."""

LONGEST_SECONDS = 300
"""After which a process is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilingParameters(Parameters):
    """What is measured."""

    settings: tuple[str, ...] = option(tuple(SETTINGS), "By name; the usual one is always measured.")
    depth: int = option(5, "Plies of report 003's search, and of the count of the whole tree.")
    rounds: int = option(3, "Times that each is measured.")

    def __post_init__(self) -> None:
        super(CompilingParameters, self).__post_init__()
        for name in self.settings:
            if name not in SETTINGS:
                raise UnknownName.among("setting of the compiler", name, SETTINGS)

    @property
    def compared(self) -> tuple[str, ...]:
        """Those wanted, in the order of the list, with the usual one."""
        return tuple(name for name in SETTINGS if name in self.settings or name == USUAL)


@cache
def _home(setting: str) -> "TemporaryDirectory[str]":
    """A cache of its own: what is kept there does not say how it was compiled. It goes when this process does."""
    return TemporaryDirectory(prefix="outflank-compiler-")


def _measured(setting: str, depth: int, number_: int, stop: Stop) -> list[Sample]:
    environment = {**_without_settings(), **SETTINGS[setting], "OUTFLANK_CACHE_DIR": _home(setting).name}
    sample: Sample = {"setting": setting, "round": number_}
    try:
        rows = measure_in_child("outflank.lab.compiled_speed", {"depth": depth}, environment, stop, LONGEST_SECONDS)
    except Failed as error:
        return [{**sample, "trouble": str(error)}]
    return [{**sample, "trouble": "", **row} for row in rows]


def _without_settings() -> dict[str, str]:
    """The environment, without what would say how to compile."""
    meant = {name for setting in SETTINGS.values() for name in setting}
    return {name: value for name, value in os.environ.items() if name not in meant}


class Compiler(Experiment[CompilingParameters]):
    """The same search, compiled in several ways."""

    name = "compiler"
    question = "What are the compiler's levels of optimisation worth, and code for this very processor?"
    reports = ("003",)
    parameters = CompilingParameters

    def tasks(self, chosen: CompilingParameters) -> Sequence[Task]:
        return [
            Task(
                f"{setting}, round {number_}",
                partial(_measured, setting, chosen.depth, number_),
                4.0 if number_ == 1 else 1.0,  # the first one compiles
            )
            for number_, setting in alternating(chosen.compared, chosen.rounds)
        ]

    def shape(self, chosen: CompilingParameters, sample: Sample) -> Shape:
        names = {"setting": Literal[*SETTINGS], "round": Several, "trouble": str}
        if sample.get("trouble"):
            return sample_shape(names)
        timed = {"seconds": Measured, "leaves_seconds": Measured, "ready_seconds": Duration}
        return sample_shape(names, timed, value=int, move=str, evaluations=Several, leaves=Several)

    def conclude(self, chosen: CompilingParameters, samples: Sequence[Sample]) -> Conclusion:
        good = [sample for sample in samples if not sample["trouble"]]
        groups = {str(setting): found for (setting,), found in grouped(good, "setting").items()}
        usual = groups.get(USUAL)
        lines = [_row(setting, found, usual) for setting, found in groups.items()]
        answers = {(sample["value"], sample["move"], sample["evaluations"], sample["leaves"]) for sample in good}
        notes = [
            "Compiling: the first round's time until the kernels are ready, on this machine as busy as it was.",
            "Kernels are always optimised as a whole, with all of their parts, which is what -ipo does elsewhere.",
        ]
        if len(answers) > 1:
            notes.insert(0, "Settings differ in what is found: they must not.")
        elif answers:
            notes.insert(
                0, "Value, move and counts are the same whatever the setting; report 003 saw -ipo change its play."
            )
        troubles = {str(sample["setting"]): str(sample["trouble"]) for sample in samples if sample["trouble"]}
        notes += [f"{setting}: {trouble}" for setting, trouble in troubles.items()]
        if interpreted():
            notes.append("NUMBA_DISABLE_JIT is set: nothing was compiled, and settings change nothing.")
        return Conclusion(
            tables=(ReportTable.of(f"Abalone from the start, depth {chosen.depth}", lines),) if lines else (),
            figures=(_plot(groups),) if groups else (),
            notes=tuple(notes),
            passed=len(answers) <= 1,
        )


def _speed(found: Sequence[Sample], count: str, seconds: str) -> float:
    return median(found, lambda sample: number(sample[count]) / number(sample[seconds]))


def _row(setting: str, found: Sequence[Sample], usual: Sequence[Sample] | None) -> Sample:
    search, tree = (_speed(found, *each) for each in (("evaluations", "seconds"), ("leaves", "leaves_seconds")))
    first = [sample for sample in found if sample["round"] == 1]
    row: Sample = {
        "setting": setting,
        "compiling (s)": number(first[0]["ready_seconds"]) if first else None,
        "evaluations/s": search,
        "over the usual": None,
        "leaves counted/s": tree,
        "over the usual, counting": None,
    }
    if usual:
        row["over the usual"] = search / _speed(usual, "evaluations", "seconds")
        row["over the usual, counting"] = tree / _speed(usual, "leaves", "leaves_seconds")
    return row


def _plot(groups: dict[str, list[Sample]]) -> Plot:
    points = tuple((setting, _speed(found, "evaluations", "seconds")) for setting, found in groups.items())
    series = Series(name="report 003's search", points=points)
    return Plot(title="speed by setting", x="setting", y="evaluations/s", kind="bars", series=(series,))
