"""A factor for all time limits, for tests on busy machines."""

import os

TIME_FACTOR = float(os.environ.get("MATCH_TIME_FACTOR") or 1)
"""All time limits of a match are multiplied by this factor."""
