"""Conclusions of report 000 on its parallel programs, up to its chapter on thresholds.

They are decided by simulations of its machine (`stealing`), where nodes steal from each other and have private tables.
"""

from collections.abc import Callable

from outflank.lab.claims.board_answers_000 import wider_midgame
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
    by_threshold,
    least,
    listed,
    measured,
    need_full_tree,
    programs,
    seconds,
    serial_boards,
    speed_up,
    success,
)
from outflank.lab.measuring.search_samples import grouped, median
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.conclusions_000 import BATCHES, CLUSTER

# --- parallelization ---


def _unordered(evidence: Evidence) -> Decision:
    ordered, unordered = speed_up(evidence, "shallow", "par_tuple"), speed_up(evidence, "unordered", "par_tuple")
    return judged(
        within_factor(ordered, unordered, 1.5),
        f"64 processors reach {ordered:.1f} with ordered moves and {unordered:.1f} with unordered ones (factor 1.5).",
    )


def _par_improved(evidence: Evidence) -> Decision:
    times = by_threshold(evidence, "seconds", part="even thresholds")
    best = least(times)
    return judged(
        times[BEST_THRESHOLD] <= 1.05 * times[best],
        f"Thresholds that the report did not try: par on 64 processors takes {listed(times)} (optimal: within 5 %).",
    )


def _spawn_order(evidence: Evidence) -> Decision:
    """Compare both orders of spawning moves, on one node and on 64. One node searches its newest job next."""
    cases, texts = {}, []
    for board, forward, reverse in (("start", "forward", "reverse"), ("mid-game", "forward, mid-game", "mid-game")):
        for count in (1, 64):
            ratio = seconds(evidence, forward, "par", count) / seconds(evidence, reverse, "par", count)
            cases[f"{board} on {count}"] = ratio > 1.02
            texts.append(f"{ratio:.2f} ({board} on {count})")
    return by_case(
        cases,
        f"spawned in their order, and so searched from the worst to the second, moves take {', '.join(texts)} times as "
        "long (needed: 1.02); from the start the report's ordering is worse than none.",
    )


def _worth_trying(evidence: Evidence) -> Decision:
    times = by_threshold(evidence, "seconds")
    ratio = max(times.values()) / min(times.values())
    return judged(ratio > 1.2, f"Times on 64 processors by threshold: {listed(times)}, {ratio:.1f} times the least.")


def unreplicated(evidence: Evidence) -> Decision:
    """Decide that par, which replicates nothing, is the slowest program on 64 processors."""
    times = programs(evidence)
    return judged(times["par"] > max(times["par_rmi"], times["par_tuple"]), f"64 processors take {listed(times)}.")


def _batches(evidence: Evidence, measure: str) -> MeasuredValues[int]:
    return MeasuredValues(
        (size, measured(evidence, f"{size} entries", measure, f"par_rmi:batch={size}")) for size in BATCHES
    )


def _best_batch(evidence: Evidence) -> Decision:
    times, theirs = _batches(evidence, "seconds"), fact("000", "rmi_entries_per_update")
    return judged(
        times[theirs] <= 1.02 * min(times.values()),
        f"By entries per update 64 processors take {listed(times)} (as good: 2 %); in a small tree a node fills "
        "few updates of 10,000, which come too late.",
    )


def _batch_balance(evidence: Evidence) -> Decision:
    spent, boards = _batches(evidence, "sending"), _batches(evidence, "boards")
    small, *_, large = BATCHES
    return by_case(
        {"broadcast time": spent[small] > spent[large], "late updates": boards[large] > boards[small]},
        f"updates of {small} and {large} entries spend {spent[small]:.3g} and {spent[large]:.3g} s per machine on "
        f"broadcasts, and {boards[small]:,.0f} and {boards[large]:,.0f} boards are visited.",
    )


def _everything(evidence: Evidence) -> Decision:
    samples = [run for run in evidence.of("Parallelization", "stealing, every entry") if run["what"] == "simulated"]
    if not samples:
        raise Missing
    useful, sending, receiving = (median(samples, name) for name in ("useful", "sending", "receiving"))
    communication = sending + receiving
    return judged(
        communication > useful,
        f"Simulated with every entry of two plies or more, entries take {communication:.3g} s of each of two "
        f"machines, and useful work {useful:.3g} s; theirs also sent entries with one ply left, several times as many.",
    )


DEEP = "depth:depth=4"


def _limits(evidence: Evidence) -> MeasuredValues[str]:
    # Samples of the serial baseline have no messages.
    samples = [run for run in evidence.of(CLUSTER, "threshold, limits") if "messages" in run]
    return MeasuredValues(
        (str(name), median(group, "messages")) for (name,), group in grouped(samples, "replication").items()
    )


def _near_root(evidence: Evidence) -> Decision:
    """With a limit on the distance from the root, nodes send fewer messages than without a limit.

    They send more than with a least depth: both limits admit the same entries in the last iteration, but in earlier
    iterations the limit on the distance admits more.
    """
    sent = _limits(evidence)
    everything, deep = sent["depth:depth=2"], sent[DEEP]
    near = next((count for name, count in sent.items() if name.startswith("depth:plies=")), None)
    if near is None:
        raise Missing
    return judged(
        deep < near < everything,
        f"Two nodes of our own cluster send {everything:,.0f} messages without a limit, {deep:,.0f} with 4 plies left, "
        f"and {near:,.0f} with the distance from the root that these have in the last iteration.",
    )


def _minimum_depth(evidence: Evidence) -> Decision:
    sent = _limits(evidence)
    share = sent[DEEP] / sent["depth:depth=2"]
    return judged(share < 0.25, f"Entries with 4 plies left are {share:.1%} of all messages (few: 25 %).")


# --- network and boards ---


def _waiting(evidence: Evidence) -> Decision:
    part = f"{fact('000', 'rmi_entries_per_update')} entries"
    waits = seconds(evidence, part, "par_rmi:batch=10000")
    free = seconds(evidence, "no waiting", "par_rmi:waits=0")
    return judged(
        waits > 1.05 * free,
        f"64 processors that wait for each update take {waits:.3g} s, and {free:.3g} s if they do not (costly: 5 %): "
        "almost all of an update's time is the bandwidth of 10,000 entries for 63 receivers, which both pay.",
    )


def _two_boards(evidence: Evidence) -> Decision:
    """Compare the speed-ups of two trees of similar size. As in the report, the mid-game is 4 plies less deep."""
    texts, cases = [], {}
    for program in ("par", "par_tuple"):
        start, other = speed_up(evidence, "shallow", program), speed_up(evidence, "mid-game", program)
        cases[program] = within_factor(start, other, 1.5)
        texts.append(f"{start:.1f} and {other:.1f} ({program})")
    return by_case(
        cases,
        f"from the start and, four plies less deep, in the mid-game 64 processors reach {', '.join(texts)} (1.5).",
    )


def _absolute(evidence: Evidence) -> Decision:
    start, other = serial_boards(evidence, "shallow"), serial_boards(evidence, "mid-game")
    return judged(
        16 * other > 1.5 * start,
        f"From the start {start:,.0f} boards are visited, and four plies less deep in the mid-game {other:,.0f}: at "
        "one depth the times differ by more than 1.5, if a ply takes twice the boards.",
    )


def _myrinet(evidence: Evidence) -> Decision:
    ratios = MeasuredValues(
        (name, seconds(evidence, "shallow", name) / seconds(evidence, "Myrinet", name)) for name in PROGRAMS
    )
    return by_case(
        {name: ratio < 1.25 for name, ratio in ratios.items()},
        f"with TCP 64 processors take {listed(ratios, '')} times as long as with Myrinet, whose messages cost a fifth "
        "and whose bandwidth is eight times as large (big: 1.25).",
    )


# --- thresholds ---


def _neighbours(evidence: Evidence) -> Decision:
    times = by_threshold(evidence, "seconds", part="even thresholds")
    steps = [max(times[a], times[a + 1]) / min(times[a], times[a + 1]) for a in (4, 5, 6)]
    return judged(max(steps) < 1.1, f"Times on 64 processors by threshold: {listed(times)} (big: a tenth).")


def _more_processors(evidence: Evidence) -> Decision:
    few, many = by_threshold(evidence, "seconds", part="few nodes", count=4), by_threshold(evidence, "seconds")
    ratios = [max(times.values()) / min(times.values()) for times in (few, many)]
    return judged(
        ratios[1] > ratios[0],
        f"The worst threshold takes {ratios[0]:.1f} times the best one's time on 4 processors, {ratios[1]:.1f} on 64.",
    )


def _low_threshold(evidence: Evidence) -> Decision:
    times = {name: by_threshold(evidence, "seconds", name) for name in PROGRAMS}
    return by_case(
        {name: least(values) != min(values) for name, values in times.items()},
        f"by threshold 64 processors take {'; '.join(f'{name}: {listed(values)}' for name, values in times.items())}.",
    )


def _high_threshold(evidence: Evidence) -> Decision:
    times, spawns, rates = by_threshold(evidence, "seconds"), by_threshold(evidence, "spawns"), success(evidence)
    low, high = min(times), max(times)
    return judged(
        times[high] > min(times.values()) and rates[high] < rates[low] and spawns[high] < spawns[low],
        f"From threshold {low} to {high} the jobs fall from {spawns[low]:,.0f} to {spawns[high]:,.0f}, and granted "
        f"requests from {rates[low]:.3g} to {rates[high]:.3g} % (theirs: 49 to 0.04 %).",
    )


def _useful(evidence: Evidence) -> Decision:
    useful, boards = by_threshold(evidence, "useful"), by_threshold(evidence, "boards")
    low, high = BEST_THRESHOLD, max(useful)
    return by_case(
        {"useful time": useful[high] < useful[low], "equal work": boards[high] > 0.95 * boards[low]},
        f"from threshold {low} to {high} the useful time goes from {useful[low]:.3g} to {useful[high]:.3g} s, and the "
        f"boards from {boards[low]:,.0f} to {boards[high]:,.0f}: the useful time is that of the boards.",
    )


def _best_at(measure: str, cause: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that a measure is least at the report's best threshold, or within 2 % of it."""

    def decide(evidence: Evidence) -> Decision:
        need_full_tree(evidence, "thresholds")
        cases, texts = {}, []
        for program in PROGRAMS:
            values = by_threshold(evidence, measure, program)
            cases[program] = values[BEST_THRESHOLD] <= 1.02 * min(values.values())
            texts.append(f"{program}: {listed(values, '')}")
        return by_case(cases, f"by threshold, at one depth on 64 processors, {'; '.join(texts)}{cause}.")

    return decide


LIBRARY = "It is a fault of a library of that time, which we do not have."
ABORTS = f"{LIBRARY} A test floods our own cluster with stopped jobs, and all values stay right."
FLOODS = f"{LIBRARY} A test floods our own nodes with updates of 10,000 entries, and all searches end."

ROWS: tuple[Row, ...] = (
    ("Move ordering", "Move ordering is mostly unrelated to parallelization.", CONFIRMED, _unordered),
    *rows_at(
        "Parallelization",
        (
            "The step from the sequential to the parallel program took no effort.",
            NOT_TESTABLE,
            "How much work a program is to write is no measurement of ours.",
        ),
        ("Nothing more can be optimized in the parallel program itself.", CONFIRMED, _par_improved),
        (
            "The parallel program must spawn moves in the reverse order, since Satin's queue has to be a stack.",
            DEPENDS,
            _spawn_order,
        ),
        ("Thresholds differ so much in time that trying several is worth it.", CONFIRMED, _worth_trying),
        ("Replicating the table improves the parallel program.", CONFIRMED, unreplicated),
        ("No number of entries per update is better than 10,000.", CONTRADICTED, _best_batch),
        ("Fewer entries per update cost broadcast time, and more come too late.", CONFIRMED, _batch_balance),
        (
            "With every entry in a tuple space, communication takes more than useful work even on two processors.",
            CONTRADICTED,
            _everything,
        ),
        ("A greatest distance from the root reduces the traffic, but not enough.", CONFIRMED, _near_root),
        ("A least depth left reduces it so much that the tuple space is usable.", CONFIRMED, _minimum_depth),
    ),
    *rows_at(
        "Trouble with Satin",
        (
            "Crashes on 16 or more processors came from a fault in Satin: aborted jobs could spawn others.",
            NOT_TESTABLE,
            ABORTS,
        ),
        ("They do not occur if the move in the table is not searched first.", NOT_TESTABLE, LIBRARY),
        ("A check in Satin's spawn removes the crashes.", NOT_TESTABLE, LIBRARY),
        (
            "The check was missing because the case was thought to be impossible.",
            NOT_TESTABLE,
            "It is a guess about authors.",
        ),
        (
            "Callers of aborted methods go on running, which can corrupt a table or waste work.",
            NOT_TESTABLE,
            "It is a property of Satin's compiler; in our program an aborted part writes nothing.",
        ),
        (
            "There is no trivial patch; an internal exception would be the cleaner solution.",
            NOT_TESTABLE,
            "It is a proposal for Satin that nobody has tried; ours unwinds by a flag that every caller reads.",
        ),
        (
            "A general handler of that exception would be easier to understand.",
            NOT_TESTABLE,
            "It is a proposal for Satin.",
        ),
        ("Otherwise programmers have to be told of such quirks.", NOT_TESTABLE, "It is advice."),
    ),
    *rows_at(
        "Trouble with GMI",
        ("Updates that the sender waits for are costly.", CONFIRMED, _waiting),
        (
            "GMI and Satin are hardly compatible: only one order of initialization works, and joining is a barrier.",
            NOT_TESTABLE,
            LIBRARY,
        ),
        ("A group cannot be joined in spawnable methods or static initializers.", NOT_TESTABLE, LIBRARY),
        ("There is probably a cleaner solution than changing Satin's compiler.", NOT_TESTABLE, LIBRARY),
        ("GMI generates wrong code for methods with two arrays of one type.", NOT_TESTABLE, LIBRARY),
        ("GMI deadlocks when two or more instances send large arrays to each other.", NOT_TESTABLE, FLOODS),
        ("The deadlock occurs without Satin too, between two instances of GMI alone.", NOT_TESTABLE, LIBRARY),
        ("All other kinds of invocation deadlock as well.", NOT_TESTABLE, LIBRARY),
        ("A receiver should never have to wait for long inside an upcall.", NOT_TESTABLE, FLOODS),
        ("The abstraction of Ibis makes the cause of the deadlock impossible to find.", NOT_TESTABLE, LIBRARY),
    ),
    *rows_at(
        "Test conditions",
        ("The choice of boards matters much less for parallelization than for ordering.", DEPENDS, _two_boards),
        (
            "Boards of the mid-game have more moves, so that some can be searched to 13 plies only instead of 17.",
            CONFIRMED,
            wider_midgame,
        ),
        ("Running times differ much from board to board.", CONFIRMED, _absolute),
        ("Relative speed-ups are comparable on other boards.", DEPENDS, _two_boards),
        ("A faster network (Myrinet) would make no big difference.", CONFIRMED, _myrinet),
    ),
    *rows_at(
        "The threshold value",
        ("The threshold matters more as the number of processors grows.", CONTRADICTED, _more_processors),
        ("Successive thresholds differ too little to be meaningful.", CONTRADICTED, _neighbours),
        ("The lowest threshold is not the best, so that a threshold is useful.", CONFIRMED, _low_threshold),
        ("With a high threshold there are too few jobs to steal, and processors are idle.", CONFIRMED, _high_threshold),
        ("A high threshold lowers the useful time per machine, though the work is not less.", DEPENDS, _useful),
        ("A threshold of 5 is fastest for all programs.", CONFIRMED, _best_at("seconds", "")),
        ("A threshold of 5 has the least parallel overhead for all programs.", CONTRADICTED, _best_at("idle", "")),
        (
            "A threshold of 5 transfers the fewest bytes for all programs.",
            CONFIRMED,
            _best_at("bytes", "; bytes are those of steals, by the report's own relation to idle time"),
        ),
    ),
)
