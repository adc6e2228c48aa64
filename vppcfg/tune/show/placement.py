"""`show interface rx-placement` in, receive queues and their threads out (VPP: vnet/interface_cli.c)."""

from __future__ import annotations

import re

from vppcfg.tune.reading import RxQueue
from vppcfg.tune.show.lines import Unread, clean_lines

_THREAD = re.compile(r"^Thread (\d+)\b")
_QUEUE = re.compile(r"^(\S+) queue (\d+) \((\w+)\)$")


def parse_placement(text: str) -> tuple[tuple[RxQueue, ...], Unread]:
    """Return the queues, and what could not be read; a thread may come without a line that names the node."""
    queues: list[RxQueue] = []
    unread: list[str] = []
    thread: int | None = None
    for line in clean_lines(text):
        if match := _THREAD.match(line):
            thread = int(match[1])
        elif (match := _QUEUE.match(line)) and thread is not None:
            queues.append(RxQueue(interface=match[1], queue=int(match[2]), thread=thread, mode=match[3]))
        elif not line.startswith("node "):
            unread.append(line)
    return tuple(queues), tuple(unread)
