"""Measurements for report 000's conclusions on its cluster, in a section without a published table."""

from collections.abc import Iterable, Sequence
from typing import Any

from outflank.lab.reproduction.cluster_000 import PROGRAMS as REAL_PROGRAMS
from outflank.lab.reproduction.cluster_000 import REPLICATED, THRESHOLDS, plies, stealing
from outflank.lab.reproduction.published_sections import ExperimentPart, Setting, Source
from outflank.lab.simulation.report_costs import MYRINET, PROGRAMS, REPORT_COSTS

PAR_PROGRAMS = tuple(REAL_PROGRAMS)
"""The report's three programs that ran, without the fourth (`gmi`)."""

CLUSTER = "Conclusions, cluster"
"""Name of the section."""

BATCHES = (1_000, 10_000, 100_000)
"""Compared numbers of entries per update of `par_rmi`."""

SEEDS = 2
"""Number of seeds with which a usual run compares programs and replication depths, because one simulation may visit a
third more boards than another. With any two of three seeds, and with one, all answers were the same as with three. A
full run has one seed, because a simulation takes minutes. The report had one run, too."""

SLOWER = 4
"""Factor by which a cost is raised, and lowered, to see whether an answer depends on it."""

RECEIVE = 1000.0
"""Microseconds that a slow receiver spends on an update. The report gives only the sender's time."""

MESSAGES = ("latency", "send", "receive")
"""Costs of messages, which are varied together."""

# --- the cluster ---


def cluster(setting: Setting) -> Sequence[Source]:
    """Return simulations that vary one choice of report 000, or one cost, and a measurement of two real nodes.

    In a full run, the choices that the report compares are searched to the report's depth. All other simulations, and
    all of a usual run, search 15 plies, and 11 in the mid-game. With 14 plies from the start, eight conclusions are
    answered otherwise than with 17. A quick run has no simulations, because its trees are too small for 64 nodes.
    """
    side, seeds = min(plies(setting), 15), setting.effort.choose(1, SEEDS, 1)

    def part(label: str, programs: Iterable[str], nodes: tuple[int, ...] = (64,), **more: Any) -> ExperimentPart:
        return stealing(setting, label=label, programs=tuple(programs), nodes=nodes, **more)

    def messages(factor: float) -> dict[str, Any]:
        return {name: getattr(REPORT_COSTS, name) * factor for name in MESSAGES}

    depths = tuple(f"par_tuple:depth={depth}" for depth in REPLICATED)
    limited_depth = setting.effort.choose(9, 11, 13)
    limits = {
        "cluster": "inside:2",
        "policies": ("none", "depth:depth=2", f"depth:plies={limited_depth - 4}", "depth:depth=4"),
        "thresholds": (5,),
        "depth": limited_depth,
        "rounds": 1,
    }
    measured = ExperimentPart("threshold", limits, show=False, label="limits")
    if setting.effort == "quick":
        return [measured]
    myrinet = {name: getattr(MYRINET, name) for name in (*MESSAGES, "send_entry")}
    return [
        part("thresholds", PAR_PROGRAMS, thresholds=THRESHOLDS),
        part("programs", PROGRAMS, (1, 16, 64), rounds=seeds),
        part("depths", depths, (32, 64), rounds=seeds),
        part("slow receivers", depths, (32,), receive=RECEIVE, depth=side),
        part("few nodes", ("par",), (1, 4), thresholds=THRESHOLDS),
        part("even thresholds", ("par",), thresholds=(4, 5, 6, 7), depth=side),
        part("seeds", ("par_tuple",), rounds=8, depth=side),
        part("shallow", PAR_PROGRAMS, depth=side),
        *(part(f"{size} entries", (f"par_rmi:batch={size}",), depth=side) for size in BATCHES),
        part("no waiting", ("par_rmi:waits=0",), depth=side),
        part("Myrinet", PAR_PROGRAMS, depth=side, **myrinet),
        part("messages slower", PAR_PROGRAMS, depth=side, **messages(SLOWER)),
        part("messages faster", PAR_PROGRAMS, depth=side, **messages(1 / SLOWER)),
        # A search of the mid-game has about as many boards if it is four plies less deep.
        part("mid-game", ("par", "par_tuple"), (1, 64), positions=("midgame",), depth=side - 4),
        part("forward, mid-game", ("par", "par_tuple"), (1, 64), positions=("midgame",), depth=side - 4, forward=True),
        part("unordered", ("par_tuple",), ordering="none", depth=side),
        part("forward", ("par", "par_tuple"), (1, 64), forward=True, depth=side),
        part("reverse", ("par", "par_tuple"), (1, 64), depth=side),
        measured,
    ]
