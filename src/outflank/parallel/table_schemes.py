"""The schemes in which all workers search the whole root and share a transposition table."""

from outflank.parallel.table_driven import TableDriven
from outflank.search.division import Promise, Scheme

SHARED_TABLE = Scheme(
    name="shared-table",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="whatever workers search twice before the table tells them",
    divide=lambda root, workers: TableDriven(root, workers, marks=False),
)
"""Shared table (report 001; chess calls it lazy SMP): all workers search the same root on one table.

So that the workers do not do the same work in the same order, each worker but the leader starts at another of the
root's later moves, and tries equal moves in an order of its own."""

ABDADA = Scheme(
    name="abdada",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="marks in the table; what two workers begin in the same instant, or a lost mark lets them",
    divide=lambda root, workers: TableDriven(root, workers, marks=True, plies_less=3),  # a mark costs less than a frame
)
"""ABDADA (Weill 1996; report 001's future work): a shared table in which workers mark the positions that they search.

A later brother that another worker is searching is put off until nothing else is left at its node. A mark belongs to
one root and one window: marks of a stopped worker mean nothing to the next search."""
