"""Measurements of report 004's sections and its own numbers, as the functions that decide its conclusions need them."""

from collections.abc import Callable, Sequence

from outflank.lab.claims.ledger import Evidence, Missing
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.report_004 import ONE_THREAD
from outflank.lab.reproduction.timed_games import FLAT_UP_TO

POLICY, PROFILE, CURVES, TEXT = "Deterministic Policy", "Cilkview", "Parallel Efficiency", "In the text"
"""Names of sections of the reproduction."""

REPLAY = (CURVES, "replay, master")
"""Section and part with the games of `master`, both on real workers and replayed."""

PRINTED = {row["depth"]: row for row in rows("004", "cilkview")}
"""The report's table of work, span and parallelism, by depth."""

_TIMES = {row["threads"]: row for row in rows("004", "efficiency")}
_SERIAL_SECONDS: float = fact("004", "serial_seconds")
ONE_THREAD_RATIO = _TIMES[1]["real_s"] / _SERIAL_SECONDS
SPEED_UP = _SERIAL_SECONDS / _TIMES[FLAT_UP_TO]["real_s"]
"""Two ratios of times in the report: of one thread to the serial program, and of the serial program to 8 threads."""


def _busy_processors() -> tuple[float, float]:
    """Return the least and the greatest ratio of processor time to real time in the report, from 8 threads on."""
    ratios = [
        (row["user_s"] + (60 if row["user_s"] < 10 else 0) + row["sys_s"]) / row["real_s"]  # 60 was lost in print
        for threads, row in _TIMES.items()
        if threads >= FLAT_UP_TO
    ]
    return min(ratios), max(ratios)


OWN_NUMBERS = "its own processor times are {:.1f} to {:.1f} times the real ones from 8 threads on".format(
    *_busy_processors()
)
"""Evidence, as text, that the report's machine had fewer processors than threads."""


def by_threads(samples: Sequence[Sample], measure: Callable[[Sequence[Sample]], float]) -> dict[int, float]:
    """Return a measure of games by number of threads. The key 0 is the serial program."""
    return {
        0 if str(scheme).startswith("serial ") else int(number(workers)): measure(group)
        for (scheme, workers), group in grouped(samples, "scheme", "workers").items()
    }


def least_processor_seconds(samples: Sequence[Sample]) -> float:
    """Return the least processor time of some games."""
    return min(number(sample["user_seconds"]) + number(sample["system_seconds"]) for sample in samples)


def one_thread(evidence: Evidence, branch: str) -> tuple[float, float]:
    """Return the least processor times of the serial program and of a branch on one thread."""
    times = by_threads(evidence.of(ONE_THREAD, f"scaling, {branch}"), least_processor_seconds)
    if not times.keys() >= {0, 1}:
        raise Missing
    return times[0], times[1]
