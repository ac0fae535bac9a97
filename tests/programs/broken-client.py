#!/usr/bin/env python3
"""examples/client.py with a fault that `wabe check` should find: broken-client.py FAULT --host HOST …"""
import pathlib
import sys

NO_PLACES, NO_DRAGS = ("for to in board - taken:", "for to in ():"), ("for start in mine", "for start in ()")
MOVE, READ, FEED = "move = random.choice", 'for received in iter(lambda: server.recv(65536), b"")', "stream.feed(received)"
SENT = '</room>".encode())'
SKIP = """<data class="skipmove"/>"""
SET = """<data class="setmove"><piece owner="RED" type="ANT"/><destination x="0" y="0" z="0"/></data>"""

# Replacements in the source, by fault.
FAULTS = {
    "none": [],
    "off-board": [('x="{at[0]}"', 'x="{at[0] + 20}"')],
    "no-skip": [(SKIP, SET)],
    "moves-covered": [("stacks[at][-1][0] == me", "stacks[at][0][0] == me and len(stacks[at]) > 1"), NO_PLACES],
    "enters-brambles": [("stacks.keys() - brambles", "stacks.keys() & brambles")],
    "spiders": [('type="{kind}"', 'type="SPIDER"'), NO_DRAGS],
    "stays": [("                return\n", "                continue\n"), (READ, "import itertools, time\n    for received in (server.recv(65536) or time.sleep(1) or b'' for _ in itertools.count())")],
    "whole-messages": [(FEED, 'assert received.rstrip().endswith(b">")\n        ' + FEED)],
    "strict": [(FEED, 'assert b"weather" not in received\n        ' + FEED)],
    "strict-data": [('if kind == "memento"', 'assert kind in ("memento", "result") or len(data) == 0\n                if kind == "memento"')],
    "strict-result": [(SENT, SENT + "\n                elif kind == 'result':\n                    assert data[0].tag == 'definition'")],
    "ignores-code": [("if code else", "if not code else")],
    "slow": [(MOVE, "import time; time.sleep(0.3)\n                    " + MOVE)],
    "gives-up": [(MOVE, 'assert int(state.get("turn")) < 3\n                    ' + MOVE)],
    "floods": [(MOVE, 'while True: server.sendall(b"<cancel/>" * 1000)\n                    ' + MOVE)],
    "adds-nonsense": [(SENT, '</room></x>".encode())')],
    "adds-note": [('<data class="setmove">', '<data class="setmove"><note/>')],
    "leaves-out-room": [("<room roomId={quoteattr(message.get('roomId'))}>{move}</room>", "{move}")],
    "leaves-out-data": [("{move}</room>", "</room>")],
    "off-corner": [('x="{at[0]}" y="{at[1]}" z="{-at[0] - at[1]}"', 'x="5" y="5" z="-10"')],
    "fears-hints": [(FEED, 'assert b"&lt;/state&gt;" not in received\n        ' + FEED)],
    "dies": [(SENT, SENT + "\n                    import os; os._exit(3)")],
    "silent": [(MOVE, "server.recv(1)\n                    " + MOVE)],
    "never-comes": [("server = socket.create_connection", "import time; time.sleep(100); server = socket.create_connection")],
}

client = pathlib.Path(__file__).parent.parent.parent / "examples" / "client.py"
source = client.read_text(encoding="utf-8")
for good, bad in FAULTS[sys.argv.pop(1)]:
    assert good in source, good
    source = source.replace(good, bad)
exec(compile(source, client, "exec"))
