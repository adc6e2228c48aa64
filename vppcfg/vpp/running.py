"""Reads how a running VPP is set up: its threads over the API, everything else as texts of show commands."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.errors import DataplaneError
from vppcfg.model.dataplane import RunningVpp, Thread
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unixsocket import open_socket

_TIMEOUT_S = 10.0


def read_running(
    socket_path: str, commands: Sequence[str], *, json_dir: str | None = None, timeout_s: float = _TIMEOUT_S
) -> RunningVpp:
    """Return version and threads of the VPP behind a socket, and what it answers to `commands`.

    Raise DataplaneError when there is no VPP, or none that can be spoken to.
    """
    sock = open_socket(socket_path, timeout_s)
    connection = Connection(Channel(sock, timeout_s, f"VPP at {socket_path}"), json_dir)
    try:
        return RunningVpp(
            version=_version(connection),
            threads=_threads(connection),
            shown={command: _shown(connection, command) for command in commands},
        )
    finally:
        connection.close()


def _version(connection: Connection) -> str:
    replies = connection.ask([connection.request("show_version")[1]])
    for (version,) in connection.rows(replies, "show_version_reply", "version"):
        return text_of(version).removeprefix("v")
    raise DataplaneError("VPP does not report its version", "is it the API socket of a VPP?")


def _threads(connection: Connection) -> tuple[Thread, ...]:
    if not connection.offers("show_threads"):  # a simulated VPP has none
        return ()
    replies = connection.ask([connection.request("show_threads")[1]])
    threads = connection.lists(replies, "show_threads_reply", ("retval",), "id", "name", "cpu_id")
    return tuple(Thread(id=number, name=text_of(name), cpu=cpu) for _, rows in threads for number, name, cpu in rows)


def _shown(connection: Connection, command: str) -> str:
    replies = connection.ask([connection.request("cli_inband", text=command)[1]])
    return "".join(text.decode(errors="replace") for text in connection.texts(replies, "cli_inband_reply"))
