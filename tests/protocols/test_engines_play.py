"""The package's own players against each other: programs that speak to us, and a match of the command."""

from contextlib import ExitStack, closing

import pytest

from outflank import AbaloneBoard, OthelloBoard, Side
from outflank.players.clock import Clock, TimeControl
from outflank.players.specs import Random
from outflank.protocols.gtp_client import GtpPlayer
from outflank.protocols.nboard_client import NBoardPlayer
from outflank.ui.cli import main
from tests.protocols.test_protocol_clients import played
from tests.protocols.test_protocols import ENGINE

pytestmark = pytest.mark.compiled


@pytest.mark.slow(6)
def test_our_own_engines_play_each_other() -> None:
    start, small = OthelloBoard.start(), AbaloneBoard.start(ply_limit=60)
    gtp = [*ENGINE, "gtp", "--workers", "1"]
    with ExitStack() as opened:
        one = opened.enter_context(closing(GtpPlayer([*gtp, "--depth", "3"], start.game)))
        other = opened.enter_context(closing(NBoardPlayer([*ENGINE, "nboard", "--workers", "1"], start.game, depth=2)))
        clock = Clock(control=TimeControl(move_seconds=5.0))
        for black, white in ((one, other), (other, one)):
            assert played(OthelloBoard.start(), black, white, clock).is_game_over
        won = played(OthelloBoard.start(), one, Random(seed=1), clock).outcome()
        assert won is not None
        assert won.winner is Side.BLACK
        abalone = opened.enter_context(closing(GtpPlayer([*gtp, "--game", "abalone", "--depth", "2"], small.game)))
        assert played(small, abalone, one, clock).is_game_over


def test_command_with_the_players_of_the_package(capsys):
    with pytest.raises(SystemExit) as left:
        main(["match", "computer depth=3 workers=1", "random", "--games", "4", "--concurrency", "2"])
    assert not left.value.code
    out = capsys.readouterr().out
    assert "Games | N: 4 W: 4" in out
    assert "Lost" not in out
