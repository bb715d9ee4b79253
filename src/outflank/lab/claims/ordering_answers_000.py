"""Answers about report 000's move ordering and its sorts."""

from collections.abc import Mapping
from math import log
from statistics import correlation, fmean

from outflank.lab.claims.board_answers_000 import WITHOUT, variation
from outflank.lab.claims.deciding import (
    MeasuredValues,
    by_board,
    by_case,
    compared,
    deep_enough,
    listed,
    total,
)
from outflank.lab.claims.ledger import Decision, Evidence, Missing, judged
from outflank.lab.measuring.search_samples import number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.sequential_conclusions_000 import BEST_ONLY, COMPARED_SORTS, SEQUENTIAL
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.orders import SORTS

BOARDS = {"start": "Move ordering, start", "mid-game": "Move ordering, mid-game"}
NONE, BEST = "none", "stone score + square score"


def _ordered(evidence: Evidence, measure: str) -> dict[str, MeasuredValues[str]]:
    """Return a field of the searches with each ordering, by board and ordering."""
    boards = {}
    for board, section in BOARDS.items():
        (values,) = by_board(evidence.of(section, "orderings"), "ordering", measure).values()
        boards[board] = MeasuredValues((ORDERINGS[name].lower(), value) for name, value in values.items())
    return boards


def ordering_matters(evidence: Evidence) -> Decision:
    """Without an order at least 1.5 times the boards of the best order are visited."""
    ratios = {board: values[NONE] / min(values.values()) for board, values in _ordered(evidence, "nodes").items()}
    return compared(
        ratios, lambda ratio: ratio > 1.5, "unordered, this many times the boards of the best order: {} (1.5)."
    )


def _processor_times(evidence: Evidence) -> dict[str, MeasuredValues[str]]:
    times = _ordered(evidence, "user_seconds")
    if min(min(values.values()) for values in times.values()) < 0.05:
        raise Missing("The searches of this run are too short to be timed.")
    return times


def balance(evidence: Evidence) -> Decision:
    """On some board, an ordering visits fewer boards than no order, but takes over a twentieth more time."""
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
    """The stone score and the square score are the two orderings that take the least time per board."""
    costs = {name: cost for name, cost in _costs(evidence).items() if name not in (NONE, BEST)}
    two = sorted(costs, key=lambda name: costs[name])[:2]
    return judged(
        set(two) == {"stone score", "square score"},
        f"A board of a search takes this many nanoseconds: {listed(costs, '.0f')}. On words of 64 bits the neighbours "
        "of all empty squares are eight shifts, and squares of different worth are four masks; the report looks at "
        "each square.",
    )


def _agreement(ours: Mapping[str, float]) -> float:
    """Return the correlation between the logarithms of our counts from the start and of the report's counts."""
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
    """Ordering by mobility takes more time than no order in the mid-game, and less time from the start."""
    times = _processor_times(evidence)
    ratios = {board: values["mobility score"] / values[NONE] for board, values in times.items()}
    return by_case(
        {"start (faster)": ratios["start"] < 1, "mid-game (slower)": ratios["mid-game"] > 1},
        f"ordering by mobility takes this many times the time of no order: {listed(ratios, '.2f')}. Counting moves is "
        "a few operations on words here, and a loop over all squares in the report's program.",
    )


def _stages(evidence: Evidence) -> dict[str, MeasuredValues[str]]:
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
    """With every ordering, putting only the best move first visits more than twice the boards of a full sort."""
    boards = by_board(deep_enough(evidence.of("Move ordering", "sorting")), "sort", "nodes")
    ratio = total(boards, SORTS["best"]) / total(boards, SORTS["insertion"])
    least = fact("000", "full_sort_times_faster")
    without = variation(evidence, "best move only", "all moves sorted", WITHOUT)
    left_out = [
        evidence.value(SEQUENTIAL, ("without potential mobility", order), "boards from the start")
        for order in (BEST_ONLY, BEST)
    ]
    others = {
        f"{ordering}, {board}": evidence.value(SEQUENTIAL, (BEST_ONLY, ordering), board)
        for ordering in ORDERINGS
        for board in ("start", "midgame")
        if ordering not in ("none", "stones+squares")
    }
    return by_case(
        {"stones+squares": ratio > least, **{name: value > least for name, value in others.items()}},
        f"with only the best move in front {ratio:.2f} times the boards are visited (more than {least} are claimed). "
        f"Without a table it is {listed(without, '.2f')}, and without potential mobility in the evaluation "
        f"{left_out[0] / left_out[1]:.2f} (start): neither explains a factor of {least}. The report sorted before it "
        f"chose its ordering; with others it is {listed(others, '.2f')}.",
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
    """Return the share by which the worst full sort visits more boards than the best: by board, and in total."""
    boards = by_board(evidence.of(section, part), "sort", "nodes")
    sorts = [name for name in SORTS.values() if name != SORTS["best"]]
    single = {
        board: max(values[name] for name in sorts) / min(values[name] for name in sorts) - 1
        for board, values in boards.items()
    }
    sums = [total(boards, name) for name in sorts]
    return single, max(sums) / min(sums) - 1


def equals(evidence: Evidence) -> Decision:
    """Sorts that differ only in the order of equal moves differ by more than 5 % in the boards that they visit."""
    deep_enough(evidence.of("Move ordering", "sorting"))
    single, _ = _spreads(evidence, "Move ordering", "sorting")
    return compared(
        single,
        lambda share: share > 0.05,
        "full sorts that order equal moves differently visit up to this share more boards: {} (an impact: 5 %).",
        ".0%",
    )


def averages(evidence: Evidence) -> Decision:
    """Sorts differ by more than a tenth on some board, but hardly over many boards together.

    Over all boards together they differ by less than half of their mean difference on a single board.
    """
    single, together = _spreads(evidence, SEQUENTIAL, "sorting, tournament")
    mean = fmean(single.values())
    return judged(
        max(single.values()) > 0.1 and together < mean / 2,
        f"Sorts differ by {mean:.0%} on a tournament board on average, by up to {max(single.values()):.0%} (large: "
        f"10 %), and by {together:.0%} over {len(single)} boards together (fades: less than half of the average).",
    )


def sorts_and_speed_ups(evidence: Evidence) -> Decision:
    """The sort of the moves changes the search overhead of two workers.

    The overhead is the ratio of their boards to one worker's boards. It differs between sorts by more than 0.1, and by
    more than between runs of one sort.
    """
    medians, ranges = (
        {
            board: {sort: evidence.value(SEQUENTIAL, (sort, board), column) for sort in COMPARED_SORTS}
            for board in ("start", "midgame")
        }
        for column in ("overhead", "range")
    )
    text = "; ".join(f"{board}: {listed(by_sort, '.2f')}" for board, by_sort in medians.items())
    return by_case(
        {
            board: max(by_sort.values()) - min(by_sort.values()) > max(0.1, *ranges[board].values())
            for board, by_sort in medians.items()
        },
        f"two workers visit this many times the boards of one, by sort: {text} (different: 0.1, and more than the "
        "range over runs of one sort).",
    )
