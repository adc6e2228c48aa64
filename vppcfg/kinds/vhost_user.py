"""vhost-user ports: ports to virtual machines on the same machine, met at a socket (plugins/vhost)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.engine.declared import message_values
from vppcfg.entries.index import Index
from vppcfg.entries.section import Naming
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.entries.words import is_file_path
from vppcfg.kinds.memif import MemifConfig
from vppcfg.kinds.port import CreatePort, DeletePort, PortConfig, PortKind, is_long
from vppcfg.model.problem import Problem
from vppcfg.model.vhost_user import VHOST_USER_PREFIX, VhostUser, VhostUserRole, vhost_user_number
from vppcfg.operations.request import ALL_INDEXES, Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.row import Row

_DUMP = "sw_interface_vhost_user_dump"
_LAST_NUMBER = 0x7FFFFFFF
"""VPP shows the number as a signed one (vhost_user_output.c)."""


@record
class VhostUserConfig(PortConfig):
    """One entry below `vhost_users`."""

    port: VhostUser


@record
class CreateVhostUser(CreatePort):
    """create_vhost_user_if_v2: create `VirtualEthernet0/0/N`, down, at a socket that no other one is at."""

    port: VhostUser

    def _refusal(self, working: WorkingState) -> str | None:
        if vhost_user_number(self.interface) is None:
            return f"{self.interface} is no name of a vhost-user port"
        return CreatePort._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message, which offers what `create vhost-user` offers: what VPP does by default."""
        number = vhost_user_number(self.interface) or 0
        values = {**message_values(self.port), "renumber": 1, "custom_dev_instance": number}
        return Request("create_vhost_user_if_v2", values)

    def cli(self) -> str:
        """Return the command (plugins/vhost/vhost_user.c)."""
        role = " server" if self.port.role is VhostUserRole.SERVER else ""
        return f"create vhost-user socket {self.port.socket}{role} renumber {vhost_user_number(self.interface)}"


@record
class DeleteVhostUser(DeletePort):
    """delete_vhost_user_if: delete a port and the file of its socket, if VPP created that."""

    virtual = VhostUser

    port: VhostUser

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("delete_vhost_user_if", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete vhost-user {self.interface}"


def _socket(index: Index) -> Iterator[Problem]:
    """Find vhost-user ports with a long path, or with the socket of another port or of a memif."""
    memifs = index.configuration.virtual_as(MemifConfig).values()
    owners = {memif.port.socket: memif.name for memif in memifs if memif.port.socket}
    for config in index.configuration.virtual_as(VhostUserConfig).values():
        path, socket = (*config.path, "socket"), config.port.socket
        if text := is_long(socket):
            yield Problem(rule="vhost-user-socket-long", path=path, text=text)
        first = owners.setdefault(socket, config.name)
        if first != config.name:
            text = f"{first} has this socket already; take another file"
            yield Problem(rule="vhost-user-socket-twice", path=path, text=text)


class VhostUserKind(PortKind[VhostUserConfig, VhostUser]):
    """The section `vhost_users`, and vhost-user ports in VPP."""

    key = "vhost_users"
    foreign_keys = ("vhost-user", "vhost-users")
    noun = "vhost-user port"
    config = VhostUserConfig
    virtual = VhostUser
    plugin = Plugin(name="vhost", reason="the file has a vhost-user port", use="a vhost-user port")
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and _is_name(value),
        rule="vhost-user-name",
        form=f"a vhost-user port is called {VHOST_USER_PREFIX} and a number",
        pattern=(f"{VHOST_USER_PREFIX}(0|[1-9][0-9]*)", None),
    )
    rules = (_socket,)
    api_module = "vhost_user"
    device_class = "vhost-user"
    instance_name = re.compile(r"VirtualEthernet0/0/\d+")
    command, number_word = "create vhost-user", "renumber"
    unreported_words: ClassVar = dict.fromkeys(("gso", "packed", "event-idx", "feature-mask"), "")
    has_link_mtu = False
    capabilities: ClassVar = {"vhost": _DUMP}
    dumps: ClassVar = {_DUMP: {"sw_if_index": ALL_INDEXES}}
    create_operation = CreateVhostUser
    delete_operation = DeleteVhostUser

    def unsupported_reason(self, virtual: VhostUser) -> str | None:
        if is_file_path(virtual.socket):
            return None
        return f"its socket has a name that the configuration does not allow: {virtual.socket}"

    def ports(
        self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]
    ) -> Iterator[tuple[str, VhostUser]]:
        """Yield the ports that are called by their number."""
        paths = ("sw_if_index", "is_server", "sock_filename")
        for index, is_server, file in connection.rows(replies, "sw_interface_vhost_user_details", *paths):
            role = VhostUserRole.SERVER if is_server else VhostUserRole.CLIENT
            if index in rows and vhost_user_number(rows[index].name) is not None:
                yield rows[index].name, VhostUser(socket=text_of(file), role=role)


def _is_name(name: str) -> bool:
    number = vhost_user_number(name)
    return number is not None and number <= _LAST_NUMBER


KIND = VhostUserKind()
