#!/usr/bin/env python3
"""Compares the legal moves of examples/client.py with those in a file: client-moves.py FILE.jsonl.gz STEP. Prints positions that differ."""
import gzip
import itertools
import json
import pathlib
import runpy
import sys
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

client = runpy.run_path(str(pathlib.Path(__file__).parent.parent.parent / "examples" / "client.py"))
KINDS = {"A": "ANT", "Q": "BEE", "B": "BEETLE", "G": "GRASSHOPPER", "S": "SPIDER"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
SIDES = {"r": "RED", "b": "BLUE"}


def state_of(row):
    color = ["RED", "BLUE"][row["turn"] % 2]
    state = ElementTree.Element("state", turn=str(row["turn"]), currentPlayerColor=color)
    board, stacks = SubElement(state, "board"), {(x, y): pieces for x, y, pieces in row["stacks"]}
    for x in range(-5, 6):
        column = SubElement(board, "fields")
        for y in range(max(-5, -5 - x), min(5, 5 - x) + 1):
            bramble = str([x, y] in row["brambles"]).lower()
            field = SubElement(column, "field", x=str(x), y=str(y), z=str(-x - y), isObstructed=bramble)
            pieces = stacks.get((x, y), "")
            for side, kind in zip(pieces[::2], pieces[1::2]):
                SubElement(field, "piece", owner=SIDES[side], type=KINDS[kind])
    for side in "red", "blue":
        reserve = SubElement(state, f"undeployed{side.title()}Pieces")
        for kind in row["reserve"][side]:
            SubElement(reserve, "piece", owner=side.upper(), type=KINDS[kind])
    return state


def text_of(move):
    move = ElementTree.fromstring(move)
    start, to = [f'{end.get("x")},{end.get("y")}' if end is not None else "" for end in (move.find("start"), move.find("destination"))]
    return f"drag {start} {to}" if start else f'set {LETTERS[move.find("piece").get("type")]} {to}'


with gzip.open(sys.argv[1], "rt") as rows:
    for line in itertools.islice(rows, 0, None, int(sys.argv[2])):
        row = json.loads(line)
        if row["result"] is None:
            moves = sorted(text_of(move) for move in client["moves"](state_of(row)))
            if moves != [move for move in sorted(row["moves"]) if move != "skip"]:
                print(row["game"], row["turn"])
