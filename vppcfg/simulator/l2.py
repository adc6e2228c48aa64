"""Simulates how an interface takes part in switching: cross-connected, in a bridge domain, or L3 (vnet/l2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import BridgeDomain, BridgeFeature, FloodClass, L2Config, SwInterface, Tables

L2_INPUT = (
    *(("DROP", "feature-bitmap-drop"), ("XCONNECT", "l2-output"), ("FLOOD", "l2-flood"), ("ARP_UFWD", "l2-uu-fwd")),
    *(("ARP_TERM", "arp-term-l2bd"), ("UU_FLOOD", "l2-flood"), ("UU_FWD", "l2-uu-fwd"), ("FWD", "l2-fwd")),
    *(("RW", "l2-rw"), ("LEARN", "l2-learn"), ("SRV6", "sr-pl-rewrite-encaps-l2"), ("VTR", "l2-input-vtr")),
    *(("L2_IP_QOS_RECORD", "l2-ip-qos-record"), ("VPATH", "vpath-input-l2"), ("ACL", "l2-input-acl")),
    *(("POLICER", "l2-policer-input"), ("POLICER_CLAS", "l2-policer-classify")),
    ("INPUT_FEAT_ARC", "l2-input-feat-arc"),
)
"""Words and nodes of the bits of an interface on input, the lowest first, as in 26.06 and later."""
L2_OUTPUT = (
    *(("OUTPUT", "interface-output"), ("SPAN", "span-l2-output"), ("CFM", "feature-bitmap-drop")),
    *(("QOS", "feature-bitmap-drop"), ("ACL", "l2-output-acl"), ("L2PT", "feature-bitmap-drop")),
    *(("EFP_FILTER", "l2-efp-filter"), ("IPIW", "feature-bitmap-drop"), ("STP_BLOCKED", "feature-bitmap-drop")),
    *(("LINESTATUS_DOWN", "feature-bitmap-drop"), ("OUTPUT_CLASSIFY", "l2-output-classify")),
    *(("OUTPUT_FEAT_ARC", "l2-output-feat-arc"), ("POLICER", "l2-policer-output")),
)
"""The same on output."""
_OUTPUT = 1 << 0
_SWITCHED = (
    *(BridgeFeature.FWD, BridgeFeature.UU_FLOOD, BridgeFeature.UU_FWD, BridgeFeature.FLOOD, BridgeFeature.LEARN),
    *(BridgeFeature.ARP_UFWD, BridgeFeature.ARP_TERM),
)
"""What a member of a bridge domain does when it joins."""


def bit_of(words: tuple[tuple[str, str], ...], name: str) -> int:
    """Return the bit that a word of `L2_INPUT` or `L2_OUTPUT` stands for."""
    return 1 << next(bit for bit, (word, _) in enumerate(words) if word == name)


def input_bits(tables: Tables, sw_if_index: int) -> int:
    """Return what an interface does with a frame that comes in, masked by its bridge domain."""
    config = tables.l2_of(sw_if_index)
    bits = config.input_bits | (bit_of(L2_INPUT, "VTR") if config.rewrite.pop or config.rewrite.push else 0)
    return bits if config.bridge is None else bits & tables.bridges.domains[config.bridge].features


class PortType(IntEnum):
    """How an interface belongs to a bridge domain (l2_port_type in vnet/l2/l2.api)."""

    NORMAL = 0
    BVI = 1
    UU_FWD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MacEntry:
    """Where a bridge domain sends a MAC address (l2fib_entry_result_t); nothing is learnt, as there are no packets."""

    sw_if_index: int
    is_static: bool = False
    is_filter: bool = False
    is_bvi: bool = False


@dataclass(slots=True, kw_only=True)
class MacTable:
    """All of them, by the index of the bridge domain and the MAC address (mac_table); they outlive both."""

    entries: dict[tuple[int, bytes], MacEntry] = field(default_factory=dict)

    def delete(self, bd_index: int, mac: bytes, sw_if_index: int) -> bool:
        """Delete an entry and return whether there was one, of that interface if one is given (l2fib_del_entry)."""
        entry = self.entries.get((bd_index, mac))
        if entry is None or sw_if_index not in (0, entry.sw_if_index):
            return False
        del self.entries[bd_index, mac]
        return True


def mac_changed(tables: Tables, sw_if_index: int, old: bytes, new: bytes) -> None:
    """Give a bridge domain the new MAC address of its BVI (l2input_interface_mac_change)."""
    tables.extend_l2_config(sw_if_index)
    config = tables.l2.get(sw_if_index)
    if config is not None and config.bridge is not None and config.is_bvi:
        macs = tables.part(MacTable)
        macs.delete(config.bridge, old, sw_if_index)
        macs.entries[config.bridge, new] = MacEntry(sw_if_index=sw_if_index, is_static=True, is_bvi=True)


def set_xconnect(tables: Tables, source: SwInterface, target: SwInterface) -> None:
    """Send what `source` receives to `target`; VPP refuses nothing here, not even an interface with addresses."""
    _leave_bridge(tables, source.index)
    config = tables.l2_of(source.index)
    config.xconnect_to, config.bridge, config.is_bvi, config.group = target.index, None, False, 0
    config.input_bits |= BridgeFeature.DROP | BridgeFeature.XCONNECT
    config.input_bits &= ~(BridgeFeature.LEARN | BridgeFeature.FWD | BridgeFeature.FLOOD)
    config.output_bits |= _OUTPUT


def set_bridge(tables: Tables, interface: SwInterface, bd_index: int, port_type: PortType, group: int) -> None:
    """Make an interface a member of a bridge domain, its BVI, or the target of unknown unicast.

    Raise RefusedError for a second BVI; the interface has left its old bridge domain by then, and counts as bridged.
    VPP crashes where the BVI has no MAC address (l2fib_add_entry).
    """
    _leave_bridge(tables, interface.index)
    config, domain = tables.l2_of(interface.index), tables.bridges.domains[bd_index]
    config.xconnect_to, config.bridge, config.is_bvi = None, bd_index, False
    config.input_bits = (config.input_bits | sum(_SWITCHED) | BridgeFeature.DROP) & ~BridgeFeature.XCONNECT
    if port_type is PortType.BVI:
        if domain.bvi is not None:
            raise RefusedError(Retval.BD_ALREADY_HAS_BVI, "bridge-domain already has a bvi interface")
        if not tables.hw_of(interface).is_ethernet:
            raise DiedError
        domain.bvi = interface.index
        config.is_bvi = True
        config.input_bits &= ~BridgeFeature.LEARN
        own = MacEntry(sw_if_index=interface.index, is_static=True, is_bvi=True)
        tables.part(MacTable).entries[bd_index, tables.hw_of(interface).mac] = own
        interface.flood_class = FloodClass.BVI
    elif port_type is PortType.UU_FWD:
        domain.uu_fwd = interface.index
        domain.features |= BridgeFeature.UU_FWD
    if port_type is not PortType.UU_FWD:
        _insert(domain, interface)
    config.group = group
    config.output_bits |= _OUTPUT


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
            tables.part(MacTable).delete(config.bridge, tables.hw_of(interface).mac, sw_if_index)
            interface.flood_class = FloodClass.NO_FLOOD
    if domain.uu_fwd == sw_if_index:
        domain.uu_fwd = None
        domain.features &= ~BridgeFeature.UU_FWD


def set_l3(tables: Tables, sw_if_index: int) -> None:
    """Return an interface to L3; this clears its tag rewrite as well (set_int_l2_mode)."""
    _leave_bridge(tables, sw_if_index)
    tables.extend_l2_config(sw_if_index)
    tables.l2[sw_if_index] = L2Config(input_bits=BridgeFeature.DROP)


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Take an interface that is being deleted out of L2, and the target of its cross-connect too.

    The target returns to L3 whatever it was. Cross-connects that point to the deleted interface stay, and will point to
    the interface that gets its index next. Where the vector of settings grows for the target, VPP goes on with memory
    that it has freed, and may leave the cross-connect to the next interface as well: that is not simulated.
    """
    config = tables.l2.get(sw_if_index)
    if config is None:
        return
    if config.xconnect_to is not None:
        set_l3(tables, config.xconnect_to)
    if config.xconnect_to is not None or config.bridge is not None:
        set_l3(tables, sw_if_index)
