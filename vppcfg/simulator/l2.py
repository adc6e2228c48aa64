"""L2 modes, membership of bridge domains and VLAN tag rewrites (vnet/l2/l2_input.c, l2_bd.c, l2_vtr.c)."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.simulator.mains.bridge import BridgeDomain, Feature
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import FloodClass, L2Config, SwInterface, Tables, TagRewriteBytes

_DOT1Q, _DOT1AD = 0x8100, 0x88A8
_NO_TAGS, _ONE_TAG, _TWO_TAGS, _OUTER_ANY, _INNER_ANY = 1, 2, 4, 64, 128


class PortType(IntEnum):
    """How an interface belongs to a bridge domain (l2_port_type in vnet/l2/l2.api)."""

    NORMAL = 0
    BVI = 1
    UU_FWD = 2


class Rewrite(IntEnum):
    """Tag rewrite operations (vnet/l2/l2_vtr.h)."""

    DISABLED = 0
    PUSH_1 = 1
    PUSH_2 = 2
    POP_1 = 3
    POP_2 = 4
    TRANSLATE_1_1 = 5
    TRANSLATE_1_2 = 6
    TRANSLATE_2_1 = 7
    TRANSLATE_2_2 = 8


_TAGS = {
    Rewrite.DISABLED: (0, 0),
    Rewrite.PUSH_1: (0, 1),
    Rewrite.PUSH_2: (0, 2),
    Rewrite.POP_1: (1, 0),
    Rewrite.POP_2: (2, 0),
    Rewrite.TRANSLATE_1_1: (1, 1),
    Rewrite.TRANSLATE_1_2: (1, 2),
    Rewrite.TRANSLATE_2_1: (2, 1),
    Rewrite.TRANSLATE_2_2: (2, 2),
}
"""How many tags each operation pops and pushes."""
_OPERATIONS = {tags: operation for operation, tags in _TAGS.items()}


def set_xconnect(tables: Tables, source: SwInterface, target: SwInterface) -> None:
    """Send what `source` receives to `target`; VPP refuses nothing here, not even an interface with addresses."""
    _leave_bridge(tables, source.index)
    config = tables.l2_of(source.index)
    config.xconnect_to, config.bridge, config.is_bvi, config.group = target.index, None, False, 0


def set_bridge(tables: Tables, interface: SwInterface, bd_index: int, port_type: PortType, group: int) -> None:
    """Make an interface a member of a bridge domain, its BVI, or where unknown unicast goes.

    Raise RefusedError for a second BVI; the interface has left its old bridge domain by then, and counts as bridged.
    """
    _leave_bridge(tables, interface.index)
    config, domain = tables.l2_of(interface.index), tables.bridges.domains[bd_index]
    config.xconnect_to, config.bridge, config.is_bvi = None, bd_index, False
    if port_type is PortType.BVI:
        if domain.bvi is not None:
            raise RefusedError(Retval.BD_ALREADY_HAS_BVI, "bridge-domain already has a bvi interface")
        domain.bvi = interface.index
        config.is_bvi = True
        interface.flood_class = FloodClass.BVI
    elif port_type is PortType.UU_FWD:
        domain.uu_fwd = interface.index
        domain.features |= Feature.UU_FWD
    if port_type is not PortType.UU_FWD:
        _insert(domain, interface)
    config.group = group


def _insert(domain: BridgeDomain, interface: SwInterface) -> None:
    """Keep VPP's order of members (bd_add_member): the BVI first, tunnels late, what is not flooded last."""
    position = len(domain.members) - domain.loopback_count
    match interface.flood_class:
        case FloodClass.BVI:
            position = 0
        case FloodClass.NO_FLOOD:
            position = len(domain.members)
            domain.loopback_count += 1
        case FloodClass.TUNNEL:
            domain.tunnel_count += 1
        case FloodClass.NORMAL | FloodClass.TUNNEL_MASTER:
            position -= domain.tunnel_count
    domain.members.insert(max(0, position), interface.index)


def _leave_bridge(tables: Tables, sw_if_index: int) -> None:
    """Take an interface out of the bridge domain that it counts as a member of."""
    config = tables.l2.get(sw_if_index)
    if config is None or config.bridge is None:
        return
    domain, interface = tables.bridges.domains[config.bridge], tables.sw.stale(sw_if_index)
    if sw_if_index in domain.members:
        domain.members.remove(sw_if_index)
        flood_class = interface.flood_class if interface else FloodClass.NORMAL
        domain.tunnel_count -= flood_class is FloodClass.TUNNEL
        domain.loopback_count -= flood_class is FloodClass.NO_FLOOD
    if domain.bvi == sw_if_index:
        domain.bvi = None
        if interface is not None:
            interface.flood_class = FloodClass.NO_FLOOD
    if domain.uu_fwd == sw_if_index:
        domain.uu_fwd = None
        domain.features &= ~Feature.UU_FWD


def set_l3(tables: Tables, sw_if_index: int) -> None:
    """Return an interface to L3; this clears its tag rewrite as well (set_int_l2_mode)."""
    _leave_bridge(tables, sw_if_index)
    tables.l2[sw_if_index] = L2Config()


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Take a doomed interface out of L2: a cross-connect's target returns to L3 with it, whatever it was.

    Cross-connects that point to it stay and will point to whatever gets its index next.
    """
    config = tables.l2.get(sw_if_index)
    if config is None:
        return
    if config.xconnect_to is not None:
        set_l3(tables, config.xconnect_to)
    if config.xconnect_to is not None or config.bridge is not None:
        set_l3(tables, sw_if_index)


def set_rewrite(
    tables: Tables, interface: SwInterface, operation: Rewrite, is_dot1q: bool, tag1: int, tag2: int
) -> None:
    """Set a tag rewrite; raise RefusedError for one that pops more tags than the interface matches.

    Even a refusal loses the tags that were set before (l2vtr_configure).
    """
    if not tables.hw_of(interface).is_ethernet:
        raise RefusedError(Retval.INVALID_INTERFACE)
    rewrite = tables.l2_of(interface.index).rewrite
    rewrite.tags = [(0, 0), (0, 0)]
    pop, push = _TAGS[operation]
    if pop > _matched_tags(interface):
        raise RefusedError(Retval.INVALID_VLAN_TAG_COUNT)
    rewrite.pop, rewrite.push = 4 * pop, 4 * push
    outer = (_DOT1Q if is_dot1q else _DOT1AD, tag1 & 0xFFFF)
    if push == 1:
        rewrite.tags[1] = outer
    elif push == 2:
        rewrite.tags = [outer, (_DOT1Q, tag2 & 0xFFFF)]


def rewrite_of(tables: Tables, interface: SwInterface) -> tuple[Rewrite, bool, int, int]:
    """Return operation, whether the outer pushed tag is 802.1Q, and the two tags (l2vtr_get)."""
    config = tables.l2.get(interface.index)
    if config is None or not (config.rewrite.pop or config.rewrite.push) or not tables.hw_of(interface).is_ethernet:
        return Rewrite.DISABLED, False, 0, 0
    return _read(config.rewrite)


def _read(rewrite: TagRewriteBytes) -> tuple[Rewrite, bool, int, int]:
    operation = _OPERATIONS[rewrite.pop // 4, rewrite.push // 4]
    outer, inner = rewrite.tags
    if rewrite.push == 4:
        return operation, inner[0] == _DOT1Q, inner[1], 0
    if rewrite.push == 8:
        return operation, outer[0] == _DOT1Q, outer[1], inner[1]
    return operation, False, 0, 0


def _matched_tags(interface: SwInterface) -> int:
    flags = interface.flags
    if not interface.is_sub or flags & _NO_TAGS:
        return 0
    if flags & _ONE_TAG:
        return 0 if flags & _OUTER_ANY else 1
    if flags & _TWO_TAGS:
        if flags & _OUTER_ANY:
            return 0
        return 1 if flags & _INNER_ANY else 2
    return 0
