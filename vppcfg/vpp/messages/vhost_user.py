"""vhost-user ports (plugins/vhost/vhost_user.api)."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.vhost_user import VhostUser, VhostUserRole, vhost_user_number
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.row import Row

_DUMP = "sw_interface_vhost_user_dump"
_EVERY_INTERFACE = 0xFFFFFFFF
PARTS = {"vhost": _DUMP}


def _create_vhost_user(operation: op.CreateVhostUser, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Say the number, and offer what `create vhost-user` offers, which is what VPP does by default."""
    values: dict[str, Value] = {
        "is_server": int(operation.port.role is VhostUserRole.SERVER),
        "sock_filename": operation.port.socket,
        "renumber": 1,
        "custom_dev_instance": vhost_user_number(operation.interface) or 0,
    }
    return Request("create_vhost_user_if_v2", values)


def _delete_vhost_user(operation: op.DeleteVhostUser, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("delete_vhost_user_if", {"sw_if_index": indexes.interface(operation.interface)})


MESSAGES: Messages = {
    op.CreateVhostUser: _create_vhost_user,
    op.DeleteVhostUser: _delete_vhost_user,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all vhost-user ports, where VPP has the plugin."""
    return [connection.request(_DUMP, {"sw_if_index": _EVERY_INTERFACE})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, rows: Mapping[int, Row]) -> dict[str, VhostUser]:
    """Return the vhost-user ports by name, without those that somebody gave another one; `rows` are by index."""
    if not connection.offers(_DUMP):
        return {}
    found = connection.rows(replies, "sw_interface_vhost_user_details", "sw_if_index", "is_server", "sock_filename")
    return {
        rows[index].name: VhostUser(
            socket=text_of(file), role=VhostUserRole.SERVER if is_server else VhostUserRole.CLIENT
        )
        for index, is_server, file in found
        if index in rows and vhost_user_number(rows[index].name) is not None
    }
