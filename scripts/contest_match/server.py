"""The two servers: the contest's own one, and ours."""

import os
import re
import socket
import time
from pathlib import Path

from .administrator import Administrator
from .errors import ServerFailed
from .java import environment
from .processes import POLL_SECONDS, Process

HOST = "127.0.0.1"
DEFAULT_PASSWORD = "examplepassword"
START_SECONDS = 60


class Server:
    """A running server with an administrator's connection to it."""

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
            try:
                return Administrator(self.address, password)
            except ConnectionRefusedError:
                time.sleep(POLL_SECONDS)
        raise ServerFailed(f"no server on port {self.address[1]} after {START_SECONDS} s")

    @property
    def pid(self):
        return self._process.pid

    def check(self):
        status = self._process.exit_status()
        if status is not None:
            words = self._process.last_words()
            raise ServerFailed(f"the server ended with exit status {status}\n{words}".rstrip())

    def end(self):
        self.administrator.close()
        self._process.end()


def official(java, folder, logs, stop):
    """The server of a folder with the official server.jar, as the start script beside it starts it."""
    port = _free_port()
    command = [java, "-Dfile.encoding=UTF-8", f"-DLOG_DIRECTORY={logs}"]
    if (folder / "logback.xml").is_file():
        # Without it every message is logged, which takes longer than the game does.
        command.append("-Dlogback.configurationFile=logback.xml")
    command += ["-jar", "server.jar", "--port", str(port)]
    return Server(
        command, port, _password(folder), logs / "server", stop, cwd=folder, env=environment()
    )


def ours(wabe, logs, stop):
    port = _free_port()
    command = [wabe, "serve", "--host", HOST, "--port", str(port)]
    environment = {**os.environ, "WABE_PASSWORD": DEFAULT_PASSWORD}
    return Server(command, port, DEFAULT_PASSWORD, logs / "server", stop, env=environment)


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
