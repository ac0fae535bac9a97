"""Runs of `wabe arena` that are started, ended and compared by scripts."""
