"""Sources of a section without a published table: what only report 000's conclusions on its cluster need."""

from collections.abc import Sequence
from typing import Any

from outflank.lab.reproduction.cluster_000 import MACHINE
from outflank.lab.reproduction.published_sections import ExperimentPart, Setting, Source
from outflank.lab.reproduction.sequential_conclusions_000 import SEQUENTIAL as SEQUENTIAL

CLUSTER = "Conclusions, cluster"
"""Name of the section."""

SENT_DEPTH = 4
"""Least depth of the entries that the simulated `par_tuple` sends, since it sends none of more plies than its jobs."""

MYRINET = {"latency": 10.0, "bandwidth": 160.0}
"""Microseconds and megabytes per second of the network that report 000 could not use: usual figures of its time."""

BATCHES = (1_000, 10_000, 100_000)
"""Compared numbers of entries per update of `par_rmi`."""

# --- the cluster ---


def _part(setting: Setting, label: str, policies: Sequence[str], nodes: Sequence[int], **more: Any) -> ExperimentPart:
    """Return a simulation of report 000's program on its cluster. Jobs have 5 plies, unless `more` says otherwise."""
    silent = {"message", "entry"} if set(policies) == {"none"} else set()
    parameters = {
        "program": "000",
        "positions": ("start",),
        "depth": setting.effort.choose(9, 11, 11),
        "thresholds": (5,),
        "nodes": tuple(nodes),
        "policies": tuple(policies),
        "hidden": (7,),
        "measured": (1,),
        "rounds": 1,
        **{name: value for name, value in MACHINE.items() if name not in silent},
        **more,
    }
    return ExperimentPart("simulate", parameters, show=False, weight=3.0, label=label)


def cluster(setting: Setting) -> Sequence[Source]:
    """Return simulations that vary one choice of report 000 each, at one depth, and a measurement on two nodes."""
    selective = f"depth:depth={SENT_DEPTH}"
    deep = setting.effort.choose(9, 13, 13)
    thresholds = setting.effort.choose((5, 7, 9), (3, 4, 5, 6, 7, 9), (3, 4, 5, 6, 7, 9))
    policies = ("none", "batch", *(f"depth:depth={depth}" for depth in (2, 3, 4, 5)), "async:depth=4")
    rounds = setting.effort.choose(1, 3, 5)
    limits = {
        "cluster": "inside:2",
        "policies": ("none", "depth:depth=2", "depth:plies=6", selective),
        "thresholds": (5,),
        "depth": setting.effort.choose(9, 11, 13),
        "rounds": rounds,
    }
    return [
        _part(setting, "thresholds", ("none", "batch"), (1, 4, 64), thresholds=thresholds, depth=11),
        _part(setting, "policies", policies, (16, 32, 64), depth=deep),
        *(_part(setting, f"{size} entries", (f"batch:batch={size}",), (64,), depth=deep) for size in BATCHES),
        _part(setting, "no waiting", ("async:depth=2,batch=10000",), (64,), depth=deep),
        _part(setting, "Myrinet", ("none", "batch", selective), (64,), depth=deep, **MYRINET),
        _part(setting, "start", ("none",), (1, 16, 64), depth=setting.effort.choose(11, 13, 13), rounds=rounds),
        _part(
            setting, "mid-game", ("none",), (16, 64), positions=("midgame",)
        ),  # about as many boards as from the start
        _part(setting, "unordered", ("none",), (16, 64), depth=setting.effort.choose(11, 13, 13), ordering="none"),
        ExperimentPart("threshold", limits, show=False, label="limits"),
    ]
