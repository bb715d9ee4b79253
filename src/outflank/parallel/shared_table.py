"""Shared table (report 001; chess calls it lazy SMP): all workers search the same root on one table.

They would do the same work in the same order; so that they do not, each but the leader tries the root's
later moves from another one on, and moves that look alike in an order of its own.
"""

from outflank.parallel.table_driven import TableDriven
from outflank.search.division import Promise, Scheme

SHARED_TABLE = Scheme(
    name="shared-table",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="whatever workers search twice before the table tells them",
    divide=lambda root, workers: TableDriven(root, workers, marks=False),
)
