"""Conclusions of report 000 on replication depths, in its discussion, and at its end."""

from collections.abc import Callable

from outflank.lab.claims.cluster_claims_000 import unreplicated
from outflank.lab.claims.deciding import MeasuredValues, by_case, within_factor
from outflank.lab.claims.ledger import (
    CONFIRMED,
    CONTRADICTED,
    DEPENDS,
    NOT_TESTABLE,
    Decision,
    Evidence,
    Missing,
    Row,
    judged,
    rows_at,
)
from outflank.lab.claims.simulated_runs_000 import (
    BEST_THRESHOLD,
    PROGRAMS,
    by_depth,
    by_threshold,
    least,
    listed,
    measured,
    need_full_tree,
    programs,
    runs,
    search_overhead,
    seconds,
    serial_boards,
    speed_up,
    success,
)
from outflank.lab.measuring.search_samples import number, spread
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.cluster_000 import BOARD_SECONDS
from outflank.lab.reproduction.conclusions_000 import RECEIVE

BEST_DEPTH: int = fact("000", "best_replication_depth")

# --- replication depths ---


def _same_on_32(evidence: Evidence) -> Decision:
    few, many = by_depth(evidence, "seconds", 32), by_depth(evidence, "seconds", 64)
    orders = [sorted(values, key=lambda key: values[key]) for values in (few, many)]
    return judged(
        orders[0] == orders[1], f"By replication depth 32 processors take {listed(few)}, and 64 {listed(many)}."
    )


def _luck(evidence: Evidence) -> Decision:
    samples = runs(evidence, "seeds", count=64)
    if len(samples) < 3:
        raise Missing
    low, high = spread(samples, "seconds")
    return judged(
        high / low > 1.2,
        f"{len(samples)} runs of par_tuple on 64 processors, which differ only in the victims of steals, take "
        f"{low:.3g} to {high:.3g} s (huge: a fifth).",
    )


def _traffic_balance(evidence: Evidence) -> Decision:
    spent, hits = by_depth(evidence, "sending"), by_depth(evidence, "foreign_hits")
    low, high = min(spent), max(spent)
    return judged(
        spent[low] > spent[high] and hits[low] > hits[high],
        f"From replication depth {low} to {high} broadcasts fall from {spent[low]:.3g} to {spent[high]:.3g} s per "
        f"machine, and hits on entries of others from {hits[low]:,.0f} to {hits[high]:,.0f}.",
    )


def _few_hits(evidence: Evidence) -> Decision:
    hits = measured(evidence, "programs", "foreign_hits", "par_tuple")
    saved = measured(evidence, "programs", "boards", "par") - measured(evidence, "programs", "boards", "par_tuple")
    if not hits:
        raise Missing
    return judged(
        saved / hits > 1000,
        f"Each of {hits:,.0f} hits on replicated entries saves {saved / hits:,.0f} boards (many: 1,000).",
    )


def _receivers(evidence: Evidence) -> tuple[dict[str, MeasuredValues[int]], str]:
    """Return the seconds on 32 processors by cost of receiving and by replication depth, and the same as text."""
    times = {
        "messages as cheap for receivers as for senders": by_depth(evidence, "seconds"),
        f"{RECEIVE:.0f} µs for a receiver": by_depth(evidence, "seconds", part="slow receivers"),
    }
    parts = "; ".join(f"{listed(values)} with {name}" for name, values in times.items())
    return times, f"by replication depth 32 processors take {parts}; the report tells only what senders pay."


def _best_depth(evidence: Evidence) -> Decision:
    times, text = _receivers(evidence)
    return by_case({name: values[BEST_DEPTH] <= 1.02 * min(values.values()) for name, values in times.items()}, text)


def _more_entries(evidence: Evidence) -> Decision:
    times, text = _receivers(evidence)
    return by_case({name: values[min(values)] > values[BEST_DEPTH] for name, values in times.items()}, text)


# --- discussion ---


OWN_FIGURES = (
    "The simulation takes the costs of a spawn and of a table from this very figure; its table says that on one "
    "processor par takes 1.7 %, par_rmi 0.4 % and par_tuple 12.7 % more than seq."
)
NO_AWARI = "We have no program for Awari."


def _threshold_helps(evidence: Evidence) -> Decision:
    useful = by_threshold(evidence, "useful", part="few nodes", count=1)
    low, high = min(useful), max(useful)
    return judged(
        useful[high] < useful[low],
        f"On one processor the time falls from {useful[low]:.4g} s with threshold {low} to {useful[5]:.4g} s with 5 "
        f"and {useful[high]:.4g} s with {high}.",
    )


def _reaches(program: str, factor: float) -> Callable[[Evidence], Decision]:
    """Return the function of a claim on a speed-up on 64 processors. Ours must be within `factor` of the report's."""

    def decide(evidence: Evidence) -> Decision:
        need_full_tree(evidence, "programs")
        ours, theirs = speed_up(evidence, "programs", program), fact("000", f"speedup_64_{program}")
        boards = search_overhead(evidence, "programs", program)
        return judged(
            within_factor(ours, theirs, factor),
            f"Ours is {ours:.1f}, theirs {theirs} (factor {factor}); ours visits {boards:.1f} times the serial boards.",
        )

    return decide


SENSITIVITY = {
    "TCP": "shallow",
    "messages of four times the cost": "messages slower",
    "of a quarter": "messages faster",
}
"""Label of the simulation with each cost of messages, by the name of the cost. All search to the same depth."""


def _ranking(evidence: Evidence) -> Decision:
    times = programs(evidence)
    texts = [f"{name}: {listed(programs(evidence, part=part))}" for name, part in SENSITIVITY.items()]
    return judged(
        min(times, key=lambda name: times[name]) == "par_tuple",
        f"64 processors take {listed(times)}. With other costs, in a smaller tree, {'; '.join(texts)}.",
    )


def _tuple_and_rmi(evidence: Evidence) -> Decision:
    need_full_tree(evidence, "programs")
    times = programs(evidence)
    return judged(
        times["par_tuple"] < 0.9 * times["par_rmi"], f"64 processors take {listed(times)} (considerably: a tenth)."
    )


def _equal_on_16(evidence: Evidence) -> Decision:
    times = programs(evidence, 16)
    return judged(
        abs(times["par_tuple"] / times["par_rmi"] - 1) < 0.1,
        f"16 processors take {listed(times)} (equal: a tenth).",
    )


def _hit_rate(evidence: Evidence) -> Decision:
    low, high = fact("000", "tt_hits_percent")
    ours = 100 * measured(evidence, "programs", "hit_share", "par_rmi")
    return judged(
        low / 2 <= ours <= high * 2,
        f"{ours:.1f} % of the look-ups of par_rmi on 64 processors are hits (theirs {low} to {high} %, factor 2); ours "
        "looks up nothing with one ply left, where hits are rare.",
    )


def _leaf_hits(evidence: Evidence) -> Decision:
    samples = evidence.of("Discussion", "table")
    hits = sum(number(sample["hits"]) for sample in samples)
    if hits < 1000:
        raise Missing
    near = sum(number(sample["hits"]) for sample in samples if number(sample["left"]) <= 3)
    return judged(near > hits / 4, f"{near / hits:.0%} of the hits are at boards with 2 or 3 plies left (many: 25 %).")


def _substantial(evidence: Evidence) -> Decision:
    runs(evidence, "programs")  # raises `Missing` if the tree is too small, as in a quick run
    name = "tt_substantial_hits_percent"
    ours, theirs = evidence.value("Discussion", name), fact("000", name)
    return judged(
        ours < 2 * theirs,
        f"Hits with 7 plies or more left are {ours:.2f} % of the look-ups (theirs {theirs} %, within a factor of 2); "
        "ours looks up nothing with one ply left, so that the others are a larger share.",
    )


def _selected_is_enough(evidence: Evidence) -> Decision:
    silent, every, selected = (measured(evidence, "programs", "boards", name) for name in ("par", "par_rmi", "gmi"))
    spent = {name: measured(evidence, "programs", "sending", name) for name in ("par_rmi", "gmi")}
    return by_case(
        {
            "boards saved": silent - selected > 0.5 * (silent - every),
            "traffic": spent["gmi"] < 0.5 * spent["par_rmi"],
        },
        f"entries of 7 plies save {silent - selected:,.0f} boards, all entries {silent - every:,.0f}, with "
        f"{spent['gmi']:.2g} and {spent['par_rmi']:.2g} s of broadcasts per machine (limits: half).",
    )


def _broadcasts(evidence: Evidence) -> Decision:
    spent = {name: measured(evidence, "programs", "sending", name) for name in ("par_tuple", "par_rmi")}
    return judged(
        spent["par_tuple"] < spent["par_rmi"] / 2,
        f"Per machine par_tuple spends {spent['par_tuple']:.2g} s, par_rmi {spent['par_rmi']:.2g} s on broadcasts.",
    )


def _group_broadcast(evidence: Evidence) -> Decision:
    """`gmi` is faster than the other programs. Less than 5 % decides nothing: two seeds may differ by more."""
    ours, times = seconds(evidence, "programs", "gmi"), programs(evidence)
    if abs(ours / min(times.values()) - 1) < 0.05:
        raise Missing(f"gmi takes {ours:.4g} s, the others {listed(times)}: seeds make a greater difference.")
    return judged(ours < min(times.values()), f"On 64 processors gmi takes {ours:.4g} s, the others {listed(times)}.")


def _search_overhead(evidence: Evidence) -> Decision:
    ours, theirs = search_overhead(evidence, "programs", "par_tuple"), fact("000", "search_overhead_factor")
    return judged(
        within_factor(ours, theirs, 1.5),
        f"par_tuple visits {ours:.2f} times the serial boards, theirs {theirs} (factor 1.5).",
    )


def _pseudo(evidence: Evidence) -> Decision:
    overhead = search_overhead(evidence, "programs", "par_tuple")
    useful = measured(evidence, "programs", "useful", "par_tuple")
    speed = serial_boards(evidence, "programs") * BOARD_SECONDS / useful
    return judged(
        abs(speed * overhead / 64 - 1) < 0.2,
        f"64 / {overhead:.2f} = {64 / overhead:.1f}, and the speed-up of useful time is {speed:.1f} (a fifth): the "
        "rest is the slower table.",
    )


def _causes(evidence: Evidence) -> Decision:
    boards = {name: measured(evidence, "shallow", "boards", name) for name in ("par", "par_tuple")}
    slow, fast = (measured(evidence, f"messages {name}", "boards", "par_tuple") for name in ("slower", "faster"))
    serial = serial_boards(evidence, "shallow")
    return by_case(
        {"missing entries": boards["par"] > 1.1 * boards["par_tuple"], "delays": slow > 1.1 * fast},
        f"without replication {boards['par'] / serial:.2f} times the serial boards are visited, with it "
        f"{boards['par_tuple'] / serial:.2f}; with messages of a quarter and of four times the cost "
        f"{fast / serial:.2f} and {slow / serial:.2f}.",
    )


def _stealing(evidence: Evidence) -> Decision:
    need_full_tree(evidence, "programs")
    cases, texts = {}, []
    for name in PROGRAMS:
        sending, idle = (measured(evidence, "programs", field, name) for field in ("sending", "idle"))
        cases[name] = sending < 0.2 * (sending + idle)
        texts.append(f"{name} {sending:.2g} of {sending + idle:.3g} s")
    return by_case(
        cases,
        f"broadcasts are, per machine, {', '.join(texts)} of all time without search (limit 20 %), and in the rest "
        "nodes look for jobs.",
    )


def _lower_threshold(evidence: Evidence) -> Decision:
    need_full_tree(evidence, "thresholds")
    low, best = 3, BEST_THRESHOLD
    times, boards = by_threshold(evidence, "seconds"), by_threshold(evidence, "boards")
    rates = success(evidence)
    return by_case(
        {"success": rates[low] > rates[best], "boards": boards[low] > boards[best], "time": times[low] > times[best]},
        f"with threshold {low} instead of {best}, {rates[low]:.3g} instead of {rates[best]:.3g} % of the requests are "
        f"granted, {boards[low]:,.0f} instead of {boards[best]:,.0f} boards are visited, and par on 64 processors "
        f"takes {times[low]:.4g} instead of {times[best]:.4g} s.",
    )


def _optimum(evidence: Evidence) -> Decision:
    need_full_tree(evidence, "thresholds")
    times, depths = by_threshold(evidence, "seconds", "par_tuple"), by_depth(evidence, "seconds")
    return by_case(
        {
            "threshold": times[BEST_THRESHOLD] <= 1.1 * times[least(times)],
            "replication depth": depths[BEST_DEPTH] <= 1.1 * depths[least(depths)],
        },
        f"par_tuple takes {listed(times)} by threshold on 64 processors, and {listed(depths)} by replication depth on "
        "32 (close: a tenth).",
    )


ROWS: tuple[Row, ...] = (
    *rows_at(
        "Replication depth",
        ("Replication depths compare alike on 32 and on 64 processors.", CONFIRMED, _same_on_32),
        ("Luck plays a huge role in a single run.", CONFIRMED, _luck),
        ("More replicated entries give more hits and more broadcast time.", CONFIRMED, _traffic_balance),
        ("Few hits save much, since one hit can skip many boards.", CONFIRMED, _few_hits),
        ("A replication depth of 7 is the fastest.", DEPENDS, _best_depth),
    ),
    *rows_at(
        "Discussion",
        ("On one processor par is about 1 % slower than seq.", NOT_TESTABLE, OWN_FIGURES),
        ("That is less than the 4.9 % of MTD(f)/Awari.", NOT_TESTABLE, OWN_FIGURES),
        ("The cause is that boards of Othello take more computation than those of Awari.", NOT_TESTABLE, NO_AWARI),
        ("The threshold makes overhead on one processor negligible.", CONFIRMED, _threshold_helps),
        ("par_rmi is hardly slower than seq on one processor.", NOT_TESTABLE, OWN_FIGURES),
        ("par_tuple is close to 12 % slower on one processor, for want of flat tables.", NOT_TESTABLE, OWN_FIGURES),
        (
            "par_tuple also suffers because its entries take a while to arrive locally.",
            NOT_TESTABLE,
            "It is a property of Satin's tuple space; our nodes write to their own table at once.",
        ),
        ("par_tuple is by far the fastest program on 64 processors.", CONFIRMED, _ranking),
        ("par_tuple is over 16 times as fast as seq on 64 processors.", CONFIRMED, _reaches("par_tuple", 1.5)),
        ("par_tuple is considerably faster than par_rmi on 64 processors.", CONFIRMED, _tuple_and_rmi),
        ("par_rmi has a speed-up of about 12 on 64 processors.", CONFIRMED, _reaches("par_rmi", 1.5)),
        ("par_tuple and par_rmi are about as fast on up to 16 processors.", CONTRADICTED, _equal_on_16),
        ("About 1 to 2 % of all look-ups are hits.", CONFIRMED, _hit_rate),
        ("That is as many as MTD(f)/Awari has.", NOT_TESTABLE, NO_AWARI),
        ("Many hits are close to the leaves, where they save little.", CONFIRMED, _leaf_hits),
        ("Only 0.1 % of the look-ups give hits that save much.", CONTRADICTED, _substantial),
        (
            "Replicating only entries near the root saves about as many boards, without the cost of the rest.",
            CONFIRMED,
            _selected_is_enough,
        ),
        ("par_tuple spends far less time on broadcasts than par_rmi, 2 s against 45 s.", CONFIRMED, _broadcasts),
        ("Group broadcast of the best entries, with flat tables, would be even better.", CONFIRMED, _group_broadcast),
        ("par, which replicates nothing, is the slowest on 64 processors.", CONFIRMED, unreplicated),
        ("par is still eight times as fast as seq on 64 processors.", CONTRADICTED, _reaches("par", 1.5)),
        ("Speed-ups are higher than Awari's, because jobs and branching are larger.", NOT_TESTABLE, NO_AWARI),
        ("64 processors visit close to three times the boards of seq.", CONFIRMED, _search_overhead),
        ("This explains the speed-up of 20 in useful time.", CONFIRMED, _pseudo),
        ("Missing entries, late entries and late aborts cause the extra boards.", DEPENDS, _causes),
        ("Replicating more entries does not improve things.", DEPENDS, _more_entries),
        (
            "The delays of entries and aborts cannot be influenced.",
            NOT_TESTABLE,
            "It is about the author's influence on Ibis.",
        ),
        ("Parallel overhead is almost only time to steal jobs.", DEPENDS, _stealing),
        (
            "A lower threshold makes more steals succeed, but takes longer, since more boards are visited.",
            CONFIRMED,
            _lower_threshold,
        ),
        ("A lower replication depth costs more broadcast time than it gains.", DEPENDS, _more_entries),
        ("The chosen values are close to the optimum.", DEPENDS, _optimum),
    ),
)
