"""Hive and the Software Challenge 2020: games, batches for learning, engine, files and bots."""

from ._wabe import (
    Analysis,
    ContestResult,
    Engine,
    Estimate,
    Game,
    IllegalMove,
    Line,
    MatchGame,
    MatchResult,
    ReviewedMove,
    Time,
    match,
)
from .bots import run_bot, run_uhp

__all__ = [
    "Analysis",
    "ContestResult",
    "Engine",
    "Estimate",
    "Game",
    "IllegalMove",
    "Line",
    "MatchGame",
    "MatchResult",
    "ReviewedMove",
    "Time",
    "match",
    "run_bot",
    "run_uhp",
]
