"""Shared table (report 001; chess calls it lazy SMP): all workers search the same root on one table.

So that they do not do the same work in the same order, each but the leader starts at another of the root's later moves,
and tries equal moves in an order of its own.
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
