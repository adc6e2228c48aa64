"""The section `vhost_users`: ports to virtual machines on the same machine, met at a socket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.schema.words import is_file_path
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Naming, Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.ownership import MADE_MARK
from vppcfg.model.state import State
from vppcfg.model.vhost_user import VHOST_USER_PREFIX, VhostUser, VhostUserRole, vhost_user_number
from vppcfg.record import record

LAST_NUMBER = 0x7FFFFFFF
"""VPP shows the number as a signed one (vhost_user_output.c)."""
_PATTERN = f"{VHOST_USER_PREFIX}(0|[1-9][0-9]*)"


@record
class VhostUserConfig(MadeConfig):
    """One entry below `vhost_users`."""

    socket: str
    role: VhostUserRole

    @property
    def mark(self) -> str:
        """Return the mark of a port that a file makes."""
        return MADE_MARK


class VhostUsers(MadeSection[VhostUserConfig, VhostUser]):
    """The section `vhost_users`."""

    key = "vhost_users"
    thing = "vhost-user port"
    config = VhostUserConfig
    making = VhostUser
    plugin = Plugin(name="vhost", reason="the file has a vhost-user port", thing="a vhost-user port")
    can_join_bond = True
    assumed: ClassVar = {
        "role": ("server", "client"),
        "socket": ("/run/assumed-a.sock", "/run/assumed-b.sock"),
    }
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and is_vhost_user_name(value),
        rule="vhost-user-name",
        wanted=f"a vhost-user port is called {VHOST_USER_PREFIX} and a number",
        pattern=(_PATTERN, None),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> VhostUserConfig:
        """Return a vhost-user port."""
        return VhostUserConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            socket=entry.raw["socket"],
            role=VhostUserRole(entry.raw["role"]),
        )

    def making_of(self, config: VhostUserConfig, before: VhostUser | None, desired: DesiredState) -> VhostUser:
        """Return the port that VPP is to make."""
        return VhostUser(socket=config.socket, role=config.role)

    def why_not(self, making: VhostUser) -> str | None:
        """Return why no entry can say what a vhost-user port is."""
        if is_file_path(making.socket):
            return None
        return f"its socket has a name that the configuration does not allow: {making.socket}"

    def restate_made(self, name: str, making: VhostUser, state: State) -> VhostUserConfig:
        """Return the entry of a vhost-user port."""
        return VhostUserConfig(name=name, path=(self.key, name), socket=making.socket, role=making.role)

    def made_keys(self, entry: VhostUserConfig) -> Iterator[KeyValue]:
        """Yield what a vhost-user port is made with."""
        yield KeyValue("socket", entry.socket)
        yield KeyValue("role", entry.role.value)


def is_vhost_user_name(name: str) -> bool:
    """Return whether a vhost-user port can have this name."""
    number = vhost_user_number(name)
    return number is not None and number <= LAST_NUMBER


SECTION = VhostUsers()
