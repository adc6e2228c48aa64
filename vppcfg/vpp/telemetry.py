"""What a running VPP reports about threads and queues: API dumps first, then what only its CLI prints.

VPP's workers go on while it tells threads and interfaces, and stand still for the queues, some microseconds for each.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from vppcfg.errors import DataplaneError
from vppcfg.model.interface import InterfaceKind
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.devclass import kind_of
from vppcfg.vpp.unixsocket import open_socket
from vppcfg.wire.shell import on_one_line

_LOG = logging.getLogger(__name__)
_EVERY_INTERFACE = 0xFFFFFFFF
_LOCAL = "local0"


class Telemetry:
    """One VPP behind its API socket, as far as its load is concerned; a context manager that closes its session."""

    def __init__(self, socket_path: str, *, json_dir: str | None = None, timeout_s: float = 10.0) -> None:
        """Connect to the VPP at `socket_path`, see vppcfg.vpp.live.connect. Raise DataplaneError."""
        channel = Channel(open_socket(socket_path, timeout_s), timeout_s, f"VPP at {socket_path}")
        self._connection = Connection(channel, json_dir)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def texts(self, commands: Mapping[str, str]) -> dict[str, str]:
        """Return what each CLI command prints, by the name given to it; one that this VPP refuses is left out.

        Raise DataplaneError when VPP does not answer.
        """
        found = {}
        for name, line in commands.items():
            replies = self._connection.ask([self._connection.request("cli_inband", text=on_one_line(line))[1]])
            codes = self._connection.rows(replies, "cli_inband_reply", "retval")
            printed = self._connection.texts(replies, "cli_inband_reply")
            if len(codes) != 1 or len(printed) != 1:
                raise DataplaneError(f"VPP does not answer `{line}`", "is it the API socket of a VPP?")
            if codes[0][0]:
                _LOG.debug("VPP refuses `%s` (%d)", line, codes[0][0])
            else:
                found[name] = printed[0].partition(b"\0")[0].decode(errors="replace")
        return found

    def placement(self) -> dict[str, Any]:
        """Return version, threads and the placement of queues as plain data, as far as this VPP has the messages.

        Raise DataplaneError when VPP does not answer.
        """
        connection = self._connection
        document: dict[str, Any] = {"format_version": 1, "version": _version(connection)}
        rows = _interfaces(connection)
        names = {row[0]: text_of(row[2]) for row in rows}
        document["interfaces"] = {str(index): name for index, name in names.items()}
        document["ports"] = [names[row[0]] for row in rows if _is_port(*row)]
        if connection.has("show_threads"):
            document["threads"] = list(_threads(connection))
        if connection.has("sw_interface_rx_placement_dump"):
            document["rx_placement"] = list(_rx_placement(connection, names))
        if connection.has("sw_interface_tx_placement_get"):
            document["tx_placement"] = list(_tx_placement(connection, names))
        return document


def _version(connection: Connection) -> str:
    replies = connection.ask([connection.request("show_version")[1]])
    versions = connection.rows(replies, "show_version_reply", "version")
    return text_of(versions[0][0]).removeprefix("v") if versions else ""


def _interfaces(connection: Connection) -> list[tuple[Any, ...]]:
    """Return index, index of the port, name, class and tag of each interface; VPP's workers go on meanwhile."""
    replies = connection.ask([connection.request("sw_interface_dump", {"sw_if_index": _EVERY_INTERFACE})[1]])
    paths = ("sw_if_index", "sup_sw_if_index", "interface_name", "interface_dev_type", "tag")
    return connection.rows(replies, "sw_interface_details", *paths)


def _is_port(index: int, parent: int, name: bytes, device_class: bytes, tag: bytes) -> bool:
    is_own = index == parent and text_of(name) != _LOCAL
    return is_own and kind_of(text_of(device_class), text_of(name), text_of(tag)) is InterfaceKind.PHYSICAL


def _threads(connection: Connection) -> Iterable[dict[str, Any]]:
    replies = connection.ask([connection.request("show_threads")[1]])
    keys = ("id", "name", "cpu_id", "cpu_socket")
    for _, rows in connection.lists(replies, "show_threads_reply", ("retval",), *keys):
        for number, name, cpu, socket in rows:
            yield {"id": number, "name": text_of(name), "cpu_id": cpu, "cpu_socket": socket}


def _rx_placement(connection: Connection, names: Mapping[int, str]) -> Iterable[dict[str, Any]]:
    """Yield the receive queues; `worker_id` is the thread, 0 the main one (vnet/interface_api.c)."""
    request = connection.request("sw_interface_rx_placement_dump", {"sw_if_index": _EVERY_INTERFACE})[1]
    replies = connection.ask([request])
    rows = connection.rows(replies, "sw_interface_rx_placement_details", "sw_if_index", "queue_id", "worker_id", "mode")
    for index, queue, thread, mode in rows:
        yield {"interface": names.get(index, f"#{index}"), "queue": queue, "thread": thread, "mode": mode}


def _tx_placement(connection: Connection, names: Mapping[int, str]) -> Iterable[dict[str, Any]]:
    get, of_all = "sw_interface_tx_placement_get", {"sw_if_index": _EVERY_INTERFACE}
    replies = connection.ask([connection.request(get, {**of_all, "cursor": 0})[1]])
    pages = connection.pages(replies, get, of_all, "transmit queues")
    heads = ("sw_if_index", "queue_id", "shared")
    for page in pages:
        for (index, queue, shared), items in connection.lists(page, "sw_interface_tx_placement_details", heads, ""):
            threads = [thread for (thread,) in items]
            yield {"interface": names.get(index, f"#{index}"), "queue": queue, "shared": shared, "threads": threads}
