"""Where the workers of a search on the CPU have endings solved by a device: what is asked at a time is a batch."""

import threading
import time
from typing import Any

import numpy as np

from outflank.gpu.device import check_device
from outflank.gpu.driver import simulated
from outflank.gpu.memory import free_bytes, new_table, table_bits
from outflank.gpu.solving import Slot, tables_on_device
from outflank.gpu.troubles import told_plainly
from outflank.kernels.posting import QUESTION, answer, close, take
from outflank.kernels.record_types import allocate

CLERKS = 2
"""Batches under way at a time: while one is solved the next is sent."""

PARTS = 1 << 20
"""Parts of divided endings that a batch has room for."""

PAUSE = 20e-6
"""Seconds between two looks for questions where there was none."""


class Desk:
    """The questions of some workers, and the threads that carry them to a device."""

    def __init__(self, game: Any, workers: int) -> None:
        check_device()
        self.questions = allocate(QUESTION, workers)
        self.trouble: Exception | None = None
        """Why a device no longer answers."""
        self.answered = self.late = self.batches = self.nodes = 0
        """What it has done; late: when nobody waited any more."""
        self._game, self._over = game, threading.Event()
        self._lock = threading.Lock()
        clerks = 1 if simulated() else CLERKS  # the simulator has one kernel at a time
        self._clerks = [threading.Thread(target=self._serve, daemon=True) for _ in range(clerks)]

    def open(self) -> None:
        """Begin to answer."""
        for clerk in self._clerks:
            clerk.start()

    def close(self) -> None:
        """Answer nobody any more. Clerks leave when the batches that are under way end, which may take seconds."""
        self._over.set()

    def _serve(self) -> None:
        try:
            with told_plainly():
                self._answer_all()
        except Exception as trouble:  # whatever it is: workers would wait for every answer, and nobody know why
            self.trouble = trouble
        while self.trouble is not None and not self._over.is_set():
            close(self.questions)  # again and again: a worker may have been about to ask
            time.sleep(0.001)

    def _answer_all(self) -> None:
        count = len(self.questions)
        slot, tables = Slot(count, PARTS), tables_on_device(self._game)
        table = new_table(table_bits(free_bytes()))
        words, windows, owners = (
            np.zeros((count, 2), np.uint64),
            np.zeros((count, 2), np.int8),
            np.zeros(count, np.int64),
        )
        while not self._over.is_set() and self.trouble is None:
            asked = take(self.questions, words, windows, owners)
            if asked == 0:
                time.sleep(PAUSE)
                continue
            slot.begin(self._game, tables, table, words[:asked], windows[:asked])
            values, nodes = slot.collect()
            awaited = answer(self.questions, owners, values, asked)
            with self._lock:
                self.answered += awaited
                self.late += asked - awaited
                self.batches += 1
                self.nodes += nodes
