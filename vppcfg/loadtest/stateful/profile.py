"""Traffic profiles of connections: http, dns and mix, as requests and answers byte by byte.

HTTP as in RFC 9112, DNS as in RFC 1035; names and addresses are those for documentation (RFC 2606, RFC 5737).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import Enum
from ipaddress import IPv4Address

from vppcfg.errors import UsageError
from vppcfg.loadtest.profile import LARGEST_OFFSET
from vppcfg.record import record

DEFAULT_ANSWER_BYTES = 8000
LARGEST_ANSWER_BYTES = 1_000_000
LONGEST_OPEN_S = 600.0
MOST_HOSTS = 254
"""On each side: they are in one /24."""
_DOWNLOAD_TIMES = 16
"""How much longer the answer of a download is than that of a page."""
_HOST = "www.example.com"
_HTTP_REQUEST = (
    f"GET / HTTP/1.1\r\nHost: {_HOST}\r\nUser-Agent: vppcfg\r\nAccept: */*\r\nConnection: close\r\n\r\n"
).encode()
_DNS_NUMBER = 0x7670
_A, _IN = 1, 1
_TTL_S = 300


class Transport(Enum):
    """The protocol below an application."""

    TCP = "TCP"
    UDP = "UDP"


@record
class Payload:
    """What one side sends at once: some bytes, and as much filling behind them as its size asks for."""

    head: bytes
    size_bytes: int


@record
class Application:
    """One kind of connection: a client asks, a server answers, the client closes."""

    name: str
    transport: Transport
    port: int
    """Where the server listens; no two applications of a profile have the same."""
    weight: int
    """How many of these connections there are in relation to those of the other applications."""
    request: Payload
    answer: Payload
    open_s: float = 0.0
    """How long the client keeps the connection once it has the answer."""


@record
class StatefulProfile:
    """The applications of a test, and the addresses they run between."""

    name: str
    applications: tuple[Application, ...]
    clients: int
    servers: int
    offset: int = 0
    """Third octet of all addresses."""

    @property
    def weight(self) -> int:
        """Return the weights of all applications together."""
        return sum(application.weight for application in self.applications)

    @property
    def client_addresses(self) -> tuple[IPv4Address, IPv4Address]:
        """Return the first and the last address of the clients of the first pair of ports."""
        return _range(f"16.0.{self.offset}.1", self.clients)

    @property
    def server_addresses(self) -> tuple[IPv4Address, IPv4Address]:
        """Return the first and the last address of the servers of the first pair of ports."""
        return _range(f"48.0.{self.offset}.1", self.servers)

    @property
    def open_s(self) -> float:
        """Return how long a connection stays open at most once it is answered."""
        return max(application.open_s for application in self.applications)


def stateful_profile_of(
    name: str,
    *,
    answer_bytes: int = DEFAULT_ANSWER_BYTES,
    open_s: float = 0.0,
    clients: int = MOST_HOSTS,
    servers: int = MOST_HOSTS,
    offset: int = 0,
) -> StatefulProfile:
    """Return a profile by name; `answer_bytes` and `open_s` are those of HTTP. Raise UsageError.

    `open_s` is how long clients keep an answered connection, which makes many of them be open at once.
    """
    make = _PROFILES.get(name)
    if make is None:
        raise UsageError(f"there is no profile {name} of connections", f"the profiles are: {', '.join(_PROFILES)}")
    for what, number in (("clients", clients), ("servers", servers)):
        if not 1 <= number <= MOST_HOSTS:
            raise UsageError(f"{number} {what} are no number from 1 to {MOST_HOSTS}")
    if not 0 <= offset <= LARGEST_OFFSET:
        raise UsageError(f"an offset of {offset} is none from 0 to {LARGEST_OFFSET}")
    least = len(_http_head(LARGEST_ANSWER_BYTES))
    if not least <= answer_bytes <= LARGEST_ANSWER_BYTES:
        raise UsageError(
            f"an answer of {answer_bytes} bytes is none from {least} to {LARGEST_ANSWER_BYTES}",
            "its size counts the head that HTTP puts before it",
        )
    if not 0 <= open_s <= LONGEST_OPEN_S:
        raise UsageError(f"connections stay open for 0 to {LONGEST_OPEN_S:g} s, not for {open_s:g} s")
    return StatefulProfile(
        name=name, applications=make(answer_bytes, open_s), clients=clients, servers=servers, offset=offset
    )


def _http_only(answer_bytes: int, open_s: float) -> tuple[Application, ...]:
    return (_http("http", 80, 1, answer_bytes, open_s),)


def _dns_only(answer_bytes: int, open_s: float) -> tuple[Application, ...]:
    return (_dns(1),)


def _mix(answer_bytes: int, open_s: float) -> tuple[Application, ...]:
    """Return five names looked up for four pages and one download."""
    download_bytes = min(_DOWNLOAD_TIMES * answer_bytes, LARGEST_ANSWER_BYTES)
    return (
        _dns(5),
        _http("http", 80, 4, answer_bytes, open_s),
        _http("download", 8080, 1, download_bytes, open_s),
    )


_PROFILES: dict[str, Callable[[int, float], tuple[Application, ...]]] = {
    "http": _http_only,
    "dns": _dns_only,
    "mix": _mix,
}
PROFILE_NAMES = tuple(_PROFILES)


def _http(name: str, port: int, weight: int, answer_bytes: int, open_s: float) -> Application:
    return Application(
        name=name,
        transport=Transport.TCP,
        port=port,
        weight=weight,
        request=Payload(head=_HTTP_REQUEST, size_bytes=len(_HTTP_REQUEST)),
        answer=Payload(head=_http_head(answer_bytes), size_bytes=answer_bytes),
        open_s=open_s,
    )


def _http_head(answer_bytes: int) -> bytes:
    """Return the head of an answer of a size as a whole; its length has a fixed number of digits."""
    text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: {:07d}\r\n\r\n"
    return text.format(max(answer_bytes - len(text.format(0)), 0)).encode()


def _dns(weight: int) -> Application:
    """Return a question for the address of a name, and its answer."""
    name = b"".join(struct.pack("!B", len(label)) + label.encode() for label in _HOST.split(".")) + b"\0"
    question = name + struct.pack("!HH", _A, _IN)
    request = struct.pack("!HHHHHH", _DNS_NUMBER, 0x0100, 1, 0, 0, 0) + question
    pointer = struct.pack("!HHHIH", 0xC00C, _A, _IN, _TTL_S, 4) + IPv4Address("192.0.2.1").packed
    answer = struct.pack("!HHHHHH", _DNS_NUMBER, 0x8180, 1, 1, 0, 0) + question + pointer
    return Application(
        name="dns",
        transport=Transport.UDP,
        port=53,
        weight=weight,
        request=Payload(head=request, size_bytes=len(request)),
        answer=Payload(head=answer, size_bytes=len(answer)),
    )


def _range(first: str, count: int) -> tuple[IPv4Address, IPv4Address]:
    begin = IPv4Address(first)
    return begin, begin + (count - 1)
