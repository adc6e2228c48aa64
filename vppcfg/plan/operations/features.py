"""What VPP does with the packets of an interface beyond forwarding them, one thing each (vnet/feature/feature.c)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

from vppcfg.model.interface import FEATURES
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import InterfaceOperation
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
