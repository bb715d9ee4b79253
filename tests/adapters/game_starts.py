"""The games with which adapters are tested, the package's own and games that it does not know; and a player."""

from typing import Any

import pytest

from outflank.players.player import PlayerFailed, SimplePlayer
from tests.installing import OWN_GAMES, register_game_for_now

GAMES_TO_TEST: tuple[tuple[str, dict[str, Any]], ...] = (
    ("othello", {}),
    ("othello", {"size": 4, "scoring": "discs"}),
    ("abalone", {"layout": "belgian-daisy"}),
    ("noughts", {"columns": 4}),
    ("connect-four", {"columns": 5}),
    ("breakthrough", {"size": 5}),
)
"""Names of games with options."""


def register(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a game until the test is over, if it is not the package's own."""
    if name in OWN_GAMES:
        register_game_for_now(monkeypatch, name)


class Crashing(SimplePlayer):
    """A player that fails."""

    def choose(self, board, clock, *, stop=None):
        raise PlayerFailed("it has crashed")
