import copy
import pickle
import random
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import wabe

GAMES = ["Base", "Base+MLP", "contest", "rulebook"]


def random_game(name: str, plies: int = 40, seed: int = 1) -> wabe.Game:
    rng = random.Random(seed)
    game = wabe.Game(name, seed=seed)
    for _ in range(plies):
        if game.is_over:
            break
        game.play(rng.choice(game.legal_moves()))
    return game


@pytest.mark.parametrize("name", GAMES)
def test_actions_match_moves(name: str) -> None:
    game = random_game(name)
    moves, actions = game.legal_moves(), game.legal_actions()
    assert [game.action(move) for move in moves] == actions
    assert [game.move(action) for action in actions] == moves
    assert len(set(actions)) == len(actions)
    assert np.flatnonzero(game.legal_mask()).tolist() == sorted(actions)
    assert all(game.is_legal(action) for action in actions)
    legal = sum(game.is_legal(action) for action in range(game.action_count))
    assert legal == len(actions)


@pytest.mark.parametrize("name", GAMES)
def test_text_forms_round_trip(name: str) -> None:
    game = random_game(name)
    assert wabe.Game.from_text(str(game)) == game
    same = wabe.Game.from_text(game.position, name)
    assert same.position == game.position
    assert same.moves == []
    assert eval(repr(game)) == game


@pytest.mark.parametrize("name", GAMES)
def test_copies_are_independent(name: str) -> None:
    game = random_game(name)
    for other in (copy.copy(game), copy.deepcopy(game), game.copy()):
        assert other == game and hash(other) == hash(game)
        other.undo()
        assert other != game
        assert len(other.moves) == len(game.moves) - 1


@pytest.mark.parametrize("name", GAMES)
def test_pickles_keep_the_game(name: str) -> None:
    game = random_game(name)
    game.repetition_draws = False
    same = pickle.loads(pickle.dumps(game))
    assert same == game
    assert same.repetition_draws is False
    assert same.legal_actions() == game.legal_actions()


def test_free_opening_survives_pickling() -> None:
    game = wabe.Game("Base", free_opening=True)
    game.play("wQ")
    assert pickle.loads(pickle.dumps(game)).moves == ["wQ"]


def test_pickles_of_other_versions_raise() -> None:
    unpickle, (version, contents) = wabe.Game("Base").__reduce__()
    with pytest.raises(ValueError, match=f"format {version + 1}, expected {version}"):
        unpickle(version + 1, contents)


def test_damaged_pickles_raise() -> None:
    unpickle, (version, contents) = random_game("Base").__reduce__()
    for index in range(len(contents)):
        with pytest.raises(ValueError):
            unpickle(version, (*contents[:index], ["?"], *contents[index + 1 :]))


def test_undo_restores_positions() -> None:
    game = random_game("Base+MLP")
    position, moves = game.position, game.moves
    game.play(game.legal_moves()[0])
    game.undo()
    assert (game.position, game.moves) == (position, moves)
    with pytest.raises(ValueError, match="only 40 were played"):
        game.undo(41)
    with pytest.raises(ValueError):
        game.undo(-1)


def test_seeds_draw_brambles() -> None:
    assert wabe.Game(seed=1).start == wabe.Game(seed=1).start
    assert len({wabe.Game(seed=seed).start for seed in range(10)}) == 10
    assert wabe.Game(brambles=[(0, 0), (-5, 5)]).start.split()[1] == "-5,5;0,0"
    for brambles in ([(3, 3)], [(10**12, 0)]):
        with pytest.raises(ValueError, match="is not a field"):
            wabe.Game(brambles=brambles)
    with pytest.raises(ValueError, match="contest only"):
        wabe.Game("Base", brambles=[])


def test_repetition_ends_games() -> None:
    game = wabe.Game("Base")
    for move in ["wG1", "bG1 wG1-", "wQ -wG1", "bQ bG1-"]:
        game.play(move)
    shuffle = ["wQ \\wG1", "bQ bG1/", "wQ -wG1", "bQ bG1-"]
    for occurrences in (2, 3):
        for move in shuffle:
            game.play(move)
        assert game.occurrences == occurrences
    assert game.result == 0 and game.winner is None
    assert game.ending is not None and "three times" in game.ending
    game.repetition_draws = False
    assert not game.is_over


@pytest.mark.parametrize(
    "move", ["wQ", "wA1 wS1-", "", "x" * 1000, "pass", 10**6, 10**30, -1, 5502, 0], ids=repr
)
def test_illegal_moves_raise(move: object) -> None:
    game = wabe.Game("Base")
    with pytest.raises(wabe.IllegalMove):
        game.play(move)  # type: ignore[arg-type]
    assert game.moves == []


@pytest.mark.parametrize("move", [None, 1.5, b"wA1", ["wA1"]], ids=repr)
def test_other_types_are_not_moves(move: object) -> None:
    with pytest.raises(TypeError, match="a move is expected as text"):
        wabe.Game("Base").play(move)  # type: ignore[arg-type]


def test_ended_games_have_no_moves() -> None:
    game = random_game("contest", plies=100)
    assert game.is_over and game.legal_moves() == [] and game.to_move is None
    assert not game.legal_mask().any()
    with pytest.raises(wabe.IllegalMove, match="the game is over: "):
        game.play("skip")


@pytest.mark.parametrize("text", ["", "chess", "Base;;;wZ9", "0 - -", "\0", "é" * 100])
def test_other_texts_raise(text: str) -> None:
    with pytest.raises(ValueError):
        wabe.Game.from_text(text)


def test_unknown_names_list_the_games() -> None:
    with pytest.raises(ValueError, match="expected one of .*contest"):
        wabe.Game("chess")


@pytest.mark.parametrize("name", GAMES)
def test_svg_draws_moves_as_arrows(name: str) -> None:
    game = random_game(name)
    ElementTree.fromstring(game._repr_svg_())
    while len(game.legal_moves()) < 3:
        game.undo()
    moves = game.legal_moves()
    picture = game.svg([*moves[:2], game.action(moves[2])])
    ElementTree.fromstring(picture)
    assert picture.count('class="arrow"') == 3


@pytest.mark.parametrize("name", GAMES)
def test_observation_depends_on_viewer(name: str) -> None:
    game = random_game(name, plies=21)
    planes, numbers = game.observe()
    own, _ = game.observe(game.player)
    other, other_numbers = game.observe(1 - game.player)
    assert (planes == own).all() and (planes != other).any()
    kinds = (numbers.size - 3) // 2
    assert (planes[:kinds] == other[kinds : 2 * kinds]).all()
    assert (numbers[:kinds] == other_numbers[kinds : 2 * kinds]).all()
    assert (numbers[-2], numbers[-1]) == (game.turn, game.occurrences)
    stacks = game.position.split()[2].split(";")
    pieces = sum(len(stack.split(":")[1]) // 2 for stack in stacks)
    assert planes[: 4 * kinds].sum() == pieces == planes[4 * kinds].sum()
    with pytest.raises(ValueError, match="expected 0 or 1"):
        game.observe(2)
