"""What every handler gets and gives: a call with its values in, values of a reply or of several details out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vppcfg.record import record
from vppcfg.simulator.codec import Value

if TYPE_CHECKING:
    from vppcfg.simulator.vpp import SimulatedVpp

Outgoing = tuple[str, Sequence[Value]]
"""A message to send: its name and the values behind its context."""


@dataclass(slots=True, kw_only=True)
class Client:
    """One connection as VPP knows it."""

    handle: int
    """What the client calls itself in its messages (client_index)."""
    wants_events: bool = False
    pid: int = 0
    is_leaving: bool = False
    """It said goodbye: close it once what it is owed is sent."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One request and where it came from."""

    vpp: SimulatedVpp
    client: Client
    clients: Mapping[int, Client] = field(default_factory=dict)


@record
class Handler:
    """How a request is answered."""

    answer: Callable[..., Iterable[Outgoing]]
    """Called with the call and the values of the request behind its context."""
    is_change: bool = False
    """Whether it changes VPP and counts for faults."""


Handlers = Mapping[str, Handler]


def cstring(value: bytes) -> str:
    """Return the text of a string field of fixed length: up to the first NUL, its last byte left out."""
    return value[:-1].split(b"\0", 1)[0].decode(errors="surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return a text as VPP stores it."""
    return text.encode(errors="surrogateescape")


def fixed(text: str, size: int) -> bytes:
    """Return a text for a string field of `size` bytes: cut, and ended by a NUL at least."""
    return to_bytes(text)[: size - 1]
