"""Starts the contest's server or wabe's."""

import os
import re
import socket
import time
from pathlib import Path

from .administrator import Administrator
from .errors import ServerFailed
from .java import environment
from .processes import POLL_SECONDS, Process
from .time_factor import TIME_FACTOR

HOST = "127.0.0.1"
DEFAULT_PASSWORD = "examplepassword"
START_SECONDS = 60 * TIME_FACTOR

ATTEMPTS = 3
"""Number of ports to try, because another program may take a free port first."""


class Server:
    """A running server with an administrator's connection.

    `port` is None if the server selects a free port and prints it on standard output.
    """

    def __init__(self, command, port, password, log, stop, **options):
        self.address = (HOST, port)
        self.password = password
        self._process = Process(command, log, **options)
        try:
            self.administrator = self._connect(password, stop)
        except BaseException:
            self._process.end()
            raise

    def _connect(self, password, stop):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            stop.check()
            self.check()
            if self.address[1] is None:
                self.address = (HOST, self._announced_port())
            try:
                if self.address[1] is not None:
                    return Administrator(self.address, password)
            except ConnectionRefusedError:
                pass
            time.sleep(POLL_SECONDS)
        raise ServerFailed(f"the server did not accept connections within {START_SECONDS:g} s")

    def _announced_port(self):
        """The port in the server's first line of output; None before that."""
        found = re.search(r"^listening on .*:(\d+)\n", self._process.output(), re.MULTILINE)
        return found and int(found.group(1))

    @property
    def pid(self):
        return self._process.pid

    def check(self):
        status = self._process.exit_status()
        if status is not None:
            output = self._process.output_tail()
            raise ServerFailed(f"the server exited with status {status}\n{output}".rstrip())

    def end(self):
        self.administrator.close()
        self._process.end()


def start_official(java, folder, logs, stop):
    """Starts the official server like the start script in its folder."""
    command = [java, "-Dfile.encoding=UTF-8", f"-DLOG_DIRECTORY={logs}"]
    if (folder / "logback.xml").is_file():
        # Without this file, every message is logged, which takes longer than the game.
        command.append("-Dlogback.configurationFile=logback.xml")
    command += ["-jar", "server.jar", "--port"]
    options = {"cwd": folder, "env": environment()}
    for attempt in range(1, ATTEMPTS + 1):
        port = _free_port()
        try:
            return Server(
                [*command, str(port)], port, _password(folder), logs / "server", stop, **options
            )
        except ServerFailed as error:
            if attempt == ATTEMPTS or "in use" not in str(error):
                raise


def start_wabe(wabe, logs, stop):
    command = [wabe, "serve", "--listen", HOST, "--port", "0"]
    environment = {**os.environ, "WABE_PASSWORD": DEFAULT_PASSWORD}
    return Server(command, None, DEFAULT_PASSWORD, logs / "server", stop, env=environment)


def _free_port():
    with socket.create_server((HOST, 0)) as listener:
        return listener.getsockname()[1]


def _password(folder: Path):
    """The administrator's password in server.properties."""
    try:
        text = (folder / "server.properties").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return DEFAULT_PASSWORD
    found = re.search(r"^[ \t]*password[ \t]*[=:][ \t]*(\S.*)$", text, re.MULTILINE)
    return found.group(1).rstrip() if found else DEFAULT_PASSWORD
