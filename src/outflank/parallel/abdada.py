"""ABDADA (Weill 1996; report 001's future work): a shared table in which workers mark the positions that they search.

A later brother that another worker is searching is put off until nothing else is left at its node. A mark belongs to
one root and one window: marks of a stopped worker mean nothing to the next search.
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
