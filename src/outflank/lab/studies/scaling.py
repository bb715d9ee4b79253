"""How much faster more workers are: the table that all five reports have."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.distributed.cluster import SPLITTINGS
from outflank.distributed.engines import parse_address
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.games.description import game_named
from outflank.kinds import Several, Shape
from outflank.lab.boards import GAME, POSITIONS, USUAL_GAME, by_game, chosen_boards
from outflank.lab.experiment import Conclusion, Experiment, Task, core_counts, option
from outflank.lab.measuring import (
    RANGES,
    SEARCHED,
    UNDIVIDED,
    Contender,
    Workers,
    beyond_cores,
    disturbed,
    doubtful,
    grouped,
    in_rounds,
    median,
    median_count,
    number,
    placed,
    relative_spread,
    search_overhead,
    share,
    speed_up_range,
)
from outflank.lab.programs import OURS, PROGRAMS, ProgramChoice, program_note
from outflank.lab.report import Cell, Figure, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.scaling_report import differing, fastest, of_games, over_positions, published_speedups, short_turns
from outflank.lab.studies.cluster_scaling import (
    scaling_conclusion,
    scaling_shape,
    scaling_tasks,
)
from outflank.lab.studies.clusters import CLUSTER, Searching, check_cluster
from outflank.lab.threads import thread_figures, thread_table
from outflank.lab.whole_games import REPORTS, WHOLE_GAME, check_playing, first_board, program_of
from outflank.machine import usable_cores
from outflank.search.division import check_supports, scheme_named
from outflank.words import how_many

SCHEDULES = ("one", "rows", "static")

FEWEST_ROUNDS = 5
"""Repeats below which medians are not worth a conclusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingParameters(ProgramChoice):
    """What is measured."""

    program: str | None = option(None, "The program that searches: 000 (that report's) or ours.  [ours]")
    game: str = option(USUAL_GAME, GAME)
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
    cluster: str | None = option(None, f"Measure nodes of a cluster: {CLUSTER}")
    nodes: tuple[int, ...] | None = option(None, "Numbers of its nodes, each with one worker.  [1,2]")
    policies: tuple[str, ...] = option(("none", "async"), "How they tell each other of entries.")

    def __post_init__(self) -> None:
        super(ScalingParameters, self).__post_init__()
        check_cluster(self.cluster, self.policies, self.nodes or ())
        boards = chosen_boards(self.game, self.positions)
        if self.cluster is not None:
            self.searched()
            return
        check_playing(self.whole_game, self.game, self.positions)
        if self.schedule is not None and self.schedule not in SCHEDULES:
            raise UnknownName.among("schedule", self.schedule, SCHEDULES)
        program = program_of(self.whole_game)
        if program is not None and self.algorithm not in (None, program.search["algorithm"]):
            searches = program.search["algorithm"]
            raise InvalidOption(f"algorithm={self.algorithm}: report {self.whole_game} searches by {searches}")
        for name, given in (("program", self.program), ("evaluation", self.evaluation), ("ordering", self.ordering)):
            if program is not None and given is not None:
                raise InvalidOption(f"{name}={given}: report {self.whole_game}'s program is what plays")
        for name in self.dividing:
            scheme, algorithm = scheme_named(name), _algorithm(self, name)
            check_supports(scheme, algorithm)
            if self.schedule is not None and name in UNDIVIDED:
                raise InvalidOption(f"schedule={self.schedule}: {name} has no nodes whose moves are handed out")
            if self.threshold is not None and name == "shared-table":
                raise InvalidOption(f"threshold={self.threshold}: workers of {name} all search the whole tree")
            for each in boards:
                self.searched_with(each.board, algorithm=algorithm)

    @classmethod
    def as_now(cls, document: Mapping[str, Any]) -> dict[str, Any]:
        """Of old the positions of a cluster were `boards`, and kept where there was no cluster too."""
        found = super(ScalingParameters, cls).as_now(document)
        boards = found.pop("boards", None)
        return found | ({"positions": boards} if boards and found.get("cluster") is not None else {})

    @property
    def dividing(self) -> tuple[str, ...]:
        """The schemes that are measured."""
        program = program_of(self.whole_game)
        return self.schemes or (("ybw",) if program is None else (program.shared["parallel"],))

    def unused(self) -> tuple[str, ...]:
        if self.cluster is None:
            return "nodes", "policies"
        return "whole_game", "workers", "schedule"

    def node_counts(self) -> tuple[int, ...]:
        """The numbers of a cluster's nodes that are measured."""
        assert self.cluster is not None
        most = parse_address(self.cluster).nodes
        return self.nodes or tuple(count for count in (1, 2) if most is None or count <= most)

    def searched(self) -> dict[str, Searching]:
        """What a cluster searches, by the names of the positions."""
        schemes = self.schemes or SPLITTINGS[:1]
        if len(schemes) > 1 or schemes[0] not in SPLITTINGS:
            raise InvalidOption(f"schemes={','.join(schemes)}: on a cluster, {' or '.join(SPLITTINGS)}")
        more = {"share_alpha": self.share_alpha, "parallel": schemes[0], "threshold": self.threshold}
        return {
            each.name: Searching(
                board=each.board,
                depth=each.depth or self.depth or game_named(self.game).lab.cluster_depth,
                options={**self.searched_with(each.board, OURS), **more},
            )
            for each in chosen_boards(self.game, self.positions or game_named(self.game).lab.cluster_positions)
        }


class Scaling(Experiment[ScalingParameters]):
    """Speed-up, efficiency and search overhead by scheme and number of workers."""

    name = "scaling"
    question = "How much faster are more workers, and what do they waste?"
    reports = ("000", "001", "002", "003", "004")
    parameters = ScalingParameters

    def tasks(self, chosen: ScalingParameters) -> Sequence[Task]:
        if chosen.cluster is not None:
            counts = chosen.node_counts()
            return scaling_tasks(chosen.cluster, chosen.searched(), chosen.policies, counts, chosen.rounds)
        return in_rounds(_sides(chosen), chosen.rounds)

    def shape(self, chosen: ScalingParameters, sample: Sample) -> Shape:
        if chosen.cluster is not None:
            return scaling_shape(sample)
        return sample_shape(SEARCHED, placed(sample), scheme=str, workers=Workers, round=Several)

    def conclude(self, chosen: ScalingParameters, samples: Sequence[Sample]) -> Conclusion:
        if chosen.cluster is not None:
            said = dict.fromkeys(program_note(each.options) for each in chosen.searched().values())
            return scaling_conclusion(chosen.cluster, samples, chosen.rounds, tuple(said))
        groups = grouped(samples, "position", "scheme", "workers")
        lines: list[Sample] = []
        for (position, scheme, workers), found in groups.items():
            serial = _serial(chosen, groups, position, str(scheme))
            one = groups.get((position, scheme, 1))
            here: Sample = {} if position is None else {"position": position}
            lines.append({**here, **_row(str(scheme), int(number(workers)), found, serial, one)})
        notes = [*fastest(lines), *beyond_cores(chosen.workers)]
        fitting = {
            f"{scheme} with {how_many(int(number(workers)), 'worker')}": found
            for (scheme, workers), found in grouped(samples, "scheme", "workers").items()
            if number(workers) <= usable_cores()
        }
        notes += disturbed(fitting)
        faster = [(str(line["scheme"]), number(line["workers"]), line["speed-up"]) for line in lines]
        notes += doubtful(faster, chosen.rounds, fewest=FEWEST_ROUNDS)
        unequal = differing(samples)
        if unequal:
            notes.append(f"The value differs between runs of {', '.join(unequal)}: it must not.")
        notes += [*of_games(samples), *short_turns(samples)]
        notes.append(
            "Speed-up is the serial program's time over this one's, both medians. Report 003 took evaluations per "
            "second instead: that counts the nodes which only a parallel search enters as gain."
        )
        what = f"{chosen.game}, whole games ({chosen.whole_game})" if chosen.whole_game else chosen.game
        how = _told(chosen) if chosen.whole_game else ""
        tables = [ReportTable.of(f"scaling, {what}{how}", lines)]
        figures = _figures(chosen, groups, how)
        if chosen.whole_game is not None and chosen.whole_game in REPORTS and lines:
            tables.append(thread_table(chosen.whole_game, lines, how))
            figures = (*figures, *thread_figures(chosen.whole_game, chosen.dividing, lines, how))
        if len({line.get("position") for line in lines}) > 1:
            tables.append(over_positions(lines))
        return Conclusion(
            tables=tuple(tables),
            figures=figures,
            notes=tuple(notes),
            passed=not unequal,
        )


def _sides(chosen: ScalingParameters) -> list[Contender]:
    sides: list[Contender] = []
    program = program_of(chosen.whole_game)
    for place in chosen_boards(chosen.game, chosen.positions):
        board = first_board(chosen.whole_game, place.board)
        name = place.name if board is place.board else "start"
        for scheme in chosen.dividing:
            algorithm = _algorithm(chosen, scheme)
            if algorithm in ("uct", "flat"):
                raise OutflankError(
                    f"scaling compares searches to a depth: {scheme} supports {algorithm}, which has none"
                )
            depth = place.depth or chosen.depth or _usual_depth(chosen.game, algorithm, chosen.whole_game)
            options: dict[str, Any] = {"share_alpha": chosen.share_alpha}
            if algorithm == "minimax":
                options |= {"deepen": False, "evaluation": game_named(chosen.game).lab.minimax_evaluation}
            options |= chosen.searched_with(board, algorithm=algorithm)
            if program is not None:
                options |= program.search
            shared = {**(program.shared if program is not None else {}), **_division(chosen)}
            serial = Contender(
                labels={"position": name, "scheme": f"serial {algorithm}", "workers": 1},
                board=board,
                depth=depth,
                options={**options, "share_alpha": True, "workers": 1},
                plays=chosen.whole_game,
            )
            if serial not in sides:  # once for all schemes that are held against it
                sides.append(serial)
            sides += [
                Contender(
                    labels={"position": name, "scheme": scheme, "workers": workers},
                    board=board,
                    depth=depth,
                    options={**options, **shared, "parallel": scheme, "workers": workers},
                    plays=chosen.whole_game,
                )
                for workers in chosen.workers
            ]
    return sides


def _division(chosen: ScalingParameters) -> dict[str, Any]:
    """How trees are divided, as far as it is asked for."""
    found = {"threshold": chosen.threshold, "schedule": chosen.schedule}
    return {name: value for name, value in found.items() if value is not None}


def _told(chosen: ScalingParameters) -> str:
    """How trees are divided, in a title: as far as it is asked for."""
    handed = {"one": "single moves", "rows": "rows", "static": "equal shares"}
    found = [] if chosen.schedule is None else [handed[chosen.schedule]]
    if chosen.threshold is not None:
        found.append(f"undivided with {how_many(chosen.threshold, 'ply', 'plies')} left")
    return "".join(f", {each}" for each in found)


def _algorithm(chosen: ScalingParameters, scheme: str) -> str:
    """What is asked for, or what a scheme usually runs."""
    if chosen.algorithm is not None:
        return chosen.algorithm
    program = program_of(chosen.whole_game)
    if program is not None:
        return str(program.search["algorithm"])
    if chosen.program in PROGRAMS:
        return str(PROGRAMS[chosen.program]["algorithm"])
    usual = "minimax" if scheme == "fork-join" else "pvs"
    algorithms = scheme_named(scheme).algorithms
    return usual if usual in algorithms else algorithms[0]


def _serial(
    chosen: ScalingParameters, groups: dict[Any, list[Sample]], position: Cell, scheme: str
) -> list[Sample] | None:
    """The serial searches that a scheme is held against; documents of old have one for each scheme."""
    if scheme.startswith("serial "):
        return None
    serial, of_old = f"serial {_algorithm(chosen, scheme)}", f"serial for {scheme}"
    return groups.get((position, serial, 1)) or groups.get((position, of_old, 1))


def _usual_depth(game: str, algorithm: str, whole_game: str | None) -> int:
    usual = game_named(game).lab
    if algorithm == "minimax":
        return usual.minimax_depth
    deep = usual.depth
    return deep if whole_game is None else deep - 3  # a game is some thirty searches of each side


def _row(
    scheme: str, workers: int, found: Sequence[Sample], serial: Sequence[Sample] | None, one: Sequence[Sample] | None
) -> Sample:
    seconds = median(found, "seconds")
    comparable = workers <= usable_cores()
    busy = median(found, "useful_seconds") + median(found, "idle_seconds")
    per_second = median(found, lambda sample: number(sample["leaves"]) / number(sample["seconds"]))
    faster = median(serial, "seconds") / seconds if serial and comparable else None
    rate_of_one = median(one, lambda sample: number(sample["leaves"]) / number(sample["seconds"])) if one else None
    return {
        "scheme": scheme,
        "workers": workers,
        "wall (s)": seconds,
        "spread": f"{relative_spread(found, 'seconds'):.1%}",
        "user (s)": median(found, "user_seconds"),
        "system (s)": median(found, "system_seconds"),
        "speed-up": faster,
        "against one worker": median(one, "seconds") / seconds if one and comparable else None,
        "efficiency": faster / workers if faster is not None else None,
        "nodes": median_count(found, "nodes"),
        "search overhead": search_overhead(found, serial) if serial else None,
        "nodes/s": round(median(found, lambda sample: number(sample["nodes"]) / number(sample["seconds"]))),
        "evaluations/s as speed-up (003)": per_second / rate_of_one if rate_of_one and comparable else None,
        "steals": median_count(found, "steals_won"),
        "idle share": share(median(found, "idle_seconds"), busy),
        "runs": len(found),
    }


def _figures(chosen: ScalingParameters, groups: dict[Any, list[Sample]], how: str) -> tuple[Figure, ...]:
    counts = sorted({workers for workers in chosen.workers if workers <= usable_cores()})
    linear = Series(name="linear", points=tuple((count, float(count)) for count in counts), style="dashed")
    speedups, efficiencies, overheads = [linear], [], []
    for scheme in chosen.dividing:
        every = {
            count: found for count in sorted(set(chosen.workers)) if (found := _pairs(chosen, groups, scheme, count))
        }
        if not every:
            continue
        measured = {count: found for count, found in every.items() if count in counts}
        faster = {
            count: statistics.median(median(serial, "seconds") / median(found, "seconds") for found, serial in pairs)
            for count, pairs in measured.items()
        }
        ranges = tuple(_range(pairs) for pairs in measured.values())
        speedups.append(Series(name=scheme, points=tuple(faster.items()), spread=ranges))
        efficiencies.append(Series(name=scheme, points=tuple((count, each / count) for count, each in faster.items())))
        more = {
            count: statistics.median(median(found, "nodes") / median(serial, "nodes") - 1 for found, serial in pairs)
            for count, pairs in every.items()
        }
        overheads.append(Series(name=scheme, points=tuple(more.items())))
    return (
        Plot(
            title=f"speed-up against the serial program{how}",
            x="workers",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(*speedups, *published_speedups(chosen.game)),
            caption=RANGES,
        ),
        Plot(title=f"efficiency S/(p·T(p)){how}", x="workers", y="efficiency", series=tuple(efficiencies)),
        Plot(
            title=f"search overhead{how}",
            x="workers",
            y="nodes beyond the serial search's, per node",
            series=tuple(overheads),
            caption="With more workers than cores too: what they search does not depend on who else has the core.",
        ),
    )


Pair = tuple[list[Sample], list[Sample]]
"""Samples of a side, and of the serial search that it is held against."""


def _pairs(chosen: ScalingParameters, groups: dict[Any, list[Sample]], scheme: str, count: int) -> list[Pair]:
    """A scheme on so many workers, position by position."""
    found = []
    for (position, name, workers), samples in groups.items():
        serial = _serial(chosen, groups, position, scheme)
        if (name, workers) == (scheme, count) and serial is not None:
            found.append((samples, serial))
    return found


def _range(pairs: Sequence[Pair]) -> tuple[float, float]:
    """The least and the greatest speed-up of a round, in any position."""
    ranges = [speed_up_range(serial, found) for found, serial in pairs]
    return min(low for low, _ in ranges), max(high for _, high in ranges)
