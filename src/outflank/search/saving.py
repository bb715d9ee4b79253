"""Checkpoints of long proofs: a file that is written while a proof runs, and from which a later run continues.

A file has a line of JSON (`SolveState`), the table entries that took longest to find, and a checksum of both. The
search goes on while the file is written: torn entries are as harmless as in the table. The file only saves work. A
later run proves the value anew, with the help of the saved entries. Each entry has a full position and its bound.
"""

import hashlib
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from msgspec import Meta

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.formats.numbered import write_numbered
from outflank.games.description import description_of
from outflank.games.evaluation import LIMIT
from outflank.kernels.record_types import allocate
from outflank.search.outbox import adopt
from outflank.search.request import LONGEST_SECONDS, Known, Options
from outflank.search.results import Progress, Result, Watch
from outflank.search.table import AGES, ENTRY_WORDS, Table, sound_proofs
from outflank.search.worker import WORKER
from outflank.validation.documents import Count, Document, Duration, decoded, encoded, naming_file
from outflank.validation.text import how_many

EVERY_SECONDS = 60.0
"""Seconds between two checkpoints: the most work that is lost if the process is killed."""

MOST_ENTRIES = 1 << 20
"""Maximum number of saved entries (24 MiB). An entry saves the search of its subtree; the deepest entries save most."""

DIGEST = hashlib.sha256().digest_size

Score = Annotated[int, Meta(ge=-LIMIT, le=LIMIT)]


class SolveState(Document, frozen=True, kw_only=True, tag="outflank/solve-state/1"):
    """Header of a checkpoint: the state of the proof of a position. The table entries follow it in the file."""

    position: str
    """Position and rules, in the numbered notation that all games share."""
    wld: bool
    moves: Count
    """Number of best moves whose scores are requested."""
    canonical: bool
    """Whether symmetric positions share a table entry."""
    lower: Score | None
    """Proved lower bound of the score."""
    upper: Score | None
    move: Count | None
    """Code of the root move whose score is at least `lower`."""
    moves_done: Count
    """Number of root moves done in the unfinished search of one window; their values are in the table."""
    nodes: Count
    """Number of nodes entered in all runs together."""
    seconds: Duration
    entries: Count


def problem(board: Board, options: Options) -> dict[str, Any]:
    """Return the fields that must be equal in a checkpoint and in the proof that continues from it."""
    return {
        "position": write_numbered(description_of(board.game), board.game, board.position, board.turn, 0),
        "wld": options.wld,
        "moves": options.moves,
        "canonical": options.canonical,
    }


@dataclass(frozen=True, slots=True)
class Resumed:
    """A checkpoint read from a file."""

    saved: SolveState
    entries: npt.NDArray[np.uint64]

    @property
    def known(self) -> Known:
        """Proved bounds of the score, from which the search continues."""
        return Known(lower=self.saved.lower, upper=self.saved.upper, move=self.saved.move)

    def fill(self, table: Table) -> int:
        """Store the saved entries in a table, for the next search. Return the number stored."""
        worker = allocate(WORKER, 1)[0]
        table.attach(worker)
        worker.age = (table.age + 1) % AGES  # the age of the next search, which increments the table's age
        return int(adopt(self.entries, len(self.entries), worker))


def read_state(path: Path, board: Board, options: Options) -> Resumed | None:
    """Return the checkpoint in a file; None if there is no file. Raise `OutflankError` if the file is damaged or
    belongs to another proof."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    head, newline, rest = data.partition(b"\n")
    if f'"{SolveState.schema()}"'.encode() not in head[:200]:
        raise OutflankError(f"{path} is no state of solving ({SolveState.schema()})")
    if not newline or hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
        raise OutflankError(f"{path} is damaged: its checksum is another; without it solving begins anew")
    with naming_file(path):
        saved = decoded(SolveState, head)
    for name, expected_value in problem(board, options).items():
        if getattr(saved, name) != expected_value:
            raise OutflankError(
                f"{path} is of another proof: {name} is {getattr(saved, name)}, and {expected_value} is requested"
            )
    words = rest[:-DIGEST]
    if len(words) != 8 * ENTRY_WORDS * saved.entries:
        expected = how_many(saved.entries, "entry", "entries")
        raise OutflankError(f"{path} is damaged: expected {expected}, found {how_many(len(words), 'byte')}")
    entries = np.frombuffer(words, "<u8").astype(np.uint64).reshape(-1, ENTRY_WORDS)
    return Resumed(saved, sound_proofs(entries))


class Saving:
    """Writes checkpoints of a proof. Pass its `table` and `known` to the search, and the object itself as `watch`."""

    def __init__(
        self,
        path: Path,
        board: Board,
        options: Options,
        *,
        every_seconds: float = EVERY_SECONDS,
        most_entries: int = MOST_ENTRIES,
        watch: Watch | None = None,
        table: Table | None = None,
    ) -> None:
        if options.table_bits is None:
            raise InvalidOption("what is saved is the table, and table_bits says that there is none")
        if not 0 < every_seconds <= LONGEST_SECONDS:
            raise InvalidOption(f"{every_seconds:g} seconds between two states that are saved: expected more than 0")
        self.path, self.every_seconds, self.most_entries = path, every_seconds, most_entries
        self._problem = problem(board, options)
        self.watch = watch
        """The caller's function that receives the search's progress too; None: there is none."""
        self.resumed = read_state(path, board, options)
        """Checkpoint from which the proof continues; None: the proof begins anew."""
        saved = self.resumed.saved if self.resumed is not None else None
        self.nodes_before, self.seconds_before = (saved.nodes, saved.seconds) if saved is not None else (0, 0.0)
        self.known = self.resumed.known if self.resumed is not None else Known()
        self.table = table or Table(options.table_bits, interleave=options.interleave)
        if self.resumed is not None:
            self.resumed.fill(self.table)
        self._due = time.monotonic() + every_seconds
        self._progress: Progress | None = None
        self._failed = False

    def __call__(self, progress: Progress) -> None:
        """Receive a search's progress. Write a checkpoint if the last checkpoint is `every_seconds` old."""
        if self.watch is not None:
            self.watch(progress)
        if not progress.proving:
            return
        self._progress = progress
        if time.monotonic() >= self._due:
            self._save_progress()
            self._due = time.monotonic() + self.every_seconds

    def results(self, results: Iterator[Result]) -> Iterator[Result]:
        """Yield the search's results; then yield the last result again, with the bounds of all runs. Save an unfinished
        proof."""
        last: Result | None = None
        try:
            for result in results:
                last = result
                yield result
        except BaseException:  # such as Ctrl-C: the bounds remain valid
            self._save_progress()
            raise
        if last is not None:
            yield self._end(last)

    def _end(self, result: Result) -> Result:
        """Save an unfinished proof; remove the file of a finished proof. Return the result with the bounds of all
        runs."""
        if result.exact and not result.stopped:
            self.path.unlink(missing_ok=True)
            return result
        best = result.move.code if result.move is not None and result.lower is not None else None
        lower, upper, _ = self._save(result.lower, result.upper, best, 0, result.nodes, result.seconds)
        return result if result.exact else replace(result, lower=lower, upper=upper)

    def _save_progress(self) -> None:
        progress = self._progress
        if progress is not None:
            best = None if progress.best is None else progress.best.code
            self._save(progress.value, progress.upper, best, progress.moves_done, progress.nodes, progress.seconds)

    def _save(
        self, lower: int | None, upper: int | None, move: int | None, moves_done: int, nodes: int, seconds: float
    ) -> tuple[int | None, int | None, int | None]:
        """Write a checkpoint with the best bounds of this run and of earlier runs. Return these bounds, and the move
        whose score is at least the lower bound."""
        known = self.known
        if known.lower is not None and (lower is None or lower < known.lower):
            lower, move = known.lower, known.move
        if known.upper is not None and (upper is None or upper > known.upper):
            upper = known.upper
        entries = self.table.costliest_entries(self.most_entries, proofs=True)
        state = SolveState(
            **self._problem,
            lower=lower,
            upper=upper,
            move=move,
            moves_done=moves_done,
            nodes=self.nodes_before + nodes,
            seconds=self.seconds_before + seconds,
            entries=len(entries),
        )
        data = encoded(state) + b"\n" + entries.astype("<u8").tobytes()
        try:
            write_whole(self.path, data + hashlib.sha256(data).digest())
        except OSError as error:
            if not self._failed:  # warn once: the search is worth more than the file
                warnings.warn(
                    f"{self.path}: {reason_of(error)}: what is proved is not saved", RuntimeWarning, stacklevel=2
                )
            self._failed = True
        return lower, upper, move
