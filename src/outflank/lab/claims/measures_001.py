"""Measurements of report 001's sections, as the functions that decide its conclusions need them."""

from collections.abc import Sequence
from statistics import fmean

from outflank.lab.claims.deciding import in_several_rounds, trusted_times
from outflank.lab.claims.ledger import Evidence, Missing
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import Groups, grouped, median, number
from outflank.lab.studies.sweeps import ALONE
from outflank.lab.studies.windows import TURNED_OVER, mean_of
from outflank.machine import usable_cores

ALGORITHMS, LEVELS, EVALUATION = "Algorithms", "Implementation Details", "Implementation Details, evaluation"
BRANCHING, COUNTS, BENCHMARKS = "Evaluation", "Experimental Results", "Experimental Results, benchmarks"
SHARED_TABLE = "Future Work, shared table"
"""Names of the sections whose measurements decide."""

FIRST_PLAYER = "branching, against the first-move player"
"""Name of the part that measures branching against the first-move player, as the report's counts do."""

LITTLE = 0.05
"""Relative difference of node counts or times up to which two searches count as equal."""

FEWEST_GAMES = 4
"""Least number of games with each colour from which a deviation is computed."""


def schemes(evidence: Evidence) -> tuple[Groups, int]:
    """Return the samples of one search by scheme and workers, and the most workers. Raise `Missing` if that is 1."""
    groups = grouped(evidence.of(SHARED_TABLE, "scaling"), "scheme", "workers")
    most = max(int(number(workers)) for _, workers in groups)
    if most < 2:
        raise Missing("This run has one worker only.")
    return groups, most


LARGE = 500_000
"""Least number of nodes of a search that decides how well workers share it. In a smaller one they hardly meet."""


def scheme_nodes(evidence: Evidence, scheme: str) -> float:
    """Return the nodes of a scheme on the most workers, relative to the nodes of one worker, in a large search."""
    groups, most = schemes(evidence)
    serial = median(groups["serial pvs", 1], "nodes")
    if serial < LARGE:
        raise Missing(f"A search of {serial:,.0f} nodes is too small to be shared.")
    return median(groups[scheme, most], "nodes") / serial


def scheme_speed_up(evidence: Evidence, scheme: str) -> float:
    """Return the speed-up of a scheme on the most workers over the serial search."""
    groups, most = schemes(evidence)
    if most > usable_cores():
        raise Missing("This run has more workers than the machine has cores.")
    keys = (("serial pvs", 1), (scheme, most))
    serial, parallel = (trusted_times(in_several_rounds(groups[key])) for key in keys)
    return median(serial, "seconds") / median(parallel, "seconds")


def game_nodes(evidence: Evidence) -> dict[str, dict[tuple[str, int], float]]:
    """Return nodes per turn by algorithm and by game. The colour and the number identify a game.

    Only the greatest depth and, for each algorithm, the most workers count.
    """
    samples = evidence.of(BENCHMARKS, "times")
    deepest = max(number(sample["depth"]) for sample in samples)
    nodes: dict[str, dict[tuple[str, int], float]] = {}
    for (name,), group in grouped((turn for turn in samples if turn["depth"] == deepest), "algorithm").items():
        most = max(number(sample["workers"]) for sample in group)
        games = grouped((sample for sample in group if sample["workers"] == most), "colour", "game")
        nodes[str(name)] = {
            (str(colour), int(number(game))): fmean(number(turn["nodes"]) for turn in turns)
            for (colour, game), turns in games.items()
        }
    return nodes


def turn_nodes(evidence: Evidence, *names: str) -> list[float]:
    """Return mean nodes per turn of some algorithms against the random player."""
    nodes = game_nodes(evidence)
    if not set(names) <= set(nodes):
        raise Missing
    return [fmean(nodes[name].values()) for name in names]


def levels(evidence: Evidence) -> dict[int, list[Sample]]:
    """Return the samples of Jamboree by the number of levels that it divides."""
    groups = grouped(evidence.of(LEVELS, "levels"), "levels")
    return {int(number(level)): group for (level,), group in groups.items() if level != ALONE}


def idle_share(samples: Sequence[Sample]) -> float:
    """Return the share of the workers' time in which they had nothing to search."""
    idle = median(samples, "idle_seconds")
    return idle / (idle + median(samples, "useful_seconds"))


def widths(evidence: Evidence, part: str = "branching") -> dict[str, tuple[float, float]]:
    """Return moves per inner node, and nodes per turn, by evaluation."""
    return {
        str(evaluation): (
            sum(number(sample["moves"]) for sample in group) / sum(number(sample["inner"]) for sample in group),
            fmean(number(sample["nodes"]) for sample in group),
        )
        for (evaluation,), group in grouped(evidence.of(BRANCHING, part), "evaluation").items()
    }


def turned_counts(evidence: Evidence) -> list[Sample]:
    """Return the counts in the report's windows and in correct ones, at one depth. A quick run has a lower depth."""
    for part in ("nodes", "nodes, windows turned over"):
        samples = list(evidence.samples.get((COUNTS, part), ()))
        if any(sample["window"] == TURNED_OVER for sample in samples):
            return samples
    raise Missing


def mean_nodes(samples: Sequence[Sample], name: str, *window: str) -> float:
    """Return the mean nodes per turn of a program, in the report's root windows unless another is given."""
    mean = mean_of(samples, name, *window)
    if mean is None:
        raise Missing
    return mean
