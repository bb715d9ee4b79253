"""The public class `Cluster`, and functions that connect to a cluster or run tasks on one."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import Literal, Self, Unpack, get_args

from outflank.boards import Board
from outflank.distributed.engines import engine_at
from outflank.distributed.fabric import Fabric
from outflank.distributed.head import Head, Tuning
from outflank.distributed.node import NodeSetup
from outflank.distributed.replication import Replication, replication_named
from outflank.distributed.tasks import TaskDispatcher
from outflank.distributed.tasks.task_worker import MakeWorker
from outflank.errors import OutflankError, UnknownName
from outflank.search.division import Promise, Scheme
from outflank.search.keywords import ClusterKeywords
from outflank.search.request import Limits
from outflank.search.results import Result
from outflank.search.root import Root
from outflank.search.whole_search import iterate

MOST_PER_NODE = 256


def open_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> TaskDispatcher:
    """Return a dispatcher of tasks for the cluster at the address `text`; its `start` connects to the cluster. Each
    node creates a worker with `make`, and runs up to `per_node` tasks at a time."""
    _check(per_node)
    engine, address = engine_at(text)
    return TaskDispatcher(engine.task_carrier(address, make, per_node))


def serve_tasks(text: str, make: MakeWorker, *, per_node: int = 1) -> bool:
    """If this process is an MPI rank other than the head, serve tasks until the cluster closes, and return True;
    otherwise return False."""
    _check(per_node)
    engine, _ = engine_at(text)
    return engine.serve(make, lanes=per_node)


def nodes_here(text: str | None) -> int:
    """Return how many nodes the cluster at the address `text` has on this machine; 1 if that is not known, or if `text`
    is None."""
    if text is None:
        return 1
    engine, address = engine_at(text)
    return engine.nodes_here(address)


def _check(per_node: int) -> None:
    if not 1 <= per_node <= MOST_PER_NODE:
        raise OutflankError(f"{per_node} at a time on a node: 1 to {MOST_PER_NODE}")


ALGORITHMS = ("alphabeta", "pvs", "mtdf")
SplittingName = Literal["ybw", "jamboree", "stealing", "tds"]
SPLITTINGS: tuple[str, ...] = get_args(SplittingName)
"""Names of the parallel schemes that can divide the top of a tree among the nodes of a cluster."""


def connect(text: str, *, workers: int | None = None, tuning: Tuning | None = None) -> "Cluster":
    """Start a cluster on this machine, or connect to a running one, and return it.

    `local:3` starts processes, `inside:3` threads of this process; `ray://HOST:PORT` and `mpi` are running clusters.
    Addresses of engines registered in `engines` are accepted too. On MPI all ranks run the same program; ranks other
    than 0 serve jobs inside this call, and exit when rank 0 closes the cluster.
    """
    engine, address = engine_at(text)
    if engine.serve():
        raise SystemExit(0)
    return Cluster(engine.connect(address, workers), tuning=tuning)


def check_options(*, replication: str | Replication, parallel: str | None, algorithm: str) -> Replication:
    """Return the replication policy; raise an error if clusters do not support one of the options."""
    if parallel is not None and parallel not in SPLITTINGS:
        raise UnknownName.among("scheme for a cluster", parallel, SPLITTINGS)
    if algorithm not in ALGORITHMS:
        raise OutflankError(f"a cluster does not support {algorithm}: only {', '.join(ALGORITHMS)}")
    return replication_named(replication) if isinstance(replication, str) else replication


class Cluster:
    """Nodes that search together. As a context manager a cluster releases its nodes on exit.

    >>> from outflank import Limits, OthelloBoard
    >>> from outflank.distributed.engines.inside_engine import InsideFabric
    >>> with Cluster(InsideFabric(2)) as cluster:
    ...     result = cluster.search(OthelloBoard.start(6), Limits(depth=4), workers=1)
    >>> result.depth
    4
    """

    def __init__(self, fabric: Fabric, *, tuning: Tuning | None = None) -> None:
        self.fabric = fabric
        self.tuning: Tuning = tuning or Tuning()
        self.head: Head | None = None
        """The `Head` of the current or last search, which has the nodes and their statistics."""
        # Eras begin at the time in milliseconds, so that a process that later serves another command ignores messages
        # of this one.
        self._eras = itertools.count(time.time_ns() // 1_000_000)

    def search(
        self,
        board: Board,
        limits: Limits | None = None,
        *,
        replication: str | Replication = "async",
        parallel: SplittingName | None = None,
        **options: Unpack[ClusterKeywords],
    ) -> Result:
        """Return the last result of `iterate` with the same arguments. It has the best move."""
        *_, last = self.iterate(board, limits, replication=replication, parallel=parallel, **options)
        return last

    def iterate(
        self,
        board: Board,
        limits: Limits | None = None,
        *,
        replication: str | Replication = "async",
        parallel: SplittingName | None = None,
        **options: Unpack[ClusterKeywords],
    ) -> Iterator[Result]:
        """Yield a result for each iteration of a search by all nodes, as `outflank.iterate` does.

        `workers` is the number of workers on each node. `parallel` names the scheme that divides the tree among the
        nodes: with `ybw` or `jamboree` the head divides the top of the tree; with `stealing` nodes divide their jobs
        themselves and steal from each other; with `tds` (transposition-driven scheduling) every position is searched
        by the node that has its part of the table. `threshold` is the remaining depth at which a subtree becomes a job
        of one node; with `stealing` or `tds`, it is the least depth of a move that one node sends to another. A search
        by one worker has the same value. Each node has a table of the size of the search's table. If the last search
        had the same `table`, the nodes keep their tables too, unless the estimates before a proof use another table in
        between.
        """
        check_options(replication=replication, parallel=parallel, algorithm=options.get("algorithm", "pvs"))
        scheme = self.scheme(replication=replication, parallel=parallel)
        return self._note_best(iterate(board, limits, parallel=scheme, **options))

    def _note_best(self, results: Iterator[Result]) -> Iterator[Result]:
        for result in results:
            description = ", ".join(filter(None, (result.value_text, result.proved_text, f"depth {result.depth}")))
            self.fabric.note(f"the best so far: {result.move}, {description}")
            yield result

    def scheme(self, *, replication: str | Replication = "async", parallel: str | None = None) -> Scheme:
        """Return this cluster as a parallel scheme, for the argument `parallel` of `outflank.search`."""
        parallel = parallel or "ybw"
        policy = check_options(replication=replication, parallel=parallel, algorithm=ALGORITHMS[0])

        def divide(root: Root, workers: int) -> Head:
            setup = NodeSetup(
                game=root.game,
                position=root.position,
                # Not the size in the options: a `table` of the caller, or of the previous stage, may have another size.
                options=replace(
                    root.options, parallel=None, table_bits=None if root.table is None else root.table.bits
                ),
                # Nodes that divide the table have no use for each other's entries.
                replication=replication_named("none") if parallel == "tds" else policy,
                era=next(self._eras),
                parallel=parallel,
                follows=None if self.head is None or root.table is None else self.head.era_of(root.table),
            )
            self.head = Head(
                root, self.fabric, setup, in_order=parallel == "jamboree", tuning=self.tuning, eras=self._eras
            )
            return self.head

        return Scheme(
            name=f"{parallel} on {self.fabric.name}",
            algorithms=ALGORITHMS,
            promises=Promise.VALUE | Promise.MOVE,
            overhead="messages; what a node's table does not know of the others'",
            divide=divide,
        )

    def close(self) -> None:
        """Release the nodes."""
        self.fabric.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
