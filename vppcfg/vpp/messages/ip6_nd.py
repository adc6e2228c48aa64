"""Router advertisements: how they are set, and what each interface advertises (vnet/ip6-nd/ip6_nd.api)."""

from __future__ import annotations

import math
import struct

from vppcfg.model.features import NO_ADVERTISEMENTS, RaPrefix, RouterAdvertisements, ra_prefixes_in_order
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.address_codec import prefix_values, text_of_address
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies, malformed

ATTRIBUTE = "ra"
PARTS: dict[str, str] = {}
_CONFIGURE = "sw_interface_ip6nd_ra_config"
_SET_PREFIX = "sw_interface_ip6nd_ra_prefix"
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
"""What is at these paths where nobody has asked for anything: most interfaces, which are passed over quickly."""


def _set_ra(operation: op.SetRa, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name what is not as by default. A zero leaves as it is what it stands for."""
    settings = operation.settings
    values: dict[str, Value] = {
        "sw_if_index": indexes.interface(operation.interface),
        "managed": int(settings.is_managed),
        "other": int(settings.has_other),
        "ll_option": int(not settings.has_link_layer_address),
        "send_unicast": int(settings.is_unicast),
        "cease": int(settings.is_ending),
        "default_router": 1,
        "lifetime": settings.lifetime_s,
        "max_interval": settings.max_interval_s,
        "min_interval": settings.min_interval_s,
    }
    initial = (settings.initial_count, settings.initial_interval_s)
    if initial != (NO_ADVERTISEMENTS.initial_count, NO_ADVERTISEMENTS.initial_interval_s):
        values |= {"initial_count": initial[0], "initial_interval": initial[1]}
    return Request(_CONFIGURE, values)


def _reset_ra(operation: op.ResetRa, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name everything, to go back to its default; VPP looks at the numbers for being none alone."""
    names = ("managed", "other", "ll_option", "send_unicast", "cease", "default_router")
    numbers = ("lifetime", "max_interval", "min_interval", "initial_count", "initial_interval")
    values: dict[str, Value] = dict.fromkeys((*names, *numbers), 1)
    return Request(_CONFIGURE, {"sw_if_index": indexes.interface(operation.interface), "is_no": 1, **values})


def _silence_ra(operation: op.SilenceRa, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request(_CONFIGURE, {"sw_if_index": indexes.interface(operation.interface), "suppress": 1})


def _renew_ipv6(operation: op.RenewIpv6, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Return the message that comes first; `renewing` sends the others."""
    return Request(
        "sw_interface_ip6_enable_disable", {"sw_if_index": indexes.interface(operation.interface), "enable": 0}
    )


def _set_ra_prefix(operation: op.SetRaPrefix, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "sw_if_index": indexes.interface(operation.interface),
        **prefix_values("prefix", operation.prefix),
        "no_advertise": int(not operation.is_named),
        "no_autoconfig": int(not operation.is_autonomous),
        "no_onlink": int(not operation.is_on_link),
        "val_lifetime": _FOREVER,
        "pref_lifetime": _FOREVER,
    }
    return Request(_SET_PREFIX, values)


def _remove_ra_prefix(operation: op.RemoveRaPrefix, indexes: Indexes, vpp: Vocabulary) -> Request:
    prefix = prefix_values("prefix", operation.prefix)
    return Request(_SET_PREFIX, {"sw_if_index": indexes.interface(operation.interface), **prefix, "is_no": 1})


MESSAGES: Messages = {
    op.SetRa: _set_ra,
    op.ResetRa: _reset_ra,
    op.SilenceRa: _silence_ra,
    op.RenewIpv6: _renew_ipv6,
    op.SetRaPrefix: _set_ra_prefix,
    op.RemoveRaPrefix: _remove_ra_prefix,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for what all interfaces advertise, where VPP takes it."""
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, RouterAdvertisements]:
    """Return what is advertised, by interface index, without the interfaces of which nobody has asked for any.

    Raise DataplaneError when a list of prefixes is shorter than it says.
    """
    if not connection.offers(_DUMP):
        return {}
    details = connection.message(_DETAILS)
    rows = connection.rows(replies, _DETAILS, "sw_if_index", "n_prefixes", *_PATHS)
    found = {}
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


def read_mtus(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return the MTU that router advertisements name, by index of the Ethernet interfaces on which IPv6 is on."""
    if not connection.offers(_DUMP):
        return {}
    return dict(connection.rows(replies, _DETAILS, "sw_if_index", "adv_link_mtu"))


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
