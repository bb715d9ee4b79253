"""Base class of the engines through which a protocol uses our players, and the registry of protocols."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TextIO

from outflank.errors import OutflankError
from outflank.games.description import GAMES, GameDescription, game_named
from outflank.logs import logger
from outflank.players.player import Player
from outflank.plugins import Registry, instance_of
from outflank.protocols.listening import LONGEST, Listener, Urgency, too_long
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import Stop

log = logger(__name__)


class Engine:
    """Reads the lines of a protocol, and answers them with the help of a player."""

    def __init__(self, urgency: Callable[[str], Urgency]) -> None:
        self._urgency = urgency
        self._listener: Listener | None = None
        self._leaving = False
        self._player: Player | None = None
        self._made_for: object = None

    def replies(self, line: str) -> Iterator[str]:
        """Yield the parts of the reply to a line, as they become known."""
        raise NotImplementedError

    def refusal(self, line: str, reason: str) -> str:
        """Return the reply to a line that is rejected for this reason."""
        raise NotImplementedError

    def run(self, stream: Iterable[str], output: TextIO) -> None:
        """Answer the lines of `stream` until it ends or a line says `quit`."""
        self._listener = Listener(stream, self._urgency)
        try:
            for line in self._listener.lines():
                log.debug("received: %s", line)
                for reply in self._replies(line):
                    log.debug("answered: %s", reply)
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
            log.warning("refused a line of more than %d characters", LONGEST)
            return [self.refusal(line, f"a line of more than {LONGEST} characters")]
        return self.replies(line)

    def stop(self) -> None:
        """End the running search and the loop of `run`. May be called from any thread."""
        if self._listener is not None:
            self._listener.end()

    def _thinking(self) -> AbstractContextManager[Stop]:
        """Return a context for a search, with a `Stop` that is called when a stop command arrives."""
        return self._listener.thinking() if self._listener else nullcontext(Stop())

    def _player_for(self, key: object, make: Callable[[], Player]) -> Player:
        """Return the current player, or a new one from `make` if the current one was made for another `key`."""
        if self._player is None or self._made_for != key:
            if self._player is not None:
                self._player.close()
            self._player, self._made_for = make(), key
        return self._player


# --- the registry of protocols ---


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRequest:
    """Settings with which a protocol's engine is made."""

    game: str
    """Name of the game at the start; the other program may select another one."""
    make: Callable[..., Player]
    """Function that makes the player for a board and for the depth, if any, that the other program has set."""
    seconds: float | None = None
    """Limit on the time of a move."""
    options: PlayerKeywords = field(default_factory=PlayerKeywords)
    """Options of every search that the engine runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedProtocol:
    """A protocol through which other programs can use our players."""

    name: str
    about: str
    """One line that says what the protocol is and which programs speak it."""
    engine: Callable[[EngineRequest], Engine]
    """Function that makes the engine which answers the other program."""
    games: tuple[str, ...] = ()
    """Names of the games that the protocol can express; empty for all games."""
    told_in: str = ""
    """Suffix, such as `.ggf`, of the file format in which the protocol sends games; games that lack this format
    cannot be played."""

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
    """Register a protocol under its name. Only the module that defines its engine can replace it later."""
    return PROTOCOLS.register(protocol.name, protocol, by=protocol.engine.__module__)
