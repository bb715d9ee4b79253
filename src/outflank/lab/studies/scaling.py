"""Experiment `scaling`: speed-up by number of workers or cluster nodes, which all five published reports measure."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from outflank.distributed.cluster import SPLITTINGS
from outflank.distributed.engines import parse_address
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Task, core_counts, option
from outflank.lab.experiment_boards import DEFAULT_GAME, GAME, POSITIONS, by_game, study_positions
from outflank.lab.experiment_report import Cell, Figure, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_samples import (
    RANGE_NOTE,
    SEARCH_KINDS,
    UNDIVIDED,
    Contender,
    Groups,
    Workers,
    grouped,
    in_rounds,
    median,
    median_count,
    number,
    position_kinds,
    relative_spread,
    search_overhead,
    share,
    speed_up_range,
    speed_up_warnings,
    timing_warnings,
    worker_count_warnings,
)
from outflank.lab.measuring.whole_game_tables import (
    fastest_notes,
    inconsistent_schemes,
    medians_over_positions,
    published_speedups,
    short_turn_notes,
    thread_figures,
    thread_table,
    whole_game_notes,
)
from outflank.lab.measuring.whole_games import REPORTS, WHOLE_GAME, check_playing, first_board, program_of
from outflank.lab.report_programs.measured_programs import OURS, PROGRAMS, ProgramChoice, program_note
from outflank.lab.studies.cluster_scaling import scaling_conclusion, scaling_shape, scaling_tasks
from outflank.lab.studies.clusters import CLUSTER_HELP, SearchSetup, check_cluster
from outflank.machine import usable_cores
from outflank.search.division import check_supports, scheme_named
from outflank.search.keywords import SearchArguments
from outflank.validation.documents import Several
from outflank.validation.text import how_many
from outflank.validation.values import Shape

SCHEDULES = ("one", "rows", "static")

FEWEST_ROUNDS = 5
"""Least number of rounds whose medians support a conclusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingParameters(ProgramChoice):
    """Parameters of the experiment `scaling`."""

    program: str | None = option(None, "The program that searches: 000 (that report's) or ours.  [ours]")
    game: str = option(DEFAULT_GAME, GAME)
    positions: tuple[str, ...] | None = option(
        None, f"{POSITIONS}  [the game's mid-game board; on a cluster, its openings]"
    )
    whole_game: str | None = option(None, WHOLE_GAME)
    schemes: tuple[str, ...] | None = option(
        None, "Schemes, by name; on a cluster one.  [ybw; fork-join for a report's game]"
    )
    algorithm: str | None = option(None, "minimax, alphabeta, pvs or mtdf.  [pvs; minimax for fork-join]")
    depth: int | None = option(
        None,
        f"Plies.  [{by_game('depth')}; minimax: {by_game('minimax_depth')}; on a cluster: {by_game('cluster_depth')}]",
    )
    workers: tuple[int, ...] = option(core_counts(), "Numbers of workers.")
    rounds: int = option(FEWEST_ROUNDS, "Times that each is measured.")
    threshold: int | None = option(None, "Plies left at which a part is searched alone.  [the scheme's, or report's]")
    schedule: str | None = option(None, "one, rows or static: how a node's moves are handed out.  [one; 004: rows]")
    share_alpha: bool = option(True, "Whether root moves know of each other's values; report 003's do not.")
    cluster: str | None = option(None, f"Measure nodes of a cluster: {CLUSTER_HELP}")
    nodes: tuple[int, ...] | None = option(None, "Numbers of its nodes, each with one worker.  [1,2]")
    policies: tuple[str, ...] = option(("none", "async"), "How they tell each other of entries.")

    def __post_init__(self) -> None:
        super(ScalingParameters, self).__post_init__()
        check_cluster(self.cluster, self.policies, self.nodes or ())
        boards = study_positions(self.game, self.positions)
        if self.cluster is not None:
            self.search_setups()
            return
        check_playing(self.whole_game, self.game, self.positions)
        if self.schedule is not None and self.schedule not in SCHEDULES:
            raise UnknownName.among("schedule", self.schedule, SCHEDULES)
        program = program_of(self.whole_game)
        if program is not None and self.algorithm not in (None, program.search["algorithm"]):
            searches = program.search["algorithm"]
            raise InvalidOption(f"algorithm={self.algorithm}: report {self.whole_game} searches by {searches}")
        for name, value in (("program", self.program), ("evaluation", self.evaluation), ("ordering", self.ordering)):
            if program is not None and value is not None:
                raise InvalidOption(f"{name}={value}: report {self.whole_game}'s program is what plays")
        for name in self.scheme_names:
            scheme, algorithm = scheme_named(name), _algorithm(self, name)
            check_supports(scheme, algorithm)
            if self.schedule is not None and name in UNDIVIDED:
                raise InvalidOption(f"schedule={self.schedule}: {name} has no nodes whose moves are handed out")
            if self.threshold is not None and name == "shared-table":
                raise InvalidOption(f"threshold={self.threshold}: workers of {name} all search the whole tree")
            for place in boards:
                self.search_options(place.board, algorithm=algorithm)

    @property
    def scheme_names(self) -> tuple[str, ...]:
        """Names of the schemes to measure."""
        program = program_of(self.whole_game)
        return self.schemes or (("ybw",) if program is None else (program.shared["parallel"],))

    def unused(self) -> tuple[str, ...]:
        if self.cluster is None:
            return "nodes", "policies"
        return "whole_game", "workers", "schedule"

    def node_counts(self) -> tuple[int, ...]:
        """Return the numbers of cluster nodes to measure."""
        assert self.cluster is not None
        most = parse_address(self.cluster).nodes
        return self.nodes or tuple(count for count in (1, 2) if most is None or count <= most)

    def search_setups(self) -> dict[str, SearchSetup]:
        """Return the setups with which a cluster searches the positions, by the positions' names."""
        schemes = self.schemes or SPLITTINGS[:1]
        if len(schemes) > 1 or schemes[0] not in SPLITTINGS:
            raise InvalidOption(f"schemes={','.join(schemes)}: on a cluster, {' or '.join(SPLITTINGS)}")
        common = {"share_alpha": self.share_alpha, "parallel": schemes[0], "threshold": self.threshold}
        return {
            place.name: SearchSetup(
                board=place.board,
                depth=place.depth or self.depth or game_named(self.game).lab.cluster_depth,
                options={**self.search_options(place.board, OURS), **common},
            )
            for place in study_positions(self.game, self.positions or game_named(self.game).lab.cluster_positions)
        }


class Scaling(Experiment[ScalingParameters]):
    """Measures speed-up, efficiency and search overhead by scheme and number of workers."""

    name = "scaling"
    question = "How much faster are more workers, and what do they waste?"
    reports = ("000", "001", "002", "003", "004")
    parameters = ScalingParameters

    def tasks(self, parameters: ScalingParameters) -> Sequence[Task]:
        if parameters.cluster is not None:
            counts = parameters.node_counts()
            return scaling_tasks(
                parameters.cluster, parameters.search_setups(), parameters.policies, counts, parameters.rounds
            )
        return in_rounds(_sides(parameters), parameters.rounds)

    def shape(self, parameters: ScalingParameters, sample: Sample) -> Shape:
        if parameters.cluster is not None:
            return scaling_shape(sample)
        return sample_shape(SEARCH_KINDS, position_kinds(sample), scheme=str, workers=Workers, round=Several)

    def conclude(self, parameters: ScalingParameters, samples: Sequence[Sample]) -> Conclusion:
        if parameters.cluster is not None:
            program_notes = dict.fromkeys(program_note(setup.options) for setup in parameters.search_setups().values())
            return scaling_conclusion(parameters.cluster, samples, parameters.rounds, tuple(program_notes))
        groups = grouped(samples, "position", "scheme", "workers")
        lines: list[Sample] = []
        for (position, scheme, workers), group in groups.items():
            serial = _serial_samples(parameters, groups, position, str(scheme))
            one_worker = groups.get((position, scheme, 1))
            position_cell: Sample = {} if position is None else {"position": position}
            lines.append({**position_cell, **_row(str(scheme), int(number(workers)), group, serial, one_worker)})
        notes = [*fastest_notes(lines), *worker_count_warnings(parameters.workers)]
        within_cores = {
            f"{scheme} with {how_many(int(number(workers)), 'worker')}": group
            for (scheme, workers), group in grouped(samples, "scheme", "workers").items()
            if number(workers) <= usable_cores()
        }
        notes += timing_warnings(within_cores)
        faster = [(str(line["scheme"]), number(line["workers"]), line["speed-up"]) for line in lines]
        notes += speed_up_warnings(faster, parameters.rounds, fewest=FEWEST_ROUNDS)
        unequal = inconsistent_schemes(samples)
        if unequal:
            notes.append(f"The value differs between runs of {', '.join(unequal)}: it must not.")
        notes += [*whole_game_notes(samples), *short_turn_notes(samples)]
        notes.append(
            "Speed-up is the serial program's time over this one's, both medians. Report 003 took evaluations per "
            "second instead: that counts the nodes which only a parallel search enters as gain."
        )
        subject = (
            f"{parameters.game}, whole games ({parameters.whole_game})" if parameters.whole_game else parameters.game
        )
        division = _division_text(parameters) if parameters.whole_game else ""
        tables = [ReportTable.of(f"scaling, {subject}{division}", lines)]
        figures = _figures(parameters, groups, division)
        if parameters.whole_game is not None and parameters.whole_game in REPORTS and lines:
            tables.append(thread_table(parameters.whole_game, lines, division))
            figures = (*figures, *thread_figures(parameters.whole_game, parameters.scheme_names, lines, division))
        if len({line.get("position") for line in lines}) > 1:
            tables.append(medians_over_positions(lines))
        return Conclusion(
            tables=tuple(tables),
            figures=figures,
            notes=tuple(notes),
            passed=not unequal,
        )


def _sides(parameters: ScalingParameters) -> list[Contender]:
    sides: list[Contender] = []
    program = program_of(parameters.whole_game)
    for place in study_positions(parameters.game, parameters.positions):
        board = first_board(parameters.whole_game, place.board)
        name = place.name if board is place.board else "start"
        for scheme in parameters.scheme_names:
            algorithm = _algorithm(parameters, scheme)
            if algorithm in ("uct", "flat"):
                raise OutflankError(
                    f"scaling compares searches to a depth: {scheme} supports {algorithm}, which has none"
                )
            depth = place.depth or parameters.depth or _default_depth(parameters.game, algorithm, parameters.whole_game)
            options: SearchArguments = {"share_alpha": parameters.share_alpha}
            if algorithm == "minimax":
                options |= {"deepen": False, "evaluation": game_named(parameters.game).lab.minimax_evaluation}
            options |= parameters.search_options(board, algorithm=algorithm)
            if program is not None:
                options |= program.search
            shared = {**(program.shared if program is not None else {}), **_division(parameters)}
            serial = Contender(
                labels={"position": name, "scheme": f"serial {algorithm}", "workers": 1},
                board=board,
                depth=depth,
                options={**options, "share_alpha": True, "workers": 1},
                plays=parameters.whole_game,
            )
            if serial not in sides:  # measured once for all schemes
                sides.append(serial)
            sides += [
                Contender(
                    labels={"position": name, "scheme": scheme, "workers": workers},
                    board=board,
                    depth=depth,
                    options={**options, **shared, "parallel": scheme, "workers": workers},
                    plays=parameters.whole_game,
                )
                for workers in parameters.workers
            ]
    return sides


def _division(parameters: ScalingParameters) -> SearchArguments:
    """Return the search options `threshold` and `schedule`, as far as the user gave them."""
    options = {"threshold": parameters.threshold, "schedule": parameters.schedule}
    return {name: value for name, value in options.items() if value is not None}


def _division_text(parameters: ScalingParameters) -> str:
    """Return the end of a title with the user's threshold and schedule, or an empty text without them."""
    schedule_texts = {"one": "single moves", "rows": "rows", "static": "equal shares"}
    parts = [] if parameters.schedule is None else [schedule_texts[parameters.schedule]]
    if parameters.threshold is not None:
        parts.append(f"undivided with {how_many(parameters.threshold, 'ply', 'plies')} left")
    return "".join(f", {part}" for part in parts)


def _algorithm(parameters: ScalingParameters, scheme: str) -> str:
    """Return the requested algorithm, otherwise the program's, otherwise the default of `scheme`."""
    if parameters.algorithm is not None:
        return parameters.algorithm
    program = program_of(parameters.whole_game)
    if program is not None:
        return str(program.search["algorithm"])
    if parameters.program in PROGRAMS:
        return str(PROGRAMS[parameters.program]["algorithm"])
    usual = "minimax" if scheme == "fork-join" else "pvs"
    algorithms = scheme_named(scheme).algorithms
    return usual if usual in algorithms else algorithms[0]


def _serial_samples(parameters: ScalingParameters, groups: Groups, position: Cell, scheme: str) -> list[Sample] | None:
    """Return the samples of the serial search with which `scheme` is compared, or None if `scheme` is itself serial."""
    if scheme.startswith("serial "):
        return None
    return groups.get((position, f"serial {_algorithm(parameters, scheme)}", 1))


def _default_depth(game: str, algorithm: str, whole_game: str | None) -> int:
    defaults = game_named(game).lab
    if algorithm == "minimax":
        return defaults.minimax_depth
    depth = defaults.depth
    return depth if whole_game is None else depth - 3  # a game is some thirty searches of each side


def _row(
    scheme: str,
    workers: int,
    samples: Sequence[Sample],
    serial: Sequence[Sample] | None,
    one_worker: Sequence[Sample] | None,
) -> Sample:
    seconds = median(samples, "seconds")
    comparable = workers <= usable_cores()
    busy = median(samples, "useful_seconds") + median(samples, "idle_seconds")
    per_second = median(samples, lambda sample: number(sample["leaves"]) / number(sample["seconds"]))
    speed_up = median(serial, "seconds") / seconds if serial and comparable else None
    rate_of_one = (
        median(one_worker, lambda sample: number(sample["leaves"]) / number(sample["seconds"])) if one_worker else None
    )
    return {
        "scheme": scheme,
        "workers": workers,
        "wall (s)": seconds,
        "spread": f"{relative_spread(samples, 'seconds'):.1%}",
        "user (s)": median(samples, "user_seconds"),
        "system (s)": median(samples, "system_seconds"),
        "speed-up": speed_up,
        "against one worker": median(one_worker, "seconds") / seconds if one_worker and comparable else None,
        "efficiency": speed_up / workers if speed_up is not None else None,
        "nodes": median_count(samples, "nodes"),
        "search overhead": search_overhead(samples, serial) if serial else None,
        "nodes/s": round(median(samples, lambda sample: number(sample["nodes"]) / number(sample["seconds"]))),
        "evaluations/s as speed-up (003)": per_second / rate_of_one if rate_of_one and comparable else None,
        "steals": median_count(samples, "steals_won"),
        "idle share": share(median(samples, "idle_seconds"), busy),
        "runs": len(samples),
    }


def _figures(parameters: ScalingParameters, groups: Groups, division: str) -> tuple[Figure, ...]:
    counts = sorted({workers for workers in parameters.workers if workers <= usable_cores()})
    linear = Series(name="linear", points=tuple((count, float(count)) for count in counts), style="dashed")
    speedups, efficiencies, overheads = [linear], [], []
    for scheme in parameters.scheme_names:
        all_pairs = {
            count: pairs
            for count in sorted(set(parameters.workers))
            if (pairs := _pairs(parameters, groups, scheme, count))
        }
        if not all_pairs:
            continue
        measured = {count: pairs for count, pairs in all_pairs.items() if count in counts}
        speed_up_by_count = {
            count: statistics.median(
                median(serial, "seconds") / median(samples, "seconds") for samples, serial in pairs
            )
            for count, pairs in measured.items()
        }
        ranges = tuple(_speed_up_bounds(pairs) for pairs in measured.values())
        speedups.append(Series(name=scheme, points=tuple(speed_up_by_count.items()), spread=ranges))
        efficiencies.append(
            Series(
                name=scheme, points=tuple((count, speed_up / count) for count, speed_up in speed_up_by_count.items())
            )
        )
        overhead = {
            count: statistics.median(
                median(samples, "nodes") / median(serial, "nodes") - 1 for samples, serial in pairs
            )
            for count, pairs in all_pairs.items()
        }
        overheads.append(Series(name=scheme, points=tuple(overhead.items())))
    return (
        Plot(
            title=f"speed-up against the serial program{division}",
            x="workers",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(*speedups, *published_speedups(parameters.game)),
            caption=RANGE_NOTE,
        ),
        Plot(title=f"efficiency S/(p·T(p)){division}", x="workers", y="efficiency", series=tuple(efficiencies)),
        Plot(
            title=f"search overhead{division}",
            x="workers",
            y="nodes beyond the serial search's, per node",
            series=tuple(overheads),
            caption="With more workers than cores too: what they search does not depend on who else has the core.",
        ),
    )


Pair = tuple[list[Sample], list[Sample]]
"""Samples of a parallel search, and of the serial search that it is compared with."""


def _pairs(parameters: ScalingParameters, groups: Groups, scheme: str, count: int) -> list[Pair]:
    """Return the samples of `scheme` with `count` workers and the samples of the serial search, by position."""
    pairs = []
    for (position, name, workers), samples in groups.items():
        serial = _serial_samples(parameters, groups, position, scheme)
        if (name, workers) == (scheme, count) and serial is not None:
            pairs.append((samples, serial))
    return pairs


def _speed_up_bounds(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return the least and the greatest speed-up in any round and position."""
    ranges = [speed_up_range(serial, samples) for samples, serial in pairs]
    return min(low for low, _ in ranges), max(high for _, high in ranges)
