"""Sections of the published report 000, MTD(f) on a cluster; sources are in `sequential_000` and `cluster_000`."""

from functools import partial
from typing import Any

from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.reproduction import cluster_000, conclusions_000, sequential_000, sequential_conclusions_000
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    Expected,
    Measure,
    PublishedTable,
    close,
    machine,
)


def _facts_section(*facts: str, **expected: Expected) -> dict[str, Any]:
    """Return arguments for a section of the numbers `facts`, which are `GIVEN`, and of the numbers in `expected`."""
    single = {((name,), "value"): expected.get(name, GIVEN) for name in (*facts, *expected)}
    return {"table": FACTS, "key": ("fact",), "only": (*facts, *expected), "single": single}


TIMES = machine("Times are another machine's, and a search of fewer plies.")
ORDERING_EXPECTED = {"seconds": machine("Times are another machine's."), "boards": machine(sequential_000.OTHER_BOARDS)}
NOT_MEASURED = "It is not measured: "

SECTIONS: tuple[PublishedTable, ...] = (
    PublishedTable(
        report="000",
        where="Introduction",
        title="a board of 4×4",
        **_facts_section(board_4x4_solved_seconds_below=machine("Times are another machine's.")),
        sources=lambda setting: [Measure("4×4", sequential_000.solved)],
    ),
    PublishedTable(
        report="000",
        where="Board storage",
        title="how a board is kept",
        **_facts_section(boards_conceivable=EQUAL),
        sources=sequential_000.storage,
    ),
    PublishedTable(
        report="000",
        where="Searching the game tree",
        title="pivot and number of moves",
        **_facts_section(
            "children_array",
            "branching_awari",
            most_moves_found=machine("Theirs was found by thinking, ours by trying; both need not be reachable."),
            branching_othello=close(1.3, "The mean over the nodes of searches."),
        ),
        sources=sequential_000.game_tree,
    ),
    PublishedTable(
        report="000",
        where="The evaluation function",
        title="coarseness and edges",
        **_facts_section(
            "coarseness_divisor",
            edge_table_entries=EQUAL,
            coarseness_faster_percent=machine("It is another board, and another machine."),
        ),
        sources=sequential_000.evaluation,
    ),
    PublishedTable(
        report="000",
        where="Move ordering, start",
        title="from the initial position",
        table="ordering_start",
        key=("ordering",),
        expected=ORDERING_EXPECTED,
        sources=partial(sequential_000.ordering, "start"),
        notes=(sequential_000.SORTED, sequential_000.WEIGHTS),
    ),
    PublishedTable(
        report="000",
        where="Move ordering, mid-game",
        title="from the mid-game board",
        table="ordering_midgame",
        key=("ordering",),
        expected={"seconds": machine("Times are another machine's."), "boards": machine(sequential_000.LOST)},
        sources=partial(sequential_000.ordering, "midgame"),
        notes=(sequential_000.SORTED,),
    ),
    PublishedTable(
        report="000",
        where="Move ordering",
        title="sorts, and orderings by stage",
        **_facts_section(
            "ordering_depth_start",
            "ordering_depth_midgame",
            full_sort_times_faster=machine("Ours loses less by the best move alone."),
        ),
        sources=sequential_000.sorts,
    ),
    PublishedTable(
        report="000",
        where="Transposition table, picture",
        title="squares in the order of their storage",
        table="quads",
        expected=dict.fromkeys("abcdefgh", EQUAL),
        sources=lambda setting: [Measure("quads", sequential_000.quads)],
        notes=(
            "Sorted, as the report has it, the four integers are the same for boards that are no images of each other; "
            "turned until the greatest is first, they are not.",
        ),
    ),
    PublishedTable(
        report="000",
        where="Transposition table",
        title="symmetry and hash functions",
        **_facts_section(
            "hash_bits",
            "hash_functions_tried",
            "table_smaller_than_awari",
            symmetric_boards=EQUAL,
            hash_free_percent=machine("Another hash function, and other boards."),
        ),
        sources=sequential_000.table,
    ),
    PublishedTable(
        report="000",
        where="Parallelization",
        title="what was chosen and met on the way",
        **_facts_section(
            "rmi_entries_per_update",
            overhead_exceeds_application_from_processors=machine("Entries cost less here, and so do boards."),
            crashing_from_processors=machine(""),
            gmi_deadlock_from_processors=machine(""),
        ),
        sources=cluster_000.everything_sources,
        absent=f"{NOT_MEASURED}faults of the libraries of that time, which are not ours.",
    ),
    PublishedTable(
        report="000",
        where="Test conditions",
        title="depths and runs",
        **_facts_section(
            "depth",
            "midgame_depth",
            "runs_averaged",
            best_threshold=machine("The machine is simulated."),
            best_replication_depth=machine("The machine is simulated."),
        ),
        sources=cluster_000.best_sources,
        notes=("Each section tells how deep ours is searched, once unless its tables count more rounds.",),
    ),
    *(
        PublishedTable(
            report="000",
            where=f"Threshold, {program}",
            title="the threshold value on 64 processors",
            table=f"threshold_{program}",
            key=("threshold",),
            expected=dict.fromkeys(("app_s", "overhead_s", "sum_s", "steal_success_percent", "bytes"), TIMES),
            sources=partial(cluster_000.threshold_sources, program),
            notes=(cluster_000.SIMULATED,),
        )
        for program in cluster_000.PROGRAMS
    ),
    PublishedTable(
        report="000",
        where="Replication depth",
        title="par_tuple on 32 processors",
        table="replication",
        key=("min_depth",),
        expected=dict.fromkeys(
            ("app_s", "overhead_s", "sum_s", "tt_sorts_and_hits", "broadcast_s", "broadcast_messages"), TIMES
        ),
        sources=cluster_000.replication_sources,
        notes=(cluster_000.SIMULATED,),
    ),
    PublishedTable(
        report="000",
        where="Speed-ups",
        title="by version and processors",
        table="speedup",
        key=("processors",),
        expected={name: TIMES for name in rows("000", "speedup")[0] if name != "processors"},
        sources=cluster_000.speedup_sources,
        figures=cluster_000.speedup_figure,
        notes=(cluster_000.SIMULATED,),
    ),
    PublishedTable(
        report="000",
        where="Speed-ups, seq",
        title="depth 17 from the start",
        key=("program",),
        sources=sequential_000.depth_17,
        absent="It is left out by --quick.",
        printed=False,
    ),
    PublishedTable(
        report="000",
        where="Discussion",
        title="what the text says of the runs",
        **_facts_section(
            "awari_overhead_percent",
            tt_hits_percent=machine("Another table, and fewer plies."),
            tt_substantial_hits_percent=machine("Another table, and fewer plies."),
            boards_seq=close(2.0, sequential_000.OTHER_BOARDS),
            game_length=close(1.1, "The empty squares of the start: no game has more moves but for passes."),
            **dict.fromkeys(
                (
                    "par_overhead_percent",
                    "par_tuple_overhead_percent",
                    "speedup_64_par_tuple",
                    "speedup_64_par_rmi",
                    "speedup_64_par",
                    "equally_fast_up_to_processors",
                    "broadcast_seconds_par_tuple",
                    "broadcast_seconds_par_rmi",
                    "application_speedup_64_par_tuple",
                    "boards_64_par_tuple",
                    "search_overhead_factor",
                ),
                TIMES,
            ),
        ),
        sources=sequential_000.discussion,
        absent=f"{NOT_MEASURED}--quick leaves out the search of 17 plies.",
        notes=(cluster_000.SIMULATED,),
    ),
    PublishedTable(
        report="000",
        where=sequential_conclusions_000.SEQUENTIAL,
        title="what else its conclusions on one processor need",
        key=("what",),
        sources=sequential_conclusions_000.sequential,
        printed=False,
    ),
    PublishedTable(
        report="000",
        where=conclusions_000.CLUSTER,
        title="what else its conclusions on many processors need",
        sources=conclusions_000.cluster,
        printed=False,
    ),
)
