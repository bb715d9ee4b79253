"""Hash functions for boards: the transposition table's own function, well-known functions, and simple functions.

A hash function takes arrays of the boards' first and second words and a number of bits, and returns a slot below 2^bits
for each board. The published report 000 tried a dozen functions. A function that you register is compared with the
functions here.
"""

import zlib
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.games.rules import Game, Position
from outflank.kernels.compiler import Samples, kernel
from outflank.search.many_endings import Words
from outflank.search.table import hashed

Hash = Callable[[Words, Words, int], Words]

_hashes: dict[str, Hash] = {}


def register_hash(name: str, function: Hash) -> Hash:
    """Register a hash function for `outflank lab hash`. It maps both words of boards to slots below 2^bits."""
    _hashes[name] = function
    return function


def hashes() -> dict[str, Hash]:
    """Return all hash functions by name. The transposition table's own comes first."""
    return dict(_hashes)


def slots(name: str, first: Words, second: Words, bits: int) -> npt.NDArray[np.int64]:
    """Return the slot of each board. Raise `InvalidOption` if the hash function returns anything but valid slots."""
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64
        result = np.asarray(_hashes[name](first, second, bits))
    if result.shape != first.shape or result.dtype.kind not in "iu":
        raise InvalidOption(f"hash {name!r}: expected {len(first)} whole numbers, found {result.dtype} {result.shape}")
    if len(result) and (int(result.min()) < 0 or int(result.max()) >= 1 << bits):
        raise InvalidOption(f"hash {name!r}: expected slots from 0 to {(1 << bits) - 1}, found {int(result.max())}")
    return result.astype(np.int64)


# --- the transposition table's hash, from its kernel ---


@kernel
def hash_all(firsts, seconds, output):
    """Write the transposition table's hash of each position to `output`, and return `output`."""
    for index in range(firsts.shape[0]):
        output[index] = hashed(firsts[index], seconds[index])
    return output


@hash_all.sample
def _hash_all_sample(game: Game, position: Position, every: bool) -> Samples:
    words = np.zeros(1, np.uint64)
    yield words, words.copy(), words.copy()


def _table_hash(first: Words, second: Words, bits: int) -> Words:
    return _high(np.asarray(hash_all(first, second, np.empty_like(first))), bits)


# --- other hashes ---


def _word(number: int) -> np.uint64:
    return np.uint64(number)


def _high(word: Words, bits: int) -> Words:
    return word >> _word(64 - bits)


def _low(word: Words, bits: int) -> Words:
    return word & _word((1 << bits) - 1)


def _rotated(word: Words, by: int) -> Words:
    return (word << _word(by)) | (word >> _word(64 - by))


def _pieces(first: Words, second: Words, size: int) -> Iterator[Words]:
    """Yield the bits of both words in pieces of `size` bits."""
    for word in (first, second):
        for shift in range(0, 64, size):
            yield (word >> _word(shift)) & _word((1 << size) - 1)


def _zobrist(first: Words, second: Words, bits: int) -> Words:
    """Return the xor of random words, one for each bit that is set in the board's words."""
    numbers = np.random.default_rng(1).integers(0, 1 << 63, (128,), np.uint64)
    state = np.zeros_like(first)
    for index, bit in enumerate(_pieces(first, second, 1)):
        state ^= bit * numbers[index]
    return _low(state, bits)


def _murmur(first: Words, second: Words, bits: int) -> Words:
    """Return the finaliser of MurmurHash3, applied to one word after the other."""

    def mixed(word: Words) -> Words:
        word = (word ^ (word >> _word(33))) * _word(0xFF51AFD7ED558CCD)
        word = (word ^ (word >> _word(33))) * _word(0xC4CEB9FE1A85EC53)
        return word ^ (word >> _word(33))

    return _low(mixed(mixed(first) ^ second), bits)


def _splitmix(first: Words, second: Words, bits: int) -> Words:
    """Return the step of SplitMix64, applied to one word after the other."""

    def mixed(word: Words) -> Words:
        word = word + _word(0x9E3779B97F4A7C15)
        word = (word ^ (word >> _word(30))) * _word(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> _word(27))) * _word(0x94D049BB133111EB)
        return word ^ (word >> _word(31))

    return _low(mixed(mixed(first) ^ second), bits)


def _fnv(first: Words, second: Words, bits: int) -> Words:
    """Return the FNV-1a hash of all bytes of the board's words."""
    state = np.full_like(first, 0xCBF29CE484222325)
    for byte in _pieces(first, second, 8):
        state = (state ^ byte) * _word(0x100000001B3)
    return _low(state ^ (state >> _word(32)), bits)


def _one_at_a_time(first: Words, second: Words, bits: int) -> Words:
    """Return Jenkins's one-at-a-time hash of 32 bits over all bytes of the board's words."""
    state, mask = np.zeros_like(first), _word(0xFFFFFFFF)
    for byte in _pieces(first, second, 8):
        state = (state + byte) & mask
        state = (state + (state << _word(10))) & mask
        state ^= state >> _word(6)
    state = (state + (state << _word(3))) & mask
    state ^= state >> _word(11)
    state = (state + (state << _word(15))) & mask
    return _low(state, bits)


def _crc(first: Words, second: Words, bits: int) -> Words:
    """Return the CRC-32 of the sixteen bytes of a board."""
    boards = np.stack([first, second], axis=1).astype("<u8").view(np.uint8)
    return _low(np.fromiter((zlib.crc32(board.tobytes()) for board in boards), np.uint64, len(first)), bits)


def _times_31(first: Words, second: Words, bits: int) -> Words:
    """Return the hash of Java's arrays for four integers: 31 times the hash so far, plus the next integer."""
    state = np.ones_like(first)
    for piece in _pieces(first, second, 32):
        state = (state * _word(31) + piece) & _word(0xFFFFFFFF)
    return _low(state, bits)


def _add_and_rotate(first: Words, second: Words, bits: int) -> Words:
    """Return the sum of four 32-bit integers of the board. The sum is rotated by five bits before each addition."""
    state = np.zeros_like(first)
    for piece in _pieces(first, second, 32):
        state = _rotated(state, 5) + piece
    return _low(state ^ (state >> _word(32)), bits)


def _modulo(first: Words, second: Words, bits: int) -> Words:
    """Return the board as a number of 128 bits, modulo the greatest prime up to 2^bits."""
    prime = next(
        number
        for number in range(1 << bits, 1, -1)
        if all(number % divisor for divisor in range(2, int(number**0.5) + 1))
    )
    return ((first % _word(prime)) * _word((1 << 64) % prime) + second % _word(prime)) % _word(prime)


def _multiplied(first: Words, second: Words, bits: int) -> Words:
    """Return the highest bits of `first + 3 * second`, multiplied by the golden ratio."""
    return _high((first + second * _word(3)) * _word(0x9E3779B97F4A7C15), bits)


def _folded(first: Words, second: Words, bits: int) -> Words:
    """Return the xor of all pieces of `bits` bits of both words."""
    mixed, folded = first ^ second, np.zeros_like(first)
    for shift in range(0, 64, bits):
        folded ^= _low(mixed >> _word(shift), bits)
    return folded


def _low_bits(first: Words, second: Words, bits: int) -> Words:
    """Return the highest bits of the lower half of the xor of both words."""
    return _high((first ^ second) << _word(32), bits)


def _summed(first: Words, second: Words, bits: int) -> Words:
    """Return the sum of the four 32-bit integers of the board's words."""
    state = np.zeros_like(first)
    for piece in _pieces(first, second, 32):
        state = state + piece
    return _low(state, bits)


for _name, _function in {
    "outflank": _table_hash,
    "Zobrist": _zobrist,
    "Murmur's finaliser": _murmur,
    "SplitMix": _splitmix,
    "FNV-1a": _fnv,
    "one at a time": _one_at_a_time,
    "CRC-32": _crc,
    "times 31": _times_31,
    "add and turn": _add_and_rotate,
    "modulo a prime": _modulo,
    "one multiplication": _multiplied,
    "xor, folded": _folded,
    "sum of four": _summed,
    "xor, low bits": _low_bits,
}.items():
    register_hash(_name, _function)
