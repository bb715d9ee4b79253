"""Report 001: principal variation search, Jamboree and a shared table."""

from collections.abc import Sequence

from outflank.lab.reproduction.sections import Part, Section, Setting, Source

COUNTED = ("SerialPVS", "AlphaBeta", "ParallelPVS", "ParallelAlphaBeta")
"""The four whose nodes report 001 prints."""


def _nodes(setting: Setting) -> Sequence[Source]:
    size = {"depth": setting.effort.choose(7, 11, 11), "workers": setting.workers}
    return [Part("nodes", {**size, "algorithms": COUNTED})]


def _levels(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 1, 5), "depth": setting.effort.choose(9, 11, 12)}
    return [Part("levels", {**size, "workers": setting.workers})]


def _branching(setting: Setting) -> Sequence[Source]:
    return [Part("branching", {"depth": setting.effort.choose(4, 6, 6), "games": setting.effort.choose(1, 1, 5)})]


SECTIONS: tuple[Section, ...] = (
    Section(report="001", where="Experimental Results", title="nodes per turn", sources=_nodes),
    Section(report="001", where="Implementation Details", title="levels of Jamboree", sources=_levels),
    Section(report="001", where="Evaluation", title="branching", sources=_branching),
)
