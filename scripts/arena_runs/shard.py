"""The part of a cluster's run that is played on one of its machines. Needs nothing there but Python on a Unix."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

POLL_SECONDS = 0.5

MOST_BYTES = 50_000
"""Bytes of results handed over at once: small ones travel in the message and are not lost with their machine."""

GUARD = 'cat; kill -KILL "$0"'
"""Ends the games of a task that was killed and could not do so: its end of the pipe closes then."""

LAST_WORDS = 10
"""Number of lines of a failed run's output that are reported."""


def play(programs, command, content):
    """Continues with a results file of this content, and yields every new line of it, some at a time.

    `programs` are paths and contents of the files that the command needs.
    """
    for path, data in programs:
        put(Path(path), data)
    folder = Path(tempfile.mkdtemp(prefix="shard-", dir=Path(command[0]).parent))
    try:
        yield from follow(command, folder, content)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put(path, data):
    """Makes an executable file. Others may do so at the same time, with the same content."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with open(handle, "wb") as file:
        file.write(data)
    os.chmod(name, 0o755)
    os.replace(name, path)


def follow(command, folder, content):
    results, errors = folder / "results.jsonl", folder / "errors"
    results.write_bytes(content)
    told = len(content)
    with errors.open("wb") as err:
        process = subprocess.Popen(
            [*command, "--quiet", "--resume", str(results)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
        )
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, str(process.pid)], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        status = None
        while status is None:
            time.sleep(POLL_SECONDS)
            # Checked before the file is read, which is then complete.
            status = process.poll()
            for lines in whole_lines(results, told):
                told += len(lines)
                yield lines
    finally:
        for child in (guard, process):
            child.kill()
            child.wait()
        guard.stdin.close()
    if status != 0:
        words = errors.read_text(errors="replace").splitlines()[-LAST_WORDS:]
        raise RuntimeError(f"wabe ended with exit status {status}: " + "\n".join(words))


def whole_lines(results, offset):
    """The complete lines after the offset, in pieces of limited size."""
    with results.open("rb") as file:
        file.seek(offset)
        new = file.read()
    new = new[: new.rfind(b"\n") + 1]
    while new:
        end = new.find(b"\n", MOST_BYTES) + 1 or len(new)
        yield new[:end]
        new = new[end:]
