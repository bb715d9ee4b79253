"""Work that crews of different processes exchange: moves that a crew gives away, and jobs that it gets.

An *exporter* is a worker without a thread. For a thief in another process it takes a move of a split point, like any
worker of the crew, but the thief searches the move. The exporter delivers the thief's result and goes on like any
worker, until it has another move for a thief, or no work.

A job from another process is an *imported* frame: it stands for the move that leads to the job's position, and its
permit is offered to the workers. The worker that takes the permit searches the position, usually as a split point below
this frame. The result is left in the frame, whose `finished` is then set. Several imported jobs may be open at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError
from outflank.kernels.bits import U64
from outflank.kernels.memory import address_of, new_words
from outflank.parallel.divided import Divided, Plan
from outflank.parallel.exchange_steps import (
    abandon_import,
    await_change,
    export,
    import_frame,
    is_export_wanted,
    is_finished,
    nudge,
)
from outflank.parallel.shared_state import AWAY, DELIVER, IDLE, frame_at, frame_bytes
from outflank.parallel.splitting import work
from outflank.search.root import Root


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMove:
    """A position that another process is to search for an exporter, with its window and depth."""

    words: tuple[int, int]
    """The two words of the packed position."""
    depth: int
    ply: int
    alpha: int
    beta: int
    expected: int
    """Expected result of the position, if it becomes a split point: `OPEN`, `CUT` or `ALL`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedResult:
    """The result of a job of another process."""

    valid: bool
    """Whether there is a value. There is none if the job was given up."""
    value: int
    line: tuple[int, ...]


class Exchange(Divided):
    """A crew that searches jobs of other processes, and lets them search moves of its own split points.

    The first workers are the exporters. Calls that use an exporter, `import_job`, `take_result` and `abandon` must not
    overlap.
    """

    def __init__(self, root: Root, workers: int, plan: Plan, *, exporters: int) -> None:
        super().__init__(root, exporters + workers, plan)
        self.exporters = exporters
        self._unused_frames: list[int] = []
        self._memory: list[npt.NDArray[np.uint64]] = []  # kept alive: frames refer to each other by address

    def prepare(self) -> None:
        """Compile the kernels, and start the workers' threads, which wait for jobs until `close`."""
        crew = self.crew
        crew.begin()
        crew.crew.prune, crew.crew.share_alpha = 1, self.root.options.share_alpha
        crew.open(1)
        work(*self.arguments(self.exporters), AWAY)
        self.export(0, 0)
        crew.start(lambda index: work(*self.arguments(index), IDLE), first=self.exporters)

    def import_job(self, move: ExportedMove) -> int:
        """Offer a job of another process to the workers. Return the address of the frame that stands for it."""
        address = self._unused_frames.pop() if self._unused_frames else self._new_frame()
        crew, hand = self.crew.crew, self.crew.hands[0]
        job = (*map(U64, move.words), move.depth, move.ply, move.alpha, move.beta, move.expected)
        if not import_frame(crew, hand, address, *job):
            raise OutflankError(f"a crew has room for {len(hand.permits)} jobs of other processes")
        return address

    def _new_frame(self) -> int:
        memory = new_words(frame_bytes(int(self.crew.crew.room)) // 8)
        self._memory.append(memory)
        return address_of(memory)

    def take_result(self, address: int) -> ImportedResult | None:
        """Return the result of an imported job that has ended, and release its frame; None while it is searched."""
        if not is_finished(address):
            return None
        frame = frame_at(address)
        line = tuple(int(code) for code in frame.line[: int(frame.line_length)])
        result = ImportedResult(valid=not frame.bad, value=int(frame.value), line=line)
        self._unused_frames.append(address)
        return result

    def abandon(self, address: int) -> None:
        """Give up an imported job. Its result, which usually has no value, follows soon."""
        abandon_import(self.crew.crew, self.crew.hands[0], address)

    def export(self, exporter: int, least: int) -> ExportedMove | None:
        """Let an idle exporter take a move with at least `least` plies left; return None if there is none now."""
        return self._continue(exporter, IDLE, least)

    def deliver(self, exporter: int, *, valid: bool, value: int = 0, line: Sequence[int] = ()) -> ExportedMove | None:
        """Deliver the result of an exporter's move. Return the exporter's next move; None if it is idle now."""
        hand = self.crew.hands[exporter]
        hand.valid, hand.value, hand.line_length = int(valid), value, len(line)
        hand.line[: len(line)] = line
        return self._continue(exporter, DELIVER, 0)

    def _continue(self, exporter: int, step: int, least: int) -> ExportedMove | None:
        hand = self.crew.hands[exporter]
        if not export(self.root.game, self.crew.crew, hand, self.root.workers[exporter], step, least):
            return None
        return ExportedMove(
            words=(int(hand.first), int(hand.second)),
            depth=int(hand.depth),
            ply=int(hand.ply),
            alpha=int(hand.alpha),
            beta=int(hand.beta),
            expected=int(hand.expected),
        )

    def is_wanted(self, exporter: int) -> bool:
        """Return whether the result of an exporter's move is still wanted."""
        return bool(is_export_wanted(self.crew.crew, self.crew.hands[exporter]))

    def await_change(self, rung: int, news: int, seconds: float, *, ignore_sleepers: bool) -> tuple[int, int, int]:
        """Wait until an imported job ends or `wake` is called, but at most `seconds`. Return the number of rings of the
        bell, the number of news (ended jobs and calls of `wake`), and the number of workers that sleep without work.

        `rung` and `news` are results of an earlier call. Return at once if either number has changed since then.
        Unless `ignore_sleepers`, also return at once if a worker sleeps.
        """
        rings, news, sleepers = await_change(self.crew.crew, rung, news, int(seconds * 1e6), ignore_sleepers)
        return int(rings), int(news), int(sleepers)

    def wake(self) -> None:
        """End the wait of `await_change`."""
        nudge(self.crew.crew)

    @property
    def is_idle(self) -> bool:
        """Whether no worker holds work."""
        return bool(self.crew.hands["idle"].all())
