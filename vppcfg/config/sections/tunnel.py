"""What the sections of tunnels have alike: an address of this router and one of the other."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections import vrf
from vppcfg.config.sections.section import SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.record import record

ASSUMED_ENDS = {"local": ("192.0.2.253", "2001:db8::253"), "remote": ("192.0.2.254", "2001:db8::254")}
"""What the ends of a tunnel may be, of either family, while they are not known."""


@record
class TunnelConfig(MadeConfig):
    """One entry of such a section; a kind of tunnel is a subclass."""

    local: str
    """Canonical address."""
    remote: str
    """Canonical address."""
    encap_vrf: str | None = None
    """The VRF that both ends are in; None is the default one."""


def parse_ends(entry: SectionEntry) -> tuple[str, str]:
    """Return the two ends of an entry of the right shape."""
    local, remote = canonical_host(entry.raw["local"]), canonical_host(entry.raw["remote"])
    assert local is not None and remote is not None
    return local, remote


def why_not_ends(local: str, remote: str) -> str | None:
    """Return why an entry cannot say the ends of an observed tunnel, None when it can."""
    if not all(canonical_host(end) == end and is_unicast(end) for end in (local, remote)):
        return "one of its ends is no address of a host"
    return None


def end_keys(tunnel: TunnelConfig) -> Iterator[KeyValue]:
    """Yield the keys of the ends."""
    yield KeyValue("local", tunnel.local)
    yield KeyValue("remote", tunnel.remote)
    yield from vrf.keys("encap-vrf", tunnel.encap_vrf)


def outer_table(tunnel: TunnelConfig, desired: DesiredState) -> int:
    """Return the id of the FIB table that the ends of a tunnel of the file are in."""
    return vrf.interface_tables(tunnel.encap_vrf, desired.configuration)[":" in tunnel.local]
