"""Gymnasium's vector interface for self-play: one agent moves for both sides of every game."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as GymnasiumVectorEnv
from gymnasium.vector.utils import batch_space

from ._wabe import Batch

__all__ = ["VectorEnv"]

Observation = dict[str, npt.NDArray[Any]]
Info = dict[str, Any]


class VectorEnv(GymnasiumVectorEnv):
    """A ``wabe.Batch`` as a vector environment.

    Observations are dictionaries: ``planes``, ``numbers`` and ``action_mask``, viewed by the side
    to move. A reward is that of the side that made the move: 1, 0 or -1. Games restart in the step
    that ends them (``AutoresetMode.SAME_STEP``); the last observation of an ended game is in
    ``infos["final_obs"]``. ``infos["players"]`` are the sides to move, 0 or 1.

    Args:
        num_envs: Number of games.
        game: The game, such as ``"contest"`` or ``"Base+MLP"``.
        max_plies: Number of plies after which a game is cut off.
        copy: If false, the arrays of an observation are overwritten by the next one.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self, num_envs: int, game: str = "contest", max_plies: int = 500, copy: bool = True
    ) -> None:
        super().__init__()
        self.num_envs = num_envs
        self.game = game
        self.max_plies = max_plies
        self.copy = copy
        self._batch = self._new_batch(None)
        self.single_observation_space = spaces.Dict(
            {
                "planes": spaces.Box(0, 255, self._batch.planes_shape, np.uint8),
                "numbers": spaces.Box(0, 255, self._batch.numbers_shape, np.uint8),
                "action_mask": spaces.Box(0, 1, (self._batch.action_count,), np.int8),
            }
        )
        self.single_action_space = spaces.Discrete(self._batch.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _new_batch(self, seed: Optional[int]) -> Batch:
        return Batch(self.num_envs, self.game, seed, max_plies=self.max_plies, restart=False)

    def _observe(self) -> Observation:
        planes, numbers = self._batch.observe()
        mask = self._batch.legal_mask().view(np.int8)
        observation = {"planes": planes, "numbers": numbers, "action_mask": mask}
        if self.copy:
            return {name: array.copy() for name, array in observation.items()}
        return observation

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
    ) -> tuple[Observation, Info]:
        if isinstance(seed, (list, tuple)):
            raise TypeError("seed: expected one integer for all games, found a list")
        if seed is None:
            self._batch.restart()
        else:
            self._batch = self._new_batch(seed)
        return self._observe(), {"players": self._batch.players.copy()}

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[
        Observation, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], Info
    ]:
        rewards, terminated, truncated = self._batch.step(np.asarray(actions))
        infos: Info = {}
        ended = terminated | truncated
        if ended.any():
            last = self._observe()
            final = np.full(self.num_envs, None, dtype=object)
            for index in np.flatnonzero(ended):
                final[index] = {name: array[index].copy() for name, array in last.items()}
            infos = {"final_obs": final, "_final_obs": ended.copy()}
            self._batch.restart(ended)
        infos["players"] = self._batch.players.copy()
        return (
            self._observe(),
            rewards.astype(np.float64),
            terminated.copy(),
            truncated.copy(),
            infos,
        )

    def close_extras(self, **_: Any) -> None:
        pass
