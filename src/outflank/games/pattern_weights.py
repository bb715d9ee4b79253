"""Files of pattern weights: one header line, then all weights, compressed.

The values of a weight in all stages lie together, as they hardly change from one stage to the next, and all low bytes
come before the high ones, which are nearly all alike: this halves the size of a file and the time to read it.
"""

from zlib import compress, crc32, decompressobj, error

import numpy as np
import numpy.typing as npt

from outflank.errors import FormatError
from outflank.games.pattern_sets import PatternSet
from outflank.validation.text import how_many
from outflank.validation.values import excerpt

_KIND = "outflank patterns 2"


def _header(patterns: PatternSet, stages: int, check: int) -> bytes:
    return f"{_KIND} {patterns.name} {patterns.mark:08x} {stages} {patterns.weights} {check:08x}\n".encode()


def encode_weights(patterns: PatternSet, weights: npt.NDArray[np.int16]) -> bytes:
    """Return the file contents for weights: a row of distinct weights for each stage."""
    planes = weights.T.astype("<i2")[:, :, None].view(np.uint8).transpose(2, 0, 1).tobytes()
    return _header(patterns, len(weights), crc32(planes)) + compress(planes, 9)


def _text_of(line: bytes) -> str:
    """Return a line of a file, for a message."""
    text = line.decode("ascii", "replace")
    return excerpt(text, 80) if text.isprintable() and "\ufffd" not in text else "other data"


def read_weights(patterns: PatternSet, data: bytes, place: str) -> npt.NDArray[np.int16]:
    """Return the weights in a file, which must be those of these patterns."""
    line, _, packed = data.partition(b"\n")
    stages = max(patterns.stages) + 1
    if not line.startswith(_KIND.encode()):
        raise FormatError(f"{place}: expected a line that begins {_KIND!r}, found {_text_of(line)}")
    size, unpacking = 2 * stages * patterns.weights, decompressobj()
    try:
        planes = unpacking.decompress(packed, size + 1)  # larger data cannot be these weights: do not unpack it
        problem = "" if unpacking.eof or len(planes) > size else "they end too early"
    except error as failure:
        planes, problem = b"", str(failure)
    if unpacking.unused_data:
        problem = f"{how_many(len(unpacking.unused_data), 'byte')} too many"
    if problem:
        raise FormatError(f"{place}: the weights are damaged ({problem}): install them again")
    if line + b"\n" != _header(patterns, stages, crc32(planes)) or len(planes) != size:
        expected = _header(patterns, stages, crc32(planes)).decode().rstrip()
        raise FormatError(
            f"{place}: expected {expected!r}, found {_text_of(line)}: the weights are damaged, or of other patterns"
        )
    weight_bytes = np.empty((stages, patterns.weights, 2), np.uint8)
    for plane, values in enumerate(np.frombuffer(planes, np.uint8).reshape(2, patterns.weights, stages)):
        weight_bytes[:, :, plane] = values.T
    return weight_bytes.view("<i2")[:, :, 0].astype(np.int16, copy=False)
