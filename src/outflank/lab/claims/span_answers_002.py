"""Answers to report 002's conclusions about work, span, and the speed-ups that cilkview estimates from them."""

from collections.abc import Iterable
from itertools import pairwise

from outflank.lab.claims.ledger import Decision, Evidence, judged
from outflank.lab.claims.time_answers_002 import MANY_THREADS, case_by_case, listed
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.cilkview import PROCESSORS
from outflank.lab.reproduction.report_002 import DEPTHS
from outflank.lab.reproduction.timed_games import DEPTH, ENOUGH, LESS

STRAIGHT = 2.0
"""Greatest ratio of two growth factors per ply at which growth counts as a straight line on a logarithmic scale."""


def _profile(evidence: Evidence, column: str) -> dict[int, float]:
    return {depth: evidence.value("Figures 1 and 2", depth, column) for depth in DEPTHS}


def _growth(values: Iterable[float]) -> list[float]:
    """Return the factors between successive values."""
    return [after / before for before, after in pairwise(values)]


def _published_growth(column: str) -> list[float]:
    return _growth(row[column] for row in rows("002", "profile"))


def mostly_parallel(evidence: Evidence) -> Decision:
    """At every depth more than half of the nodes are not on the longest path."""
    shares = {depth: 1 - 1 / value for depth, value in _profile(evidence, "parallelism").items()}
    least = min(shares.values())
    because = f"At depths {DEPTHS[0]} to {DEPTHS[-1]} at least {least:.1%} of the nodes are beside the longest path."
    return judged(least > 0.5, because)


def work_multiplies(evidence: Evidence) -> Decision:
    """Each ply of depth at least doubles the work."""
    factors = _growth(_profile(evidence, "work").values())
    return judged(min(factors) >= 2, f"A ply more is {listed(factors, 1)} times the work, at least twice (our limit).")


def straight_line(evidence: Evidence) -> Decision:
    """The greatest factor by which a ply multiplies the work is at most twice the least."""
    factors = _growth(_profile(evidence, "work").values())
    because = (
        f"The factors per ply are {listed(factors, 1)} (the report's own: {listed(_published_growth('work'), 1)}), "
        f"and would have to be within {STRAIGHT:g} times of each other: each depth plays another game, with more or "
        "fewer moves to choose from."
    )
    return judged(max(factors) <= STRAIGHT * min(factors), because)


def burden_lengthens(evidence: Evidence) -> Decision:
    """The burdened span is longer than the span, at every depth."""
    spans, burdened = _profile(evidence, "span"), _profile(evidence, "burdened_span")
    ratios = [burdened[depth] / spans[depth] for depth in DEPTHS]
    theirs = [row["burdened_span"] / row["span"] for row in rows("002", "profile")]
    because = f"With the burden the span is {listed(ratios)} times as long (the report: {listed(theirs)})."
    return judged(min(ratios) > 1, because)


def parallelism_multiplies(evidence: Evidence) -> Decision:
    """Each ply of depth at least doubles parallelism, with the burden and without."""
    factors = _growth(_profile(evidence, "parallelism").values())
    burdened = _growth(_profile(evidence, "burdened_parallelism").values())
    because = (
        f"A ply more multiplies parallelism by {listed(factors, 1)}, and with the burden by {listed(burdened, 1)}; 2 "
        "is our limit."
    )
    return judged(min(*factors, *burdened) >= 2, because)


def leap_at_seven(evidence: Evidence) -> Decision:
    """From 6 to 7 plies, parallelism grows by a greater factor than with any earlier ply."""
    parallelism = _profile(evidence, "parallelism")
    factors = _growth(parallelism.values())
    theirs = rows("002", "profile")[-1]["parallelism"]
    because = (
        f"From 6 to 7 plies it grows {factors[-1]:.1f} times, to {parallelism[DEPTH]:,.0f} (the report: "
        f"{_published_growth('parallelism')[-1]:.1f} times, to {theirs:,.0f})."
    )
    return judged(factors[-1] == max(factors), because)


def overhead_and_path(evidence: Evidence) -> Decision:
    """Overhead and the path of nodes are each at least a tenth of the burdened span."""
    spans, burdened = _profile(evidence, "span"), _profile(evidence, "burdened_span")
    shares = [1 - spans[depth] / burdened[depth] for depth in DEPTHS]
    because = (
        f"Of the burdened span {min(shares):.0%} to {max(shares):.0%} are overhead, and the rest is the path of nodes "
        "that wait for each other; 10% of either count as a cause."
    )
    return judged(min(shares) >= 0.1 and max(shares) <= 0.9, because)


def amdahl(evidence: Evidence) -> Decision:
    """The sequential part takes more than 3 % off the efficiency on 32 processors."""
    ours = evidence.value("Figures 1 and 2", DEPTH, "parallelism")
    theirs = rows("002", "profile")[-1]["parallelism"]
    lost, their_loss = (1 - 1 / (1 + (MANY_THREADS - 1) / value) for value in (ours, theirs))
    because = (
        f"One part in {ours:,.0f} of the game is sequential (in the report's, one in {theirs:,.0f}), which takes "
        f"{lost:.2%} ({their_loss:.2%}) off the efficiency on {MANY_THREADS} processors: that is no decline that a "
        "figure could show."
    )
    return judged(lost > 1 - LESS, because)


def fifteen_searches(evidence: Evidence) -> Decision:
    """Parallelism at depth 7 is within a factor of 2 of the 15 searches that the report supposes."""
    parallelism = evidence.value("Figures 1 and 2", DEPTH, "parallelism")
    moves = evidence.value("Figures 4 and 5", "parallel_searches_at_a_time")
    guess = fact("002", "parallel_searches_at_a_time")
    because = (
        f"On average {parallelism:,.0f} parts of a game at depth {DEPTH} could run at a time, not {guess}; even the "
        f"moves at the root, {moves:.1f} in the mean, are no limit, since moves below them are divided too."
    )
    return judged(guess / 2 <= parallelism <= 2 * guess, because)


# --- estimated speed-ups ---


def efficient_at_all_depths(evidence: Evidence) -> Decision:
    """The estimated efficiency on 2 processors is at least 0.8 at every depth."""
    efficiencies = {depth: evidence.value("Figure 3", depth, "processors_2") / 2 for depth in DEPTHS}
    because = (
        f"Estimated efficiencies on 2 processors are {listed(efficiencies.values())} at depths {DEPTHS[0]} to "
        f"{DEPTHS[-1]}, and {ENOUGH} is what the report calls good"
    )
    return case_by_case({depth: value >= ENOUGH for depth, value in efficiencies.items()}, "depth", because)


def diminishing_returns(evidence: Evidence) -> Decision:
    """From 128 to 256 processors the estimated speed-up grows less than 1.8 times, at every depth."""
    before, after = (f"processors_{count}" for count in PROCESSORS[-2:])
    gains = {
        depth: evidence.value("Figure 3", depth, after) / evidence.value("Figure 3", depth, before) for depth in DEPTHS
    }
    because = (
        f"From {PROCESSORS[-2]} to {PROCESSORS[-1]} processors the estimate grows {listed(gains.values())} times at "
        f"depths {DEPTHS[0]} to {DEPTHS[-1]}, and 1.8 times or more is no slowing down"
    )
    return case_by_case({depth: gain < 1.8 for depth, gain in gains.items()}, "depth", because)


def room_for_more(evidence: Evidence) -> Decision:
    """By the estimate, the efficiency on 32 processors is above 0.8."""
    efficiency = evidence.value("Figure 3", DEPTH, f"processors_{MANY_THREADS}") / MANY_THREADS
    because = (
        f"By the lower estimate the game at depth {DEPTH} allows an efficiency of {efficiency:.2f} on {MANY_THREADS} "
        "processors, so that it is not the tree that makes it fall."
    )
    return judged(efficiency > ENOUGH, because)
