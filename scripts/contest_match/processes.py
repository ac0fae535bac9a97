"""Child processes that do not outlive this program, however it ends."""

import os
import signal
import subprocess
import time

POLL_SECONDS = 0.1
"""Time between two checks for a request to stop."""


class StopRequest:
    """Remembers a signal to end until the program is at a place where it can stop.

    An exception thrown by the signal's handler could come between the start of a process and the note of it.
    """

    def __init__(self):
        self._signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._remember)

    def _remember(self, number, _frame):
        self._signal = number

    def check(self):
        """Ends the program, through every `finally`, if it has been asked to."""
        if self._signal is not None:
            raise SystemExit(128 + self._signal)


class Process:
    """A program in its own process group, with its output in files.

    `log` is the path of its output without the endings `.out` and `.err`.
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
        """None while it runs, the number of a signal that ended it as a negative number."""
        return self._process.poll()

    def wait(self, seconds, stop):
        """Its exit status, or None if it still runs after these seconds."""
        deadline = time.monotonic() + seconds
        while self.exit_status() is None and time.monotonic() < deadline:
            stop.check()
            time.sleep(POLL_SECONDS / 10)
        return self.exit_status()

    def end(self):
        """Ends it and whatever it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def output(self, ending="out"):
        """What it has written to standard output, or with "err" to standard error."""
        with open(f"{self.log}.{ending}", encoding="utf-8", errors="replace") as file:
            return file.read()

    def last_words(self, lines=5):
        """The end of what it wrote, for an error message."""
        text = self.output() + self.output("err")
        return "\n".join(f"  | {line}" for line in text.splitlines()[-lines:])
