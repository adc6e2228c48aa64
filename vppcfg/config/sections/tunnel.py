"""What the sections of tunnels to one other router have alike: their two ends, and the VRF that these are in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections import vrf
from vppcfg.config.sections.made_section import MadeSection
from vppcfg.config.sections.section import SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State
from vppcfg.model.tunnel import Tunnel
from vppcfg.record import record

ASSUMED_ENDS = {"local": ("192.0.2.253", "2001:db8::253"), "remote": ("192.0.2.254", "2001:db8::254")}
"""What the ends of a tunnel may be, of either family, while they are not known."""
ETHERNET_BYTES = 14
"""Of the header of a frame, which a tunnel that carries frames carries too."""


@record
class EncapConfig(MadeConfig):
    """One entry of a section of interfaces whose packets travel inside of others, from an own address."""

    local: str
    """Canonical address."""
    encap_vrf: str | None = None
    """The VRF of the packets outside; None is the default one."""

    def parts(self) -> Iterator[KeyPath]:
        """Yield the paths below the entry that have places of their own, such as those of peers."""
        yield from ()


@record
class TunnelConfig(EncapConfig):
    """One entry of such a section; a kind of tunnel is a subclass."""

    remote: str
    """Canonical address."""

    @property
    def alike(self) -> Mapping[str, object]:
        """Return what the entry of the other router must say alike, by its key."""
        return {}

    @property
    def ports(self) -> tuple[int, int] | None:
        """Return the UDP ports that it listens on and sends to; None without any."""
        return None

    @property
    def added_bytes(self) -> int:
        """Return how many bytes longer a packet is outside than inside: those of all headers before it."""
        return (40 if ":" in self.local else 20) + self.header_bytes

    @property
    def header_bytes(self) -> int:
        """Return how many bytes of headers follow those of IP, which a packet without any more gets."""
        return 0


_Config = TypeVar("_Config", bound=TunnelConfig)
_Tunnel = TypeVar("_Tunnel", bound=Tunnel)


class TunnelSection(MadeSection[_Config, _Tunnel], Generic[_Config, _Tunnel]):
    """The section of one kind of tunnel, whose class says what is not alike."""

    last = MAX_INSTANCE
    thing = "tunnel"

    def parsed(self, entry: SectionEntry) -> dict[str, Any]:
        """Return what every entry of the right shape says, as arguments of its class, with canonical ends."""
        return {
            "name": entry.name,
            "path": entry.path,
            "description": entry.description,
            "local": canonical_host(entry.raw["local"]),
            "remote": canonical_host(entry.raw["remote"]),
            "encap_vrf": entry.raw.get("encap-vrf"),
        }

    def ends_of(self, config: TunnelConfig, desired: DesiredState) -> dict[str, Any]:
        """Return what every tunnel is made with, as arguments of its class."""
        table = vrf.interface_tables(config.encap_vrf, desired.configuration)[":" in config.local]
        return {"local": config.local, "remote": config.remote, "encap_vrf": table}

    def may_remove(self, making: _Tunnel) -> bool:
        """Return whether the file could name the tunnel."""
        return making.is_plain

    def restated(self, name: str, making: _Tunnel, state: State) -> dict[str, Any]:
        """Return what every entry says, as arguments of its class, for a tunnel that VPP has made."""
        table = vrf.encap_vrf_of(making.encap_vrf, is_ipv6=":" in making.local, state=state)
        return {
            "name": name,
            "path": (self.key, name),
            "local": making.local,
            "remote": making.remote,
            "encap_vrf": table,
        }

    def made_keys(self, entry: _Config) -> Iterator[KeyValue]:
        """Yield the ends of a tunnel."""
        yield KeyValue("local", entry.local)
        yield KeyValue("remote", entry.remote)
        yield from vrf.keys("encap-vrf", entry.encap_vrf)


def why_not_ends(local: str, remote: str) -> str | None:
    """Return why an entry cannot say the ends of an observed tunnel, None when it can."""
    if not all(canonical_host(end) == end and is_unicast(end) for end in (local, remote)):
        return "one of its ends is no address of a host"
    return None
