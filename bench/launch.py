"""Runs one command and prints what it cost as JSON; small, because the kernel counts its memory with the command's.

Arguments: a bound in seconds, a file for the output, and the command.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""What is installed is compiled once, not whenever it starts."""


def main() -> None:
    """Print CPU and wall time in seconds, peak memory in bytes, and the exit status, negative for a signal."""
    timeout_s, output, *command = sys.argv[1:]
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    streams = [(os.POSIX_SPAWN_DUP2, file, 1), (os.POSIX_SPAWN_DUP2, file, 2)]
    start = time.monotonic()
    pid = os.posix_spawnp(command[0], command, _ENVIRONMENT, file_actions=streams)
    signal.signal(signal.SIGALRM, lambda number, frame: os.kill(pid, signal.SIGKILL))
    for request in (signal.SIGINT, signal.SIGTERM):
        signal.signal(request, lambda number, frame: os.kill(pid, number))
    signal.setitimer(signal.ITIMER_REAL, float(timeout_s))
    _, status, usage = os.wait4(pid, 0)
    cost = {
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": time.monotonic() - start,
        "peak_bytes": usage.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
    }
    sys.stdout.write(json.dumps(cost))


if __name__ == "__main__":
    main()
