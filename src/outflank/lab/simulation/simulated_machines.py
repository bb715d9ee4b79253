"""Properties of simulated machines, and the costs of exchanging table entries between them."""

from dataclasses import dataclass

from outflank.distributed.node import ENTRY_BYTES, FLUSH_SECONDS
from outflank.distributed.replication import Replication
from outflank.lab.simulation.job_recording import EVERYTHING, RecordedJobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """The machines of a simulated cluster and their network."""

    nodes: int
    rate: float
    """Tree nodes per second that one cluster node searches."""
    latency: float = 0.0
    """Seconds that a message takes to arrive, in addition to its size divided by `bandwidth`."""
    bandwidth: float = float("inf")
    """Bytes per second from each node and to each node."""
    head_seconds: float = 0.0
    """Seconds that the head spends on a job: selecting it, sending it and receiving its result."""
    message_seconds: float = 0.0
    """Seconds that the sender and the receiver each spend on a message with table entries."""
    entry_seconds: float = 0.0
    """Additional seconds that the sender and the receiver each spend on a table entry."""

    def transfer_seconds(self, size: int) -> float:
        """Return the seconds that a message of `size` bytes takes to arrive."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True, slots=True)
class Traffic:
    """Costs of a replication policy for one cluster node, per second of search."""

    sending: float = 0.0
    """Seconds spent on sending table entries, and on waiting if the policy waits, per second of search."""
    receiving: float = 0.0
    """Seconds spent on receiving table entries from one other node, per second that this other node searches."""
    delay: float = 0.0
    """Seconds until a table entry can be used on the other nodes."""
    arriving: float = 1.0
    """Share of table entries that arrive. The others are dropped for lack of bandwidth."""
    entries: float = 0.0
    """Number of table entries that a node sends to each other node, per second of search."""
    messages: float = 0.0
    """Number of messages with table entries that a node sends to all others together, per second of search."""

    @classmethod
    def of(cls, policy: Replication, recording: RecordedJobs, machines: Machines) -> "Traffic":
        """Return the costs of a replication policy, from the number of table entries in a recording."""
        others = machines.nodes - 1
        if not policy.sends or not others:
            return cls()
        entries = sum(recording.entries[policy.least :]) / recording.nodes * machines.rate  # per second
        if not entries:
            return cls()
        # Without waiting, messages are sent after `FLUSH_SECONDS` even if they are not full.
        batch = policy.batch if policy.waits else max(1.0, min(policy.batch, entries * FLUSH_SECONDS))
        messages = entries / batch
        wire = others * batch * ENTRY_BYTES / machines.bandwidth
        sending = messages * others * machines.message_seconds + entries * machines.entry_seconds
        if policy.waits:
            sending += messages * (2 * machines.latency + wire)
        return cls(
            sending=sending,
            receiving=messages * machines.message_seconds + entries * machines.entry_seconds,
            delay=machines.latency + wire + batch / entries,
            arriving=1.0 if policy.waits else min(1.0, 1 / (messages * wire)) if wire else 1.0,
            entries=entries,
            messages=messages * others,
        )


def relative_work(policy: Replication, recording: RecordedJobs, machines: Machines) -> float:
    """Return the factor by which a policy changes the work of a node, if all nodes are busy and no entry is late.

    The best replication depth of a policy is the depth with the least factor. No simulation is needed to find it.
    """
    traffic, others = Traffic.of(policy, recording, machines), machines.nodes - 1
    if not others:
        return 1.0
    full_loss = recording.lost_below(EVERYTHING)
    avoided = (full_loss - recording.lost_below(policy.least)) * traffic.arriving if policy.sends else 0.0
    lost = (full_loss - avoided) * others / machines.nodes / recording.nodes
    return (1 + lost) * (1 + traffic.sending + traffic.receiving * others)
