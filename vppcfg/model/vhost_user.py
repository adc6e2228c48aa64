"""vhost-user ports (VirtualEthernet0/0/N): ports to virtual machines on the same machine, met at a socket."""

from __future__ import annotations

import re
from enum import Enum

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.keys import choice, file_path, keyed_record, yaml_key
from vppcfg.model.virtual_interface import VirtualInterface

VHOST_USER_PREFIX = "VirtualEthernet0/0/"
"""What VPP puts before the number (plugins/vhost/vhost_user_output.c)."""
_NAME = re.compile(rf"{VHOST_USER_PREFIX}(0|[1-9]\d{{0,9}})")


class VhostUserRole(Enum):
    """Who makes the socket, and who connects to it."""

    SERVER = "server"
    CLIENT = "client"


@keyed_record
class VhostUser(VirtualInterface):
    """What a vhost-user port is made with, as far as VPP reports it: without the features that both ends may offer."""

    kind = InterfaceKind.VHOST_USER
    noun = "vhost-user port"
    table = "vhost_users"
    recreate_on_change = ("socket", "role")
    is_owned_by_mark = True

    socket: str = yaml_key(
        file_path("/run/assumed-a.sock", "/run/assumed-b.sock"),
        path="sock_filename",
        text="the file of the socket that the port and the virtual machine meet at",
    )
    role: VhostUserRole = yaml_key(
        choice(VhostUserRole, numbers={VhostUserRole.CLIENT: 0, VhostUserRole.SERVER: 1}),
        path="is_server",
        text="who creates the socket: VPP as `server`, or the virtual machine",
    )

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return the socket, which has one port at most."""
        return (self.socket,)


def vhost_user_number(name: str) -> int | None:
    """Return the number of a vhost-user port, None for any other name."""
    match = _NAME.fullmatch(name)
    return None if match is None else int(match[1])
