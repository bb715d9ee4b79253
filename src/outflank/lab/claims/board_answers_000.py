"""Answers about report 000's boards, its search of the game tree and its transposition table."""

from collections.abc import Callable, Sequence
from itertools import permutations

from outflank.lab.claims.deciding import (
    MeasuredValues,
    by_board,
    by_case,
    compared,
    deep_enough,
    in_several_rounds,
    listed,
    quotients,
    total,
    within_factor,
)
from outflank.lab.claims.ledger import Decision, Evidence, Missing, judged
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.sequential_conclusions_000 import ALGORITHMS, DIVISORS, SEQUENTIAL, STEPS, TABLES
from outflank.lab.studies.storage import FROM_START, SEARCHES

WITH, WITHOUT = TABLES

# --- introduction and board ---


def four(evidence: Evidence) -> Decision:
    """Solving 4×4 takes less than a second."""
    seconds = evidence.value("Introduction", "board_4x4_solved_seconds_below")
    return judged(seconds < 1, f"Our solver takes {seconds:.2g} s.")


SOON = 3600.0
"""Seconds within which a solution counts as feasible on a personal computer."""
FAST = 1e9
"""Boards per second that no personal computer exceeds on one core."""


def six(evidence: Evidence) -> Decision:
    """An hour is too short to try all lines of play of 6×6, and too short for a solver with cut-offs."""
    seconds, digits = (evidence.value(SEQUENTIAL, name) for name in ("6×6 solved (s)", "6×6 lines of play, log10"))
    lines = 10**digits
    return by_case(
        {"trying all lines of play": lines / FAST > SOON, "alpha-beta with a table": seconds > SOON},
        f"6×6 has some {lines:.0e} lines of play (estimated by random games), {lines / FAST / 3.15e7:.0e} years at "
        f"10^9 a second; with cut-offs, a table and endgame kernels it takes {seconds:.0f} s (feasible: an hour).",
    )


def conceivable(evidence: Evidence) -> Decision:
    """3^64 has 31 digits."""
    texts = [str(cell.ours) for cell in evidence.cells.get("Board storage", ()) if cell.row == ("boards_conceivable",)]
    if not texts:
        raise Missing
    base, _, exponent = texts[0].partition("^")
    boards = int(base) ** int(exponent)
    return judged(len(str(boards)) - 1 == 30, f"There are {texts[0]} = {boards:.1e} boards.")


def centre(evidence: Evidence) -> Decision:
    """No board of random games has an empty centre square."""
    boards, empty = (
        evidence.value(SEQUENTIAL, name) for name in ("boards of random games", "boards with an empty centre square")
    )
    return judged(empty == 0, f"{empty:.0f} of {boards:,.0f} boards of random games have an empty centre square.")


def _storage(evidence: Evidence, measure: Callable[[Sample], float]) -> MeasuredValues[str]:
    """Return the median of a measure by layout of a board."""
    samples = evidence.of("Board storage", "storage")
    return MeasuredValues((str(name), median(group, measure)) for (name,), group in grouped(samples, "storage").items())


def _nanoseconds(evidence: Evidence) -> MeasuredValues[str]:
    """Return the processor time of move generation by layout. Raise `Missing` if it was measured too few times."""
    in_several_rounds(evidence.of("Board storage", "storage"))
    return _storage(evidence, lambda sample: 1e9 * number(sample["seconds"]) / number(sample["boards"]))


def storage_matters(evidence: Evidence) -> Decision:
    """The slowest layout takes at least twice as long as the fastest."""
    times = _nanoseconds(evidence)
    return judged(
        max(times.values()) >= 2 * min(times.values()),
        f"Generating the moves of a board takes this many nanoseconds: {listed(times, '.0f')} (quite important: a "
        "factor of 2).",
    )


def matrix(evidence: Evidence) -> Decision:
    """Generating moves on a matrix takes at least 1.5 times as long as on an array.

    The cases are a matrix in one block, one with rows apart, and one with rows apart and all indices checked.
    """
    times = _nanoseconds(evidence)
    ratios = {
        "one block": times["matrix of bytes"] / times["array of bytes"],
        "rows apart": times["rows of bytes, apart"] / times["array of bytes"],
        "rows apart, all indices checked, as in Java": times["rows of bytes, apart, indices checked"]
        / times["array of bytes, index checked"],
    }
    return compared(
        ratios,
        lambda ratio: ratio >= 1.5,
        "move generation on a matrix takes this many times as long as on an array: {} (much: 1.5).",
    )


def bytes_fast(evidence: Evidence) -> Decision:
    """An array of bytes is faster than every other layout."""
    times = _nanoseconds(evidence)
    others = [name for name in times if name != "array of bytes"]
    return by_case(
        {name: times["array of bytes"] < times[name] for name in others},
        f"moves of a board take this many nanoseconds: {listed(times, '.0f')}. Words handle all squares at once.",
    )


def bits_small(evidence: Evidence) -> Decision:
    """Two bits per square are fewer bytes than a byte per square."""
    sizes = _storage(evidence, lambda sample: number(sample["bytes"]))
    small, large = sizes["two bits a square"], sizes["array of bytes"]
    return judged(small < large, f"Two bits per square take {small:.0f} bytes a board, an array {large:.0f}.")


# --- search ---


def mtdf(evidence: Evidence) -> Decision:
    """MTD(f) visits fewer boards than PVS, and fewer than alpha-beta.

    The cases are iterations in steps of two plies, as in the report, and in steps of one ply.
    """
    names = {2: "steps of two plies, as in the report", 1: "steps of one ply"}
    ratios = {
        (step, divisor): evidence.value(SEQUENTIAL, ("mtdf", step, divisor), "boards")
        / min(evidence.value(SEQUENTIAL, (other, step, divisor), "boards") for other in ALGORITHMS if other != "mtdf")
        for step in STEPS
        for divisor in DIVISORS
    }
    divided, undivided = ({names[step]: ratios[step, divisor] for step in STEPS} for divisor in DIVISORS)
    return compared(
        divided,
        lambda ratio: ratio < 1,
        "on the tournament boards MTD(f) visits this many times the boards of the better of PVS and alpha-beta: {}; "
        f"with undivided values {listed(undivided, '.2f')}. Values of odd and even depths differ, so that the value of "
        "the depth before is a bad first guess.",
    )


def variation(evidence: Evidence, over: str, under: str, table: str) -> dict[str, float]:
    """Return the boards visited with the choice `over` divided by the boards visited with `under`.

    The keys are the start and the mid-game. `table` selects the searches with a table or without one.
    """
    return {
        board: evidence.value(SEQUENTIAL, (over, table), board) / evidence.value(SEQUENTIAL, (under, table), board)
        for board in ("start", "midgame")
    }


SIGNIFICANT = 1.1
"""Least quotient of visited boards that counts as what report 000 calls significant."""


def pivot(evidence: Evidence) -> Decision:
    """MTD(f) visits at least a tenth more boards if it starts from 0.

    The cases are the tournament boards together, the start, and the mid-game.
    """
    boards = by_board(evidence.of(SEQUENTIAL, "pivot, tournament"), "pivot", "nodes")
    start = by_board(deep_enough(evidence.of("Searching the game tree", "pivot")), "pivot", "nodes")
    ratios = {
        f"{len(boards)} tournament boards": total(boards, "reset") / total(boards, "carried"),
        **quotients(start, "reset", "carried"),
    }
    return compared(
        ratios,
        lambda ratio: ratio >= SIGNIFICANT,
        "starting from 0 visits this many times the boards: {}"
        f" (significant: {SIGNIFICANT}). The table is the cause: it keeps what the probes on the way found. Without "
        f"one it is {listed(variation(evidence, 'pivot 0', 'as it is', WITHOUT), '.2f')}.",
    )


def zero_is_far(evidence: Evidence) -> Decision:
    """Without a table, starting from 0 visits at least a tenth more boards. A table hides the cost of more probes."""
    return compared(
        variation(evidence, "pivot 0", "as it is", WITHOUT),
        lambda ratio: ratio >= SIGNIFICANT,
        f"without a table, starting from 0 visits this many times the boards: {{}} (from {SIGNIFICANT} on it does not "
        "suit the evaluation).",
    )


def most_moves(evidence: Evidence) -> Decision:
    """No board has more than 31 moves."""
    most, theirs = evidence.value("Searching the game tree", "most_moves_found"), fact("000", "most_moves_found")
    return judged(
        most <= theirs,
        f"Climbing from board to board found one with {most:.0f} moves, more than {theirs}: theirs came from thinking.",
    )


def array(evidence: Evidence) -> Decision:
    """An array of 32 has room for the moves of every board: in searches, in games, and anywhere."""
    most = {
        str(where): max(number(sample["most"]) for sample in group)
        for (where,), group in grouped(evidence.of("Searching the game tree", "widths"), "where").items()
    }
    room = fact("000", "children_array")
    return compared(most, lambda count: count <= room, "the most moves are {}.", ".0f")


def wider_midgame(evidence: Evidence) -> Decision:
    """Searches from most mid-game boards have more moves per board than a search from the start."""
    samples = [sample for sample in evidence.of("Searching the game tree", "widths") if sample["where"] == SEARCHES]
    widths = MeasuredValues(
        (str(sample["board"]), number(sample["moves"]) / number(sample["nodes"])) for sample in samples
    )
    start = widths[FROM_START]
    middle = [width for board, width in widths.items() if board.startswith("from middle")]
    if not middle:
        raise Missing
    wider = sum(width > start for width in middle)
    return judged(
        wider > len(middle) / 2,
        f"Boards of a search have {start:.1f} moves from the start, and {min(middle):.1f} to {max(middle):.1f} from "
        f"{len(middle)} boards of the mid-game; {wider} of these have more.",
    )


# --- transposition table ---


def images(evidence: Evidence) -> Decision:
    """A board has eight images."""
    count = evidence.value("Transposition table", "symmetric_boards")
    return judged(count == fact("000", "symmetric_boards"), f"A board has {count:.0f} images.")


def eightfold(evidence: Evidence) -> Decision:
    """Boards of games almost always have eight different images."""
    mean = evidence.value(SEQUENTIAL, "different images of a board")
    return judged(mean > 7.9, f"Boards in the middle of random games have {mean:.2f} different images on average.")


def first_move(evidence: Evidence) -> Decision:
    """All first moves give the same board, up to symmetry."""
    moves, different = (evidence.value(SEQUENTIAL, name) for name in ("first moves", "first moves that differ"))
    return judged(different == 1, f"The {moves:.0f} first moves give {different:.0f} board, up to symmetry.")


def six_white(evidence: Evidence) -> Decision:
    """Black loses 6×6."""
    value = evidence.value(SEQUENTIAL, "6×6 result of black")
    return judged(value < 0, f"With perfect play black's result on 6×6 is {value:+.0f}.")


def _shared(evidence: Evidence, measure: str) -> dict[str, float]:
    """Return the factor by which sharing entries of symmetric boards changes a field of MTD(f)'s searches, by board."""
    samples = deep_enough(evidence.of("Transposition table", "symmetry"))
    return quotients(
        by_board([sample for sample in samples if sample["algorithm"] == "mtdf"], "symmetry", measure),
        "shared",
        "apart",
    )


LITTLE = 0.95
"""Quotient above which sharing symmetric boards saves next to nothing."""


def rare_images(evidence: Evidence) -> Decision:
    """Sharing the entries of symmetric boards saves less than a twentieth of the boards."""
    because = f"with images shared, this many times the boards are visited: {{}} (few images: above {LITTLE})."
    return compared(_shared(evidence, "nodes"), lambda ratio: ratio > LITTLE, because)


def image_cost(evidence: Evidence) -> Decision:
    """If symmetric boards share their entries, a board takes at least twice as long."""
    nodes, seconds = _shared(evidence, "nodes"), _shared(evidence, "user_seconds")
    return compared(
        {board: seconds[board] / nodes[board] for board in nodes},
        lambda cost: cost > 2,
        "with images shared, a board takes this many times as long: {} (enormous: 2). Eight images of two words are a "
        "few shifts; the report builds and sorts four integers for each of two mirror images.",
    )


def not_worth(evidence: Evidence) -> Decision:
    """Sharing saves less than a twentieth of the time."""
    in_several_rounds(evidence.of("Transposition table", "symmetry"))
    return compared(
        _shared(evidence, "user_seconds"),
        lambda ratio: ratio > LITTLE,
        f"sharing takes this many times the time of not sharing: {{}} (not worth it: above {LITTLE}). From the start "
        "every line has seven images.",
    )


def unique(evidence: Evidence) -> Decision:
    """The four integers of a board, stored as in the report's picture, identify it even if they are sorted."""
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


def entries_save(evidence: Evidence) -> Decision:
    """A search without a table visits at least 1.5 times the boards."""
    ratios = {
        board: evidence.value(SEQUENTIAL, ("as it is", WITHOUT), board)
        / evidence.value(SEQUENTIAL, ("as it is", WITH), board)
        for board in ("start", "midgame")
    }
    return compared(
        ratios, lambda ratio: ratio >= 1.5, "without a table this many times the boards are visited: {} (large: 1.5)."
    )


def _hashes(evidence: Evidence, boards: Callable[[Sequence[float]], float]) -> tuple[MeasuredValues[str], float]:
    """Return the share of boards that find a free slot, by hash function, and the share by chance.

    Several numbers of boards were hashed, and `boards` selects one of them.
    """
    origin = "Othello, a search from the start"
    samples = [sample for sample in evidence.of("Transposition table", "hash") if sample["origin"] == origin]
    if not samples:
        raise Missing
    count = boards([number(sample["boards"]) for sample in samples])
    of_count = [sample for sample in samples if sample["boards"] == count]
    shares = MeasuredValues((str(sample["hash"]), number(sample["free"]) / count) for sample in of_count)
    return shares, number(of_count[0]["by_chance"])


def half_free(evidence: Evidence) -> Decision:
    """The best hash function finds a free slot for less than 1.2 times the share of boards in the report."""
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


def hard_hash(evidence: Evidence) -> Decision:
    """Fewer than a quarter of the hash functions are within a percent of chance."""
    shares, chance = _hashes(evidence, min)
    good = _as_chance(shares, chance)
    return judged(
        len(good) < len(shares) / 4,
        f"{len(good)} of {len(shares)} hash functions are within a percent of chance: any that mixes all bits will do.",
    )


def many_boards(evidence: Evidence) -> Decision:
    """It depends on the number of boards which hash functions are as good as chance."""
    (few, few_chance), (many, many_chance) = _hashes(evidence, min), _hashes(evidence, max)
    if few_chance == many_chance:
        raise Missing("This run hashes one number of boards only.")
    same = _as_chance(few, few_chance) == _as_chance(many, many_chance)
    return judged(
        not same,
        f"The least and the greatest number of boards single out {'the same' if same else 'different'} hash functions "
        "as good as chance.",
    )


def branching(evidence: Evidence) -> Decision:
    """Boards of searches have ten moves on average, give or take a factor of 1.3."""
    moves, theirs = evidence.value("Searching the game tree", "branching_othello"), fact("000", "branching_othello")
    return judged(within_factor(moves, theirs, 1.3), f"Boards of searches have {moves:.1f} moves (factor 1.3).")
