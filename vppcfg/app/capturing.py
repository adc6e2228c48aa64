"""Takes readings of a running VPP: the stats segment first, API dumps and CLI commands beside it.

VPP runs a command while its workers stand still, and packets are lost when that takes long: whoever looks for losses
must not cause them. What the segment, the API or the kernel has is read there.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vppcfg.errors import DataplaneError
from vppcfg.record import record
from vppcfg.tune.capture import COMMANDS, Capture

if TYPE_CHECKING:
    from vppcfg.vpp.stats import StatsSegment
    from vppcfg.vpp.telemetry import Telemetry

log = logging.getLogger("vppcfg.cli.tune_live")  # the name stands in messages


class Asking(Enum):
    """When a running VPP is asked to run a command."""

    ONCE = "at the last reading"
    PER_PORT = "at the last reading, of each port by itself"
    WITHOUT_NODES = "at each reading where the segment has no counters of nodes"
    WITHOUT_SEGMENT = "at each reading of a VPP without a stats segment"
    WITH_HEAP = "at the last reading with --heap"
    NEVER = "never: saved and pasted texts alone have it"


ASKED: Mapping[str, tuple[Asking, str]] = {
    "version": (Asking.ONCE, "a few lines"),
    "cpu": (Asking.ONCE, "a few lines"),
    "trace": (Asking.ONCE, "the first packet of each thread that is traced; VPP sorts what is in the trace"),
    "runtime-max": (Asking.ONCE, "copies the counters of nodes, some 10 ns for each node and thread, then goes on"),
    "hardware": (Asking.PER_PORT, "what the driver takes to read its counters and link, of all at once seconds"),
    "interface": (Asking.PER_PORT, "a few lines; of 10,000 interfaces at once 50 ms"),
    "runtime": (Asking.WITHOUT_NODES, "as `show runtime max`"),
    "errors": (Asking.WITHOUT_SEGMENT, "sums the errors of all nodes and threads"),
    "buffers": (Asking.WITHOUT_SEGMENT, "a line for each NUMA node"),
    "rx-placement": (Asking.NEVER, "a line for each queue, which the API has too"),
    "threads": (Asking.NEVER, "reads files of /proc; the API has it and is thread safe"),
    "memory": (Asking.WITH_HEAP, "walks the heap: 0.7 s with a full table; the segment has how full it is"),
    "pci": (Asking.NEVER, "reads the vital product data of each device, 0.1 s for some; the kernel has the rest"),
}
"""When each of COMMANDS is run on a running VPP, and what that costs: so long workers stand still."""
MOST_PORTS = 64
"""Ports that are asked about one by one: physical ones, then others that have queues, such as memifs and TAPs."""
_PATIENCE_S = 15.0
"""A little more than VPP's own update interval."""
_REFRESH_S = 10.0
_TICKS = 10
_PID = re.compile(r"Current PID:\s+(\d+)")


@record
class ReadingPlan:
    """Which VPP is read, how often, and how far apart."""

    api_socket: str
    json_dir: str | None
    stats_socket: str | None
    """None for stats.sock beside the API socket, where there is one."""
    root: str
    """Where /proc and /sys are."""
    readings: int
    interval_s: float
    has_heap: bool = False
    """Whether VPP is to walk its heap."""

    @property
    def shortest_s(self) -> float:
        """Return how long reading takes at least; each reading may wait for a refresh of VPP's counters, too."""
        return (self.readings - 1) * self.interval_s

    @property
    def longest_s(self) -> float:
        """Return how long reading takes where VPP refreshes its counters every ten seconds, as it does by default."""
        return self.shortest_s + self.readings * _REFRESH_S

    @property
    def ticks(self) -> int:
        """Return in how many equal steps progress is reported, from the first reading to the last."""
        return (self.readings - 1) * _TICKS


def take_captures(plan: ReadingPlan, progress: Callable[[int], None]) -> list[Capture]:
    """Return all readings of a running VPP, the last one with a description of its hardware and of the host.

    It takes `interval_s` times the readings less one; `progress` is called with how many of `plan.ticks` are over.
    Raise DataplaneError when VPP cannot be read.
    """
    from vppcfg.vpp.telemetry import Telemetry

    with ExitStack() as stack:
        telemetry = stack.enter_context(Telemetry(plan.api_socket, json_dir=plan.json_dir))
        stats = _open_stats(plan, stack)
        return _CaptureReader(plan, telemetry, stats, progress).captures()


def _open_stats(plan: ReadingPlan, stack: ExitStack) -> StatsSegment | None:
    from vppcfg.vpp.stats import StatsSegment

    path = plan.stats_socket or str(Path(plan.api_socket).with_name("stats.sock"))
    try:
        return stack.enter_context(StatsSegment(path))
    except DataplaneError as error:
        if plan.stats_socket:
            raise
        log.warning("%s; VPP's CLI is asked instead, which stops its workers meanwhile", error.message)
        return None


class _CaptureReader:
    """Takes readings one after the other."""

    def __init__(
        self, plan: ReadingPlan, telemetry: Telemetry, stats: StatsSegment | None, progress: Callable[[int], None]
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._telemetry = telemetry
        self._stats = stats
        self._pid: int | None = None

    def captures(self) -> list[Capture]:
        """Return all readings; the last one describes hardware and placement too."""
        count = self._plan.readings
        version = self._telemetry.texts({"version": COMMANDS["version"]})
        match = _PID.search(version.get("version", ""))
        self._pid = int(match[1]) if match else None
        if self._stats is not None and not self._stats.has_nodes:
            log.info("Without `statseg { per-node-counters on }`, `show runtime` is run, which stops workers briefly")
        captures, before = [], self._host()
        for number in range(count):
            if number:
                self._pause((number - 1) * _TICKS)
            captures.append(self._capture(number + 1, before if number == count - 1 else None))
        return captures

    def _pause(self, done: int) -> None:
        """Wait for one interval; `done` ticks are over before it."""
        for tick in range(_TICKS):
            time.sleep(self._plan.interval_s / _TICKS)
            self._progress(done + tick + 1)

    def _capture(self, number: int, host_before: dict[str, Any] | None) -> Capture:
        """Return a reading; the last one comes with the facts of the host at the first."""
        documents: dict[str, Any] = {"api": self._telemetry.placement()}
        has_nodes = self._stats is not None and self._stats.has_nodes
        if self._stats is not None:
            if has_nodes and not self._stats.wait_for_update(_PATIENCE_S):
                log.warning("VPP has not refreshed its counters in %.0f s: is it hung?", _PATIENCE_S)
            documents["stats"] = self._stats.read()
        taken_s = time.monotonic()
        texts = self._telemetry.texts({name: COMMANDS[name] for name in self._names(is_last=host_before is not None)})
        if self._stats is None:
            texts |= self._telemetry.texts({"interface": COMMANDS["interface"]})
        if host_before is not None:
            documents["host"] = _since(host_before, self._host())
            texts = self._of_ports(_ports_of(documents["api"])) | texts
        return Capture(
            name=f"reading {number}", taken_s=taken_s, texts=texts, documents=documents, whole=frozenset(texts)
        )

    def _names(self, *, is_last: bool) -> list[str]:
        """Return the commands that are run at a reading."""
        wanted = {Asking.ONCE} if is_last else set()
        wanted |= {Asking.WITH_HEAP} if is_last and self._plan.has_heap else set()
        if self._stats is None:
            wanted |= {Asking.WITHOUT_SEGMENT, Asking.WITHOUT_NODES}
        elif not self._stats.has_nodes:
            wanted |= {Asking.WITHOUT_NODES}
        return [name for name in COMMANDS if ASKED[name][0] in wanted]

    def _of_ports(self, ports: Sequence[str]) -> dict[str, str]:
        """Return what VPP prints of ports, asked one by one, as if it had been asked for them together."""
        names = [name for name, (asking, _) in ASKED.items() if asking is Asking.PER_PORT]
        found = self._telemetry.texts(
            {f"{name} {port}": f"{COMMANDS[name]} {port}" for name in names for port in ports[:MOST_PORTS]}
        )
        return {
            name: _joined(texts)
            for name in names
            if (texts := [text for key, text in found.items() if key.startswith(f"{name} ")])
        }

    def _host(self) -> dict[str, Any]:
        from vppcfg.host.running import read_running

        return read_running(self._plan.root, self._pid)


def _ports_of(api: Mapping[str, Any]) -> list[str]:
    queues = (str(row["interface"]) for row in api.get("rx_placement", ()))
    return list(dict.fromkeys([*api["ports"], *queues]))


def _joined(texts: Sequence[str]) -> str:
    """Return texts below each other with one header, the first line of each."""
    first, *others = texts
    return "".join([f"{first.rstrip()}\n", *(f"{each.partition(chr(10))[2].rstrip()}\n" for each in others)])


def _since(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of now, with preemptions counted since `before`."""
    former = before["preemptions"]
    gained = {name: count - former.get(name, count) for name, count in now["preemptions"].items()}
    return {**now, "preemptions": gained}
