"""Weights of patterns in a file: one line that says what they are, then all stages, compressed.

The low bytes of all weights come before the high ones, which are nearly all alike: a file is a third smaller for it.
"""

from zlib import compress, crc32, decompress, error

import numpy as np
import numpy.typing as npt

from outflank.errors import FormatError
from outflank.games.pattern_sets import PatternSet

_KIND = "outflank patterns 1"


def _line(patterns: PatternSet, stages: int, check: int) -> bytes:
    return f"{_KIND} {patterns.name} {patterns.mark:08x} {stages} {patterns.weights} {check:08x}\n".encode()


def written(patterns: PatternSet, weights: npt.NDArray[np.int16]) -> bytes:
    """The file for weights: a row for each stage, of those that differ."""
    flat = weights.reshape(-1)
    planes = (flat & 0xFF).astype(np.uint8).tobytes() + (flat >> 8).astype(np.int8).tobytes()
    return _line(patterns, len(weights), crc32(planes)) + compress(planes, 9)


def read_weights(patterns: PatternSet, data: bytes, place: str) -> npt.NDArray[np.int16]:
    """The weights in a file, which must be those of these patterns."""
    line, _, packed = data.partition(b"\n")
    stages = max(patterns.stages) + 1
    if not line.startswith(_KIND.encode()):
        raise FormatError(f"{place}: expected a line that begins {_KIND!r}, found {line[:40]!r}")
    try:
        planes = decompress(packed)
    except error as problem:
        raise FormatError(f"{place}: the weights are damaged ({problem}): install them again") from None
    if line + b"\n" != _line(patterns, stages, crc32(planes)) or len(planes) != 2 * stages * patterns.weights:
        expected = _line(patterns, stages, crc32(planes)).decode().rstrip()
        raise FormatError(
            f"{place}: expected {expected!r}, found {line!r}: the weights are damaged, or of other patterns"
        )
    half = len(planes) // 2
    found = np.frombuffer(planes, np.int8, half, half).astype(np.int16)
    found <<= 8
    found |= np.frombuffer(planes, np.uint8, half)
    return found.reshape(stages, patterns.weights)
