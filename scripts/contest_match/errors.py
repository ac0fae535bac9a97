"""What is told to the caller instead of a traceback."""


class UsageError(Exception):
    """Something that the caller has to put right before a game can be played."""


class ServerFailed(Exception):
    """A server could not be started, or ended too early."""


class ConnectionLost(Exception):
    """The server closed the administrator's connection, or sent what is not XML."""
