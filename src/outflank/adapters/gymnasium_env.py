"""A game against a chosen opponent as an environment of Gymnasium (extra `rl`).

For example:

    import gymnasium

    env = gymnasium.make("outflank.adapters.gymnasium_env:outflank/Game-v0", game="othello", opponent="random")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
"""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from outflank.adapters.game_in_steps import (
    Shape,
    clock_for_moves,
    legal_mask,
    library,
    move_of,
    reward_of,
    start_of_game,
)
from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.games.sides import Side
from outflank.players.player import Player
from outflank.players.specs import player

library("gymnasium", "rl")

import gymnasium  # noqa: E402  # after the error that says how to install it
from gymnasium import spaces  # noqa: E402

if TYPE_CHECKING:
    from outflank.boards.planes import Planes

RENDER_MODES = ("ansi", "human")

SIDES = ("black", "white", "random")


class OpponentEnv(gymnasium.Env["Planes", int]):  # type: ignore[misc]  # untyped
    """A game in which the agent plays one side, and an opponent of outflank the other.

    An action is a move's code, a pass included. An observation has the planes of `Board.to_numpy`, from the point of
    view of the side to move, which is the agent's until the game is over. `info["action_mask"]` has the legal actions.
    The reward is 1 for a win and -1 for a loss; an illegal action loses at once.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str | Board,
        *,
        opponent: str | Player = "random",
        side: Literal["black", "white", "random"] = "black",
        clock: str = "none",
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        """Make the environment of a game, given by its name and options or by a board.

        `opponent` is a player, or its description (`random`, `computer level=3`, `gtp: COMMAND`). `side` is the agent's
        side, `random` for another one in each game. `clock` is the opponent's time for each move: `0.1s/move`.
        """
        if render_mode not in (None, *RENDER_MODES):
            raise InvalidOption(f"render_mode={render_mode!r}: expected {' or '.join(RENDER_MODES)}")
        if side not in SIDES:
            raise InvalidOption(f"side={side!r}: expected {', '.join(SIDES)}")
        self._start = start_of_game(game, options)
        self._clock = clock_for_moves(clock)
        self.opponent = player(opponent, self._start.game) if isinstance(opponent, str) else opponent
        """The player of the other side."""
        self.board = self._start.copy()
        """The board on which the game is played."""
        self.side = Side.WHITE if side == "white" else Side.BLACK
        """The agent's side."""
        self._draws_side = side == "random"
        self.render_mode = render_mode
        shape = Shape.of(self.board)
        self.action_space = spaces.Discrete(shape.actions)
        self.observation_space = spaces.Box(0, 1, shape.planes, np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> "tuple[Planes, dict[str, Any]]":
        """Begin a game; the opponent moves first if it has the first move. There are no `options`."""
        super().reset(seed=seed)
        if self._draws_side:
            self.side = Side.WHITE if self.np_random.integers(2) else Side.BLACK
        self.board = self._start.copy()
        opponent_seed = int(self.np_random.integers(1 << 31))
        reseed = getattr(self.opponent, "reseed", None)
        if reseed is not None:
            reseed(opponent_seed)
        self.opponent.new_game(self.board.copy())
        self._reply()
        return self.board.to_numpy(), self._info()

    def step(self, action: int) -> "tuple[Planes, int, bool, bool, dict[str, Any]]":
        """Play the move with the code `action`, and let the opponent reply until the agent is to move again."""
        if self.board.is_game_over:
            raise OutflankError("the game is over: call reset")
        move = self.board.move(int(action))
        if move not in self.board.legal_moves:
            return self.board.to_numpy(), -1, True, False, {**self._info(), "illegal": True}
        self.board.push(move)
        self._reply()
        if self.render_mode == "human":
            self.render()
        return self.board.to_numpy(), reward_of(self.board, self.side), self.board.is_game_over, False, self._info()

    def action_masks(self) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
        """Return which actions are legal, as masked algorithms of other libraries ask."""
        return legal_mask(self.board, int(self.action_space.n)).astype(np.bool_)

    def render(self) -> str | None:
        """Return the board as text, or print it in the mode `human`."""
        if self.render_mode != "human":
            return str(self.board)
        print(self.board)
        return None

    def close(self) -> None:
        """Release the opponent's memory and processes."""
        self.opponent.close()

    def _reply(self) -> None:
        """Let the opponent move until the agent is to move, or the game is over."""
        while self.board.turn is not self.side and not self.board.is_game_over:
            if len(self.board.legal_moves) == 1:
                self.board.push(self.board.legal_moves[0])
                continue
            self.board.push(move_of(self.opponent, self.board, self._clock))

    def _info(self) -> dict[str, Any]:
        outcome = self.board.outcome()
        info: dict[str, Any] = {"action_mask": legal_mask(self.board, int(self.action_space.n))}
        if outcome is not None:
            info["score"] = outcome.score if self.side is Side.BLACK else -outcome.score
        return info


gymnasium.register(id="outflank/Game-v0", entry_point=OpponentEnv)
