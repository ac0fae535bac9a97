#!/usr/bin/env python3
"""A client that makes an illegal move: it passes in the first round."""
import socket, sys
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
server = socket.create_connection((arguments["--host"], int(arguments["--port"])))
server.sendall(f'<protocol><joinPrepared reservationCode="{arguments["--reservation"]}"/>'.encode())
received = b""
while b"MoveRequest" not in received:
    received += server.recv(65536)
room = received.partition(b'roomId="')[2].partition(b'"')[0].decode()
server.sendall(f'<room roomId="{room}"><data class="skipmove"/></room>'.encode())
while server.recv(65536):
    pass
