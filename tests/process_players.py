"""Players for processes of their own, in a module that such a process imports quickly."""

import os
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.scores import Scale
from outflank.players.clock import Clock
from outflank.players.player import Choice, Player, SimplePlayer
from outflank.players.specs import is_program
from outflank.players.specs import player as player_in_words
from outflank.search.request import Stop


class Unspeakable(Exception):
    """Its text cannot be shown."""

    def __str__(self) -> str:
        raise ZeroDivisionError


@dataclass(slots=True)
class Patient(SimplePlayer):
    """Thinks until it is told to stop, and takes the last move then."""

    name: str = "patient"

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        told = threading.Event()
        assert stop is not None
        stop.add_listener(told.set)
        assert told.wait(30)
        return Choice(move=board.legal_moves[-1], value=12, depth=3, nodes=7)


@dataclass(slots=True)
class Own(SimplePlayer):
    """Does what its words say."""

    words: list[str] = field(default_factory=list)
    pondered: bool = False

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        move = board.legal_moves[-1]
        match self.words:
            case ["writes", path]:
                Path(path).write_text(f"{os.getpid()} {os.getsid(0)}")
            case ["waits"]:
                assert stop is not None
                called = threading.Event()
                stop.add_listener(called.set)
                called.wait(60)
            case ["hangs"]:
                time.sleep(60)
            case ["unspeakable"]:
                raise Unspeakable
            case ["fails"]:
                raise ZeroDivisionError("one\nby none")
            case ["ends"]:
                os._exit(3)
            case ["warns"]:
                warnings.warn("the CPU goes on", RuntimeWarning, stacklevel=1)
            case ["prints"]:
                print("not an answer", flush=True)
            case ["clock"]:
                return Choice(move=move, value=clock.move_seconds)
            case ["pondered"]:
                return Choice(move=move, value=float(self.pondered))
        return Choice(
            move=move, value=1.5, scale=Scale(unit="discs"), depth=9, nodes=7, exact=True, line=(move, move), why="book"
        )

    def behave(self, words: str) -> None:
        self.words = words.split()

    def check(self, board: Board) -> None:
        if self.words == ["refused"]:
            raise OutflankError("there is no such player")

    def ponder(self, board: Board, *, stop: Stop) -> None:
        self.pondered = True
        called = threading.Event()
        stop.add_listener(called.set)
        called.wait(60)


def made(words: str, game: Any) -> Player:
    kind, _, rest = words.partition(" ")
    if is_program(words) or kind in ("computer", "random"):
        return player_in_words(words, game)
    return Own(name=words, words=rest.split())
