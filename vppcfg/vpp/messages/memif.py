"""Memifs and their sockets (plugins/memif/memif.api)."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.memif import BUILT_IN_SOCKET, Memif, MemifMode, MemifRole, memif_numbers
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.row import Row

_DUMP = "memif_dump"
_SOCKET_DUMP = "memif_socket_filename_dump"
_CREATE = ("memif_create_v2", "memif_create")
PARTS = {"memif": _DUMP}
_ROLES = tuple(MemifRole)
_MODES = tuple(MemifMode)


def _create_socket(operation: op.CreateMemifSocket, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {"is_add": 1, "socket_id": operation.socket_id, "socket_filename": operation.file}
    return Request("memif_socket_filename_add_del", values)


def _delete_socket(operation: op.DeleteMemifSocket, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("memif_socket_filename_add_del", {"is_add": 0, "socket_id": operation.socket_id})


def _create_memif(operation: op.CreateMemif, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Say no sizes and queues, so that VPP takes its own."""
    socket_id, memif_id = memif_numbers(operation.interface) or (BUILT_IN_SOCKET, 0)
    values: dict[str, Value] = {
        "role": _ROLES.index(operation.port.role),
        "mode": _MODES.index(operation.port.mode),
        "rx_queues": 1,
        "tx_queues": 1,
        "id": memif_id,
        "socket_id": socket_id,
    }
    return Request(vpp.newest(_CREATE), values)


def _delete_memif(operation: op.DeleteMemif, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("memif_delete", {"sw_if_index": indexes.interface(operation.interface)})


MESSAGES: Messages = {
    op.CreateMemifSocket: _create_socket,
    op.DeleteMemifSocket: _delete_socket,
    op.CreateMemif: _create_memif,
    op.DeleteMemif: _delete_memif,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all memifs and all sockets, where VPP has the plugin."""
    return [connection.request(dump)[1] for dump in (_DUMP, _SOCKET_DUMP)] if connection.offers(_DUMP) else []


def read_sockets(connection: Connection, replies: Replies) -> tuple[tuple[int, str], ...]:
    """Return the ids of all sockets but the built-in one, in order, with their files."""
    if not connection.offers(_DUMP):
        return ()
    rows = connection.rows(replies, "memif_socket_filename_details", "socket_id", "socket_filename")
    return tuple(sorted((number, text_of(file)) for number, file in rows if number != BUILT_IN_SOCKET))


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Memif]:
    """Return the memifs by name, without those that somebody gave another one; `rows` are by index."""
    if not connection.offers(_DUMP):
        return {}
    sockets = dict(read_sockets(connection, replies))
    found = {}
    for index, number, role, mode, socket_id in connection.rows(
        replies, "memif_details", "sw_if_index", "id", "role", "mode", "socket_id"
    ):
        if index in rows and memif_numbers(rows[index].name) == (socket_id, number):
            found[rows[index].name] = Memif(
                role=_ROLES[role % len(_ROLES)], mode=_MODES[mode % len(_MODES)], socket=sockets.get(socket_id, "")
            )
    return found
