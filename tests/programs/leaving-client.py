#!/usr/bin/env python3
"""A client that crashes on the first move request."""
import socket
import sys

arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
server = socket.create_connection((arguments["--host"], int(arguments["--port"])))
server.sendall(f'<protocol><joinPrepared reservationCode="{arguments["--reservation"]}"/>'.encode())
received = b""
while b"MoveRequest" not in received:
    received += server.recv(65536)
sys.exit(4)
