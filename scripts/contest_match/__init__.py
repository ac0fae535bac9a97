"""Matches between contest clients on a contest server, for against-official.sh and against-client.sh.

Needs only the standard library of Python 3.8.
"""
