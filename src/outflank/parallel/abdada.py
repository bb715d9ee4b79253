"""ABDADA (Weill 1996; report 001's future work): a shared table in which workers mark what they are at.

A later brother that another worker is at is put off until nothing else is left at its node. Marks are of one
root and one window: what a stopped worker left behind means nothing to the next.
"""

from outflank.parallel.table_driven import TableDriven
from outflank.search.division import Promise, Scheme

ABDADA = Scheme(
    name="abdada",
    algorithms=("alphabeta", "pvs", "mtdf"),
    promises=Promise.VALUE,
    overhead="marks in the table; what two workers begin in the same instant, or a lost mark lets them",
    divide=lambda root, workers: TableDriven(root, workers, marks=True),
)
