"""Settings of a match, and the schedule that follows from them: pairings, colours and openings."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from outflank.arena.sprt import Sprt
from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.description import description_of
from outflank.players.clock import TimeControl
from outflank.validation.values import check_fields

MOST_GAMES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a match. With the same settings, deterministic players play the same match again."""

    players: tuple[str, ...]
    """Specifications of the players, at least two; more than two play a round robin."""
    start: Board
    """Board with the rules of the match and the position from which openings start."""
    games: int = 100
    """Number of games between each two players; a sequential test may end the match earlier."""
    clock: TimeControl = field(default_factory=TimeControl)
    openings: str = ""
    """Source of the openings, in a form of `outflank.arena.openings`; if empty, the game's usual source."""
    seed: int = 1
    paired: bool = True
    """Whether each opening is played twice, with colours swapped."""
    ply_limit: int | None = None
    """Number of moves, not counting the opening's, after which a game is drawn."""
    ponder: bool = False
    lag_seconds: float = 0.0
    """Time of each move that is not charged to the player's clock, in seconds."""
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.players) < 2:
            raise InvalidOption("a match has at least two players")
        if not 1 <= self.games <= MOST_GAMES:
            raise InvalidOption(f"{self.games} games: 1 to {MOST_GAMES}")
        if self.ply_limit is not None and self.ply_limit < 1:
            raise InvalidOption(f"a limit of {self.ply_limit} plies: at least one must be played")
        if not 0 <= self.lag_seconds < 60:
            raise InvalidOption(f"a lag of {self.lag_seconds:g} s: 0 to 60")
        if self.sprt is not None and len(self.players) != 2:
            raise InvalidOption("a sequential test is between two players")
        if not self.openings:
            object.__setattr__(self, "openings", description_of(self.start.game).play.openings(self.start))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players, with a number added if two are the same."""
        names: list[str] = []
        for text in self.players:
            earlier = self.players[: len(names)].count(text)
            names.append(f"{text} #{earlier + 1}" if earlier else text)
        return tuple(names)

    @property
    def rounds(self) -> int:
        """Number of openings that the match needs."""
        return (self.games + 1) // 2 if self.paired else self.games

    @property
    def pairings(self) -> tuple[tuple[int, int], ...]:
        """Numbers of the two players of each pairing in the match."""
        return tuple(combinations(range(len(self.players)), 2))

    @property
    def planned(self) -> int:
        """Number of games of all pairings together, if no test ends the match earlier."""
        return self.games * len(self.pairings)

    def fixture(self, number: int) -> "Fixture | None":
        """Return game `number` of the schedule, which does not depend on `games`; None if there is no such game."""
        parts = 2 if self.paired else 1
        meeting, part = divmod(number, parts)
        round_, place = divmod(meeting, len(self.pairings))
        if number < 0 or round_ * parts + part >= self.games:
            return None
        first, second = self.pairings[place]
        swapped = part if self.paired else round_ % 2
        black, white = (second, first) if swapped else (first, second)
        return Fixture(number=number, black=black, white=white, opening=round_)

    def fixtures(self) -> "Iterator[Fixture]":
        """Yield all games of the schedule in order."""
        parts = 2 if self.paired else 1
        for number in range(self.rounds * len(self.pairings) * parts):
            fixture = self.fixture(number)
            if fixture is not None:
                yield fixture

    def seed_of(self, fixture: "Fixture", player: int) -> int:
        """Return a player's random seed for a game; it does not depend on earlier games or on the thread."""
        return zlib.crc32(f"{self.seed}/{fixture.number}/{player}".encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A game of the schedule. Players are identified by their numbers."""

    number: int
    black: int
    white: int
    opening: int
    """Number of the opening, which is also the number of the round."""

    @property
    def pairing(self) -> tuple[int, int]:
        """Numbers of the two players, the lower number first."""
        return min(self.black, self.white), max(self.black, self.white)
