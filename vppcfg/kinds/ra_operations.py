"""Operations that set router advertisements (vnet/ip6-nd), with their messages and commands; `ra` has the rest.

VPP has these settings only while IPv6 is on: while the interface has an IPv6 address, or IPv6 was enabled on it
(vnet/ip/ip6_link.c).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace

from vppcfg.model.features import NO_ADVERTISEMENTS, RaPrefix, RouterAdvertisements, ra_prefixes_in_order
from vppcfg.model.state import State
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.operation import InterfaceOperation, Predicate
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import prefix_values

_CONFIGURE = "sw_interface_ip6nd_ra_config"
_SET_PREFIX = "sw_interface_ip6nd_ra_prefix"
_FOREVER = 0xFFFFFFFF
_FLAGS: tuple[tuple[str, Callable[[RouterAdvertisements], bool]], ...] = (
    ("ra-managed-config-flag", lambda settings: settings.is_managed),
    ("ra-other-config-flag", lambda settings: settings.has_other),
    ("ra-send-unicast", lambda settings: settings.is_unicast),
    ("ra-cease", lambda settings: settings.is_ending),
)
"""The prompt takes `ra-suppress-link-layer` for `ra-suppress`, so that is no flag (vnet/ip6-nd/ip6_ra.c)."""


@record
class RaOperation(SetFeature):
    """An operation on router advertisements."""

    attribute = "ra"
    is_plural = True

    def applied(self, value: RouterAdvertisements | None) -> RouterAdvertisements | None:
        after = self._changed(value or NO_ADVERTISEMENTS)
        return None if after == NO_ADVERTISEMENTS else after

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        raise NotImplementedError(type(self).__name__)

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if interface.has_ipv6 or interface.ra is not None or interface.link_local is not None:
            return None
        return f"IPv6 is off on {self.interface}, which has no IPv6 address"


@record
class SetRa(RaOperation):
    """sw_interface_ip6nd_ra_config: send router advertisements, with what differs from the default."""

    settings: RouterAdvertisements
    """Without prefixes."""

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        """Return the operations that go back to the default, which starts to send, and end it."""
        return ResetRa(interface=self.interface), SilenceRa(interface=self.interface)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether nothing is to go back to the default."""
        return isinstance(former, SetRa) and former.settings.may_become(self.settings)

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return replace(self.settings, is_sent=True, prefixes=value.prefixes)

    def _refusal(self, working: WorkingState) -> str | None:
        present = working.interfaces[self.interface].ra
        if present is not None and not present.may_become(self.settings):
            return f"{self.interface} would go on to advertise what was set there before"
        return RaOperation._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name what is not as by default. A zero leaves as it is what it stands for."""
        settings = self.settings
        values: dict[str, Value] = {
            "sw_if_index": indexes.interface(self.interface),
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

    def cli(self) -> str | None:
        settings = self.settings
        if not settings.has_link_layer_address:
            return None
        words = [f"ip6 nd {self.interface}"]
        words += [word for word, is_on in _FLAGS if is_on(settings)]
        words.append(f"ra-interval {settings.max_interval_s} {settings.min_interval_s}")
        words.append(f"ra-lifetime {settings.lifetime_s}")
        initial = (settings.initial_count, settings.initial_interval_s)
        if initial != (NO_ADVERTISEMENTS.initial_count, NO_ADVERTISEMENTS.initial_interval_s):
            words.append(f"ra-initial {initial[0]} {initial[1]}")
        return " ".join(words)


@record
class ResetRa(RaOperation):
    """sw_interface_ip6nd_ra_config: advertise as by default. VPP begins to send with it."""

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return RouterAdvertisements(prefixes=value.prefixes)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name everything, to go back to its default; VPP looks at the numbers for being none alone."""
        names = ("managed", "other", "ll_option", "send_unicast", "cease", "default_router")
        numbers = ("lifetime", "max_interval", "min_interval", "initial_count", "initial_interval")
        values: dict[str, Value] = dict.fromkeys((*names, *numbers), 1)
        return Request(_CONFIGURE, {"sw_if_index": indexes.interface(self.interface), "is_no": 1, **values})

    def cli(self) -> str:
        flags = " ".join(word for word, _ in _FLAGS)
        return f"ip6 nd {self.interface} no {flags} ra-interval 200 150 ra-lifetime 600 ra-initial 3 16"


@record
class SilenceRa(RaOperation):
    """sw_interface_ip6nd_ra_config: send no router advertisements."""

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return replace(value, is_sent=False)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_CONFIGURE, {"sw_if_index": indexes.interface(self.interface), "suppress": 1})

    def cli(self) -> str:
        return f"ip6 nd {self.interface} ra-suppress"


@record
class SetRaPrefix(RaOperation):
    """sw_interface_ip6nd_ra_prefix: announce a prefix in router advertisements, or change it."""

    prefix: str
    is_on_link: bool = True
    is_autonomous: bool = True
    is_lasting: bool = True
    """False only of prefixes of others, which no plan sets."""
    is_named: bool = True

    @property
    def part(self) -> Hashable:
        return self.prefix

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        """Return the operation that takes it out."""
        return (RemoveRaPrefix(interface=self.interface, prefix=self.prefix),)

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        own = RaPrefix(
            prefix=self.prefix,
            is_on_link=self.is_on_link,
            is_autonomous=self.is_autonomous,
            is_named=self.is_named,
        )
        others = (each for each in value.prefixes if each.prefix != self.prefix)
        return replace(value, prefixes=ra_prefixes_in_order([*others, own]))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "sw_if_index": indexes.interface(self.interface),
            **prefix_values("prefix", self.prefix),
            "no_advertise": int(not self.is_named),
            "no_autoconfig": int(not self.is_autonomous),
            "no_onlink": int(not self.is_on_link),
            "val_lifetime": _FOREVER,
            "pref_lifetime": _FOREVER,
        }
        return Request(_SET_PREFIX, values)

    def cli(self) -> str:
        words = [f"ip6 nd {self.interface} prefix {self.prefix} infinite"]
        words += [] if self.is_named else ["no-advertise"]
        words += [] if self.is_autonomous else ["no-autoconfig"]
        words += [] if self.is_on_link else ["no-onlink"]
        return " ".join(words)


@record
class RemoveRaPrefix(RaOperation):
    """sw_interface_ip6nd_ra_prefix: name a prefix no more. Hosts that have heard of it keep what they made of it."""

    prefix: str

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return replace(value, prefixes=tuple(each for each in value.prefixes if each.prefix != self.prefix))

    def _refusal(self, working: WorkingState) -> str | None:
        present = working.interfaces[self.interface].ra
        if present is not None and any(each.prefix == self.prefix for each in present.prefixes):
            return None
        return f"{self.interface} does not advertise {self.prefix}"

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        prefix = prefix_values("prefix", self.prefix)
        return Request(_SET_PREFIX, {"sw_if_index": indexes.interface(self.interface), **prefix, "is_no": 1})

    def cli(self) -> str:
        return f"ip6 nd {self.interface} no prefix {self.prefix}"


@record
class RenewIpv6(InterfaceOperation):
    """sw_interface_ip6_enable_disable: turn IPv6 off and on again, as often as it is on.

    Router advertisements name the MTU that the interface had when IPv6 came up, and VPP has nothing else that sets it
    (ip6_ra_link_enable in vnet/ip6-nd/ip6_ra.c). Addresses, their routes and neighbours stay; router advertisements and
    a link-local address that was chosen are forgotten.
    """

    def apply_to(self, working: WorkingState) -> None:
        """Forget what goes with IPv6."""
        working.change(self.interface, ra=None, link_local=None, ra_mtu=0)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message that comes first; `renewing` sends the others."""
        return Request(
            "sw_interface_ip6_enable_disable", {"sw_if_index": indexes.interface(self.interface), "enable": 0}
        )

    def cli(self) -> None:
        """Return None: how often IPv6 must be disabled and enabled is found out when it is done."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(
            "has IPv6 turned off and on to advertise its MTU", "have IPv6 turned off and on to advertise MTUs"
        )
