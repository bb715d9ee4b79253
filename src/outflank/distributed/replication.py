"""Replication policies of the published report 000: which table entries a node sends to the other nodes, and how."""

from dataclasses import dataclass, replace

from outflank.errors import OutflankError, UnknownName
from outflank.validation.text import is_count

ANY_PLY = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication:
    """A replication policy. The values of searches never depend on it, because entries only save work."""

    name: str
    depth: int | None
    """Least depth of the table entries that are sent; None: the search chooses a depth at which entries are worth
    sending."""
    plies: int = ANY_PLY
    """Greatest distance from the root, in plies, of the positions whose table entries are sent."""
    batch: int
    """Number of table entries per message."""
    waits: bool
    """Whether workers wait until a message has been delivered to all nodes."""
    sends: bool = True
    entry_seconds: float = 0.0
    """Least search time, per receiving node, of a position whose entry is sent; used if `depth` is None."""

    def __str__(self) -> str:
        if not self.sends:
            return self.name
        limits = [f"plies={self.plies}"] if self.plies != ANY_PLY else []
        limits += [f"depth={self.depth}"] if self.depth is not None and not limits else []
        return f"{self.name}:{','.join([*limits, f'batch={self.batch}'])}"

    @property
    def least(self) -> int:
        """Value of `depth`; raises OutflankError if it is None."""
        if self.depth is None:
            raise OutflankError(f"replication {self}: without a cluster it needs depth= and a number")
        return self.depth


POLICIES = {
    # The program `par` of the published report 000.
    "none": Replication(name="none", depth=0, batch=1, waits=False, sends=False),
    # Report 000's program `par_rmi`: all entries, 10 000 at a time, and the search waits.
    "batch": Replication(name="batch", depth=2, batch=10_000, waits=True),
    # Report 000's `par_tuple`: only entries that took long to compute, each sent at once, as in a tuple space. The
    # report calls `par_rmi`, but not this program, synchronous.
    "depth": Replication(name="depth", depth=None, batch=1, waits=False, entry_seconds=1e-2),
    # The policy that the report expected to be best, but did not finish: entries that took long to compute, in batches.
    "async": Replication(name="async", depth=None, batch=1024, waits=False, entry_seconds=2e-5),
}

SMALLEST, LARGEST_BATCH = 1, 100_000


def replication_named(text: str) -> Replication:
    """Return the policy with the name in `text`, changed by the numbers after the name.

    >>> str(replication_named("async:depth=9,batch=100"))
    'async:depth=9,batch=100'
    """
    name, _, rest = text.partition(":")
    if name not in POLICIES:
        raise UnknownName.among("replication", name, tuple(POLICIES))
    policy = POLICIES[name]
    for item in filter(None, rest.split(",")):
        key, _, number = item.partition("=")
        if not policy.sends or key not in ("depth", "plies", "batch") or not is_count(number):
            raise OutflankError(f"replication {text!r}: {name} with depth=, plies= or batch= and a number")
        if key == "batch" and not SMALLEST <= int(number) <= LARGEST_BATCH:
            raise OutflankError(f"replication {text!r}: a message has {SMALLEST} to {LARGEST_BATCH:,} entries")
        if int(number) > ANY_PLY:
            raise OutflankError(f"replication {text!r}: {key} is {ANY_PLY:,} at most")
        if key == "plies":  # report 000's first attempt: a distance from the root
            policy = replace(policy, plies=int(number), depth=2)
        elif key == "depth":
            policy = replace(policy, depth=int(number))
        else:
            policy = replace(policy, batch=int(number))
    return policy
