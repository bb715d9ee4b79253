"""Ring buffers of table entries that a worker sends to the other nodes of a cluster; a carrier thread empties them.

A ring has one writer, a worker, and one reader, the carrier. Besides the entries they share three counters: the worker
counts the entries posted, the carrier counts the entries carried, and a change of `calls` wakes the carrier. A ring is
bounded. If it is full, a worker that may not wait drops the entry, since entries only save work. A worker that must
wait does so only while its own search is still wanted.
"""

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.late import address_for, call_at
from outflank.kernels.memory import address_of, read_word, record_at, write_word
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import nanoseconds, sleep_on, wake
from outflank.search.stopping import BELL, poll_stop
from outflank.search.table import ENTRY_WORDS, Table, adopted, prefetch_bucket, remember_unless_deeper
from outflank.search.worker import WORKER, Worker

WORDS = ENTRY_WORDS
"""Number of words of an entry in a ring: two for the position, and one for its data."""

ADOPTED_AHEAD = 8
"""Number of entries whose buckets are prefetched ahead of the entry that is stored. The entries of an update are in no
order and a table seldom fits in a cache. So without prefetching, each entry would wait for memory."""

NAP_MICROSECONDS = 2000
"""Microseconds that a waiting worker sleeps before it checks whether its search is still wanted."""

OUTBOX = record_type(
    {
        "posted": np.int64,  # entries put in since the ring was cleared; written by the worker
        "carried": np.int64,  # entries carried away, which may be overwritten; written by the carrier
        "calls": np.int64,  # changes when entries must be carried at once
        # used by the worker alone
        "ring": np.int64,  # address of the entries
        "room": np.int64,  # a power of two
        "batch": np.int64,  # entries after which a carrier is called
        "waits": np.int64,  # whether the worker waits for the delivery of each batch
        "dropped": np.int64,
        "waited_ns": np.int64,
        "post_at": np.int64,  # address of `post`
    },
    own_lines=("posted", "carried", "calls"),
)


class Outbox:
    """A ring buffer of table entries for other nodes of a cluster, and its record."""

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

        Counts restart at 0. A worker that waits for delivery waits at each multiple of the batch size, and its carrier
        sends only whole batches. If a batch began at another count, worker and carrier would wait for ever.
        """
        self.record.posted = self.record.carried = 0

    @property
    def address(self) -> int:
        """Address of the ring's record, for a worker's field `outbox`."""
        return address_of(self._records)


@kernel
def post(first, second, data, worker):
    """Put a table entry into the worker's ring. Return 1, or 0 if the entry was dropped.

    Searches call this kernel by its address in the ring's record (`post_late`), so that it is compiled only for
    clusters.
    """
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
    """Wake the carrier thread of a ring, as after a full batch."""
    _call(outbox)


@inner
def post_late(first, second, data, worker):
    """Call `post` by its address, from the kernels of searches."""
    call_at(record_at(worker.outbox, OUTBOX).post_at, first, second, data, worker)


@inner
def await_delivery(outbox, number, worker):
    """Wait until a ring's first `number` entries are sent, or the search is stopped. Return whether they are sent."""
    began = nanoseconds()
    carried = load(outbox, "carried")
    while carried < number and not poll_stop(worker):
        sleep_on(outbox, "carried", carried, NAP_MICROSECONDS)
        carried = load(outbox, "carried")
    outbox.waited_ns += nanoseconds() - began
    return carried >= number


@kernel
def await_call(outbox, seen, microseconds):
    """As a ring's carrier thread, sleep while the number of calls is `seen`, for about `microseconds` at most. Return
    the number of calls."""
    if load(outbox, "calls") == seen:
        sleep_on(outbox, "calls", seen, microseconds)
    return load(outbox, "calls")


@kernel
def collect(outbox, entries, least):
    """Copy as many of a ring's unsent entries as fit to `entries`. Return the number copied; copy nothing and return 0
    if this number would be less than `least`.

    The entries stay in the ring until `release`.
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
    """Mark a ring's next `count` entries as sent or given up, and wake a worker that waits for their delivery."""
    fetch_add(outbox, "carried", count)
    wake(outbox, "carried", 1)


@kernel
def adopt(entries, count, worker):
    """Store table entries of other cluster nodes, marked as foreign, in the worker's table. Skip an entry if the table
    has an entry of the same position and search that is at least as deep. Return the number of entries stored."""
    stored = 0
    for index in range(min(ADOPTED_AHEAD, count)):
        prefetch_bucket(worker.table, worker.table_shift, entries[index, 0], entries[index, 1])
    for index in range(count):
        if index + ADOPTED_AHEAD < count:
            ahead = index + ADOPTED_AHEAD
            prefetch_bucket(worker.table, worker.table_shift, entries[ahead, 0], entries[ahead, 1])
        first, second, data = entries[index, 0], entries[index, 1], entries[index, 2]
        stored += remember_unless_deeper(worker.table, worker.table_shift, first, second, adopted(data, worker.age))
    return stored


def _worker() -> tuple[Worker, tuple[object, ...]]:
    """Return a worker's record for samples, and the objects that it refers to by address."""
    worker = allocate(WORKER, 1)[0]
    table, bells, outbox = Table(4), allocate(BELL, 1), Outbox(16, 16, waits=False)
    table.attach(worker)
    worker.bell, worker.outbox = address_of(bells), outbox.address
    return worker, (table, bells, outbox)


@post.sample
def _post_sample(game: Game, position: Position, every: bool) -> Samples:
    worker, _keep = _worker()
    yield U64(1), U64(1), U64(1), worker


@call_carrier.sample
def _call_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (Outbox(16, 16, waits=False).record,)


@await_call.sample
def _await_sample(game: Game, position: Position, every: bool) -> Samples:
    yield Outbox(16, 16, waits=False).record, 1, 1


@collect.sample
def _collect_sample(game: Game, position: Position, every: bool) -> Samples:
    yield Outbox(16, 16, waits=False).record, np.zeros((4, WORDS), np.uint64), 1


@release.sample
def _release_sample(game: Game, position: Position, every: bool) -> Samples:
    yield Outbox(16, 16, waits=False).record, 0


@adopt.sample
def _adopt_sample(game: Game, position: Position, every: bool) -> Samples:
    worker, _keep = _worker()
    yield np.zeros((4, WORDS), np.uint64), 0, worker
