"""A PettingZoo environment: two players who move in turn."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import AgentSelector, wrappers

from ._wabe import Game

__all__ = ["HiveEnv", "env"]

AGENTS = ["player_0", "player_1"]

Observation = dict[str, npt.NDArray[Any]]


def env(**options: Any) -> Any:
    """``HiveEnv`` in PettingZoo's usual wrappers: an illegal action ends the game with reward -1."""
    wrapped = wrappers.TerminateIllegalWrapper(HiveEnv(**options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class HiveEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """A game as an AEC environment.

    Observations are dictionaries: ``observation`` (planes) and ``numbers`` as in ``Game.observe``,
    viewed by the observing player, and ``action_mask`` (int8), which is 0 for the player who is not
    to move. Rewards are 1, 0 and -1 at the end of the game. An illegal action raises
    ``wabe.IllegalMove`` and changes nothing.

    Args:
        game: The game, such as ``"contest"`` or ``"Base+MLP"``.
        max_plies: Number of plies after which a game is cut off.
        render_mode: ``"ansi"`` for the text form of the game, ``"svg"`` for a picture.
    """

    metadata = {
        "render_modes": ["ansi", "svg"],
        "name": "wabe_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, game: str = "contest", max_plies: int = 500, render_mode: Optional[str] = None
    ) -> None:
        EzPickle.__init__(self, game, max_plies, render_mode)
        super().__init__()
        self.game_name = game
        self.max_plies = max_plies
        self.render_mode = render_mode
        self.game = Game(game)
        planes, numbers = self.game.observe()
        space = spaces.Dict(
            {
                "observation": spaces.Box(0, 255, planes.shape, np.uint8),
                "numbers": spaces.Box(0, 255, numbers.shape, np.uint8),
                "action_mask": spaces.Box(0, 1, (self.game.action_count,), np.int8),
            }
        )
        self.possible_agents = AGENTS[:]
        self.observation_spaces = {agent: space for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.game.action_count) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> None:
        self.game = Game(self.game_name, seed=seed)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._selector = AgentSelector(AGENTS)
        self.agent_selection = self._selector.reset()

    def observe(self, agent: str) -> Observation:
        player = AGENTS.index(agent)
        planes, numbers = self.game.observe(player)
        is_to_move = player == self.game.player
        mask = (
            self.game.legal_mask().view(np.int8)
            if is_to_move
            else np.zeros(self.game.action_count, np.int8)
        )
        return {"observation": planes, "numbers": numbers, "action_mask": mask}

    def step(self, action: Optional[int]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("the action is None, but the game is not over")
        self.game.play(int(action))
        self._cumulative_rewards[agent] = 0
        result = self.game.result
        is_cut_off = result is None and self.game.turn >= self.max_plies
        for player, other in enumerate(AGENTS):
            self.rewards[other] = (result or 0) * (1 - 2 * player)
            self.terminations[other] = result is not None
            self.truncations[other] = is_cut_off
        self.agent_selection = self._selector.next()
        self._accumulate_rewards()

    def render(self) -> Optional[str]:
        if self.render_mode == "svg":
            return self.game.svg()
        return str(self.game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        pass
