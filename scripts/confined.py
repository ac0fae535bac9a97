#!/usr/bin/env python3
"""Runs a command as on a machine of the contest, and reports its memory.

    confined.py REPORT CORE MEGABYTES COMMAND…

The command runs in the folder that this program was started in, on one core, with a limit on its address space, which is
more than what it has in memory at any time. REPORT gets the most that it has had in memory, in bytes. Ends as the command does,
with 128 and the number of the signal if it was one.
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
