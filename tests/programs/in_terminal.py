#!/usr/bin/env python3
"""Runs a program in a terminal of its own: in_terminal.py COLUMNS ROWS KEYS PROGRAM ARGUMENTS…

The keys, in which \\e stands for escape, are pressed once the program has offered that q quits. Prints what the terminal gets.
"""
import fcntl
import os
import pty
import struct
import sys
import termios

columns, rows, keys, *command = sys.argv[1:]
process, terminal = pty.fork()
if process == 0:
    size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvp(command[0], command)
shown = b""
pressed = False
while True:
    try:
        received = os.read(terminal, 65536)
    except OSError:
        break
    if not received:
        break
    shown += received
    if not pressed and b"q quits" in shown:
        pressed = True
        os.write(terminal, keys.replace("\\e", "\x1b").encode())
sys.stdout.buffer.write(shown)
sys.stdout.flush()
_, status = os.waitpid(process, 0)
sys.exit(os.waitstatus_to_exitcode(status))
