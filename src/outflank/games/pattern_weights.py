"""Reading and writing files of pattern weights: one header line, then all weights, compressed.

The values of a weight in all stages are adjacent, because they hardly change from one stage to the next. All low bytes
come before all high bytes, because most high bytes are equal. This order halves the size of a file and the time to read
it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from zlib import compress, crc32, decompressobj, error

import numpy as np
import numpy.typing as npt

from outflank.errors import FormatError, OutflankError, reason_of
from outflank.games.defaults import NamedEvaluation, SearchErrors
from outflank.games.description import description_of
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.rules import Game, Position
from outflank.validation.text import how_many
from outflank.validation.values import excerpt

_KIND = "outflank patterns 2"


def _header(patterns: PatternSet, stages: int, check: int) -> bytes:
    return f"{_KIND} {patterns.name} {patterns.mark:08x} {stages} {patterns.weights} {check:08x}\n".encode()


def encode_weights(patterns: PatternSet, weights: npt.NDArray[np.int16]) -> bytes:
    """Return the contents of a file with `weights`, which has a row of distinct weights for each stage."""
    planes = weights.T.astype("<i2")[:, :, None].view(np.uint8).transpose(2, 0, 1).tobytes()
    return _header(patterns, len(weights), crc32(planes)) + compress(planes, 9)


def _text_of(line: bytes) -> str:
    """Return a line of a file as text for an error message."""
    text = line.decode("ascii", "replace")
    return excerpt(text, 80) if text.isprintable() and "\ufffd" not in text else "other data"


def read_weights(patterns: PatternSet, data: bytes, place: str) -> npt.NDArray[np.int16]:
    """Return the weights in the file contents `data`; raise `FormatError` unless they belong to `patterns`."""
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


_loaded_patterns: dict[tuple[object, ...], LoadedPatterns] = {}
"""All weights loaded so far; for users' files, the key is the rules, the path, and the file's time and size. Weights
are never freed: an evaluation is an address, and may still be in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """The facts about a game that `outflank train` needs in addition to its rules."""

    patterns: Callable[[Game], PatternSet]
    """Returns the patterns under given rules."""
    suits: Callable[[Game], bool] = lambda game: True
    """Returns whether there are patterns under given rules."""
    first: str | None = None
    """Name of the evaluation that plays the first training games, for a game that random moves do not end; None: the
    moves of the first games are random."""
    rival: str | None = None
    """Name of the evaluation that the first weights play a match against; None: the game's default."""
    result: Callable[[Game, Position], float] | None = None
    """Returns the value of a training game's last position for the side to move, in the game's unit, also if the game
    was cut off. None: the value is the score (±`PatternSet.most` if games are only won or lost); 0 after a cut-off."""
    longest: int = 200
    """Number of moves after which a training game is cut off."""

    def read(self, game: Game, path: str) -> NamedEvaluation:
        """Return the evaluation with the weights in the file `path`. A changed file is read again."""
        if "\0" in path:
            raise OutflankError(f"{path!r}: the name of a file has no NUL character")
        try:
            state = Path(path).stat()
            key = (type(game), *game, path, state.st_mtime_ns, state.st_size)
            if key not in _loaded_patterns:
                patterns = self.patterns(game)
                _loaded_patterns[key] = LoadedPatterns(patterns, read_weights(patterns, Path(path).read_bytes(), path))
        except OSError as error:
            raise OutflankError(f"{path}: {reason_of(error)}") from None
        loaded = _loaded_patterns[key]
        return NamedEvaluation(
            name=f"patterns:{path}",
            evaluation=loaded.evaluation,
            unit=description_of(game).scores.unit,
            points=loaded.patterns.points,
            errors=lambda rules: _errors_beside(path),
            suits=lambda rules: (type(rules), *rules) == (type(game), *game),
        )


ERRORS = ".depths.json"
"""Suffix that is appended to a weights file's name, to name the file with the `SearchErrors` of these weights."""


def _errors_beside(path: str) -> SearchErrors | None:
    """Return the errors of searches that are stored beside a weights file; None: there is no such file."""
    try:
        return SearchErrors.read(Path(path + ERRORS).read_bytes(), path + ERRORS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutflankError(f"{path}{ERRORS}: {reason_of(error)}") from None


def keep_loaded(loaded: LoadedPatterns) -> LoadedPatterns:
    """Keep weights in memory until the process ends, and return them."""
    return _loaded_patterns.setdefault((id(loaded),), loaded)


class OwnWeights:
    """The weights that are installed with a game; they are loaded at first use."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.loaded: dict[str, LoadedPatterns] = {}
        """Loaded weights by the name of their pattern set."""
        self._errors: dict[str, SearchErrors] = {}

    def of(self, patterns: PatternSet) -> LoadedPatterns:
        """Return the installed weights of `patterns`."""
        if patterns.name not in self.loaded:
            data, name = self._read(f"{patterns.name}.weights")
            self.loaded[patterns.name] = keep_loaded(LoadedPatterns(patterns, read_weights(patterns, data, name)))
        return self.loaded[patterns.name]

    def errors(self, patterns: PatternSet) -> SearchErrors:
        """Return how much the values of shallow and deep searches with the weights of `patterns` differ."""
        if patterns.name not in self._errors:
            self._errors[patterns.name] = SearchErrors.read(*self._read(f"{patterns.name}{ERRORS}"))
        return self._errors[patterns.name]

    def _read(self, name: str) -> tuple[bytes, str]:
        return (files(self._package) / "weights" / name).read_bytes(), name
