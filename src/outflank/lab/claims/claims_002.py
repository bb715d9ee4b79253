"""Conclusions of the published report 002, fork-join minimax with a granularity, and how they are decided."""

from collections.abc import Iterable
from itertools import pairwise

from outflank.lab.claims import time_claims_002
from outflank.lab.claims.deciding import by_case, decided_by_match, pair_counts
from outflank.lab.claims.ledger import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    NOT_TESTABLE,
    Answer,
    Decision,
    Evidence,
    Missing,
    Row,
    claims_from,
    judged,
)
from outflank.lab.claims.time_claims_002 import MANY_THREADS, Decide, case_by_case, few_cores, listed
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
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.cilkview import PROCESSORS
from outflank.lab.reproduction.report_002 import CILK_LOOPS, DEPTHS, DISC_MATCHES, GRANULARITIES, OWN_RUNTIME
from outflank.lab.reproduction.text_001 import RANDOM
from outflank.lab.reproduction.timed_games import DEPTH, ENOUGH, LESS
from outflank.lab.studies.duel_bouts import CLEARLY_STRONGER
from outflank.lab.studies.sweeps import ALONE
from outflank.lab.studies.within import AFTER, TWO, call_costs

SOLUTION = "My Solution"

GRANULARITY: int = fact("002", "granularity")

STRAIGHT = 2.0
"""Greatest ratio of two factors of growth per ply, for the growth to be a straight line on a logarithmic scale."""

SLOWEST_SHARED_CALL = 5000.0
"""Greatest nanoseconds of a call that two workers share, each on a core of its own. In a slower one they took turns."""


def _same_search(evidence: Evidence) -> Decision:
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


def _discs(evidence: Evidence) -> Decision:
    """Counting discs beats a player that plays at random, and an evaluation by mobility."""
    names = {RANDOM: "a player that plays at random", "mobility": "an evaluation by mobility"}
    decisions = {
        names[rival]: decided_by_match(
            CLEARLY_STRONGER, pair_counts(evidence, SOLUTION, (first, rival)), f"{{}} of {first} against {names[rival]}"
        )
        for first, rival in DISC_MATCHES
    }
    for decision in decisions.values():
        if decision.answer is Answer.NOT_DONE:
            return decision
    because = " ".join(decision.because for decision in decisions.values())
    return by_case({rival: decision.answer is CONFIRMED for rival, decision in decisions.items()}, because)


# --- granularity ---


def _best_granularity(evidence: Evidence) -> Decision:
    best, parts = {}, []
    for column in (OWN_RUNTIME, CILK_LOOPS):
        values = {each: evidence.value("Granularity, parallelism", each, column) for each in GRANULARITIES}
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
    """Return the least time with each granularity, as the report counts it. Raise `Missing` if times mean nothing."""
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


def _finer_is_slower(evidence: Evidence) -> Decision:
    seconds = _seconds_by_granularity(evidence)
    finer, theirs = seconds[GRANULARITY - 1], seconds[GRANULARITY]
    because = (
        f"A search takes {finer:.3f} s with a granularity of {GRANULARITY - 1}, and {theirs:.3f} s with {GRANULARITY}."
    )
    return judged(theirs < LESS * finer, because)


def _faster_than_either(evidence: Evidence) -> Decision:
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


def _coarser_is_faster(evidence: Evidence) -> Decision:
    seconds = _seconds_by_granularity(evidence)
    divided = {label: time for label, time in seconds.items() if isinstance(label, int)}
    best = min(divided, key=lambda label: divided[label])
    because = (
        f"With a granularity of {best} a search takes {divided[best]:.3f} s, the least of all, and with {GRANULARITY} "
        f"{divided[GRANULARITY]:.3f} s."
    )
    return judged(divided[best] < LESS * divided[GRANULARITY], because)


def _efficient_at_all_depths(evidence: Evidence) -> Decision:
    efficiencies = {depth: evidence.value("Figure 3", depth, "processors_2") / 2 for depth in DEPTHS}
    because = (
        f"Estimated efficiencies on 2 processors are {listed(efficiencies.values())} at depths {DEPTHS[0]} to "
        f"{DEPTHS[-1]}, and {ENOUGH} is what the report calls good"
    )
    return case_by_case({depth: value >= ENOUGH for depth, value in efficiencies.items()}, "depth", because)


# --- races and reducers ---


def _no_races(evidence: Evidence) -> Decision:
    count = evidence.value("Data Races", "data_races")
    because = (
        f"{count:g} undeclared races in our runtime's fork-join; of the report's depths 1 to 7 the first two divide "
        "nothing, and could show none."
    )
    return judged(count == fact("002", "data_races"), because)


def _right_maximum(evidence: Evidence) -> Decision:
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
    """Return nanoseconds of a call square by square, in lanes, and by two workers."""
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


def _independent_squares(evidence: Evidence) -> Decision:
    samples = [row for row in evidence.of("Further Parallelism", "within") if row["operation"] == OPERATIONS[MOVES]]
    places = grouped(samples, "position").values()
    same = all(len({row["found"] for row in place}) == 1 for place in places)
    ways = len({row["way"] for row in samples})
    found = "the same moves" if same else "different moves"
    return judged(same, f"{ways} ways, by squares, by directions, in lanes and by two workers, find {found}.")


def _pays_inside_a_node(operation: int) -> Decide:
    """Return the function of a claim that an operation gains from parallelism, by lanes or by a second worker."""

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


def _evaluation_is_too_short(evidence: Evidence) -> Decision:
    _, lanes, two = _costs(evidence, VALUE)
    if (undecided := _no_second_worker(two)) is not None:
        return undecided
    return judged(two > lanes, f"Counting the bits takes one worker {lanes:,.1f} ns, and two workers {two:,.0f} ns.")


def _workers_inside_a_node(evidence: Evidence) -> Decision:
    calls = {name: _costs(evidence, operation) for name, operation in (("generation", MOVES), ("flipping", FLIPS))}
    if (undecided := _no_second_worker(max(two for _, _, two in calls.values()))) is not None:
        return undecided
    parts = [f"{two / lanes:,.1f} times the time of one for {name}" for name, (_, lanes, two) in calls.items()]
    gains = all(two < LESS * lanes for _, lanes, two in calls.values())
    return judged(gains, f"Two workers take {' and '.join(parts)}: to hand over half a call costs more than the call.")


# --- work and span ---


def _profile(evidence: Evidence, column: str) -> dict[int, float]:
    return {depth: evidence.value("Figures 1 and 2", depth, column) for depth in DEPTHS}


def _growth(values: Iterable[float]) -> list[float]:
    """Return the factors between successive values."""
    return [after / before for before, after in pairwise(values)]


def _published_growth(column: str) -> list[float]:
    return _growth(row[column] for row in rows("002", "profile"))


def _mostly_parallel(evidence: Evidence) -> Decision:
    shares = {depth: 1 - 1 / value for depth, value in _profile(evidence, "parallelism").items()}
    least = min(shares.values())
    because = f"At depths {DEPTHS[0]} to {DEPTHS[-1]} at least {least:.1%} of the nodes are beside the longest path."
    return judged(least > 0.5, because)


def _work_multiplies(evidence: Evidence) -> Decision:
    factors = _growth(_profile(evidence, "work").values())
    return judged(min(factors) >= 2, f"A ply more is {listed(factors, 1)} times the work, at least twice (our limit).")


def _straight_line(evidence: Evidence) -> Decision:
    factors = _growth(_profile(evidence, "work").values())
    because = (
        f"The factors per ply are {listed(factors, 1)} (the report's own: {listed(_published_growth('work'), 1)}), "
        f"and would have to be within {STRAIGHT:g} times of each other: each depth plays another game, with more or "
        "fewer moves to choose from."
    )
    return judged(max(factors) <= STRAIGHT * min(factors), because)


def _burden_lengthens(evidence: Evidence) -> Decision:
    spans, burdened = _profile(evidence, "span"), _profile(evidence, "burdened_span")
    ratios = [burdened[depth] / spans[depth] for depth in DEPTHS]
    theirs = [row["burdened_span"] / row["span"] for row in rows("002", "profile")]
    because = f"With the burden the span is {listed(ratios)} times as long (the report: {listed(theirs)})."
    return judged(min(ratios) > 1, because)


def _parallelism_multiplies(evidence: Evidence) -> Decision:
    factors = _growth(_profile(evidence, "parallelism").values())
    burdened = _growth(_profile(evidence, "burdened_parallelism").values())
    because = (
        f"A ply more multiplies parallelism by {listed(factors, 1)}, and with the burden by {listed(burdened, 1)}; 2 "
        "is our limit."
    )
    return judged(min(*factors, *burdened) >= 2, because)


def _leap_at_seven(evidence: Evidence) -> Decision:
    parallelism = _profile(evidence, "parallelism")
    factors = _growth(parallelism.values())
    theirs = rows("002", "profile")[-1]["parallelism"]
    because = (
        f"From 6 to 7 plies it grows {factors[-1]:.1f} times, to {parallelism[DEPTH]:,.0f} (the report: "
        f"{_published_growth('parallelism')[-1]:.1f} times, to {theirs:,.0f})."
    )
    return judged(factors[-1] == max(factors), because)


def _diminishing_returns(evidence: Evidence) -> Decision:
    before, after = (f"processors_{count}" for count in PROCESSORS[-2:])
    gains = {
        depth: evidence.value("Figure 3", depth, after) / evidence.value("Figure 3", depth, before) for depth in DEPTHS
    }
    because = (
        f"From {PROCESSORS[-2]} to {PROCESSORS[-1]} processors the estimate grows {listed(gains.values())} times at "
        f"depths {DEPTHS[0]} to {DEPTHS[-1]}, and 1.8 times or more is no slowing down"
    )
    return case_by_case({depth: gain < 1.8 for depth, gain in gains.items()}, "depth", because)


def _overhead_and_path(evidence: Evidence) -> Decision:
    spans, burdened = _profile(evidence, "span"), _profile(evidence, "burdened_span")
    shares = [1 - spans[depth] / burdened[depth] for depth in DEPTHS]
    because = (
        f"Of the burdened span {min(shares):.0%} to {max(shares):.0%} are overhead, and the rest is the path of nodes "
        "that wait for each other; 10% of either count as a cause."
    )
    return judged(min(shares) >= 0.1 and max(shares) <= 0.9, because)


def _amdahl(evidence: Evidence) -> Decision:
    ours = evidence.value("Figures 1 and 2", DEPTH, "parallelism")
    theirs = rows("002", "profile")[-1]["parallelism"]
    lost, their_loss = (1 - 1 / (1 + (MANY_THREADS - 1) / value) for value in (ours, theirs))
    because = (
        f"One part in {ours:,.0f} of the game is sequential (in the report's, one in {theirs:,.0f}), which takes "
        f"{lost:.2%} ({their_loss:.2%}) off the efficiency on {MANY_THREADS} processors: that is no decline that a "
        "figure could show."
    )
    return judged(lost > 1 - LESS, because)


def _fifteen_searches(evidence: Evidence) -> Decision:
    parallelism = evidence.value("Figures 1 and 2", DEPTH, "parallelism")
    moves = evidence.value("Figures 4 and 5", "parallel_searches_at_a_time")
    guess = fact("002", "parallel_searches_at_a_time")
    because = (
        f"On average {parallelism:,.0f} parts of a game at depth {DEPTH} could run at a time, not {guess}; even the "
        f"moves at the root, {moves:.1f} in the mean, are no limit, since moves below them are divided too."
    )
    return judged(guess / 2 <= parallelism <= 2 * guess, because)


def _room_for_more(evidence: Evidence) -> Decision:
    efficiency = evidence.value("Figure 3", DEPTH, f"processors_{MANY_THREADS}") / MANY_THREADS
    because = (
        f"By the lower estimate the game at depth {DEPTH} allows an efficiency of {efficiency:.2f} on {MANY_THREADS} "
        "processors, so that it is not the tree that makes it fall."
    )
    return judged(efficiency > ENOUGH, because)


# --- the claims ---


SEARCH, GRAIN, SYNC = "Parallel Search", "Granularity", "Synchronization"
FURTHER, PROFILE, SPEEDUP = "Further Parallelism", "Parallelism Profile, Figure 1", "Speedup, Figure 3"
EFFICIENCY, RUNTIME, QUALITY = "Parallel Efficiency, Figure 4", "Parallel Efficiency, Figure 5", "Quality"

_ENTRIES: tuple[Row, ...] = (
    (SOLUTION, "More discs indicate a better position, so that the best move is found by them.", DEPENDS, _discs),
    (
        SOLUTION,
        "Negamax spares a program one of the two functions of minimax.",
        NOT_TESTABLE,
        "It is about how a program reads; our minimax, too, is one function for both sides.",
    ),
    (SEARCH, "Splitting by moves keeps all available cores in use.", CONFIRMED, time_claims_002.uses_all_cores),
    (SEARCH, "Moves of a node can be searched independently of each other.", CONFIRMED, _same_search),
    (SEARCH, "Large parts of the search can be done at the same time.", CONFIRMED, _mostly_parallel),
    (SEARCH, "Searching moves in parallel takes less time.", CONFIRMED, time_claims_002.saves_time),
    (GRAIN, "Near the leaves a task costs more to spawn than parallel work gains.", CONFIRMED, _finer_is_slower),
    (GRAIN, "A granularity of 3 has the best results in cilkview.", DEPENDS, _best_granularity),
    (
        GRAIN,
        "Parallel at the first plies and sequential below, a search is faster than either way alone.",
        CONFIRMED,
        _faster_than_either,
    ),
    (GRAIN, "With the granularity the search is efficient at every depth.", DEPENDS, _efficient_at_all_depths),
    (SYNC, "A reducer finds the right maximum without locks.", CONFIRMED, _right_maximum),
    (
        SYNC,
        "A reducer is simpler than manual synchronization, and faster because it has little overhead.",
        NOT_TESTABLE,
        "The report compares Cilk's reducer with locks that it has not written; our runtime has neither, but an "
        "atomic maximum.",
    ),
    (
        SYNC,
        "A maximum is associative, so that the order in which workers finish does not matter.",
        CONFIRMED,
        _same_search,
    ),
    (FURTHER, "Whether a square is a legal move does not depend on other squares.", CONFIRMED, _independent_squares),
    (FURTHER, "Parallel move generation could take less time.", DEPENDS, _pays_inside_a_node(MOVES)),
    (FURTHER, "Disks could be flipped in all directions in parallel.", DEPENDS, _pays_inside_a_node(FLIPS)),
    (FURTHER, "The evaluation of a board could be divided too.", DEPENDS, _pays_inside_a_node(VALUE)),
    (FURTHER, "On bitboards a parallel evaluation may cost more than it gains.", CONFIRMED, _evaluation_is_too_short),
    ("Data Races", "The program has no data races.", CONFIRMED, _no_races),
    (PROFILE, "Work is multiplied by every ply of depth.", CONFIRMED, _work_multiplies),
    (PROFILE, "On a logarithmic scale the growth by depth is a straight line.", CONTRADICTED, _straight_line),
    (PROFILE, "Overheads make the critical path longer.", CONFIRMED, _burden_lengthens),
    (
        PROFILE,
        "Parallelism, with and without the burden, grows exponentially by depth.",
        CONFIRMED,
        _parallelism_multiplies,
    ),
    (PROFILE, "At depth 7 parallelism grows most, and many processors could be used.", CONFIRMED, _leap_at_seven),
    (SPEEDUP, "The estimates are lower bounds of the speed-up.", DEPENDS, time_claims_002.estimates_are_lower_bounds),
    (SPEEDUP, "From some number of processors on, more of them gain much less.", DEPENDS, _diminishing_returns),
    (SPEEDUP, "The limits are overheads and the sequential part of the search.", CONFIRMED, _overhead_and_path),
    (EFFICIENCY, "The efficiency falls as threads are added.", CONFIRMED, time_claims_002.efficiency_falls),
    (EFFICIENCY, "That agrees with Amdahl's law: the sequential part is the limit.", CONTRADICTED, _amdahl),
    (EFFICIENCY, "With 1 to 5 threads the efficiency is well above 80 %.", CONFIRMED, time_claims_002.efficient_on_few),
    (
        RUNTIME,
        "The time falls from over 100 s to about 20 s with 5 threads.",
        CONFIRMED,
        time_claims_002.five_times_as_fast,
    ),
    (
        EFFICIENCY,
        "Between 5 and 15 threads the efficiency is about the same.",
        CONFIRMED,
        time_claims_002.stable_in_the_middle,
    ),
    (EFFICIENCY, "There, work and overhead may be in balance.", CONFIRMED, time_claims_002.balance_in_the_middle),
    (EFFICIENCY, "Beyond 15 threads the efficiency falls.", CONFIRMED, time_claims_002.falls_beyond),
    (
        EFFICIENCY,
        "Beyond 15 threads managing them costs more than they gain.",
        CONTRADICTED,
        time_claims_002.overhead_outweighs,
    ),
    (
        RUNTIME,
        "Beyond 15 threads doubling the workers saves only 2.5 s, which is little.",
        CONTRADICTED,
        time_claims_002.doubling_saves_little,
    ),
    (EFFICIENCY, "The reason may be that 15 searches on average run at a time.", CONTRADICTED, _fifteen_searches),
    (QUALITY, "Threads gain most while there are few of them.", CONFIRMED, time_claims_002.best_on_few),
    (QUALITY, "The program could be optimised to be efficient with more threads.", CONFIRMED, _room_for_more),
    (QUALITY, "Another granularity could be an improvement.", CONFIRMED, _coarser_is_faster),
    (QUALITY, "Parallel move generation or flipping could be an improvement.", CONTRADICTED, _workers_inside_a_node),
)

CLAIMS = claims_from("002", _ENTRIES)
