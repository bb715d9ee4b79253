"""The transposition table: what searches found out about positions that they may meet again.

Flat words, in buckets of 128 bytes: five entries of three words each. An entry holds the
position's two words and its data (value, depth, kind of bound, best move, age). The two words
are stored xored with the data: an entry that two workers have written at once, half and half,
then decodes to a position that nobody asks for, and reads as a miss. So nothing is locked, and
a hit is always a full comparison of the position.

All that is known of words, bits and buckets is known here. Others have data only from `packed` and `looked_up`, ask the
functions below what it says, and reach a table by the address and the shift that `Table.lend` gives a worker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from outflank import placement
from outflank.errors import InvalidOption
from outflank.kernels.bits import U64, multiply
from outflank.kernels.compiler import inner
from outflank.kernels.memory import address_of, new_words, prefetch, read_word, write_word
from outflank.machine import usable_memory

EMPTY, UPPER, LOWER, EXACT = 0, 1, 2, 3
"""Kinds of bound: the value is at most, at least, or exactly what is stored."""

ENTRY_WORDS = 3
"""Of an entry: the position's two, and its data."""

WAYS = 5
"""Entries of a bucket."""

WORDS_PER_BUCKET = 16
CACHE_LINE = 64
"""Bytes: of the smallest that there are."""
NO_MOVE = 0xFFFF

FEWEST_BITS, MOST_BITS = 4, 34

SMALL_BITS = 20
"""32 MiB."""

BUCKETS_AT_A_TIME = 1 << 16
"""That are looked through together, where all are: 8 MiB."""

# data: value + 2^15 in bits 0-15, move in 16-31, depth in 32-39, bound in 40-41, age in 42-44, selectivity in 45-47,
# how many workers are at it in 48-54, whether another node of a cluster found it in 55, and in which
# episode those at it began in 56-62;
# bit 63 is always set, so that no data is 0 and an empty slot matches no position.
OFFSET = 1 << 15
PRESENT = 1 << 63
FOREIGN = 1 << 55

AGES = 8
"""Searches that entries tell apart by their age."""

PROVED = 128
"""Added to the depth of an entry that is a final score. One table then serves both the estimates and the proof after
them: neither takes the other's values, and the proof begins with the estimates' moves."""


@inner
def hashed(first: Any, second: Any) -> Any:
    """A spread of both words over all bits; the table uses the highest ones."""
    mixed = multiply(first, U64(0x9E3779B97F4A7C15)) ^ multiply(second ^ (second >> U64(31)), U64(0xD6E8FEB86659FD93))
    mixed = multiply(mixed ^ (mixed >> U64(32)), U64(0xFF51AFD7ED558CCD))
    return mixed ^ (mixed >> U64(29))


@inner
def packed(value: Any, depth: Any, bound: Any, move: Any, age: Any) -> Any:
    """An entry's data in one word."""
    low = U64(value + OFFSET) | (U64(move) << U64(16)) | (U64(depth) << U64(32))
    return low | (U64(bound) << U64(40)) | (U64(age) << U64(42)) | U64(PRESENT)


@inner
def value_of(data: Any) -> Any:
    """The value in an entry's data."""
    return np.int64(data & U64(0xFFFF)) - OFFSET


@inner
def move_of(data: Any) -> Any:
    """The best move, or `NO_MOVE`."""
    return np.int64((data >> U64(16)) & U64(0xFFFF))


@inner
def depth_of(data: Any) -> Any:
    """The depth of the search that found the value."""
    return np.int64((data >> U64(32)) & U64(0xFF))


@inner
def bound_of(data: Any) -> Any:
    """The kind of bound."""
    return np.int64((data >> U64(40)) & U64(3))


@inner
def tells_value(data: Any) -> Any:
    """Whether it is more than a worker's mark, or nothing at all."""
    return bound_of(data) != EMPTY


@inner
def hint_of(data: Any) -> Any:
    """The best move, or `NO_MOVE`; also of no data at all."""
    return move_of(data) if data != U64(0) else np.int64(NO_MOVE)


@inner
def age_of(data: Any) -> Any:
    """The search that wrote it, modulo `AGES`."""
    return np.int64((data >> U64(42)) & U64(AGES - 1))


@inner
def selectivity_of(data: Any) -> Any:
    """How selective the search was that found the value: 0, not at all."""
    return np.int64((data >> U64(45)) & U64(7))


@inner
def with_selectivity(data: Any, selectivity_index: Any) -> Any:
    """The data of an entry whose value a search found that was so selective."""
    return data | (U64(selectivity_index) << U64(45))


@inner
def is_foreign(data: Any) -> Any:
    """1 if another node of a cluster found it, else 0."""
    return np.int64((data >> U64(55)) & U64(1))


@inner
def adopted(data: Any, age: Any) -> Any:
    """The data of an entry that another node of a cluster has found, as it is kept here: by this search, and at it is
    nobody."""
    found = packed(value_of(data), depth_of(data), bound_of(data), move_of(data), age)
    return with_selectivity(found, selectivity_of(data)) | U64(FOREIGN)


MOST_AT_IT, EPISODES = 127, 128


@inner
def at_it(data: Any, episode: Any) -> Any:
    """How many workers were searching the position in this episode when the entry was written."""
    if np.int64((data >> U64(56)) & U64(EPISODES - 1)) != episode:
        return np.int64(0)
    return np.int64((data >> U64(48)) & U64(MOST_AT_IT))


@inner
def marked(data: Any, workers: Any, episode: Any) -> Any:
    """The data with another number of workers at it."""
    rest = data & U64(0x8080FFFFFFFFFFFF)  # who found the value is kept
    return rest | (U64(min(workers, MOST_AT_IT)) << U64(48)) | (U64(episode) << U64(56))


WRITERS = (MOST_AT_IT + 1) * EPISODES
"""Numbers that an entry can be stamped with."""


def stamp(writer: int) -> int:
    """The age of a worker that marks its entries with a number, where who is at them is of no interest."""
    return (writer & MOST_AT_IT) << 6 | (writer >> 7) << 14


@inner
def writer_of(data: Any) -> Any:
    """The number that an entry was stamped with."""
    return (data >> U64(48)) & U64(MOST_AT_IT) | ((data >> U64(56)) & U64(EPISODES - 1)) << U64(7)


@inner
def _bucket(shift: Any, first: Any, second: Any) -> Any:
    return np.int64(hashed(first, second) >> U64(shift)) * WORDS_PER_BUCKET


@inner
def announce(address: Any, shift: Any, first: Any, second: Any) -> Any:
    """Say that a position will be looked up soon. Memory is waited for once then, where it would be for each of many:
    a bucket is hardly ever in a cache."""
    bucket = address + 8 * _bucket(shift, first, second)
    prefetch(bucket)
    prefetch(bucket + CACHE_LINE)


@inner
def looked_up(address: Any, shift: Any, first: Any, second: Any) -> Any:
    """The data for a position; 0 if the table does not know it."""
    bucket = _bucket(shift, first, second)
    for way in range(WAYS):
        data = read_word(address, bucket + ENTRY_WORDS * way + 2)  # race: an entry half and half fails the test below
        # race: an entry half and half fails this test
        if (
            read_word(address, bucket + ENTRY_WORDS * way) ^ data == first
            and read_word(address, bucket + ENTRY_WORDS * way + 1) ^ data == second
            and data != U64(0)
        ):
            return data
    return U64(0)


@inner
def remember(address: Any, shift: Any, first: Any, second: Any, data: Any) -> Any:
    """Keep an entry: in the position's own slot, or in that of the least valuable one."""
    bucket = _bucket(shift, first, second)
    chosen, least = 0, np.int64(1 << 40)
    age = age_of(data)
    for way in range(WAYS):
        old = read_word(address, bucket + ENTRY_WORDS * way + 2)  # race: at worst the slot of a better entry is chosen
        if old == U64(0):
            chosen, least = way, np.int64(-1)
            break
        # race: at worst the slot of a better entry is chosen
        if (
            read_word(address, bucket + ENTRY_WORDS * way) ^ old == first
            and read_word(address, bucket + ENTRY_WORDS * way + 1) ^ old == second
        ):
            # Same depth or another: the newest value is what this search will ask for.
            chosen, least = way, np.int64(-1)
            break
        # Deep entries took long to find; those of earlier searches may never be asked for again.
        worth = depth_of(old) + (256 if age_of(old) == age else 0)
        if worth < least:
            chosen, least = way, worth
    slot = bucket + ENTRY_WORDS * chosen
    write_word(address, slot, first ^ data)  # race: an entry half and half reads as a miss
    write_word(address, slot + 1, second ^ data)  # race: an entry half and half reads as a miss
    write_word(address, slot + 2, data)  # race: an entry half and half reads as a miss


def sound_proofs(entries: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Those of some entries, a position's two words and data in each row, that say what a proof can have found."""
    data = entries[:, 2]
    sound: npt.NDArray[np.uint64] = entries[_are_proofs(data) & (data >= U64(PRESENT))]
    return sound


def _are_proofs(data: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Which entries have values that were proved, and not by a selective search."""
    told = (data >> U64(40) & U64(3) != EMPTY) & (data >> U64(45) & U64(7) == 0)
    return np.asarray(told & (data >> U64(32) & U64(0xFF) >= PROVED), np.bool_)


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How full a table is."""

    entries: int
    slots: int
    full_buckets: int
    buckets: int

    @property
    def share(self) -> float:
        """Entries per slot."""
        return self.entries / self.slots


def check_bits(bits: int, *, tables: int = 1) -> None:
    """Refuse tables larger than memory: the system would grant them, and fail when they fill."""
    if not FEWEST_BITS <= bits <= MOST_BITS:
        raise InvalidOption(f"a table of {bits} bits: {FEWEST_BITS} to {MOST_BITS} are possible")
    # What every machine has is not asked for: to find out takes a millisecond, a tenth of a short proof.
    memory = usable_memory() if bits > SMALL_BITS else None
    if memory is not None and tables * 32 << bits > memory:
        needs = f"a table of {bits} bits needs" if tables == 1 else f"{tables} tables of {bits} bits need"
        raise InvalidOption(f"{needs} {tables * 32 << bits:,} bytes: this machine has {memory:,}")


_in_memory: dict[int, int] = {}
"""Bytes of every table that has not been freed, by its id: `dict` is changed in one step, from whatever thread."""


def tables_in_memory() -> tuple[int, int]:
    """Return the number of tables in this process, and their bytes."""
    sizes = list(_in_memory.values())
    return len(sizes), sum(sizes)


class Table:
    """Memory for entries. Searches that share one must agree on game, evaluation and pass rule."""

    def __init__(self, bits: int = 22, *, interleave: bool = False) -> None:
        check_bits(bits)
        self.bits = bits
        """32 · 2^bits bytes, room for 5/4 · 2^bits entries."""
        buckets = 1 << (bits - 2)
        try:
            # Aligned: an entry must not straddle more cache lines than its bucket does.
            self.words: npt.NDArray[np.uint64] = new_words(buckets * WORDS_PER_BUCKET)
        except MemoryError:
            raise InvalidOption(
                f"a table of {bits} bits needs {32 << bits:,} bytes: too much for this machine"
            ) from None
        _in_memory[id(self)] = int(self.words.nbytes)
        finalize(self, _in_memory.pop, id(self), None).atexit = False
        self.address: int = address_of(self.words)
        self.interleaved: bool = interleave and placement.interleave(self.address, self.words.nbytes)
        """Whether its pages lie in all memory nodes in turn."""
        self.shift: int = 64 - (bits - 2)
        """How far a hash is shifted to give its bucket."""
        self.age: int = 0
        """Counts searches, modulo `AGES`."""
        self.used: bool = False
        """Whether a search has had it since it was clear."""

    @property
    def nbytes(self) -> int:
        """The memory of the entries."""
        return int(self.words.nbytes)

    @property
    def slots(self) -> int:
        """Entries there is room for."""
        return len(self.words) // WORDS_PER_BUCKET * WAYS

    def lend(self, worker: Any) -> None:
        """Let a worker ask it, and keep what it finds there."""
        worker.table, worker.table_shift, worker.age = self.address, self.shift, self.age

    def clear(self) -> None:
        """Forget everything."""
        self.words[:] = 0
        self.used = False

    def grow_older(self) -> None:
        """Begin another search: entries of earlier ones make room first."""
        self.age, self.used = (self.age + 1) % AGES, True

    def occupancy(self, buckets: int | None = None) -> Occupancy:
        """Count the entries; those of the first buckets alone, where an idea of it is enough."""
        used = self._entries()[:buckets, :, 2] != 0
        return Occupancy(int(used.sum()), used.size, int(used.all(axis=1).sum()), len(used))

    def positions(self) -> npt.NDArray[np.uint64]:
        """The two words of every position that it knows, a row for each."""
        entries = self._entries()
        known = entries[entries[:, :, 2] != 0]
        pairs: npt.NDArray[np.uint64] = known[:, :2] ^ known[:, 2:]
        return pairs

    def dearest(self, most: int) -> npt.NDArray[np.uint64]:
        """The entries of proofs that took longest to find, so many at most: a position's words and data in each row.

        A search may go on meanwhile: what is half one entry and half another is of a position that nobody asks for.
        """
        counts = np.zeros(256, np.int64)
        for _, depths in self._proofs():
            counts += np.bincount(depths, minlength=256)
        deeper = np.cumsum(counts[::-1])[::-1]  # as deep as this, or deeper
        least = int(np.argmax(deeper <= most)) if deeper[255] <= most else 255
        found = [entries[depths >= least] for entries, depths in self._proofs()]
        # Those of the next depth that there is still room for.
        found += [entries[depths == least - 1] for entries, depths in self._proofs()] if least > PROVED else []
        rows: npt.NDArray[np.uint64] = np.concatenate(found)[:most] if found else np.zeros((0, ENTRY_WORDS), np.uint64)
        rows[:, :2] ^= rows[:, 2:]
        return rows

    def _proofs(self) -> Iterator[tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]]:
        """Entries of proofs as they lie there, with their depths, some buckets at a time: there may be no memory for a
        second table."""
        buckets = self._entries()
        for start in range(0, len(buckets), BUCKETS_AT_A_TIME):
            entries = buckets[start : start + BUCKETS_AT_A_TIME].reshape(-1, ENTRY_WORDS).copy()
            depths = (entries[:, 2] >> U64(32) & U64(0xFF)).astype(np.int64)
            told = _are_proofs(entries[:, 2])
            yield entries[told], depths[told]

    def _entries(self) -> npt.NDArray[np.uint64]:
        """The words of the entries, by bucket and way."""
        buckets = self.words.reshape(-1, WORDS_PER_BUCKET)
        return buckets[:, : ENTRY_WORDS * WAYS].reshape(-1, WAYS, ENTRY_WORDS)
