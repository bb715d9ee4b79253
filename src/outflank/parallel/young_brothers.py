"""Young brothers wait: any node above the threshold whose first move is done may be split; idle workers join the split
point nearest to some root, and a cut-off anywhere stops everybody below it.

A move that beats its scout is about to change what its brothers are asked for: until its value is known, nobody takes
another brother, and there is room for all below it.
"""

from outflank.parallel.divided import Divided, Plan
from outflank.search.division import Scheme

YOUNG_BROTHERS = Scheme(
    name="ybw",
    carries=("alphabeta", "pvs", "mtdf"),
    promises="value and move",
    costs="brothers of a move that cuts off, until they hear of it",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=True, elders=2, hold=True)),
)
