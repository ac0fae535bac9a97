"""Hive and the Software Challenge 2020: games, batches for learning, engine, files and bots."""

from ._wabe import Game, IllegalMove

__all__ = ["Game", "IllegalMove"]
