"""A client that sends VPP what it likes, byte by byte, for what vpp_papi would not say."""

import socket
import struct
from typing import Any

_ANSWER_S = 10.0
_SILENCE_S = 0.3
_FRAME = struct.Struct(">QII")
_SOCKCLNT_CREATE = 15
_HELLO = struct.Struct(">HIIiIH")
_ENTRY = struct.Struct(">H64s")


class Raw:
    """One connection that has said hello."""

    def __init__(self, path: str) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_ANSWER_S)
        self.sock.connect(path)
        self.send(struct.pack(">HI64s", _SOCKCLNT_CREATE, 9, b"raw"))
        answer = self.receive()
        self.handle: int = _HELLO.unpack_from(answer)[4]
        self.ids = {
            name.rstrip(b"\0").decode().rpartition("_")[0]: number
            for number, name in _ENTRY.iter_unpack(answer[_HELLO.size :])
        }
        """Message ids by name."""

    def send(self, message: bytes) -> None:
        self.sock.sendall(_FRAME.pack(0, len(message), 0) + message)

    def receive(self) -> bytes:
        """Return the next message, b'' at the end; raise TimeoutError when none comes."""
        header = self._exactly(_FRAME.size)
        return self._exactly(_FRAME.unpack(header)[1]) if header else b""

    def is_silent(self) -> bool:
        """Return whether VPP has nothing to say for a while."""
        self.sock.settimeout(_SILENCE_S)
        try:
            self.receive()
        except TimeoutError:
            return True
        finally:
            self.sock.settimeout(_ANSWER_S)
        return False

    def close(self) -> None:
        """Close without a goodbye."""
        self.sock.close()

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.sock.recv(size - len(data))
            if not more:
                return b""
            data += more
        return data


def gre_tunnels(client: Any, sw_if_index: int = 0xFFFFFFFF) -> list[Any]:
    """Return what VPP shows a vpp_papi client of GRE tunnels, with their keys where there are any.

    25.10 answers under a name by which vpp_papi takes the first row for the end of the answer.
    """
    for name in ("gre_tunnel_v2_dump", "gre_tunnel_dump_v2", "gre_tunnel_dump"):
        if hasattr(client.api, name):
            break
    if name != "gre_tunnel_dump_v2":
        return list(getattr(client.api, name)(sw_if_index=sw_if_index))
    raw = Raw(client.transport.server_address)
    raw.send(struct.pack(">HIII", raw.ids[name], raw.handle, 7, sw_if_index))
    raw.send(struct.pack(">HII", raw.ids["control_ping"], raw.handle, 7))
    details = client.messages["gre_tunnel_details_v2"]
    rows = []
    while struct.unpack_from(">H", message := raw.receive()) != (raw.ids["control_ping_reply"],):
        rows.append(details.unpack(message)[0])
    raw.close()
    return rows
