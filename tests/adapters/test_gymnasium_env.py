"""A game against an opponent as an environment of Gymnasium, checked by Gymnasium's own test."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.utils.env_checker import check_env

from outflank import InvalidOption, OthelloBoard, OutflankError, Side
from outflank.adapters.gymnasium_env import OpponentEnv
from outflank.players.specs import player
from tests.adapters.game_starts import GAMES_TO_TEST, Crashing, register

pytestmark = pytest.mark.interpreted_only

MADE = "outflank.adapters.gymnasium_env:outflank/Game-v0"


@pytest.mark.parametrize("side", ["black", "white", "random"])
@pytest.mark.parametrize(("name", "options"), GAMES_TO_TEST)
@pytest.mark.slow(3)
def test_gymnasiums_own_test_passes(name, options, side, monkeypatch):
    register(name, monkeypatch)
    env = gymnasium.make(MADE, game=name, side=side, **options)
    check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("side", ["black", "white"])
def test_a_game_against_the_engine_is_played_to_its_end(side):
    env = OpponentEnv("othello", size=4, side=side, opponent="computer depth=2 workers=1 evaluation=mobility")
    observation, info = env.reset(seed=1)
    rng, total, over = np.random.default_rng(1), 0, False
    while not over:
        assert env.board.turn.value == side
        np.testing.assert_array_equal(observation, env.board.to_numpy())
        codes = info["action_mask"].nonzero()[0]
        assert codes.tolist() == sorted(move.code for move in env.board.legal_moves)
        assert env.action_masks().nonzero()[0].tolist() == codes.tolist()
        observation, reward, over, truncated, info = env.step(rng.choice(codes))
        total += reward
        assert not truncated
    outcome = env.board.outcome()
    assert outcome is not None
    sign = 1 if side == "black" else -1
    assert (total, info["score"]) == (sign * np.sign(outcome.score), sign * outcome.score)
    with pytest.raises(OutflankError, match="the game is over: call reset"):
        env.step(0)


def test_the_same_seed_gives_the_same_games():
    def moves(seed: int) -> list[tuple[str, list[int]]]:
        env = OpponentEnv("othello", side="random")
        games = []
        for game in range(6):
            _, info = env.reset(seed=seed if game == 0 else None)
            for _ in range(5):
                _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
            games.append((env.side.value, [move.code for move in env.board.moves]))
        return games

    first = moves(3)
    assert first == moves(3)
    assert {side for side, _ in first} == {"black", "white"}
    assert len({tuple(codes) for _, codes in first}) == 6
    assert first != moves(4)


def test_an_illegal_move_loses():
    env = OpponentEnv(OthelloBoard.start(6))
    env.reset()
    _, reward, terminated, _, info = env.step(64)
    assert (reward, terminated, info["illegal"]) == (-1, True, True)


def test_a_player_can_be_given_and_its_failure_is_an_error():
    board = OthelloBoard.start()
    env = OpponentEnv(board, opponent=player("first", board.game), render_mode="ansi")
    env.reset()
    env.step(19)
    assert (env.side, len(env.board.moves), len(board.moves)) == (Side.BLACK, 2, 0)
    assert env.render() == str(env.board)
    env.close()
    with pytest.raises(OutflankError, match="shaky: it has crashed"):
        OpponentEnv("othello", opponent=Crashing("shaky"), side="white").reset()


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidOption, match="side='red': expected black, white, random"):
        OpponentEnv("othello", side="red")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="expected a time for each move"):
        OpponentEnv("othello", clock="5+3")
    with pytest.raises(InvalidOption, match="render_mode='rgb_array'"):
        OpponentEnv("othello", render_mode="rgb_array")
    with pytest.raises(OutflankError, match="setting"):
        OpponentEnv("othello", opponent="computer deep=3")
