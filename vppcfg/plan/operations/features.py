"""What VPP does with the packets of an interface beyond forwarding them, one thing each (vnet/feature/feature.c)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

from vppcfg.model.features import (
    DELETED_TARGET,
    DhcpClient,
    Mirror,
    MssLimit,
    TrafficDirection,
    UrpfCheck,
    UrpfMode,
    mirrors_in_order,
    urpf_in_order,
)
from vppcfg.model.interface import FEATURES
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import InterfaceOperation
from vppcfg.record import record


@record
class SetFeature(InterfaceOperation):
    """An operation that sets a feature of an interface, or one part of it."""

    attribute: ClassVar[str]
    """Of Interface, a key of FEATURES."""

    @property
    def part(self) -> Hashable:
        """Return which part of the feature it sets; a plan sets each once."""
        return ()

    @property
    def undone(self) -> SetFeature:
        """Return the operation that turns off what this one sets."""
        raise NotImplementedError(type(self).__name__)

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        """Return the operations that do so, where it takes several."""
        return (self.undone,)

    @property
    def looks_at_frames(self) -> bool:
        """Return whether VPP forgets it when the interface is put into L2 mode, so that it is set again."""
        return False

    @property
    def needs(self) -> str | None:
        """Return another interface on which it hangs."""
        return None

    def replaces(self, former: SetFeature) -> bool:
        """Return whether VPP takes it where `former` has set the same part, which otherwise is undone before."""
        return True

    def applied(self, value: Any) -> Any:
        """Return what the attribute is after this, where it was `value` before."""
        raise NotImplementedError(type(self).__name__)

    def carry_out(self, draft: Draft) -> None:
        """Set it."""
        value = self.applied(getattr(draft.interfaces[self.interface], self.attribute))
        draft.change(self.interface, **{self.attribute: value})


@record
class Switch(SetFeature):
    """An operation that turns a feature on or off."""

    is_on: bool

    @property
    def undone(self) -> Switch:
        """Return the operation that turns it off."""
        return type(self)(interface=self.interface, is_on=False)

    def applied(self, value: Any) -> bool:
        """Return whether it is on then."""
        return self.is_on

    def _refusal(self, draft: Draft) -> str | None:
        if getattr(draft.interfaces[self.interface], self.attribute) != self.is_on:
            return None
        return f"{FEATURES[self.attribute]} on {self.interface} is {'on' if self.is_on else 'off'} already"


@record
class SetGso(Switch):
    """feature_gso_enable_disable: cut large packets that leave an interface, or no longer (vnet/gso/gso.c).

    VPP counts how often it was told to, so it is told once.
    """

    attribute = "has_gso"

    @property
    def looks_at_frames(self) -> bool:
        """Return True."""
        return True


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
class SetUrpf(SetFeature):
    """urpf_update_v2: check where packets of one family in one direction come from, or no longer (plugins/urpf/urpf.c).

    Setting what VPP believes to be set does nothing, even where that was of an interface that had the index before.
    """

    attribute = "urpf"
    is_ipv6: bool
    is_output: bool
    mode: UrpfMode | None
    """None checks nothing."""
    table_id: int | None = None

    @property
    def part(self) -> Hashable:
        """Return the family and the direction."""
        return self.is_ipv6, self.is_output

    @property
    def undone(self) -> SetUrpf:
        """Return the operation that checks these packets no longer."""
        return SetUrpf(interface=self.interface, is_ipv6=self.is_ipv6, is_output=self.is_output, mode=None)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether both ask the same table: the former one may be about to go."""
        return isinstance(former, SetUrpf) and former.table_id == self.table_id

    def applied(self, value: Any) -> tuple[UrpfCheck, ...]:
        """Return the checks that there are then."""
        others = [each for each in value if (each.is_ipv6, each.is_output) != self.part]
        if self.mode is None:
            return tuple(others)
        own = UrpfCheck(mode=self.mode, is_ipv6=self.is_ipv6, is_output=self.is_output, table_id=self.table_id)
        return urpf_in_order([*others, own])


@record
class SetMssClamp(SetFeature):
    """mss_clamp_enable_disable: limit the segments of TCP connections, of both families at once."""

    attribute = "mss_clamp"
    limits: tuple[MssLimit, ...]

    @property
    def undone(self) -> SetMssClamp:
        """Return the operation that limits nothing."""
        return SetMssClamp(interface=self.interface, limits=())

    def applied(self, value: Any) -> tuple[MssLimit, ...]:
        """Return the limits that there are then."""
        return self.limits


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
