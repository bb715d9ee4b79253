"""Parallel schemes: how workers share the search of a tree, on the package's own work-stealing runtime.

Bottom up: `shared_state` (the records that workers share, with the memory of split points), `idling` (finding work, or
waiting for it), `taking` and `delivering` (moves and values of split points), `splitting` (the search that is divided
at split points), `crew` (the threads, seen from Python), `divided` and `table_driven` (divisions of an alpha-beta
search), and `schemes`. `outflank.kernels.deque` has the deque, and `outflank.search.division` the registry of schemes.
"""
