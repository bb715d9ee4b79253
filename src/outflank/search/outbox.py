"""What a worker tells others of what it has found out: a ring of entries, for whoever carries them away.

One worker writes to a ring and one carrier reads from it, so that two words, how many entries were put in and how many
were carried away, are all they need to agree on. A ring is bounded: where it is full, a worker that may not wait drops
the entry, for entries only save work; one that must wait does so, but never longer than its own search is wanted.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.late import address_for, call_at
from outflank.kernels.memory import address_of, read_word, record_at, write_word
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import nanoseconds, sleep_on, wake
from outflank.search.stopping import BELL, poll_stop
from outflank.search.table import ENTRY_WORDS, Table, adopted, age_of, depth_of, looked_up, remember
from outflank.search.worker import WORKER

WORDS = ENTRY_WORDS
"""Of an entry on its way: the position's two, and its data."""

NAP_MICROSECONDS = 2000
"""How long a worker that waits sleeps before it looks whether its search is still wanted."""

OUTBOX = record_type(
    {
        "posted": np.int64,  # entries put in since the ring was cleared; the worker's
        "carried": np.int64,  # entries that have been taken away and may be overwritten; the carrier's
        "calls": np.int64,  # changes when there is something to carry at once
        # the worker's alone
        "ring": np.int64,  # address of the entries
        "room": np.int64,  # a power of two
        "batch": np.int64,  # entries after which a carrier is called
        "waits": np.int64,  # whether the worker then waits until they have been delivered
        "dropped": np.int64,
        "waited_ns": np.int64,
        "post_at": np.int64,  # address of `post`
    },
    apart=("posted", "carried", "calls"),
)


class Outbox:
    """The memory of a ring."""

    def __init__(self, room: int, batch: int, *, waits: bool) -> None:
        self._records = allocate(OUTBOX, 1)
        self.record = self._records[0]
        self._ring = np.zeros(room * WORDS, np.uint64)
        self.record.ring, self.record.room = address_of(self._ring), room
        self.record.batch, self.record.waits = batch, waits
        self.record.post_at = address_for(post, U64(0), U64(0), U64(0), allocate(WORKER, 1)[0])
        self.nbytes = OUTBOX.itemsize + self._ring.nbytes

    def clear(self) -> None:
        """Drop all entries; neither the worker nor the carrier may be using the ring.

        Counts restart at 0: a worker that waits for delivery does so at each multiple of the batch size, and its
        carrier sends only whole batches. If a batch started elsewhere, both would wait for ever.
        """
        self.record.posted = self.record.carried = 0

    @property
    def address(self) -> int:
        """What a worker's `outbox` is set to."""
        return address_of(self._records)


@kernel
def post(first, second, data, worker):
    """Put an entry into the worker's ring. By the address in its record (`post_late`): without a cluster this is not
    compiled."""
    outbox = record_at(worker.outbox, OUTBOX)
    posted = outbox.posted
    full = posted - load(outbox, "carried") >= outbox.room
    if full and (outbox.waits == 0 or not await_delivery(outbox, posted - outbox.room + 1, worker)):
        outbox.dropped += 1
        return np.int64(0)
    place = (posted & (outbox.room - 1)) * WORDS
    write_word(outbox.ring, place, first)
    write_word(outbox.ring, place + 1, second)
    write_word(outbox.ring, place + 2, data)
    posted += 1
    store(outbox, "posted", posted)
    if posted % outbox.batch == 0:
        _call(outbox)
        if outbox.waits != 0:
            await_delivery(outbox, posted, worker)
    return np.int64(1)


@inner
def _call(outbox):
    fetch_add(outbox, "calls", 1)
    wake(outbox, "calls", 1)


@kernel
def call_carrier(outbox):
    """Let who carries look up, as after a full batch."""
    _call(outbox)


@inner
def post_late(first, second, data, worker):
    """`post`, from the kernels of searches."""
    call_at(record_at(worker.outbox, OUTBOX).post_at, first, second, data, worker)


@inner
def await_delivery(outbox, number, worker):
    """Wait until so many entries have been carried away; whether they have: the search may have been stopped."""
    began = nanoseconds()
    carried = load(outbox, "carried")
    while carried < number and not poll_stop(worker):
        sleep_on(outbox, "carried", carried, NAP_MICROSECONDS)
        carried = load(outbox, "carried")
    outbox.waited_ns += nanoseconds() - began
    return carried >= number


@kernel
def await_call(outbox, seen, microseconds):
    """Sleep until a batch is full, at most about so long; how often a carrier has been called by now."""
    if load(outbox, "calls") == seen:
        sleep_on(outbox, "calls", seen, microseconds)
    return load(outbox, "calls")


@kernel
def collect(outbox, entries, least):
    """Copy what is in the ring to `entries`, as many as fit; how many, or 0 where there are not even `least`.

    They stay in the ring until they are released.
    """
    carried = load(outbox, "carried", "relaxed")
    count = min(load(outbox, "posted") - carried, np.int64(len(entries)))
    if count < least:
        return np.int64(0)
    for index in range(count):
        place = ((carried + index) & (outbox.room - 1)) * WORDS
        for word in range(WORDS):
            entries[index, word] = read_word(outbox.ring, place + word)
    return count


@kernel
def release(outbox, count):
    """So many entries have been delivered, or given up: whoever waited for that goes on."""
    fetch_add(outbox, "carried", count)
    wake(outbox, "carried", 1)


@kernel
def adopt(entries, count, worker):
    """Keep others' entries in the worker's table, unless it knows better; how many were kept.

    Whoever finds one of them later can tell that it was not found here.
    """
    kept = 0
    for index in range(count):
        first, second, data = entries[index, 0], entries[index, 1], entries[index, 2]
        known = looked_up(worker.table, worker.table_shift, first, second)
        if known == U64(0) or age_of(known) != worker.age or depth_of(known) < depth_of(data):
            remember(worker.table, worker.table_shift, first, second, adopted(data, worker.age))
            kept += 1
    return kept


def _worker() -> Any:
    """A record that has everything the kernels here touch, for as long as they are compiled."""
    worker = allocate(WORKER, 1)[0]
    table, bells, outbox = Table(4), allocate(BELL, 1), Outbox(16, 16, waits=False)
    table.lend(worker)
    worker.bell, worker.outbox = address_of(bells), outbox.address
    return worker, (table, bells, outbox)


@post.sample
def _post_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    worker, _keep = _worker()
    yield U64(1), U64(1), U64(1), worker


@call_carrier.sample
def _call_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield (Outbox(16, 16, waits=False).record,)


@await_call.sample
def _await_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield Outbox(16, 16, waits=False).record, 1, 1


@collect.sample
def _collect_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield Outbox(16, 16, waits=False).record, np.zeros((4, WORDS), np.uint64), 1


@release.sample
def _release_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield Outbox(16, 16, waits=False).record, 0


@adopt.sample
def _adopt_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    worker, _keep = _worker()
    yield np.zeros((4, WORDS), np.uint64), 0, worker
