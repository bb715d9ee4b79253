"""Simulated machines, and the cost of exchanging table entries between them."""

from dataclasses import dataclass

from outflank.distributed.node import ENTRY_BYTES, FLUSH_SECONDS
from outflank.distributed.replication import Replication
from outflank.lab.simulation.job_recording import EVERYTHING, RecordedJobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """The nodes of a cluster and their network."""

    nodes: int
    rate: float
    """Tree nodes per second of one cluster node."""
    latency: float = 0.0
    """Least seconds of a message, at any size."""
    bandwidth: float = float("inf")
    """Bytes per second from and to each node."""
    head_seconds: float = 0.0
    """Seconds of the head per job: selecting it, sending it and receiving its result."""
    message_seconds: float = 0.0
    """Seconds of the sender, and of the receiver, per message with entries."""
    entry_seconds: float = 0.0
    """Additional seconds of both per entry."""

    def transfer_seconds(self, size: int) -> float:
        """Return the seconds until a message of `size` bytes arrives."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True, slots=True)
class Traffic:
    """Cost of a replication policy for a node, per second of search."""

    sending: float = 0.0
    """Seconds spent on sending, and on waiting if the policy waits."""
    receiving: float = 0.0
    """Seconds spent on receiving, per other node that is searching."""
    delay: float = 0.0
    """Seconds until an entry is usable on the other nodes."""
    arriving: float = 1.0
    """Share of the entries that is not dropped for lack of bandwidth."""
    entries: float = 0.0
    """Entries that a node makes per second of search, and sends to each other node."""
    messages: float = 0.0
    """Messages with entries per second, to all other nodes together."""

    @classmethod
    def of(cls, policy: Replication, recording: RecordedJobs, machines: Machines) -> "Traffic":
        """Return the traffic that follows from the recording's number of entries."""
        others = machines.nodes - 1
        if not policy.sends or not others:
            return cls()
        entries = sum(recording.entries[policy.least :]) / recording.nodes * machines.rate  # per second
        if not entries:
            return cls()
        # Without waiting, a message is sent after `FLUSH_SECONDS`, full or not.
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
    """Return the factor by which a policy changes a node's work, if all nodes are always busy and no entry is late.

    Its minimum gives the least depth of entries to send, without simulating every depth.
    """
    traffic, others = Traffic.of(policy, recording, machines), machines.nodes - 1
    if not others:
        return 1.0  # no other node receives entries
    full_loss = recording.lost_below(EVERYTHING)
    avoided = (full_loss - recording.lost_below(policy.least)) * traffic.arriving if policy.sends else 0.0
    lost = (full_loss - avoided) * others / machines.nodes / recording.nodes
    return (1 + lost) * (1 + traffic.sending + traffic.receiving * others)
