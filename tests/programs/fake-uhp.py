#!/usr/bin/env python3
"""A UHP engine that misbehaves as its argument says."""
import os
import signal
import sys
import time

mode = sys.argv[1]
game = ""
arena = os.getppid()


def pause_arena(lead=0):
    """Suspends the arena for two seconds after `lead` seconds, in the background."""
    if os.fork() == 0:
        time.sleep(lead)
        os.kill(arena, signal.SIGSTOP)
        time.sleep(2)
        os.kill(arena, signal.SIGCONT)
        os._exit(0)



def answer(*lines):
    print(*lines, "ok", sep="\n", flush=True)


if mode == "never-joins":
    time.sleep(600)
if mode == "exits-at-once":
    sys.exit("no display")
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
        elif mode == "long-line":
            answer("x" * (1 << 16) + "\nwS1")
        elif mode == "refuses":
            answer("err The game is over.")
        elif mode == "empty-answer":
            answer()
        elif mode == "pauses-arena":
            pause_arena()
            time.sleep(0.2)
            answer("wS1" if len(game.split(";")) < 4 else f"bS1 {game.split(';')[3]}-")
        else:
            answer("wQ wA3-")
    elif command == "newgame":
        game = argument
        fields = game.split(";")
        if mode == "sees-an-end":
            fields[1] = "Draw"
        if mode == "pauses-arena":
            pause_arena(0.1)
        answer("err No such position." if fields[0].startswith("Base+MLP 2") else ";".join(fields))
    elif command == "options":
        answer("err No such option.")
    elif command == "exit":
        answer()
        break
    else:
        game += f";{argument}" * (command == "play")
        answer(game)
