"""Answers about report 000's evaluation."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

from outflank.lab.claims.board_answers_000 import WITHOUT, variation
from outflank.lab.claims.deciding import (
    by_board,
    by_case,
    compared,
    decided_by_match,
    listed,
    pair_counts,
    quotients,
    total,
)
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.scores_000 import FEW_MOVES, SCORED_DISCS
from outflank.lab.reproduction.sequential_conclusions_000 import SEQUENTIAL
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.edges import duel_of_edges
from outflank.othello.evaluation import PHASE_WEIGHTS

EARLY, MIDDLE, LATE, LAST = SCORED_DISCS

# --- the strength of evaluations ---


def stronger(first: str, second: str, cause: str) -> Decide:
    """Return the function of a claim that holds if one evaluation beats another at equal depth."""

    def decide(evidence: Evidence) -> Decision:
        counts = pair_counts(evidence, SEQUENTIAL, (first, second))
        return decided_by_match(CLEARLY_STRONGER, counts, f"At equal depth {first} has {{}} against {second}; {cause}")

    return decide


def moderate(evidence: Evidence) -> Decision:
    """The evaluation beats the count of discs, and loses to one that was fitted to games."""
    beats, beaten = stronger("four-part", "discs", "")(evidence), stronger("phased", "four-part", "")(evidence)
    if Answer.NOT_DONE in (beats.answer, beaten.answer):
        raise Missing("Too few games to decide both matches.")
    scores = []
    for first, second in (("four-part", "discs"), ("phased", "four-part")):
        counts = pair_counts(evidence, SEQUENTIAL, (first, second))
        points = sum(half / 2 * count for half, count in enumerate(counts))
        scores.append(f"{first} has {points:g} of {2 * sum(counts)} points against {second}")
    return judged(beats.answer is beaten.answer is Answer.CONFIRMED, f"At equal depth {', and '.join(scores)}.")


# --- what scores foretell ---


def _correlations(evidence: Evidence, name: str, discs: Sequence[int] = SCORED_DISCS) -> dict[int, float]:
    return {count: evidence.value(SEQUENTIAL, (name, count), "correlation") for count in discs}


def _chance(evidence: Evidence, discs: int) -> float:
    """Return the correlation that one sample in forty exceeds by chance alone: two standard errors."""
    return 2 / sqrt(evidence.value(SEQUENTIAL, ("boards", discs)))


GAMES = "in games of report 000's evaluation at depth 1 its correlation with the result is"


HARDLY = 0.1
"""Correlation with the result up to which a score hardly foretells it, however many games were played."""


def foretells(name: str, late: Sequence[int], early: Sequence[int]) -> Decide:
    """Return the function of a claim that a score foretells the result late in a game, but hardly early in it.

    `late` and `early` are numbers of discs on the board.
    """

    def decide(evidence: Evidence) -> Decision:
        correlations = _correlations(evidence, name)
        cases = {f"{discs} discs": correlations[discs] > _chance(evidence, discs) for discs in late}
        cases |= {f"{discs} discs": correlations[discs] <= max(HARDLY, _chance(evidence, discs)) for discs in early}
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in correlations.items())
        return by_case(cases, f"{GAMES} {text} (chance: up to {_chance(evidence, MIDDLE):.2f}; hardly: {HARDLY:g}).")

    return decide


def alone_or_fitted(name: str, column: int, sign: int, cause: str) -> Decide:
    """Return the function of a claim that a score's effect on the result has the given sign.

    The effect is the score's correlation with the result, and its weight in `Phased`.
    """

    def decide(evidence: Evidence) -> Decision:
        correlations = _correlations(evidence, name, (MIDDLE, LATE))
        weights = [int(row[column]) for row in PHASE_WEIGHTS]
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in correlations.items())
        return by_case(
            {
                "the score alone": all(
                    sign * value > _chance(evidence, discs) for discs, value in correlations.items()
                ),
                "the score among others": min(sign * weight for weight in weights) > 0,
            },
            f"{GAMES} {text} (chance: up to {_chance(evidence, MIDDLE):.2f}), {cause}; fitted with seven others to "
            f"tournament games (`Phased`) its weight is {min(weights)} to {max(weights)} tenths of a disc.",
        )

    return decide


def few_moves(evidence: Evidence) -> Decision:
    """The side with one move or none loses on average, by more than two standard errors."""
    result, error = (evidence.value(SEQUENTIAL, FEW_MOVES, column) for column in ("result", "error"))
    because = f"In games of report 000's evaluation at depth 1, a side with one move or none ends {result:+.1f} discs"
    return judged(result < -2 * error, f"{because} ahead on average (standard error {error:.1f}).")


def flips(evidence: Evidence) -> Decision:
    """A move flips more discs near the end than at the start."""
    flipped = {discs: evidence.value(SEQUENTIAL, ("flipped", discs)) for discs in SCORED_DISCS}
    text = ", ".join(f"{count:.1f} at {discs} discs" for discs, count in flipped.items())
    return judged(flipped[LAST] > flipped[EARLY], f"A move flips {text}.")


# --- edges and division ---


def edge_cost(evidence: Evidence) -> Decision:
    """With a table of edges, minimax takes less than 1.25 times the processor time that it takes without one."""
    ratio = evidence.value(SEQUENTIAL, "time with edges")
    return judged(ratio < 1.25, f"The same tree takes {ratio:.2f} times the time with edges (not expensive: 1.25).")


def edges(evidence: Evidence) -> Decision:
    """The learnt table of edges neither saves boards nor wins games."""
    samples = evidence.of("The evaluation function", "edges")
    boards = by_board(samples, "evaluation", "nodes")
    name = "edges by probabilities"
    visited = total(boards, name) / total(boards, "four-part")
    games = [sample for sample in samples if sample.get("evaluation") == name and "pair" in sample]
    duel = duel_of_edges(games) if games else None
    if duel is None or duel.pairs is None:
        raise Missing
    match = decided_by_match(CLEARLY_STRONGER, duel.pairs, "with edges the report's evaluation has {} against none")
    if match.answer is Answer.NOT_DONE:
        return match
    return by_case(
        {"boards visited": visited >= 1, "games": match.answer is Answer.CONTRADICTED},
        f"a table of edges visits {visited:.2f} times the boards; {match.because[0].lower()}{match.because[1:]}",
    )


MOST_RUNS = 0.75
"""Least share of boards that counts as "nearly every run"."""


def coarse(evidence: Evidence) -> Decision:
    """Searches with undivided values visit at least 1.5 times the boards on three quarters of the tournament boards."""
    boards = by_board(evidence.of(SEQUENTIAL, "coarseness, tournament"), "evaluation", "nodes")
    least = 1 + fact("000", "coarseness_faster_percent") / 100
    ratios = quotients(boards, "as it is", "divided by 8")
    share = fmean(ratio >= least for ratio in ratios.values())
    without = variation(evidence, "undivided", "as it is", WITHOUT)
    return judged(
        share >= MOST_RUNS,
        f"Undivided values visit {least:g} times the boards or more on {share:.0%} of {len(ratios)} tournament boards "
        f"(nearly every run: {MOST_RUNS:.0%}), and {total(boards, 'as it is') / total(boards, 'divided by 8'):.2f} "
        f"times in all. The table is the cause: without one it is {listed(without, '.2f')}, since every probe of "
        "MTD(f) then searches all anew.",
    )


def fine_moves_the_pivot(evidence: Evidence) -> Decision:
    """Without a table, undivided values visit at least 1.5 times the boards. A table hides the cost of more probes."""
    return compared(
        variation(evidence, "undivided", "as it is", WITHOUT),
        lambda ratio: ratio >= 1.5,
        "each change of the pivot is a search from the root: undivided values, in steps an eighth as large, visit this "
        "many times the boards without a table: {} (too fine: 1.5).",
    )


STEP = 8
"""Points of the undivided evaluation that are one point of the divided one."""


def less_accurate(evidence: Evidence) -> Decision:
    """The divided evaluation chooses moves that the undivided one finds worse, by less than a step on average.

    A loss is never negative, so that any loss shows that accuracy is lost.
    """
    names = ("boards of other moves", "boards compared", "mean loss")
    other, boards, loss = (evidence.value(SEQUENTIAL, name) for name in names)
    return judged(
        0 < loss < STEP,
        f"At equal depth the divided evaluation takes a worse move on {other:.0f} of {boards:.0f} tournament boards, "
        f"which loses {loss:.1f} undivided points on average (a little: less than {STEP}, a step of the divided one).",
    )
