"""A checker of races: a search in the interpreter, its threads scheduled from a seed, every access to memory watched.

`clocks` says which accesses happen before which, `scheduler` which thread goes on, `declared` which races the source
accepts; `checker` puts them together. What cilkscreen was for the reports that this package answers.
"""

from outflank.lab.races.checker import check
from outflank.lab.races.findings import Access, Race, RaceFindings, together

__all__ = ["Access", "Race", "RaceFindings", "check", "together"]
