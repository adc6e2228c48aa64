"""Which messages and commands stop a real VPP's workers while something runs, by its own event log."""

import re
from collections import Counter
from collections.abc import Callable

from tests.real_vpp import RealVpp

_TRACE = "event-logger trace barrier api cli"
_RELEASED = re.compile(r"bar-rel-#\d+")
_DONE = re.compile(r"api-msg-done\(\w+\): (\S+)|cli-cmd: (.*) OK")
_BEGUN = re.compile(r"api-msg: |cli-cmd: ")


def halts_of(vpp: RealVpp, work: Callable[[], object]) -> Counter[str]:
    """Return how often workers stood still for each message and each command, which VPP names by its first words.

    What is thread safe is not among them.
    """
    for line in (_TRACE, "event-logger resize 400000", "event-logger clear"):
        vpp.cli(line)
    work()
    vpp.cli(f"{_TRACE} disable")
    counts: Counter[str] = Counter()
    is_held = False
    for line in vpp.cli("show event-logger all 400000")[1].splitlines():
        if _RELEASED.search(line):
            is_held = True
        elif match := _DONE.search(line):
            name = match[1] or match[2].strip()
            counts[name] += is_held and "event-logger" not in name
            is_held = False
        elif _BEGUN.search(line):
            is_held = False
    return +counts
