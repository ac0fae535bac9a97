#!/usr/bin/env python3
"""An engine of the Universal Hive Protocol that misbehaves as its argument says."""
import sys
import time

mode = sys.argv[1]
game = ""


def answer(*lines):
    print(*lines, "ok", sep="\n", flush=True)


if mode == "never-joins":
    time.sleep(600)
answer("id fake", "" if mode == "base-only" else "Mosquito;Ladybug;Pillbug")
for line in sys.stdin:
    command, _, argument = line.strip().partition(" ")
    if command == "bestmove":
        if mode == "ends":
            print("no memory", file=sys.stderr, flush=True)
            sys.exit(3)
        elif mode == "hangs":
            time.sleep(600)
        elif mode == "floods":
            while True:
                print("wS1 -wQ")
        elif mode == "refuses" or mode == "whole-seconds" and "." in argument and "time" in argument:
            answer("err The game is over.")
        elif mode == "says-nothing":
            answer()
        else:
            answer("wQ wA3-")
    elif command == "newgame":
        game = argument
        fields = game.split(";")
        if mode == "sees-an-end":
            fields[1] = "Draw"
        answer(";".join(fields))
    elif command == "options":
        answer("err No such option.")
    elif command == "exit":
        answer()
        break
    else:
        answer(game)
