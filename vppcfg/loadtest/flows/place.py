"""Chooses client ports whose flows land on different cores of the router: computed, or found by sending and looking.

The computation follows a network card: Toeplitz hash, indirection table, interrupts. Source: Microsoft, RSS hashing
types (the check vectors); ethtool(8) -x; Linux Documentation/networking/scaling.rst.
"""

from __future__ import annotations

import errno
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address

from vppcfg.errors import EngineError
from vppcfg.linux.inside import run_inside
from vppcfg.loadtest.flows.router import RouterMachine
from vppcfg.record import record

FIRST_CLIENT_PORT = 40000
_CANDIDATE_PORTS = 200
Placed = tuple[int, int | None]
"""A client port and the core that its flow lands on."""
_BURST_BYTES = 2 << 20
_TIMEOUT_S = 5.0
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER with 0 s: the port is free at once, without TIME_WAIT."""
_PROCESSED, _CPU = 0, 12
"""Columns of /proc/net/softnet_stat (net/core/net-procfs.c), hexadecimal."""
_CLEAR_FACTOR = 1.5
"""The busiest core has to stand out by that much."""
_WINDOW_BITS = 32
_KEY_BYTES = 40
"""A shorter key would not do for IPv6 with ports."""
_KEY = re.compile(r"^RSS hash key:\s*\n\s*([0-9a-f]{2}(?::[0-9a-f]{2})+)", re.MULTILINE)
_ROW = re.compile(r"^\s*\d+:((?:\s+\d+)+)\s*$", re.MULTILINE)
_FUNCTION = re.compile(r"^\s+(\w+): on$", re.MULTILINE)
_INTERRUPT = re.compile(r"^\s*(\d+):.*\s(\S+)$", re.MULTILINE)


@record
class FlowsPlan:
    """The server, the ports and the namespaces of a test with flows."""

    server: str
    """Address."""
    server_netns: str | None
    """Where servers are to be started; None when they run already."""
    client_netns: str
    server_ports: tuple[int, ...]
    duration_s: int
    is_reverse: bool = False
    """The servers send."""


def spread(
    server_ports: Iterable[int], cores: Iterable[int], core_of: Callable[[int, int], int | None]
) -> tuple[Placed, ...]:
    """Return a client port for each server port, so that the flows load the `cores` as evenly as can be.

    `core_of` takes server port and client port and returns the core, None when that is unknown. Raise EngineError
    when a core is not found within many ports.
    """
    flows = list(server_ports)
    wanted = sorted(cores)
    room = Counter({core: len(flows) // len(wanted) for core in wanted})
    room.update(wanted[: len(flows) % len(wanted)])
    placed: list[Placed] = []
    for number, server_port in enumerate(flows):
        placed.append(_place(server_port, room, FIRST_CLIENT_PORT + number * _CANDIDATE_PORTS, core_of))
    return tuple(placed)


def _place(server_port: int, room: Counter[int], first: int, core_of: Callable[[int, int], int | None]) -> Placed:
    for client_port in range(first, first + _CANDIDATE_PORTS):
        core = core_of(server_port, client_port)
        if core is not None and room[core] > 0:
            room[core] -= 1
            return client_port, core
    missing = sorted(core for core, left in room.items() if left)
    raise EngineError(
        f"no port among {_CANDIDATE_PORTS} leads to core {missing[0]} of the router",
        "the router spreads flows over fewer cores; name the ports with --cport, or the cores with --cores",
    )


def toeplitz_cores(
    router: RouterMachine, device: str, client: str, server: str
) -> Callable[[int, int], int | None] | None:
    """Return a `core_of` for `spread` by the hash of the router's card; None when the card does not show its key."""
    try:
        rss = rss_of(router.run(["ethtool", "-x", device]))
    except EngineError:
        return None
    if rss is None:
        return None
    cores = core_by_queue(
        router.run(["cat", "/proc/interrupts"]),
        device,
        lambda number: router.run(["cat", f"/proc/irq/{number}/smp_affinity_list"]),
    )

    def core_of(server_port: int, client_port: int) -> int | None:
        flow = FourTuple(source=client, destination=server, source_port=client_port, destination_port=server_port)
        return cores.get(rss.queue_of(flow))

    return core_of if cores else None


def probed(plan: FlowsPlan, router: RouterMachine, cores: tuple[int, ...]) -> tuple[Placed, ...]:
    """Return client ports that were found by sending and looking which core is loaded."""

    def look() -> dict[int, int]:
        return packets_by_core(router.run(["cat", "/proc/net/softnet_stat"]))

    with ExitStack() as stack:
        for port in plan.server_ports:
            stack.enter_context(listener(plan.server_netns or "", port))
        return spread(
            plan.server_ports,
            cores,
            lambda port, client_port: core_of(plan.client_netns, plan.server, port, client_port, look),
        )


def source_address(plan: FlowsPlan) -> str:
    """Return the address from which the clients reach the server."""

    def address() -> str:
        family = socket.AF_INET6 if ":" in plan.server else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((plan.server, plan.server_ports[0]))
            return str(sock.getsockname()[0])

    try:
        return run_inside(plan.client_netns, address)
    except OSError as error:
        raise EngineError(f"there is no way to {plan.server}: {error.strerror or error}") from error


def packets_by_core(softnet_stat: str) -> dict[int, int]:
    """Return the packets that each core has processed; kernels before 5.10 do not number the lines."""
    cores = {}
    for place, line in enumerate(softnet_stat.splitlines()):
        words = line.split()
        cores[int(words[_CPU], 16) if len(words) > _CPU else place] = int(words[_PROCESSED], 16)
    return cores


def busiest(former: Mapping[int, int], later: Mapping[int, int]) -> int | None:
    """Return the core that processed most packets between two looks; None when none stands out."""
    grown = sorted(((count - former.get(core, 0), core) for core, count in later.items()), reverse=True)
    if not grown or grown[0][0] <= 0:
        return None
    second = grown[1][0] if len(grown) > 1 else 0
    return grown[0][1] if grown[0][0] >= _CLEAR_FACTOR * second else None


@contextmanager
def listener(netns: str, port: int) -> Iterator[None]:
    """Take what comes in at a port of a namespace, for this context. Raise EngineError when the port is taken."""
    try:
        server = run_inside(netns, lambda: socket.create_server(("", port)))
    except OSError as error:
        raise EngineError(
            f"cannot listen on port {port}: {error.strerror}", "--first-port names other ports"
        ) from error
    with server:
        thread = threading.Thread(target=_swallow, args=(server,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join(_TIMEOUT_S)


def core_of(netns: str, server: str, port: int, client_port: int, look: Callable[[], Mapping[int, int]]) -> int | None:
    """Return the core that a flow from `client_port` lands on; None when none stands out or the port is in use.

    `look` returns the packets that each core of the router has processed. Raise EngineError when the server cannot be
    reached.
    """
    try:
        sock = run_inside(netns, lambda: socket.create_connection((server, port), _TIMEOUT_S, ("", client_port)))
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
            return None
        raise _does_not_forward(server, error) from error
    with sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        former = look()
        try:
            sock.sendall(bytes(_BURST_BYTES))
        except OSError as error:
            if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):  # the router went down after it took the flow
                raise _does_not_forward(server, error) from error
            raise EngineError(f"the flow from port {client_port} breaks off: {error.strerror or error}") from error
        return busiest(former, look())


def _does_not_forward(server: str, error: OSError) -> EngineError:
    text = f"the router does not forward to {server}: {error.strerror or 'no answer'}"
    return EngineError(text, "check addresses and routes")


def _swallow(server: socket.socket) -> None:
    """Take connections one by one and read each to its end, until the server is closed."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            try:
                while connection.recv(1 << 16):
                    pass
            except OSError:
                continue  # aborted, as agreed


@record
class FourTuple:
    """A TCP flow in one direction."""

    source: str
    destination: str
    source_port: int
    destination_port: int

    @property
    def packed(self) -> bytes:
        """Return the bytes that are hashed, in network order."""
        ports = self.source_port.to_bytes(2, "big") + self.destination_port.to_bytes(2, "big")
        return ip_address(self.source).packed + ip_address(self.destination).packed + ports


@record
class Rss:
    """How a card spreads flows."""

    key: bytes
    queues: tuple[int, ...]
    """The indirection table: the queue of each remainder of the hash."""

    def queue_of(self, flow: FourTuple) -> int:
        """Return the receive queue of a flow."""
        return self.queues[toeplitz(self.key, flow.packed) % len(self.queues)]


def toeplitz(key: bytes, data: bytes) -> int:
    """Return the hash: for every set bit of `data` the 32 bits of `key` from its place on, combined by exclusive or."""
    stream = int.from_bytes(key, "big")
    key_bits, result = len(key) * 8, 0
    for place in range(len(data) * 8):
        if data[place // 8] & (0x80 >> place % 8):
            shift = key_bits - _WINDOW_BITS - place
            window = stream >> shift if shift >= 0 else stream << -shift
            result ^= window & 0xFFFFFFFF
    return result


def rss_of(text: str) -> Rss | None:
    """Return what `ethtool -x` shows, None when it shows no key or a function other than Toeplitz."""
    key = _KEY.search(text)
    queues = tuple(int(word) for match in _ROW.finditer(text) for word in match[1].split())
    functions = set(_FUNCTION.findall(text))
    if key is None or not queues or (functions and functions != {"toeplitz"}):
        return None
    whole = bytes.fromhex(key[1].replace(":", ""))
    return Rss(key=whole, queues=queues) if len(whole) >= _KEY_BYTES else None


def core_by_queue(interrupts: str, device: str, affinity_of: Callable[[int], str]) -> dict[int, int]:
    """Return the core of each receive queue of a device, from /proc/interrupts and the affinity of each interrupt.

    Drivers name their interrupts DEVICE-rx-N, DEVICE-TxRx-N, DEVICE-N or DRIVER-DEVICE-N. The affinity is a list of
    CPUs, of which the first counts.
    """
    cores = {}
    for match in _INTERRUPT.finditer(interrupts):
        queue = re.search(rf"\b{re.escape(device)}-(?:TxRx-|rx-|Rx-|fp-)?(\d+)$", match[2])
        if queue:
            first = re.match(r"\d+", affinity_of(int(match[1])).strip())
            if first:
                cores[int(queue[1])] = int(first[0])
    return cores
