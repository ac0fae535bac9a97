#!/usr/bin/env python3
"""A contest client that plays random legal moves: client.py --host HOST --port PORT --reservation CODE"""
import random
import re
import socket
import sys
from xml.etree.ElementTree import XMLPullParser
from xml.sax.saxutils import quoteattr

# References to characters that XML forbids. The server copies them from the other player's hints.
FORBIDDEN = re.compile(rb"&#x(?:[0-8bcef]|1[0-9a-f]|fff[ef]);")
STEPS = [(1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)]  # to the neighbours, in a circle


def ring(field):
    return [(field[0] + x, field[1] + y) for x, y in STEPS]


def place(name, at):
    return f'<{name} x="{at[0]}" y="{at[1]}" z="{-at[0] - at[1]}"/>'


def moves(state):
    """All legal moves in the server's format. See docs/rules.md and docs/protocol.md."""
    me, fields = state.get("currentPlayerColor"), state.findall("board/fields/field")
    stacks = {(int(f.get("x")), int(f.get("y"))): [(p.get("owner"), p.get("type")) for p in f] for f in fields}
    brambles = {at for at, f in zip(stacks, fields) if f.get("isObstructed") == "true"}
    board, taken = stacks.keys() - brambles, {at for at in stacks if stacks[at]}
    mine = {at for at in taken if stacks[at][-1][0] == me}  # the top piece comes last
    reserve = {piece.get("type") for piece in state.find(f"undeployed{me.title()}Pieces")}
    begins = not any(owner == me for pieces in stacks.values() for owner, _ in pieces)
    for to in board - taken:
        near = taken.intersection(ring(to))
        if (near or not taken) if begins else (near & mine and not near - mine):
            for kind in {"BEE"} & reserve if int(state.get("turn")) >= 6 and "BEE" in reserve else reserve:
                yield f'<data class="setmove"><piece owner="{me}" type="{kind}"/>{place("destination", to)}</data>'
    for start in mine if "BEE" not in reserve else []:
        rest = taken - {start} if len(stacks[start]) == 1 else taken
        hive, more = set(), set(list(rest)[:1])
        while more:
            hive |= more
            more = {at for near in more for at in ring(near) if at in rest} - hive
        for to in drags(start, stacks[start][-1][1], board, brambles, rest) if hive == rest else []:
            yield f'<data class="dragmove">{place("start", start)}{place("destination", to)}</data>'


def drags(start, kind, board, brambles, rest):
    """The fields that a piece can move to if the other pieces are on the fields `rest`."""
    def steps(at):
        for i, to in enumerate(ring(at)):
            beside = {ring(at)[i - 1], ring(at)[(i + 1) % 6]}
            if to in board and rest & ({at, to} | beside) if kind == "BEETLE" else \
                    to in board - rest and rest & beside and not beside <= rest | brambles:
                yield to

    if kind == "GRASSHOPPER":
        rows = [[(start[0] + n * x, start[1] + n * y) for n in range(1, 12)] for x, y in STEPS]
        return {next(at for at in row if at not in rest) for row in rows if row[0] in rest} & board
    if kind == "SPIDER":
        return {c for a in steps(start) for b in steps(a) for c in steps(b) if len({start, a, b, c}) == 4}
    reached, more = set(), set(steps(start))
    while more:
        reached |= more
        more = {to for at in more for to in steps(at)} - reached if kind == "ANT" else set()
    return reached - {start}


def main():
    options = {name.strip("-")[0]: value for name, value in zip(sys.argv[1::2], sys.argv[2::2])}  # --host or -h
    code, stream, depth = options.get("r"), XMLPullParser(["start", "end"]), 0
    server = socket.create_connection((options.get("h", "localhost"), int(options.get("p", 13050))))
    join = f"joinPrepared reservationCode={quoteattr(code)}" if code else 'join gameType="swc_2020_hive"'
    server.sendall(f"<protocol><{join}/>".encode())
    rest = b""
    for received in iter(lambda: server.recv(65536), b""):  # a chunk may end within a message
        received = rest + received
        end = received.rfind(b"&", -8)  # a reference may be split between chunks
        end = len(received) if end < 0 or b";" in received[end:] else end
        rest = received[end:]
        stream.feed(FORBIDDEN.sub(b"", received[:end]))
        for event, message in stream.read_events():
            depth += 1 if event == "start" else -1
            if depth == 0:  # the server's </protocol>, which ends the game
                return
            if event == "end" and depth == 1 and message.tag == "room":
                data = message.find("data")
                kind = data.get("class") if data is not None else None
                if kind == "memento":
                    state = data.find("state")
                elif kind == "sc.framework.plugins.protocol.MoveRequest":
                    move = random.choice(list(moves(state)) or ['<data class="skipmove"/>'])
                    server.sendall(f"<room roomId={quoteattr(message.get('roomId'))}>{move}</room>".encode())


if __name__ == "__main__":
    main()
