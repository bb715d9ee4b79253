"""What the loops have in common: lines in, lines out, a player who is asked, and what ends its search."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TextIO

from outflank.errors import OutflankError
from outflank.games.description import GAMES, GameDescription, game_named
from outflank.players.player import Player
from outflank.plugins import Registry, instance_of
from outflank.protocols.listening import LONGEST, Listener, Urgency, too_long
from outflank.search.contract import Stop


class Engine:
    """A player behind a protocol."""

    def __init__(self, urgency: Callable[[str], Urgency]) -> None:
        self._urgency = urgency
        self._listener: Listener | None = None
        self._leaving = False
        self._player: Player | None = None
        self._made_for: Any = None

    def replies(self, line: str) -> Iterator[str]:
        """What is written in answer to a line, as it becomes known."""
        raise NotImplementedError

    def refusal(self, line: str, why: str) -> str:
        """What is written in answer to a line that is not looked at."""
        raise NotImplementedError

    def run(self, stream: Iterable[str], output: TextIO) -> None:
        """Answer the lines of `stream` until it ends or says `quit`."""
        self._listener = Listener(stream, self._urgency)
        try:
            for line in self._listener.lines():
                for reply in self._replies(line):
                    output.write(reply)
                    output.flush()
                if self._leaving:
                    return
        finally:
            self.stop()
            if self._player is not None:
                self._player.close()

    def _replies(self, line: str) -> Iterable[str]:
        if too_long(line):
            return [self.refusal(line, f"a line of more than {LONGEST} characters")]
        return self.replies(line)

    def stop(self) -> None:
        """End the search, and the loop. From any thread."""
        if self._listener is not None:
            self._listener.end()

    def _thinking(self) -> AbstractContextManager[Stop]:
        """What ends the search that runs inside."""
        return self._listener.thinking() if self._listener else nullcontext(Stop())

    def _player_for(self, key: Any, make: Callable[[], Player]) -> Player:
        """The player of the last time, or a new one if it was made for something else."""
        if self._player is None or self._made_for != key:
            if self._player is not None:
                self._player.close()
            self._player, self._made_for = make(), key
        return self._player


# --- chosen by name ---


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """What an engine is wanted for."""

    game: str
    """What is played at first."""
    make: Callable[..., Player]
    """The player for a board, and for the depth that the other program has set, if it has."""
    seconds: float | None = None
    """The most for a move."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of every search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedProtocol:
    """A protocol in which other programs can have us play."""

    name: str
    about: str
    """A line: what it is, and who speaks it."""
    engine: Callable[[EngineRequest], Engine]
    """What answers the other program."""
    games: tuple[str, ...] = ()
    """Those that it can speak of; all, if there are none."""
    told_in: str = ""
    """The end of the names of files, such as `.ggf`, in whose format it tells games: only those that have it."""

    def plays(self, description: GameDescription) -> bool:
        """Whether it can speak of a game."""
        written = not self.told_in or self.told_in in description.notation.files
        return written and (not self.games or description.name in self.games)

    def check_game(self, name: str) -> None:
        """An error if it cannot speak of the game of that name."""
        if not self.plays(game_named(name)):
            known = ", ".join(each.name for each in GAMES.parts().values() if self.plays(each))
            raise OutflankError(f"{self.name} is for {known} alone, not for {name}")


PROTOCOLS = Registry(
    "protocol",
    "outflank.protocols",
    {"gtp": "outflank.protocols.gtp:GTP", "nboard": "outflank.protocols.nboard:NBOARD"},
    check=instance_of(ServedProtocol),
)


def register_protocol(protocol: ServedProtocol) -> ServedProtocol:
    """Make a protocol known by its name, which is its module's from then on."""
    return PROTOCOLS.register(protocol.name, protocol, by=protocol.engine.__module__)
