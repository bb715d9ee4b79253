"""Root split (report 001's naive parallel alpha-beta and PVS; report 003): only the root's moves are shared.

`schedule` says how they are handed out: one at a time, in chunks, or divided in advance; without `share_alpha` every
move is searched with the root's full window, as in report 003.
"""

from outflank.parallel.divided import Divided, Plan
from outflank.search.division import Promise, Scheme

ROOT_SPLIT = Scheme(
    name="root-split",
    algorithms=("minimax", "alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    minimax_promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    promises_note="nodes only without a table",
    overhead="the first move's value comes too late for its brothers; the longest move is waited for",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=False, levels=1)),
)
