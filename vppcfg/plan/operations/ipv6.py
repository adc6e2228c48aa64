"""Router advertisements and the link-local address of an interface: what there is of them is there while IPv6 is on.

IPv6 is on while the interface has an address of its own, or somebody has turned it on (vnet/ip/ip6_link.c).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from vppcfg.model.features import (
    NO_ADVERTISEMENTS,
    RaPrefix,
    RouterAdvertisements,
    ra_prefixes_in_order,
)
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import SetFeature
from vppcfg.plan.operation import InterfaceOperation
from vppcfg.record import record


@record
class RaOperation(SetFeature):
    """An operation on router advertisements."""

    attribute = "ra"

    def applied(self, value: RouterAdvertisements | None) -> RouterAdvertisements | None:
        """Return what is advertised then."""
        after = self._changed(value or NO_ADVERTISEMENTS)
        return None if after == NO_ADVERTISEMENTS else after

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        raise NotImplementedError(type(self).__name__)

    def _refusal(self, draft: Draft) -> str | None:
        interface = draft.interfaces[self.interface]
        if interface.has_ipv6 or interface.ra is not None or interface.link_local is not None:
            return None
        return f"IPv6 is off on {self.interface}, which has no IPv6 address"


@record
class SetRa(RaOperation):
    """sw_interface_ip6nd_ra_config: send router advertisements, and say in them what is not as by default."""

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

    def _refusal(self, draft: Draft) -> str | None:
        present = draft.interfaces[self.interface].ra
        if present is not None and not present.may_become(self.settings):
            return f"{self.interface} would go on to advertise what was set there before"
        return RaOperation._refusal(self, draft)


@record
class ResetRa(RaOperation):
    """sw_interface_ip6nd_ra_config: advertise as by default. VPP begins to send with it."""

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return RouterAdvertisements(prefixes=value.prefixes)


@record
class SilenceRa(RaOperation):
    """sw_interface_ip6nd_ra_config: send no router advertisements."""

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return replace(value, is_sent=False)


@record
class SetRaPrefix(RaOperation):
    """sw_interface_ip6nd_ra_prefix: name a prefix in router advertisements, or say something else of it."""

    prefix: str
    is_on_link: bool = True
    is_autonomous: bool = True
    is_lasting: bool = True
    """False only of what VPP has been told by others, which no plan sets."""
    is_named: bool = True

    @property
    def part(self) -> Hashable:
        """Return the prefix."""
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


@record
class RemoveRaPrefix(RaOperation):
    """sw_interface_ip6nd_ra_prefix: name a prefix no more. Hosts that have heard of it keep what they made of it."""

    prefix: str

    def _changed(self, value: RouterAdvertisements) -> RouterAdvertisements:
        return replace(value, prefixes=tuple(each for each in value.prefixes if each.prefix != self.prefix))

    def _refusal(self, draft: Draft) -> str | None:
        present = draft.interfaces[self.interface].ra
        if present is not None and any(each.prefix == self.prefix for each in present.prefixes):
            return None
        return f"{self.interface} does not advertise {self.prefix}"


@record
class RenewIpv6(InterfaceOperation):
    """sw_interface_ip6_enable_disable: turn IPv6 off and on again, as often as it is on.

    Router advertisements name the MTU that the interface had when IPv6 came up, and VPP has nothing else that sets it
    (ip6_ra_link_enable in vnet/ip6-nd/ip6_ra.c). Addresses, their routes and neighbours stay; router advertisements and
    a link-local address that was chosen are forgotten.
    """

    def carry_out(self, draft: Draft) -> None:
        """Forget what goes with IPv6."""
        draft.change(self.interface, ra=None, link_local=None, ra_mtu=0)


@record
class SetLinkLocal(SetFeature):
    """sw_interface_ip6_set_link_local_address: take another link-local address in place of the one that there is."""

    attribute = "link_local"
    address: str
    """'' for the one that VPP would make of a MAC address, which is not known here."""
    is_chosen: bool = True
    """False where it is that one."""

    @property
    def undone(self) -> SetLinkLocal:
        """Return the operation that takes the one that VPP would make."""
        return SetLinkLocal(interface=self.interface, address="", is_chosen=False)

    def applied(self, value: Any) -> str | None:
        """Return the address that was chosen."""
        return self.address if self.is_chosen else None

    def _refusal(self, draft: Draft) -> str | None:
        interface = draft.interfaces[self.interface]
        if interface.has_ipv6 or (interface.link_local is not None and not self.is_chosen):
            return None
        return f"{self.interface} has no IPv6 address, so that nobody would turn IPv6 off there again"
