"""Answers to report 002's conclusions about its search, the granularity, races, and parallel work inside a node.

A time counts as less than another if it is at least 3 % less (`LESS`).
"""

from outflank.lab.claims.deciding import by_case, decided_by_match, pair_counts
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.time_answers_002 import few_cores, listed
from outflank.lab.experiment_report import Cell
from outflank.lab.measuring.node_work import BY_SQUARES, FLIPS, IN_LANES, MOVES, OPERATIONS, VALUE, WAYS
from outflank.lab.measuring.search_samples import (
    ENOUGH_CORES,
    FEWEST_ROUNDS,
    grouped,
    long_enough,
    number,
    processor_share,
)
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.report_002 import CILK_LOOPS, DISC_MATCHES, GRANULARITIES, OWN_RUNTIME
from outflank.lab.reproduction.text_001 import RANDOM
from outflank.lab.reproduction.timed_games import LESS
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.sweeps import ALONE
from outflank.lab.studies.within import AFTER, TWO, call_costs

GRANULARITY: int = fact("002", "granularity")

SLOWEST_SHARED_CALL = 5000.0
"""Greatest duration, in nanoseconds, of a call that two workers share on two cores. In a slower call they took turns on
one core."""


def same_search(evidence: Evidence) -> Decision:
    """Games of the serial program and on any number of threads have the same moves, values and numbers of nodes."""
    samples = evidence.of("Figures 4 and 5", "scaling")
    counts = {number(sample["workers"]) for sample in samples}
    if len(counts) < 2:
        raise Missing
    same = len(grouped(samples, "nodes", "moves", "value")) == 1
    because = (
        f"Games of the serial program and of 1 to {max(counts):g} threads have "
        f"{'the same' if same else 'different'} moves, values and numbers of nodes."
    )
    return judged(same, because)


def discs(evidence: Evidence) -> Decision:
    """Counting discs beats a player that plays at random, and it beats an evaluation by mobility."""
    names = {RANDOM: "a player that plays at random", "mobility": "an evaluation by mobility"}
    decisions = {
        names[rival]: decided_by_match(
            CLEARLY_STRONGER,
            pair_counts(evidence, "My Solution", (first, rival)),
            f"{{}} of {first} against {names[rival]}",
        )
        for first, rival in DISC_MATCHES
    }
    for decision in decisions.values():
        if decision.answer is Answer.NOT_DONE:
            return decision
    because = " ".join(decision.because for decision in decisions.values())
    return by_case({rival: decision.answer is Answer.CONFIRMED for rival, decision in decisions.items()}, because)


# --- granularity ---


def best_granularity(evidence: Evidence) -> Decision:
    """Burdened parallelism is greatest with a granularity of 3, in our runtime and with Cilk's halved loops."""
    best, parts = {}, []
    for column in (OWN_RUNTIME, CILK_LOOPS):
        values = {
            granularity: evidence.value("Granularity, parallelism", granularity, column)
            for granularity in GRANULARITIES
        }
        best[column] = max(values, key=lambda granularity: values[granularity])
        parts.append(f"{listed(values.values(), 1)} ({column})")
    agreeing = sum(granularity == GRANULARITY for granularity in best.values())
    answer = (Answer.CONTRADICTED, Answer.DEPENDS, Answer.CONFIRMED)[agreeing]
    because = (
        f"Burdened parallelism with granularities {GRANULARITIES[0]} to {GRANULARITIES[-1]} is {' and '.join(parts)}: "
        f"best is {best[OWN_RUNTIME]} with our way of handing out moves and {best[CILK_LOOPS]} if each halving of a "
        "loop is a steal. In nodes, a loop's own instructions are not counted."
    )
    return Decision(answer, because)


def _seconds_by_granularity(evidence: Evidence) -> dict[Cell, float]:
    """Return the least time by granularity. The keys are the report's granularities, which are one higher than ours.

    Raise `Missing` if the times cannot be trusted, or if a granularity that claims compare was not measured.
    """
    samples = evidence.of("Granularity", "granularity")
    groups = grouped(samples, "granularity")
    if (processor := processor_share(samples)) is not None and processor < ENOUGH_CORES:
        raise Missing  # other processes were running
    if any(len(group) < FEWEST_ROUNDS or not long_enough(group) for group in groups.values()):
        raise Missing
    seconds = {
        label + 1 if isinstance(label, int) else label: min(number(sample["seconds"]) for sample in group)
        for (label,), group in groups.items()
    }
    if not {ALONE, GRANULARITY - 1, GRANULARITY} <= seconds.keys():
        raise Missing
    return seconds


def finer_is_slower(evidence: Evidence) -> Decision:
    """A granularity of 3 takes less time than one of 2."""
    seconds = _seconds_by_granularity(evidence)
    finer, theirs = seconds[GRANULARITY - 1], seconds[GRANULARITY]
    because = (
        f"A search takes {finer:.3f} s with a granularity of {GRANULARITY - 1}, and {theirs:.3f} s with {GRANULARITY}."
    )
    return judged(theirs < LESS * finer, because)


def faster_than_either(evidence: Evidence) -> Decision:
    """A granularity of 3 takes less time than one of 2, and less than an undivided search."""
    if (too_few := few_cores(2)) is not None:
        return too_few
    seconds = _seconds_by_granularity(evidence)
    if not any(sample["steals_tried"] for sample in evidence.of("Granularity", "granularity")):
        raise Missing  # the run had one worker
    finer, theirs, alone = seconds[GRANULARITY - 1], seconds[GRANULARITY], seconds[ALONE]
    because = (
        f"A search takes {theirs:.3f} s with a granularity of {GRANULARITY}, {finer:.3f} s divided a ply further, and "
        f"{alone:.3f} s undivided."
    )
    return judged(theirs < LESS * min(finer, alone), because)


def coarser_is_faster(evidence: Evidence) -> Decision:
    """Some other granularity takes less time than one of 3."""
    seconds = _seconds_by_granularity(evidence)
    divided = {label: time for label, time in seconds.items() if isinstance(label, int)}
    best = min(divided, key=lambda label: divided[label])
    because = (
        f"With a granularity of {best} a search takes {divided[best]:.3f} s, the least of all, and with {GRANULARITY} "
        f"{divided[GRANULARITY]:.3f} s."
    )
    return judged(divided[best] < LESS * divided[GRANULARITY], because)


# --- races and reducers ---


def no_races(evidence: Evidence) -> Decision:
    """The race checker finds no undeclared data race."""
    count = evidence.value("Data Races", "data_races")
    because = (
        f"{count:g} undeclared races in our runtime's fork-join; of the report's depths 1 to 7 the first two divide "
        "nothing, and could show none."
    )
    return judged(count == fact("002", "data_races"), because)


def right_maximum(evidence: Evidence) -> Decision:
    """No random interleaving of the workers gives a wrong value."""
    whole = [sample for sample in evidence.of("Data Races", "races") if sample["what"] == "whole"]
    wrong, ran = (sum(int(number(sample[name])) for sample in whole) for name in ("wrong_values", "schedules"))
    if not ran:
        raise Missing
    because = (
        f"{wrong} wrong values in {ran} random interleaving{'' if ran == 1 else 's'}; workers combine their values by "
        "an atomic maximum, without a lock."
    )
    return judged(wrong == 0, because)


# --- inside a node ---


def _costs(evidence: Evidence, operation: int) -> tuple[float, float, float]:
    """Return the nanoseconds of a call in three ways: square by square, in lanes, and by two workers."""
    costs = call_costs(evidence.of("Further Parallelism", "within"), AFTER)
    squares, lanes, two = (costs.get((OPERATIONS[operation], way)) for way in (WAYS[BY_SQUARES], WAYS[IN_LANES], TWO))
    if squares is None or lanes is None or two is None:
        raise Missing
    return squares, lanes, two


def _no_second_worker(nanoseconds: float) -> Decision | None:
    """Return the decision that a call by two workers could not be measured, or None if its time can be trusted."""
    if (too_few := few_cores(2)) is not None:
        return too_few
    if nanoseconds <= SLOWEST_SHARED_CALL:
        return None
    return Decision(Answer.NOT_DONE, f"The second worker had no core of its own: a call took {nanoseconds:,.0f} ns.")


def independent_squares(evidence: Evidence) -> Decision:
    """All ways to generate moves, one square after another or many at a time, find the same moves."""
    samples = [row for row in evidence.of("Further Parallelism", "within") if row["operation"] == OPERATIONS[MOVES]]
    places = grouped(samples, "position").values()
    same = all(len({row["found"] for row in place}) == 1 for place in places)
    ways = len({row["way"] for row in samples})
    outcome = "the same moves" if same else "different moves"
    return judged(same, f"{ways} ways, by squares, by directions, in lanes and by two workers, find {outcome}.")


def pays_inside_a_node(operation: int) -> Decide:
    """Return the function of a claim that an operation gains from parallelism, by lanes and by a second worker."""

    def decide(evidence: Evidence) -> Decision:
        squares, lanes, two = _costs(evidence, operation)
        if (undecided := _no_second_worker(two)) is not None:
            return undecided
        because = (
            f"A call takes {squares:,.0f} ns square by square, {lanes:,.1f} ns in SIMD lanes and {two:,.0f} ns if two "
            "workers have half the lanes each"
        )
        paying = (lanes < LESS * squares) + (two < LESS * lanes)
        ending = ("neither pays", "lanes pay and a second worker does not", "both pay")[paying]
        answer = (Answer.CONTRADICTED, Answer.DEPENDS, Answer.CONFIRMED)[paying]
        return Decision(answer, f"{because}: {ending}.")

    return decide


def evaluation_is_too_short(evidence: Evidence) -> Decision:
    """Two workers take longer to count the bits of a board than one."""
    _, lanes, two = _costs(evidence, VALUE)
    if (undecided := _no_second_worker(two)) is not None:
        return undecided
    return judged(two > lanes, f"Counting the bits takes one worker {lanes:,.1f} ns, and two workers {two:,.0f} ns.")


def workers_inside_a_node(evidence: Evidence) -> Decision:
    """Two workers take less time than one, for move generation and for flipping."""
    calls = {name: _costs(evidence, operation) for name, operation in (("generation", MOVES), ("flipping", FLIPS))}
    if (undecided := _no_second_worker(max(two for _, _, two in calls.values()))) is not None:
        return undecided
    parts = [f"{two / lanes:,.1f} times the time of one for {name}" for name, (_, lanes, two) in calls.items()]
    gains = all(two < LESS * lanes for _, lanes, two in calls.values())
    return judged(gains, f"Two workers take {' and '.join(parts)}: to hand over half a call costs more than the call.")
