"""What VPP does with the packets of an interface beyond forwarding them, one thing each (vnet/feature/feature.c)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from vppcfg.model.features import (
    DELETED_TARGET,
    DhcpClient,
    Mirror,
    TrafficDirection,
    mirrors_in_order,
)
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import SetFeature
from vppcfg.record import record


@record
class SetDhcpClient(SetFeature):
    """dhcp_client_config: ask for an IPv4 address, or no longer, which gives back the one that was leased.

    VPP changes no client that there is, so it is taken out in between. It outlives its interface (dhcp/client.c).
    """

    attribute = "dhcp_client"
    client: DhcpClient | None

    @property
    def undone(self) -> SetDhcpClient:
        """Return the operation that asks no longer."""
        return SetDhcpClient(interface=self.interface, client=None)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether it is the same client."""
        return former == self

    def applied(self, value: Any) -> DhcpClient | None:
        """Return the client that there is then."""
        return self.client

    def _refusal(self, draft: Draft) -> str | None:
        is_there = draft.interfaces[self.interface].dhcp_client is not None
        if is_there == (self.client is not None):
            return f"{self.interface} has {'a' if is_there else 'no'} DHCP client"
        return None


@record
class SetMirror(SetFeature):
    """sw_interface_span_enable_disable: send copies of frames to another interface, or no longer (vnet/span/span.c).

    VPP notes both by their indexes, and goes on with whatever interface has these.
    """

    attribute = "mirrors"
    target: str
    """DELETED_TARGET stands for one that is gone; without a direction, that ends all mirrors of the interface."""
    direction: TrafficDirection | None
    """None copies nothing."""
    is_l2: bool = False

    @property
    def part(self) -> Hashable:
        """Return where frames are taken, and where the copies go."""
        return self.is_l2, self.target

    @property
    def undone(self) -> SetMirror:
        """Return the operation that copies nothing any more."""
        return SetMirror(interface=self.interface, target=self.target, direction=None, is_l2=self.is_l2)

    @property
    def looks_at_frames(self) -> bool:
        """Return whether it is one of L2 mode."""
        return self.is_l2

    @property
    def needs(self) -> str | None:
        """Return the target."""
        return self.target

    def applied(self, value: Any) -> tuple[Mirror, ...]:
        """Return the mirrors that there are then."""
        if self.direction is None and self.target == DELETED_TARGET:
            return tuple(each for each in value if each.is_l2 != self.is_l2)
        others = [each for each in value if (each.is_l2, each.target) != self.part]
        if self.direction is None:
            return tuple(others)
        return mirrors_in_order([*others, Mirror(target=self.target, direction=self.direction, is_l2=self.is_l2)])

    def _refusal(self, draft: Draft) -> str | None:
        if self.direction is None or self.target in draft.interfaces:
            return None
        return f"there is no {self.target} to mirror {self.interface} to"

    def carry_out(self, draft: Draft) -> None:
        """Set it."""
        draft.mirrored.drop(self.interface, _targets(self.interface, draft))
        SetFeature.carry_out(self, draft)
        draft.mirrored.add(self.interface, _targets(self.interface, draft))


def _targets(name: str, draft: Draft) -> set[str]:
    return {each.target for each in draft.interfaces[name].mirrors}
