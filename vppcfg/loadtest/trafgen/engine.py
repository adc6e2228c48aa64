"""trafgen as a traffic generator: a process per direction; the kernel paces its frames and counts them."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import groupby
from math import gcd, lcm
from pathlib import Path

from vppcfg.common.clock import Clock
from vppcfg.common.packets import checksum
from vppcfg.common.rates import CHECKSUM_BYTES, SMALLEST_FRAME
from vppcfg.errors import EngineError, LinuxError
from vppcfg.linux.inside import command_inside
from vppcfg.linux.shaper import remove_rate, set_rate
from vppcfg.loadtest.engine import Count, Delay, Generator, Port, Tally, Traffic
from vppcfg.loadtest.linux_port import Counters, LinuxPort, PortCounters, kind_of, mac_of, neighbours_of, port_named
from vppcfg.loadtest.profile import CHECKSUM_OFFSET, IP_OFFSET, Stream

PROGRAM = "trafgen"
_WAIT_S = 5.0
_NICE = "-10"
"""A generator that comes late sends in bursts, or less than it should."""
_GUARD = """\
trap true TERM
"$@" &
wait $!
trap '' TERM
kill 0
tc qdisc delete dev "$0" root
"""
"""All of it is one process group: trafgen's main process does not end its children."""
_TOOLS = ("timeout", "setpriv", "ip", "tc")


def require_trafgen() -> str:
    """Return trafgen's version. Raise EngineError when it, or what runs it, is missing."""
    if shutil.which(PROGRAM) is None:
        raise EngineError("there is no program trafgen", "Debian has it in the package netsniff-ng")
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise EngineError(f"there is no program {missing[0]}", "Debian has it in coreutils, util-linux or iproute2")
    if os.geteuid() != 0:
        raise EngineError("only root may send frames with trafgen", "run vppcfg as root")
    shown = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"trafgen ([0-9.]+\w*)", shown.stdout)
    return found[1] if found else ""


class Trafgen:
    """A running trafgen, which sends the frames of a file as fast as the kernel takes them."""

    def __init__(self, port: LinuxPort, frames: Path, limit_s: float) -> None:
        """Start it. When this process dies, or `limit_s` is over, a shell ends it and takes its rate from the port."""
        # With -t 0 trafgen waits for the kernel to take each frame, and with --qdisc-path the kernel paces it. Its own
        # --rate sends the frames of a whole second at once and is idle for the rest of it (0.6.8, measured).
        send = [PROGRAM, "--in", str(frames), "--out", port.device, "--cpus", "1", "--gap", "0ns", "--qdisc-path"]
        quiet = ["--no-sock-mem", "--notouch-irq", "--no-cpu-stats"]
        bounds = ["timeout", "--foreground", "--kill-after", "1", f"{limit_s:.3f}"]
        guarded = ["sh", "-c", _GUARD, port.device, *bounds, *send, *quiet]
        self._log = frames.with_suffix(".log")
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "nice", "-n", _NICE, *command_inside(port.netns, guarded)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def has_ended(self) -> bool:
        """Return whether it runs no more."""
        return self._process.poll() is not None

    def complaint(self) -> str:
        """Return the last line that it wrote, to be shown when it fails."""
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no output"

    def cpu_s(self) -> float:
        """Return the CPU time that it has taken, in seconds."""
        ticks = sum(_cpu_ticks(pid, self._process.pid) for pid in filter(str.isdecimal, os.listdir("/proc")))
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End trafgen at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(_WAIT_S)


def _cpu_ticks(pid: str, group: int) -> int:
    """Return the CPU time of a process of a group, 0 for any other (proc(5): pgrp is field 5, utime 14, stime 15)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0


_MOST_FRAMES = 4096
"""Of a file; trafgen takes about a second to read that many."""
_LEAST_RUN = 8
"""Equal bytes in a row that are worth a `fill`."""
_HEADER_BYTES = 20


def sequence(streams: Sequence[Stream], source_mac: bytes, sink_mac: bytes) -> tuple[bytes, ...]:
    """Return the frames in the order in which they go out: the streams mixed by share, every address in its turn.

    Frames are padded to the smallest size, and have no check sequence.
    """
    order = _mixed([round(stream.share * 1000) for stream in streams])
    turns = lcm(*(_period(stream) for stream in streams))
    rounds = max(min(turns, _MOST_FRAMES // len(order)), 1)
    sent = [0] * len(streams)
    frames = []
    for place in order * rounds:
        frames.append(_frame(streams[place], sent[place], source_mac, sink_mac))
        sent[place] += 1
    return tuple(frames)


def configuration(frames: Sequence[bytes]) -> str:
    """Return trafgen's file: a packet in braces per frame, each byte of it written out."""
    return "".join("{ " + ", ".join(_words(frame)) + " }\n" for frame in frames)


def mean_bytes(frames: Sequence[bytes]) -> float:
    """Return the mean length without check sequence."""
    return sum(map(len, frames)) / len(frames)


def _mixed(shares: list[int]) -> list[int]:
    """Return the places of streams in the shortest order that gives each its share, as evenly as can be."""
    divisor = gcd(*shares)
    weights = [share // divisor for share in shares]
    due = [0] * len(weights)
    order = []
    for _ in range(sum(weights)):
        due = [waiting + weight for waiting, weight in zip(due, weights, strict=True)]
        place = due.index(max(due))
        due[place] -= sum(weights)
        order.append(place)
    return order


def _period(stream: Stream) -> int:
    """Return after how many frames a stream begins anew."""
    return lcm(*(variable.last - variable.first + 1 for variable in stream.variables)) if stream.variables else 1


def _frame(stream: Stream, turn: int, source_mac: bytes, sink_mac: bytes) -> bytes:
    frame = bytearray(stream.frame.ljust(SMALLEST_FRAME - CHECKSUM_BYTES, b"\0"))
    frame[:12] = sink_mac + source_mac
    for variable in stream.variables:
        value = variable.first + turn % (variable.last - variable.first + 1)
        frame[variable.offset : variable.offset + variable.size_bytes] = value.to_bytes(variable.size_bytes, "big")
    frame[CHECKSUM_OFFSET : CHECKSUM_OFFSET + 2] = b"\0\0"
    header = bytes(frame[IP_OFFSET : IP_OFFSET + _HEADER_BYTES])
    frame[CHECKSUM_OFFSET : CHECKSUM_OFFSET + 2] = checksum(header).to_bytes(2, "big")
    return bytes(frame)


def _words(frame: bytes) -> Iterator[str]:
    """Yield the bytes of a frame in trafgen's language (trafgen(8)), long runs as one word."""
    for value, run in groupby(frame):
        length = len(list(run))
        if length >= _LEAST_RUN:
            yield f"fill({value:#04x}, {length})"
        else:
            yield from [f"{value:#04x}"] * length


LOCKS = Path("/run/lock")
_ON_ITS_WAY_S = 0.01
"""How long a packet may wait in the queues of a device under test."""
_QUEUE_BYTES = 16 << 20
"""More than trafgen's socket lets wait: it is never dropped before it is sent."""
_BURST_S, _BURST_PACKETS = 0.1, 128
"""What the kernel makes good for when it came late: more would be lost in short queues, and look like the device's."""
_START_S = 10.0
_POLL_S = 0.001
_PACED = "the kernel paces the frames (tc-tbf) and counts them"
_ON_VETH = (
    "a frame that the other end of a veth pair has no room for counts as sent and lost",
    "generator and device share the CPUs of this machine",
)


@dataclass(slots=True, kw_only=True)
class _Way:
    """One direction: its ports, its frames, and the counters at its beginning."""

    source: LinuxPort
    sink: LinuxPort
    at_source: PortCounters
    at_sink: PortCounters
    frames: Path
    mean_bytes: float
    is_veth: bool
    sent_before: int = 0
    received_before: int = 0
    process: Trafgen | None = None


class TrafgenEngine:
    """Ports of Linux, `DEVICE` or `NETNS/DEVICE`, between which trafgen sends."""

    def __init__(self, clock: Clock, ports: tuple[str, ...], next_macs: Mapping[str, str]) -> None:
        """`next_macs` has the MAC address that frames of a port go to, for ports where Linux knows of no neighbour."""
        self._clock = clock
        self._names = ports
        self._next_macs = next_macs
        self._held = ExitStack()
        self._prepared = ExitStack()
        self._ways: list[_Way] = []
        self._ends_at_s = 0.0
        self._cpu: tuple[float, float] | None = None

    def describe(self) -> Generator:
        """Return the ports as Linux has them."""
        version = require_trafgen()
        ports = tuple(_described(port_named(name)) for name in self._names)
        return Generator(
            engine="trafgen",
            version=version,
            ports=ports,
            cores=os.cpu_count(),
            facts=(_PACED, *(_ON_VETH if any(port.driver == "veth" for port in ports) else ())),
        )

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Lock the ports against other load tests. Raise EngineError when one cannot or must not be used."""
        require_trafgen()
        for name in ports:
            kind_of(port_named(name))
        with ExitStack() as stack:
            for name in ports:
                _lock(name, stack)
            self._held = stack.pop_all()

    def prepare(self, traffic: Traffic) -> None:
        """Write the frames of each direction, and begin to count at zero. Raise EngineError."""
        if traffic.latency_pps:
            raise EngineError("trafgen measures no latency", "`vppcfg loadtest watch` does, or a T-Rex: --engine trex")
        self.stop()
        self._prepared.close()
        folder = Path(self._prepared.enter_context(tempfile.TemporaryDirectory(prefix="vppcfg-trafgen-")))
        self._ways = [self._way(traffic, place, folder) for place in range(len(traffic.directions))]
        for way in self._ways:
            tally = _tally(way)
            way.sent_before, way.received_before = tally.sent, tally.received

    def start(self, load_pps: float, limit_s: float) -> None:
        """Send; return when frames go out in every direction. Raise EngineError."""
        self.update(load_pps)
        before = [way.at_source.read() for way in self._ways]
        for way in self._ways:
            way.process = Trafgen(way.source, way.frames, limit_s)
        self._cpu, self._ends_at_s = None, self._clock.now() + limit_s
        for way, counters in zip(self._ways, before, strict=True):
            self._await_frames(way, counters)

    def update(self, load_pps: float) -> None:
        """Change the rate at which the kernel lets frames out. Raise EngineError."""
        for way in self._ways:
            rate_bps = load_pps * way.mean_bytes * 8
            burst = round(min(load_pps * _BURST_S, _BURST_PACKETS) * way.mean_bytes)
            try:
                set_rate(way.source.netns, way.source.device, rate_bps, limit_bytes=_QUEUE_BYTES, burst_bytes=burst)
            except LinuxError as error:
                raise EngineError(error.message, error.hint) from error

    def count(self) -> Count:
        """Return what the kernel counted since `prepare`. Raise EngineError when trafgen has ended before its time."""
        self._require_running()
        began_s = self._clock.now()
        tallies = tuple(_tally(way) - Tally(sent=way.sent_before, received=way.received_before) for way in self._ways)
        ended_s = self._clock.now()
        running = [way.process for way in self._ways if way.process is not None and not way.process.has_ended]
        return Count(
            at_s=began_s,
            tallies=tallies,
            uncertainty_s=ended_s - began_s + _ON_ITS_WAY_S if running else 0.0,
            cpu_share=self._cpu_share(running, ended_s),
        )

    def delays(self) -> tuple[Delay, ...]:
        """Return nothing: trafgen measures no latency."""
        return ()

    def stop(self) -> None:
        """End trafgen, and drop what waits to be sent."""
        stopping = [(way, way.process) for way in self._ways if way.process is not None]
        for way, process in stopping:
            process.stop()
            way.process = None
        for way, _ in stopping:
            self._unshape(way)

    def release(self) -> None:
        """Unlock the ports."""
        self._ways = []
        self._prepared.close()
        self._held.close()

    def _require_running(self) -> None:
        """Raise EngineError when a trafgen has ended that was not stopped."""
        for way in self._ways:
            if way.process is not None and way.process.has_ended and self._clock.now() < self._ends_at_s:
                raise EngineError(f"trafgen on {way.source.name} has ended: {way.process.complaint()}")

    def _way(self, traffic: Traffic, place: int, folder: Path) -> _Way:
        direction = traffic.directions[place]
        streams = traffic.profile.streams(is_return=direction.is_return)
        source, sink = port_named(direction.source), port_named(direction.sink)
        frames = sequence(streams, mac_of(source), self._next_mac(source))
        file = folder / f"{place}.trafgen"
        file.write_text(configuration(frames))
        return _Way(
            source=source,
            sink=sink,
            at_source=self._counters(source),
            at_sink=self._counters(sink),
            frames=file,
            mean_bytes=mean_bytes(frames),
            is_veth=kind_of(source) == "veth",
        )

    def _counters(self, port: LinuxPort) -> PortCounters:
        counters = PortCounters(port)
        self._prepared.callback(counters.close)
        return counters

    def _next_mac(self, port: LinuxPort) -> bytes:
        """Return where a port's frames go: as given, or to its only neighbour. Raise EngineError."""
        given = self._next_macs.get(port.name)
        macs = frozenset({given}) if given else neighbours_of(port)
        if len(macs) != 1:
            known = "no neighbour" if not macs else f"{len(macs)} neighbours"
            raise EngineError(
                f"where the frames of {port.name} go is not clear: Linux knows of {known} there",
                f"name the MAC address of the router's port with --next-mac {port.name}=MAC",
            )
        return bytes.fromhex(next(iter(macs)).replace(":", ""))

    def _await_frames(self, way: _Way, before: Counters) -> None:
        """Wait until a direction sends. Raise EngineError when it does not."""
        deadline = self._clock.now() + _START_S
        while way.at_source.read() == before:
            if way.process is None or way.process.has_ended or self._clock.now() > deadline:
                complaint = way.process.complaint() if way.process else "it was stopped"
                raise EngineError(f"trafgen sends nothing on {way.source.name}: {complaint}")
            self._clock.sleep(_POLL_S)

    def _cpu_share(self, running: list[Trafgen], now_s: float) -> float | None:
        """Return the load of the busiest core by trafgen since the last count, None at the first."""
        if not running:
            return None
        used_s = max(process.cpu_s() for process in running)
        former, self._cpu = self._cpu, (now_s, used_s)
        if former is None or now_s <= former[0]:
            return None
        return min(max(used_s - former[1], 0.0) / (now_s - former[0]), 1.0)

    def _unshape(self, way: _Way) -> None:
        try:
            remove_rate(way.source.netns, way.source.device)
        except LinuxError as error:
            raise EngineError(error.message, error.hint) from error


def _tally(way: _Way) -> Tally:
    """Return sent and received packets; a frame that a veth pair drops counts as sent (drivers/net/veth.c)."""
    source, sink = way.at_source.read(), way.at_sink.read()
    sent = source.sent + source.send_dropped if way.is_veth else source.sent
    return Tally(sent=sent, received=sink.received)


def _described(port: LinuxPort) -> Port:
    kind = kind_of(port)
    return Port(name=port.name, link_bps=_speed_bps(port), mac=mac_of(port).hex(":"), driver=kind)


def _speed_bps(port: LinuxPort) -> int | None:
    """Return the speed of a port in bits per second, None when Linux shows none (it shows -1 then)."""
    command = command_inside(port.netns, ["cat", f"/sys/class/net/{port.device}/speed"])
    shown = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return int(shown) * 10**6 if shown.isdecimal() else None


def _lock(name: str, stack: ExitStack) -> None:
    """Take the lock of a port, which the kernel frees when this process ends. Raise EngineError."""
    path = LOCKS / f"vppcfg-loadtest-{name.replace('/', '+')}"
    try:
        fcntl.flock(stack.enter_context(path.open("w")), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise EngineError(f"{name} is used by another load test", f"`fuser {path}` shows which") from None
    except OSError as error:
        raise EngineError(f"{name} cannot be locked: {error.strerror}", f"see whether {path} can be made") from error
