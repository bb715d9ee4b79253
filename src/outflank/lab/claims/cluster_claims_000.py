"""Conclusions of report 000 on its parallel programs, from its chapter on parallelization to its end.

`par` and `par_tuple` with its replication depth of 7 are the same policy in our simulation of the report's tables,
which therefore cannot rank the three programs. Claims that compare them use the section `CLUSTER`, where `par_tuple`
sends entries of `SENT_DEPTH` plies or more, and where all thresholds are searched to one depth.
"""

from collections.abc import Callable, Sequence
from math import log

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
from outflank.lab.claims.sequential_claims_000 import (
    Conclusion,
    Found,
    by_case,
    by_stage,
    finer,
    stronger,
)
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number, spread
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.cluster_000 import RATE
from outflank.lab.reproduction.conclusions_000 import BATCHES, CLUSTER, SENT_DEPTH, SEQUENTIAL
from outflank.lab.studies.choices import ORDERINGS

PAR, RMI, TUPLE = ("none", None), ("batch", 2), ("depth", SENT_DEPTH)
"""The report's three programs, as the policy of our simulation with the least depth of sent entries."""

PROGRAMS = {"par": PAR, "par_rmi": RMI, "par_tuple": TUPLE}

ONE_TABLE = "our head's one table already serves all positions above the jobs"
"""Cause of most differences: the report's nodes share nothing unless it is replicated."""


def simulated(evidence: Evidence, part: str, **fields: object) -> list[Sample]:
    """Return the simulated searches of a part of the section `CLUSTER` with the given fields, or raise `Missing`."""
    samples = [
        sample
        for sample in evidence.of(CLUSTER, f"simulate, {part}")
        if sample.get("what") == "simulated" and all(sample.get(name) == value for name, value in fields.items())
    ]
    if not samples:
        raise Missing
    return samples


def _policy(evidence: Evidence, program: tuple[str, int | None], count: int, part: str = "policies") -> list[Sample]:
    return simulated(evidence, part, policy=program[0], depth=program[1], count=count)


def _seconds(evidence: Evidence, program: tuple[str, int | None], count: int, part: str = "policies") -> float:
    return median(_policy(evidence, program, count, part), "seconds")


def _serial_seconds(samples: Sequence[Sample], position: str = "start") -> float:
    alone = [sample for sample in samples if sample.get("what") == "alone" and sample["position"] == position]
    if not alone:
        raise Missing
    return median(alone, "nodes") / (RATE * 1e6)


def _deep(evidence: Evidence) -> None:
    """Raise `Missing` if the tree of the part `policies` has less than a million boards: 64 nodes starve on it."""
    if _serial_seconds(evidence.of(CLUSTER, "simulate, policies")) * RATE < 1:
        raise Missing


# --- parallelization ---


def _par_improved(evidence: Evidence) -> Decision:
    ours, theirs = _cell(evidence, "speedup_64_par"), fact("000", "speedup_64_par")
    if ours <= theirs:
        raise Missing  # a tree of few plies cannot give as much
    return judged(
        False, f"The simulated par reaches {ours:.1f} on 64 processors, theirs {theirs}: {ONE_TABLE}, at no cost."
    )


def _by_threshold(evidence: Evidence, measure: str, policy: str = "none", count: int = 64) -> Found[int]:
    """Return the median of a field by threshold, all of them searched to one depth."""
    samples = simulated(evidence, "thresholds", policy=policy, count=count)
    return Found((int(number(key)), median(group, measure)) for (key,), group in grouped(samples, "threshold").items())


def _with_low(values: Found[int]) -> Found[int]:
    """Return `values`, or raise `Missing` if there is no threshold below the report's best."""
    if min(values) >= fact("000", "best_threshold"):
        raise Missing
    return values


def _listed(values: dict[int, float], unit: str = "s") -> str:
    return ", ".join(f"{value:.3g} {unit} ({threshold})" for threshold, value in values.items())


def _worth_trying(evidence: Evidence) -> Decision:
    seconds = _by_threshold(evidence, "seconds")
    ratio = max(seconds.values()) / min(seconds.values())
    return judged(ratio > 1.2, f"Times on 64 processors by threshold: {_listed(seconds)}, {ratio:.1f} times the least.")


def _batch_times(evidence: Evidence, measure: str) -> dict[int, float]:
    _deep(evidence)
    return {size: median(simulated(evidence, f"{size} entries"), measure) for size in BATCHES}


def _best_batch(evidence: Evidence) -> Decision:
    seconds = _batch_times(evidence, "seconds")
    best = min(seconds, key=lambda size: seconds[size])
    theirs = fact("000", "rmi_entries_per_update")
    return judged(
        seconds[theirs] <= 1.02 * seconds[best],
        f"By entries per update 64 processors take {_listed(seconds)} (as good: 2 %); a small "
        "tree fills few updates of 10,000, so that they come too late.",
    )


def _batch_balance(evidence: Evidence) -> Decision:
    spent, boards = _batch_times(evidence, "broadcast_seconds"), _batch_times(evidence, "nodes")
    small, *_, large = BATCHES
    return by_case(
        {"broadcast time": spent[small] > spent[large], "late updates": boards[large] >= boards[small]},
        f"updates of {small} and {large} entries spend {spent[small]:.3g} and {spent[large]:.3g} s on broadcasts and "
        f"visit {boards[small]:.2f} and {boards[large]:.2f} times the serial boards; most of a broadcast is its "
        "entries.",
    )


def _everything(evidence: Evidence) -> Decision:
    samples = evidence.of("Parallelization", "replication")
    sent = [sample for sample in samples if str(sample["replication"]).startswith("depth:")]
    silent = [sample for sample in samples if sample["replication"] == "none"]
    if not sent or not silent or number(sent[0]["depth"]) < 9:
        raise Missing  # a tree of fewer plies takes less time than starting its jobs
    added = median(sent, "overhead_per_node") - median(silent, "overhead_per_node")
    useful = median(sent, "useful_per_node")
    cause = "" if added > useful else ": messages of compiled nodes are cheap"
    return judged(
        added > useful,
        f"On two nodes of this machine entries add {added:.2g} s of overhead to {useful:.2g} s of useful time{cause}.",
    )


def _limits(evidence: Evidence, measure: str) -> Found[str]:
    samples = evidence.of(CLUSTER, "threshold, limits")
    return Found(
        (str(name), median(group, measure))
        for (name,), group in grouped(samples, "replication").items()
        if str(name).startswith("depth")
    )


def _near_root(evidence: Evidence) -> Decision:
    sent = _limits(evidence, "messages")
    everything, near, deep = (sent[name] for name in ("depth:depth=2", "depth:plies=6", f"depth:depth={SENT_DEPTH}"))
    return judged(
        near < everything and near > deep,
        f"Two nodes send {everything:,.0f} messages without a limit, {near:,.0f} up to 6 plies from the root, and "
        f"{deep:,.0f} with {SENT_DEPTH} plies left.",
    )


def _minimum_depth(evidence: Evidence) -> Decision:
    sent = _limits(evidence, "messages")
    share = sent[f"depth:depth={SENT_DEPTH}"] / sent["depth:depth=2"]
    return judged(share < 0.25, f"Entries with {SENT_DEPTH} plies left are {share:.1%} of all messages (few: 25 %).")


# --- network and boards ---


def _waiting(evidence: Evidence) -> Decision:
    _deep(evidence)
    waiting = _seconds(evidence, RMI, 64)
    free = median(simulated(evidence, "no waiting"), "seconds")
    return judged(
        waiting > 1.05 * free,
        f"64 processors that wait for each update take {waiting:.3g} s, and {free:.3g} s if they do not (costly: 5 %).",
    )


def _speed_up(evidence: Evidence, part: str, position: str = "start", count: int = 64) -> float:
    serial = _serial_seconds(evidence.of(CLUSTER, f"simulate, {part}"), position)
    return serial / median(simulated(evidence, part, position=position, count=count, policy="none"), "seconds")


def _two_boards(evidence: Evidence) -> Decision:
    """Compare speed-ups of trees of about equal size: two plies less in the mid-game, as the report took four less."""
    _deep(evidence)
    start, other = _speed_up(evidence, "start"), _speed_up(evidence, "mid-game", "midgame")
    return judged(
        max(start / other, other / start) < 1.5,
        f"The speed-up on 64 processors is {start:.1f} from the start and, two plies less deep, {other:.1f} in the "
        "mid-game (factor 1.5).",
    )


def _absolute(evidence: Evidence) -> Decision:
    other = _serial_seconds(evidence.of(CLUSTER, "simulate, mid-game"), "midgame")
    start = _serial_seconds(evidence.of(CLUSTER, "simulate, start"))
    _, factor = _growth(evidence)
    ratio = other / (start / factor**2)
    return judged(
        ratio > 1.5, f"At one depth the mid-game takes {ratio:.1f} times the boards of the start (factor 1.5)."
    )


def _unordered(evidence: Evidence) -> Decision:
    ordered, unordered = _speed_up(evidence, "start"), _speed_up(evidence, "unordered")
    return judged(
        max(ordered / unordered, unordered / ordered) < 1.5,
        f"64 processors reach {ordered:.1f} with ordered moves and {unordered:.1f} with unordered ones (factor 1.5).",
    )


def _myrinet(evidence: Evidence) -> Decision:
    ratios = {
        name: _seconds(evidence, program, 64) / _seconds(evidence, program, 64, "Myrinet")
        for name, program in PROGRAMS.items()
    }
    text = ", ".join(f"{ratio:.2f} times ({name})" for name, ratio in ratios.items())
    return by_case(
        {name: ratio < 1.25 for name, ratio in ratios.items()},
        f"with TCP 64 processors take {text} the time of Myrinet, simulated by latency and bandwidth (big: 1.25).",
    )


# --- thresholds ---


def _neighbours(evidence: Evidence) -> Decision:
    seconds = _by_threshold(evidence, "seconds")
    if 4 not in seconds:
        raise Missing
    steps = [max(seconds[a], seconds[b]) / min(seconds[a], seconds[b]) for a, b in ((4, 5), (5, 6), (6, 7))]
    return judged(max(steps) < 1.1, f"Times on 64 processors by threshold: {_listed(seconds)} (big: a tenth).")


def _more_processors(evidence: Evidence) -> Decision:
    few, many = (_by_threshold(evidence, "seconds", count=count) for count in (4, 64))
    ratios = [max(seconds.values()) / min(seconds.values()) for seconds in (few, many)]
    return judged(
        ratios[1] > ratios[0],
        f"The worst threshold takes {ratios[0]:.1f} times the best one's time on 4 processors, {ratios[1]:.1f} on 64.",
    )


def _low_threshold(evidence: Evidence) -> Decision:
    seconds = _with_low(_by_threshold(evidence, "seconds"))
    return judged(
        min(seconds, key=lambda key: seconds[key]) != min(seconds), f"Times by threshold: {_listed(seconds)}."
    )


def _high_threshold(evidence: Evidence) -> Decision:
    seconds, jobs = _by_threshold(evidence, "seconds"), _by_threshold(evidence, "jobs")
    won, tried = _by_threshold(evidence, "steals_won"), _by_threshold(evidence, "steals_tried")
    low, high = min(seconds), max(seconds)
    rates = {key: 100 * won[key] / tried[key] for key in (low, high)}
    best = min(seconds, key=lambda key: seconds[key])
    return judged(
        best != high and rates[high] < rates[low] and jobs[high] < jobs[low],
        f"From threshold {low} to {high} the jobs fall from {jobs[low]:.0f} to {jobs[high]:.0f}, successful steals "
        "from "
        f"{rates[low]:.0f} to {rates[high]:.0f} %; the time is {seconds[high]:.3g} s, at best {seconds[best]:.3g} s.",
    )


def _useful(evidence: Evidence) -> Decision:
    useful, boards = _by_threshold(evidence, "useful_per_node"), _by_threshold(evidence, "nodes")
    low, high = min(useful), max(useful)
    return by_case(
        {"useful time": useful[high] < useful[low], "equal work": boards[high] > 0.95 * boards[low]},
        f"from threshold {low} to {high} the useful time falls from {useful[low]:.3g} to {useful[high]:.3g} s, and the "
        f"boards from {boards[low]:.2f} to {boards[high]:.2f} times the serial ones: larger jobs speculate less.",
    )


def _best_at(measure: str, cause: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that the report's best threshold has the least of a measure (within 2 %)."""

    def decide(evidence: Evidence) -> Decision:
        best = fact("000", "best_threshold")
        cases, texts = {}, []
        for program, policy in (("par", "none"), ("par_rmi", "batch")):
            values = _with_low(_by_threshold(evidence, measure, policy))
            odd = [value for threshold, value in values.items() if threshold % 2]  # the report tried no others
            cases[f"{program}, odd thresholds"] = values[best] <= 1.02 * min(odd)
            cases[f"{program}, all thresholds"] = values[best] <= 1.02 * min(values.values())
            texts.append(f"{program}: {_listed(values, '')}")
        return by_case(cases, f"by threshold, at one depth on 64 processors, {'; '.join(texts)}{cause}.")

    return decide


# --- replication depths ---


def _by_depth(evidence: Evidence, measure: str, count: int = 64) -> Found[int]:
    """Return the median of a field by replication depth, where each entry is sent at once."""
    samples = simulated(evidence, "policies", policy="depth", count=count)
    return Found((int(number(key)), median(group, measure)) for (key,), group in grouped(samples, "depth").items())


def _same_on_32(evidence: Evidence) -> Decision:
    few, many = _by_depth(evidence, "seconds", 32), _by_depth(evidence, "seconds", 64)
    orders = [sorted(values, key=lambda key: values[key]) for values in (few, many)]
    return judged(
        orders[0] == orders[1],
        f"By replication depth 32 processors take {_listed(few)}, and 64 {_listed(many)}.",
    )


def _luck(evidence: Evidence) -> Decision:
    samples = simulated(evidence, "start", count=64)
    if len(samples) < 3:
        raise Missing
    low, high = spread(samples, "seconds")
    return judged(
        high / low > 1.2,
        f"{len(samples)} simulations of 64 processors take {low:.3g} to {high:.3g} s (huge: a fifth): ours draws "
        "only the "
        "cost of jobs that were not recorded.",
    )


def _traffic_balance(evidence: Evidence) -> Decision:
    spent, hits = _by_depth(evidence, "broadcast_seconds"), _by_depth(evidence, "replicated_hits")
    low, high = min(spent), max(spent)
    return judged(
        spent[low] > spent[high] and hits[low] > hits[high],
        f"From replication depth {low} to {high} broadcasts fall from {spent[low]:.3g} to {spent[high]:.3g} s, and "
        "hits "
        f"from {hits[low]:.0f} to {hits[high]:.0f}.",
    )


def _few_hits(evidence: Evidence) -> Decision:
    silent, sent = _policy(evidence, PAR, 64), _policy(evidence, TUPLE, 64)
    hits = median(sent, "replicated_hits")
    serial = _serial_seconds(evidence.of(CLUSTER, "simulate, policies")) * RATE * 1e6
    saved = (median(silent, "nodes") - median(sent, "nodes")) * serial
    if not hits:
        raise Missing
    return judged(
        saved / hits > 10, f"Each of {hits:.0f} hits of sent entries saves {saved / hits:.0f} boards (many: 10)."
    )


def _best_depth(evidence: Evidence) -> Decision:
    """Contradict the claim if a lower depth is faster than sending nothing, which a depth of 7 amounts to here.

    Otherwise it is not decided: our nodes send no entry of more plies than their jobs have: 7, 9 and 11 are the same.
    """
    _deep(evidence)
    seconds, silent = _by_depth(evidence, "seconds"), _seconds(evidence, PAR, 64)
    text = f"By replication depth 64 processors take {_listed(seconds)}, and {silent:.3g} s if nothing is sent"
    if min(seconds.values()) < silent:
        return judged(False, f"{text}, as with a depth of 7: {ONE_TABLE}.")
    return Decision(Answer.NOT_DONE, f"{text}: from 7 on all depths are the same here, which ranks none of them.")


# --- discussion ---


def _cell(evidence: Evidence, name: str) -> float:
    return evidence.value("Discussion", name)


def _one_processor(program: str, most: float) -> Callable[[Evidence], Decision]:
    """Return the function of a claim that a program on one processor is at most `most` percent slower than `seq`."""

    def decide(evidence: Evidence) -> Decision:
        _deep(evidence)
        serial = evidence.value("Speed-ups", 1, "seq_total_s")
        percent, boards = (
            100 * (evidence.value("Speed-ups", 1, f"{program}_{column}_s") / serial - 1) for column in ("total", "app")
        )
        return judged(
            percent <= most,
            f"Simulated, {program} is {percent:.1f} % slower (limit {most} %), of which {boards:.1f} % are boards "
            "that the "
            "division into jobs adds, and the rest is the assumed time of the head.",
        )

    return decide


def _tuple_slower(evidence: Evidence) -> Decision:
    _deep(evidence)
    serial = evidence.value("Speed-ups", 1, "seq_total_s")
    percent, par = (
        100 * (evidence.value("Speed-ups", 1, f"{name}_total_s") / serial - 1) for name in ("par_tuple", "par")
    )
    return judged(
        percent - par > 5,
        f"Simulated, par_tuple is {percent:.1f} % slower than seq and par {par:.1f} %: ours has flat tables too.",
    )


def _threshold_helps(evidence: Evidence) -> Decision:
    overhead = _by_threshold(evidence, "overhead_per_node", count=1)
    low, high = min(overhead), max(overhead)
    return judged(
        overhead[high] < overhead[low],
        f"On one processor overhead falls from {overhead[low]:.3g} s with threshold {low} to {overhead[high]:.3g} s "
        "with "
        f"threshold {high}.",
    )


def _reaches(name: str, factor: float, cause: str) -> Callable[[Evidence], Decision]:
    """Return the function of a claim on a speed-up, which holds if ours is within a factor; trees must be deep."""

    def decide(evidence: Evidence) -> Decision:
        _deep(evidence)
        ours, theirs = _cell(evidence, name), fact("000", name)
        close = max(ours / theirs, theirs / ours) < factor
        return judged(close, f"Ours is {ours:.3g}, theirs {theirs} (factor {factor}){cause}.")

    return decide


def _programs(evidence: Evidence, count: int) -> dict[str, float]:
    _deep(evidence)
    return {name: _seconds(evidence, program, count) for name, program in PROGRAMS.items()}


def _times_text(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.3g} s" for name, seconds in times.items())


def _ranking(evidence: Evidence) -> Decision:
    times = _programs(evidence, 64)
    return judged(
        min(times, key=lambda name: times[name]) == "par_tuple",
        f"With entries of {SENT_DEPTH} plies sent, 64 processors take {_times_text(times)}: {ONE_TABLE}, and each "
        "message "
        "is waited for.",
    )


def _tuple_and_rmi(evidence: Evidence) -> Decision:
    times = _programs(evidence, 64)
    return judged(
        times["par_tuple"] < 0.9 * times["par_rmi"],
        f"With entries of {SENT_DEPTH} plies sent, 64 processors take {_times_text(times)} (considerably: a tenth); "
        "each "
        "entry is a message to 63 nodes.",
    )


def _equal_on_16(evidence: Evidence) -> Decision:
    times = _programs(evidence, 16)
    return judged(
        abs(times["par_tuple"] / times["par_rmi"] - 1) < 0.1,
        f"With entries of {SENT_DEPTH} plies sent, 16 processors take {_times_text(times)} (equal: a tenth); each "
        "entry "
        "is a message to 15 nodes.",
    )


def _unreplicated(evidence: Evidence) -> Decision:
    times = _programs(evidence, 64)
    return judged(
        times["par"] > max(times["par_rmi"], times["par_tuple"]),
        f"64 processors take {_times_text(times)}: {ONE_TABLE}.",
    )


def _hit_rate(evidence: Evidence) -> Decision:
    _deep(evidence)
    ours, (low, high) = _cell(evidence, "tt_hits_percent"), fact("000", "tt_hits_percent")
    return judged(
        low / 2 <= ours <= high * 2,
        f"{ours:.1f} % of the serial program's look-ups are hits (theirs {low} to {high} %, within a factor of 2); "
        "ours "
        "looks up nothing with one ply left, where hits are rare.",
    )


def _leaf_hits(evidence: Evidence) -> Decision:
    _deep(evidence)
    samples = evidence.of("Discussion", "table")
    hits = sum(number(sample["hits"]) for sample in samples)
    near = sum(number(sample["hits"]) for sample in samples if number(sample["left"]) <= 3)
    return judged(near > hits / 4, f"{near / hits:.0%} of the hits are at boards with 2 or 3 plies left (many: 25 %).")


def _substantial(evidence: Evidence) -> Decision:
    _deep(evidence)
    ours, theirs = _cell(evidence, "tt_substantial_hits_percent"), fact("000", "tt_substantial_hits_percent")
    return judged(
        ours < 2 * theirs,
        f"Hits with 7 plies or more left are {ours:.2f} % of the look-ups (theirs {theirs} %, within a factor of 2); "
        "ours "
        "looks up nothing with one ply left, so that the others are a larger share.",
    )


def _selected_is_enough(evidence: Evidence) -> Decision:
    boards, spent = _by_depth(evidence, "nodes"), _by_depth(evidence, "broadcast_seconds")
    silent = median(_policy(evidence, PAR, 64), "nodes")
    all_, selected = silent - boards[2], silent - boards[SENT_DEPTH]
    return by_case(
        {"boards saved": selected > 0.5 * all_, "traffic": spent[SENT_DEPTH] < 0.5 * spent[2]},
        f"entries of {SENT_DEPTH} plies save {selected / all_:.0%} of the boards that all entries save, with "
        f"{spent[SENT_DEPTH] / spent[2]:.0%} of the broadcast time (limits: half).",
    )


def _broadcasts(evidence: Evidence) -> Decision:
    _deep(evidence)
    spent = {
        name: median(_policy(evidence, program, 64), "broadcast_seconds") / 64
        for name, program in (("par_rmi", RMI), ("par_tuple", TUPLE))
    }
    return judged(
        spent["par_tuple"] < spent["par_rmi"] / 2,
        f"Per machine par_tuple (entries of {SENT_DEPTH} plies) spends {spent['par_tuple']:.2g} s, par_rmi "
        f"{spent['par_rmi']:.2g} s on broadcasts: ours sends each entry of par_tuple alone, and par_rmi's in "
        "thousands.",
    )


def _group_broadcast(evidence: Evidence) -> Decision:
    _deep(evidence)
    ours = _seconds(evidence, ("async", SENT_DEPTH), 64)
    times = _programs(evidence, 64)
    return judged(
        ours < min(times["par_rmi"], times["par_tuple"]),
        f"Entries of {SENT_DEPTH} plies in batches without waiting take {ours:.3g} s on 64 processors; "
        f"{_times_text(times)}.",
    )


def _search_overhead(evidence: Evidence) -> Decision:
    _deep(evidence)
    ours, theirs = _cell(evidence, "search_overhead_factor"), fact("000", "search_overhead_factor")
    return judged(
        max(ours / theirs, theirs / ours) < 1.5,
        f"Ours visits {ours:.2f} times the serial boards, theirs {theirs} (factor 1.5): {ONE_TABLE}.",
    )


def _pseudo(evidence: Evidence) -> Decision:
    _deep(evidence)
    speed, overhead = _cell(evidence, "application_speedup_64_par_tuple"), _cell(evidence, "search_overhead_factor")
    return judged(
        abs(speed * overhead / 64 - 1) < 0.1,
        f"64 / {overhead:.2f} = {64 / overhead:.1f}, and the speed-up of useful time is {speed:.1f} (a tenth).",
    )


def _causes(evidence: Evidence) -> Decision:
    samples = _policy(evidence, PAR, 64)
    extra, lost = median(samples, "nodes") - 1, median(samples, "lost")
    if extra <= 0:
        raise Missing
    return judged(
        lost > 0.1 * extra,
        f"Without replication 64 processors visit {extra:.0%} more boards than one; entries that a node lacks are "
        f"{min(1.0, lost / extra):.0%} of that, the rest are jobs that a cut-off stops too late.",
    )


def _more_entries(evidence: Evidence) -> Decision:
    seconds = _by_depth(evidence, "seconds")
    return judged(seconds[2] > seconds[SENT_DEPTH], f"By replication depth 64 processors take {_listed(seconds)}.")


def _stealing(evidence: Evidence) -> Decision:
    _deep(evidence)
    cases, texts = {}, []
    for name, program in PROGRAMS.items():
        samples = _policy(evidence, program, 64)
        broadcast, overhead = median(samples, "broadcast_seconds") / 64, median(samples, "overhead_per_node")
        cases[name] = broadcast < 0.2 * overhead
        texts.append(f"{name} {broadcast:.2g} of {overhead:.3g} s")
    return by_case(
        cases,
        f"broadcasts are, per machine, {', '.join(texts)} of overhead (limit 20 %), and in the rest nodes wait for "
        "jobs.",
    )


def _lower_threshold(evidence: Evidence) -> Decision:
    best = fact("000", "best_threshold")
    seconds, boards = _with_low(_by_threshold(evidence, "seconds")), _by_threshold(evidence, "nodes")
    won, tried = _by_threshold(evidence, "steals_won"), _by_threshold(evidence, "steals_tried")
    low = 3
    rates = {key: 100 * won[key] / tried[key] for key in (low, best)}
    return judged(
        rates[low] > rates[best] and boards[low] > boards[best] and seconds[low] > seconds[best],
        f"With threshold {low} instead of {best}, {rates[low]:.0f} instead of {rates[best]:.0f} % of the steals "
        "succeed, "
        f"{boards[low]:.2f} instead of {boards[best]:.2f} times the serial boards are visited, and 64 processors take "
        f"{seconds[low]:.3g} instead of {seconds[best]:.3g} s.",
    )


def _optimum(evidence: Evidence) -> Decision:
    chosen = fact("000", "best_threshold")
    seconds = _with_low(_by_threshold(evidence, "seconds"))
    return judged(
        seconds[chosen] <= 1.1 * min(seconds.values()),
        f"At one depth, of fewer plies than 17, par on 64 processors takes {_listed(seconds)} by threshold (close to "
        "the "
        "best: a tenth): a smaller tree wants smaller jobs, and the report tried only odd thresholds.",
    )


def _new_ordering(evidence: Evidence) -> Decision:
    best = {}
    for evaluation in ("four-part", "phased"):
        boards = {name: evidence.value(SEQUENTIAL, (evaluation, name), "boards") for name in ORDERINGS}
        best[evaluation] = min(boards, key=lambda name: boards[name])
    return judged(
        best["phased"] != best["four-part"],
        f"The fewest boards are visited by {best['four-part']} with their evaluation, and by {best['phased']} with "
        "ours.",
    )


# --- conclusion ---


def _growth(evidence: Evidence) -> tuple[float, float]:
    """Return the greatest depth searched, and the factor by which boards grow with one more ply there."""
    boards = {
        int(str(cell.row[0]).removeprefix("depth ")): number(cell.ours)
        for cell in evidence.cells.get(SEQUENTIAL, ())
        if cell.column == "boards" and str(cell.row[0]).startswith("depth ")
    }
    if len(boards) < 2:
        raise Missing
    below, last = sorted(boards)[-2:]
    return last, (boards[last] / boards[below]) ** (1 / (last - below))


def _far(evidence: Evidence) -> Decision:
    depth, moves = fact("000", "depth"), _cell(evidence, "game_length")
    return judged(
        depth < moves / 2,
        f"A game has {moves:.0f} moves (theirs says {fact('000', 'game_length')}), and {depth} is less than half.",
    )


def _slower(evidence: Evidence) -> Decision:
    depth, factor = _growth(evidence)
    return judged(factor > 1, f"At depth {depth:.0f} one more ply takes {factor:.1f} times the boards.")


def _not_enough(evidence: Evidence) -> Decision:
    _, factor = _growth(evidence)
    gained = log(fact("000", "speedup_64_par_tuple")) / log(factor)
    reached, moves = fact("000", "depth") + gained, _cell(evidence, "game_length")
    return judged(
        reached < moves, f"A speed-up of 16 gives {gained:.1f} plies more, {reached:.0f} in all of {moves:.0f}."
    )


LIBRARY = "It is a fault of a library of that time, which we do not have."

_ROWS: tuple[tuple[str, str, Answer, Callable[[Evidence], Decision]], ...] = (
    ("Move ordering", "Move ordering is mostly unrelated to parallelization.", CONFIRMED, _unordered),
    ("Parallelization", "Nothing more can be optimized in the parallel program itself.", CONTRADICTED, _par_improved),
    (
        "Parallelization",
        "The parallel program must spawn moves in the reverse order, since Satin's queue has to be a stack.",
        NOT_TESTABLE,
        not_testable("It is a property of Satin, which we do not have."),
    ),
    ("Parallelization", "Thresholds differ so much in time that trying several is worth it.", CONFIRMED, _worth_trying),
    ("Parallelization", "Replicating the table improves the parallel program.", CONTRADICTED, _unreplicated),
    ("Parallelization", "No number of entries per update is better than 10,000.", CONTRADICTED, _best_batch),
    (
        "Parallelization",
        "Fewer entries per update cost broadcast time, and more come too late.",
        DEPENDS,
        _batch_balance,
    ),
    (
        "Parallelization",
        "With every entry in a tuple space, communication takes more than useful work even on two processors.",
        CONTRADICTED,
        _everything,
    ),
    (
        "Parallelization",
        "A greatest distance from the root reduces the traffic, but not enough.",
        CONFIRMED,
        _near_root,
    ),
    (
        "Parallelization",
        "A least depth left reduces it so much that the tuple space is usable.",
        CONFIRMED,
        _minimum_depth,
    ),
    *(
        ("Trouble with Satin", says, NOT_TESTABLE, not_testable(because))
        for says, because in (
            ("Crashes on 16 or more processors came from a fault in Satin: aborted jobs could spawn others.", LIBRARY),
            ("A check in Satin's spawn removes the crashes.", LIBRARY),
            (
                "Callers of aborted methods go on running, which can corrupt a table or waste work.",
                "It is a property of Satin's compiler; in our program an aborted part writes nothing.",
            ),
            (
                "There is no trivial patch; an internal exception would be the cleaner solution.",
                "It is a proposal for Satin that nobody has tried; ours unwinds by a flag that every caller reads.",
            ),
            ("Otherwise programmers have to be told of such quirks.", "It is advice."),
        )
    ),
    ("Trouble with GMI", "Updates that the sender waits for are costly.", CONFIRMED, _waiting),
    *(
        ("Trouble with GMI", says, NOT_TESTABLE, not_testable(LIBRARY))
        for says in (
            "GMI and Satin are hardly compatible: only one order of initialization works, and joining is a barrier.",
            "There is probably a cleaner solution than changing Satin's compiler.",
            "GMI generates wrong code for methods with two arrays of one type.",
            "GMI deadlocks when two or more instances send large arrays to each other.",
            "The abstraction of Ibis makes the cause of the deadlock impossible to find.",
        )
    ),
    (
        "Test conditions",
        "The choice of boards matters much less for parallelization than for ordering.",
        CONFIRMED,
        _two_boards,
    ),
    ("Test conditions", "Running times differ much from board to board.", CONFIRMED, _absolute),
    ("Test conditions", "Relative speed-ups are comparable on other boards.", CONFIRMED, _two_boards),
    ("Test conditions", "A faster network (Myrinet) would make no big difference.", CONFIRMED, _myrinet),
    (
        "The threshold value",
        "The threshold matters more as the number of processors grows.",
        CONFIRMED,
        _more_processors,
    ),
    ("The threshold value", "Successive thresholds differ too little to be meaningful.", CONTRADICTED, _neighbours),
    (
        "The threshold value",
        "The lowest threshold is not the best, so that a threshold is useful.",
        CONFIRMED,
        _low_threshold,
    ),
    (
        "The threshold value",
        "With a high threshold there are too few jobs to steal, and processors are idle.",
        CONFIRMED,
        _high_threshold,
    ),
    (
        "The threshold value",
        "A high threshold lowers the useful time per machine, though the work is not less.",
        DEPENDS,
        _useful,
    ),
    ("The threshold value", "A threshold of 5 is fastest for all programs.", DEPENDS, _best_at("seconds", "")),
    (
        "The threshold value",
        "A threshold of 5 has the least parallel overhead for all programs.",
        DEPENDS,
        _best_at("overhead_per_node", ""),
    ),
    (
        "The threshold value",
        "A threshold of 5 transfers the fewest bytes for all programs.",
        CONTRADICTED,
        _best_at("bytes", ": bytes fall with the number of jobs, since a failed steal sends nothing here"),
    ),
    ("Replication depth", "Replication depths compare alike on 32 and on 64 processors.", CONFIRMED, _same_on_32),
    ("Replication depth", "Luck plays a huge role in a single run.", CONTRADICTED, _luck),
    (
        "Replication depth",
        "More replicated entries give more hits and more broadcast time.",
        CONFIRMED,
        _traffic_balance,
    ),
    ("Replication depth", "Few hits save much, since one hit can skip many boards.", CONFIRMED, _few_hits),
    ("Replication depth", "A replication depth of 7 is the fastest.", CONFIRMED, _best_depth),
    ("Discussion", "On one processor par is about 1 % slower than seq.", CONTRADICTED, _one_processor("par", 3)),
    (
        "Discussion",
        "That is less than the 4.9 % of MTD(f)/Awari.",
        CONTRADICTED,
        _one_processor("par", fact("000", "awari_overhead_percent")),
    ),
    (
        "Discussion",
        "The cause is that boards of Othello take more computation than those of Awari.",
        NOT_TESTABLE,
        not_testable("We have no program for Awari."),
    ),
    ("Discussion", "The threshold makes overhead on one processor negligible.", CONFIRMED, _threshold_helps),
    ("Discussion", "par_rmi is hardly slower than seq on one processor.", CONTRADICTED, _one_processor("par_rmi", 3)),
    (
        "Discussion",
        "par_tuple is close to 12 % slower on one processor, for want of flat tables.",
        CONTRADICTED,
        _tuple_slower,
    ),
    (
        "Discussion",
        "par_tuple also suffers because its entries take a while to arrive locally.",
        NOT_TESTABLE,
        not_testable("It is a property of Satin's tuple space; our nodes write to their own table at once."),
    ),
    ("Discussion", "par_tuple is by far the fastest program on 64 processors.", CONTRADICTED, _ranking),
    (
        "Discussion",
        "par_tuple is over 16 times as fast as seq on 64 processors.",
        CONFIRMED,
        _reaches("speedup_64_par_tuple", 1.5, ""),
    ),
    ("Discussion", "par_tuple is considerably faster than par_rmi on 64 processors.", CONTRADICTED, _tuple_and_rmi),
    (
        "Discussion",
        "par_rmi has a speed-up of about 12 on 64 processors.",
        CONFIRMED,
        _reaches("speedup_64_par_rmi", 1.5, ""),
    ),
    ("Discussion", "par_tuple and par_rmi are about as fast on up to 16 processors.", CONTRADICTED, _equal_on_16),
    ("Discussion", "About 1 to 2 % of all look-ups are hits.", CONTRADICTED, _hit_rate),
    (
        "Discussion",
        "That is as many as MTD(f)/Awari has.",
        NOT_TESTABLE,
        not_testable("We have no program for Awari."),
    ),
    ("Discussion", "Many hits are close to the leaves, where they save little.", CONFIRMED, _leaf_hits),
    ("Discussion", "Only 0.1 % of the look-ups give hits that save much.", CONTRADICTED, _substantial),
    (
        "Discussion",
        "Replicating only entries near the root saves about as many boards, without the cost of the rest.",
        CONFIRMED,
        _selected_is_enough,
    ),
    (
        "Discussion",
        "par_tuple spends far less time on broadcasts than par_rmi, 2 s against 45 s.",
        CONTRADICTED,
        _broadcasts,
    ),
    (
        "Discussion",
        "Group broadcast of the best entries, with flat tables, would be even better.",
        CONFIRMED,
        _group_broadcast,
    ),
    ("Discussion", "par, which replicates nothing, is the slowest on 64 processors.", CONTRADICTED, _unreplicated),
    (
        "Discussion",
        "par is still eight times as fast as seq on 64 processors.",
        CONTRADICTED,
        _reaches("speedup_64_par", 1.5, f": {ONE_TABLE}"),
    ),
    (
        "Discussion",
        "Speed-ups are higher than Awari's, because jobs and branching are larger.",
        NOT_TESTABLE,
        not_testable("We have no program for Awari."),
    ),
    ("Discussion", "64 processors visit close to three times the boards of seq.", CONFIRMED, _search_overhead),
    ("Discussion", "This explains the speed-up of 20 in useful time.", CONFIRMED, _pseudo),
    ("Discussion", "Missing entries, late entries and late aborts cause the extra boards.", CONFIRMED, _causes),
    ("Discussion", "Replicating more entries does not improve things.", CONFIRMED, _more_entries),
    (
        "Discussion",
        "The delays of entries and aborts cannot be influenced.",
        NOT_TESTABLE,
        not_testable("It is about the author's influence on Ibis."),
    ),
    ("Discussion", "Parallel overhead is almost only time to steal jobs.", DEPENDS, _stealing),
    (
        "Discussion",
        "A lower threshold makes more steals succeed, but takes longer, since more boards are visited.",
        CONFIRMED,
        _lower_threshold,
    ),
    ("Discussion", "A lower replication depth costs more broadcast time than it gains.", CONFIRMED, _more_entries),
    ("Discussion", "The chosen values are close to the optimum.", CONTRADICTED, _optimum),
    (
        "Discussion",
        "The evaluation can be improved by somebody with more experience.",
        CONFIRMED,
        stronger("phased", "four-part", "it was fitted to tournament games"),
    ),
    ("Discussion", "Another evaluation may require another move ordering.", CONFIRMED, _new_ordering),
    ("Discussion", "Move ordering might gain from weights that depend on the stage of the game.", DEPENDS, by_stage),
    ("Discussion", "Tuning on many more boards would give better values.", CONFIRMED, finer),
    (
        "Conclusion",
        "Systems of such a high level are never purely beneficial, especially when problems arise.",
        NOT_TESTABLE,
        not_testable("It is an opinion on programming."),
    ),
    (
        "Conclusion",
        "Satin and Ibis are very easy to use and save work on low-level mechanisms at a low cost.",
        NOT_TESTABLE,
        not_testable("It is an opinion on libraries that we do not have."),
    ),
    ("Conclusion", "A depth of 17 is nowhere near the length of a game.", CONFIRMED, _far),
    ("Conclusion", "The search gets slower with each added ply.", CONFIRMED, _slower),
    ("Conclusion", "The speed-ups are not enough to solve the game.", CONFIRMED, _not_enough),
    (
        "Conclusion",
        "Solving Othello takes a much better evaluation, and perhaps another language and parallel base.",
        NOT_TESTABLE,
        not_testable(
            "No run of ours would end; the proof of 2023 (Takizawa) had all of these, and much more hardware."
        ),
    ),
    (
        "Conclusion",
        "If solving Othello were so simple, it would have been done already.",
        NOT_TESTABLE,
        not_testable("It is an inference from what others had not done then; others have done it since."),
    ),
)

STATEMENTS: tuple[Conclusion, ...] = _ROWS
