"""Answers to report 002's conclusions about the time of its game, by number of threads.

Times count only at the depth of the report, on enough cores, and if other processes left the cores free. A time or an
efficiency counts as less than another if it is at least 3 % less (`LESS`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from outflank.lab.claims.ledger import Answer, Decide, Decision, Evidence, Missing, judged
from outflank.lab.claims.replayed import with_replay
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_samples import ENOUGH_CORES, median, number, processor_share
from outflank.lab.report_programs.published_numbers import fact
from outflank.lab.reproduction.cilkview import PROCESSORS
from outflank.lab.reproduction.timed_games import DEPTH, EFFICIENT_UP_TO, ENOUGH, LESS
from outflank.machine import usable_cores

STABLE: tuple[int, int] = tuple(fact("002", "stable_efficiency_threads"))
FEW_THREADS, MANY_THREADS = 16, 32
"""Numbers of threads, the second twice the first, for the report's claims about doubling beyond 15 threads."""

BUSY_WORKERS = 0.95
"""Least share of the workers' time spent on searching at which cores count as fully used."""

NARROW = 1.1
"""Greatest ratio of two efficiencies that are in one narrow range."""

MARGINAL = 0.2
"""Greatest share of the time that doubling the workers may save, for the gain to count as marginal."""

MEASURED_SHARE = 0.9
"""Share of an estimated speed-up that a measured one has to reach. Less is outside the noise."""

REPLAY = ("Figures 4 and 5", "replay")
"""Section and part with the replayed games."""

CaseName = TypeVar("CaseName", int, str)


def listed(numbers: Iterable[float], digits: int = 2) -> str:
    """Return numbers as a list in a sentence."""
    *first, last = (f"{value:,.{digits}f}" for value in numbers)
    return f"{', '.join(first)} and {last}" if first else last


def case_by_case(holds: Mapping[CaseName, bool], noun: str, because: str) -> Decision:
    """Return the decision of a claim that is judged case by case. Its text ends with the failing cases."""
    failing = [f"{case}" for case, result in holds.items() if not result]
    if not failing:
        return Decision(Answer.CONFIRMED, f"{because}.")
    answer = Answer.CONTRADICTED if len(failing) == len(holds) else Answer.DEPENDS
    return Decision(answer, f"{because}: not so at {noun} {', '.join(failing)}.")


# --- times of games ---


@dataclass(frozen=True, slots=True)
class _Games:
    """Games of the report's program, by number of threads. The key 0 is the serial program."""

    samples: Mapping[int, Sequence[Sample]]
    most: float
    """Greatest number of threads that counts: the number of cores, unless the games are replayed."""

    def seconds(self, threads: int) -> float:
        """Return the median time of a game. Raise `Missing` if it was not played."""
        if threads not in self.samples:
            raise Missing
        return median(self.samples[threads], "seconds")

    def efficiency(self, threads: int) -> float:
        """Return the efficiency as the report defines it: the serial time, divided by the threads and by their time."""
        return self.seconds(0) / threads / self.seconds(threads)

    def busy_share(self, threads: int) -> float:
        """Return the share of the workers' time in which they searched."""
        useful, idle = (median(self.samples[threads], name) for name in ("useful_seconds", "idle_seconds"))
        return useful / (useful + idle)

    def threads(self, least: int = 1, most: int = MANY_THREADS) -> list[int]:
        """Return the measured numbers of threads in a range, as far as there are cores for them."""
        return sorted(count for count in self.samples if least <= count <= min(most, self.most))


def _games(evidence: Evidence) -> _Games:
    by_threads: dict[int, list[Sample]] = {}
    for sample in evidence.of("Figures 4 and 5", "scaling"):
        threads = 0 if str(sample["scheme"]).startswith("serial ") else int(number(sample["workers"]))
        by_threads.setdefault(threads, []).append(sample)
    return _Games(by_threads, usable_cores())


def _judge_replayed(
    judge: Callable[[_Games, Evidence], Decision], evidence: Evidence, games: Mapping[int, Sample]
) -> Decision:
    """Return the decision of `judge` on replayed games. Workers that do not search count as idle."""
    samples = {}
    for threads, game in games.items():
        busy = number(game["busy_seconds"]) if threads else 0.0
        idle = threads * number(game["tree_seconds"]) - busy if threads else 0.0
        samples[threads] = [{**game, "useful_seconds": busy, "idle_seconds": idle}]
    return judge(_Games(samples, max(games)), evidence)


def few_cores(cores: int) -> Decision | None:
    """Return the decision that this machine is too small, or None if it has enough cores."""
    if usable_cores() >= cores:
        return None
    return Decision(Answer.NEEDS_CORES, f"It needs {cores} cores, and this machine has {usable_cores():g}.")


def _timed(cores: int) -> Callable[[Callable[[_Games, Evidence], Decision]], Decide]:
    """Return a decorator for functions that judge times of games on `cores` cores. It checks these times first."""

    def with_checks(judge: Callable[[_Games, Evidence], Decision]) -> Decide:
        def decide(evidence: Evidence) -> Decision:
            if (too_few := few_cores(cores)) is not None:
                return with_replay(too_few, evidence, REPLAY, partial(_judge_replayed, judge, evidence))
            games = _games(evidence)
            if 0 not in games.samples or not games.threads() or number(games.samples[0][0]["depth"]) != DEPTH:
                raise Missing
            shares = [processor_share(games.samples[count]) for count in (0, *games.threads())]
            least = min((share for share in shares if share is not None), default=1.0)
            if least < ENOUGH_CORES:
                because = f"Other processes were running: a game had {least:.0%} of the processor time it wanted."
                return Decision(Answer.NOT_DONE, because)
            return judge(games, evidence)

        return decide

    return with_checks


@_timed(2)
def uses_all_cores(games: _Games, evidence: Evidence) -> Decision:
    """With the most threads, workers search for at least 95 % of their time."""
    threads = games.threads()[-1]
    share = games.busy_share(threads)
    return judged(share >= BUSY_WORKERS, f"{threads} workers search for {share:.1%} of their time.")


@_timed(2)
def saves_time(games: _Games, evidence: Evidence) -> Decision:
    """The greatest measured number of threads takes less time than the serial program."""
    threads = games.threads()[-1]
    serial, parallel = games.seconds(0), games.seconds(threads)
    because = f"A game takes the serial program {serial:.2f} s, and {threads} threads {parallel:.2f} s."
    return judged(parallel < LESS * serial, because)


def _published_speed_up() -> float:
    """Return the greatest speed-up of 32 threads that fits the report's times, if 16 are 16 times as fast as 1."""
    seconds, saved = (float(fact("002", name)) for name in ("seconds_on_1_thread_above", "seconds_saved_by_doubling"))
    return seconds / (seconds / FEW_THREADS - saved)


@_timed(2)
def estimates_are_lower_bounds(games: _Games, evidence: Evidence) -> Decision:
    """Measured speed-ups reach 90 % of the estimated ones.

    The measured speed-ups are ours, and the greatest one that fits the times in the report.
    """
    speed_ups = {count: games.seconds(1) / games.seconds(count) for count in games.threads() if count in PROCESSORS}
    cases = {f"{count}": (count, speed_up) for count, speed_up in speed_ups.items()}
    cases[f"{MANY_THREADS} in the report"] = (MANY_THREADS, _published_speed_up())
    holds, parts = {}, []
    for case, (count, speed_up) in cases.items():
        estimate = evidence.value("Figure 3", DEPTH, f"processors_{count}")
        holds[case] = speed_up >= MEASURED_SHARE * estimate
        parts.append(f"{speed_up:.2f} on {case} (estimate: {estimate:.2f})")
    because = (
        f"Speed-ups at depth {DEPTH} are {', '.join(parts)}, the last one at most, by its times, and "
        f"{1 - MEASURED_SHARE:.0%} less count as noise; estimates leave out the memory and clocks that processors share"
    )
    return case_by_case(holds, "processor counts", because)


@_timed(EFFICIENT_UP_TO)
def efficiency_falls(games: _Games, evidence: Evidence) -> Decision:
    """The efficiency with the most threads is less than with one."""
    most = games.threads()[-1]
    first, last = games.efficiency(1), games.efficiency(most)
    return judged(last < LESS * first, f"The efficiency is {first:.2f} with 1 thread and {last:.2f} with {most}.")


@_timed(EFFICIENT_UP_TO)
def efficient_on_few(games: _Games, evidence: Evidence) -> Decision:
    """The efficiency is above 0.8 with each number of threads up to five."""
    efficiencies = {count: games.efficiency(count) for count in games.threads(most=EFFICIENT_UP_TO)}
    because = f"Efficiencies with 1 to {max(efficiencies)} threads are {listed(efficiencies.values())}"
    return case_by_case({count: value > ENOUGH for count, value in efficiencies.items()}, "thread counts", because)


@_timed(EFFICIENT_UP_TO)
def five_times_as_fast(games: _Games, evidence: Evidence) -> Decision:
    """Five threads are at least four times as fast as one, which is a fifth less than in the report."""
    theirs = fact("002", "seconds_on_1_thread_above") / fact("002", "seconds_on_5_threads_about")
    ours = games.seconds(1) / games.seconds(EFFICIENT_UP_TO)
    because = (
        f"{EFFICIENT_UP_TO} threads are {ours:.2f} times as fast as one (the report: {theirs:g}; 20% less is allowed)."
    )
    return judged(ours >= 0.8 * theirs, because)


def _in_stable_range(games: _Games) -> list[int]:
    counts = games.threads(*STABLE)
    if len(counts) < 3:
        raise Missing
    return counts


@_timed(STABLE[1])
def stable_in_the_middle(games: _Games, evidence: Evidence) -> Decision:
    """Efficiencies with 5 to 15 threads are within a tenth of each other."""
    efficiencies = [games.efficiency(count) for count in _in_stable_range(games)]
    least, most = min(efficiencies), max(efficiencies)
    because = f"Between {STABLE[0]} and {STABLE[1]} threads the efficiency is {least:.2f} to {most:.2f}."
    return judged(most <= NARROW * least, because)


@_timed(STABLE[1])
def balance_in_the_middle(games: _Games, evidence: Evidence) -> Decision:
    """With 5 to 15 workers, the shares of the time in which they search are within a tenth of each other."""
    shares = [games.busy_share(count) for count in _in_stable_range(games)]
    because = f"Workers search for {min(shares):.1%} to {max(shares):.1%} of their time, with as many threads."
    return judged(max(shares) <= NARROW * min(shares), because)


@_timed(MANY_THREADS)
def falls_beyond(games: _Games, evidence: Evidence) -> Decision:
    """The efficiency is less with 32 threads than with 16."""
    few, many = games.efficiency(FEW_THREADS), games.efficiency(MANY_THREADS)
    because = f"The efficiency is {few:.2f} with {FEW_THREADS} threads and {many:.2f} with {MANY_THREADS}."
    return judged(many < LESS * few, because)


@_timed(MANY_THREADS)
def overhead_outweighs(games: _Games, evidence: Evidence) -> Decision:
    """32 threads take no less time than 16."""
    few, many = games.seconds(FEW_THREADS), games.seconds(MANY_THREADS)
    saved = fact("002", "seconds_saved_by_doubling")
    because = (
        f"{MANY_THREADS} threads take {many:.2f} s and {FEW_THREADS} take {few:.2f} s; as long as the time falls, as "
        f"the report's does by {saved} s, the benefit is the greater one."
    )
    return judged(many > LESS * few, because)


@_timed(MANY_THREADS)
def doubling_saves_little(games: _Games, evidence: Evidence) -> Decision:
    """32 threads save less than a fifth of the time of 16."""
    few, many = games.seconds(FEW_THREADS), games.seconds(MANY_THREADS)
    share = 1 - many / few
    because = (
        f"From {FEW_THREADS} to {MANY_THREADS} threads {few - many:.2f} s are saved, {share:.0%} of the time: a few "
        "seconds look little beside the 100 s of one thread, not beside the time of 16."
    )
    return judged(share < MARGINAL, because)


@_timed(FEW_THREADS)
def best_on_few(games: _Games, evidence: Evidence) -> Decision:
    """The efficiency with the most threads is less than with five."""
    first, last = games.efficiency(EFFICIENT_UP_TO), games.efficiency(games.threads()[-1])
    because = (
        f"The speed-up per thread is {first:.2f} with {EFFICIENT_UP_TO} threads and {last:.2f} with "
        f"{games.threads()[-1]}."
    )
    return judged(last < LESS * first, because)
