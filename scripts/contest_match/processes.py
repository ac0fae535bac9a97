"""Starts child processes, which are killed when this program exits."""

import os
import signal
import subprocess
import time

POLL_SECONDS = 0.1
"""Interval between checks for a stop request, in seconds."""


class StopRequest:
    """Stores a signal until the program can stop.

    An exception raised by the signal handler could arrive after a process was started but before it is stored.
    """

    def __init__(self):
        self._signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._store)

    def _store(self, number, _frame):
        self._signal = number

    def check(self):
        """Raises SystemExit if a signal has arrived."""
        if self._signal is not None:
            raise SystemExit(128 + self._signal)


class Process:
    """A program in its own process group, with its output in files.

    `log` is the path of the files without the extensions `.out` and `.err`.
    """

    def __init__(self, command, log, **options):
        self.log = log
        with open(f"{log}.out", "wb") as out, open(f"{log}.err", "wb") as err:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                    **options,
                )
            except OSError as error:
                raise OSError(f"cannot start {command[0]}: {error.strerror}") from error

    @property
    def pid(self):
        return self._process.pid

    def exit_status(self):
        """None while running; negative for a signal."""
        return self._process.poll()

    def wait(self, seconds, stop):
        """Returns the exit status, or None if the program is still running after this time."""
        deadline = time.monotonic() + seconds
        while self.exit_status() is None and time.monotonic() < deadline:
            stop.check()
            time.sleep(POLL_SECONDS / 10)
        return self.exit_status()

    def end(self):
        """Kills the process group."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def output(self, ending="out"):
        """The text on standard output. With "err", that on standard error."""
        with open(f"{self.log}.{ending}", encoding="utf-8", errors="replace") as file:
            return file.read()

    def output_tail(self, lines=5):
        """The last lines of output, for an error message."""
        text = self.output() + self.output("err")
        return "\n".join(f"  | {line}" for line in text.splitlines()[-lines:])
