"""Games and players for OpenSpiel (extra `openspiel`).

For example:

    import pyspiel
    from outflank.adapters import openspiel

    openspiel.register_games()
    game = pyspiel.load_game("outflank_abalone(layout=belgian-daisy)")
    bots = [openspiel.PlayerBot("computer level=3", game), openspiel.PlayerBot("random", game)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from outflank.adapters.game_in_steps import PLAYERS, Shape, clock_for_moves, library, most_plies, move_of, reward_of
from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.description import GAMES, GameDescription, game_named
from outflank.players.player import Player
from outflank.players.specs import player

library("pyspiel", "openspiel")

import pyspiel  # noqa: E402  # after the error that says how to install it
from open_spiel.python.observation import IIGObserverForPublicInfoGame  # noqa: E402

PREFIX = "outflank_"
"""Begins the names of our games in OpenSpiel."""


def short_name(name: str) -> str:
    """Return the name in OpenSpiel of the game that is called `name` here: `outflank_connect_four` for a
    `connect-four`."""
    return PREFIX + name.replace("-", "_")


def register_games() -> tuple[str, ...]:
    """Register every game with OpenSpiel, and return their names there; options of a game become parameters."""
    known = set(pyspiel.registered_names())
    names = []
    for description in GAMES.parts().values():
        names.append(short_name(description.name))
        if names[-1] not in known:
            # A class, because OpenSpiel releases what it registers after Python has ended: an object that is freed
            # only then ends the process with an error, but a class is never freed.
            game = type(description.rules.__name__, (SpielGame,), {"name": description.name})
            pyspiel.register_game(_game_type(description), game)
    return tuple(names)


def load_game(text: str) -> "SpielGame":
    """Return the game that OpenSpiel names `text`; our games are registered first."""
    register_games()
    return pyspiel.load_game(text)  # type: ignore[no-any-return]  # untyped


def _game_type(description: GameDescription) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=short_name(description.name),
        long_name=f"{description.title} (outflank)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={option.name: option.default for option in description.variants.options},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # untyped
    """One of our games in OpenSpiel; there is a derived class for each. Player 0 is black; an action is a move's code,
    a pass included."""

    name: ClassVar[str]
    """The name of the game here."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        description = game_named(self.name)
        self.start = description.start(**dict(parameters or {}))
        """The board at the start."""
        self.most_plies = most_plies(self.start)
        """Number of plies after which the game is over, or drawn."""
        information = pyspiel.GameInfo(
            num_distinct_actions=Shape.of(self.start).actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.most_plies,
        )
        super().__init__(_game_type(description), information, dict(parameters or {}))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return load_game, (str(self),)  # the class of a game has no place from which it could be imported

    def new_initial_state(self, state: object = None) -> "SpielState":
        """Return the state at the start; other initial states are not supported."""
        if state is not None:
            raise InvalidOption("a state of our games is reached by its actions alone: expected None")
        return SpielState(self, self.start)

    def make_py_observer(self, observation_type: Any = None, parameters: Any = None) -> Any:
        """Return an observer of the planes, or of the history of actions where OpenSpiel asks for it."""
        if observation_type is None or (observation_type.public_info and not observation_type.perfect_recall):
            return SpielObserver(self, parameters)
        return IIGObserverForPublicInfoGame(observation_type, parameters)


class SpielState(pyspiel.State):  # type: ignore[misc]  # untyped
    """A state of one of our games: a board, on which the game may also end as its longest."""

    def __init__(self, game: SpielGame, board: Board) -> None:
        super().__init__(game)
        self.board = board.copy()
        """The board, with the moves of the game."""
        self._last_ply = board.ply + game.most_plies

    def current_player(self) -> int:
        """Return the number of the player to move."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else PLAYERS[self.board.turn]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(move.code for move in self.board.legal_moves)

    def _apply_action(self, action: int) -> None:
        self.board.push(self.board.move(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.board.move(action))

    def is_terminal(self) -> bool:
        """Return whether the game is over by its rules or by its length."""
        return self.board.is_game_over or self.board.ply >= self._last_ply

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser, in the order of the players."""
        return [float(reward_of(self.board, side)) for side in PLAYERS]

    def __str__(self) -> str:
        return self.board.to_text()


class SpielObserver:
    """Observes a state as tensors: `planes` from the point of view of the side to move, and one bit for each `player`
    that says whether it is to move. Both players observe the same."""

    def __init__(self, game: SpielGame, parameters: Any) -> None:
        if parameters:
            raise InvalidOption(f"parameters of an observer: expected none, found {parameters}")
        shape = Shape.of(game.start).planes
        self.tensor = np.zeros(2 + int(np.prod(shape)), np.float32)
        self.dict = {"player": self.tensor[:2], "planes": self.tensor[2:].reshape(shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write a state to the tensors."""
        self.dict["player"][:] = [state.board.turn is side for side in PLAYERS]
        self.dict["planes"][:] = state.board.to_numpy()

    def string_from(self, state: SpielState, player: int) -> str:
        """Return a state as text."""
        return str(state)


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]  # untyped
    """A player of outflank as a bot: for our games in OpenSpiel, and for games of its own that are the same."""

    def __init__(self, words: str | Player, game: Any, *, player_id: int = 0, clock: str = "none") -> None:
        """Make the bot of a player, or of its description (`computer level=3`), for a game of OpenSpiel.

        `clock` is the time for each move: `0.1s/move`.
        """
        super().__init__()
        self._start = game.start if isinstance(game, SpielGame) else _start_of_same_game(game)
        self._clock = clock_for_moves(clock)
        self.player: Player = player(words, self._start.game) if isinstance(words, str) else words
        """The player that chooses the moves."""
        self._player_id = player_id
        self._board: Board | None = None  # None: the player has not been told of the game

    def player_id(self) -> int:
        """Return the number of the side that the bot plays."""
        return self._player_id

    def provides_policy(self) -> bool:
        """Return False: the bot chooses moves, and has no probabilities."""
        return False

    def restart(self) -> None:
        """Forget the last game."""
        self._board = None

    def restart_at(self, state: Any) -> None:
        """Forget the last game; the next begins at `state`."""
        self._board = None

    def step(self, state: Any) -> int:
        """Return the player's move."""
        return move_of(self.player, self._board_at(state.history()), self._clock).code

    def _board_at(self, history: list[int]) -> Board:
        """Return the board after these actions; only the new ones are played if the game goes on."""
        played = [] if self._board is None else [move.code for move in self._board.moves]
        if self._board is None or history[: len(played)] != played:
            self._board, played = self._start.copy(), []
            self.player.new_game(self._board.copy())
        for action in history[len(played) :]:
            self._board.push(self._board.move(action))
        return self._board


def _start_of_same_game(game: Any) -> Board:
    """Return the start of our game that is the same as one of OpenSpiel's own."""
    same = {found.encoding.openspiel_name: found for found in GAMES.parts().values() if found.encoding.openspiel_name}
    name = game.get_type().short_name
    if name not in same or game.get_parameters():
        raise InvalidOption(f"game {game}: a bot of ours plays {', '.join(same)}, {PREFIX}…")
    return same[name].start()
