#!/usr/bin/env python3
"""Runs a command under the contest's limits and reports its memory.

    confined.py REPORT CORE MEGABYTES COMMAND…

Runs the command on one core with a limit on its address space. Writes its peak resident memory, in bytes, to the file REPORT.
Exits with the command's exit code, or with 128 plus the signal that ended it.
"""

import os
import resource
import sys


def main():
    report, core, megabytes, *command = sys.argv[1:]
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {int(core)})
        resource.setrlimit(resource.RLIMIT_AS, (int(megabytes) * 10**6,) * 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(child, 0)
    with open(report, "w", encoding="ascii") as file:
        file.write(str(usage.ru_maxrss * 1024))
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    sys.exit(code)


if __name__ == "__main__":
    main()
