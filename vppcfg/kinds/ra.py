"""Router advertisements: the key, its rules, and what each interface advertises (vnet/ip6-nd)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import address_key, canonical_address, canonical_prefix, is_link_local
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.ra_operations import RemoveRaPrefix, RenewIpv6, ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.model.features import NO_ADVERTISEMENTS, RaPrefix, RouterAdvertisements, ra_prefixes_in_order
from vppcfg.model.problem import Problem
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import ALL_INDEXES, Known
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader, malformed

_DUMP = "sw_interface_ip6nd_ra_dump"
_DETAILS = "sw_interface_ip6nd_ra_details"
_FOREVER = 0xFFFFFFFF
_PATHS = (
    *("adv_managed_flag", "adv_other_flag", "adv_router_lifetime", "send_radv", "cease_radv", "send_unicast"),
    *("adv_link_layer_address", "max_radv_interval", "min_radv_interval"),
    *("initial_adverts_count", "initial_adverts_interval"),
)
_PREFIX_PATHS = (
    *("prefix.address.af", "prefix.address.un", "prefix.len", "onlink_flag", "autonomous_flag"),
    *("val_lifetime", "pref_lifetime", "no_advertise"),
)


_QUIET = [0, 0, 600, 0, 0, 0, 1, *(struct.pack("<d", seconds) for seconds in (200, 150)), 3, struct.pack("<d", 16)]
"""The values of these fields on an unconfigured interface: most interfaces, which are passed over quickly."""
_DEFAULT = RouterAdvertisements()
_SWITCHES = {"managed": "is_managed", "other": "has_other", "unicast": "is_unicast"}
"""Attributes that are on or off, by the keys of the file."""
_AUTONOMOUS_LENGTH = 64
"""Bits; what hosts on Ethernet make addresses of (RFC 2464)."""


def ra_alone(index: Index) -> Iterator[Problem]:
    """Find router advertisements on interfaces without IPv6 addresses, where VPP has no IPv6."""
    for interface in index.interfaces:
        if interface.ra is not None and lacks_ipv6(interface, index):
            text = f"{interface.name} has no IPv6 address to advertise itself with; add one to `addresses`"
            yield Problem(rule="ra-address", path=(*interface.path, "ra"), text=text)


def ra_times(index: Index) -> Iterator[Problem]:
    """Find times that VPP does not take together."""
    for interface in index.interfaces:
        ra = interface.ra
        if ra is None:
            continue
        path = (*interface.path, "ra")
        if ra.min_interval_s * 4 > ra.max_interval_s * 3:
            text = f"min-interval {ra.min_interval_s} is more than three quarters of interval {ra.max_interval_s}"
            yield Problem(rule="ra-interval", path=(*path, "min-interval"), text=text)
        if 0 < ra.lifetime_s <= ra.max_interval_s:
            text = (
                f"the lifetime, {ra.lifetime_s} s, is over before the next advertisement comes, "
                f"after up to {ra.max_interval_s} s; make it longer, or 0"
            )
            yield Problem(rule="ra-lifetime", path=(*path, "lifetime"), text=text)


def ra_prefixes(index: Index) -> Iterator[Problem]:
    """Find prefixes that no host could use, and those that stand there twice."""
    for interface in index.interfaces:
        if interface.ra is None:
            continue
        seen: set[str] = set()
        for each in interface.ra.prefixes:
            path = (*interface.path, "ra", "prefixes")
            if reason := _why_unfit(each):
                yield Problem(rule="ra-prefix", path=path, text=f"{each.prefix} {reason}")
            elif each.prefix in seen:
                yield Problem(rule="ra-prefix", path=path, text=f"{each.prefix} is here a second time; remove one")
            seen.add(each.prefix)


def _why_unfit(each: RaPrefix) -> str | None:
    network = canonical_prefix(each.prefix)
    key = address_key(each.prefix) if network is not None else None
    if key is None or key.family == 4 or not key.length:
        return "is no IPv6 prefix; write one such as 2001:db8:1::/64"
    if is_link_local(each.prefix) or key.value >> 120 == 0xFF:
        return "is no prefix of hosts; link-local and multicast ones are not advertised"
    if network != each.prefix:
        return f"is an address in a prefix; write {network}"
    if each.is_autonomous and key.length != _AUTONOMOUS_LENGTH:
        return f"has not {_AUTONOMOUS_LENGTH} bits, so hosts make no addresses of it; add `autonomous: false`"
    return None


def lacks_ipv6(interface: InterfaceConfig, index: Index) -> bool:
    """Return whether an interface has no IPv6 address, and could have one."""
    if interface.name in index.bonds or index.why_switched(interface.name):
        return False
    return not any(":" in address and not is_link_local(address) for address in interface.addresses)


class RaKind(FeatureKind[RouterAdvertisements | None]):
    """The key `ra` of interfaces, and the router advertisements in VPP."""

    key = "ra"
    foreign_keys = ("router-advert", "router-advertisement", "nd")
    attribute = "ra"
    is_of_bond = True
    is_routing = True
    is_read_closely = True
    operations = (SetRa, ResetRa, SilenceRa, SetRaPrefix, RemoveRaPrefix, RenewIpv6)
    rules = (ra_alone, ra_times, ra_prefixes)
    api_module = "ip6_nd"
    on_interfaces = ("ra",)

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether the interface is without IPv6 addresses for a while (vnet/ip/ip6_link.c)."""
        return transition.loses_ipv6(name)

    def is_forgotten(self, transition: Transition, name: str) -> bool:
        """Return whether IPv6 is turned off and on again."""
        return transition.renews_ipv6(name)

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the step that turns IPv6 off and on, where the interface advertises another MTU than it has."""
        if transition.renews_ipv6(name):
            yield Step(stage=Stage.RENEW_IPV6, operation=RenewIpv6(interface=name))

    def parse(self, raw: Mapping[str, Any]) -> RouterAdvertisements:
        """Return the router advertisements of an entry; a prefix that is none is kept for a rule to find."""
        interval = raw.get("interval") or _DEFAULT.max_interval_s
        lifetime = raw.get("lifetime")
        prefixes = [_prefix_of(str(prefix), value or {}) for prefix, value in (raw.get("prefixes") or {}).items()]
        sound = [each for each in prefixes if canonical_address(each.prefix)]
        return RouterAdvertisements(
            **{attribute: bool(raw.get(key)) for key, attribute in _SWITCHES.items()},
            lifetime_s=_DEFAULT.lifetime_s if lifetime is None else lifetime,
            max_interval_s=interval,
            min_interval_s=raw.get("min-interval") or _shortest_interval_s(interval),
            prefixes=(*ra_prefixes_in_order(sound), *(each for each in prefixes if each not in sound)),
        )

    def as_yaml(self, value: RouterAdvertisements | None) -> Value:
        ra = value or _DEFAULT
        shortest = _shortest_interval_s(ra.max_interval_s)
        return (
            *(KeyValue(key, True) for key, attribute in _SWITCHES.items() if getattr(ra, attribute)),
            *([KeyValue("lifetime", ra.lifetime_s)] if ra.lifetime_s != _DEFAULT.lifetime_s else []),
            *([KeyValue("interval", ra.max_interval_s)] if ra.max_interval_s != _DEFAULT.max_interval_s else []),
            *([KeyValue("min-interval", ra.min_interval_s)] if ra.min_interval_s != shortest else []),
            *([KeyValue("prefixes", tuple(_prefix_in_file(each) for each in ra.prefixes))] if ra.prefixes else []),
        )

    def unsupported_reason(self, value: RouterAdvertisements | None) -> str | None:
        if (ra := value) is None:
            return None
        if not ra.is_sent:
            return "it has settings for router advertisements and sends none"
        if ra.is_ending:
            return "its router advertisements are about to end"
        if not ra.has_link_layer_address:
            return "its router advertisements leave out its MAC address"
        if (ra.initial_count, ra.initial_interval_s) != (_DEFAULT.initial_count, _DEFAULT.initial_interval_s):
            return "its first router advertisements come at another pace"
        return next((f"its router advertisements {reason}" for each in ra.prefixes if (reason := _why_not(each))), None)

    def setters(self, name: str, value: RouterAdvertisements | None) -> Iterable[SetFeature]:
        """Return the prefixes before the rest, so that the first advertisement names them."""
        if value is None:
            return []
        prefixes = [
            SetRaPrefix(
                interface=name,
                prefix=each.prefix,
                is_on_link=each.is_on_link,
                is_autonomous=each.is_autonomous,
                is_lasting=each.is_lasting,
                is_named=each.is_named,
            )
            for each in value.prefixes
        ]
        settings = replace(value, prefixes=())
        return [*prefixes, *([SetRa(interface=name, settings=settings)] if settings != NO_ADVERTISEMENTS else [])]

    def requests_about(self, connection: VppReader, replies: Replies, indexes: Sequence[int] | None) -> list[bytes]:
        """Return the requests for what the interfaces at `indexes` advertise, None for all, where VPP takes them."""
        if not connection.offers(_DUMP):
            return []
        asked = (ALL_INDEXES,) if indexes is None else indexes
        return [connection.request(_DUMP, {"sw_if_index": index})[1] for index in asked]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, RouterAdvertisements | None]:
        """Return what is advertised, by interface index, without unconfigured interfaces.

        Raise DataplaneError when a list of prefixes is shorter than its length field.
        """
        if not connection.offers(_DUMP):
            return {}
        details = connection.message(_DETAILS)
        rows = connection.rows(replies, _DETAILS, "sw_if_index", "n_prefixes", *_PATHS)
        found: dict[int, RouterAdvertisements | None] = {}
        try:
            for data, (index, count, *values) in zip(replies.get(details.index, ()), rows, strict=True):
                if not count and values == _QUIET:
                    continue
                prefixes = ra_prefixes_in_order(_prefix(*row) for row in details.items(data, *_PREFIX_PATHS))
                advertised = _advertised(prefixes, *values)
                if advertised != NO_ADVERTISEMENTS:
                    found[index] = advertised
        except struct.error as error:
            raise malformed(_DETAILS) from error
        return found


def read_mtus(connection: VppReader, replies: Replies) -> dict[int, int]:
    """Return the MTU that router advertisements name, by index of the Ethernet interfaces on which IPv6 is on."""
    if not connection.offers(_DUMP):
        return {}
    return dict(connection.rows(replies, _DETAILS, "sw_if_index", "adv_link_mtu"))


def _shortest_interval_s(longest_s: int) -> int:
    """Return the shortest time between advertisements where the file has the longest alone, as VPP has it."""
    return longest_s * 3 // 4


def _prefix_of(text: str, value: Mapping[str, Any]) -> RaPrefix:
    return RaPrefix(
        prefix=canonical_address(text) or text,
        is_on_link=value.get("on-link") is not False,
        is_autonomous=value.get("autonomous") is not False,
    )


def _prefix_in_file(prefix: RaPrefix) -> KeyValue:
    off = {"on-link": prefix.is_on_link, "autonomous": prefix.is_autonomous}
    return KeyValue(prefix.prefix, tuple(KeyValue(key, False) for key, is_on in off.items() if not is_on))


def _why_not(prefix: RaPrefix) -> str | None:
    if not prefix.is_lasting:
        return f"let {prefix.prefix} run out"
    if not prefix.is_named:
        return f"have {prefix.prefix} and do not name it"
    return None if canonical_prefix(prefix.prefix) == prefix.prefix else f"name {prefix.prefix}, which is no network"


def _advertised(
    prefixes: tuple[RaPrefix, ...],
    is_managed: int,
    has_other: int,
    lifetime_s: int,
    is_sent: int,
    is_ending: int,
    is_unicast: int,
    has_link_layer_address: int,
    max_interval_s: bytes,
    min_interval_s: bytes,
    initial_count: int,
    initial_interval_s: bytes,
) -> RouterAdvertisements:
    return RouterAdvertisements(
        is_sent=bool(is_sent),
        is_managed=bool(is_managed),
        has_other=bool(has_other),
        is_unicast=bool(is_unicast),
        lifetime_s=lifetime_s,
        max_interval_s=_whole(max_interval_s),
        min_interval_s=_whole(min_interval_s),
        has_link_layer_address=bool(has_link_layer_address),
        is_ending=bool(is_ending),
        initial_count=initial_count,
        initial_interval_s=_whole(initial_interval_s),
        prefixes=prefixes,
    )


def _whole(raw: bytes) -> int:
    """Return seconds that VPP has as a floating-point number, in its own byte order, although it takes whole ones."""
    (seconds,) = struct.unpack("<d", raw)
    if not math.isfinite(seconds) or abs(seconds) > _FOREVER:
        raise malformed(_DETAILS)
    return int(seconds)


def _prefix(
    family: int,
    raw: bytes,
    length: int,
    is_on_link: int,
    is_autonomous: int,
    valid_s: int,
    preferred_s: int,
    is_left_out: int,
) -> RaPrefix:
    if not family or length > 128:
        raise malformed(_DETAILS)
    return RaPrefix(
        prefix=f"{text_of_address(family, raw)}/{length}",
        is_on_link=bool(is_on_link),
        is_autonomous=bool(is_autonomous),
        is_lasting=valid_s == preferred_s == _FOREVER,
        is_named=not is_left_out,
    )


KIND = RaKind()
