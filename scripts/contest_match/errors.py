"""Errors that are printed as one line, without a traceback."""


class UsageError(Exception):
    """Invalid arguments or a missing program."""


class ServerFailed(Exception):
    """A server did not start, or exited too early."""


class ConnectionLost(Exception):
    """The server closed the administrator's connection or sent invalid XML."""
