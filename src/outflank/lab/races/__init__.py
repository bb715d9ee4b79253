"""A race checker: runs a search in the interpreter, schedules its threads from a seed and records memory accesses.

`vector_clocks` computes which accesses happen before which, `scheduler` selects the running thread, `declared` reads
the races that the source accepts, and `checker` combines them. The reports used cilkscreen for this.
"""

from outflank.lab.races.checker import check
from outflank.lab.races.findings import Access, Race, RaceFindings, together
from outflank.lab.races.task_check import check_program

__all__ = ["Access", "Race", "RaceFindings", "check", "check_program", "together"]
