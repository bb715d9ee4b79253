"""A race checker: it runs a search in the interpreter, schedules threads from a seed, and watches all memory accesses.

`clocks` computes which accesses happen before which, `scheduler` selects the running thread, `declared` reads the races
that the source accepts, and `checker` combines them. The reports used cilkscreen for this.
"""

from outflank.lab.races.checker import check
from outflank.lab.races.findings import Access, Race, RaceFindings, together

__all__ = ["Access", "Race", "RaceFindings", "check", "together"]
