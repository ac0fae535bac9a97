"""Hive and the Software Challenge 2020: games, batches for learning, engine, files and bots."""

from ._wabe import (
    Analysis,
    Batch,
    ContestResult,
    Engine,
    Estimate,
    Game,
    IllegalMove,
    Line,
    MatchGame,
    MatchResult,
    Recording,
    ReviewedMove,
    Time,
    dumps,
    match,
    read,
    write,
)
from .bots import run_bot, run_uhp

__all__ = [
    "Analysis",
    "Batch",
    "ContestResult",
    "Engine",
    "Estimate",
    "Game",
    "IllegalMove",
    "Line",
    "MatchGame",
    "MatchResult",
    "Recording",
    "ReviewedMove",
    "Time",
    "dumps",
    "match",
    "read",
    "run_bot",
    "run_uhp",
    "write",
]
