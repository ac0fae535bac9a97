"""Matches between contest clients on a contest server, for against-official.sh and against-client.sh.

Needs nothing but Python 3.8's standard library.
"""
