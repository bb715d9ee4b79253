"""Conclusions of report 000 on its sequential program: introduction, board, search, evaluation, ordering and table."""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from math import comb
from typing import TypeVar

from outflank.lab.claims.ledger import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    NOT_TESTABLE,
    Answer,
    Decision,
    Evidence,
    Missing,
    judged,
    not_testable,
)
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import FEWEST_ROUNDS, grouped, median, number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.conclusions_000 import SCORED_DISCS, SEQUENTIAL
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.orders import SORTS
from outflank.othello.evaluation import PHASE_WEIGHTS

Key = TypeVar("Key", str, int)

Conclusion = tuple[str, str, Answer, Callable[[Evidence], Decision]]
"""A conclusion: where the report states it, what it says, the expected answer, and the function that decides."""

EARLY, MIDDLE, LATE, LAST = SCORED_DISCS
FULL_PLIES = 11
"""Least depth that decides a comparison on the report's two boards: a quick run's trees are a hundredth of them."""


class Found(dict[Key, float]):
    """Measured values by name. A name that was not measured, as in an interrupted run, raises `Missing`."""

    def __missing__(self, key: Key) -> float:
        raise Missing


def by_board(samples: Sequence[Sample], label: str, measure: str) -> dict[str, Found[str]]:
    """Return the median of a field by board and by the compared choice. Raise `Missing` if there are no samples."""
    measured = [sample for sample in samples if measure in sample]
    result: dict[str, Found[str]] = {}
    for (board, choice), group in grouped(measured, "board", label).items():
        result.setdefault(str(board), Found())[str(choice)] = median(group, measure)
    if not result:
        raise Missing
    return result


def total(boards: Mapping[str, Found[str]], choice: str) -> float:
    """Return the sum over all boards for one choice. Raise `Missing` if a board lacks it."""
    return sum(values[choice] for values in boards.values())


def deep_enough(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return the samples if every search is as deep as the report's, else raise `Missing`."""
    if min(number(sample["depth"]) for sample in samples if "depth" in sample) < FULL_PLIES:
        raise Missing
    return samples


def by_case(cases: dict[str, bool], because: str) -> Decision:
    """Return confirmed if all cases hold, contradicted if none does, else that it depends, with the names."""
    holds = [name for name, held in cases.items() if held]
    fails = [name for name in cases if name not in holds]
    if not fails or not holds:
        return judged(not fails, because[0].upper() + because[1:])
    return Decision(Answer.DEPENDS, f"It holds for {', '.join(holds)}, not for {', '.join(fails)}: {because}")


# --- introduction and board ---


def _four(evidence: Evidence) -> Decision:
    seconds = evidence.value("Introduction", "board_4x4_solved_seconds_below")
    return judged(seconds < 1, f"Our solver takes {seconds:.2g} s.")


SOON = 3600.0
"""Seconds within which a solution counts as feasible on a personal computer."""


def _six(evidence: Evidence) -> Decision:
    seconds = evidence.value(SEQUENTIAL, "6×6 solved (s)")
    return judged(
        seconds > SOON,
        f"6×6 is solved in {seconds:.0f} s here (feasible: an hour), by alpha-beta with a table, endgame kernels and "
        "a faster machine; without cut-offs it would not be.",
    )


def _conceivable(evidence: Evidence) -> Decision:
    texts = [str(cell.ours) for cell in evidence.cells.get("Board storage", ()) if cell.row == ("boards_conceivable",)]
    if not texts:
        raise Missing
    base, _, exponent = texts[0].partition("^")
    boards = int(base) ** int(exponent)
    return judged(len(str(boards)) - 1 == 30, f"There are {texts[0]} = {boards:.1e} boards.")


def _centre(evidence: Evidence) -> Decision:
    boards = evidence.value(SEQUENTIAL, "boards of random games")
    empty = evidence.value(SEQUENTIAL, "boards with an empty centre square")
    return judged(empty == 0, f"{empty:.0f} of {boards:,.0f} boards of random games have an empty centre square.")


def _storage(evidence: Evidence, measure: Callable[[Sample], float]) -> Found[str]:
    """Return the median of a measure by layout of a board."""
    samples = evidence.of("Board storage", "storage")
    if measure is _nanoseconds and max(number(sample["round"]) for sample in samples) < FEWEST_ROUNDS:
        raise Missing
    return Found((str(name), median(group, measure)) for (name,), group in grouped(samples, "storage").items())


def _nanoseconds(sample: Sample) -> float:
    return 1e9 * number(sample["seconds"]) / number(sample["boards"])


def _matrix(evidence: Evidence) -> Decision:
    ways = _storage(evidence, _nanoseconds)
    ratio = ways["matrix of bytes"] / ways["array of bytes"]
    return judged(
        ratio > 1.5,
        f"Move generation on a matrix takes {ratio:.2f} times as long (much: 1.5): here both are one block of memory, "
        "in Java a matrix is an array of arrays.",
    )


def _bytes_fast(evidence: Evidence) -> Decision:
    ways = _storage(evidence, _nanoseconds)
    fastest = min(ways, key=lambda name: ways[name])
    return by_case(
        {
            "two bits a square": ways["array of bytes"] < ways["two bits a square"],
            "two 64-bit words": ways["array of bytes"] < ways["two 64-bit words"],
        },
        f"bytes take {ways['array of bytes']:.0f} ns, pairs of bits {ways['two bits a square']:.0f} ns, and "
        f"{fastest} is "
        f"fastest with {ways[fastest]:.0f} ns, since all squares are handled at once.",
    )


def _bits_small(evidence: Evidence) -> Decision:
    sizes = _storage(evidence, lambda sample: number(sample["bytes"]))
    return judged(
        sizes["two bits a square"] < sizes["array of bytes"],
        f"Two bits per square take {sizes['two bits a square']:.0f} bytes a board, an array "
        f"{sizes['array of bytes']:.0f}.",
    )


# --- search ---


def _mtdf(evidence: Evidence) -> Decision:
    boards = by_board(deep_enough(evidence.of(SEQUENTIAL, "algorithms")), "algorithm", "nodes")
    fewest = {board: min(values, key=lambda name: values[name]) for board, values in boards.items()}
    counts = "; ".join(
        f"{board}: " + ", ".join(f"{name} {count:,.0f}" for name, count in values.items())
        for board, values in boards.items()
    )
    return by_case({board: name == "mtdf" for board, name in fewest.items()}, f"boards visited are {counts}.")


def _pivot(evidence: Evidence) -> Decision:
    boards = by_board(deep_enough(evidence.of("Searching the game tree", "pivot")), "pivot", "nodes")
    ratios = {board: values["reset"] / values["carried"] for board, values in boards.items()}
    text = ", ".join(f"{ratio:.2f} times ({board})" for board, ratio in ratios.items())
    return by_case(
        {board: ratio > 1.1 for board, ratio in ratios.items()},
        f"starting from 0 visits {text} the boards (significant: 1.1); the table keeps what the probes on the way "
        "found.",
    )


def _most_moves(evidence: Evidence) -> Decision:
    most, theirs = evidence.value("Searching the game tree", "most_moves_found"), fact("000", "most_moves_found")
    return judged(
        most <= theirs,
        f"Climbing from board to board found one with {most:.0f} moves, more than {theirs}: theirs came from thinking.",
    )


def _array(evidence: Evidence) -> Decision:
    room = fact("000", "children_array")
    most = {
        str(where): max(number(sample["most"]) for sample in group)
        for (where,), group in grouped(evidence.of("Searching the game tree", "widths"), "where").items()
    }
    text = ", ".join(f"{count:.0f} ({where})" for where, count in most.items())
    return by_case({where: count <= room for where, count in most.items()}, f"the most moves are {text}.")


# --- evaluation ---


def _score(evidence: Evidence, first: str, second: str) -> tuple[float, float, str]:
    """Return the share of points of the first evaluation in a match, a two-sided p-value, and the result as text."""
    games = round(evidence.value(SEQUENTIAL, (first, second), "games"))
    points = evidence.value(SEQUENTIAL, (first, second), "points")
    high = max(points, games - points)
    tail = sum(comb(games, wins) for wins in range(int(high), games + 1)) / 2**games
    return points / games, min(1.0, 2 * tail), f"{first} scores {points:g} of {games} against {second}"


SURE = 0.05
"""Greatest p-value of a match that counts as won."""


def stronger(first: str, second: str, cause: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that holds if one evaluation beats another at equal depth."""

    def decide(evidence: Evidence) -> Decision:
        share, luck, text = _score(evidence, first, second)
        return judged(share > 0.5 and luck < SURE, f"At equal depth {text} (by chance: {luck:.1g}); {cause}.")

    return decide


def _accuracy(evidence: Evidence) -> Decision:
    share, luck, text = _score(evidence, "four-part-fine", "four-part")
    lost = share > 0.5 and luck < SURE
    effect = "the fine values play better" if lost else "no loss of strength is seen"
    return judged(lost and share < 0.75, f"At equal depth {text} (by chance: {luck:.1g}): {effect}.")


def _foretells(name: str, late: Sequence[int], early: Sequence[int], least: float) -> Callable[[Evidence], Decision]:
    """Return the function of a claim on a score: it foretells the result at `late` discs, and not at `early` discs."""

    def decide(evidence: Evidence) -> Decision:
        found = {discs: evidence.value(SEQUENTIAL, (name, discs), "correlation") for discs in SCORED_DISCS}
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in found.items())
        cases = {f"{discs} discs": found[discs] > least for discs in late}
        cases |= {f"{discs} discs": found[discs] <= least for discs in early}
        return by_case(
            cases,
            f"in games of report 000's evaluation at depth 1 its correlation with the result is {text} (limit "
            f"{least}).",
        )

    return decide


def _alone_or_fitted(name: str, column: int, sign: int, cause: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim on a score by its correlation with the result, and by its weight in `Phased`."""

    def decide(evidence: Evidence) -> Decision:
        found = {discs: evidence.value(SEQUENTIAL, (name, discs), "correlation") for discs in (MIDDLE, LATE)}
        weights = [int(row[column]) for row in PHASE_WEIGHTS]
        text = ", ".join(f"{value:+.2f} at {discs} discs" for discs, value in found.items())
        return by_case(
            {
                "the score alone": min(sign * value for value in found.values()) > 0.1,
                "the score among others": min(sign * weight for weight in weights) > 0,
            },
            f"in games of report 000's evaluation at depth 1 its correlation with the result is {text} (limit 0.1), "
            f"{cause}; fitted with seven others to tournament games (`Phased`) its weight is {min(weights)} to "
            f"{max(weights)} tenths of a disc.",
        )

    return decide


def _flips(evidence: Evidence) -> Decision:
    flips = {discs: evidence.value(SEQUENTIAL, ("flipped", discs)) for discs in SCORED_DISCS}
    text = ", ".join(f"{count:.1f} at {discs} discs" for discs, count in flips.items())
    return judged(flips[LAST] > flips[EARLY], f"A move flips {text}.")


def _edge_cost(evidence: Evidence) -> Decision:
    samples = [sample for sample in evidence.of("The evaluation function", "edges") if "nodes" in sample]
    boards = grouped(samples, "evaluation")
    cost = Found(
        (str(name), sum(number(sample["user_seconds"]) for sample in group) / sum(number(s["nodes"]) for s in group))
        for (name,), group in boards.items()
    )
    if sum(number(sample["seconds"]) for sample in samples) < 0.5:
        raise Missing
    ratio = cost["edges by probabilities"] / cost["four-part"]
    return judged(ratio < 1.25, f"With edges a board takes {ratio:.2f} times as long (not expensive: 1.25).")


FEWEST_GAMES = 20


def _edges(evidence: Evidence) -> Decision:
    """Decide whether edges improve the search: by boards visited, and by games (not decided by fewer than 20)."""
    samples = evidence.of("The evaluation function", "edges")
    boards = by_board(samples, "evaluation", "nodes")
    visited = total(boards, "edges by probabilities") / total(boards, "four-part")
    games = [
        number(sample["discs"])
        for sample in samples
        if sample.get("evaluation") == "edges by probabilities" and "pair" in sample
    ]
    if len(games) < FEWEST_GAMES:
        raise Missing
    points = sum(0.5 + 0.5 * ((discs > 0) - (discs < 0)) for discs in games)
    return by_case(
        {"boards visited": visited >= 1, "games": points <= 0.55 * len(games)},
        f"a table of edges visits {visited:.2f} times the boards and scores {points:g} of {len(games)} games.",
    )


def _coarse(evidence: Evidence) -> Decision:
    samples = deep_enough(evidence.of("The evaluation function", "coarseness"))
    boards = by_board(samples, "evaluation", "nodes")
    faster = {board: 100 * (values["as it is"] / values["divided by 8"] - 1) for board, values in boards.items()}
    least = fact("000", "coarseness_faster_percent")
    text = ", ".join(f"{percent:.0f} % ({board})" for board, percent in faster.items())
    return by_case(
        {board: percent >= least for board, percent in faster.items()},
        f"undivided values visit {text} more boards ({least} % are claimed of the time).",
    )


# --- move ordering ---

BOARDS = {"start": "Move ordering, start", "mid-game": "Move ordering, mid-game"}
BEST = "stone score + square score"


def _ordered(evidence: Evidence, column: str) -> dict[str, Found[str]]:
    """Return a column of the tables of orderings, by board and ordering."""
    return {
        board: Found((name.lower(), evidence.value(section, name.lower(), column)) for name in ORDERINGS.values())
        for board, section in BOARDS.items()
    }


def _ordering_matters(evidence: Evidence) -> Decision:
    boards = _ordered(evidence, "boards")
    saved = {board: values["none"] / min(values.values()) for board, values in boards.items()}
    text = ", ".join(f"{ratio:.1f} times ({board})" for board, ratio in saved.items())
    return by_case(
        {board: ratio > 1.5 for board, ratio in saved.items()}, f"unordered, {text} the boards of the best (1.5)."
    )


def _per_board(evidence: Evidence) -> dict[str, float]:
    """Return nanoseconds per board, on both boards together, by ordering; `Missing` if times are too short."""
    seconds, boards = _ordered(evidence, "seconds"), _ordered(evidence, "boards")
    if min(min(values.values()) for values in seconds.values()) < 0.02:
        raise Missing
    return {name: 1e9 * total(seconds, name) / total(boards, name) for name in seconds["start"]}


def _balance(evidence: Evidence) -> Decision:
    costs = _per_board(evidence)
    boards, seconds = _ordered(evidence, "boards"), _ordered(evidence, "seconds")
    cases = {
        board: any(
            boards[board][name] < boards[board]["none"] and seconds[board][name] > seconds[board]["none"]
            for name in boards[board]
        )
        for board in boards
    }
    text = ", ".join(f"{name} {cost:.0f} ns" for name, cost in costs.items())
    return by_case(
        cases,
        f"an ordering that saves boards and loses time is sought; a board takes {text}.",
    )


def _combined(evidence: Evidence) -> Decision:
    boards = _ordered(evidence, "boards")
    ratios = {board: values[BEST] / min(values.values()) for board, values in boards.items()}
    text = ", ".join(f"{ratio:.2f} times ({board})" for board, ratio in ratios.items())
    return by_case(
        {board: ratio <= 1.5 for board, ratio in ratios.items()},
        f"stones and squares visit {text} the boards of the best ordering (good: 1.5; theirs had 1.00 and 1.45).",
    )


def _potential(evidence: Evidence) -> Decision:
    boards = _ordered(evidence, "boards")
    name = "potential mobility score"
    worst = max(boards["start"], key=lambda ordering: boards["start"][ordering])
    best = min(boards["mid-game"], key=lambda ordering: boards["mid-game"][ordering])
    return by_case(
        {"start (worst)": worst == name, "mid-game (best)": best == name},
        f"the most boards from the start are visited by {worst}, the fewest in the mid-game by {best}; their mid-game "
        "board is lost, and ours is another one.",
    )


def _cheapest(evidence: Evidence) -> Decision:
    costs = {name: cost for name, cost in _per_board(evidence).items() if name not in ("none", BEST)}
    cheapest = sorted(costs, key=lambda name: costs[name])[:2]
    text = ", ".join(f"{name} {cost:.0f} ns" for name, cost in costs.items())
    return judged(set(cheapest) == {"stone score", "square score"}, f"A board of a search takes {text}.")


def _stages(evidence: Evidence) -> dict[str, Found[str]]:
    return by_board(evidence.of("Move ordering", "stages"), "ordering", "nodes")


def finer(evidence: Evidence) -> Decision:
    """Decide whether another ordering visits fewer boards than the report's on tournament boards of all stages."""
    boards = _stages(evidence)
    if len(boards) < 10:
        raise Missing
    sums = {name: total(boards, name) for name in next(iter(boards.values()))}
    best = min(sums, key=lambda name: sums[name])
    return judged(
        best != "stones+squares",
        f"On {len(boards)} tournament boards {best} visits {sums[best] / sums['stones+squares']:.2f} times the boards "
        "of stones and squares.",
    )


STAGES = {"early": "early", "middle": "middle", "late": "late"}


def by_stage(evidence: Evidence) -> Decision:
    """Decide whether an ordering that changes with the stage visits at least 5 % fewer boards than any fixed one."""
    boards = _stages(evidence)
    if len(boards) < 10:
        raise Missing
    fixed = [name for name in next(iter(boards.values())) if name != "by-stage" and "then" not in name]
    saved: dict[str, float] = {}
    for stage in STAGES:
        stage_boards = {board: values for board, values in boards.items() if board.startswith(stage)}
        if stage_boards:
            least = min(total(stage_boards, name) for name in fixed)
            saved[stage] = 1 - total(stage_boards, "by-stage") / least
    if not saved:
        raise Missing
    text = ", ".join(f"{100 * share:.0f} % ({stage})" for stage, share in saved.items())
    return by_case(
        {stage: share >= 0.05 for stage, share in saved.items()},
        f"an ordering by stage saves {text} of the best fixed ordering's boards (worth it: 5 %).",
    )


def _full_sort(evidence: Evidence) -> Decision:
    boards = by_board(deep_enough(evidence.of("Move ordering", "sorting")), "sort", "nodes")
    ratio = total(boards, SORTS["best"]) / total(boards, SORTS["insertion"])
    least = fact("000", "full_sort_times_faster")
    return judged(
        ratio > least,
        f"With only the best move in front {ratio:.2f} times the boards are visited (more than {least} are claimed): "
        "the table's move comes first in both, and is most of what sorting gives.",
    )


def _library_sort(evidence: Evidence) -> Decision:
    samples = deep_enough(evidence.of("Move ordering", "sorting"))
    boards = by_board(samples, "sort", "user_seconds")
    ratio = total(boards, SORTS["merge"]) / total(boards, SORTS["insertion"])
    return judged(
        ratio > 1.25,
        f"The library's algorithm, merge sort, takes {ratio:.2f} times the time of insertion sort for the same tree "
        "(slow: 1.25); a board has few moves to sort.",
    )


def _spreads(evidence: Evidence) -> tuple[dict[str, float], float]:
    """Return how much the boards visited differ between full sorts, relative to the least: by board, and in all."""
    boards = by_board(deep_enough(evidence.of("Move ordering", "sorting")), "sort", "nodes")
    sorts = [name for name in SORTS.values() if name != SORTS["best"]]
    single = {
        board: max(values[name] for name in sorts) / min(values[name] for name in sorts) - 1
        for board, values in boards.items()
    }
    sums = [total(boards, name) for name in sorts]
    return single, max(sums) / min(sums) - 1


def _equals(evidence: Evidence) -> Decision:
    single, _ = _spreads(evidence)
    text = ", ".join(f"{100 * share:.0f} % ({board})" for board, share in single.items())
    return by_case(
        {board: share > 0.05 for board, share in single.items()},
        f"full sorts that order equal moves differently visit up to {text} more boards (an impact: 5 %).",
    )


def _averages(evidence: Evidence) -> Decision:
    single, together = _spreads(evidence)
    return judged(
        together <= max(single.values()),
        f"Sorts differ by up to {100 * max(single.values()):.0f} % on one board, and by {100 * together:.0f} % over "
        f"{len(single)} boards together.",
    )


# --- transposition table ---


def _images(evidence: Evidence) -> Decision:
    count, theirs = evidence.value("Transposition table", "symmetric_boards"), fact("000", "symmetric_boards")
    return judged(count == theirs, f"A board has {count:.0f} images.")


def _first_move(evidence: Evidence) -> Decision:
    moves = evidence.value(SEQUENTIAL, "first moves")
    different = evidence.value(SEQUENTIAL, "first moves that differ")
    return judged(different == 1, f"The {moves:.0f} first moves give {different:.0f} board, up to symmetry.")


def _six_white(evidence: Evidence) -> Decision:
    value = evidence.value(SEQUENTIAL, "6×6 result of black")
    return judged(value < 0, f"With perfect play black's result on 6×6 is {value:+.0f}.")


def _shared(evidence: Evidence, measure: str) -> Found[str]:
    """Return the quotient of a field with symmetric boards shared and apart in the report's MTD(f), by board."""
    samples = [s for s in evidence.of("Transposition table", "symmetry") if s["algorithm"] == "mtdf"]
    boards = by_board(samples, "symmetry", measure)
    return Found((board, values["shared"] / values["apart"]) for board, values in boards.items())


def _rare_images(evidence: Evidence) -> Decision:
    ratios = _shared(evidence, "nodes")
    text = ", ".join(f"{ratio:.2f} times ({board})" for board, ratio in ratios.items())
    return by_case(
        {board: ratio > 0.95 for board, ratio in ratios.items()},
        f"with images shared, {text} the boards are visited (few images: above 0.95).",
    )


def _image_cost(evidence: Evidence) -> Decision:
    samples = deep_enough(evidence.of("Transposition table", "symmetry"))
    assert samples
    nodes, seconds = _shared(evidence, "nodes"), _shared(evidence, "user_seconds")
    costs = {board: seconds[board] / nodes[board] for board in nodes}
    text = ", ".join(f"{cost:.2f} times ({board})" for board, cost in costs.items())
    return by_case(
        {board: cost > 2 for board, cost in costs.items()},
        f"with images shared, a board takes {text} as long (enormous: 2); eight images of two words are a few shifts.",
    )


def _not_worth(evidence: Evidence) -> Decision:
    deep_enough(evidence.of("Transposition table", "symmetry"))
    ratios = _shared(evidence, "user_seconds")
    text = ", ".join(f"{ratio:.2f} times ({board})" for board, ratio in ratios.items())
    return by_case(
        {board: ratio > 0.95 for board, ratio in ratios.items()},
        f"sharing takes {text} the time of not sharing (worth it: 0.95 or less); from the start every "
        "line has seven images.",
    )


def _unique(evidence: Evidence) -> Decision:
    """Decide from the picture of the storage order: does the sorted set of four integers name one board?"""
    places = {
        (row, column): evidence.value("Transposition table, picture", row, name)
        for row in range(1, 9)
        for column, name in enumerate("abcdefgh", 1)
    }
    turned = all((places[column, 9 - row] - place) % 64 == 16 for (row, column), place in places.items())
    orders = {min(order[turn:] + order[:turn] for turn in range(4)) for order in permutations(range(4))}
    return judged(
        turned and len(orders) == 1,
        f"A quarter turn moves each integer on by one place, so that only the cyclic order may be forgotten: sorted, "
        f"four different integers stand for {len(orders)} boards that are no turns of each other.",
    )


def _hashes(evidence: Evidence, boards: Callable[[Sequence[float]], float]) -> tuple[Found[str], float]:
    """Return the share of boards in a free slot by hash function, and by chance, at one number of boards."""
    origin = "Othello, a search from the start"
    samples = [sample for sample in evidence.of("Transposition table", "hash") if sample["origin"] == origin]
    if not samples:
        raise Missing
    count = boards([number(sample["boards"]) for sample in samples])
    chosen = [sample for sample in samples if sample["boards"] == count]
    shares = Found((str(sample["hash"]), number(sample["free"]) / count) for sample in chosen)
    return shares, number(chosen[0]["by_chance"])


def _half_free(evidence: Evidence) -> Decision:
    shares, chance = _hashes(evidence, min)
    best = max(shares, key=lambda name: shares[name])
    theirs = fact("000", "hash_free_percent")
    return judged(
        100 * shares[best] < 1.2 * theirs,
        f"{best} finds a free slot for {shares[best]:.0%} of the boards (theirs {theirs} %, chance {chance:.0%}); "
        f"Java's own for arrays of integers, which they may have used, {shares['times 31']:.0%}.",
    )


def _as_chance(shares: dict[str, float], chance: float) -> set[str]:
    return {name for name, share in shares.items() if share > chance - 0.01}


def _hard_hash(evidence: Evidence) -> Decision:
    shares, chance = _hashes(evidence, min)
    good = _as_chance(shares, chance)
    return judged(
        len(good) < len(shares) / 4,
        f"{len(good)} of {len(shares)} hash functions are within a percent of chance: any that mixes all bits will do.",
    )


def _many_boards(evidence: Evidence) -> Decision:
    (few, few_chance), (many, many_chance) = _hashes(evidence, min), _hashes(evidence, max)
    if few_chance == many_chance:
        raise Missing
    same = _as_chance(few, few_chance) == _as_chance(many, many_chance)
    return judged(
        not same,
        f"The least and the greatest number of boards single out {'the same' if same else 'different'} hash functions "
        "as good as chance.",
    )


def _branching(evidence: Evidence) -> Decision:
    moves, theirs = evidence.value("Searching the game tree", "branching_othello"), fact("000", "branching_othello")
    return judged(max(moves / theirs, theirs / moves) < 1.3, f"Boards of searches have {moves:.1f} moves (factor 1.3).")


CHAPTERS = {
    "intro": "Introduction",
    "board": "Board storage",
    "tree": "Searching the game tree",
    "value": "The evaluation function",
    "order": "Move ordering",
    "table": "Transposition table",
}

_ROWS: tuple[tuple[str, str, Answer, Callable[[Evidence], Decision]], ...] = (
    ("intro", "The board of 4×4 is solved in less than a second.", CONFIRMED, _four),
    ("intro", "Solving 6×6 is not feasible on a personal computer in reasonable time.", CONTRADICTED, _six),
    (
        "intro",
        "Solving 8×8 is out of the question.",
        NOT_TESTABLE,
        not_testable("No run of ours would end; others have proved a draw since (Takizawa 2023)."),
    ),
    ("board", "There are 3^64 conceivable boards, about 10^30.", CONFIRMED, _conceivable),
    ("board", "A board with an empty square in the centre cannot occur.", CONFIRMED, _centre),
    (
        "board",
        "Rules for the other boards that cannot occur are hard, if not impossible, to find.",
        NOT_TESTABLE,
        not_testable("How hard a rule is to find cannot be measured."),
    ),
    (
        "board",
        "The table of MTD(f)/Awari compares boards in a questionable way.",
        NOT_TESTABLE,
        not_testable("It is a judgement of another program, which we do not have."),
    ),
    ("board", "A matrix of bytes is much slower than an array of bytes.", CONTRADICTED, _matrix),
    ("board", "An array of bytes is the fastest storage of a board.", DEPENDS, _bytes_fast),
    ("board", "Two bits per square are the smaller storage, and the one for the table.", CONFIRMED, _bits_small),
    (
        "board",
        "Boards on which black always moves need no field for the side to move, and simplify the rules.",
        NOT_TESTABLE,
        not_testable("Our boards are stored so too, and simplicity of code cannot be measured."),
    ),
    ("tree", "MTD(f) is the most suitable algorithm for Othello.", CONTRADICTED, _mtdf),
    ("tree", "Starting MTD(f) from the last iteration's value instead of 0 saves much time.", CONTRADICTED, _pivot),
    ("tree", "A board has at most 31 moves.", CONTRADICTED, _most_moves),
    ("tree", "An array of 32 children is safe.", DEPENDS, _array),
    (
        "value",
        "A good evaluation is what makes or breaks a program.",
        CONFIRMED,
        stronger("four-part", "discs", "only the evaluations differ"),
    ),
    (
        "value",
        "The stone score counts at the end of a game, but is no good measure in the middle.",
        CONFIRMED,
        _foretells("stones", (LAST,), (EARLY, MIDDLE), 0.3),
    ),
    ("value", "The number of stones changes more rapidly close to the end.", CONFIRMED, _flips),
    ("value", "Corners are especially important.", CONFIRMED, _foretells("corners", (MIDDLE, LATE), (), 0.1)),
    (
        "value",
        "The square diagonally beside a corner is generally a bad one to occupy.",
        DEPENDS,
        _alone_or_fitted("beside an empty corner", 4, -1, "no more than chance"),
    ),
    (
        "value",
        "The square score is good in the middle and at the end, and means little at the start.",
        CONFIRMED,
        _foretells("squares", (MIDDLE, LATE), (EARLY,), 0.15),
    ),
    ("value", "Mobility is an advantage.", CONFIRMED, _foretells("mobility", (MIDDLE, LATE), (), 0.1)),
    (
        "value",
        "Potential mobility is an advantage.",
        DEPENDS,
        _alone_or_fitted("potential", 1, 1, "since more stones expose more"),
    ),
    ("value", "Looking up a score of the edges is cheap.", CONFIRMED, _edge_cost),
    ("value", "A table of edges that improves the search is too difficult to make.", DEPENDS, _edges),
    (
        "value",
        "The strength of an evaluation is hard to tell, but games against other programs measure it.",
        CONFIRMED,
        stronger("phased", "four-part", "a match tells them apart"),
    ),
    ("value", "Dividing the evaluation by eight makes nearly every run at least 50 % faster.", DEPENDS, _coarse),
    ("value", "Dividing it makes the search a little less accurate.", CONTRADICTED, _accuracy),
    (
        "value",
        "Dividing the sum instead of its parts keeps the parts precise for move ordering.",
        NOT_TESTABLE,
        not_testable("It is so by construction."),
    ),
    ("order", "The order of moves is important for the efficiency of a search.", CONFIRMED, _ordering_matters),
    ("order", "A slow ordering can cost more time than its saved boards gain.", CONFIRMED, _balance),
    ("order", "The stone and square scores are the two fastest of the four.", CONFIRMED, _cheapest),
    (
        "order",
        "Potential mobility is the worst ordering at the start and the best in the mid-game.",
        CONTRADICTED,
        _potential,
    ),
    ("order", "Stone and square score together are a good ordering on both boards.", DEPENDS, _combined),
    ("order", "A finer combination of scores may be better on boards of all kinds.", CONFIRMED, finer),
    (
        "order",
        "Sorting all moves is more than twice as fast as putting only the best in front.",
        CONTRADICTED,
        _full_sort,
    ),
    ("order", "The library's sort is really slow.", CONFIRMED, _library_sort),
    ("order", "The sort matters, because equal moves come in another order.", DEPENDS, _equals),
    ("order", "This effect is large in single cases and fades over many boards.", CONFIRMED, _averages),
    ("table", "Eight boards are the same up to symmetry.", CONFIRMED, _images),
    ("table", "Black's first move is forced, because all four are symmetric.", CONFIRMED, _first_move),
    ("table", "White wins 6×6 with perfect play.", CONFIRMED, _six_white),
    (
        "table",
        "The result of perfect play on 8×8 is unknown.",
        NOT_TESTABLE,
        not_testable("It was true then; others have proved a draw since (Takizawa 2023), which we cannot repeat."),
    ),
    ("table", "Symmetric boards are seldom met within one search.", DEPENDS, _rare_images),
    (
        "table",
        "The sorted four integers are the same for symmetric boards and unique otherwise.",
        CONTRADICTED,
        _unique,
    ),
    ("table", "Recognizing symmetric boards is enormously slow.", CONTRADICTED, _image_cost),
    ("table", "Symmetry is not worth exploiting in the table.", DEPENDS, _not_worth),
    (
        "table",
        "The best of a dozen hash functions finds a free slot for only half of the boards.",
        CONTRADICTED,
        _half_free,
    ),
    ("table", "Comparing hash functions reliably takes a huge number of boards.", CONTRADICTED, _many_boards),
    ("table", "A good hash of similar boards to 20 bits is not easy to find.", CONTRADICTED, _hard_hash),
    (
        "table",
        "A table of flat arrays is much faster than one of entry objects.",
        NOT_TESTABLE,
        not_testable("It is a property of Java's objects; our tables are flat memory throughout."),
    ),
    (
        "table",
        "Boards of four integers make the table half as large as Awari's.",
        NOT_TESTABLE,
        not_testable("It depends on the entries of another program, which we do not have."),
    ),
    ("table", "Othello has about 10 moves a board, more than Awari's 3.5.", CONFIRMED, _branching),
)

STATEMENTS: tuple[Conclusion, ...] = tuple(
    (CHAPTERS[chapter], says, expected, decide) for chapter, says, expected, decide in _ROWS
)
