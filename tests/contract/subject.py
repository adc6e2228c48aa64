"""The VPP under test, simulated or real, behind an unmodified vpp_papi client; and the way back to a clean one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from tests.contract.raw import gre_tunnels
from vppcfg.common.release import NEWEST, Release, release_of

ALL = 0xFFFFFFFF
PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "eth2")
HOST_DEVICES = ("e1.100", "e1.200", "e1.300", "e1.100.7")
"""Linux devices that exist before VPP makes a pair, for kernels without 802.1Q."""
SETTLED_MTU = 9000
MORE = -165
"""There is more of a dump behind the cursor (VNET_API_ERROR_EAGAIN)."""


@dataclass(frozen=True, kw_only=True)
class Flags:
    """Raw flags of a sub-interface (vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


class Messages:
    """What an API client can send; a test ends as skipped at a message that an older release lacks."""

    def __init__(self, api: Any) -> None:
        """Look at what the client has learnt of its VPP."""
        self._api = api

    def has(self, name: str) -> bool:
        """Return whether this VPP has a message."""
        return hasattr(self._api, name)

    def __getattr__(self, name: str) -> Any:
        """Return what sends a message."""
        if self.has(name):
            return getattr(self._api, name)
        assert self.release < NEWEST, f"VPP {self.release} has no message {name}"
        pytest.skip(f"VPP {self.release} has no message {name}")

    @cached_property
    def release(self) -> Release:
        """Return the release of this VPP."""
        return release_of(self._api.show_version().version)


@dataclass(kw_only=True)
class Subject:
    """A VPP with three unconfigured ports."""

    id: str
    api: Any
    client: Any
    knows_vlan_devices: bool
    add_host_device: Callable[[str], None]
    has_host_device: Callable[[str], bool]

    def since(self, release: str) -> bool:
        """Return whether this VPP is of `release` or a later one."""
        return bool(self.api.release >= release_of(release))

    @property
    def tap_class(self) -> str:
        """Return the device class of TAPs, which were a part of the driver for virtio once."""
        return "tap" if self.since("26.02") else "virtio"

    def host_name(self, index: int, number: int = 4096) -> str:
        """Return the name of the host TAP of an interface: a number by itself, or that of its hardware."""
        return f"tap{number if self.since('24.10') else index}"

    def interfaces(self) -> dict[str, Any]:
        return {str(row.interface_name): row for row in self.api.sw_interface_dump(sw_if_index=ALL)}

    def index(self, name: str) -> int:
        return int(self.interfaces()[name].sw_if_index)

    def details(self, index: int) -> Any:
        """Return what VPP shows of one interface, index 0 left out."""
        (row,) = self.api.sw_interface_dump(sw_if_index=index)
        return row

    def mtus(self, index: int) -> list[int]:
        """Return the four packet MTUs of an interface."""
        return list(self.details(index).mtu)

    def is_up(self, index: int) -> bool:
        """Return whether an interface is administratively up."""
        return bool(int(self.details(index).flags) & 1)

    def rewrite(self, index: int) -> tuple[int, int, int, int]:
        """Return the tag rewrite of an interface: operation, push_dot1q, two tags."""
        row = self.details(index)
        return int(row.vtr_op), int(row.vtr_push_dot1q), int(row.vtr_tag1), int(row.vtr_tag2)

    def addresses(self, index: int) -> list[str]:
        """Return the addresses of an interface, IPv4 first, in VPP's order."""
        return [
            str(row.prefix)
            for is_ipv6 in (False, True)
            for row in self.api.ip_address_dump(sw_if_index=index, is_ipv6=is_ipv6)
        ]

    def xconnects(self) -> dict[int, int]:
        """Return the target of every cross-connect."""
        return {int(row.rx_sw_if_index): int(row.tx_sw_if_index) for row in self.api.l2_xconnect_dump()}

    def pairs(self) -> dict[int, Any]:
        """Return all LCP pairs by the index of their interface."""
        return {int(row.phy_sw_if_index): row for row in self.pages("lcp_itf_pair_get")}

    def pages(self, message: str, **fields: Any) -> list[Any]:
        """Return the rows of a dump that VPP breaks off when it has other work, over as many pages as it makes."""
        found, cursor = [], 0
        while True:
            reply, rows = getattr(self.api, message)(cursor=cursor, **fields)
            found += rows
            if reply.retval != MORE:
                return found
            cursor = reply.cursor

    def rows(self, message: str, **fields: Any) -> list[Any]:
        """Return what a dump tells; nothing when this VPP lacks it."""
        return list(getattr(self.api, message)(**fields)) if self.api.has(message) else []

    def cli(self, line: str) -> tuple[int, str]:
        """Run a CLI line."""
        reply = self.api.cli_inband(cmd=line)
        return int(reply.retval), str(reply.reply)

    def answer(self, line: str) -> tuple[int, str]:
        """Run a CLI line and return VPP's code and text, of a refusal without the command and the end of the line."""
        retval, text = self.cli(line)
        command, _, words = text.partition(": ")
        return (retval, words.removesuffix("\n")) if retval and line.startswith(command) else (retval, text)

    def gre_tunnels(self, sw_if_index: int = ALL) -> list[Any]:
        """Return what VPP shows of GRE tunnels."""
        return gre_tunnels(self.client, sw_if_index)

    def up(self, *indexes: int) -> None:
        """Bring interfaces up."""
        for index in indexes:
            assert self.api.sw_interface_set_flags(sw_if_index=index, flags=1).retval == 0

    def sub(self, parent: int, sub_id: int, flags: int = Flags.ONE_TAG | Flags.EXACT, **vlans: int) -> int:
        """Make a sub-interface and return its index; its outer VLAN is its id unless given."""
        vlans.setdefault("outer_vlan_id", sub_id)
        reply = self.api.create_subif(sw_if_index=parent, sub_id=sub_id, sub_if_flags=flags, **vlans)
        assert reply.retval == 0
        return int(reply.sw_if_index)

    def add_address(self, index: int, prefix: str) -> int:
        """Add an address and return VPP's code."""
        return int(self.api.sw_interface_add_del_address(sw_if_index=index, is_add=True, prefix=prefix).retval)

    def remove_address(self, index: int, prefix: str) -> int:
        """Remove an address and return VPP's code."""
        return int(self.api.sw_interface_add_del_address(sw_if_index=index, is_add=False, prefix=prefix).retval)

    def xconnect(self, source: int, target: int) -> int:
        """Cross-connect an interface and return VPP's code."""
        reply = self.api.sw_interface_set_l2_xconnect(rx_sw_if_index=source, tx_sw_if_index=target, enable=True)
        return int(reply.retval)

    def leave_l2(self, index: int) -> int:
        """Return an interface to L3 and return VPP's code."""
        reply = self.api.sw_interface_set_l2_xconnect(rx_sw_if_index=index, tx_sw_if_index=ALL, enable=False)
        return int(reply.retval)

    def add_pair(self, index: int, host_name: str, netns: str = "", host_type: int = 0) -> int:
        """Make an LCP pair and return VPP's code."""
        arguments = {"sw_if_index": index, "host_if_name": host_name, "netns": netns, "host_if_type": host_type}
        return int(self.api.lcp_itf_pair_add_del(is_add=True, **arguments).retval)

    def delete_pair(self, index: int) -> int:
        """Delete an LCP pair and return VPP's code."""
        return int(self.api.lcp_itf_pair_add_del(is_add=False, sw_if_index=index).retval)

    def reset(self, ports: Sequence[str] = PORTS) -> None:
        """Take everything away that a test may have made."""
        for line in ("lcp lcp-sync off", "lcp lcp-auto-subint off", "lcp default clear netns"):
            self.cli(line)
        pairs = sorted(self.pairs().values(), key=lambda row: -int(row.phy_sw_if_index))
        for row in sorted(pairs, key=lambda row: self.details(row.phy_sw_if_index).sub_number_of_tags, reverse=True):
            self.delete_pair(row.phy_sw_if_index)
        self._reset_settings()
        for row in self.interfaces().values():
            if row.sup_sw_if_index != row.sw_if_index:
                self.leave_l2(row.sw_if_index)
                self.api.delete_subif(sw_if_index=row.sw_if_index)
        self._reset_made()
        for index in [self.index(port) for port in ports]:
            self._reset_port(index)
        for name in HOST_DEVICES:
            if not self.has_host_device(name):
                self.add_host_device(name)

    def _reset_settings(self) -> None:
        """Take off interfaces what outlives them."""
        for row in self.rows("mpls_interface_dump", sw_if_index=ALL):
            self.api.sw_interface_set_mpls_enable(sw_if_index=row.sw_if_index, enable=False)
        for row in self.rows("ip_unnumbered_dump", sw_if_index=ALL):
            self.api.sw_interface_set_unnumbered(unnumbered_sw_if_index=row.sw_if_index, is_add=False)
        for row in self.interfaces().values():
            self.leave_l2(row.sw_if_index)
            if self.api.has("sflow_enable_disable"):
                self.api.sflow_enable_disable(hw_if_index=row.sw_if_index, enable_disable=False)
            self.api.acl_interface_set_acl_list(sw_if_index=row.sw_if_index, count=0, n_input=0, acls=[])

    def _reset_made(self) -> None:
        """Delete what VPP makes itself."""
        for row in self.rows("vxlan_tunnel_v2_dump", sw_if_index=ALL):
            ends = {"src_address": row.src_address, "dst_address": row.dst_address, "vni": row.vni}
            self.api.vxlan_add_del_tunnel_v3(is_add=False, **ends, src_port=row.src_port)
        version = "_v2" if self.api.has("gre_tunnel_add_del_v2") else ""
        for row in self.gre_tunnels():
            getattr(self.api, f"gre_tunnel_add_del{version}")(is_add=False, tunnel=row.tunnel._asdict())
        for row in self.rows("ipip_tunnel_dump", sw_if_index=ALL):
            self.api.ipip_del_tunnel(sw_if_index=row.tunnel.sw_if_index)
        for row in self.rows("wireguard_interface_dump", sw_if_index=ALL, show_private_key=False):
            self.api.wireguard_interface_delete(sw_if_index=row.interface.sw_if_index)
        for row in self.rows("af_packet_dump"):
            if row.host_if_name in HOST_DEVICES:
                self.api.af_packet_delete(host_if_name=row.host_if_name)
        for row in self.rows("memif_dump"):
            self.api.memif_delete(sw_if_index=row.sw_if_index)
        for row in self.rows("sw_interface_vhost_user_dump", sw_if_index=ALL):
            self.api.delete_vhost_user_if(sw_if_index=row.sw_if_index)
        for row in self.rows("memif_socket_filename_dump"):
            self.api.memif_socket_filename_add_del(is_add=False, socket_id=row.socket_id)
        for row in self.interfaces().values():
            for delete in (self.api.bond_delete, self.api.delete_loopback, self.api.bvi_delete, self.api.tap_delete_v2):
                delete(sw_if_index=row.sw_if_index)
        for row in self.rows("bridge_domain_dump", bd_id=ALL, sw_if_index=ALL):
            self.api.bridge_domain_add_del_v2(bd_id=row.bd_id, is_add=False)
        for row in self.rows("acl_dump", acl_index=ALL):
            self.api.acl_del(acl_index=row.acl_index)

    def _reset_port(self, index: int) -> None:
        self.api.sw_interface_add_del_address(sw_if_index=index, is_add=False, del_all=True)
        self.leave_l2(index)
        self.api.sw_interface_tag_add_del(sw_if_index=index, is_add=False)
        self.api.sw_interface_set_flags(sw_if_index=index, flags=0)
        self.api.hw_interface_set_mtu(sw_if_index=index, mtu=SETTLED_MTU)
        self.api.sw_interface_set_mtu(sw_if_index=index, mtu=[SETTLED_MTU, 0, 0, 0])
