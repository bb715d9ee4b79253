"""Functions that the reports' claims share: answers case by case, medians by board, matches, and trust in times."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from outflank.arena.elo_statistics import Observed
from outflank.arena.sprt import Sprt
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.drawing.looks import number as text_of
from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_samples import (
    ENOUGH_CORES,
    FEWEST_ROUNDS,
    grouped,
    long_enough,
    median,
    number,
    processor_share,
)
from outflank.lab.reproduction.matches import PAIR_COLUMNS
from outflank.machine import usable_cores

Key = TypeVar("Key", str, int)

# --- answers ---


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning.

    >>> sentence("flat has 1 of 2")
    'Flat has 1 of 2'
    """
    return text[:1].upper() + text[1:]


def by_case(cases: Mapping[str, bool], because: str) -> Decision:
    """Return `confirmed` if all cases hold, `contradicted` if none does, else `depends` with the names of the cases."""
    holds = [name for name, held in cases.items() if held]
    fails = [name for name in cases if name not in holds]
    if not fails or not holds:
        return judged(not fails, sentence(because))
    because = because if because[:2].isupper() else because[:1].lower() + because[1:]
    return Decision(Answer.DEPENDS, f"It holds for {', '.join(holds)}, not for {', '.join(fails)}: {because}")


def listed(figures: Mapping[Key, float], form: str = "") -> str:
    """Return figures with their names as text, in the given format or with three significant digits.

    >>> listed({"start": 1.5, "midgame": 0.25}, ".0%")
    '150% (start), 25% (midgame)'
    """
    return ", ".join(
        f"{format(figure, form) if form else text_of(figure, 3)} ({name})" for name, figure in figures.items()
    )


def compared(figures: Mapping[str, float], holds: Callable[[float], bool], because: str, form: str = ".2f") -> Decision:
    """Return the decision by which figures pass the test `holds`. `because` has `{}` where the figures belong."""
    return by_case({name: holds(figure) for name, figure in figures.items()}, because.format(listed(figures, form)))


def judged_with_cause(holds: bool, figures: str, cause: str) -> Decision:
    """Return the decision that `figures` confirm a claim if `holds`, else that they contradict it, with the cause."""
    return judged(holds, f"{figures}." if holds else f"{figures}: {cause}.")


# --- measurements ---


class MeasuredValues(dict[Key, float]):
    """Measured values by name. A name that was not measured, as in an interrupted run, raises `Missing`."""

    def __missing__(self, key: Key) -> float:
        raise Missing


def by_board(samples: Iterable[Sample], label: str, measure: str) -> dict[str, MeasuredValues[str]]:
    """Return the median of a field, by board and by the value of the field `label`. Raise `Missing` without samples."""
    result: dict[str, MeasuredValues[str]] = {}
    for (board, choice), group in grouped((sample for sample in samples if measure in sample), "board", label).items():
        result.setdefault(str(board), MeasuredValues())[str(choice)] = median(group, measure)
    if not result:
        raise Missing
    return result


def total(boards: Mapping[str, MeasuredValues[str]], choice: str) -> float:
    """Return the sum over all boards for one choice. Raise `Missing` if a board lacks it."""
    return sum(values[choice] for values in boards.values())


def quotients(boards: Mapping[str, MeasuredValues[str]], over: str, under: str) -> dict[str, float]:
    """Return the value with the choice `over` divided by the value with the choice `under`, by board."""
    return {board: values[over] / values[under] for board, values in boards.items()}


FULL_PLIES = 11
"""Least depth that decides a comparison on report 000's two boards. A quick run's trees are a hundredth as large."""


def within_factor(first: float, second: float, factor: float) -> bool:
    """Return whether the greater of two numbers is less than `factor` times the other."""
    return max(first / second, second / first) < factor


def deep_enough(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return the samples if every search is at least `FULL_PLIES` deep, else raise `Missing`."""
    if min(number(sample["depth"]) for sample in samples if "depth" in sample) < FULL_PLIES:
        raise Missing(f"Searches of less than {FULL_PLIES} plies decide nothing here.")
    return samples


def in_several_rounds(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return `samples`. Raise `Missing` if they are of too few rounds to compare short times."""
    if max(number(sample["round"]) for sample in samples) < FEWEST_ROUNDS:
        raise Missing(f"Fewer than {FEWEST_ROUNDS} rounds of such short times decide nothing.")
    return samples


def trusted_times(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return `samples`. Raise `Missing` if their times are too short, or if other processes used the cores."""
    if not long_enough(samples):
        raise Missing("The searches of this run are too short to be timed.")
    share = processor_share(samples)
    if share is not None and share < ENOUGH_CORES:
        raise Missing(f"The machine was busy: the searches had {share:.0%} of the processor time that they could use.")
    return samples


def on_cores(cores: int, decide: Decide) -> Decide:
    """Return a function like `decide` that answers `needs cores` on a machine with fewer than `cores`."""

    def decide_on_cores(evidence: Evidence) -> Decision:
        if usable_cores() < cores:
            return Decision(Answer.NEEDS_CORES, f"It takes {cores} cores; here are {usable_cores():g}.")
        return decide(evidence)

    return decide_on_cores


# --- matches ---


def pair_counts(evidence: Evidence, section: str, row: tuple[Cell, ...]) -> list[int]:
    """Return how many pairs of a match gave the first player 0, 0.5, 1, 1.5 and 2 points."""
    return [round(evidence.value(section, row, column)) for column in PAIR_COLUMNS]


def decided_by_match(test: Sprt, counts: Sequence[int], players: str, cause: str = "") -> Decision:
    """Return the decision of a sequential test on a match.

    The claim is confirmed if the test accepts the greater difference in strength, and contradicted, because of `cause`,
    if it accepts the lesser. If the test cannot decide, the answer is `not done`. `players` names both players, with
    `{}` for the points of the first.
    """
    points, pairs = sum(half / 2 * count for half, count in enumerate(counts)), sum(counts)
    decision = test.decide(test.llr(Observed.pairs(tuple(counts))))
    score = sentence(players.format(f"{points:g} of {2 * pairs} points"))
    text = f"{score} (test: {test.elo0:+.0f} or {test.elo1:+.0f} Elo"
    if decision is None:
        return Decision(Answer.NOT_DONE, f"{text}; too few games to decide).")
    return judged(decision == "H1", f"{text}){'' if decision == 'H1' else cause}.")
