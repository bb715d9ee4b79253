"""Machines on paper, and what it costs them to tell each other of their entries."""

from dataclasses import dataclass

from outflank.distributed.node import ENTRY_BYTES, FLUSH_SECONDS
from outflank.distributed.replication import Replication
from outflank.lab.simulation_recording import EVERYTHING, RecordedJobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """The nodes of a cluster, and what is between them."""

    nodes: int
    rate: float
    """Nodes of a tree that one of them enters in a second."""
    latency: float = 0.0
    """Seconds that a message takes however short it is."""
    bandwidth: float = float("inf")
    """Bytes a second from and to each node."""
    head_seconds: float = 0.0
    """What a job takes the head: to choose it, to send it and to take what comes of it."""
    message_seconds: float = 0.0
    """What a message with entries takes who sends it, and who receives it."""
    entry_seconds: float = 0.0
    """What each entry in it takes them besides."""

    def carried(self, size: int) -> float:
        """Seconds until a message of so many bytes is there."""
        return self.latency + size / self.bandwidth


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a policy costs a node, for each second that it searches."""

    sending: float = 0.0
    """Seconds spent on sending, and on waiting where the policy waits."""
    receiving: float = 0.0
    """Seconds spent for each other node that is searching."""
    delay: float = 0.0
    """Seconds until an entry is where it may be of use."""
    arriving: float = 1.0
    """The part of the entries that is not dropped for want of bandwidth."""
    entries: float = 0.0
    """Entries that a node makes in a second of search, and sends to each of the others."""
    messages: float = 0.0
    """Messages with them, to all others together."""

    @classmethod
    def of(cls, policy: Replication, recording: RecordedJobs, machines: Machines) -> "Traffic":
        """As it follows from how many entries there are."""
        others = machines.nodes - 1
        if not policy.sends or not others:
            return cls()
        entries = sum(recording.entries[policy.least :]) / recording.nodes * machines.rate  # each second
        if not entries:
            return cls()
        # A message that nobody waits for is sent after a while, full or not.
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


def effort(policy: Replication, recording: RecordedJobs, machines: Machines) -> float:
    """What a node's work grows to under a policy, if all nodes are always busy and nothing arrives late.

    The least of it says from which depth entries should be sent, without simulating every one.
    """
    traffic, others = Traffic.of(policy, recording, machines), machines.nodes - 1
    if not others:
        return 1.0  # nobody is told of anything
    everything = recording.lost_below(EVERYTHING)
    kept = (everything - recording.lost_below(policy.least)) * traffic.arriving if policy.sends else 0.0
    lost = (everything - kept) * others / machines.nodes / recording.nodes
    return (1 + lost) * (1 + traffic.sending + traffic.receiving * others)
