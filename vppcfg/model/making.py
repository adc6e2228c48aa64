"""What every interface has that VPP makes on demand: what it is made with, and how it looks before anything is set."""

from __future__ import annotations

from typing import ClassVar

from vppcfg.model.interface import InterfaceKind
from vppcfg.record import record


@record
class Making:
    """What one interface is made with. A class of these is a kind, and says what all of that kind have alike.

    `model/kinds` lists the kinds. Loopbacks and sub-interfaces are none: all that they are made with is said by
    `Interface`.
    """

    kind: ClassVar[InterfaceKind]
    noun: ClassVar[str]
    """What an operator calls one, such as `VXLAN tunnel`."""
    table: ClassVar[str]
    """The key of a state document under which they stand."""
    fixed: ClassVar[tuple[str, ...]]
    """Attributes that VPP cannot change in place: where one differs, the interface is made anew."""
    is_up_as_created: ClassVar[bool] = False
    link_mtu_as_created: ClassVar[int | None] = None
    """Bytes; None for a kind that refuses a link MTU."""

    @property
    def identity(self) -> tuple[object, ...] | None:
        """Return what VPP takes only one interface of the kind with; None where it takes any number that are alike."""
        return None

    @property
    def other_end(self) -> str | None:
        """Return the canonical address, looked up in FIB table 0, that a tunnel leads to; None for anything else."""
        return None

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries Ethernet frames; an interface that does not has no MAC address."""
        return True

    @property
    def own_end(self) -> str | None:
        """Return the own address, without a length, on which a tunnel stands; None for what is no tunnel."""
        return None
