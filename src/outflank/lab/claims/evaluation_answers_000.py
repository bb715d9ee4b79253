"""Answers about report 000's evaluation and its move ordering."""

from collections.abc import Mapping, Sequence
from math import log, sqrt
from statistics import correlation, fmean

from outflank.lab.claims.board_answers_000 import WITHOUT, variation
from outflank.lab.claims.deciding import (
    Found,
    by_board,
    by_case,
    compared,
    decided_by_match,
    deep_enough,
    listed,
    pair_counts,
    quotients,
    total,
)
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.measuring.search_samples import number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.scores_000 import FEW_MOVES, SCORED_DISCS
from outflank.lab.reproduction.sequential_conclusions_000 import BEST_ONLY, COMPARED_SORTS, SEQUENTIAL
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.duels import CLEARLY_STRONGER
from outflank.lab.studies.edges import duel_of_edges
from outflank.lab.studies.orders import SORTS
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
    """Return the correlation that chance exceeds in one of forty samples: two standard errors."""
    return 2 / sqrt(evidence.value(SEQUENTIAL, ("boards", discs)))


GAMES = "in games of report 000's evaluation at depth 1 its correlation with the result is"


def foretells(name: str, late: Sequence[int], early: Sequence[int]) -> Decide:
    """Return the function of a claim on a score: it foretells the result at `late` discs, and not at `early` discs."""

    def decide(evidence: Evidence) -> Decision:
        found = _correlations(evidence, name)
        cases = {
            f"{discs} discs": (found[discs] > _chance(evidence, discs)) is (discs in late) for discs in (*late, *early)
        }
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in found.items())
        return by_case(cases, f"{GAMES} {text} (chance: up to {_chance(evidence, MIDDLE):.2f}).")

    return decide


def alone_or_fitted(name: str, column: int, sign: int, cause: str) -> Decide:
    """Return the function of a claim on a score by its correlation with the result, and by its weight in `Phased`."""

    def decide(evidence: Evidence) -> Decision:
        found = _correlations(evidence, name, (MIDDLE, LATE))
        weights = [int(row[column]) for row in PHASE_WEIGHTS]
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in found.items())
        return by_case(
            {
                "the score alone": all(sign * value > _chance(evidence, discs) for discs, value in found.items()),
                "the score among others": min(sign * weight for weight in weights) > 0,
            },
            f"{GAMES} {text} (chance: up to {_chance(evidence, MIDDLE):.2f}), {cause}; fitted with seven others to "
            f"tournament games (`Phased`) its weight is {min(weights)} to {max(weights)} tenths of a disc.",
        )

    return decide


def few_moves(evidence: Evidence) -> Decision:
    """Who has one move or none loses on average, by more than two standard errors."""
    result, error = (evidence.value(SEQUENTIAL, FEW_MOVES, column) for column in ("result", "error"))
    because = f"In games of report 000's evaluation at depth 1, a side with one move or none ends {result:+.1f} discs"
    return judged(result < -2 * error, f"{because} ahead on average (standard error {error:.1f}).")


def flips(evidence: Evidence) -> Decision:
    """A move flips more discs near the end than at the start."""
    found = {discs: evidence.value(SEQUENTIAL, ("flipped", discs)) for discs in SCORED_DISCS}
    text = ", ".join(f"{count:.1f} at {discs} discs" for discs, count in found.items())
    return judged(found[LAST] > found[EARLY], f"A move flips {text}.")


# --- edges and division ---


def edge_cost(evidence: Evidence) -> Decision:
    """Minimax takes less than a quarter more processor time with a table of edges."""
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
"""Share of boards that "nearly every run" means."""


def coarse(evidence: Evidence) -> Decision:
    """Undivided values visit at least half more boards on three quarters of the tournament boards."""
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
    """Without a table, which hides the cost of more probes, undivided values visit at least 1.5 times the boards."""
    return compared(
        variation(evidence, "undivided", "as it is", WITHOUT),
        lambda ratio: ratio >= 1.5,
        "each change of the pivot is a search from the root: undivided values, in steps an eighth as large, visit this "
        "many times the boards without a table: {} (too fine: 1.5).",
    )


STEP = 8
"""Points of the undivided evaluation that the divided one does not tell apart."""


def less_accurate(evidence: Evidence) -> Decision:
    """Some moves of the divided evaluation are worse by the undivided one, but by less than a step on average.

    A loss is never negative, so that any loss shows that accuracy is lost.
    """
    names = ("boards of other moves", "boards compared", "mean loss")
    other, boards, loss = (evidence.value(SEQUENTIAL, name) for name in names)
    return judged(
        0 < loss < STEP,
        f"At equal depth the divided evaluation takes a worse move on {other:.0f} of {boards:.0f} tournament boards, "
        f"which loses {loss:.1f} undivided points on average (a little: less than {STEP}, a step of the divided one).",
    )


# --- move ordering ---

BOARDS = {"start": "Move ordering, start", "mid-game": "Move ordering, mid-game"}
NONE, BEST = "none", "stone score + square score"


def _ordered(evidence: Evidence, measure: str) -> dict[str, Found[str]]:
    """Return a field of the searches with each ordering, by board and ordering."""
    found = {}
    for board, section in BOARDS.items():
        (values,) = by_board(evidence.of(section, "orderings"), "ordering", measure).values()
        found[board] = Found((ORDERINGS[name].lower(), value) for name, value in values.items())
    return found


def ordering_matters(evidence: Evidence) -> Decision:
    """Without an order at least 1.5 times the boards of the best order are visited."""
    ratios = {board: values[NONE] / min(values.values()) for board, values in _ordered(evidence, "nodes").items()}
    return compared(
        ratios, lambda ratio: ratio > 1.5, "unordered, this many times the boards of the best order: {} (1.5)."
    )


def _processor_times(evidence: Evidence) -> dict[str, Found[str]]:
    times = _ordered(evidence, "user_seconds")
    if min(min(values.values()) for values in times.values()) < 0.05:
        raise Missing("The searches of this run are too short to be timed.")
    return times


def balance(evidence: Evidence) -> Decision:
    """On some board an ordering saves boards and takes at least a twentieth more time than none."""
    boards, times = _ordered(evidence, "nodes"), _processor_times(evidence)
    losers = {
        f"{name} ({board})": times[board][name] / values[NONE]
        for board, values in times.items()
        for name in values
        if boards[board][name] < boards[board][NONE] and times[board][name] > 1.05 * values[NONE]
    }
    because = f"These orderings save boards and take this many times the time of none: {listed(losers, '.2f')}."
    return judged(bool(losers), because if losers else "No ordering that saves boards takes 5 % more time than none.")


def _costs(evidence: Evidence) -> dict[str, float]:
    """Return the processor time per board in nanoseconds, on both boards together, by ordering."""
    times, boards = _processor_times(evidence), _ordered(evidence, "nodes")
    return {name: 1e9 * total(times, name) / total(boards, name) for name in times["start"]}


def cheapest(evidence: Evidence) -> Decision:
    """A board takes the least time with the stone and the square score."""
    costs = {name: cost for name, cost in _costs(evidence).items() if name not in (NONE, BEST)}
    two = sorted(costs, key=lambda name: costs[name])[:2]
    return judged(
        set(two) == {"stone score", "square score"},
        f"A board of a search takes this many nanoseconds: {listed(costs, '.0f')}. On words of 64 bits the neighbours "
        "of all empty squares are eight shifts, and squares of different worth are four masks; the report looks at "
        "each square.",
    )


def _agreement(ours: Mapping[str, float]) -> float:
    """Return the correlation of the logarithms of our counts from the start with the report's."""
    theirs = {str(row["ordering"]).lower(): number(row["boards"]) for row in rows("000", "ordering_start")}
    return correlation([log(ours[name]) for name in theirs], [log(count) for count in theirs.values()])


def _cause_of_order(evidence: Evidence) -> str:
    """Return a sentence on what the evaluation's potential mobility changes in the comparison of orderings."""
    names = [printed.lower() for printed in ORDERINGS.values()]
    with_it, left_out = (
        {name: evidence.value(SEQUENTIAL, (evaluation, name), "boards from the start") for name in names}
        for evaluation in ("four-part", "without potential mobility")
    )
    return (
        "The cause is the weight of potential mobility in our copy of the evaluation, which punishes many own stones "
        f"at the start: with it the logarithms of the six counts from the start correlate with the report's by "
        f"{_agreement(with_it):.2f}, without it by {_agreement(left_out):.2f}, and stones and squares then visit "
        f"{left_out[BEST] / left_out[NONE]:.2f} of the boards of no order. The report prints no weights"
    )


def combined(evidence: Evidence) -> Decision:
    """Stones and squares visit at most 1.5 times the boards of the best ordering."""
    boards = _ordered(evidence, "nodes")
    return compared(
        {board: values[BEST] / min(values.values()) for board, values in boards.items()},
        lambda ratio: ratio <= 1.5,
        "stones and squares visit this many times the boards of the best ordering: {} (good: 1.5; theirs had 1.00 and "
        f"1.45). {_cause_of_order(evidence)}.",
    )


def potential(evidence: Evidence) -> Decision:
    """Potential mobility visits the most boards from the start, and the fewest in the mid-game."""
    boards = _ordered(evidence, "nodes")
    name = "potential mobility score"
    worst = max(boards["start"], key=lambda ordering: boards["start"][ordering])
    best = min(boards["mid-game"], key=lambda ordering: boards["mid-game"][ordering])
    return by_case(
        {"start (worst)": worst == name, "mid-game (best)": best == name},
        f"the most boards from the start are visited by {worst}, the fewest in the mid-game by {best}. "
        f"{_cause_of_order(evidence)}, and its mid-game board is lost.",
    )


def slow_mobility(evidence: Evidence) -> Decision:
    """In the mid-game, ordering by mobility takes more time than no order, and from the start less."""
    times = _processor_times(evidence)
    ratios = {board: values["mobility score"] / values[NONE] for board, values in times.items()}
    return by_case(
        {"start (faster)": ratios["start"] < 1, "mid-game (slower)": ratios["mid-game"] > 1},
        f"ordering by mobility takes this many times the time of no order: {listed(ratios, '.2f')}. Counting moves is "
        "a few operations on words here, and a loop over all squares in the report's program.",
    )


def _stages(evidence: Evidence) -> dict[str, Found[str]]:
    boards = by_board(evidence.of("Move ordering", "stages"), "ordering", "nodes")
    if len(boards) < 10:
        raise Missing("Fewer than 10 tournament boards decide nothing.")
    return boards


def finer(evidence: Evidence) -> Decision:
    """Another ordering visits fewer boards than the report's on tournament boards of all stages."""
    boards = _stages(evidence)
    sums = {name: total(boards, name) for name in next(iter(boards.values()))}
    best = min(sums, key=lambda name: sums[name])
    return judged(
        best != "stones+squares",
        f"On {len(boards)} tournament boards {best} visits {sums[best] / sums['stones+squares']:.2f} times the boards "
        "of stones and squares.",
    )


STAGES = ("early", "middle", "late")


def by_stage(evidence: Evidence) -> Decision:
    """An ordering that changes with the stage visits at least 5 % fewer boards than any fixed one."""
    boards = _stages(evidence)
    fixed = [name for name in next(iter(boards.values())) if name != "by-stage" and "then" not in name]
    saved: dict[str, float] = {}
    for stage in STAGES:
        of_stage = {board: values for board, values in boards.items() if board.startswith(stage)}
        if of_stage:
            saved[stage] = 1 - total(of_stage, "by-stage") / min(total(of_stage, name) for name in fixed)
    return compared(
        saved,
        lambda share: share >= 0.05,
        "an ordering by stage saves this share of the best fixed ordering's boards: {} (worth it: 5 %).",
        ".0%",
    )


# --- sorting ---


def full_sort(evidence: Evidence) -> Decision:
    """With only the best move in front more than twice the boards are visited."""
    boards = by_board(deep_enough(evidence.of("Move ordering", "sorting")), "sort", "nodes")
    ratio = total(boards, SORTS["best"]) / total(boards, SORTS["insertion"])
    least = fact("000", "full_sort_times_faster")
    without = variation(evidence, "best move only", "all moves sorted", WITHOUT)
    left_out = [
        evidence.value(SEQUENTIAL, ("without potential mobility", order), "boards from the start")
        for order in (BEST_ONLY, BEST)
    ]
    return judged(
        ratio > least,
        f"With only the best move in front {ratio:.2f} times the boards are visited (more than {least} are claimed). "
        f"Without a table it is {listed(without, '.2f')}, and without potential mobility in the evaluation "
        f"{left_out[0] / left_out[1]:.2f} (start), so that neither explains a factor of {least}; what the report "
        "compared with is not known.",
    )


def library_sort(evidence: Evidence) -> Decision:
    """Merge sort takes at least a quarter more time than insertion sort for the same tree."""
    boards = by_board(deep_enough(evidence.of("Move ordering", "sorting")), "sort", "user_seconds")
    ratio = total(boards, SORTS["merge"]) / total(boards, SORTS["insertion"])
    return judged(
        ratio > 1.25,
        f"The library's algorithm, merge sort, takes {ratio:.2f} times the time of insertion sort for the same tree "
        "(slow: 1.25); a board has few moves to sort.",
    )


def _spreads(evidence: Evidence, section: str, part: str) -> tuple[dict[str, float], float]:
    """Return how much the boards visited differ between full sorts, relative to the least: by board, and in all."""
    boards = by_board(evidence.of(section, part), "sort", "nodes")
    sorts = [name for name in SORTS.values() if name != SORTS["best"]]
    single = {
        board: max(values[name] for name in sorts) / min(values[name] for name in sorts) - 1
        for board, values in boards.items()
    }
    sums = [total(boards, name) for name in sorts]
    return single, max(sums) / min(sums) - 1


def equals(evidence: Evidence) -> Decision:
    """Sorts that differ only in the order of equal moves visit boards that differ by more than 5 %."""
    deep_enough(evidence.of("Move ordering", "sorting"))
    single, _ = _spreads(evidence, "Move ordering", "sorting")
    return compared(
        single,
        lambda share: share > 0.05,
        "full sorts that order equal moves differently visit up to this share more boards: {} (an impact: 5 %).",
        ".0%",
    )


def averages(evidence: Evidence) -> Decision:
    """Over many boards together, sorts differ by less than half of what they differ by on a single board."""
    single, together = _spreads(evidence, SEQUENTIAL, "sorting, tournament")
    mean = fmean(single.values())
    return judged(
        max(single.values()) > 0.1 and together < mean / 2,
        f"Sorts differ by {mean:.0%} on a tournament board on average, by up to {max(single.values()):.0%} (large: "
        f"10 %), and by {together:.0%} over {len(single)} boards together (fades: less than half of the average).",
    )


def sorts_and_speed_ups(evidence: Evidence) -> Decision:
    """The boards that two workers visit, relative to one, differ more between sorts than between runs of one sort."""
    medians, ranges = (
        {
            board: {sort: evidence.value(SEQUENTIAL, (sort, board), column) for sort in COMPARED_SORTS}
            for board in ("start", "midgame")
        }
        for column in ("overhead", "range")
    )
    text = "; ".join(f"{board}: {listed(found, '.2f')}" for board, found in medians.items())
    return by_case(
        {
            board: max(found.values()) - min(found.values()) > max(ranges[board].values())
            for board, found in medians.items()
        },
        f"two workers visit this many times the boards of one, by sort: {text} (different: more than the range over "
        "runs of one sort).",
    )
