"""Measurements of report 003's sections, as the functions that decide its conclusions need them."""

from collections.abc import Mapping, Sequence

from outflank.lab.claims.ledger import Decide, Decision, Evidence, judged
from outflank.lab.drawing.looks import number as text_of
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import median, number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.studies.imbalance import allowed, root_work
from outflank.lab.studies.pruning import ORDERED, PROGRAMS

MINIMAX, FULL_WINDOWS, SHARED_ALPHA = PROGRAMS
GENERATED, BACKWARDS = f"{ORDERED}generated:from_depth=1", f"{ORDERED}reversed:from_depth=1"


def printed(name: str, tolerance: float, cause: str = "") -> Decide:
    """Return the function of the claim that our number is within a factor `tolerance` of the one in the report."""

    def decide(evidence: Evidence) -> Decision:
        ours, theirs = evidence.value("The text", name), float(fact("003", name))
        within = 1 / tolerance <= ours / theirs <= tolerance
        because = f"{text_of(ours)} here, {text_of(theirs)} there; the allowed factor is {tolerance:g}{cause}."
        return judged(within, because)

    return decide


def root_work_of(evidence: Evidence) -> dict[str, list[int]]:
    """Return the evaluations below each root move at depth 5, by position."""
    return root_work(evidence.of("Figure 2.6", "imbalance"))


def allowed_speed_ups(evidence: Evidence, threads: int, chunk: int = 1) -> dict[str, float]:
    """Return the speed-ups that root moves allow if they are handed out `chunk` at a time, by position."""
    return {name: allowed(work, threads, chunk) for name, work in root_work_of(evidence).items()}


def evaluations_per_second(samples: Sequence[Sample]) -> float:
    """Return the median number of leaves per second."""
    return median(samples, lambda sample: number(sample["leaves"]) / number(sample["seconds"]))


def leaves_by_program(evidence: Evidence, section: str, part: str) -> dict[str, dict[str, float]]:
    """Return the leaves of the programs of a part that runs `pruning`, by program and position."""
    leaves: dict[str, dict[str, float]] = {}
    for sample in evidence.of(section, part):
        leaves.setdefault(str(sample["program"]), {})[str(sample["position"])] = number(sample["leaves"])
    return leaves


def ratios_of(over: Mapping[str, float], under: Mapping[str, float]) -> dict[str, float]:
    """Return the ratios of two sets of figures, by position."""
    return {name: over[name] / under[name] for name in over if name in under}


def details(evidence: Evidence, question: str, cases: Sequence[str]) -> dict[str, float]:
    """Return our numbers in the section `Details`, by case."""
    return {case: evidence.value("Details", (question, case)) for case in cases}
