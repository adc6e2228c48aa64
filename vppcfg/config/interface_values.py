"""The keys of an interface whose value VPP gets as the file says it: a field and a row for each.

A row is all that parsing, resolving, restating and writing need. A key that depends on something else, such as `mtu`
or `lcp`, has functions of its own in `sections/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple

from vppcfg.common.release import OLDEST, Release
from vppcfg.config import interface_features as features
from vppcfg.config.yaml.text import KeyValue
from vppcfg.config.yaml.text import Value as Said
from vppcfg.model.features import DhcpClient, Lldp, Mirror, MssLimit, RouterAdvertisements, UrpfCheck
from vppcfg.model.interface import Interface
from vppcfg.model.ipfix import FlowRecords
from vppcfg.record import record


@record
class InterfaceValues:
    """The plain values of an interface; `Interface` has attributes of the same names."""

    unnumbered: str | None = None
    l2xc: str | None = None
    has_mpls: bool = False
    has_sflow: bool = False
    has_gso: bool = False
    has_proxy_arp: bool = False
    dhcp_client: DhcpClient | None = None
    urpf: tuple[UrpfCheck, ...] = ()
    mss_clamp: tuple[MssLimit, ...] = ()
    mirrors: tuple[Mirror, ...] = ()
    lldp: Lldp | None = None
    ra: RouterAdvertisements | None = None
    link_local: str | None = None
    macip: str | None = None
    flow_records: FlowRecords | None = None
    unmanaged_addresses: tuple[str, ...] = ()


class Value(NamedTuple):
    """One key with a plain value."""

    key: str
    """In the file."""
    attribute: str
    """Of InterfaceValues and of Interface."""
    kind: Callable[[Any], Any]
    """str, int, bool, an Enum whose values are those of the file, or what makes a value of an entry of the file."""
    said: Callable[[Any], Said] | None = None
    """Returns a value as the file says it, where `kind` is none of the first."""
    is_block: bool = False
    """Whether the file has it on lines of its own, below the key."""
    why_not: Callable[[Any], str | None] = lambda value: None
    """Tells why the file cannot say a value that was observed, as the end of a sentence; None when it can."""
    plugin: str | None = None
    """The plugin of VPP without which the value stays as by default."""
    reason: str = ""
    """Why a file with the key needs the plugin."""
    plugin_since: Release = OLDEST
    """The release that the plugin came with."""
    since: Release | None = None
    """The first release that can be asked for the value, of which the facts of a VPP then have `part`."""
    told_by: str = ""
    """The name of that part, the key where it is empty."""
    is_of_bond: bool = False
    """Whether it belongs to the bond where the interface is a member of one."""
    is_routing: bool = False
    """Whether it does nothing on an interface that hands frames on as they are, because it is about routed packets."""

    @property
    def first_release(self) -> Release:
        """Return the first release that can have the value, whatever plugins it runs."""
        return max(self.plugin_since, self.since or OLDEST)

    @property
    def part(self) -> str:
        """Return the part of VPP that tells of it, among the plugins of its facts."""
        return self.told_by or self.key

    def in_file(self, value: Any) -> Said:
        """Return a value as the file says it."""
        if self.said is not None:
            return self.said(value)
        said: str | int = value.value if isinstance(value, Enum) else value
        return said


VALUES = (
    Value(
        key="unmanaged-addresses",
        attribute="unmanaged_addresses",
        kind=features.unmanaged_addresses_of,
        said=list,
        is_of_bond=True,
        is_routing=True,
    ),
    Value(key="unnumbered", attribute="unnumbered", kind=str, is_of_bond=True),
    Value(key="l2xc", attribute="l2xc", kind=str),
    Value(key="mpls", attribute="has_mpls", kind=bool, is_of_bond=True),
    Value(
        key="sflow",
        attribute="has_sflow",
        kind=bool,
        plugin="sflow",
        reason="an interface is sampled",
        plugin_since=Release(25, 2),
    ),
    Value(key="gso", attribute="has_gso", kind=bool, since=Release(25, 6), is_of_bond=True),
    Value(key="proxy-arp", attribute="has_proxy_arp", kind=bool, is_of_bond=True, is_routing=True),
    Value(
        key="dhcp-client",
        attribute="dhcp_client",
        kind=features.dhcp_of,
        said=features.dhcp_said,
        why_not=features.why_no_dhcp,
        plugin="dhcp",
        reason="an interface gets its address by DHCP",
        is_of_bond=True,
        is_routing=True,
    ),
    Value(
        key="urpf",
        attribute="urpf",
        kind=features.urpf_of,
        said=features.urpf_said,
        why_not=features.why_no_urpf,
        plugin="urpf",
        reason="an interface checks where packets come from",
        since=Release(24, 10),
        told_by="urpf_dump",
        is_of_bond=True,
        is_routing=True,
    ),
    Value(
        key="mss-clamp",
        attribute="mss_clamp",
        kind=features.mss_of,
        said=features.mss_said,
        why_not=features.why_no_mss,
        plugin="mss_clamp",
        reason="an interface clamps the MSS of TCP",
        is_of_bond=True,
        is_routing=True,
    ),
    Value(
        key="mirror",
        attribute="mirrors",
        kind=features.mirrors_of,
        said=features.mirrors_said,
        why_not=features.why_no_mirror,
        is_of_bond=True,
    ),
    Value(
        key="lldp",
        attribute="lldp",
        kind=features.lldp_of,
        said=features.lldp_said,
        why_not=features.why_no_lldp,
        plugin="lldp",
        reason="a port speaks LLDP",
        since=Release(26, 10),
        told_by="lldp_settings",
    ),
    Value(
        key="ra",
        attribute="ra",
        kind=features.ra_of,
        said=features.ra_said,
        why_not=features.why_no_ra,
        is_of_bond=True,
        is_routing=True,
    ),
    Value(
        key="link-local",
        attribute="link_local",
        kind=features.link_local_of,
        why_not=features.why_no_link_local,
        is_of_bond=True,
        is_routing=True,
    ),
    Value(
        key="macip",
        attribute="macip",
        kind=str,
        plugin="acl",
        reason="an interface applies a MACIP ACL",
        is_of_bond=True,
    ),
    Value(
        key="ipfix",
        attribute="flow_records",
        kind=features.flow_records_of,
        said=features.flow_records_said,
        plugin="flowprobe",
        reason="flows of an interface are recorded",
        is_of_bond=True,
    ),
)
"""In the order in which they are written."""

WITH_PLUGIN = tuple((value, value.plugin) for value in VALUES if value.plugin is not None)
WITH_RELEASE = tuple((value, value.since) for value in VALUES if value.since is not None)
KEYS = frozenset(value.key for value in VALUES)
_ATTRIBUTES = tuple(value.attribute for value in VALUES)
_GET_ALL = attrgetter(*_ATTRIBUTES)
_DEFAULT_OF = {field.name: field.default for field in fields(InterfaceValues)}
DEFAULTS: Mapping[str, Any] = {attribute: _DEFAULT_OF[attribute] for attribute in _ATTRIBUTES}
"""By attribute."""
_ALL_DEFAULTS = tuple(DEFAULTS.values())


def parsed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return by attribute the values that an entry of the right shape has."""
    return {value.attribute: value.kind(given) for value in VALUES if (given := raw.get(value.key)) is not None}


def values_set(holder: InterfaceValues | Interface) -> Iterator[tuple[Value, Any]]:
    """Yield the keys whose values are not as by default, with these."""
    values = _GET_ALL(holder)
    if values != _ALL_DEFAULTS:
        rows = zip(VALUES, values, _ALL_DEFAULTS, strict=True)
        yield from ((value, given) for value, given, default in rows if given != default)


def why_not(interface: Interface) -> str | None:
    """Return why the file cannot say the values of an observed interface, None when it can."""
    if _GET_ALL(interface) == _ALL_DEFAULTS:
        return None
    return next((reason for value, given in values_set(interface) if (reason := value.why_not(given))), None)


def values_of(holder: InterfaceValues | Interface) -> dict[str, Any]:
    """Return all values of an interface by attribute, as configured or as observed."""
    return dict(zip(_ATTRIBUTES, _GET_ALL(holder), strict=True))


_BY_DEFAULT = tuple(
    None if default is None else KeyValue(value.key, value.in_file(default), is_default=True, is_block=value.is_block)
    for value, default in zip(VALUES, DEFAULTS.values(), strict=True)
)

_SAID_BY_DEFAULT = [said for said in _BY_DEFAULT if said is not None]


def keys(holder: InterfaceValues) -> list[KeyValue]:
    """Return what a file says of the values; a reference to nothing is not said."""
    values = _GET_ALL(holder)
    if values == _ALL_DEFAULTS:
        return list(_SAID_BY_DEFAULT)
    found = []
    for value, given, default, by_default in zip(VALUES, values, DEFAULTS.values(), _BY_DEFAULT, strict=True):
        said = by_default if given == default else KeyValue(value.key, value.in_file(given), is_block=value.is_block)
        if said is not None:
            found.append(said)
    return found
