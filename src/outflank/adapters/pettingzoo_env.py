"""Games as environments of PettingZoo, in which two agents move in turn (extra `rl`).

For example:

    from outflank.adapters import pettingzoo_env

    env = pettingzoo_env.env("othello", size=6)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from outflank.adapters.game_in_steps import PLAYERS, Shape, legal_mask, library, reward_of, start_of_game
from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.description import description_of
from outflank.games.sides import Side

library("pettingzoo", "rl")

from gymnasium import spaces  # noqa: E402  # after the error that says how to install it
from gymnasium.utils import EzPickle  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

if TYPE_CHECKING:
    from outflank.boards.planes import Planes

AGENTS = {side: f"player_{number}" for side, number in PLAYERS.items()}
"""Name of the agent that plays each side: black is `player_0`."""

RENDER_MODES = ("ansi", "human")


def env(game: str | Board, *, render_mode: str | None = None, **options: object) -> Any:
    """Return the environment of a game, given by its name and options or by a board, in the usual wrappers of
    PettingZoo: an agent that makes an illegal move loses."""
    raw = GameEnv(game, render_mode=render_mode, **options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))
    )


class GameEnv(AECEnv, EzPickle):  # type: ignore[misc]  # untyped
    """A game in which `player_0` is black and `player_1` white.

    An action is a move's code, a pass included. An observation has the planes of `Board.to_numpy`, from the point of
    view of the side to move, and the mask of the legal actions, which is empty for the other agent. At the end the
    winner's reward is 1 and the loser's -1, and `infos` has the score of each.
    """

    def __init__(self, game: str | Board, *, render_mode: str | None = None, **options: object) -> None:
        EzPickle.__init__(self, game, render_mode=render_mode, **options)
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise InvalidOption(f"render_mode={render_mode!r}: expected {' or '.join(RENDER_MODES)}")
        self._start = start_of_game(game, options)
        self.board = self._start.copy()
        """The board on which the game is played."""
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{description_of(self.board.game).name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        shape = Shape.of(self.board)
        self.possible_agents = list(AGENTS.values())
        self.action_spaces = {agent: spaces.Discrete(shape.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape.planes, np.int8),
                    "action_mask": spaces.Box(0, 1, (shape.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing in it is random, so that `seed` has no effect, and there are no `options`."""
        self.board = self._start.copy()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, self.board.is_game_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = AGENTS[self.board.turn]

    def observe(self, agent: str) -> "dict[str, Planes]":
        mask = legal_mask(self.board, int(self.action_spaces[agent].n))
        if agent != AGENTS[self.board.turn]:
            mask[:] = 0
        return {"observation": self.board.to_numpy(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the move with the code `action` for the selected agent."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        assert action is not None
        self.board.push(self.board.move(int(action)))
        self._cumulative_rewards[self.agent_selection] = 0
        self.agent_selection = AGENTS[self.board.turn]
        self._clear_rewards()
        outcome = self.board.outcome()
        if outcome is not None:
            for side, agent in AGENTS.items():
                self.rewards[agent] = reward_of(self.board, side)
                self.infos[agent] = {"score": outcome.score if side is Side.BLACK else -outcome.score}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text, or print it in the mode `human`."""
        if self.render_mode != "human":
            return str(self.board)
        print(self.board)
        return None
