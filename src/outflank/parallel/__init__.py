"""Parallel schemes: how workers share the search of a tree, on the package's own work-stealing runtime.

Bottom up: `shared_state` (the records that workers share, with the memory of split points), `deque`, `idling` (finding
work, or waiting for it), `splitting` (the search that is divided at split points), `crew` (the threads, seen from
Python). `outflank.search.division` has the registry of schemes.
"""
