"""What must not abort the interpreter, each in a process of its own."""

import os
import subprocess
import sys

import pytest


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "panicked" not in done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_batches_work_after_a_fork() -> None:
    output = run(
        """
import os, wabe
batch = wabe.Batch(100, "contest", 1)
batch.step_random()
child = os.fork()
batch.step_random()
other = wabe.Batch(100, "contest", 2)
other.step_random()
# A single write, because both processes share the pipe.
os.write(1, b"%d " % len(batch.game(99).moves))
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    )
    assert output.split() == ["2", "2"]


def test_threads_may_outlive_the_interpreter() -> None:
    output = run(
        """
import threading, wabe
batch = wabe.Batch(2000, "Base+MLP", 1)
def play():
    while True:
        batch.step_random()
threading.Thread(target=play, daemon=True).start()
while threading.active_count() < 2:
    pass
print("end")
"""
    )
    assert output.split() == ["end"]


def test_threads_cannot_share_a_batch() -> None:
    output = run(
        """
import threading, wabe
batch = wabe.Batch(2000, "Base+MLP", 1)
errors = []
def play():
    try:
        for _ in range(20):
            batch.step_random()
    except RuntimeError as error:
        errors.append(str(error))
threads = [threading.Thread(target=play) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
batch.step_random()
print(all("borrowed" in error for error in errors))
"""
    )
    assert output.split() == ["True"]
