"""Weights of patterns in a file: one line that says what they are, then all weights, compressed.

What a weight is in all stages lies together, as it hardly changes from one to the next, and the low bytes of all come
before the high ones, which are nearly all alike: a file has less than half the size for it, and is read in half the
time.
"""

from zlib import compress, crc32, decompressobj, error

import numpy as np
import numpy.typing as npt

from outflank.errors import FormatError
from outflank.games.pattern_sets import PatternSet
from outflank.kinds import shown
from outflank.words import how_many

_KIND = "outflank patterns 2"


def _line(patterns: PatternSet, stages: int, check: int) -> bytes:
    return f"{_KIND} {patterns.name} {patterns.mark:08x} {stages} {patterns.weights} {check:08x}\n".encode()


def written(patterns: PatternSet, weights: npt.NDArray[np.int16]) -> bytes:
    """The file for weights: a row for each stage, of those that differ."""
    planes = weights.T.astype("<i2")[:, :, None].view(np.uint8).transpose(2, 0, 1).tobytes()
    return _line(patterns, len(weights), crc32(planes)) + compress(planes, 9)


def _text_of(line: bytes) -> str:
    """A line of a file, for a message."""
    text = line.decode("ascii", "replace")
    return shown(text, 80) if text.isprintable() and "\ufffd" not in text else "other data"


def read_weights(patterns: PatternSet, data: bytes, place: str) -> npt.NDArray[np.int16]:
    """The weights in a file, which must be those of these patterns."""
    line, _, packed = data.partition(b"\n")
    stages = max(patterns.stages) + 1
    if not line.startswith(_KIND.encode()):
        raise FormatError(f"{place}: expected a line that begins {_KIND!r}, found {_text_of(line)}")
    size, unpacking = 2 * stages * patterns.weights, decompressobj()
    try:
        planes = unpacking.decompress(packed, size + 1)  # what is larger is not these weights, and is not unpacked
        problem = "" if unpacking.eof or len(planes) > size else "they end too early"
    except error as failure:
        planes, problem = b"", str(failure)
    if unpacking.unused_data:
        problem = f"{how_many(len(unpacking.unused_data), 'byte')} too many"
    if problem:
        raise FormatError(f"{place}: the weights are damaged ({problem}): install them again")
    if line + b"\n" != _line(patterns, stages, crc32(planes)) or len(planes) != size:
        expected = _line(patterns, stages, crc32(planes)).decode().rstrip()
        raise FormatError(
            f"{place}: expected {expected!r}, found {_text_of(line)}: the weights are damaged, or of other patterns"
        )
    found = np.empty((stages, patterns.weights, 2), np.uint8)
    for plane, values in enumerate(np.frombuffer(planes, np.uint8).reshape(2, patterns.weights, stages)):
        found[:, :, plane] = values.T
    return found.view("<i2")[:, :, 0].astype(np.int16, copy=False)
