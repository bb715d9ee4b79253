"""Fork-join (reports 002 and 004): every node above the threshold offers all its moves at once and joins by maximum.

With minimax it visits exactly the nodes of one worker. With alpha-beta no move waits for another, so that windows are
as wide as when the move was taken: many more nodes, which is why young brothers wait.
"""

from outflank.parallel.divided import Divided, Plan
from outflank.search.division import Promise, Scheme

FORK_JOIN = Scheme(
    name="fork-join",
    algorithms=("minimax", "alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE | Promise.MOVE,
    minimax_promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    overhead="no extra nodes with minimax; with alpha-beta, those that an elder brother would have cut off",
    divide=lambda root, workers: Divided(root, workers, Plan(eldest_first=False)),
)
