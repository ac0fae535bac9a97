#!/usr/bin/env python3
"""Spreads a run of `wabe arena` over the machines of a Ray cluster: selfplay-cluster.py --help says more."""

import sys

from arena_runs.cluster import main

if __name__ == "__main__":
    sys.exit(main())
