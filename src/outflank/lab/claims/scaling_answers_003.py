"""Answers about report 003's split at the root, and its speed-ups."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from outflank.lab.claims.answers_003 import allowed_speed_ups, evaluations_per_second, root_work_of
from outflank.lab.claims.deciding import by_case, compared, listed, trusted_times
from outflank.lab.claims.ledger import Decide, Decision, Evidence, Missing, judged
from outflank.lab.drawing.looks import number as text_of
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.reproduction.details_003 import THREADS
from outflank.lab.reproduction.text_003 import CHUNKS
from outflank.lab.studies.clusters import ALONE
from outflank.lab.studies.imbalance import allowed
from outflank.machine import usable_cores

# --- the split at the root ---


def _limits(evidence: Evidence) -> dict[str, float]:
    """Return the greatest speed-up that sharing out root moves allows with any number of threads, by position."""
    return {name: sum(work) / max(work) for name, work in root_work_of(evidence).items()}


def static(work: Sequence[int], threads: int) -> float:
    """Return the speed-up if each thread gets an equal share of consecutive moves, to within one move.

    >>> static([3, 1, 1, 1], 2), static([1, 1, 1], 2)
    (1.5, 1.5)
    """
    share, more = divmod(len(work), threads)
    ends = [thread * share + min(thread, more) for thread in range(threads + 1)]
    return sum(work) / max(sum(work[first:last]) for first, last in pairwise(ends))


def _timed(evidence: Evidence) -> dict[tuple[str, int], list[Sample]]:
    samples = [sample for sample in evidence.of("Figure 2.6", "imbalance") if sample["what"] == "timed"]
    groups = grouped(samples, "position", "workers")
    return {(str(position), int(number(workers))): group for (position, workers), group in groups.items()}


def threads_help(evidence: Evidence) -> Decision:
    """The split at the root does more evaluations per second with two workers or more than with one."""
    alone, shared = (_scheme(evidence, "root-split", "scaling, full windows", most) for most in (1, usable_cores()))
    trusted_times([*alone, *shared])
    gain = evaluations_per_second(shared) / evaluations_per_second(alone)
    return judged(gain > 1, f"{text_of(shared[0]['workers'])} workers do {gain:.2f} times the evaluations/s of one.")


def processes_no_better(evidence: Evidence) -> Decision:
    """Two processes with messages reach at most 1.1 times the speed-up of two threads."""
    samples = grouped(evidence.of("Processes", "scaling"), "replication", "nodes_used")
    alone = samples[ALONE, 1]
    shared = next(group for (replication, nodes), group in samples.items() if replication != ALONE and nodes == 2)
    processes = median(alone, "seconds") / median(shared, "seconds")
    groups = grouped(evidence.of("Figure 2.2", "scaling"), "scheme", "workers")
    one, two = (trusted_times(groups[key]) for key in (("serial alphabeta", 1), ("ybw", 2)))
    threads = median(one, "seconds") / median(two, "seconds")
    return judged(processes <= 1.1 * threads, f"Two processes reach {processes:.2f}, two threads {threads:.2f}.")


def work_differs(evidence: Evidence) -> Decision:
    """The largest root move of every position has at least twice the evaluations of the smallest."""
    ratios = {name: max(work) / min(work) for name, work in root_work_of(evidence).items()}
    because = "The largest root move has this many times the evaluations of the smallest: {} (unequal: 2)."
    return compared(ratios, lambda ratio: ratio >= 2, because, ".3g")


def dynamic_beats_static(evidence: Evidence) -> Decision:
    """On 48 threads, root moves allow more speed-up if they are handed out one by one than in equal shares."""
    one = allowed_speed_ups(evidence, THREADS)
    shares = {name: static(work, THREADS) for name, work in root_work_of(evidence).items()}
    because = (
        f"speed-ups that root moves allow on {THREADS} threads are {listed(one)} one by one, and "
        f"{listed(shares)} in equal shares; where a thread gets one move or two, there is little to schedule."
    )
    return by_case({name: one[name] > shares[name] for name in one}, because)


def chunk_of_one(evidence: Evidence) -> Decision:
    """On 48 threads, every chunk of more than one move allows less speed-up."""
    by_chunk = {chunk: allowed_speed_ups(evidence, THREADS, chunk) for chunk in CHUNKS}
    texts = "; ".join(f"{chunk} at a time {listed(figures)}" for chunk, figures in by_chunk.items())
    best = all(by_chunk[1][name] > by_chunk[chunk][name] for chunk in CHUNKS[1:] for name in by_chunk[1])
    return judged(best, f"Root moves allow on {THREADS} threads: {texts}.")


def no_races(evidence: Evidence) -> Decision:
    """Searches count the same evaluations with any number of workers."""
    counts: dict[str, set[object]] = {}
    for (position, _), group in _timed(evidence).items():
        counts.setdefault(position, set()).update(sample["leaves"] for sample in group)
    workers = sorted({workers for _, workers in _timed(evidence)})
    if len(workers) < 2:
        raise Missing("This run has one number of workers only.")
    same = sum(len(leaves) == 1 for leaves in counts.values())
    because = (
        f"With {' and '.join(map(str, workers))} workers that have their own boards, the evaluations are the same in "
        f"{same} of {len(counts)} positions."
    )
    return judged(same == len(counts), because)


def _scheme(evidence: Evidence, scheme: str, part: str = "scaling", most: float | None = None) -> list[Sample]:
    """Return the searches of a scheme with the greatest number of workers up to `most` (default: the cores)."""
    most = usable_cores() if most is None else most
    groups = grouped(evidence.of("Figure 2.2", part), "scheme", "workers")
    counts = [int(number(workers)) for name, workers in groups if name == scheme and number(workers) <= most]
    if not counts:
        raise Missing("This run has more workers than the machine has cores.")
    return groups[scheme, max(counts)]


def _master_against_split(evidence: Evidence, measure: str) -> dict[str, float]:
    split = _scheme(evidence, "root-split", "scaling, full windows")
    schemes = {scheme: _scheme(evidence, scheme) for scheme in ("pv-split", "ybw")}
    if measure == "seconds":
        trusted_times([*split, *(sample for samples in schemes.values() for sample in samples)])
    return {scheme: median(split, measure) / median(samples, measure) for scheme, samples in schemes.items()}


def master_prunes_more(evidence: Evidence) -> Decision:
    """Schemes that search the first branch first enter fewer nodes than the split at the root with full windows."""
    ratios = _master_against_split(evidence, "nodes")
    because = f"The split at the root with full windows enters this many times the nodes of {listed(ratios)}."
    return judged(min(ratios.values()) > 1, because)


def master_is_no_faster(evidence: Evidence) -> Decision:
    """Schemes that search the first branch first are at most 1.2 times as fast as the split with full windows."""
    ratios = _master_against_split(evidence, "seconds")
    faster = max(ratios.values()) > 1.2
    nodes = listed(_master_against_split(evidence, "nodes"))
    cause = f" It enters this many times their nodes: {nodes}. The report names its complex implementation as cause."
    because = f"The split at the root with full windows takes this many times as long as {listed(ratios)}.{cause}"
    return judged(not faster, because)


def minimax_is_balanced(evidence: Evidence) -> Decision:
    """In every position, minimax's root moves allow more speed-up on 48 threads than alpha-beta's root moves."""
    pruned = allowed_speed_ups(evidence, THREADS)
    whole = {name: evidence.value("Details", ("minimax on 48 threads", name)) for name in pruned}
    because = f"Root moves allow on {THREADS} threads: minimax {listed(whole)}, alpha-beta {listed(pruned)}."
    return by_case({name: whole[name] > pruned[name] for name in pruned}, because)


# --- speed-ups on 48 threads ---


COUNTED = (1, 2, 4, 8, 12, 16, 24, 32, 40, 48)
"""Threads for which the speed-ups that root moves allow are computed."""


def speed_up_grows(evidence: Evidence) -> Decision:
    """Every step from 1 to 48 threads allows a greater speed-up."""
    curves = {name: [allowed(work, threads) for threads in COUNTED] for name, work in root_work_of(evidence).items()}
    holds = {name: all(a < b for a, b in pairwise(curve)) for name, curve in curves.items()}
    because = (
        f"with 24, 40 and 48 threads root moves allow "
        f"{'; '.join(f'{name} {curve[6]:.1f}, {curve[-2]:.1f}, {curve[-1]:.1f}' for name, curve in curves.items())}."
    )
    return by_case(holds, because)


SPEED_UP_FACTOR = 1.25


def speed_up_of(position: str) -> Decide:
    """Return the function that compares the speed-up on 48 threads that root moves allow with the report's."""

    def decide(evidence: Evidence) -> Decision:
        ours, theirs = evidence.value("Figure 2.6", (position, THREADS), "speedup"), published_speed_up(position)
        because = f"Its root moves allow {ours:.1f}; a factor of {SPEED_UP_FACTOR} may lie between."
        return judged(1 / SPEED_UP_FACTOR <= ours / theirs <= SPEED_UP_FACTOR, because)

    return decide


def published_speed_up(position: str) -> float:
    """Return the report's speed-up on 48 threads in a position."""
    return float(next(row["speedup"] for row in rows("003", "speedup") if row["position"] == position))


def _variation(figures: Mapping[str, float]) -> float:
    return max(figures.values()) / min(figures.values())


def positions_differ(evidence: Evidence) -> Decision:
    """On 48 threads the greatest speed-up is at least 1.5 times the least."""
    figures = allowed_speed_ups(evidence, THREADS)
    return judged(_variation(figures) >= 1.5, f"Root moves allow on {THREADS} threads: {listed(figures)}.")


def imbalance_is_the_cause(evidence: Evidence) -> Decision:
    """Root moves alone allow about the report's speed-ups. With more threads, these differ more between positions."""
    ratios = {threads: _variation(allowed_speed_ups(evidence, threads)) for threads in (4, 16, THREADS)}
    ours = {row["position"]: allowed_speed_ups(evidence, THREADS)[row["position"]] for row in rows("003", "speedup")}
    near = all(
        1 / SPEED_UP_FACTOR <= figure / published_speed_up(name) <= SPEED_UP_FACTOR for name, figure in ours.items()
    )
    because = (
        f"The division of root moves alone gives {listed(ours)}, and the greatest speed-up over the least is "
        f"{', '.join(f'{ratio:.2f} on {threads} threads' for threads, ratio in ratios.items())}."
    )
    return judged(near and list(ratios.values()) == sorted(ratios.values()), because)


def few_threads_vary_less(evidence: Evidence) -> Decision:
    """With 4 and 8 threads the speed-ups of the positions differ less than with 48."""
    ratios = {threads: _variation(allowed_speed_ups(evidence, threads)) for threads in (4, 8, THREADS)}
    text = ", ".join(f"{ratio:.2f} on {threads} threads" for threads, ratio in ratios.items())
    return judged(max(ratios[4], ratios[8]) < ratios[THREADS], f"The greatest speed-up over the least is {text}.")


def schedule_evens_few_threads(evidence: Evidence) -> Decision:
    """With 4 and 8 threads, speed-ups are greater and differ less with single root moves than with equal shares."""
    single = {threads: allowed_speed_ups(evidence, threads) for threads in (4, 8)}
    shares = {
        threads: {name: static(work, threads) for name, work in root_work_of(evidence).items()} for threads in (4, 8)
    }
    better = all(single[threads][name] > shares[threads][name] for threads in single for name in single[threads])
    less = all(_variation(single[threads]) < _variation(shares[threads]) for threads in single)
    because = f"On 8 threads root moves allow {listed(single[8])} one by one, and {listed(shares[8])} in equal shares."
    return judged(better and less, because)


GAIN = 1.1
"""Least factor between two speed-ups at which more threads count as a gain."""


def not_saturated(evidence: Evidence) -> Decision:
    """An unlimited number of threads allows a speed-up that is at least a tenth greater than on 48 threads."""
    now, limits = allowed_speed_ups(evidence, THREADS), _limits(evidence)
    because = (
        f"{THREADS} threads allow {listed(now)}, and any number {listed(limits)}, which is the whole over "
        "the largest root move."
    )
    return by_case({name: limits[name] >= GAIN * now[name] for name in now}, because)


def more_processes_vary_more(evidence: Evidence) -> Decision:
    """With an unlimited number of threads the speed-ups of the positions differ more than with 48."""
    now, limits = _variation(allowed_speed_ups(evidence, THREADS)), _variation(_limits(evidence))
    because = f"The greatest speed-up over the least is {now:.2f} on {THREADS} threads, and {limits:.2f} on any number."
    return judged(limits > now, because)
