"""A contest bot with wabe's engine, in ten lines.

    python bot.py --host HOST --port PORT --reservation CODE
    python -c "import wabe; print(wabe.match('python bot.py --time 100', 'greedy', games=10))"
"""

import wabe

engine = wabe.Engine("contest")


def choose(game: wabe.Game, time: wabe.Time) -> str:
    """Searches for most of the time that is left."""
    return engine.best(game, time_ms=max(1, int(800 * min(time.left, 1.8))))


if __name__ == "__main__":
    print(wabe.run_bot(choose))
