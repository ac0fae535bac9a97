"""Errors that are reported in one line, without a traceback."""


class UsageError(Exception):
    """A fault that the user must fix before a game can be played."""


class ServerFailed(Exception):
    """A server could not be started, or ended too early."""


class ConnectionLost(Exception):
    """The server closed the administrator's connection, or sent what is not XML."""
