"""A client of the binary API in a few lines: frames on a socket, messages by name."""

import socket
from collections.abc import Sequence
from struct import Struct
from typing import Any, Self

from vppcfg.simulator.codec import Codec
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Value

HEADER = Struct(">QII")
CONTEXT = 42


class Wire:
    """One connection; it says hello when it is made."""

    def __init__(self, vpp: SimulatedVpp, sock: socket.socket) -> None:
        self.codec: Codec = vpp.codec
        self.sock = sock
        self.sock.settimeout(5)
        self.send("sockclnt_create", [CONTEXT, b"wire"])
        _, values = self.receive()
        self.handle = values[3]

    @classmethod
    def to(cls, vpp: SimulatedVpp, server: SimulatorServer) -> Self:
        """Connect to a server over a socketpair."""
        near, far = socket.socketpair()
        server.add_client(far)
        return cls(vpp, near)

    def send_raw(self, message: bytes) -> None:
        """Send one frame."""
        self.sock.sendall(HEADER.pack(0, len(message), 0) + message)

    def send(self, name: str, values: Sequence[Value]) -> None:
        """Send one message with all its values, in order."""
        self.send_raw(self.packed(name, *values))

    def packed(self, name: str, *values: Value) -> bytes:
        """Return a message with all its values, in order."""
        return self.codec.pack(name, dict(zip(self.codec.zeros(name), values, strict=True)))

    def receive(self) -> tuple[str, tuple[Any, ...]]:
        """Return name and values of the next message; raise EOFError at the end, TimeoutError when none comes."""
        message = self._exactly(HEADER.unpack(self._exactly(HEADER.size))[1])
        name = self.codec.name_of(message)
        assert name is not None
        if name == "sockclnt_create_reply":
            return name, Struct(">HIIiIH").unpack_from(message)[1:]
        return name, tuple(self.codec.unpack(name, message).values())

    def call(self, name: str, *values: Value) -> tuple[Any, ...]:
        """Send a request and return the values of its reply, the context left out."""
        self.send(name, [self.handle, CONTEXT, *values])
        reply, answer = self.receive()
        assert (reply, answer[0]) == (f"{name}_reply", CONTEXT)
        return answer[1:]

    def dump(self, name: str, *values: Value) -> list[tuple[Any, ...]]:
        self.send(name, [self.handle, CONTEXT, *values])
        self.send("control_ping", [self.handle, CONTEXT])
        rows = []
        while (message := self.receive())[0] != "control_ping_reply":
            rows.append(message[1][1:])
        return rows

    def close(self) -> None:
        """Close without a goodbye."""
        self.sock.close()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data
