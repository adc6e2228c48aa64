"""A VPP that says what a test tells it to, right or wrong, at the other end of a socket pair."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from vppcfg.model.state import State
from vppcfg.operations.request import Value
from vppcfg.simulator.api import documents
from vppcfg.simulator.kinds import PLUGINS
from vppcfg.simulator.releases import release_named
from vppcfg.vpp.definitions import parse
from vppcfg.vpp.layout import compile_message
from vppcfg.vpp.live import LiveDataplane
from vppcfg.wire.codec import Message

ALL = 0xFFFFFFFF
FIXED_IDS = {"sockclnt_create": 15, "sockclnt_create_reply": 16, "sockclnt_delete": 17, "sockclnt_delete_reply": 18}
CLIENT = 0x80000007

ALL_PLUGINS = tuple(sorted(PLUGINS))
"""Every optional part of VPP that matters."""


SMALL_FIB = {"show fib memory": "            Entry               72      7   /    7\n"}
"""What a VPP prints that may be asked to walk its tables."""


class Request:
    """One message that the client sent."""

    def __init__(self, message: Message, data: bytes) -> None:
        self.message = message
        self.data = data
        (self.context,) = message.reader("context")(data)

    def value(self, path: str) -> Any:
        (value,) = self.message.reader(path)(self.data)
        return value

    @property
    def text(self) -> str:
        """Return the string at the message's end."""
        return self.message.text(self.data).decode()


Answer = Callable[[Request], list[bytes]]


class StubVpp:
    """What a VPP says, by the name of the request; tests replace entries of `answers`."""

    def __init__(
        self, release: str = "26.10", plugins: tuple[str, ...] = ("linux_cp",), *, serves: bool = True
    ) -> None:
        self._served = _definitions_of(release, plugins)
        self._changed: list[dict[str, Any]] | None = None
        self.serves = serves
        self.version = f"{release}-release"
        self.rows: list[dict[str, Value]] = []
        self.asked: list[str] = []
        self.answers: dict[str, Answer] = {
            "sockclnt_create": self._hello,
            "sockclnt_delete": lambda request: [self.say("sockclnt_delete_reply", request, {"response": 1})],
            "control_ping": lambda request: [self.say("control_ping_reply", request)],
            "get_api_json": self._definitions,
            "show_version": lambda request: [self.say("show_version_reply", request, {"version": self.version})],
            "sw_interface_dump": lambda request: [self.say("sw_interface_details", request, row) for row in self.rows],
            "lcp_itf_pair_get": lambda request: [self.say("lcp_itf_pair_get_reply", request)],
            "sflow_sampling_rate_get": self._sflow_default("sampling_N", 10000),
            "sflow_polling_interval_get": self._sflow_default("polling_S", 20),
            "sflow_header_bytes_get": self._sflow_default("header_B", 128),
            "sflow_direction_get": self._sflow_default("sampling_D", 1),
            "sflow_drop_monitoring_get": self._sflow_default("drop_M", 0),
        }
        self.show({})
        self.build()

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The definitions of its messages, to be changed before `build`."""
        if self._changed is None:
            self._changed = json.loads(self._served)
        return self._changed

    def build(self) -> None:
        """Compile the messages anew, after a change to `documents`."""
        if self._changed is not None:
            self._served = json.dumps(self._changed)
        self.messages, self.table = _compiled(self._served)
        self._names = {message.index: name for name, message in self.messages.items()}

    def drop(self, *names: str) -> None:
        """Be a VPP without the messages `names`."""
        self.table = [(index, key) for index, key in self.table if key.rpartition("_")[0] not in names]

    def say(
        self,
        name: str,
        request: Request,
        values: Mapping[str, Value] | None = None,
        text: str = "",
        elements: Sequence[Mapping[str, Value]] = (),
        raw: bytes = b"",
    ) -> bytes:
        """Return a framed reply to `request`; `elements`, or `raw` where they are packed, are the list at its end."""
        data = self.messages[name].pack(0, request.context, values or {}, text, elements)[16:] + raw
        return frame(data)

    def tell(self, dump: str, details: str, *rows: Mapping[str, Value]) -> None:
        """Answer `dump` with a message `details` for each of `rows`."""
        self.answers[dump] = lambda request: [self.say(details, request, row) for row in rows]

    def show(self, printed: Mapping[str, str]) -> None:
        """Print what `printed` has for a CLI command, nothing for others."""
        self.answers["cli_inband"] = lambda request: [
            self.say("cli_inband_reply", request, text={**SMALL_FIB, **printed}.get(request.text, ""))
        ]

    def add_interface(self, index: int, name: str, **values: Value) -> None:
        """Have a port, or with `sup_sw_if_index` a sub-interface."""
        row: dict[str, Value] = {"sw_if_index": index, "sup_sw_if_index": index, "interface_name": name}
        row |= {"interface_dev_type": "dpdk", "l2_address": b"\2\0\0\0\0" + bytes([index % 256])}
        row |= {"link_mtu": 9000, "mtu.0": 9000}
        self.rows.append(row | values)

    def serve(self, sock: socket.socket) -> None:
        """Answer what comes over `sock` until its other end closes, or an answer closes it."""
        unread = b""
        with sock:
            while sock.fileno() >= 0 and (data := sock.recv(1 << 16)):
                unread += data
                while (
                    sock.fileno() >= 0
                    and len(unread) >= 16
                    and len(unread) >= 16 + (size := int.from_bytes(unread[8:12]))
                ):
                    message, unread = unread[16 : 16 + size], unread[16 + size :]
                    self._answer(sock, message)

    def _answer(self, sock: socket.socket, data: bytes) -> None:
        name = self._names[int.from_bytes(data[:2])]
        self.asked.append(name)
        for reply in self.answers.get(name, _silence)(Request(self.messages[name], data)):
            if reply == HANG_UP:
                sock.close()
                return
            sock.sendall(reply)

    def _hello(self, request: Request) -> list[bytes]:
        entries = b"".join(struct.pack(">H64s", index, key.encode()) for index, key in self.table)
        values = {"index": CLIENT, "count": len(self.table)}
        return [self.say("sockclnt_create_reply", request, values, raw=entries)]

    def _sflow_default(self, path: str, value: int) -> Answer:
        return lambda request: [self.say(f"{request.message.name}_reply", request, {path: value})]

    def _definitions(self, request: Request) -> list[bytes]:
        if self._changed is not None:
            self._served = json.dumps(self._changed)
        return [self.say("get_api_json_reply", request, text=self._served if self.serves else "")]


@cache
def _definitions_of(release: str, plugins: tuple[str, ...]) -> str:
    """Return the definitions of the messages of a release, as VPP serves them."""
    return json.dumps(documents(release_named(release), plugins))


@cache
def _compiled(served: str) -> tuple[dict[str, Message], list[tuple[int, str]]]:
    """Return the messages that are defined, by name, and the table of all of them that a client is told."""
    definitions = parse(json.loads(served))
    ids = {name: number for number, name in enumerate(definitions.messages, start=100)} | FIXED_IDS
    messages = {
        name: compile_message(definitions, definition, ids[name]) for name, definition in definitions.messages.items()
    }
    return messages, [(message.index, definitions.messages[name].key) for name, message in messages.items()]


HANG_UP = b"hang up"
"""In place of a reply: close the socket."""


def frame(data: bytes) -> bytes:
    """Return a message as it stands on the socket; VPP fills the unused parts with what was in its memory."""
    return b"\xab" * 8 + struct.pack(">I", len(data)) + b"\xcd" * 4 + data


@contextmanager
def connected(stub: StubVpp, json_dir: str | None = None, timeout_s: float = 5.0) -> Iterator[LiveDataplane]:
    """Give a connection to `stub`, and see that the stub comes to its end when it is closed."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=_serve, args=(stub, theirs))
    thread.start()
    try:
        with LiveDataplane.over(ours, json_dir=json_dir, timeout_s=timeout_s) as plane:
            yield plane
    finally:
        assert ours.fileno() == -1
        thread.join(timeout=5)
        assert not thread.is_alive()


def observed(stub: StubVpp) -> State:
    """Return the state that is read from `stub`."""
    with connected(stub) as plane:
        return plane.observe()


def _serve(stub: StubVpp, sock: socket.socket) -> None:
    with suppress(ConnectionResetError, BrokenPipeError):  # the client had enough
        stub.serve(sock)


def _silence(request: Request) -> list[bytes]:
    return []
