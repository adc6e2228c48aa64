"""Deterministic NAT: each inside host has its own ports of an outside address, for ever (plugins/nat/det44).

Who had an address and a port at some time therefore follows from the maps alone, without a log (RFC 7422).
"""

from __future__ import annotations

from enum import Enum
from ipaddress import IPv4Address, IPv4Network

from vppcfg.model.vpp_object import VppObject
from vppcfg.record import record

SESSIONS_PER_HOST = 1000
"""DET44_SES_PER_USER (det44.h): no host has more, and VPP has room for all of them from the beginning."""
SESSION_BYTES = 24
"""Of the main heap (snat_det_session_t)."""
FIRST_PORT = 1024
PORTS = 65535 - 1023
"""Of each outside address (snat_det_add_map)."""
WIDEST_LENGTH = 11
"""Of an inside prefix: VPP counts the sessions of a shorter one in 31 bits, and ends (snat_det_add_map)."""


class Det44Side(Enum):
    """Where the packets of an interface come from; the values are those of the file."""

    INSIDE = "inside"
    OUTSIDE = "outside"


@record
class Det44Map(VppObject):
    """The hosts of an inside prefix share the addresses of an outside prefix, each with ports of its own."""

    noun = "DET44 map"
    table = "det44_maps"
    attachment_kinds = ("deterministic NAT map",)
    lost = "sessions"

    inside: str
    """Canonical, as is the other one."""
    outside: str

    @property
    def name(self) -> str:
        """Return both prefixes: VPP has one map of a pair."""
        return f"{self.inside} to {self.outside}"

    @property
    def hosts(self) -> int:
        """Return how many inside hosts there are."""
        return IPv4Network(self.inside).num_addresses

    @property
    def hosts_per_address(self) -> int:
        """Return how many inside hosts share an outside address; 0 where there are more of these."""
        return self.hosts // IPv4Network(self.outside).num_addresses

    @property
    def ports_per_host(self) -> int:
        """Return how many ports each inside host has."""
        return PORTS // self.hosts_per_address

    @property
    def memory_bytes(self) -> int:
        """Return how much of the main heap the sessions take, whether there are any or not."""
        return self.hosts * SESSIONS_PER_HOST * SESSION_BYTES

    def ports_of(self, host: IPv4Address) -> tuple[IPv4Address, range]:
        """Return the outside address of an inside host, and its ports there (snat_det_forward)."""
        offset = int(host) - int(IPv4Network(self.inside).network_address)
        address, place = divmod(offset, self.hosts_per_address)
        first = FIRST_PORT + self.ports_per_host * place
        return IPv4Network(self.outside).network_address + address, range(first, first + self.ports_per_host)

    def host_of(self, address: IPv4Address, port: int) -> IPv4Address | None:
        """Return the inside host that has a port of an outside address; None where it is free.

        VPP names a host for the ports below and above all shares too (snat_det_reverse).
        """
        place = (port - FIRST_PORT) // self.ports_per_host
        if not 0 <= place < self.hosts_per_address:
            return None
        offset = int(address) - int(IPv4Network(self.outside).network_address)
        return IPv4Network(self.inside).network_address + offset * self.hosts_per_address + place


@record
class Det44Timeouts(VppObject):
    """After how many silent seconds a session ends; there is none in a state where all are as VPP begins with."""

    noun = "DET44 timeouts"
    table = "det44_timeouts"
    carries_traffic = False

    udp: int = 300
    tcp_established: int = 7440
    tcp_transitory: int = 240
    icmp: int = 60

    @property
    def name(self) -> str:
        return "det44 timeouts"


DEFAULT_TIMEOUTS = Det44Timeouts()
"""nat_reset_timeouts (plugins/nat/lib/lib.h)."""
