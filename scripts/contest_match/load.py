"""Runs the load generator of scripts/referee_load and watches the server under it."""

import os
import re
import subprocess
import threading
from pathlib import Path

from .command_line import ROOT
from .errors import UsageError
from .processes import POLL_SECONDS

PATIENCE_SECONDS = 60
"""Time that the generator may overrun."""


def build():
    """Builds the server and the generator, and returns their paths."""
    command = [
        "cargo",
        "build",
        "--release",
        "--quiet",
        "--bin",
        "wabe",
        "--example",
        "referee_load",
    ]
    try:
        subprocess.run(command, cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UsageError(f"cannot build the load generator: {error}") from error
    target = Path(os.environ.get("CARGO_TARGET_DIR") or "target")
    release = (ROOT / target / "release").absolute()
    return str(release / "wabe"), str(release / "examples" / "referee_load")


class Generator:
    """A running load generator. At the lowest priority if `nice`: in practice it would run on another machine."""

    def __init__(self, program, server, password, options, nice=False):
        host, port = server.address
        command = ["nice", "-n", "19"] if nice else []
        command += [program, "--address", f"{host}:{port}", "--password", password, *options]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        self.remarks = []

    def wait(self, seconds, stop):
        """The printed numbers by name."""
        text = self._output(seconds + PATIENCE_SECONDS, stop)
        if self._process.returncode != 0:
            raise RuntimeError(f"the load generator ended with {self._process.returncode}")
        lines = re.findall(r"^(\S+) +([\d.]+)(.*)$", text, re.MULTILINE)
        self.remarks = [f"{name} {value}{rest}" for name, value, rest in lines if "(" in rest]
        return {name: float(value) for name, value, _ in lines}

    def _output(self, seconds, stop):
        while seconds > 0:
            try:
                return self._process.communicate(timeout=POLL_SECONDS)[0]
            except subprocess.TimeoutExpired:
                seconds -= POLL_SECONDS
                stop.check()
        raise RuntimeError("the load generator does not end")

    def end(self):
        self._process.kill()
        self._process.wait()


class Usage:
    """Memory and processor time of a process, from Linux; elsewhere zeros."""

    def __init__(self, pid):
        self._folder = Path(f"/proc/{pid}")

    def memory(self):
        """Resident memory in MiB."""
        try:
            status = (self._folder / "status").read_text()
        except OSError:
            return 0.0
        return int(re.search(r"^VmRSS:\s*(\d+)", status, re.MULTILINE).group(1)) / 1024

    def processor_seconds(self):
        try:
            fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class MemoryWatch:
    """The most resident memory of a process between the beginning and the end of a `with`."""

    def __init__(self, usage):
        self._usage = usage
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.most = 0.0

    def _watch(self):
        while not self._done.wait(0.05):
            self.most = max(self.most, self._usage.memory())

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()
