"""A factor for all time limits, for tests on busy machines."""

import os

PATIENCE = float(os.environ.get("MATCH_PATIENCE") or 1)
"""Every time limit of a match is multiplied by this."""
