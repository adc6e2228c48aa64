"""Host-interfaces, ports on Linux devices by packet sockets: section, operations, read back (plugins/af_packet)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.entries.names import LINUX_NAME_LENGTH
from vppcfg.entries.section import Naming
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.kinds.port import CreatePort, DeletePort, PortConfig, PortKind
from vppcfg.model.host_interface import HOST_INTERFACE_PREFIX, HostInterface
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.row import Row

_QDISC_BYPASS, _CKSUM_GSO = 1, 2
"""What `create host-interface` turns on by default, and the API does not: AF_PACKET_API_FLAG_*."""
_NAME = re.compile(f"{HOST_INTERFACE_PREFIX}[A-Za-z0-9][A-Za-z0-9._@+-]*")
_LONGEST = len(HOST_INTERFACE_PREFIX) + LINUX_NAME_LENGTH


@record
class HostInterfaceConfig(PortConfig):
    """One entry below `host_interfaces`."""

    port: HostInterface


@record
class CreateHostInterface(CreatePort):
    """af_packet_create_v3: create `host-DEVICE`, down, on a device that Linux has."""

    port: HostInterface

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "mode": 1,
            "use_random_hw_addr": 1,
            "host_if_name": self.port.device,
            "flags": _QDISC_BYPASS | _CKSUM_GSO,
            "num_rx_queues": 1,
            "num_tx_queues": 1,
        }
        return Request("af_packet_create_v3", values)

    def cli(self) -> str:
        return f"create host-interface name {self.port.device}"


@record
class DeleteHostInterface(DeletePort):
    """af_packet_delete: delete the port on a device, which stays."""

    virtual = HostInterface

    port: HostInterface

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("af_packet_delete", {"host_if_name": self.port.device})

    def cli(self) -> str:
        return f"delete host-interface name {self.port.device}"


class HostInterfaceKind(PortKind[HostInterfaceConfig, HostInterface]):
    """The section `host_interfaces`, and host-interfaces in VPP."""

    key = "host_interfaces"
    foreign_keys = ("af-packet", "afpacket", "host-interfaces")
    noun = "host-interface"
    config = HostInterfaceConfig
    virtual = HostInterface
    plugin = Plugin(name="af_packet", reason="the file has a host-interface", use="a host-interface")
    naming = Naming(
        is_name=lambda value: isinstance(value, str) and _is_name(value),
        rule="host-interface-name",
        form=f"a host-interface is called {HOST_INTERFACE_PREFIX} and its device in Linux",
        pattern=(_NAME.pattern, _LONGEST),
    )
    api_module = "af_packet"
    device_class = "af-packet"
    instance_name = re.compile(r"host-.+")
    command = "create host-interface"
    unreported_words: ClassVar = {
        **dict.fromkeys(("v2", "rx-size", "tx-size", "rx-per-block", "tx-per-block", "mode"), ""),
        **dict.fromkeys(("qdisc-bypass-disable", "cksum-gso-disable"), ""),
        **dict.fromkeys(("num-rx-queues", "num-tx-queues"), "1"),
    }
    capabilities: ClassVar = {"af_packet": "af_packet_dump"}
    dumps: ClassVar = {"af_packet_dump": {}}
    create_operation = CreateHostInterface
    delete_operation = DeleteHostInterface

    def named_values(self, name: str) -> Mapping[str, str]:
        """Return the device, which the name ends with."""
        return {"device": name.removeprefix(HOST_INTERFACE_PREFIX)}

    def ports(
        self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]
    ) -> Iterator[tuple[str, HostInterface]]:
        """Yield the host-interfaces that are called by their device."""
        for index, raw in connection.rows(replies, "af_packet_details", "sw_if_index", "host_if_name"):
            device = text_of(raw)
            if index in rows and rows[index].name == f"{HOST_INTERFACE_PREFIX}{device}":
                yield rows[index].name, HostInterface(device=device)


def _is_name(name: str) -> bool:
    """Return whether a host-interface can have this name: Linux keeps 15 characters of that of a device."""
    return _NAME.fullmatch(name) is not None and len(name) <= _LONGEST


KIND = HostInterfaceKind()
