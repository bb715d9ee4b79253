"""Steps of learning that store their work in pieces, so that an interrupted step can continue.

A step has a document with its settings. While it runs, each finished piece is written to disk; when all pieces are
done, the final arrays are written.
"""

import shutil
import threading
from base64 import b64decode, b64encode
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

from outflank.distributed.tasks import TaskDispatcher
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import file_lock, write_whole
from outflank.gpu.choosing import DeviceOption
from outflank.search.request import Stop
from outflank.validation.documents import Document, in_lines, read_document

Arrays = Mapping[str, npt.NDArray[Any]]
"""Arrays by name."""
T = TypeVar("T")
D = TypeVar("D", bound=Document)


class Halted(OutflankError):
    """Raised when a step of learning was stopped. Its finished pieces are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How a step of learning is run. The result of the step does not depend on this."""

    workers: int = 1
    """Number of threads."""
    tasks: TaskDispatcher | None = None
    """Cluster whose nodes make pieces, opened for `PieceWorker`; None: threads of this process make all pieces."""
    device: DeviceOption = "cpu"
    """Device that solves endgame positions and fits weights."""
    stop: Stop = field(default_factory=Stop)
    progress: Callable[[str], None] = lambda text: None
    """Receives lines of text about the step's progress, from one thread at a time."""
    replace: bool = False
    """Whether to start the step again and replace existing results."""

    def check(self) -> None:
        """Raise `Halted` if `stop` has been called."""
        if self.stop.called:
            raise Halted("stopped")

    def map(self, make: Callable[[int], T], count: int, done: Callable[[int], None] = lambda number: None) -> list[T]:
        """Return `make(n)` for each `n` below `count`, in order. `done` is called with the number of finished calls.

        With a cluster, `make` waits for a node, and enough calls run at a time to keep all nodes of the cluster busy.
        """
        if not count:
            return []
        self.check()
        finished, lock = 0, threading.Lock()

        def make_one(number: int) -> T:
            nonlocal finished
            self.check()
            result = make(number)
            with lock:
                finished += 1
                done(finished)
            return result

        if self.tasks is not None:
            self.tasks.start(self.stop)
            with ThreadPoolExecutor(self.tasks.callers) as threads:
                return list(threads.map(make_one, range(count)))
        first = make_one(0)  # on one thread, so that kernels are compiled only once
        if self.workers == 1:
            return [first, *(make_one(number) for number in range(1, count))]
        with ThreadPoolExecutor(self.workers) as threads:
            return [first, *threads.map(make_one, range(1, count))]


class Step:
    """Files of a step of learning: its document `NAME.json`, and the folder `NAME.parts` with pieces while it runs."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.document = folder / f"{name}.json"
        self.parts = folder / f"{name}.parts"

    @contextmanager
    def open(self, fresh: D, result: Path, work: Work) -> Iterator[D | None]:
        """Lock the step; yield its document if it is complete and `result` exists, otherwise None.

        `fresh` is the document of a new result. If a document with other settings exists, an error is raised, unless
        `work.replace` is set.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with file_lock(self.document, "another process is at this step"):
                document: Any = None
                if self.document.exists() and not work.replace:
                    document = read_document(self.document, type(fresh), f"what {self.name}.json says")
                    if document.settings != cast(Any, fresh).settings:
                        raise OutflankError(f"{self.document} was made with other settings: --replace makes it anew")
                if document is None:
                    self._clear()
                    self.write(fresh)
                yield document if document is not None and document.complete and result.exists() else None
        except OSError as error:
            raise OutflankError(f"{self.folder} cannot be written to: {reason_of(error)}") from None

    def read(self, kind: type[D], how: str) -> D:
        """Return the step's document; raise an error if the step is not complete. `how` is the command that runs it."""
        if not self.document.exists():
            raise OutflankError(f"{self.document} is not there: {how} makes it")
        document: Any = read_document(self.document, kind, f"what {self.name}.json says")
        if not document.complete:
            raise OutflankError(f"{self.document} is not complete: {how} goes on with it")
        return cast(D, document)

    def write(self, document: Document) -> None:
        write_whole(self.document, in_lines(document))

    def finish(self, document: Document) -> None:
        """Write the final document, and delete the pieces."""
        self.write(document)
        self._clear()

    def _clear(self) -> None:
        if self.parts.exists():
            shutil.rmtree(self.parts)

    def piece(self, name: str, arrays: Collection[str], make: Callable[[], Arrays]) -> Arrays:
        """Return the stored piece `name`; if there is none, make it and store it.

        A stored piece that is unreadable, or has other arrays than `arrays`, is made again.
        """
        stored = self.stored_piece(name, arrays)
        if stored is not None:
            return stored
        made = make()
        self.parts.mkdir(exist_ok=True)
        write_arrays(self._path(name), made)
        return made

    def stored_piece(self, name: str, arrays: Collection[str]) -> Arrays | None:
        """Return the stored piece `name`, or None if it is missing or unreadable, or has other arrays than `arrays`."""
        stored = _read(self._path(name))
        return stored if stored is not None and set(stored) == set(arrays) else None

    def _path(self, name: str) -> Path:
        return self.parts / f"{name}.npz"


_ZIP_END_BYTES = 22
"""Size of the record at the end of a ZIP file without a comment."""


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays to the file `path`, atomically."""
    stream = BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # an array could be named like a keyword of `savez`
    write_whole(path, stream.getvalue())


def encoded_arrays(arrays: Arrays) -> str:
    """Return arrays as text for a JSON message."""
    stream = BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]  # an array could be named like a keyword
    return b64encode(stream.getvalue()).decode("ascii")


def decoded_arrays(text: str) -> dict[str, Any]:
    """Return the arrays in a text that `encoded_arrays` has made."""
    with np.load(BytesIO(b64decode(text)), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _read(path: Path) -> Arrays | None:
    try:
        data = path.read_bytes()
        if not data.startswith(b"PK\x03\x04") or data[-_ZIP_END_BYTES:][:4] != b"PK\x05\x06":
            return None  # bytes before or after the archive, which Python's own reader ignores
        with np.load(BytesIO(data), allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, EOFError, KeyError, BadZipFile):
        return None


def read_arrays(path: Path, names: Sequence[str], how: str) -> list[npt.NDArray[Any]]:
    """Return the arrays `names` of a file; raise an error if an array is missing. `how` is the command that makes
    it."""
    arrays = _read(path)
    if arrays is None or not set(names) <= set(arrays):
        fault = "is damaged" if path.exists() else "is not there"
        raise OutflankError(f"{path} {fault}: {how} makes it")
    return [arrays[name] for name in names]
