"""Answers to report 004's conclusions about time: where it goes, what spawns cost, and how it falls with more threads.

Games on several threads count only if they are deep enough and the machine has enough cores. If there are too few
cores, the answer says so, and adds the decision on the replayed games if there are any.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from outflank.lab.claims.deciding import judged_with_cause
from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.measures_004 import (
    CURVES,
    ONE_THREAD_RATIO,
    OWN_NUMBERS,
    REPLAY,
    SPEED_UP,
    TEXT,
    by_threads,
    least_processor_seconds,
    one_thread,
)
from outflank.lab.claims.replayed import Seconds, with_replay
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.function_profile import SERIAL
from outflank.lab.measuring.search_samples import median, number
from outflank.lab.measuring.traces import SEARCH
from outflank.lab.replay.replay_report import real_games
from outflank.lab.reproduction.timed_games import DEPTH, FLAT, FLAT_UP_TO, LESS
from outflank.lab.studies.profile import RUNTIME, seconds_of
from outflank.machine import usable_cores

LITTLE = 0.1
"""Greatest share of the time that we call little."""

WORSE = 1.05
"""Least ratio of two processor times at which we call the longer one worse."""

SIMILAR = 1.5
"""Greatest ratio of two factors that we call similar, if one was measured on another machine."""

DEEP_ENOUGH = 6
"""Least depth, in plies, of a game whose times are compared. Shallower games are mostly outside the search."""

CHEAP_NODES = "nodes are cheap here, so that spawning one costs more than searching it"


# --- one thread ---


def _profile(evidence: Evidence) -> tuple[list[Sample], float]:
    """Return the totals of a profile by kind of activity, and the seconds of the game outside its searches."""
    samples = evidence.of("HPCToolkit", "profile")
    outside = [number(sample["outside_seconds"]) for sample in samples if sample["what"] == SERIAL]
    totals = [sample for sample in samples if sample["what"] == "total"]
    if not outside or not totals:
        raise Missing
    return totals, outside[0]


def main_function(evidence: Evidence) -> Decision:
    """The program itself takes over half of the time, both with spawns only near the root and at every node."""
    totals, outside = _profile(evidence)
    own = seconds_of(totals, (SEARCH,)) + outside
    coarse = own / (own + seconds_of(totals, RUNTIME))
    serial, parallel = one_thread(evidence, "master")
    fine = serial / parallel
    answers = {2: Answer.CONFIRMED, 1: Answer.DEPENDS, 0: Answer.CONTRADICTED}
    return Decision(
        answers[(coarse > 0.5) + (fine > 0.5)],
        f"The program itself takes {coarse:.0%} of a game that is undivided near the leaves, and {fine:.0%} of one "
        f"with spawns at every node, as the report has it: {CHEAP_NODES}.",
    )


def scheduler(evidence: Evidence) -> Decision:
    """Spawns at every node take at most a tenth of the time of one thread."""
    serial, parallel = one_thread(evidence, "master")
    share = 1 - serial / parallel
    return judged_with_cause(
        share <= LITTLE,
        f"Spawns at every node take {share:.0%} of one thread's time (we call {LITTLE:.0%} little)",
        f"{CHEAP_NODES}; by the report's own times they took {1 - 1 / ONE_THREAD_RATIO:.0%} there, inside the "
        "functions that spawn",
    )


def recursion(evidence: Evidence) -> Decision:
    """Minimax takes more than half of the time of a serial game."""
    games = real_games([sample for sample in evidence.of(*REPLAY) if sample["depth"] == DEPTH])
    if 0 not in games:
        raise Missing
    share = 1 - _profile(evidence)[1] / least_processor_seconds(games[0])
    return judged(share > 0.5, f"Minimax with all that it calls takes {share:.0%} of a serial game at depth {DEPTH}.")


def spawning_cost(evidence: Evidence) -> Decision:
    """The ratio of one thread's time to the serial program's time is within a factor of 1.5 of the report's ratio."""
    serial, parallel = one_thread(evidence, "master")
    ratio = parallel / serial
    return judged_with_cause(
        1 / SIMILAR <= ratio / ONE_THREAD_RATIO <= SIMILAR,
        f"Ours takes {ratio:.2f} times as long as the serial one, and theirs {ONE_THREAD_RATIO:.2f} (we allow a factor "
        f"of {SIMILAR:g})",
        CHEAP_NODES,
    )


def dev_is_worse(evidence: Evidence) -> Decision:
    """On one thread, spawning moves takes at least 5 % more processor time than spawning rows."""
    master, dev = (one_thread(evidence, branch)[1] for branch in ("master", "dev"))
    return judged_with_cause(
        dev >= WORSE * master,
        f"On one thread a game takes {dev:.3g} s of processor time by moves and {master:.3g} s by rows (we call "
        f"{WORSE - 1:.0%} more worse)",
        "by moves we spawn legal moves alone, where the report's loops spawn all 64 squares of every node",
    )


# --- several threads ---


def _wall_times(evidence: Evidence, section: str, part: str, thread_counts: Sequence[int]) -> dict[int, float]:
    """Return median real times by number of threads. Raise `Missing` if games are shallow or a count is missing."""
    samples = evidence.of(section, part)
    times = by_threads(samples, lambda group: median(group, "seconds"))
    if median(samples, "depth") < DEEP_ENOUGH or not times.keys() >= set(thread_counts):
        raise Missing
    return times


def _needs(cores: int) -> Decision | None:
    """Return the decision that this machine has too few cores, or None if it has enough."""
    if usable_cores() >= cores:
        return None
    return Decision(Answer.NEEDS_CORES, f"It takes {cores} cores, and this machine has {usable_cores():g}.")


def _with_replay(few: Decision, evidence: Evidence, judge: Callable[[Seconds], Decision]) -> Decision:
    """Return `few`, the decision that there are too few cores, with `judge`'s decision on the replayed times added."""
    return with_replay(
        few,
        evidence,
        REPLAY,
        lambda games: judge({threads: number(game["seconds"]) for threads, game in games.items()}),
    )


def _on_cores(
    cores: int, times: Callable[[Evidence], Seconds], judge: Callable[[Seconds], Decision], evidence: Evidence
) -> Decision:
    """Return the decision of `judge` on the times of games, or on the replay if there are fewer than `cores` cores."""
    if few := _needs(cores):
        return _with_replay(few, evidence, judge)
    return judge({threads: seconds for threads, seconds in times(evidence).items() if threads <= usable_cores()})


def speed_up(evidence: Evidence) -> Decision:
    """The speed-up of 8 threads over the serial program is within a factor of 1.5 of the report's."""

    def judge(times: Seconds) -> Decision:
        ours = times[0] / times[FLAT_UP_TO]
        return judged_with_cause(
            1 / SIMILAR <= ours / SPEED_UP <= SIMILAR,
            f"Ours is {ours:.1f}, and theirs {SPEED_UP:.1f} (we allow a factor of {SIMILAR:g})",
            CHEAP_NODES,
        )

    return _on_cores(
        FLAT_UP_TO, partial(_wall_times, section=TEXT, part="scaling", thread_counts=(0, FLAT_UP_TO)), judge, evidence
    )


BRANCH_PARTS: Mapping[str, tuple[str, str]] = {
    "master": (TEXT, "scaling"),
    "dev": (CURVES, "scaling, dev, single moves"),
}
"""Sections and parts with the games of both branches at the same depth."""


def _flatness(shares: Mapping[str, float]) -> Decision:
    """Return the decision on each branch's efficiency with 8 threads, relative to its efficiency with one thread."""
    figures = ", ".join(f"{branch} {share:.2f}" for branch, share in shares.items())
    because = f"Of its efficiency on one thread, with {FLAT_UP_TO} it keeps: {figures} (we call {FLAT:g} flat)."
    flat = [share >= FLAT for share in shares.values()]
    return Decision(Answer.CONFIRMED if all(flat) else Answer.DEPENDS if any(flat) else Answer.CONTRADICTED, because)


def _efficiency_share(times: Seconds) -> float:
    """Return the efficiency with 8 threads, relative to that with one."""
    return times[1] / times[FLAT_UP_TO] / FLAT_UP_TO


def flat(evidence: Evidence) -> Decision:
    """With 8 threads, both branches have at least 0.9 of their efficiency on one thread."""
    if few := _needs(FLAT_UP_TO):
        return _with_replay(few, evidence, lambda times: _flatness({"master": _efficiency_share(times)}))
    return _flatness(
        {
            branch: _efficiency_share(_wall_times(evidence, section, part, (1, FLAT_UP_TO)))
            for branch, (section, part) in BRANCH_PARTS.items()
        }
    )


def no_gain(section: str, part: str) -> Decide:
    """Return the function of a claim that more than 8 threads take no less time."""

    def judge(times: Seconds) -> Decision:
        more = {threads: seconds for threads, seconds in times.items() if threads > FLAT_UP_TO}
        if not more:
            raise Missing
        best = min(more, key=lambda threads: more[threads])
        return judged_with_cause(
            more[best] > LESS * times[FLAT_UP_TO],
            f"{FLAT_UP_TO} threads take {times[FLAT_UP_TO]:.3g} s, and {best} take {more[best]:.3g} s (we call "
            f"{1 - LESS:.0%} less a gain)",
            f"the report seems to have had eight processors, since {OWN_NUMBERS}",
        )

    times = partial(_wall_times, section=section, part=part, thread_counts=(FLAT_UP_TO,))
    return lambda evidence: _on_cores(FLAT_UP_TO + 1, times, judge, evidence)
