"""The fork-join graph of a user's program (`outflank.forkjoin`), for the replay on any number of workers.

A spawn forks a group of two jobs: the work of the parent until it syncs the child, and the child. So groups are nested,
which requires that the newest child is synced first. The cost of a spawn is part of the strands, because a single
worker spawns, too.
"""

import numpy as np

from outflank.errors import OutflankError
from outflank.forkjoin.recording import BEGIN, END, FRAME_ADDRESS, JOINED, KIND, SPAWN, SYNC
from outflank.lab.replay.fork_join_graph import END as ROOT_END
from outflank.lab.replay.fork_join_graph import NONE, Graph
from outflank.lab.spans.task_spans import Events, strand_lengths


def task_graph(events: Events) -> Graph:
    """Return the graph of one worker's events, with work in nanoseconds."""
    groups = int((events[:, KIND] == SPAWN).sum())
    strands = 1 + 3 * groups
    work, offers = np.zeros(strands), np.zeros(strands, np.int64)
    then, sibling = np.full(strands, ROOT_END), np.full(strands, NONE)
    first, after = np.full(groups, NONE), np.full(groups, NONE)
    group_of: dict[int, int] = {}  # frame -> group of its latest spawn
    unsynced: list[int] = []
    current = last = fork = 0
    lengths = strand_lengths(events).tolist()
    for kind, frame, length in zip(events[:, KIND].tolist(), events[:, FRAME_ADDRESS].tolist(), lengths, strict=True):
        if kind == JOINED:  # the time since the end of the child is part of the next strand
            current = last = last + 1
            after[group_of[frame]] = current
        work[current] += length
        if not frame:
            continue  # the first task
        if kind == SPAWN:
            group_of[frame] = fork
            unsynced.append(frame)
            then[current] = fork
            current = last = last + 1
            first[fork] = current
            fork += 1
        elif kind == SYNC:
            if unsynced.pop() != frame:
                raise OutflankError("a replay needs children that are synced newest first")
            then[current] = -1 - group_of[frame]
        elif kind == BEGIN:
            current = last = last + 1
            sibling[first[group_of[frame]]] = current
        elif kind == END:
            then[current] = -1 - group_of[frame]
    return Graph(work, offers, then, sibling, first, after)
