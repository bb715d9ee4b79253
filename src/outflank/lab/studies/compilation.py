"""Experiment `compiler`: speed by compiler setting. Report 003 chose a compiler and -O3, -ipo and -xHost."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from tempfile import TemporaryDirectory
from typing import Literal

from outflank.errors import UnknownName
from outflank.kernels.compiler import interpreted
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option
from outflank.lab.experiment_report import Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.child_process import Failed, measure_in_child
from outflank.lab.measuring.search_log import without_logging
from outflank.lab.measuring.search_samples import alternating, grouped, median, number
from outflank.search.request import Stop
from outflank.validation.documents import Duration, Measured, Several
from outflank.validation.values import Shape

DEFAULT = "O3"
"""Name of the default compiler setting: highest optimisation level, code for this processor, vectorised loops."""

SETTINGS: dict[str, dict[str, str]] = {
    "O0": {"NUMBA_OPT": "0"},
    "O1": {"NUMBA_OPT": "1"},
    "O2": {"NUMBA_OPT": "2"},
    DEFAULT: {},
    "any-processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "scalar-loops": {"NUMBA_LOOP_VECTORIZE": "0"},
    "straight-vectors": {"NUMBA_SLP_VECTORIZE": "1"},
    "calls-kept": {},
}
"""Environment variables of each compiler setting. All but the first three use level 3. `any-processor` is like a
compilation without -xHost, `scalar-loops` vectorises no loop, `straight-vectors` also vectorises straight-line code,
and `calls-kept` inlines no function (`INLINING`)."""

INLINING = {"calls-kept": "noinline"}
"""LLVM attribute of the functions that a kernel calls, by compiler setting. A kernel and the functions that it calls
are one module, which is optimised as a whole, as -ipo optimises several files. With `calls-kept` no function is inlined
into its caller, except a few that are always inlined."""

LONGEST_SECONDS = 300
"""Timeout in seconds of a child process that measures one compiler setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilingParameters(Parameters):
    """Parameters of the experiment `compiler`."""

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
        """The requested compiler settings and the default one, in the order of `SETTINGS`."""
        return tuple(name for name in SETTINGS if name in self.settings or name == DEFAULT)


@cache
def _cache_folder(setting: str) -> "TemporaryDirectory[str]":
    """Return a cache folder for one compiler setting, which cache files do not record. It is deleted at exit."""
    return TemporaryDirectory(prefix="outflank-compiler-")


_compiling_seconds: dict[str, float] = {}
"""Seconds until the kernels of a setting were ready, if `_compile` has compiled them."""


def _compile(setting: str, stop: Stop) -> list[Sample]:
    """Compile the kernels of a setting, and return no samples. A failure is left for the measurements to report."""
    with suppress(Failed), without_logging():
        for row in _child_rows(setting, 1, stop):
            _compiling_seconds[setting] = number(row["ready_seconds"])
    return []


def _measure(setting: str, depth: int, round_number: int, stop: Stop) -> list[Sample]:
    sample: Sample = {"setting": setting, "round": round_number}
    try:
        rows = _child_rows(setting, depth, stop)
    except Failed as error:
        return [{**sample, "trouble": str(error)}]
    if round_number == 1 and setting in _compiling_seconds:
        rows = [{**row, "ready_seconds": _compiling_seconds[setting]} for row in rows]
    return [{**sample, "trouble": "", **row} for row in rows]


def _child_rows(setting: str, depth: int, stop: Stop) -> list[Sample]:
    environment = {**_without_settings(), **SETTINGS[setting], "OUTFLANK_CACHE_DIR": _cache_folder(setting).name}
    request = {"depth": depth, "inlining": INLINING.get(setting)}
    return measure_in_child("outflank.lab.measuring.compiled_speed", request, environment, stop, LONGEST_SECONDS)


def _without_settings() -> dict[str, str]:
    """Return the environment without the variables that change how kernels are compiled."""
    compiler_variables = {name for setting in SETTINGS.values() for name in setting}
    return {name: value for name, value in os.environ.items() if name not in compiler_variables}


class Compiler(Experiment[CompilingParameters]):
    """Times the same search, compiled with several compiler settings."""

    name = "compiler"
    question = "What are the compiler's levels of optimisation worth, and code for this very processor?"
    reports = ("003",)
    parameters = CompilingParameters

    def tasks(self, parameters: CompilingParameters) -> Sequence[Task]:
        compiling = [
            Task(f"{setting}, compiling", partial(_compile, setting), 3.0, timed=False)
            for setting in parameters.compared
        ]
        rounds = [
            Task(f"{setting}, round {round_number}", partial(_measure, setting, parameters.depth, round_number))
            for round_number, setting in alternating(parameters.compared, parameters.rounds)
        ]
        return [*compiling, *rounds]

    def shape(self, parameters: CompilingParameters, sample: Sample) -> Shape:
        names = {"setting": Literal[*SETTINGS], "round": Several, "trouble": str}
        if sample.get("trouble"):
            return sample_shape(names)
        timed = {"seconds": Measured, "leaves_seconds": Measured, "ready_seconds": Duration}
        return sample_shape(names, timed, value=int, move=str, evaluations=Several, leaves=Several)

    def conclude(self, parameters: CompilingParameters, samples: Sequence[Sample]) -> Conclusion:
        good = [sample for sample in samples if not sample["trouble"]]
        groups = {str(setting): group for (setting,), group in grouped(good, "setting").items()}
        usual = groups.get(DEFAULT)
        lines = [_row(setting, group, usual) for setting, group in groups.items()]
        answers = {(sample["value"], sample["move"], sample["evaluations"], sample["leaves"]) for sample in good}
        notes = [
            "Compiling: the time until the kernels are ready, on this machine as busy as it was. Other settings "
            "may have been compiled at the same time.",
            "Kernels are optimised as a whole, with all that they call, which is what -ipo does with files; "
            "`calls-kept` is without it.",
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
            tables=(ReportTable.of(f"Abalone from the start, depth {parameters.depth}", lines),) if lines else (),
            figures=(_plot(groups),) if groups else (),
            notes=tuple(notes),
            passed=len(answers) <= 1,
        )


def _speed(samples: Sequence[Sample], count: str, seconds: str) -> float:
    return median(samples, lambda sample: number(sample[count]) / number(sample[seconds]))


def _row(setting: str, samples: Sequence[Sample], usual: Sequence[Sample] | None) -> Sample:
    search, tree = (_speed(samples, *columns) for columns in (("evaluations", "seconds"), ("leaves", "leaves_seconds")))
    first = [sample for sample in samples if sample["round"] == 1]
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
    points = tuple((setting, _speed(group, "evaluations", "seconds")) for setting, group in groups.items())
    series = Series(name="report 003's search", points=points)
    return Plot(title="speed by setting", x="setting", y="evaluations/s", kind="bars", series=(series,))
