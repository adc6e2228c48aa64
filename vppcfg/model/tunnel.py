"""Tunnels to one other router, or to many: GRE, IPIP and VXLAN, and what they have alike."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

from vppcfg.common.numbers import DSCP_NAMES, LAST_DSCP
from vppcfg.common.packets import GRE, IPIP, IPV6_IN_IP, UDP
from vppcfg.common.release import Release
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.keys import Shape, any_number_of, choice, flag, keyed_record, keys_of, whole, yaml_key
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.record import record


class TunnelPayload(Enum):
    """What a tunnel carries."""

    PACKETS = "packets"
    """Of IP and MPLS."""
    FRAMES = "frames"
    COPIES = "copies"
    """Of frames, for a monitor of traffic: nothing comes out of them."""


@record
class Tunnel(VirtualInterface):
    """The two ends of a tunnel, and the FIB table that both are in. A kind of tunnel is a subclass."""

    node_prefix: ClassVar[str]
    """How the names of VPP's nodes begin that wrap and unwrap its packets."""
    is_switched: ClassVar[bool] = False
    """Whether frames that come out of it can be switched alone."""
    has_adjacency: ClassVar[bool] = False
    """Whether VPP sends frames into it by an adjacency, and not by a node of the kind: it drops a frame that is larger
    than the MTU, its header counted (adj_l2_rewrite_inline in vnet/adj/adj_l2.c)."""

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family; that of none, 0.0.0.0 or ::, of a multipoint tunnel."""
    encap_vrf: int = 0
    """Id of the FIB table that the ends are in."""

    @property
    def is_plain(self) -> bool:
        """Return whether a configuration could create it; a kind of which VPP knows more has a field of that name."""
        return True

    @property
    def is_multipoint(self) -> bool:
        """Return whether it leads to many routers; a kind that can has a field of that name."""
        return False

    @property
    def payload(self) -> TunnelPayload:
        """Return what it carries."""
        return TunnelPayload.PACKETS

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries frames; VPP then gives it a MAC address."""
        return self.payload is not TunnelPayload.PACKETS

    @property
    def packet_key(self) -> int | None:
        """Return the number in each packet that distinguishes tunnels with the same ends; None for a kind without."""
        return None

    def protocol(self, *, is_ipv6: bool) -> int:
        """Return the IP protocol of its packets around what is IPv6, or around anything else."""
        raise NotImplementedError(type(self).__name__)

    @property
    def agreed(self) -> Mapping[str, object]:
        """Return what the other end needs alike, by key; None for a key at a default that means nothing."""
        return {key.name: key.agreed_value(self) for key in keys_of(type(self)) if key.must_agree}

    @property
    def ports(self) -> tuple[int, int] | None:
        """Return the UDP ports that it listens on and sends to; None without any."""
        return None

    @property
    def header_bytes(self) -> int:
        """Return the bytes of headers between the outer IP header and the packet inside."""
        return 0

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the ends are in."""
        return self.encap_vrf

    @property
    def other_end(self) -> str | None:
        """Return the address of the other router; None of a tunnel to many."""
        return self.remote if self.is_plain and not self.is_multipoint else None

    @property
    def own_end(self) -> str:
        return self.local


NO_REMOTE = {False: "0.0.0.0", True: "::"}  # no address to listen on
"""What multipoint tunnels have in place of another end, by whether they are of IPv6."""
ETHERNET_BYTES = 14
"""Of the header of a frame, for tunnels that carry frames."""
_ENDS = ("local", "remote")


MULTIPOINT = yaml_key(
    flag(),
    default=False,
    name="multipoint",
    path="tunnel.mode",
    is_default_shown=False,
    text="whether the tunnel leads to many routers, which `neighbors` names, in place of one at `remote`",
)
"""The key of a tunnel to many; tunnel_mode (vnet/tunnel/tunnel_types.api) is 1 of one."""


class GreMode(Enum):
    """What a GRE tunnel carries; the values are those of the configuration."""

    L3 = "l3"
    """IP and MPLS packets."""
    TEB = "teb"
    """Ethernet frames."""
    ERSPAN = "erspan"
    """Copies of Ethernet frames, for a traffic analyser."""


@keyed_record
class Gre(Tunnel):
    """A tunnel that carries packets or frames behind a header of its own (RFC 2784)."""

    kind = InterfaceKind.GRE
    noun = "GRE tunnel"
    table = "gres"
    node_prefix = "gre"
    has_adjacency = True
    mode: GreMode = yaml_key(
        choice(GreMode), default=GreMode.L3, path="tunnel.type", must_agree=True, text="what the tunnel carries"
    )
    session: int = yaml_key(
        whole(0, 1023, placeholders=(1, 2)),
        default=0,
        path="tunnel.session_id",
        must_agree=True,
        is_written=lambda gre: gre.mode is GreMode.ERSPAN,
        is_default_shown=False,
        text="the session of an ERSPAN tunnel, ten bits of its header (plugins/gre/gre.h, GTK_SESSION_ID_MAX)",
    )
    key: int = yaml_key(
        whole(1, 0xFFFFFFFF, unset=0),
        default=0,
        path="tunnel.key",
        must_agree=True,
        is_default_shown=False,
        since=Release(25, 10),
        capability="gre_key",
        needs="has a key",
        text="the key of every packet (RFC 2890)",
    )
    is_multipoint: bool = MULTIPOINT
    recreate_on_change = (*_ENDS, "is_multipoint", "mode", "session", "key", "encap_vrf")
    is_plain: bool = True
    """False for what a configuration cannot create, such as flags."""

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return everything (plugins/gre/gre.h, gre_mk_key4)."""
        return self.local, self.remote, self.encap_vrf, self.mode, self.session, self.key

    @property
    def payload(self) -> TunnelPayload:
        return {
            GreMode.L3: TunnelPayload.PACKETS,
            GreMode.TEB: TunnelPayload.FRAMES,
            GreMode.ERSPAN: TunnelPayload.COPIES,
        }[self.mode]

    @property
    def packet_key(self) -> int:
        """Return its key, 0 for none."""
        return self.key

    def protocol(self, *, is_ipv6: bool) -> int:
        """Return the protocol of RFC 2784."""
        return GRE

    @property
    def header_bytes(self) -> int:
        """Return the bytes of GRE with its key, and of Ethernet; of ERSPAN, a sequence number and its own header."""
        if self.mode is GreMode.ERSPAN:
            return 4 + 4 + 8 + ETHERNET_BYTES
        return 4 + (4 if self.key else 0) + (ETHERNET_BYTES if self.has_ethernet else 0)


FLAGS = (
    "encap-copy-df",
    "encap-set-df",
    "encap-copy-dscp",
    "encap-copy-ecn",
    "decap-copy-ecn",
    "encap-inner-hash",
    "encap-copy-hop-limit",
    "encap-copy-flow-label",
)
"""What a tunnel does with fields of the two headers, by its bit (vnet/tunnel/tunnel.h)."""
_DSCP_WORDS = {value: name for name, value in DSCP_NAMES.items()}
DSCP = Shape(
    schema="dscp()",
    placeholders=(0, 46),
    parse=lambda given: given if isinstance(given, int) else DSCP_NAMES[given],
    as_yaml=lambda dscp: _DSCP_WORDS.get(dscp, dscp) if dscp else 0,
    why_unsupported=lambda dscp: None if dscp <= LAST_DSCP else f"{dscp} is above {LAST_DSCP}",
)
"""The shape of a DSCP, by its number or its usual name."""


@keyed_record
class Ipip(Tunnel):
    """A tunnel that carries packets right behind the outer IP header (RFC 2003)."""

    kind = InterfaceKind.IPIP
    noun = "IPIP tunnel"
    table = "ipips"
    node_prefix = "ipip"
    dscp: int = yaml_key(
        DSCP,
        default=0,
        path="tunnel.dscp",
        label="DSCP",
        text="the DSCP of every outer header, unless the flag `encap-copy-dscp` is set",
    )
    flags: int = yaml_key(
        any_number_of(FLAGS),
        default=0,
        path="tunnel.flags",
        text="what the tunnel does with fields of the two headers",
    )
    is_multipoint: bool = MULTIPOINT
    recreate_on_change = (*_ENDS, "is_multipoint", "dscp", "flags", "encap_vrf")
    is_plain: bool = True
    """False for what a configuration cannot create."""

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return the ends and their table (plugins/ipip/ipip.c, ipip_mk_key_i)."""
        return self.local, self.remote, self.encap_vrf

    def protocol(self, *, is_ipv6: bool) -> int:
        """Return the protocol of RFC 2003, or of RFC 2473."""
        return IPV6_IN_IP if is_ipv6 else IPIP


VXLAN_PORT = 4789
"""The port of RFC 7348."""
MAX_VNI = 0xFFFFFF


@keyed_record
class Vxlan(Tunnel):
    """A unicast tunnel whose payload goes to L2."""

    kind = InterfaceKind.VXLAN
    noun = "VXLAN tunnel"
    table = "vxlans"
    node_prefix = "vxlan"
    is_switched = True
    is_up_as_created = True
    link_mtu_as_created = 9000

    vni: int = yaml_key(
        whole(1, MAX_VNI, placeholders=(MAX_VNI - 1, MAX_VNI - 2)),
        label="VNI",
        path="vni",
        must_agree=True,
        text="the VXLAN network identifier",
    )
    source_port: int = yaml_key(
        whole(1, 0xFFFF, placeholders=(1, 2)),
        default=VXLAN_PORT,
        path="src_port",
        is_default_shown=False,
        text="the UDP port that packets come from, and that the other router sends to",
    )
    destination_port: int = yaml_key(
        whole(1, 0xFFFF),
        default=VXLAN_PORT,
        path="dst_port",
        is_default_shown=False,
        text="the UDP port that packets go to",
    )
    recreate_on_change = (*_ENDS, "vni", "source_port", "destination_port", "encap_vrf")
    is_plain: bool = True
    """False for what a configuration cannot create, such as more than one other end."""

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return the ends, their table, the VNI and the own port; of IPv6, VPP does not look at the local end.

        The other port is no part of it (plugins/vxlan/vxlan.c, vnet_vxlan_add_del_tunnel).
        """
        local = "" if ":" in self.remote else self.local
        return local, self.remote, self.encap_vrf, self.vni, self.source_port

    @property
    def payload(self) -> TunnelPayload:
        """Return that it carries frames."""
        return TunnelPayload.FRAMES

    @property
    def packet_key(self) -> int:
        return self.vni

    def protocol(self, *, is_ipv6: bool) -> int:
        return UDP

    @property
    def ports(self) -> tuple[int, int]:
        """Return the UDP ports that it listens on and sends to."""
        return self.source_port, self.destination_port

    @property
    def header_bytes(self) -> int:
        """Return the bytes of UDP, VXLAN and Ethernet."""
        return 8 + 8 + ETHERNET_BYTES


TUNNEL_KINDS: tuple[type[Tunnel], ...] = (Gre, Ipip, Vxlan)
