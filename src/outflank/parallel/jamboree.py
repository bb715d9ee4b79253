"""Jamboree (report 001, after Kuszmaul): the first move alone, then null-window scouts of all others in parallel, and
those that beat the window searched again, one after the other, in order.

Without a threshold of its own it divides the first log2(workers) levels, which report 001 found best.
"""

from outflank.parallel.divided import EVERY_LEVEL, Divided, Plan, levels_for
from outflank.search.division import Promise, Scheme
from outflank.search.root import Root


def _divide(root: Root, workers: int) -> Divided:
    levels = levels_for(workers) if root.options.threshold is None else EVERY_LEVEL
    return Divided(root, workers, Plan(eldest_first=True, scouts_in_order=True, levels=levels))


JAMBOREE = Scheme(
    name="jamboree",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="scouts with an old alpha; the re-searches of a node wait for all its scouts",
    divide=_divide,
)
