"""Hash functions for boards: the table's own, well-known ones, and what one would try first.

Each goes from the two words of many boards and a number of bits to as many slots, numbers below 2^bits. Report 000 had
tried a dozen; one of your own is compared with these once it is registered.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.kernels.compiler import kernel
from outflank.search.table import hashed

Words = npt.NDArray[np.uint64]
Hash = Callable[[Words, Words, int], Words]

_hashes: dict[str, Hash] = {}


def register_hash(name: str, function: Hash) -> Hash:
    """Let `outflank lab hash` try a function too: from both words of boards, and bits, to slots below 2^bits."""
    _hashes[name] = function
    return function


def hashes() -> dict[str, Hash]:
    """All of them by name, the table's own first."""
    return dict(_hashes)


def slots(name: str, first: Words, second: Words, bits: int) -> npt.NDArray[np.int64]:
    """The slots that a function gives to boards; refuses what is no slot."""
    with np.errstate(over="ignore"):  # words go round
        found = np.asarray(_hashes[name](first, second, bits))
    if found.shape != first.shape or found.dtype.kind not in "iu":
        raise InvalidOption(f"hash {name!r}: expected {len(first)} whole numbers, found {found.dtype} {found.shape}")
    if len(found) and (int(found.min()) < 0 or int(found.max()) >= 1 << bits):
        raise InvalidOption(f"hash {name!r}: expected slots from 0 to {(1 << bits) - 1}, found {int(found.max())}")
    return found.astype(np.int64)


# --- the table's own, as the kernels compute it ---


@kernel
def hash_all(firsts, seconds, found):
    """The table's own hash of many positions."""
    for index in range(firsts.shape[0]):
        found[index] = hashed(firsts[index], seconds[index])
    return found


@hash_all.sample
def _hash_all_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    words = np.zeros(1, np.uint64)
    yield words, words.copy(), words.copy()


def _ours(first: Words, second: Words, bits: int) -> Words:
    return _high(np.asarray(hash_all(first, second, np.empty_like(first))), bits)


# --- others ---


def _word(number: int) -> np.uint64:
    return np.uint64(number)


def _high(word: Words, bits: int) -> Words:
    return word >> _word(64 - bits)


def _low(word: Words, bits: int) -> Words:
    return word & _word((1 << bits) - 1)


def _turned(word: Words, by: int) -> Words:
    return (word << _word(by)) | (word >> _word(64 - by))


def _pieces(first: Words, second: Words, size: int) -> Iterator[Words]:
    """Both words in pieces of `size` bits."""
    for word in (first, second):
        for shift in range(0, 64, size):
            yield (word >> _word(shift)) & _word((1 << size) - 1)


def _zobrist(first: Words, second: Words, bits: int) -> Words:
    """A random word for each square and colour, xored."""
    numbers = np.random.default_rng(1).integers(0, 1 << 63, (128,), np.uint64)
    found = np.zeros_like(first)
    for place, bit in enumerate(_pieces(first, second, 1)):
        found ^= bit * numbers[place]
    return _low(found, bits)


def _murmur(first: Words, second: Words, bits: int) -> Words:
    """The finaliser of MurmurHash3, of one word after the other."""

    def mixed(word: Words) -> Words:
        word = (word ^ (word >> _word(33))) * _word(0xFF51AFD7ED558CCD)
        word = (word ^ (word >> _word(33))) * _word(0xC4CEB9FE1A85EC53)
        return word ^ (word >> _word(33))

    return _low(mixed(mixed(first) ^ second), bits)


def _splitmix(first: Words, second: Words, bits: int) -> Words:
    """The step of SplitMix64, of one word after the other."""

    def mixed(word: Words) -> Words:
        word = word + _word(0x9E3779B97F4A7C15)
        word = (word ^ (word >> _word(30))) * _word(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> _word(27))) * _word(0x94D049BB133111EB)
        return word ^ (word >> _word(31))

    return _low(mixed(mixed(first) ^ second), bits)


def _fnv(first: Words, second: Words, bits: int) -> Words:
    """FNV-1a, byte by byte."""
    found = np.full_like(first, 0xCBF29CE484222325)
    for byte in _pieces(first, second, 8):
        found = (found ^ byte) * _word(0x100000001B3)
    return _low(found ^ (found >> _word(32)), bits)


def _one_at_a_time(first: Words, second: Words, bits: int) -> Words:
    """Jenkins's, byte by byte, of 32 bits."""
    found, all_ = np.zeros_like(first), _word(0xFFFFFFFF)
    for byte in _pieces(first, second, 8):
        found = (found + byte) & all_
        found = (found + (found << _word(10))) & all_
        found ^= found >> _word(6)
    found = (found + (found << _word(3))) & all_
    found ^= found >> _word(11)
    found = (found + (found << _word(15))) & all_
    return _low(found, bits)


def _crc(first: Words, second: Words, bits: int) -> Words:
    """CRC-32 of the sixteen bytes."""
    boards = np.stack([first, second], axis=1).astype("<u8").view(np.uint8)
    return _low(np.fromiter((zlib.crc32(board.tobytes()) for board in boards), np.uint64, len(first)), bits)


def _times_31(first: Words, second: Words, bits: int) -> Words:
    """What Java's arrays have: 31 times the last, plus the next, of four integers."""
    found = np.ones_like(first)
    for piece in _pieces(first, second, 32):
        found = (found * _word(31) + piece) & _word(0xFFFFFFFF)
    return _low(found, bits)


def _added_and_turned(first: Words, second: Words, bits: int) -> Words:
    """Turned by five bits, plus the next of four integers."""
    found = np.zeros_like(first)
    for piece in _pieces(first, second, 32):
        found = _turned(found, 5) + piece
    return _low(found ^ (found >> _word(32)), bits)


def _modulo(first: Words, second: Words, bits: int) -> Words:
    """The 128 bits as a number, modulo the greatest prime that fits."""
    prime = next(
        number
        for number in range(1 << bits, 1, -1)
        if all(number % divisor for divisor in range(2, int(number**0.5) + 1))
    )
    return ((first % _word(prime)) * _word((1 << 64) % prime) + second % _word(prime)) % _word(prime)


def _multiplied(first: Words, second: Words, bits: int) -> Words:
    """One multiplication by the golden section, the highest bits."""
    return _high((first + second * _word(3)) * _word(0x9E3779B97F4A7C15), bits)


def _folded(first: Words, second: Words, bits: int) -> Words:
    """Both words xored, and all pieces of as many bits as are wanted."""
    mixed, found = first ^ second, np.zeros_like(first)
    for shift in range(0, 64, bits):
        found ^= _low(mixed >> _word(shift), bits)
    return found


def _low_bits(first: Words, second: Words, bits: int) -> Words:
    """Both words xored, the lower half of the board."""
    return _high((first ^ second) << _word(32), bits)


def _summed(first: Words, second: Words, bits: int) -> Words:
    """The sum of four integers."""
    found = np.zeros_like(first)
    for piece in _pieces(first, second, 32):
        found = found + piece
    return _low(found, bits)


for _name, _function in {
    "outflank": _ours,
    "Zobrist": _zobrist,
    "Murmur's finaliser": _murmur,
    "SplitMix": _splitmix,
    "FNV-1a": _fnv,
    "one at a time": _one_at_a_time,
    "CRC-32": _crc,
    "times 31": _times_31,
    "add and turn": _added_and_turned,
    "modulo a prime": _modulo,
    "one multiplication": _multiplied,
    "xor, folded": _folded,
    "sum of four": _summed,
    "xor, low bits": _low_bits,
}.items():
    register_hash(_name, _function)
