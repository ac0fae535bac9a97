"""Results files of the arena, and the comparison of two."""

import json
import re

TIMES = re.compile(r"[\d.]+ ms a move, p99\.9 [\d.]+ ms, |\d+ nodes/s, ")
"""The parts of the final block that depend on the machine."""

MOST_DIFFERENCES = 5
"""Number of differences that are reported."""


def complete_lines(content):
    """How many lines of a results file that a run may still be writing are whole: its settings and its pairs."""
    return content.count(b"\n")


def load(path):
    """The settings and the pairs of a file without a damaged line."""
    settings, *pairs = (json.loads(line) for line in path.read_bytes().splitlines())
    return settings, pairs


def without_times(pair):
    """A pair without the times of its moves, and without its line's checksum, which covers them."""
    games = [
        {key: value for key, value in game.items() if key != "micros"} for game in pair["games"]
    ]
    return {"pair": pair["pair"], "opening": pair["opening"], "games": games}


def statistics(block):
    """The final block of a run without the parts that depend on the machine."""
    lines = TIMES.sub("", block).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("paused"))


def differences_of_pairs(expected, found):
    """One line for each pair that is missing, too much or another one; none if the runs are equal, times aside."""
    expected, found = (
        {pair["pair"]: without_times(pair) for pair in run} for run in (expected, found)
    )
    for number in sorted(expected.keys() | found.keys()):
        if number not in found:
            yield f"pair {number} is missing"
        elif number not in expected:
            yield f"pair {number} is too much"
        elif expected[number] != found[number]:
            yield f"pair {number} has other games"


def differences_of_lines(expected, found):
    """One line for each line of the final block that differs."""
    expected, found = (statistics(block).splitlines() for block in (expected, found))
    for line in range(max(len(expected), len(found))):
        ours, theirs = (block[line] if line < len(block) else "" for block in (expected, found))
        if ours != theirs:
            yield f"`{theirs}` instead of `{ours}`"


def same_run(expected_file, expected_block, found_file, found_block):
    """The differences between two runs, except for times; empty if they are equal."""
    settings, pairs = load(expected_file)
    other_settings, other_pairs = load(found_file)
    differences = [] if settings == other_settings else ["the settings differ"]
    numbers = [pair["pair"] for pair in other_pairs]
    if len(set(numbers)) < len(numbers):
        differences.append("some pairs are there twice")
    differences += differences_of_pairs(pairs, other_pairs)
    differences += differences_of_lines(expected_block, found_block)
    more = len(differences) - MOST_DIFFERENCES
    return differences[:MOST_DIFFERENCES] + ([f"and {more} more"] if more > 0 else [])
