"""Asks a VPP what its interfaces are called, which thread polls which queue, and what else counters lack.

`sw_interface_dump` runs on the main thread while workers go on, in every release (vl_api_set_msg_thread_safe,
vnet/interface_api.c). `show_version` and the others hold workers for as long as they take, some microseconds: VPP reads
a number for each virtual router, map of DET44 and policer, and walks no sessions. `get_api_json` would for
milliseconds, so that the definitions of these messages stand here. They have been the same from 22.06 on; a VPP that
has others is asked for its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Address
from types import TracebackType
from typing import Any, Self

from vppcfg.common.names import natural_key
from vppcfg.model.monitored import (
    MonitoredDet44Map,
    MonitoredInterface,
    MonitoredPolicer,
    MonitoredVirtualRouter,
    QueuePlace,
)
from vppcfg.model.ownership import description_of
from vppcfg.model.rate_limit import MARK
from vppcfg.model.virtual_router import VrrpState
from vppcfg.vpp import definitions
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.devclass import kind_of
from vppcfg.vpp.unixsocket import open_socket
from vppcfg.wire.policers import POLICER_DUMP, policer_indexes, policer_requests
from vppcfg.wire.row import SIGNED_IDS, unsigned

_HEAD: list[Any] = [["u16", "_vl_msg_id"], ["u32", "client_index"], ["u32", "context"]]
_REPLY_HEAD: list[Any] = [["u16", "_vl_msg_id"], ["u32", "context"]]
_DOCUMENT: dict[str, Any] = {
    "messages": [
        ["show_version", *_HEAD, {"crc": "0x51077d14"}],
        [
            "show_version_reply", *_REPLY_HEAD, ["i32", "retval"], ["string", "program", 32], ["string", "version", 32],
            ["string", "build_date", 32], ["string", "build_directory", 256], {"crc": "0xc919bde1"},
        ],
        [
            "sw_interface_dump", *_HEAD, ["u32", "sw_if_index"], ["bool", "name_filter_valid"],
            ["string", "name_filter", 0], {"crc": "0xaa610c27"},
        ],
        [
            "sw_interface_details", *_REPLY_HEAD, ["u32", "sw_if_index"], ["u32", "sup_sw_if_index"],
            ["u8", "l2_address", 6], ["u32", "flags"], ["u32", "type"], ["u32", "link_duplex"], ["u32", "link_speed"],
            ["u16", "link_mtu"], ["u32", "mtu", 4], ["u32", "sub_id"], ["u8", "sub_number_of_tags"],
            ["u16", "sub_outer_vlan_id"], ["u16", "sub_inner_vlan_id"], ["u32", "sub_if_flags"], ["u32", "vtr_op"],
            ["u32", "vtr_push_dot1q"], ["u32", "vtr_tag1"], ["u32", "vtr_tag2"], ["u16", "outer_tag"],
            ["u8", "b_dmac", 6], ["u8", "b_smac", 6], ["u16", "b_vlanid"], ["u32", "i_sid"],
            ["string", "interface_name", 64], ["string", "interface_dev_type", 64], ["string", "tag", 64],
            {"crc": "0x6c221fc7"},
        ],
        ["sw_interface_rx_placement_dump", *_HEAD, ["u32", "sw_if_index"], {"crc": "0xf9e6675e"}],
        [
            "sw_interface_rx_placement_details", *_HEAD, ["u32", "sw_if_index"], ["u32", "queue_id"],
            ["u32", "worker_id"], ["u32", "mode"], {"crc": "0x9e44a7ce"},
        ],
        ["vrrp_vr_dump", *_HEAD, ["u32", "sw_if_index"], {"crc": "0xf9e6675e"}],
        [
            "vrrp_vr_details", *_REPLY_HEAD, ["u32", "sw_if_index"], ["u8", "vr_id"], ["u8", "priority"],
            ["u16", "interval"], ["u32", "flags"], ["u32", "state"], ["u16", "master_adv_int"], ["u16", "skew"],
            ["u16", "master_down_int"], ["u8", "mac", 6], ["u32", "interfaces_dec"], ["u8", "priority_now"],
            ["u8", "n_addrs"], {"crc": "0x46edcebd"},
        ],
        ["det44_map_dump", *_HEAD, {"crc": "0x51077d14"}],
        [
            "det44_map_details", *_REPLY_HEAD, ["u8", "in_addr", 4], ["u8", "in_plen"], ["u8", "out_addr", 4],
            ["u8", "out_plen"], ["u32", "sharing_ratio"], ["u16", "ports_per_host"], ["u32", "ses_num"],
            {"crc": "0xad91dc83"},
        ],
        ["policer_dump_v2", *_HEAD, ["u32", "policer_index"], {"crc": "0x7ff7912e"}],
        [
            "policer_details", *_REPLY_HEAD, ["string", "name", 64], ["u32", "cir"], ["u32", "eir"], ["u64", "cb"],
            ["u64", "eb"], ["u8", "rate_type"], ["u8", "round_type"], ["u8", "type"], ["u8", "actions", 6],
            ["bool", "single_rate"], ["bool", "color_aware"], {"crc": "0x72d0e248"},
        ],
    ]
}  # fmt: skip
"""From vnet/interface.api, vpp/api/vpe.api, plugins/vrrp/vrrp.api, plugins/nat/det44/det44.api and policer.api;
aliases, enums and structs are written out, and lists left out."""
_ALL = 0xFFFFFFFF
_ADMIN_UP, _LINK_UP = 1, 2
"""vl_api_if_status_flags_t (vnet/interface_types.api)."""
_SUB = 1
"""IF_API_TYPE_SUB."""
_MODES = {0: "unknown", 1: "polling", 2: "interrupt", 3: "adaptive"}
"""vl_api_rx_mode_t."""
_PATHS = ("sw_if_index", "flags", "type", "link_speed", "sub_id", "interface_name", "interface_dev_type", "tag")
_VRRP = ("sw_if_index", "vr_id", "flags", "state", "priority_now")
_VRRP_SERVED = ("config.sw_if_index", "config.vr_id", "config.flags", "runtime.state", "runtime.tracking.priority")
"""Where a VPP has them that serves its own definitions."""
_VRRP_IPV6 = 8
"""VRRP_API_VR_IPV6."""
_VRRP_STATES = dict(enumerate((VrrpState.STOPPED, VrrpState.BACKUP, VrrpState.MASTER, VrrpState.INTERFACE_DOWN)))
"""vrrp_vr_state (plugins/vrrp/vrrp.api)."""
_MAPS = ("in_addr", "in_plen", "out_addr", "out_plen", "ses_num")
_LOCAL = "local0"


class InterfaceNaming:
    """One VPP behind its API socket, over a connection that stays; a context manager that closes its session."""

    def __init__(self, socket_path: str, *, json_dir: str | None = None, timeout_s: float = 2.0) -> None:
        """Connect. Raise DataplaneError."""
        channel = Channel(open_socket(socket_path, timeout_s), timeout_s, f"VPP at {socket_path}")
        self._connection = Connection(channel, json_dir, known=definitions.parse([_DOCUMENT]))
        try:
            self.version = self._read_version()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; safe to call twice."""
        self._connection.close()

    def interfaces(self) -> list[MonitoredInterface]:
        """Return all interfaces but local0, with descriptions as far as tags hold them. Raise DataplaneError."""
        connection = self._connection
        replies = connection.ask([connection.request("sw_interface_dump", {"sw_if_index": _ALL})[1]])
        rows = connection.rows(replies, "sw_interface_details", *_PATHS)
        found = [_interface(*row) for row in rows]
        return sorted((each for each in found if each.name != _LOCAL), key=lambda each: each.index)

    def queues(self, names: Mapping[int, str]) -> list[QueuePlace]:
        """Return the receive queues of interfaces, by their names. Raise DataplaneError."""
        connection = self._connection
        request = connection.request("sw_interface_rx_placement_dump", {"sw_if_index": _ALL})[1]
        paths = ("sw_if_index", "queue_id", "worker_id", "mode")
        rows = connection.rows(connection.ask([request]), "sw_interface_rx_placement_details", *paths)
        return [
            QueuePlace(interface=names[index], queue=queue, thread=thread, mode=_MODES.get(mode, "unknown"))
            for index, queue, thread, mode in rows
            if index in names
        ]

    def virtual_routers(self, names: Mapping[int, str]) -> list[MonitoredVirtualRouter]:
        """Return the virtual routers of interfaces, by their names. Raise DataplaneError."""
        connection, details = self._connection, "vrrp_vr_details"
        if not (connection.has("vrrp_vr_dump") and connection.has(details)):
            return []
        replies = connection.ask([connection.request("vrrp_vr_dump", {"sw_if_index": _ALL})[1]])
        paths = _VRRP if connection.has_field(details, _VRRP[0]) else _VRRP_SERVED
        found = [
            MonitoredVirtualRouter(
                interface=names[index],
                vr_id=vr_id,
                is_ipv6=bool(flags & _VRRP_IPV6),
                state=_VRRP_STATES.get(state, VrrpState.STOPPED).value,
                priority=priority,
            )
            for index, vr_id, flags, state, priority in connection.rows(replies, details, *paths)
            if index in names
        ]
        return sorted(found, key=lambda each: (natural_key(each.interface), each.vr_id, each.is_ipv6))

    def det44_maps(self) -> list[MonitoredDet44Map]:
        """Return the maps of DET44, each with its sessions. Raise DataplaneError."""
        connection, details = self._connection, "det44_map_details"
        if not (connection.has("det44_map_dump") and connection.has(details)):
            return []
        replies = connection.ask([connection.request("det44_map_dump")[1]])
        return [
            MonitoredDet44Map(
                inside=f"{IPv4Address(inside)}/{length}",
                outside=f"{IPv4Address(outside)}/{outside_length}",
                hosts=1 << (32 - length),
                sessions=sessions,
            )
            for inside, length, outside, outside_length, sessions in sorted(connection.rows(replies, details, *_MAPS))
        ]

    def policers(self) -> list[MonitoredPolicer]:
        """Return all policers by index. Raise DataplaneError."""
        connection, details = self._connection, "policer_details"
        if not (connection.has(POLICER_DUMP) and connection.has(details)):
            return []
        replies = connection.ask(policer_requests(connection))
        rates = {text_of(name): cir for name, cir in connection.rows(replies, details, "name", "cir")}
        found = []
        for index, name in policer_indexes(connection, list(rates)).items():
            policer, _, user = name.removeprefix(MARK).partition(":") if name.startswith(MARK) else (name, "", "")
            found.append(MonitoredPolicer(index=index, policer=policer, user=user, rate_kbps=rates[name]))
        return sorted(found, key=lambda each: (natural_key(each.policer), natural_key(each.user)))

    def _read_version(self) -> str:
        connection = self._connection
        replies = connection.ask([connection.request("show_version")[1]])
        versions = connection.rows(replies, "show_version_reply", "version")
        return text_of(versions[0][0]).removeprefix("v") if versions else ""


def _interface(
    index: int, flags: int, kind: int, kbps: int, sub_id: int, raw_name: bytes, raw_class: bytes, raw_tag: bytes
) -> MonitoredInterface:
    name, tag = text_of(raw_name), text_of(raw_tag)
    name = unsigned(name) if sub_id >= SIGNED_IDS else name
    return MonitoredInterface(
        index=index,
        name=name,
        kind="sub-interface" if kind == _SUB else kind_of(text_of(raw_class), name, tag).value,
        is_up=bool(flags & _ADMIN_UP),
        has_link=bool(flags & _LINK_UP),
        link_bps=kbps * 1000 if kbps not in (0, _ALL) else None,
        description=description_of(tag),
    )
