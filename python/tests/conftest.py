"""Fixtures of all tests."""

import signal
import threading
from typing import Callable, Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> None:
    """Lets Ctrl-C raise. Background jobs of a shell ignore it, and some tests send it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def interrupt() -> Iterator[Callable[[], None]]:
    """A function that lets another thread send Ctrl-C to this one."""
    main, wanted, done = threading.get_ident(), threading.Event(), threading.Event()

    def send() -> None:
        wanted.wait()
        if not done.is_set():
            signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    yield wanted.set
    done.set()
    wanted.set()
    thread.join()
