import pathlib
import struct
import zlib
from typing import Any, List, Sequence, Tuple

import numpy as np
import pytest

import wabe


def finished_game(name: str, seed: int = 1) -> wabe.Game:
    """A game that ended."""
    for number in range(seed, seed + 100):
        for played in wabe.match("greedy", "random", games=2, game=name, seed=number).games:
            if played.game.result is not None:
                return played.game
    raise AssertionError("no game ended")


def chunks(sources: Any, game: str, chunk: int = 50) -> List[wabe.Positions]:
    return list(wabe.positions(sources, game, chunk))


@pytest.mark.parametrize("name", ["Base", "contest"])
def test_positions_have_actions_and_results(tmp_path: pathlib.Path, name: str) -> None:
    games = [finished_game(name, seed) for seed in (1, 10)]
    paths = []
    for number, game in enumerate(games):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(wabe.dumps(game, "uhp" if name == "Base" else "record"))
    found = chunks(paths, name)
    assert all(len(part) == 50 for part in found[:-1])
    actions = np.concatenate([part.actions for part in found])
    results = np.concatenate([part.results for part in found])
    numbers = np.concatenate([part.games for part in found])
    plies = np.concatenate([part.plies for part in found])
    assert found[0].planes.dtype == np.uint8 and found[0].planes.ndim == 4
    assert found[0].numbers.shape[0] == len(found[0])
    row = 0
    for number, game in enumerate(games):
        replayed = wabe.Game.from_text(game.start, name) if name == "contest" else wabe.Game(name)
        sign = 1 if replayed.player == 0 else -1
        for move in game.moves:
            assert actions[row] == replayed.action(move)
            assert results[row] == sign * (game.result or 0)
            assert (numbers[row], plies[row]) == (number, replayed.turn)
            replayed.play(move)
            sign, row = -sign, row + 1
    assert row == len(actions)
    assert all(np.isnan(part.values).all() for part in found)
    assert all((part.policy[2] == 0).all() for part in found)


def test_positions_reject_other_games(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "game.pgn"
    wabe.write(path, finished_game("Base+MLP"))
    with pytest.raises(ValueError, match="Base\\+MLP"):
        chunks(path, "Base")
    with pytest.raises(ValueError, match="game.pgn"):
        chunks(path, "contest")
    with pytest.raises(ValueError, match="chunk=0"):
        chunks(path, "Base+MLP", chunk=0)
    with pytest.raises(FileNotFoundError):
        chunks([path, tmp_path / "missing"], "Base+MLP", chunk=10**9)
    assert chunks([], "Base") == []


def test_games_of_larger_types_do_not_end_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.pgn"
    wabe.write(path, [finished_game(name) for name in ("Base", "Base+MLP", "Base")])
    reader = wabe.positions(path, "Base", 10**6)
    found = []
    with pytest.raises(ValueError, match="Base\\+MLP"):
        found.extend(reader)
    found.extend(reader)
    games = np.concatenate([part.games for part in found])
    assert set(games.tolist()) == {0, 2}


class Bits:
    """Packs numbers into the fewest bits for their bounds, lowest bit first."""

    def __init__(self) -> None:
        self.bits: List[int] = []

    def number(self, value: int, bound: int) -> None:
        self.bits += [value >> bit & 1 for bit in range((bound - 1).bit_length())]

    def text(self, text: str) -> None:
        self.number(len(text), 256)
        for byte in text.encode():
            self.number(byte, 256)

    def label(self, score: int, visits: Sequence[int]) -> None:
        self.number(score, 1001)
        self.number(int(bool(visits)), 2)
        for level in visits:
            self.bits += [1] * (level // 2) + [0, level % 2]

    def bytes(self) -> bytes:
        bits = self.bits + [0] * (-len(self.bits) % 8)
        bytes_ = [bits[start : start + 8] for start in range(0, len(bits), 8)]
        return bytes(sum(bit << place for place, bit in enumerate(byte)) for byte in bytes_)


Search = Tuple[int, int, Sequence[int]]
"""Index of the move, score in thousandths, visit levels of the moves."""


def training_game(searches: Sequence[Search], counts: Sequence[int], winner: int) -> bytes:
    """A record of Base in the format of `wabe selfplay`: every ply has a full search, which is kept.
    `counts` are the numbers of legal moves, `winner` is 0 (draw), 1 (white) or 2 (black)."""
    bits = Bits()
    bits.text("Base")
    bits.number(0, 256)  # obstacles
    bits.number(winner, 3)
    bits.number(len(searches), 10_001)
    for (move, score, visits), count in zip(searches, counts):
        bits.number(3, 4)  # full search, root kept
        bits.number(move, count)
        bits.label(score, visits)
        bits.number(0, 16)  # positions inside the tree
    return bits.bytes()


def training_file(path: pathlib.Path, records: Sequence[bytes], word: str = "Base") -> None:
    """Records with visits, numbered from 7."""
    content = b"wabegame" + bytes([1, 1, 1, len(word)]) + word.encode()
    for number, record in enumerate(records, 7):
        checksum = zlib.crc32(struct.pack("<II", len(record), number) + record)
        content += b"G:" + struct.pack("<III", len(record), number, checksum) + record
    path.write_bytes(content)


def legal_moves(moves: Sequence[int]) -> List[int]:
    """The actions after some actions in Base."""
    game = wabe.Game("Base")
    for action in moves:
        game.play(action)
    return game.legal_actions()


def search_game(path: pathlib.Path, plies: int, winner: int) -> bytes:
    """A record in which the search visits the first two moves, one four times as often, and the
    first is played."""
    played: List[int] = []
    searches: List[Search] = []
    counts: List[int] = []
    for ply in range(plies):
        counts.append(len(legal_moves(played)))
        searches.append((0, 100 * ply, [10, 5] + [0] * (counts[-1] - 2)))
        # The reader knows which action the first move is.
        training_file(path, [training_game(searches, counts, winner)])
        played = chunks(path, "Base")[0].actions.tolist()
    return training_game(searches, counts, winner)


def test_training_games_have_search_labels(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "own.games"
    records = [search_game(path, plies, winner) for plies, winner in [(5, 1), (3, 2), (2, 0)]]
    training_file(path, records)
    (part,) = chunks(path, "Base")
    assert part.games.tolist() == [7] * 5 + [8] * 3 + [9] * 2
    assert part.plies.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 0, 1]
    assert part.results.tolist() == [1, -1, 1, -1, 1, -1, 1, -1, 0, 0]
    np.testing.assert_allclose(part.values[:5], [-1, -0.8, -0.6, -0.4, -0.2], atol=1e-6)
    actions, shares, offsets = part.policy
    assert offsets.tolist() == list(range(0, 21, 2))
    np.testing.assert_allclose(shares, [0.8, 0.2] * 10, rtol=1e-6)
    for row, ply in enumerate(part.plies):
        before = part.actions[row - ply : row].tolist()
        assert set(actions[2 * row : 2 * row + 2]) <= set(legal_moves(before))
        assert actions[2 * row] == part.actions[row]
    batch = wabe.Batch(1, "Base")
    np.testing.assert_array_equal(part.planes[0], batch.observe()[0][0])


def test_cut_files_are_read_to_the_cut(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.games"
    record = search_game(path, 3, 1)
    training_file(path, [record, record])
    path.write_bytes(path.read_bytes()[:-1])
    reader = wabe.positions(path, "Base")
    assert len(next(reader)) == 3
    with pytest.raises(ValueError, match="cut.games: .* after game 8, are damaged or incomplete"):
        next(reader)
    assert list(reader) == []


def test_damaged_recordings_raise_after_their_positions(tmp_path: pathlib.Path) -> None:
    game = wabe.Game("contest", seed=1)
    for _ in range(9):
        game.play(game.legal_actions()[0])
    path = tmp_path / "cut.xml"
    wabe.write(path, game)
    whole = tmp_path / "whole.xml"
    wabe.write(whole, game)
    path.write_bytes(path.read_bytes()[: -path.stat().st_size // 3])
    reader = wabe.positions([path, whole], "contest")
    assert 0 < len(next(reader)) < 9
    with pytest.raises(ValueError, match="cut.xml: game 0 is damaged: .*unexpected end of file"):
        next(reader)
    assert [len(chunk) for chunk in reader] == [9]


def test_training_files_of_other_games_raise(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "other.games"
    record = search_game(path, 2, 1)
    training_file(path, [record], word="contest")
    with pytest.raises(ValueError, match="`Base`, found `contest`"):
        chunks(path, "Base")
    training_file(path, [record])
    with pytest.raises(ValueError, match="`contest`, found `Base`"):
        chunks(path, "contest")
    content = path.read_bytes()
    path.write_bytes(content[:8] + bytes([2]) + content[9:])
    with pytest.raises(ValueError, match="other.games"):
        chunks(path, "Base")
