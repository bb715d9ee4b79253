"""Functions that decide report 003's conclusions from the measurements of a reproduction."""

from collections.abc import Callable, Mapping, Sequence

from outflank.lab.claims.ledger import Answer, Decision, Evidence, judged
from outflank.lab.drawing.looks import number as text_of
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import median, number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.studies.imbalance import allowed, root_work
from outflank.lab.studies.pruning import ORDERED, PROGRAMS
from outflank.machine import usable_cores

Decide = Callable[[Evidence], Decision]

MINIMAX, FULL_WINDOWS, SHARED_ALPHA = PROGRAMS
GENERATED, BACKWARDS = f"{ORDERED}generated:from_depth=1", f"{ORDERED}reversed:from_depth=1"


def unmeasured(because: str) -> Decide:
    """Return the function of a claim that a match or an experiment could decide, but no section has it."""
    return lambda evidence: Decision(Answer.NOT_DONE, because)


def by_position(figures: Mapping[str, float], digits: int = 3) -> str:
    """Return figures with the names of their positions, as text."""
    return ", ".join(f"{name} {text_of(figure, digits)}" for name, figure in figures.items())


def agreement(holds: Mapping[str, bool], because: str) -> Decision:
    """Return whether a claim holds for all, none or some of the named cases."""
    if len(set(holds.values())) == 1:
        return judged(all(holds.values()), sentence(because))
    good, bad = ([name for name, each in holds.items() if each is wanted] for wanted in (True, False))
    return Decision(
        Answer.DEPENDS, f"It holds for {', '.join(good)}, not for {', '.join(bad)}: {because[0].lower()}{because[1:]}"
    )


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning.

    >>> sentence("flat has 1 of 2")
    'Flat has 1 of 2'
    """
    return text[:1].upper() + text[1:]


def too_few_cores(cores: int) -> Decision | None:
    """Return the decision that this machine has too few cores, or None if it has enough."""
    if usable_cores() >= cores:
        return None
    return Decision(Answer.NEEDS_CORES, f"It takes {cores} cores; here are {usable_cores():g}.")


def printed(name: str, tolerance: float, cause: str = "") -> Decide:
    """Return the function that compares a number in the report's text with ours, which may differ by a factor."""

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
