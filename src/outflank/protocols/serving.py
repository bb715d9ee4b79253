"""The base of the protocols' loops: lines in, lines out, a player that is asked, and a way to end its search."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TextIO

from outflank.errors import OutflankError
from outflank.games.description import GAMES, GameDescription, game_named
from outflank.players.player import Player
from outflank.plugins import Registry, instance_of
from outflank.protocols.listening import LONGEST, Listener, Urgency, too_long
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import Stop


class Engine:
    """A player behind a protocol."""

    def __init__(self, urgency: Callable[[str], Urgency]) -> None:
        self._urgency = urgency
        self._listener: Listener | None = None
        self._leaving = False
        self._player: Player | None = None
        self._made_for: object = None

    def replies(self, line: str) -> Iterator[str]:
        """Yield the reply to a line, part by part as it becomes known."""
        raise NotImplementedError

    def refusal(self, line: str, reason: str) -> str:
        """Return the reply to a line that is not processed."""
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
        """Return a block whose `Stop` ends the search that runs inside."""
        return self._listener.thinking() if self._listener else nullcontext(Stop())

    def _player_for(self, key: object, make: Callable[[], Player]) -> Player:
        """Return the last player, or a new one if that one was made for another key."""
        if self._player is None or self._made_for != key:
            if self._player is not None:
                self._player.close()
            self._player, self._made_for = make(), key
        return self._player


# --- chosen by name ---


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """The settings of an engine."""

    game: str
    """The game that is played first."""
    make: Callable[..., Player]
    """Makes the player for a board, and for the depth that the other program has set, if it has."""
    seconds: float | None = None
    """Limit on the time of a move."""
    options: PlayerKeywords = field(default_factory=PlayerKeywords)
    """Options of every search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedProtocol:
    """A protocol through which other programs can let this one play."""

    name: str
    about: str
    """A line that says what the protocol is, and which programs speak it."""
    engine: Callable[[EngineRequest], Engine]
    """Makes the engine that answers the other program."""
    games: tuple[str, ...] = ()
    """Names of the games that the protocol can express; empty: all games."""
    told_in: str = ""
    """Suffix of files, such as `.ggf`, in whose format the protocol sends games; only games with that format can be
    played."""

    def plays(self, description: GameDescription) -> bool:
        """Return whether the protocol can express a game."""
        has_format = not self.told_in or self.told_in in description.notation.files
        return has_format and (not self.games or description.name in self.games)

    def check_game(self, name: str) -> None:
        """Raise an error if the protocol cannot express the game of that name."""
        if not self.plays(game_named(name)):
            known = ", ".join(description.name for description in GAMES.parts().values() if self.plays(description))
            raise OutflankError(f"{self.name} is for {known} alone, not for {name}")


PROTOCOLS = Registry(
    "protocol",
    "outflank.protocols",
    {"gtp": "outflank.protocols.gtp_server:GTP", "nboard": "outflank.protocols.nboard_server:NBOARD"},
    check=instance_of(ServedProtocol),
)


def register_protocol(protocol: ServedProtocol) -> ServedProtocol:
    """Register a protocol by its name, as one of its module's."""
    return PROTOCOLS.register(protocol.name, protocol, by=protocol.engine.__module__)
