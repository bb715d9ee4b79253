"""Experiment `replay`: the speed-up on more workers than this machine has cores, simulated from a recorded search.

If nothing is cut off (minimax), one worker records the search, and its fork-join graph is scheduled on any number of
simulated workers. With cut-offs, virtual workers run the search again, once for each number of workers. Both ways use
the costs of sharing that were measured on this machine. For each number of workers that this machine has cores for, the
search also runs on real workers, and the table shows the error of the simulation.
"""

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, option, tasks_at_a_time
from outflank.lab.experiment_boards import DEFAULT_GAME, GAME, POSITIONS, by_game, study_positions
from outflank.lab.experiment_report import Figure, ReportTable, Sample, sample_shape
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import (
    WARM_DEPTH,
    Workers,
    grouped,
    processor_times,
)
from outflank.lab.measuring.whole_games import REPORTS, WHOLE_GAME, check_playing, first_board, play, program_of
from outflank.lab.replay.recorded_graphs import LEAST_DEPTH, NANOSECONDS, inside_seconds, record_graphs, timed_searches
from outflank.lab.replay.replay_report import (
    REAL,
    RECORDED,
    REPLAYED,
    replay_lines,
    replay_notes,
    speed_up_figure,
    thread_plots,
)
from outflank.lab.replay.schedulers import SchedulerName
from outflank.lab.replay.sharing_costs import MeasuredCosts, measured_costs
from outflank.lab.replay.virtual_workers import VirtualWorkers
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.studies.scaling import SCHEDULES
from outflank.machine import usable_cores
from outflank.parallel.events import EventRecording
from outflank.search.division import scheme_named
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.validation.documents import Count, Duration, Measured, Several
from outflank.validation.values import Shape

SCHEDULERS: tuple[SchedulerName, ...] = get_args(SchedulerName)
SCHEMES = {"fork-join": "minimax", "root-split": "minimax", "ybw": "pvs", "jamboree": "pvs", "pv-split": "pvs"}
"""Schemes that split nodes, and the algorithm with which each is replayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayParameters(Parameters):
    """Parameters of the experiment `replay`."""

    game: str = option(DEFAULT_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's mid-game board]")
    whole_game: str | None = option(None, WHOLE_GAME)
    schemes: tuple[str, ...] = option(("fork-join",), f"Schemes, by name: {', '.join(SCHEMES)}.")
    depth: int | None = option(None, f"Plies.  [minimax: {by_game('minimax_depth')}; others: {by_game('depth')}]")
    workers: tuple[int, ...] = option((1, 2, 4, 8, 16, 32, 64), "Numbers of workers to simulate.")
    rounds: int = option(3, "Times that the search is recorded, and really run if there are cores: the least counts.")
    evaluation: str | None = option(None, "Another evaluation, by name.  [the game's; of a report's game, its own]")
    least_depth: int = option(LEAST_DEPTH, "Least plies left of the nodes whose division is recorded.")
    threshold: int | None = option(None, "Plies left at which a part is searched alone.  [the scheme's, or report's]")
    schedule: str | None = option(None, "one, rows or static: how a node's moves are handed out.  [one; 004: rows]")
    bandwidth: float | None = option(None, "Workers that memory can serve at full speed.  [any number]")
    seed: int = option(1, "Seed of the thieves' choice of victims.")

    def __post_init__(self) -> None:
        super(ReplayParameters, self).__post_init__()
        check_playing(self.whole_game, self.game, self.positions)
        if self.schedule is not None and self.schedule not in SCHEDULES:
            raise UnknownName.among("schedule", self.schedule, SCHEDULES)
        if self.bandwidth is not None and self.bandwidth < 1:
            raise InvalidOption(f"bandwidth={self.bandwidth:g}: at least 1")
        if self.evaluation is not None and self.whole_game in REPORTS:
            raise InvalidOption(f"evaluation={self.evaluation}: report {self.whole_game}'s program is what plays")
        for name in self.schemes:
            if name not in SCHEMES:
                raise UnknownName.among("scheme with split points", name, SCHEMES)
            if self.whole_game in REPORTS and SCHEMES[name] != "minimax":
                raise InvalidOption(
                    f"schemes={name}: report {self.whole_game} searches by minimax, {name} by alpha-beta"
                )

    def unused(self) -> tuple[str, ...]:
        cut_off = all(SCHEMES[name] != "minimax" for name in self.schemes)
        return ("least_depth", "bandwidth") if cut_off else ()

    def real_workers(self) -> list[int]:
        """Return the numbers of workers for which this machine has cores."""
        return [count for count in self.workers if count <= usable_cores()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A search or a game that is recorded, replayed and run."""

    name: str
    scheme: str
    board: Board
    depth: int
    options: SearchArguments
    plays: str | None

    @property
    def labels(self) -> Sample:
        """Fields that identify the subject in its samples."""
        return {"position": self.name, "scheme": self.scheme, "depth": self.depth}

    def searches(self, stop: Stop, *, depth: int | None = None, **extra: Any) -> Iterator[Result]:
        """Yield the results of the subject's searches: one, or one for each turn of its game."""
        depth, options = depth or self.depth, {**self.options, **extra}
        if self.plays is None:
            yield search(self.board, Limits(depth=depth), stop=stop, **options)
        else:
            yield from play(self.plays, self.board.copy(), depth, stop, **options)


class Replay(Experiment[ReplayParameters]):
    """Replays a recorded search on any number of workers, and compares the replay with real runs."""

    name = "replay"
    question = "How fast would more workers be than there are cores here?"
    reports = ("002", "004")
    parameters = ReplayParameters

    def tasks(self, parameters: ReplayParameters) -> Sequence[Task]:
        return [Task(_title(subject), partial(_measure, parameters, subject)) for subject in _subjects(parameters)]

    def shape(self, parameters: ReplayParameters, sample: Sample) -> Shape:
        labels = dict.fromkeys(("position", "scheme"), str) | {"depth": Several}
        if sample.get("what") == REAL:
            times = dict.fromkeys(("tree_seconds", "user_seconds", "system_seconds"), Duration)
            return sample_shape(
                labels, times, what=str, workers=Count, round=Several, turn=Several, seconds=Measured, nodes=Several
            )
        if sample.get("what") == RECORDED:
            names = ("work_seconds", "span_seconds", "outside_seconds", "system_seconds", "lost_share_least")
            costs = ("offer_ns", "steal_ns", "attempt_ns", "wake_ns")
            counts = ("strands", "offers", "nodes", "unlike", "lost", "steals", "wakes")
            return sample_shape(
                labels, dict.fromkeys((*names, *costs), Duration), dict.fromkeys(counts, Count), what=str
            )
        return sample_shape(
            labels,
            dict.fromkeys(("tree_seconds", "busy_seconds"), Duration),
            what=Literal["real", "replayed", "recorded"],
            scheduler=str,
            workers=Workers,
            seconds=Measured,
            nodes=Several,
            steals=Count,
            tries=Count,
        )

    def conclude(self, parameters: ReplayParameters, samples: Sequence[Sample]) -> Conclusion:
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        for (position, scheme, depth), group in grouped(samples, "position", "scheme", "depth").items():
            title = f"{scheme}, {position}, depth {depth}"
            lines = replay_lines(group)
            if lines:
                tables.append(ReportTable.of(f"replay: {title}", lines))
                figures.append(speed_up_figure(title, lines))
                if parameters.whole_game in REPORTS:
                    figures += thread_plots(parameters.whole_game, group)
            notes += replay_notes(title, lines, [sample for sample in group if sample["what"] == RECORDED])
        differing = [sample for sample in samples if sample["what"] == RECORDED and sample["unlike"]]
        if differing:
            notes.append("Recordings of one worker differ in nodes, and must not.")
        if parameters.bandwidth is not None:
            notes.append(
                f"If more than {parameters.bandwidth:g} workers search at once, memory is assumed to serve only so "
                "many: all of them slow down by the ratio. The number was given, not measured."
            )
        notes.append(
            "Replayed: the fork-join graph of one worker, scheduled by simulated work stealing at the costs above; "
            "greedy: scheduled at no cost, as no real scheduler can be. Times are sums of the searches' own times, "
            "from when their workers are ready; real ones are the least of all rounds for each search, as strands are. "
            "The error is that of the time inside the trees, the part that is replayed."
        )
        return Conclusion(tables=tuple(tables), figures=tuple(figures), notes=tuple(notes), passed=not differing)


# --- measuring ---


def _subjects(parameters: ReplayParameters) -> list[Subject]:
    program = program_of(parameters.whole_game)
    given = {name: getattr(parameters, name) for name in ("threshold", "schedule", "evaluation")}
    lab = game_named(parameters.game).lab
    subjects = []
    for place in study_positions(parameters.game, parameters.positions):
        for scheme in parameters.schemes:
            by_minimax = SCHEMES[scheme] == "minimax"
            options: SearchArguments = {"algorithm": SCHEMES[scheme]}
            if by_minimax:
                options |= {"deepen": False, "evaluation": lab.minimax_evaluation}
            if program is not None:
                options |= {**program.search, **program.shared}
            options |= {name: value for name, value in given.items() if value is not None}
            subjects.append(
                Subject(
                    name=place.name if parameters.whole_game is None else f"game {parameters.whole_game}",
                    scheme=scheme,
                    board=first_board(parameters.whole_game, place.board),
                    depth=place.depth or parameters.depth or (lab.minimax_depth if by_minimax else lab.depth),
                    options={**options, "parallel": scheme},
                    plays=parameters.whole_game,
                )
            )
    return subjects


def _title(subject: Subject) -> str:
    return f"{subject.scheme}, {subject.name}, depth {subject.depth}"


class RealSearches:
    """The subject's searches by real workers and by the serial program.

    They alternate with the recorded searches, because the speed of a processor changes within seconds, on some machines
    by a third, and should be the same for both.
    """

    def __init__(self, subject: Subject, counts: Sequence[int], rounds: int, stop: Stop) -> None:
        self.samples: list[Sample] = []
        self._rounds = [
            [_timed_turns(subject, workers, round_, stop) for workers in (0, *counts)]
            for round_ in range(1, rounds + 1)
        ]

    def run_turn(self, round_: int) -> None:
        """Run the next search of a round (from 0) with each number of workers, in odd rounds in reverse order."""
        for turns in self._rounds[round_][:: -1 if round_ % 2 else 1]:
            self.samples += (sample for sample in (next(turns, None),) if sample is not None)

    def run_all(self) -> None:
        """Run all remaining searches of all rounds."""
        for sides in self._rounds:
            for turns in sides:
                self.samples += turns


def _timed_turns(subject: Subject, workers: int, round_: int, stop: Stop) -> Iterator[Sample]:
    """Yield the time of each search with `workers` workers. 0 means the serial program, which divides nothing."""
    if workers == 0:
        shared = ("parallel", "threshold", "schedule")
        subject = replace(subject, options={k: value for k, value in subject.options.items() if k not in shared})
    with without_logging():
        next(subject.searches(stop, depth=min(subject.depth, WARM_DEPTH), workers=max(workers, 1)), None)
    searches = subject.searches(stop, workers=max(workers, 1))
    for turn in itertools.count(1):
        before = processor_times()
        result = next(searches, None)
        if result is None:
            return
        after = processor_times()
        yield {
            "what": REAL,
            **subject.labels,
            "workers": workers,
            "round": round_,
            "turn": turn,
            "seconds": result.seconds,
            "tree_seconds": inside_seconds(result),
            "user_seconds": after[0] - before[0],
            "system_seconds": after[1] - before[1],
            "nodes": result.nodes,
        }


def _measure(parameters: ReplayParameters, subject: Subject, stop: Stop) -> list[Sample]:
    """Return samples of real searches, of the recording, and of its replay on each number of workers."""
    real = RealSearches(subject, parameters.real_workers(), parameters.rounds, stop)
    replayed = _replay_graphs if SCHEMES[subject.scheme] == "minimax" else _replay_search
    try:
        samples = replayed(parameters, subject, real, stop)
    except BrokenOff:
        return []
    return [] if stop.called else [*real.samples, *samples]


def _replay_graphs(parameters: ReplayParameters, subject: Subject, real: RealSearches, stop: Stop) -> list[Sample]:
    """Record the subject's searches with one worker, and schedule their graphs on simulated workers."""

    def searches(recording: EventRecording) -> Iterator[Result]:
        return subject.searches(stop, workers=1, instrument=recording)

    recorded = record_graphs(searches, parameters.rounds, least_depth=parameters.least_depth, beside=real.run_turn)
    measured = measured_costs()
    counts: Sample = {
        "strands": sum(len(graph.work) for graph in recorded.graphs),
        "offers": sum(int(graph.offers.sum()) for graph in recorded.graphs),
        "nodes": recorded.nodes,
        "work_seconds": recorded.work_seconds,
        "span_seconds": recorded.span_seconds,
        "outside_seconds": recorded.outside_seconds,
        "system_seconds": min(cost.system_seconds for cost in recorded.costs),
        "lost_share_least": min(cost.lost_share for cost in recorded.costs),
        "unlike": recorded.unlike,
        "lost": recorded.lost,
    }
    samples: list[Sample] = [{"what": RECORDED, **subject.labels, **counts, **cost_fields(measured)}]

    def replayed(workers: int, scheduler: SchedulerName) -> Sample:
        schedule = recorded.on_workers(
            workers, scheduler, costs=measured.costs, bandwidth=parameters.bandwidth, seed=parameters.seed
        )
        return {
            "what": REPLAYED,
            **subject.labels,
            "scheduler": scheduler,
            "workers": workers,
            "seconds": recorded.seconds_of(schedule),
            "tree_seconds": schedule.time / NANOSECONDS,
            "busy_seconds": schedule.busy / NANOSECONDS,
            "nodes": recorded.nodes,
            "steals": schedule.steals,
            "tries": schedule.tries,
        }

    # All that is timed has been timed: schedules are computed, on all cores.
    with ThreadPoolExecutor(tasks_at_a_time()) as executor:
        samples += executor.map(replayed, *zip(*itertools.product(parameters.workers, SCHEDULERS), strict=True))
    return samples


def _replay_search(parameters: ReplayParameters, subject: Subject, real: RealSearches, stop: Stop) -> list[Sample]:
    """Time the subject's searches with one worker, and run them again with virtual workers."""
    real.run_all()
    alone = [timed_searches(partial(subject.searches, stop, workers=1)) for _ in range(parameters.rounds)]
    inside, outside, nodes = (min(figures) for figures in zip(*alone, strict=True))
    measured, node_seconds = measured_costs(), inside / nodes
    none: Sample = dict.fromkeys(("strands", "offers", "span_seconds", "system_seconds", "unlike", "lost"), 0)
    counts: Sample = {"nodes": nodes, "work_seconds": inside, "outside_seconds": outside, "lost_share_least": 0.0}
    samples: list[Sample] = [{"what": RECORDED, **subject.labels, **none, **counts, **cost_fields(measured)}]
    for workers in parameters.workers:
        virtual = VirtualWorkers(measured.costs.in_units(node_seconds * NANOSECONDS), parameters.seed)
        scheme = virtual.scheme(scheme_named(subject.scheme))
        results = list(subject.searches(stop, parallel=scheme, workers=workers))
        samples.append(
            {
                "what": REPLAYED,
                **subject.labels,
                "scheduler": "stealing",
                "workers": workers,
                "seconds": outside + virtual.time * node_seconds,
                "tree_seconds": virtual.time * node_seconds,
                "busy_seconds": virtual.busy * node_seconds,
                "nodes": sum(result.nodes for result in results),
                "steals": virtual.steals,
                "tries": virtual.tries,
            }
        )
    return samples


def cost_fields(measured: MeasuredCosts) -> Sample:
    """Return the costs of sharing as fields of a sample."""
    costs = measured.costs
    return {
        "offer_ns": costs.offer,
        "steal_ns": costs.steal,
        "attempt_ns": costs.attempt,
        "wake_ns": costs.wake,
        "steals": measured.steals,
        "wakes": measured.wakes,
    }
