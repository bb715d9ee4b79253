"""Principal-variation split (report 003's master and slaves): the leftmost line is searched first, then the brothers
at each of its nodes in parallel, level by level on the way back to the root.
"""

from outflank.parallel.divided import Divided, Plan
from outflank.search.division import Promise, Scheme

PV_SPLIT = Scheme(
    name="pv-split",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    overhead="all wait at every level of the line for the slowest brother",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=True, leftmost=True)),
)
