#!/usr/bin/env python3
"""A contest client whose random moves attack the opponent through the server: hostile_client.py --host HOST --port PORT --reservation CODE

Payloads are hints of several megabytes, characters that XML forbids, pieces without attributes,
and forged moves that split the hive. HOSTILE selects a payload; by default each move uses a random one.
"""
import os
import random
import re
import socket
import sys
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from client import moves, place, ring

REQUEST = b'class="sc.framework.plugins.protocol.MoveRequest"'


def hint(text):
    return lambda move, _: move.replace(b"</data>", b"<hint>" + text + b"</hint></data>")


def field(pieces):
    """Adds pieces to the destination, using its long form."""
    long_form = b'<destination class="field" isObstructed="true" \\1>' + pieces + b"</destination>"
    return lambda move, _: re.sub(rb"<destination ([^/]*)/>", long_form, move)


def split_hive(move, state):
    """Moves a grasshopper to an isolated field of the next column. The server checks z only partly."""
    me = state.get("currentPlayerColor")
    fields = {(int(f.get("x")), int(f.get("y"))): f for f in state.findall("board/fields/field")}
    free = {at for at, f in fields.items() if len(f) == 0 and f.get("isObstructed") != "true"}
    lone = [at for at in free if not any(len(fields[to]) for to in ring(at) if to in fields)]
    for (x, y), start in fields.items():
        tops = [(piece.get("owner"), piece.get("type")) for piece in start][-1:]
        targets = [to for to in lone if abs(to[0] - x) == 1 and (to[1] == y or abs(to[1] - y) >= 3)]
        if tops == [(me, "GRASSHOPPER")] and targets and b'type="BEE"' not in reserve(state, me):
            to = random.choice(targets)
            forged = f'<start x="{x}" y="{y}" z="{-to[0] - to[1]}"/>'
            return f'<data class="dragmove">{forged}{place("destination", to)}</data>'.encode()
    return move


def reserve(state, color):
    return ElementTree.tostring(state.find(f"undeployed{color.title()}Pieces"))


PAYLOADS = {
    "long": hint(b"y" * 1_100_000),
    "nul": hint(b"a\0b&#0;c"),
    "nuls": hint(b"\0" * 500_000),
    "controls": hint(bytes(range(1, 32)) + b"&#xFFFF;&#xFFFE;&#xD800;"),
    "utf8": hint(b"\xff\xc3\xed\xa0\x80"),
    "closing": hint(b"<![CDATA[</hint></lastMove></state></data></room><left roomId='x'/></protocol>]]>"),
    "typeless": field(b'<piece owner="RED"/>'),
    "ownerless": field(b'<piece type="ANT"/>'),
    "empty": field(b"<piece/>" * 3_000),
    "null": field(b"<null/>"),
    "torn": split_hive,
}


def main():
    options = {name.strip("-")[0]: value for name, value in zip(sys.argv[1::2], sys.argv[2::2])}
    server = socket.create_connection((options.get("h", "localhost"), int(options.get("p", 13050))))
    code = options.get("r")
    join = f'joinPrepared reservationCode="{code}"' if code else 'join gameType="swc_2020_hive"'
    server.sendall(f"<protocol><{join}/>".encode())
    received = b""
    for part in iter(lambda: server.recv(1 << 16), b""):
        received += part
        if REQUEST in received:
            # The server echoes the payload in the last move, which is cut out before parsing.
            state = re.findall(rb"<state .*?(?:<lastMove|</state>)", received, re.DOTALL)[-1]
            state = ElementTree.fromstring(re.sub(rb"(?:<lastMove|</state>)$", b"</state>", state))
            room = re.search(rb'roomId="([^"]*)"', received)[1]
            move = random.choice(list(moves(state)) or ['<data class="skipmove"></data>']).encode()
            payload = os.environ.get("HOSTILE") or random.choice(list(PAYLOADS))
            move = PAYLOADS[payload](move, state)
            server.sendall(b'<room roomId="' + room + b'">' + move + b"</room>")
            received = b""
        elif b"</protocol>" in received or b'<left ' in received:
            return


if __name__ == "__main__":
    main()
