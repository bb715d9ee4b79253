"""Thinking on the opponent's time, in a thread of its own that ends as soon as the opponent has moved."""

import threading
from types import TracebackType
from typing import Any

from outflank.boards import Board
from outflank.players.player import Player
from outflank.search.contract import Stop


class Pondering:
    """A block during which `player` (None: no player) ponders on a copy of the board."""

    def __init__(self, player: Player | None, board: Board[Any]) -> None:
        self._stop = Stop()
        self._thread: threading.Thread | None = None
        if player is not None:
            self._thread = threading.Thread(
                target=player.ponder, args=(board.copy(),), kwargs={"stop": self._stop}, daemon=True
            )

    def __enter__(self) -> None:
        if self._thread is not None:
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            self._stop()
            self._thread.join()
