"""In which phase, and in which order within it, each kind of step runs. This table is the only place that says so."""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from vppcfg.plan.operations import Operation
from vppcfg.record import record


class Phase(Enum):
    """The three parts of a plan, in order: remove what is in the way, make what is missing, set what differs."""

    PRUNE = "prune"
    CREATE = "create"
    SYNC = "sync"


class Stage(IntEnum):
    """Steps of one kind, in the order in which they run."""

    SHUT = auto()
    DELETE_ORPHANED_LCP = auto()
    """Pairs that have lost their Linux device: whatever else was done would still reach their old index."""
    TURN_OFF = auto()
    """Access lists, sFlow and MPLS of what is deleted; sFlow and MPLS where they are no longer wanted.

    MPLS goes before the LCP pair, whose VPP side has it too and would leave it to the next interface with its index.
    """
    DELETE_LCP = auto()
    UNSET_UNNUMBERED = auto()
    REMOVE_ADDRESS = auto()
    LEAVE_L2 = auto()
    DELETE_BRIDGE = auto()
    DELETE_SUB_INTERFACE = auto()
    REMOVE_BOND_MEMBER = auto()
    DELETE_INTERFACE = auto()

    CREATE_NAMESPACE = auto()
    CREATE_LINUX_BRIDGE = auto()
    CREATE_INTERFACE = auto()
    ADD_BOND_MEMBER = auto()
    SET_MAC = auto()
    CREATE_SUB_INTERFACE = auto()
    DELETE_AUTO_LCP = auto()
    """Pairs that VPP made by itself (lcp-auto-subint) and that are not the ones that are wanted."""
    CREATE_BRIDGE = auto()
    WRITE_ACL = auto()
    """New access lists, and new rules of old ones, in place: no packet passes unfiltered meanwhile."""
    CREATE_LCP = auto()
    MARK = auto()

    SET_BRIDGE = auto()
    JOIN_BRIDGE = auto()
    JOIN_AS_BVI = auto()
    ENTER_L2 = auto()
    SHUT_FOR_LINK_MTU = auto()
    LINK_MTU = auto()
    SHRINK_PACKET_MTU = auto()
    GROW_PACKET_MTU = auto()
    ADD_ADDRESS = auto()
    SET_UNNUMBERED = auto()
    CREATE_MPLS_TABLE = auto()
    TURN_MPLS_ON = auto()
    BIND_ACLS = auto()
    SET_SFLOW = auto()
    TURN_SFLOW_ON = auto()
    ADMIN_DOWN = auto()
    ADMIN_UP = auto()
    SET_LINUX_LINK = auto()
    SET_LINUX_BRIDGE = auto()
    TAG = auto()
    DELETE_ACL = auto()
    """Last, because an interface that stays applies the old lists until it applies the new ones."""

    @property
    def phase(self) -> Phase:
        """Return the phase that the stage belongs to."""
        if self < Stage.CREATE_NAMESPACE:
            return Phase.PRUNE
        return Phase.CREATE if self < Stage.SET_BRIDGE else Phase.SYNC


CHILDREN_FIRST = frozenset(
    {
        Stage.SHUT,
        Stage.DELETE_ORPHANED_LCP,
        Stage.DELETE_LCP,
        Stage.DELETE_SUB_INTERFACE,
        Stage.DELETE_AUTO_LCP,
        Stage.SHRINK_PACKET_MTU,
        Stage.ADMIN_DOWN,
    }
)
"""Stages in which two-tag sub-interfaces go before one-tag ones, and these before their ports."""

PARENTS_FIRST = frozenset(
    {
        Stage.CREATE_SUB_INTERFACE,
        Stage.CREATE_LCP,
        Stage.GROW_PACKET_MTU,
        Stage.ADMIN_UP,
        Stage.SET_LINUX_LINK,
    }
)
"""Stages in which it is the other way round; in all others the order is that of the names alone."""


@record
class Step:
    """One operation and where it belongs."""

    stage: Stage
    operation: Operation
    depth: int = 0
    """How many VLAN tags down from its port the interface is."""
