"""The order of steps: the table of stages alone defines it, and `ordered` sorts by it.

The same steps always come in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, IntEnum, auto
from itertools import pairwise

from vppcfg.common.names import natural_key
from vppcfg.operations.operation import Operation
from vppcfg.record import record


class Phase(Enum):
    """The three parts of a plan, in order: remove what is in the way, make what is missing, set what differs."""

    PRUNE = "prune"
    CREATE = "create"
    SYNC = "sync"


class Stage(IntEnum):
    """Steps of one kind, in the order in which they run."""

    DELETE_LCP_OF_STAYING = auto()
    """Pairs of interfaces that stay, whose Linux device is on one that is set down next."""
    SHUT_IN_LINUX = auto()
    """Linux devices of what is deleted, while it is up in VPP: linux-nl then takes Linux' routes through it out of VPP.

    They would outlive the interface, and VPP 26.10 crashes when Linux gives another route to the prefix of one.
    """
    SHUT = auto()
    DELETE_ORPHANED_LCP = auto()
    """Pairs that have lost their Linux device: whatever else was done would still reach their old index."""
    TURN_OFF = auto()
    """Access lists, sFlow, MPLS and features of what is deleted; all but the lists where they are no longer wanted,
    static neighbours, MAC addresses that bridge domains filter or send to interfaces that are gone, and ranges of proxy
    ARP in FIB tables that go, which would stay for the next table.

    MPLS goes before the LCP pair, whose VPP side has it too and would leave it to the next interface with its index.
    """
    HOLD_GATEWAYS = auto()
    """Before any route changes."""
    REPLACE_OBJECT = auto()
    """Routes and the like that get along without what is deleted: the new ones are there before the old ones go."""
    ATTACH_EARLY = auto()
    """Policies of such routes, to interfaces that stay."""
    DETACH = auto()
    """What is on interfaces by its number, such as policies, before the interface or what they lead to goes."""
    REMOVE_OBJECT = auto()
    RELEASE_GATEWAYS_IN_VRF = auto()
    """In FIB tables that are to go."""
    REMOVE_NAT_POOL = auto()
    """After the mappings that use it."""
    DISABLE_NAT = auto()
    TAKE_OFF = auto()
    """What others have on interfaces and tables that go, once these are down: IPsec no sooner."""
    DELETE_LCP = auto()
    UNSET_UNNUMBERED = auto()
    REMOVE_ADDRESS = auto()
    TAKE_OFF_FOLLOWER = auto()
    """What others have by the address of an interface that goes, NAT44: VPP refuses it while another one is there."""
    LEAVE_VRF = auto()
    """FIB tables that are to go."""
    LEAVE_L2 = auto()
    DELETE_BRIDGE = auto()
    DELETE_SUB_INTERFACE = auto()
    REMOVE_BOND_MEMBER = auto()
    REMOVE_PEER = auto()
    DELETE_INTERFACE = auto()
    DELETE_MEMIF_SOCKET = auto()
    EMPTY_VRF = auto()
    """After the tunnels with their ends in it: VPP would give them the next table that comes."""
    DELETE_VRF = auto()
    RELEASE_VRF = auto()

    CREATE_NAMESPACE = auto()
    CREATE_LINUX_BRIDGE = auto()
    CREATE_VRF = auto()
    CREATE_MEMIF_SOCKET = auto()
    CREATE_INTERFACE = auto()
    ADD_PEER = auto()
    ADD_BOND_MEMBER = auto()
    SET_MAC = auto()
    CREATE_SUB_INTERFACE = auto()
    PUT_GUARD_BACK = auto()
    """IPsec of interfaces that were made anew, before they have addresses or are in a bridge domain: some come up by
    themselves."""
    DELETE_AUTO_LCP = auto()
    """Pairs that VPP made by itself (lcp-auto-subint) and that are not the ones that are wanted."""
    CREATE_BRIDGE = auto()
    WRITE_ACL = auto()
    """New access lists, and new rules of old ones, in place: no packet passes unfiltered meanwhile."""
    CREATE_LCP = auto()
    MARK = auto()

    TURN_OFF_FOR_L2 = auto()
    """Features that look at frames, of interfaces that are put into L2 mode, where VPP would forget to ask them."""
    SET_BRIDGE = auto()
    JOIN_BRIDGE = auto()
    JOIN_AS_BVI = auto()
    ENTER_L2 = auto()
    TURN_ON_IN_L2 = auto()
    SHUT_FOR_LINK_MTU = auto()
    LINK_MTU = auto()
    SHRINK_PACKET_MTU = auto()
    LINK_MTU_OF_MEMBER = auto()
    """Members of bonds, each down, changed and up again before the next: the bond goes on with the others. It sends
    no more than before until then, and not more than they take."""
    GROW_PACKET_MTU = auto()
    SET_HOST_MTU = auto()
    """Of VPP's side of LCP pairs, which were made before the MTUs of their interfaces were set."""
    RENEW_IPV6 = auto()
    """IPv6 off and on again, for router advertisements to name the new MTU."""
    ENTER_VRF = auto()
    ADD_ADDRESS = auto()
    REMOVE_REPLACED_ADDRESS = auto()
    """Addresses that VPP lets stand beside those that come in their place; before others borrow."""
    SET_UNNUMBERED = auto()
    SET_NEIGHBOR = auto()
    CREATE_MPLS_TABLE = auto()
    TURN_MPLS_ON = auto()
    BIND_ACLS = auto()
    SET_SFLOW = auto()
    TURN_SFLOW_ON = auto()
    SET_LLDP = auto()
    SET_IPFIX = auto()
    SET_RX_MODE = auto()
    PLACE_RX_QUEUE = auto()
    SHARE_TX_QUEUE = auto()
    """Transmit queues get the threads that they are to have beside those that they have, so that each thread can send
    all the time."""
    PLACE_TX_QUEUE = auto()
    ADD_PROXY_ARP = auto()
    REMOVE_PROXY_ARP = auto()
    ENABLE_NAT = auto()
    SET_NAT = auto()
    """After it is enabled, which resets all of it."""
    REMOVE_NAT_MAPPING = auto()
    """Mappings that change: right before the new ones, which VPP takes only then."""
    FREE_NAT_ADDRESS = auto()
    """Addresses that are to be in the pool otherwise, or are given by an interface then."""
    ADD_NAT_POOL = auto()
    TURN_FEATURE_ON = auto()
    STOP_ROUTER = auto()
    """Virtual routers that change, right before they are created again."""
    REMOVE_ROUTER = auto()
    UNTRACK = auto()
    SET_OBJECT = auto()
    """Routes and the like, once interfaces have their addresses and tables."""
    ATTACH = auto()
    """Policies to interfaces, once they are there: VPP does not survive one that is not. Then paths out of policies."""
    DETACH_REPLACED = auto()
    """Policies for which others have been attached, so that no packet passes without any."""
    TRACK = auto()
    START_ROUTER = auto()
    """Virtual routers, once they have their peers, and what they track."""
    ATTACH_LATE = auto()
    """Policies with the access list of one that was detached: VPP looks at a list once on each interface."""
    REMOVE_REPLACED_OBJECT = auto()
    REMOVE_RATE_LIMIT = auto()
    REMOVE_LIMIT_TABLE = auto()
    REMOVE_POLICER = auto()
    """Once no rate limit sends packets to it: VPP goes on with the next policer that gets its index."""
    RELEASE_GATEWAYS = auto()
    TURN_NAT_ON = auto()
    """On interfaces, once there is what packets are translated to."""
    REMOVE_NAT_ADDRESS = auto()
    """Once others are there for new sessions."""
    PUT_BACK = auto()
    """What others had on interfaces and tables that were made anew, once these have their addresses."""
    ADMIN_DOWN = auto()
    ADMIN_UP = auto()
    SET_OBJECT_OF_TRAFFIC = auto()
    """Objects that VPP must not have while interfaces come up, such as path MTUs."""
    MEMBER_STATE = auto()
    """Members of bonds, up or down, once what they carry is up: with another active member, VPP announces the addresses
    of the bond and of its sub-interfaces, and before 24.10 it ends where one of them is down (3ac2ac53249)."""
    COPY_TO_LINUX = auto()
    """VPP copies what interfaces had already when their pairs were made, now that all of it is as it is to be."""
    SET_LINUX_LINK = auto()
    SET_LINUX_BRIDGE = auto()
    TAG = auto()
    DELETE_ACL = auto()
    """Late, because an interface that stays applies the old lists until it applies the new ones."""
    RESTORE_IN_LINUX = auto()
    """Last, when the devices are up and have the addresses of their interfaces, and nothing waits behind what Linux may
    refuse."""

    @property
    def phase(self) -> Phase:
        """Return the phase that the stage belongs to."""
        if self < Stage.CREATE_NAMESPACE:
            return Phase.PRUNE
        return Phase.CREATE if self < Stage.TURN_OFF_FOR_L2 else Phase.SYNC


CHILDREN_FIRST = frozenset(
    {
        Stage.SHUT_IN_LINUX,
        Stage.SHUT,
        Stage.DELETE_ORPHANED_LCP,
        Stage.REMOVE_OBJECT,
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
        Stage.REPLACE_OBJECT,
        Stage.SET_OBJECT,
        Stage.SET_OBJECT_OF_TRAFFIC,
        Stage.ADMIN_UP,
        Stage.COPY_TO_LINUX,
        Stage.SET_LINUX_LINK,
    }
)
"""Stages in which it is the other way round; in all others the order is that of the names alone."""

ONE_BY_ONE = frozenset({Stage.ADD_BOND_MEMBER, Stage.LINK_MTU_OF_MEMBER})
"""Stages in which each step waits for the one before it: what few steps do to one object one after another."""

_KIND_BY_KIND = frozenset({Stage.TAKE_OFF, Stage.PUT_GUARD_BACK, Stage.PUT_BACK})
"""Stages in which each kind of what a holder has waits for the one before it: VPP deletes a virtual router that still
runs, because its end was refused, and leaves its feature on the interface for good."""

_DIRECTIONS = {int(stage): (stage in PARENTS_FIRST) - (stage in CHILDREN_FIRST) for stage in Stage}
"""1 where depth comes first from the top, -1 from the bottom, 0 where it does not count."""
_DEPTHS = 8
"""A sort key is one integer (stage, depth, rank), four times as quick as a tuple; depth is 0 to 2, so 8 leaves room."""


@record
class Step:
    """One operation and where it belongs."""

    stage: Stage
    operation: Operation
    depth: int = 0
    """How many VLAN tags down from its port the interface is."""


def ordered(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps in the order in which they must run: by stage, then by what depends on what, then by name.

    Those of one object in one stage stay as they come.
    """
    listed = list(steps)
    names = [step.operation.subject for step in listed]
    ranks = {name: rank for rank, name in enumerate(sorted(set(names), key=natural_key))}
    keys = [_turn(step) * len(ranks) + ranks[name] for step, name in zip(listed, names, strict=True)]
    return tuple(listed[place] for place in sorted(range(len(listed)), key=keys.__getitem__))


def turn_starts(steps: Sequence[Step]) -> frozenset[int]:
    """Return the positions of the steps that may depend on those just before them: where another turn begins.

    Steps of one turn are ordered by the names of what they are about, so none of them can need another of them, but
    for those on one object in a stage of `ONE_BY_ONE`, and of another kind in one of `_KIND_BY_KIND`.
    """
    return frozenset(
        place
        for place, (one, other) in enumerate(pairwise(steps), start=1)
        if other.stage in ONE_BY_ONE or _turn(one) != _turn(other) or _is_of_another_kind(one, other)
    )


def _is_of_another_kind(one: Step, other: Step) -> bool:
    if other.stage not in _KIND_BY_KIND or one.operation.subject != other.operation.subject:
        return False
    return one.operation.aspect != other.operation.aspect


def _turn(step: Step) -> int:
    """Return when a step's turn is by its stage, and by its depth in it."""
    stage = int(step.stage)
    return (2 * stage + 1) * _DEPTHS + _DIRECTIONS[stage] * step.depth
