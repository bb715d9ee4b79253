"""Work in pieces: each is on the disk as soon as it is there, and whoever was interrupted goes on with the others.

A step of learning keeps a document that says how its arrays are made, pieces while it works, and the arrays themselves
once all pieces are there.
"""

import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, cast
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from outflank.documents import Document, in_lines, read_document
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.formats.locks import held
from outflank.gpu.choosing import DeviceAsked
from outflank.search.contract import Stop

Arrays = Mapping[str, npt.NDArray[Any]]
T = TypeVar("T")
D = TypeVar("D", bound=Document)


class Halted(OutflankError):
    """The work was stopped; what is done is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How a step is carried out: nothing of it changes what comes out."""

    workers: int = 1
    """Threads."""
    device: DeviceAsked = "cpu"
    """Where endings are solved, and weights fitted."""
    stop: Stop = field(default_factory=Stop)
    progress: Callable[[str], None] = lambda text: None
    """Told, in a line, how far it is; by one thread at a time."""
    replace: bool = False
    """Whether to begin anew, whatever is there."""

    def check(self) -> None:
        """Go no further once the stop is called."""
        if self.stop.called:
            raise Halted("stopped")

    def each(self, make: Callable[[int], T], count: int, done: Callable[[int], None] = lambda number: None) -> list[T]:
        """What `make` makes of the numbers below `count`, in their order; `done` is told how many there are by then."""
        if not count:
            return []
        self.check()
        finished, lock = 0, threading.Lock()

        def one(number: int) -> T:
            nonlocal finished
            self.check()
            found = make(number)
            with lock:
                finished += 1
                done(finished)
            return found

        first = one(0)  # alone: whatever has to be compiled is compiled once
        if self.workers == 1:
            return [first, *(one(number) for number in range(1, count))]
        with ThreadPoolExecutor(self.workers) as threads:
            return [first, *threads.map(one, range(1, count))]


class Step:
    """A step's place in a folder: `NAME.json`, and the folder `NAME.parts` while it is at work."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.document = folder / f"{name}.json"
        self.parts = folder / f"{name}.parts"

    @contextmanager
    def begun(self, fresh: D, result: Path, work: Work) -> Iterator[D | None]:
        """Hold the step; yields the document of one that is complete already, its `result` being there.

        `fresh` says what is to be made. What was made with other settings stays, unless the work is to begin anew.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with held(self.document, "another process is at this step"):
                found: Any = None
                if self.document.exists() and not work.replace:
                    found = read_document(self.document, type(fresh), f"what {self.name}.json says")
                    if found.settings != cast(Any, fresh).settings:
                        raise OutflankError(f"{self.document} was made with other settings: --replace makes it anew")
                if found is None:
                    self._clear()
                    self.write(fresh)
                yield found if found is not None and found.complete and result.exists() else None
        except OSError as error:
            raise OutflankError(f"{self.folder} cannot be written to: {reason_of(error)}") from None

    def read(self, kind: type[D], how: str) -> D:
        """The document of a step that is complete; one clear line where it is not. `how` says what completes it."""
        if not self.document.exists():
            raise OutflankError(f"{self.document} is not there: {how} makes it")
        found: Any = read_document(self.document, kind, f"what {self.name}.json says")
        if not found.complete:
            raise OutflankError(f"{self.document} is not complete: {how} goes on with it")
        return cast(D, found)

    def write(self, document: Document) -> None:
        """Put the document into its place."""
        write_whole(self.document, in_lines(document))

    def finish(self, document: Document) -> None:
        """Say that all is there; the pieces go."""
        self.write(document)
        self._clear()

    def _clear(self) -> None:
        if self.parts.exists():
            shutil.rmtree(self.parts)

    def piece(self, name: str, arrays: Collection[str], make: Callable[[], Arrays]) -> Arrays:
        """A piece that is there, or else is made and kept; one that cannot be read, or has others than these arrays,
        is made again."""
        found = self.kept(name, arrays)
        if found is not None:
            return found
        fresh = make()
        self.parts.mkdir(exist_ok=True)
        write_arrays(self._path(name), fresh)
        return fresh

    def kept(self, name: str, arrays: Collection[str]) -> Arrays | None:
        """A piece that is there, and has these arrays."""
        found = _read(self._path(name))
        return found if found is not None and set(found) == set(arrays) else None

    def _path(self, name: str) -> Path:
        return self.parts / f"{name}.npz"


_ZIP_END_BYTES = 22
"""The record that ends a ZIP file without a comment."""


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Arrays as one file, whole or not at all."""
    stream = BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # a keyword of its own could be one of the arrays
    write_whole(path, stream.getvalue())


def _read(path: Path) -> dict[str, npt.NDArray[Any]] | None:
    try:
        data = path.read_bytes()
        if not data.startswith(b"PK\x03\x04") or data[-_ZIP_END_BYTES:][:4] != b"PK\x05\x06":
            return None  # Python's own reader skips what stands before or behind
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, KeyError, BadZipFile):
        return None


def read_arrays(path: Path, names: Sequence[str], how: str) -> list[npt.NDArray[Any]]:
    """Arrays of a file by their names; one clear line where they are not there. `how` says what makes them."""
    found = _read(path)
    if found is None or not set(names) <= set(found):
        what = "is damaged" if path.exists() else "is not there"
        raise OutflankError(f"{path} {what}: {how} makes it")
    return [found[name] for name in names]
