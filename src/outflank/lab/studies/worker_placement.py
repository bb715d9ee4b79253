"""Experiment `placement`: gain from binding workers to processors and tables to memory; report 001 could not do it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import default_board
from outflank.lab.experiment_report import Cell, Plot, ReportTable, Sample, Series, sample_shape
from outflank.lab.measuring.search_log import without_logging
from outflank.lab.measuring.search_samples import (
    SEARCH_KINDS,
    Contender,
    alternating,
    grouped,
    measure_search,
    median,
    number,
    spread,
    timing_warnings,
    worker_count_warnings,
)
from outflank.machine import usable_cores
from outflank.placement import MemoryNode, can_bind, number_ranges, topology, worker_processors
from outflank.search.division import scheme_named
from outflank.search.request import Stop
from outflank.search.table import Table as Memory
from outflank.validation.documents import Count, Several
from outflank.validation.values import Kind, Shape

PINS = ("none", "compact", "spread")

SEARCH, NODE = "search", "memory node"
"""Kinds of samples: a timed search, or a memory node of this machine."""

FIRST, IN_TURN = "with its first writer", "dealt to all nodes"
"""Placements of the table's memory pages: near their first writer, or distributed over all memory nodes in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementParameters(Parameters):
    """Parameters of the experiment `placement`."""

    depth: int = option(12, "Plies from a position in the middle of a game.")
    workers: int = option(core_counts()[-1], "Workers that share the search.")
    schemes: tuple[str, ...] = option(("ybw", "shared-table"), "By name.")
    table_bits: int = option(20, "Size of the table: 32 · 2^bits bytes; larger than a cache, or memory plays no part.")
    rounds: int = option(5, "Times that each side is measured.")


def _memories() -> tuple[str, ...]:
    return (FIRST, IN_TURN) if len(topology().nodes) > 1 else (FIRST,)


class Placement(Experiment[PlacementParameters]):
    """Times searches with pinned and unpinned workers, and with both placements of the table's memory pages."""

    name = "placement"
    question = "What do workers gain that stay on their processors, near their memory?"
    reports = ("001",)
    parameters = PlacementParameters

    def tasks(self, parameters: PlacementParameters) -> Sequence[Task]:
        for scheme in parameters.schemes:
            scheme_named(scheme)
        sides = [
            Contender(
                labels={"what": SEARCH, "scheme": scheme, "table": memory, "pin": pin},
                board=default_board(),
                depth=parameters.depth,
                options={"parallel": scheme, "workers": parameters.workers, "pin": pin},
            )
            for scheme in parameters.schemes
            for memory in _memories()
            for pin in (PINS if can_bind() else PINS[:1])
        ]
        tables: dict[str, Memory] = {}
        return [
            Task("this machine", partial(_node_samples, parameters), 0.1),
            *(
                Task(
                    f"{side.name}, round {round_number}",
                    partial(_measure_search, side, round_number, parameters.table_bits, tables),
                )
                for round_number, side in alternating(sides, parameters.rounds)
            ),
        ]

    def shape(self, parameters: PlacementParameters, sample: Sample) -> Shape:
        if sample.get("what") == NODE:
            counts: dict[str, Kind] = dict.fromkeys(("processors", "compact", "spread"), Count)
            return sample_shape(counts, node=Count, listed=str, memory=Count | None, told=str, alike=bool)
        labels: dict[str, Kind] = {
            "pin": Literal[*PINS],
            "table": Literal[FIRST, IN_TURN],
            "scheme": Literal[*parameters.schemes],
        }
        return sample_shape(SEARCH_KINDS, labels, what=Literal[SEARCH, NODE], round=Several)

    def conclude(self, parameters: PlacementParameters, samples: Sequence[Sample]) -> Conclusion:
        nodes = [sample for sample in samples if sample["what"] == NODE]
        searches = [sample for sample in samples if sample["what"] == SEARCH]
        groups = grouped(searches, "scheme", "table", "pin")
        lines = [_line(label, group, groups.get((label[0], FIRST, "none"))) for label, group in groups.items()]
        values = {sample["value"] for sample in searches}
        notes = list(_notes(nodes, {str(sample["pin"]) for sample in searches}))
        if parameters.workers <= usable_cores():
            notes += timing_warnings({", ".join(map(str, label)): group for label, group in groups.items()})
        if len(values) > 1:
            notes.append(f"The value differs: {', '.join(map(str, values))}. It must not.")
        return Conclusion(
            tables=(ReportTable.of("placement of workers and of the table", lines), *_machine(nodes)),
            figures=(_bars(lines),) if lines else (),
            notes=(*notes, *worker_count_warnings((parameters.workers,))),
            passed=len(values) <= 1,
        )


def _measure_search(
    side: Contender, round_number: int, bits: int, tables: dict[str, Memory], stop: Stop
) -> list[Sample]:
    """Return the sample of a search on an empty table. An earlier, equal search has placed the table's memory pages."""
    if side.name not in tables:
        tables[side.name] = Memory(bits, interleave=side.labels["table"] == IN_TURN)
        with without_logging():
            measure_search(side, stop, table=tables[side.name])  # compiles and touches the pages
    table = tables[side.name]
    table.clear()
    _, sample = measure_search(side, stop, table=table)
    return [] if stop.called else [{**sample, "round": round_number}]


def _node_samples(parameters: PlacementParameters, stop: Stop) -> list[Sample]:
    """Return a sample of each memory node, with the number of workers that each way of pinning places on it."""
    machine = topology()
    compact, spread_ = worker_processors("compact", machine), worker_processors("spread", machine)
    return [
        {
            "what": NODE,
            "node": node.number,
            "processors": len(node.processors),
            "listed": number_ranges(node.processors),
            "memory": node.memory_bytes,
            "compact": _workers_near(node, compact, parameters.workers),
            "spread": _workers_near(node, spread_, parameters.workers),
            "told": str(machine),
            "alike": compact == spread_,
        }
        for node in machine.nodes
    ]


def _workers_near(node: MemoryNode, processors: Sequence[int], workers: int) -> int:
    return (
        sum(processors[worker % len(processors)] in node.processors for worker in range(workers)) if processors else 0
    )


def _line(label: tuple[Cell, ...], samples: Sequence[Sample], unpinned: Sequence[Sample] | None) -> Sample:
    low, high = spread(samples, "seconds")
    return {
        **dict(zip(("scheme", "table", "pin"), label, strict=True)),
        "time (s)": median(samples, "seconds"),
        "least (s)": low,
        "greatest (s)": high,
        "nodes per second": round(median(samples, _speed)),
        "speed, to no placement": median(samples, _speed) / median(unpinned, _speed) if unpinned else None,
    }


def _speed(sample: Sample) -> float:
    return number(sample["nodes"]) / number(sample["seconds"])


def _machine(nodes: Sequence[Sample]) -> Iterator[ReportTable]:
    if nodes:
        lines: list[Sample] = [
            {
                "memory node": node["node"],
                "processors": node["listed"],
                "memory (GiB)": None if node["memory"] is None else number(node["memory"]) / 2**30,
                "workers, compact": node["compact"],
                "workers, spread": node["spread"],
            }
            for node in nodes
        ]
        yield ReportTable.of(f"the machine: {nodes[0]['told']}", lines)


def _notes(nodes: Sequence[Sample], pins: set[str]) -> Iterator[str]:
    if pins == {"none"}:
        yield "That system binds no thread to a processor: workers are where it puts them."
    elif nodes and nodes[0]["alike"]:
        yield "Compact and spread are the same there: no two processors share a core, and there is one memory node."
    if len(nodes) == 1:
        yield (
            "The machine has one memory node: wherever a table lies, it is as near to every worker. On several, a page "
            "lies near the worker who writes to it first, or all pages are dealt to the nodes in turn."
        )
    yield (
        "Report 001 ran on four memory nodes and could bind nothing to them; it expected to need a guess at which "
        "boards collide in the table. Entries are hashed: wherever they lie, of n nodes' memory 1/n is near."
    )


def _bars(lines: Sequence[Sample]) -> Plot:
    several = len({row["table"] for row in lines}) > 1
    return Plot(
        title="speed by placement",
        x="pin",
        y="nodes per second",
        kind="bars",
        series=tuple(
            Series(
                name=f"{scheme}, {memory}" if several else str(scheme),
                points=tuple((str(row["pin"]), number(row["nodes per second"])) for row in rows),
            )
            for (scheme, memory), rows in grouped(lines, "scheme", "table").items()
        ),
    )
