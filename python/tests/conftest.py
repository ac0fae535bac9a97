"""Fixtures of all tests."""

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> None:
    """Lets Ctrl-C raise. Background jobs of a shell ignore it, and some tests send it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
