"""Games and players in OpenSpiel, checked by OpenSpiel's own tests."""

import pickle
import unittest
import warnings
from random import Random

import numpy as np
import pytest

pytest.importorskip("pyspiel")

import pyspiel

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # warnings of libraries that OpenSpiel's games import
    from open_spiel.python.algorithms.generate_playthrough import playthrough
    from open_spiel.python.algorithms.get_all_states import get_all_states

from outflank import AbaloneBoard, InvalidOption, OthelloBoard, OutflankError
from outflank.adapters import openspiel
from outflank.adapters.game_in_steps import LONGEST_GAME, most_plies
from outflank.games.description import game_named
from tests.adapters.game_starts import GAMES_TO_TEST, Crashing, register

pytestmark = pytest.mark.interpreted_only


def text_of(name: str, options: dict[str, object]) -> str:
    """The game as OpenSpiel names it."""
    return f"{openspiel.short_name(name)}({','.join(f'{key}={value}' for key, value in options.items())})"


@pytest.fixture
def load(monkeypatch):
    def call(name: str, **options: object) -> "pyspiel.Game":
        register(name, monkeypatch)
        openspiel.register_games()
        return pyspiel.load_game(text_of(name, options))

    return call


MOST_PLIES = 80
"""Length at which a game of a test is drawn: more plies than nearly all games of Othello have. Abalone's limit of 400
plies takes five times as long."""


@pytest.fixture
def _short_games(monkeypatch):
    monkeypatch.setattr(openspiel, "most_plies", lambda board: min(most_plies(board), MOST_PLIES))


@pytest.fixture(scope="module")
def noughts_states() -> "tuple[pyspiel.Game, dict[str, pyspiel.State]]":
    """The game of noughts and crosses with all of its states, by their texts. The walk takes six seconds."""
    with pytest.MonkeyPatch.context() as patch:
        register("noughts", patch)
        openspiel.register_games()
        game = pyspiel.load_game(text_of("noughts", {}))
        return game, get_all_states(game, to_string=str)


@pytest.mark.usefixtures("_short_games")
@pytest.mark.parametrize(("name", "options"), GAMES_TO_TEST)
@pytest.mark.slow(3)
def test_openspiels_own_tests_pass(name, options, load):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of libraries that OpenSpiel's tests import
        # Here, because it imports SciPy: 1.5 s for each process that collects tests.
        from open_spiel.integration_tests import api_test
    game = load(name, **options)
    case = type("OurGame", (api_test.EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": text_of(name, options)})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert [text for _, text in [*result.failures, *result.errors]] == []
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.usefixtures("_short_games")
@pytest.mark.parametrize(("name", "options"), GAMES_TO_TEST)
@pytest.mark.slow(2)
def test_a_playthrough_can_be_repeated(name, options, load):
    load(name, **options)
    text = playthrough(text_of(name, options), None, seed=1)
    actions = [int(line.removeprefix("action: ")) for line in text.splitlines() if line.startswith("action: ")]
    assert actions
    assert playthrough(text_of(name, options), actions, seed=2) == text


@pytest.mark.slow(6)
def test_states_are_the_boards_of_the_game(noughts_states):
    game, states = noughts_states
    assert len(states) == 5478  # as many as tic-tac-toe has
    for state in list(states.values())[::50]:
        twin = game.new_initial_state()
        for action in state.history():
            twin.apply_action(action)
        assert twin.board == state.board
        assert state.is_terminal() == state.board.is_game_over
        assert state.clone().board == state.board


def test_values_of_terminal_states_are_those_of_tic_tac_toe(noughts_states):
    def values(states: "dict[str, pyspiel.State]") -> list[float]:
        return sorted(state.returns()[0] for state in states.values() if state.is_terminal())

    assert values(noughts_states[1]) == values(get_all_states(pyspiel.load_game("tic_tac_toe"), to_string=str))


def test_observations_show_who_is_to_move(load):
    game = load("othello", size=4)
    state = game.new_initial_state()
    for turn in ([1, 0], [0, 1]):
        tensor = np.array(state.observation_tensor(0))
        assert tensor.size == 2 + 2 * 16
        assert tensor[:2].tolist() == turn
        np.testing.assert_array_equal(tensor[2:].reshape(2, 4, 4), state.board.to_numpy())
        state.apply_action(state.legal_actions()[0])


def test_games_and_states_are_pickled(load):
    game = load("othello", size=6)
    state = game.new_initial_state()
    for _ in range(7):
        state.apply_action(state.legal_actions()[-1])
    again_game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert (str(again_game), str(again)) == (str(game), str(state))
    assert str(pickle.loads(pickle.dumps(game))) == str(game)
    assert str(pickle.loads(pickle.dumps(state))) == str(state)


@pytest.mark.parametrize("name", ["othello", "connect-four"])
def test_games_of_openspiel_that_we_name_are_the_same(name, load):
    """The same legal actions and results in both, which are separate programs."""
    ours = load(name)
    theirs = pyspiel.load_game(game_named(name).encoding.openspiel_name)
    for seed in range(3):
        mine, other, random = ours.new_initial_state(), theirs.new_initial_state(), Random(seed)
        while not other.is_terminal():
            assert mine.legal_actions() == other.legal_actions()
            assert mine.current_player() == other.current_player()
            action = random.choice(other.legal_actions())
            mine.apply_action(action)
            other.apply_action(action)
        assert mine.is_terminal()
        assert mine.returns() == other.returns()


@pytest.mark.parametrize("name", ["outflank_othello", "othello"])
def test_bots_play_our_othello_and_openspiels(name):
    game = openspiel.load_game(name)
    engine = openspiel.PlayerBot("computer depth=1 workers=1 exact=0 evaluation=discs", game)
    other = openspiel.PlayerBot("random", game, player_id=1)
    assert (engine.player_id(), other.player_id(), engine.provides_policy()) == (0, 1, False)
    for seed in range(2):
        for bot in (engine, other):
            bot.restart()
        state = game.new_initial_state()
        returns = pyspiel.evaluate_bots(state, [engine, other], seed)
        assert set(returns) <= {1.0, 0.0, -1.0}
        assert sum(returns) == 0


def test_bots_follow_a_state_that_they_did_not_see(load):
    game = load("othello", size=4)
    bot = openspiel.PlayerBot("first", game)
    first, second = game.new_initial_state(), game.new_initial_state()
    second.apply_action(second.legal_actions()[-1])
    for state in (first, second, first):
        assert bot.step(state) == state.board.legal_moves[0].code
    bot.restart_at(second)
    assert bot.step(second) == second.board.legal_moves[0].code


def test_games_without_a_limit_end_as_draws(load, monkeypatch):
    assert most_plies(AbaloneBoard.start()) == 400
    assert most_plies(AbaloneBoard.start(ply_limit=None)) == LONGEST_GAME
    assert most_plies(OthelloBoard.start()) == 120
    monkeypatch.setattr(openspiel, "most_plies", lambda board: 3)
    state = load("abalone").new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_what_is_wrong_is_said(load):
    game = load("othello", size=4)
    with pytest.raises(InvalidOption, match=r"game tic_tac_toe\(\): a bot of ours plays othello, outflank_…"):
        openspiel.PlayerBot("random", pyspiel.load_game("tic_tac_toe"))
    with pytest.raises(InvalidOption, match="expected a time for each move"):
        openspiel.PlayerBot("random", game, clock="5+3")
    with pytest.raises(OutflankError, match="shaky: it has crashed"):
        openspiel.PlayerBot(Crashing("shaky"), game).step(game.new_initial_state())
    with pytest.raises(InvalidOption, match="reached by its actions alone"):
        game.new_initial_state({"board": []})
