"""Every game as an environment of PettingZoo, checked by PettingZoo's own test."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

from outflank import AbaloneBoard, InvalidOption, OthelloBoard
from outflank.adapters import pettingzoo_env
from outflank.games.description import OWN_GAMES as PACKAGE_GAMES
from tests.adapters.game_starts import GAMES_TO_TEST, register

pytestmark = pytest.mark.interpreted_only

EXPECTED = (
    "Observation space for each agent probably should be",  # a dictionary, as in PettingZoo's own board games
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros",  # when the game is over
    "Observation numpy array is all zeros",  # noughts and crosses begins with an empty board
)


@pytest.mark.parametrize(("name", "options"), GAMES_TO_TEST)
@pytest.mark.slow(5)
def test_pettingzoos_own_test_passes(name, options, monkeypatch, capsys):
    register(name, monkeypatch)
    with warnings.catch_warnings():
        for text in EXPECTED:
            warnings.filterwarnings("ignore", text)
        api_test(pettingzoo_env.env(name, **options), num_cycles=300)
        seed_test(lambda: pettingzoo_env.env(name, **options), num_cycles=20)
    assert "Passed API test" in capsys.readouterr().out


def test_every_game_of_the_package_is_tested():
    assert set(PACKAGE_GAMES) <= {name for name, _ in GAMES_TO_TEST}


def test_a_game_is_played_to_its_end():
    env = pettingzoo_env.env(OthelloBoard.start(4))
    env.reset()
    rng = np.random.default_rng(1)
    rewards = {}
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination:
            rewards[agent] = (reward, info["score"])
            env.step(None)
            continue
        assert not truncation
        assert agent == ("player_0" if env.unwrapped.board.turn.value == "black" else "player_1")
        codes = observation["action_mask"].nonzero()[0]
        assert codes.tolist() == sorted(move.code for move in env.unwrapped.board.legal_moves)
        np.testing.assert_array_equal(observation["observation"], env.unwrapped.board.to_numpy())
        env.step(rng.choice(codes))
    outcome = env.unwrapped.board.outcome()
    assert rewards["player_0"] == (np.sign(outcome.score), outcome.score)
    assert rewards["player_1"] == (-np.sign(outcome.score), -outcome.score)


def test_an_illegal_move_loses(caplog):
    env = pettingzoo_env.env("othello")
    env.reset()
    env.step(0)
    assert "Illegal move" in caplog.text
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1, "player_1": 0}


def test_a_position_is_a_start_and_is_not_changed():
    board = AbaloneBoard.start("belgian-daisy")
    board.push("a1b2")
    env = pettingzoo_env.GameEnv(board, render_mode="ansi")
    env.reset()
    assert env.agent_selection == "player_1"
    env.step(board.legal_moves[0].code)
    assert env.agent_selection == "player_0"
    assert len(board.moves) == 1
    env.reset()
    assert env.render() == str(board)
    again = pickle.loads(pickle.dumps(env))
    again.reset()
    assert again.board == board


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidOption, match="Abalone has no option 'size'"):
        pettingzoo_env.env("abalone", size=6)
    with pytest.raises(InvalidOption, match="size: a board has its options already"):
        pettingzoo_env.env(OthelloBoard.start(), size=6)
    with pytest.raises(InvalidOption, match="render_mode='rgb_array': expected ansi or human"):
        pettingzoo_env.env("othello", render_mode="rgb_array")
