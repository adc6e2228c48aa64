"""iperf3: servers and clients as processes, and a client's JSON; its exit code means nothing.

With -J a client that fails exits 0 and writes `error` (iperf3 3.12).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from vppcfg.common.bounds import FLOW_BYTES
from vppcfg.common.clock import Clock
from vppcfg.common.documents import build, parse_json
from vppcfg.errors import EngineError
from vppcfg.linux.inside import command_inside, run_inside
from vppcfg.loadtest.flows.outcome import Flow, Rate
from vppcfg.record import record

PROGRAM = "iperf3"
_CONNECT_MS = 5000
_LISTENING = "0A"
"""TCP_LISTEN in the fourth column of /proc/net/tcp (include/net/tcp_states.h of Linux)."""
_START_S = 5.0
_STOP_S = 5.0
_TABLES = (Path("/proc/thread-self/net/tcp"), Path("/proc/thread-self/net/tcp6"))
_BOUND = ("setpriv", "--pdeathsig", "KILL")
"""The kernel ends it when this process dies."""


def require_iperf3() -> str:
    """Return iperf3's version. Raise EngineError when it is missing."""
    if shutil.which(PROGRAM) is None:
        raise EngineError("there is no program iperf3", "Debian has it in the package iperf3")
    shown = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"iperf ([0-9.]+)", shown.stdout)
    return found[1] if found else ""


class Servers:
    """iperf3 servers, one per port, in a namespace."""

    def __init__(self, netns: str, ports: tuple[int, ...], clock: Clock) -> None:
        self._netns = netns
        self._ports = ports
        self._clock = clock
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start them, and return when all listen. Raise EngineError when a port is taken."""
        taken = sorted(listening_ports(self._netns) & set(self._ports))
        if taken:
            raise EngineError(f"another program listens on port {taken[0]}", "--first-port names other ports")
        for port in self._ports:
            self._processes.append(_started(self._netns, [PROGRAM, "--server", "--port", str(port)]))
        deadline = self._clock.now() + _START_S
        while set(self._ports) - listening_ports(self._netns):
            if self._clock.now() > deadline or any(process.poll() is not None for process in self._processes):
                raise EngineError(f"iperf3 does not listen on port {self._ports[0]}")
            self._clock.sleep(0.02)

    def stop(self) -> None:
        """End them."""
        _end(self._processes)
        self._processes = []


class Client:
    """One iperf3 client process."""

    def __init__(self, netns: str, server: str, server_port: int, client_port: int | None, words: list[str]) -> None:
        """Start it towards a server; with `client_port` its data come from there. `words` are further options."""
        self.server_port = server_port
        fixed = ["--cport", str(client_port)] if client_port is not None else []
        timeout = ["--connect-timeout", str(_CONNECT_MS)]
        command = [PROGRAM, "--client", server, "--port", str(server_port), *fixed, *timeout, *words, "--json"]
        self._process = _started(netns, command)

    @property
    def is_running(self) -> bool:
        """Return whether it has not ended yet."""
        return self._process.poll() is None

    def result(self, timeout_s: float) -> Flow:
        """Wait for its end and return its output. Raise EngineError when it failed or does not end in time."""
        try:
            output, _ = self._process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise EngineError(f"the flow to port {self.server_port} does not end") from None
        return flow_of(output, self.server_port)

    def stop(self) -> None:
        """End it."""
        _end([self._process])


def flow_of(text: bytes | str, server_port: int) -> Flow:
    """Return the flow that a client's JSON describes. Raise EngineError when the JSON reports a failure."""
    source, hint = f"iperf3 to port {server_port}", "is a server listening there, and is it free?"
    try:
        document = parse_json(text, "its result", FLOW_BYTES)
    except ValueError as error:
        printed = (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
        shown = str(error) if printed.startswith("{") else printed.splitlines()[-1] if printed else "no output"
        raise EngineError(f"{source} wrote no result: {shown}") from error
    if not isinstance(document, dict):
        raise EngineError(f"{source} failed: its result is no object", hint)
    try:
        return _flow(build(_Report, document, "its result", is_open=True), server_port)
    except ValueError as error:
        given = document.get("error")
        reason = given if isinstance(given, str) else f"its result is not complete: {error}"
        raise EngineError(f"{source} failed: {reason}", hint) from error


@record
class _Total:
    bits_per_second: float
    retransmits: int | None = None


@record
class _Second:
    start: float
    end: float
    bits_per_second: float
    omitted: bool = False


@record
class _Interval:
    sum: _Second


@record
class _End:
    sum_sent: _Total
    sum_received: _Total


@record
class _Connection:
    local_port: int


@record
class _Timestamp:
    timesecs: int | None = None


@record
class _Start:
    connected: tuple[_Connection, ...]
    timestamp: _Timestamp = _Timestamp()


@record
class _Report:
    """What is read of a client's JSON, by the names that it has there."""

    start: _Start
    intervals: tuple[_Interval, ...]
    end: _End
    error: str | None = None


def _flow(report: _Report, server_port: int) -> Flow:
    """Return the flow of a client's JSON. Raise ValueError when it never had a connection.

    The flow of an interrupted client has what was sent, but not what arrived.
    """
    if not report.start.connected:
        raise ValueError("start.connected is empty")
    sent = report.end.sum_sent
    return Flow(
        server_port=server_port,
        client_port=report.start.connected[0].local_port,
        core=None,
        sent_bps=sent.bits_per_second,
        received_bps=report.end.sum_received.bits_per_second if report.error is None else None,
        retransmits=sent.retransmits,
        began_at=report.start.timestamp.timesecs,
        rates=tuple(
            Rate(from_s=second.start, to_s=second.end, bps=second.bits_per_second)
            for second in (interval.sum for interval in report.intervals)
            if not second.omitted
        ),
    )


def listening_ports(netns: str) -> frozenset[int]:
    """Return the TCP ports on which programs in a namespace listen."""
    text = run_inside(netns, lambda: "".join(table.read_text() for table in _TABLES if table.exists()))
    rows = [line.split() for line in text.splitlines()]
    return frozenset(int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 3 and row[3] == _LISTENING)


def _started(netns: str, command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*_BOUND, *command_inside(netns, command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if "--client" in command else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """End processes at once. What the kernel holds back longer than that ends by itself: it is killed already."""
    for process in processes:
        if process.poll() is None:
            process.kill()
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_S)
        if process.stdout is not None:
            process.stdout.close()
