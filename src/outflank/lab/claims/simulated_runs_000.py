"""Simulated runs of report 000's programs, as its claims read them: by program, threshold and depth."""

from outflank.lab.claims.deciding import MeasuredValues
from outflank.lab.claims.ledger import Evidence, Missing
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.cluster_000 import BOARD_SECONDS
from outflank.lab.reproduction.conclusions_000 import CLUSTER

PROGRAMS = ("par", "par_rmi", "par_tuple")
"""The report's three programs."""

BEST_THRESHOLD: int = fact("000", "best_threshold")
"""Threshold of the report's fastest runs: the plies left at which its programs stop spawning."""

FEWEST_BOARDS = 500_000
"""Number of boards of the smallest tree that decides a claim. On smaller ones, as in a quick run, 64 nodes starve."""


def _samples(evidence: Evidence, part: str) -> list[Sample]:
    samples = list(evidence.of(CLUSTER, f"stealing, {part}"))
    alone = [number(sample["boards"]) for sample in samples if sample["what"] == "alone"]
    if not alone or min(alone) < FEWEST_BOARDS:
        raise Missing
    return samples


def need_full_tree(evidence: Evidence, part: str) -> None:
    """Raise `Missing` if a part's tree has less than a third of the report's boards. Small trees need smaller jobs."""
    if serial_boards(evidence, part) < fact("000", "boards_seq") / 3:
        raise Missing("It takes a tree as large as the report's, which only a full run searches.")


def runs(evidence: Evidence, part: str, **fields: object) -> list[Sample]:
    """Return the simulated runs of a part of the section `CLUSTER` with the given fields, or raise `Missing`."""
    samples = [
        sample
        for sample in _samples(evidence, part)
        if sample["what"] == "simulated" and all(sample.get(name) == value for name, value in fields.items())
    ]
    if not samples:
        raise Missing
    return samples


def measured(evidence: Evidence, part: str, measure: str, program: str, count: int = 64) -> float:
    """Return the median of a field of a program's runs at the report's threshold."""
    return median(runs(evidence, part, program=program, count=count, threshold=BEST_THRESHOLD), measure)


def seconds(evidence: Evidence, part: str, program: str, count: int = 64) -> float:
    """Return the simulated seconds of a program at the report's threshold."""
    return measured(evidence, part, "seconds", program, count)


def serial_boards(evidence: Evidence, part: str) -> float:
    """Return the boards of one worker alone in the searches of a part."""
    return median([sample for sample in _samples(evidence, part) if sample["what"] == "alone"], "boards")


def search_overhead(evidence: Evidence, part: str, program: str) -> float:
    """Return the boards that 64 processors visit, relative to the boards that one worker visits alone."""
    return measured(evidence, part, "boards", program) / serial_boards(evidence, part)


def speed_up(evidence: Evidence, part: str, program: str, count: int = 64) -> float:
    """Return the speed-up of a program over the sequential one."""
    return serial_boards(evidence, part) * BOARD_SECONDS / seconds(evidence, part, program, count)


def programs(evidence: Evidence, count: int = 64, part: str = "programs") -> MeasuredValues[str]:
    """Return the seconds of the report's three programs."""
    return MeasuredValues((name, seconds(evidence, part, name, count)) for name in PROGRAMS)


def by_threshold(
    evidence: Evidence, measure: str, program: str = "par", *, part: str = "thresholds", count: int = 64
) -> MeasuredValues[int]:
    """Return the median of a field by threshold, in searches to one depth."""
    groups = grouped(runs(evidence, part, program=program, count=count), "threshold")
    return MeasuredValues((int(number(key)), median(group, measure)) for (key,), group in groups.items())


def by_depth(evidence: Evidence, measure: str, count: int = 32, part: str = "depths") -> MeasuredValues[int]:
    """Return the median of a field by replication depth of `par_tuple`."""
    groups = grouped(runs(evidence, part, count=count), "program")
    return MeasuredValues(
        (int(str(name).rpartition("=")[2]), median(group, measure)) for (name,), group in groups.items()
    )


def success(evidence: Evidence, program: str = "par") -> MeasuredValues[int]:
    """Return the share of granted requests for a job, in percent, by threshold."""
    won, tried = (by_threshold(evidence, measure, program) for measure in ("won", "tried"))
    return MeasuredValues((threshold, 100 * won[threshold] / tried[threshold]) for threshold in won)


def least(values: MeasuredValues[int]) -> int:
    """Return the key of the least value."""
    return min(values, key=lambda key: values[key])


def listed(values: MeasuredValues[int] | MeasuredValues[str], unit: str = " s") -> str:
    """Return values as text, each with its key."""
    return ", ".join(f"{value:.3g}{unit} ({key})" for key, value in values.items())
