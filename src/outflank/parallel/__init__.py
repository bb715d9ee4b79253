"""How workers share the search of a tree: schemes over a work-stealing runtime of its own.

Bottom up: `shared_state` (what workers share, with the memory of split points), `deque`, `idling` (finding work, or
waiting for it), `splitting` (the search that is divided at split points), `crew` (the threads, seen from Python). A
scheme registers itself with `outflank.search.division`.
"""
