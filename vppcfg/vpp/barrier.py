"""Measures for how long a VPP holds its workers while it carries out a message, by its own clock.

Its event log has each hold, in microseconds, and behind it the message that it was for (vlib/threads.c and
vlibapi/api_shared.c). Commands at the prompt hold them too, those that read the log among them; these do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_EVENTS = 20_000
_RELEASED = re.compile(r"bar-rel-#\d+-e\d+-u\d+-t(\d+)")
_MESSAGE_DONE = re.compile(r"api-msg-done\(\w+\): \S+")
_OTHER = re.compile(r"api-msg: |cli-cmd: ")
"""Lines of the event log, the second hold one of the prompt's::

    1.000400000: bar-rel-#1-e5-u0-t300
    1.000500000: api-msg-done(mp): sw_interface_set_flags
    1.100900000: bar-rel-#2-e5-u0-t900
    1.101000000: cli-cmd: show version OK
"""


class BarrierClock:
    """The event log of a VPP with workers.

    `run` runs a command at its prompt, and returns a code and the text; `cpu_ms` returns for how long its main thread
    has run. On a busy machine a thread waits for a CPU while it holds the workers: that is not VPP's time.
    """

    def __init__(self, run: Callable[[str], tuple[int, str]], cpu_ms: Callable[[], float]) -> None:
        self._run = run
        self._cpu_ms = cpu_ms
        self._began_ms = 0.0
        run(f"event-logger resize {_EVENTS}")
        run("event-logger trace barrier api cli")

    def start(self) -> None:
        """Forget what was logged."""
        self._run("event-logger clear")
        self._began_ms = self._cpu_ms()

    def held_ms(self) -> float:
        """Return for how long messages have held the workers since the start, in milliseconds."""
        cpu_ms = self._cpu_ms() - self._began_ms
        _, text = self._run(f"show event-logger all {_EVENTS}")
        total, held = 0, 0
        for line in text.splitlines():
            if (released := _RELEASED.search(line)) is not None:
                held = int(released[1])
            elif _MESSAGE_DONE.search(line):
                total, held = total + held, 0
            elif _OTHER.search(line):
                held = 0
        return min(total / 1000, cpu_ms)
