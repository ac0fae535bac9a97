import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from pettingzoo.test import api_test, seed_test

import wabe
from wabe import gymnasium as wabe_gymnasium
from wabe import pettingzoo as wabe_pettingzoo


@pytest.mark.parametrize("name", ["Base", "contest"])
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_the_environment(name: str) -> None:
    api_test(wabe_pettingzoo.env(game=name, max_plies=60), num_cycles=200)
    seed_test(lambda: wabe_pettingzoo.env(game=name, max_plies=60), num_cycles=100)


def test_rewards_of_both_players_cancel() -> None:
    env = wabe_pettingzoo.HiveEnv("contest")
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    total = {agent: 0 for agent in env.possible_agents}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(rng.choice(legal)))
    assert env.game.is_over and total["player_0"] == env.game.result == -total["player_1"]


def test_illegal_actions_leave_the_environment() -> None:
    env = wabe_pettingzoo.HiveEnv("Base")
    env.reset(seed=1)
    with pytest.raises(wabe.IllegalMove):
        env.step(0)
    assert env.game.moves == [] and env.agent_selection == "player_0"


def test_vector_environment_keeps_its_spaces() -> None:
    env = wabe_gymnasium.VectorEnv(8, "contest", max_plies=20)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    rng = np.random.default_rng(1)
    observation, infos = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    ended = 0
    for _ in range(45):
        mask = observation["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        assert env.action_space.contains(actions)
        observation, rewards, terminated, truncated, infos = env.step(actions)
        assert env.observation_space.contains(observation)
        assert rewards.shape == terminated.shape == truncated.shape == (8,)
        for index in np.flatnonzero(terminated | truncated):
            ended += 1
            final = infos["final_obs"][index]
            assert env.single_observation_space.contains(final)
            assert final["numbers"][-2] == 20 or terminated[index]
            assert observation["numbers"][index][-2] == 0
    assert ended >= 16
    env.close()


def test_vector_environment_is_seeded() -> None:
    def play() -> list[float]:
        env = wabe_gymnasium.VectorEnv(4, "contest")
        observation, _ = env.reset(seed=3)
        sums = []
        for _ in range(30):
            actions = observation["action_mask"].argmax(axis=1)
            observation, *_ = env.step(actions)
            sums.append(float(observation["planes"].sum()))
        return sums

    assert play() == play()


def test_gymnasium_wrappers_count_episodes() -> None:
    env = RecordEpisodeStatistics(wabe_gymnasium.VectorEnv(4, "Base", max_plies=10))
    observation, _ = env.reset(seed=1)
    lengths = []
    for _ in range(20):
        actions = observation["action_mask"].argmax(axis=1)
        observation, _, _, _, infos = env.step(actions)
        if "episode" in infos:
            lengths += infos["episode"]["l"].tolist()
    assert lengths == [10] * 8
