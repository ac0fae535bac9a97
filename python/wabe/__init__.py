"""Hive and the Software Challenge 2020: games, batches for learning, engine, files and bots."""

from ._wabe import (
    Analysis,
    Engine,
    Game,
    IllegalMove,
    Line,
    ReviewedMove,
)

__all__ = [
    "Analysis",
    "Engine",
    "Game",
    "IllegalMove",
    "Line",
    "ReviewedMove",
]
