"""The transposition table: search results for positions that may be reached again.

A table is an array of 64-bit words, in buckets of 128 bytes: five entries of three words each. An entry holds the
position's two words and its data (value, depth, kind of bound, best move, age). The two words are stored xored with the
data. If two workers write an entry at the same time, it may be *torn*: some words come from one worker, some from the
other. A torn entry decodes to a position that is never looked up, and so reads as a miss. So nothing is locked, and
every hit is a comparison of the full position.

Only this module knows the layout of words, bits and buckets. Other modules get data from `packed` and `looked_up`, read
it with the functions below, and reach a table by the address and the shift that `Table.attach` gives a worker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import finalize

import numpy as np
import numpy.typing as npt

from outflank import placement
from outflank.errors import InvalidOption
from outflank.games.rules import Game, MoveCode, Position, Value, canonical, mirror, pack
from outflank.kernels.bits import U64, Int, Word, multiply
from outflank.kernels.compiler import inner
from outflank.kernels.memory import address_of, new_words, prefetch, read_word, write_word
from outflank.machine import usable_memory
from outflank.search.worker import Worker


@inner
def table_key(game: Game, position: Position, worker: Worker) -> tuple[int, Word, Word]:
    """Return the symmetry under which the table stores a position (0: none), and the mirrored position's two words."""
    symmetry = 0
    key = position
    if worker.canonical != 0:
        symmetry = canonical(game, position)
        key = mirror(game, position, symmetry)
    first, second = pack(game, key)
    return symmetry, first, second


EMPTY, UPPER, LOWER, EXACT = 0, 1, 2, 3
"""Kinds of bound: no value; or the value is at most, at least, or exactly the stored one."""

ENTRY_WORDS = 3
"""Number of words of an entry: two for the position, and one for its data."""

WAYS = 5
"""Number of entries of a bucket."""

WORDS_PER_BUCKET = 16
CACHE_LINE = 64
"""Size in bytes of the smallest cache line of current processors."""
NO_MOVE = 0xFFFF

FEWEST_BITS, MOST_BITS = 4, 34

SMALL_BITS = 20
"""Largest size in bits of a table that every machine is assumed to have memory for: 32 MiB."""

BUCKETS_AT_A_TIME = 1 << 16
"""Number of buckets scanned at a time: 8 MiB."""

# Bits of an entry's data: 0-15 value + 2^15, 16-31 move, 32-39 depth, 40-41 bound, 42-44 age, 45-47 selectivity, 48-54
# number of workers that search the position, 55 whether another node of a cluster found the entry, 56-62 episode of
# those workers. Bit 63 is always set, so that no data is 0 and an empty slot matches no position.
OFFSET = 1 << 15
PRESENT = 1 << 63
FOREIGN = 1 << 55

AGES = 8
"""Number of different ages of table entries; after the last, ages start again at 0."""

PROVED = 128
"""Number added to the depth of an entry whose value is a final score. So the estimates and the proof after them can
share a table: neither search uses values of the other, but the proof tries the moves of the estimates first."""


@inner
def hashed(first: Word, second: Word) -> Word:
    """Return a hash of a position's two words; the table uses its highest bits."""
    mixed = multiply(first, U64(0x9E3779B97F4A7C15)) ^ multiply(second ^ (second >> U64(31)), U64(0xD6E8FEB86659FD93))
    mixed = multiply(mixed ^ (mixed >> U64(32)), U64(0xFF51AFD7ED558CCD))
    return mixed ^ (mixed >> U64(29))


@inner
def packed(value: Value, depth: int, bound: int, move: MoveCode, age: int) -> Word:
    """Return an entry's data in one word, without selectivity and marks."""
    low = U64(value + OFFSET) | (U64(move) << U64(16)) | (U64(depth) << U64(32))
    return low | (U64(bound) << U64(40)) | (U64(age) << U64(42)) | U64(PRESENT)


@inner
def value_of(data: Word) -> Value:
    """Return the value in an entry's data."""
    return np.int64(data & U64(0xFFFF)) - OFFSET


@inner
def move_of(data: Word) -> MoveCode:
    """Return the best move in an entry's data, or `NO_MOVE`."""
    return np.int64((data >> U64(16)) & U64(0xFFFF))


@inner
def depth_of(data: Word) -> Int:
    """Return the depth of the search that found an entry's value, plus `PROVED` if the value is a final score."""
    return np.int64((data >> U64(32)) & U64(0xFF))


@inner
def bound_of(data: Word) -> Int:
    """Return the kind of bound in an entry's data."""
    return np.int64((data >> U64(40)) & U64(3))


@inner
def tells_value(data: Word) -> bool:
    """Return whether an entry's data has a value: it is not 0, and not only a worker's mark."""
    return bound_of(data) != EMPTY


@inner
def hint_of(data: Word) -> MoveCode:
    """Return the best move in an entry's data; `NO_MOVE` if it has none, or if there is no data (0)."""
    return move_of(data) if data != U64(0) else np.int64(NO_MOVE)


@inner
def age_of(data: Word) -> Int:
    """Return the age of the search that stored an entry, its number modulo `AGES`."""
    return np.int64((data >> U64(42)) & U64(AGES - 1))


@inner
def selectivity_of(data: Word) -> Int:
    """Return the selectivity index of the search that found an entry's value; 0: not selective."""
    return np.int64((data >> U64(45)) & U64(7))


@inner
def with_selectivity(data: Word, selectivity_index: int) -> Word:
    """Return an entry's data with the selectivity index of the search that found the value."""
    return data | (U64(selectivity_index) << U64(45))


@inner
def is_foreign(data: Word) -> Int:
    """Return 1 if another node of a cluster found the entry, else 0."""
    return np.int64((data >> U64(55)) & U64(1))


@inner
def adopted(data: Word, age: int) -> Word:
    """Return the data with which this node of a cluster stores an entry of another node: with the age of the search
    here, and without marks of workers."""
    own_data = packed(value_of(data), depth_of(data), bound_of(data), move_of(data), age)
    return with_selectivity(own_data, selectivity_of(data)) | U64(FOREIGN)


MOST_WORKERS_AT, EPISODES = 127, 128


@inner
def workers_at(data: Word, episode: int) -> Int:
    """Return how many workers were searching an entry's position when it was written, in search number `episode`."""
    if np.int64((data >> U64(56)) & U64(EPISODES - 1)) != episode:
        return np.int64(0)
    return np.int64((data >> U64(48)) & U64(MOST_WORKERS_AT))


@inner
def marked(data: Word, workers: int, episode: int) -> Word:
    """Return an entry's data with the mark that `workers` workers search the position, in search number `episode`."""
    rest = data & U64(0x8080FFFFFFFFFFFF)  # keeps the bit `FOREIGN`
    return rest | (U64(min(workers, MOST_WORKERS_AT)) << U64(48)) | (U64(episode) << U64(56))


WRITERS = (MOST_WORKERS_AT + 1) * EPISODES
"""Number of different writers that `stamp` can tell apart."""


def stamp(writer: int) -> int:
    """Return an age that also stamps a writer's number on entries, for searches that use no marks of workers."""
    return (writer & MOST_WORKERS_AT) << 6 | (writer >> 7) << 14


@inner
def writer_of(data: Word) -> Word:
    """Return the writer's number that an entry was stamped with."""
    return (data >> U64(48)) & U64(MOST_WORKERS_AT) | ((data >> U64(56)) & U64(EPISODES - 1)) << U64(7)


@inner
def _bucket(shift: int, first: Word, second: Word) -> Int:
    return np.int64(hashed(first, second) >> U64(shift)) * WORDS_PER_BUCKET


@inner
def prefetch_bucket(address: int, shift: int, first: Word, second: Word) -> None:
    """Prefetch the bucket of a position that will be looked up soon. A bucket is hardly ever in a cache. After several
    prefetches, the look-ups wait for memory only once."""
    bucket = address + 8 * _bucket(shift, first, second)
    prefetch(bucket)
    prefetch(bucket + CACHE_LINE)


@inner
def looked_up(address: int, shift: int, first: Word, second: Word) -> Word:
    """Return the data of a position's entry; 0 if there is none."""
    bucket = _bucket(shift, first, second)
    for way in range(WAYS):
        data = read_word(address, bucket + ENTRY_WORDS * way + 2)  # race: a torn entry fails the test below
        # race: a torn entry fails this test
        if (
            read_word(address, bucket + ENTRY_WORDS * way) ^ data == first
            and read_word(address, bucket + ENTRY_WORDS * way + 1) ^ data == second
            and data != U64(0)
        ):
            return data
    return U64(0)


@inner
def remember(address: int, shift: int, first: Word, second: Word, data: Word) -> None:
    """Store an entry: over the old entry of the position, in an empty slot, or over the least valuable entry of the
    bucket."""
    bucket = _bucket(shift, first, second)
    slot_way, least = 0, np.int64(1 << 40)
    age = age_of(data)
    for way in range(WAYS):
        old = read_word(address, bucket + ENTRY_WORDS * way + 2)  # race: at worst a better entry is overwritten
        if old == U64(0):
            slot_way, least = way, np.int64(-1)
            break
        # race: at worst a better entry is overwritten
        if (
            read_word(address, bucket + ENTRY_WORDS * way) ^ old == first
            and read_word(address, bucket + ENTRY_WORDS * way + 1) ^ old == second
        ):
            # The old entry is replaced even if it is deeper: this search will look up the newest value.
            slot_way, least = way, np.int64(-1)
            break
        # Deep entries took long to find; entries of earlier searches may never be used again.
        worth = depth_of(old) + (256 if age_of(old) == age else 0)
        if worth < least:
            slot_way, least = way, worth
    _write(address, bucket + ENTRY_WORDS * slot_way, first, second, data)


@inner
def remember_unless_deeper(address: int, shift: int, first: Word, second: Word, data: Word) -> bool:
    """Store an entry as `remember` does, unless the position has an entry of the same age that is at least as deep.
    Return whether the entry was stored.

    The function walks through the bucket only once. A look-up and a call of `remember` would walk through it twice.
    """
    bucket = _bucket(shift, first, second)
    slot_way, least = 0, np.int64(1 << 40)
    age = age_of(data)
    for way in range(WAYS):
        old = read_word(address, bucket + ENTRY_WORDS * way + 2)  # race: at worst a better entry is overwritten
        if old == U64(0):
            slot_way = way
            break
        # race: at worst a better entry is overwritten
        if (
            read_word(address, bucket + ENTRY_WORDS * way) ^ old == first
            and read_word(address, bucket + ENTRY_WORDS * way + 1) ^ old == second
        ):
            if age_of(old) == age and depth_of(old) >= depth_of(data):
                return False
            slot_way = way
            break
        worth = depth_of(old) + (256 if age_of(old) == age else 0)
        if worth < least:
            slot_way, least = way, worth
    _write(address, bucket + ENTRY_WORDS * slot_way, first, second, data)
    return True


@inner
def _write(address: int, slot: int, first: Word, second: Word, data: Word) -> None:
    write_word(address, slot, first ^ data)  # race: a torn entry reads as a miss
    write_word(address, slot + 1, second ^ data)  # race: a torn entry reads as a miss
    write_word(address, slot + 2, data)  # race: a torn entry reads as a miss


def sound_proofs(entries: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the entries (rows of a position's two words and data) that a proof can have stored."""
    data = entries[:, 2]
    sound: npt.NDArray[np.uint64] = entries[_are_proofs(data) & (data >= U64(PRESENT))]
    return sound


def _depths(entries: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    return (entries[:, 2] >> U64(32) & U64(0xFF)).astype(np.int64)


def _are_proofs(data: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return for each entry whether its value is proved and was not found by a selective search."""
    has_exact_value = (data >> U64(40) & U64(3) != EMPTY) & (data >> U64(45) & U64(7) == 0)
    return np.asarray(has_exact_value & (data >> U64(32) & U64(0xFF) >= PROVED), np.bool_)


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Numbers of entries and of full buckets in a table, or in a part of it."""

    entries: int
    slots: int
    full_buckets: int
    buckets: int

    @property
    def share(self) -> float:
        """Share of the slots that hold an entry."""
        return self.entries / self.slots


def check_bits(bits: int, *, tables: int = 1) -> None:
    """Raise `InvalidOption` if the size is not possible, or the tables do not fit in memory. (Such tables could be
    allocated, but not filled.)"""
    if not FEWEST_BITS <= bits <= MOST_BITS:
        raise InvalidOption(f"a table of {bits} bits: {FEWEST_BITS} to {MOST_BITS} are possible")
    # A small table is not checked: reading the memory size takes a millisecond, a tenth of a short proof.
    memory = usable_memory() if bits > SMALL_BITS or tables > 1 else None
    if memory is not None and tables * 32 << bits > memory:
        needs = f"a table of {bits} bits needs" if tables == 1 else f"{tables} tables of {bits} bits need"
        raise InvalidOption(f"{needs} {tables * 32 << bits:,} bytes: this machine has {memory:,}")


_in_memory: dict[int, int] = {}
"""Size in bytes of every table that has not been freed, by the table's id. It needs no lock, because each change of a
`dict` is atomic."""


def tables_in_memory() -> tuple[int, int]:
    """Return the number of tables in this process, and their total size in bytes."""
    sizes = list(_in_memory.values())
    return len(sizes), sum(sizes)


class Table:
    """A transposition table. Searches that share a table must have the same game, evaluation and pass rule."""

    def __init__(self, bits: int = 22, *, interleave: bool = False) -> None:
        check_bits(bits)
        self.bits = bits
        """Size of the table: 32 · 2^bits bytes, room for 5/4 · 2^bits entries."""
        buckets = 1 << (bits - 2)
        try:
            # The words are aligned, so that a bucket does not span more cache lines than necessary.
            self.words: npt.NDArray[np.uint64] = new_words(buckets * WORDS_PER_BUCKET)
        except MemoryError:
            raise InvalidOption(
                f"a table of {bits} bits needs {32 << bits:,} bytes: too much for this machine"
            ) from None
        _in_memory[id(self)] = int(self.words.nbytes)
        finalize(self, _in_memory.pop, id(self), None).atexit = False
        self.address: int = address_of(self.words)
        self.interleaved: bool = interleave and placement.interleave(self.address, self.words.nbytes)
        """Whether the table's pages alternate between all memory nodes."""
        self.shift: int = 64 - (bits - 2)
        """Right shift that turns a hash into a bucket number."""
        self.age: int = 0
        """Number of searches so far, modulo `AGES`."""
        self.used: bool = False
        """Whether a search has used the table since it was cleared."""
        self.times_cleared: int = 0

    @property
    def nbytes(self) -> int:
        """Memory of the entries in bytes."""
        return int(self.words.nbytes)

    @property
    def slots(self) -> int:
        """Number of entries for which the table has room."""
        return len(self.words) // WORDS_PER_BUCKET * WAYS

    def attach(self, worker: Worker) -> None:
        """Set the fields of a worker's record that let it use the table."""
        worker.table, worker.table_shift, worker.age = self.address, self.shift, self.age

    def clear(self) -> None:
        """Remove all entries."""
        self.words[:] = 0
        self.used = False
        self.times_cleared += 1

    def new_search(self) -> None:
        """Begin another search, which replaces entries of earlier searches first."""
        self.age, self.used = (self.age + 1) % AGES, True

    def occupancy(self, buckets: int | None = None) -> Occupancy:
        """Count the entries in the first `buckets` buckets, for an estimate; None: in all."""
        used = self._entries()[:buckets, :, 2] != 0
        return Occupancy(int(used.sum()), used.size, int(used.all(axis=1).sum()), len(used))

    def positions(self) -> npt.NDArray[np.uint64]:
        """Return the two words of every position in the table, a row for each."""
        entries = self._entries()
        known = entries[entries[:, :, 2] != 0]
        pairs: npt.NDArray[np.uint64] = known[:, :2] ^ known[:, 2:]
        return pairs

    def costliest_entries(self, most: int, *, proofs: bool = False) -> npt.NDArray[np.uint64]:
        """Return the deepest entries, at most `most`, as rows of a position's words and data. These entries took
        longest to find. With `proofs`, return only entries of proofs.

        A search may run meanwhile: a torn entry belongs to a position that is never looked up.
        """
        counts = np.zeros(256, np.int64)
        for entries in self._entries_of_depth(0, proofs):
            counts += np.bincount(_depths(entries), minlength=256)
        counts_from = np.cumsum(counts[::-1])[::-1]  # number of entries at least as deep
        least = int(np.argmax(counts_from <= most)) if counts_from[255] <= most else 255
        # One depth more, as far as there is room.
        parts = list(self._entries_of_depth(max(least - 1, 0), proofs))
        rows = np.concatenate([part[_depths(part) >= least] for part in parts])
        if least > 0:
            rows = np.concatenate([rows, *(part[_depths(part) == least - 1] for part in parts)])[:most]
        rows[:, :2] ^= rows[:, 2:]
        return rows

    def _entries_of_depth(self, least: int, proofs: bool) -> Iterator[npt.NDArray[np.uint64]]:
        """Yield the stored entries with a value and at least this depth; with `proofs`, only entries of proofs.

        Some buckets are read at a time, because there may be no memory for a copy of the table. Only wanted entries are
        copied: with a copy of all entries, this took two to three times as long when few had a value.
        """
        buckets = self._entries()
        for start in range(0, len(buckets), BUCKETS_AT_A_TIME):
            entries = buckets[start : start + BUCKETS_AT_A_TIME]
            data = entries[:, :, 2]
            rows = entries[_are_proofs(data) if proofs else data & U64(3 << 40) != U64(EMPTY << 40)]
            yield rows if least == 0 else rows[_depths(rows) >= least]

    def _entries(self) -> npt.NDArray[np.uint64]:
        """Return the stored words, by bucket, entry and word."""
        buckets = self.words.reshape(-1, WORDS_PER_BUCKET)
        return buckets[:, : ENTRY_WORDS * WAYS].reshape(-1, WAYS, ENTRY_WORDS)
