"""What a simulated VPP does to any interface: create, delete, admin state, MTUs, MAC addresses (vnet/interface.c)."""

from __future__ import annotations

from zlib import crc32

from vppcfg.simulator import l2, queues
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Flag, HwInterface, InterfaceEvent, SwInterface, Tables
from vppcfg.simulator.wire import to_bytes

LOCAL0 = "local0"
Slot = tuple[str | int, ...]
"""A place in the VLAN tables of vnet/ethernet/node.c."""
_UNTAGGED: Slot = ("untagged",)
_AF_PACKET_OVERHEAD = 44
"""Bytes that af_packet adds to the link MTU for Linux: 22 twice (plugins/af_packet/af_packet.c)."""
_LINUX_MIN_MTU = 68
_TELLING_L2 = frozenset({"Loopback", "BVI"})
"""Classes that inform the switch of a new MAC address (vnet/ethernet/interface.c, vnet/l2/l2_bvi.c)."""
_UNCHANGEABLE = frozenset(
    {
        *("rdma", "Loopback", "bond", "GRE tunnel device", "vhost-user"),
        *("BVI", "Packet generator", "Pipe", "IPSEC Tunnel", "GENEVE", "VXLAN_GPE", "GTPU"),
    }
)
"""Device classes whose driver cannot set a maximum frame size."""


def require(tables: Tables, sw_if_index: int) -> SwInterface:
    """Return an interface; raise RefusedError for an index that is free (VALIDATE_SW_IF_INDEX)."""
    return required(tables.sw.get(sw_if_index), retval=Retval.INVALID_SW_IF_INDEX)


def generated_mac(number: int) -> bytes:
    """Return a MAC address as VPP makes them up; the last four bytes are random there."""
    return bytes([0x02, 0xFE]) + (number & 0xFFFFFFFF).to_bytes(4)


def generated_mac_of(name: str) -> bytes:
    """Return a made-up MAC address for the port of this name: the same one, whatever VPP has made before it."""
    return generated_mac(crc32(to_bytes(name)))


def create_port(tables: Tables, port: HwInterface, packet_mtu: int) -> SwInterface:
    """Register a port, with its index, its queues and the interface on it, born down (vnet_register_interface)."""

    def at(index: int) -> HwInterface:
        port.index = index
        return port

    tables.hw.add(at)
    tables.hw_by_name[port.name] = port.index
    interface = tables.sw.add(lambda index: SwInterface(index=index, sup_index=index, hw_index=port.index))
    interface.mtus[0] = packet_mtu
    port.sw_if_index = interface.index
    port.encapsulations.add(_UNTAGGED)
    queues.register(tables, port)
    tables.events.append(InterfaceEvent(sw_if_index=interface.index))
    return interface


def rename(tables: Tables, port: HwInterface, name: str) -> None:
    """Give a port another name; VPP does not look whether another port has it (vnet_rename_interface)."""
    tables.hw_by_name.pop(port.name, None)
    port.name = name
    tables.hw_by_name[name] = port.index


def set_admin_state(tables: Tables, interface: SwInterface, is_up: bool) -> None:
    """Bring an interface up or down, and end its punting; raise RefusedError when a sub-interface's parent is down."""
    parent = tables.parent_of(interface)
    if interface.is_sub and is_up and not parent.is_up:
        raise RefusedError(Retval.UNSPECIFIED, f"super-interface {tables.name_of(parent)} must be up")
    interface.punts = False
    if interface.is_up == is_up:
        return
    interface.is_up = is_up
    tables.extend_l2_config(interface.index)
    tables.events.append(InterfaceEvent(sw_if_index=interface.index, is_admin_up=is_up))
    if not interface.is_sub and not tables.hw_of(interface).has_link_of_its_own:
        set_link(tables, tables.hw_of(interface), is_up)
    for hook in tables.admin_hooks:
        hook(tables, interface.index)


def punt(tables: Tables, interface: SwInterface) -> None:
    """Bring an interface down and have it punt packets.

    Raise RefusedError when a sub-interface's parent does not (vnet_sw_interface_set_flags_helper).
    """
    parent = tables.parent_of(interface)
    if interface.is_sub and not parent.punts:
        raise RefusedError(Retval.UNSPECIFIED, f"super-interface {tables.name_of(parent)} must be punt")
    set_admin_state(tables, interface, False)
    interface.punts = True


def set_link(tables: Tables, port: HwInterface, is_up: bool) -> None:
    """Bring the link of a port up or down."""
    if port.is_ethernet and port.is_link_up != is_up:
        port.is_link_up = is_up
        tables.events.append(InterfaceEvent(sw_if_index=port.sw_if_index, is_link_up=is_up))


def set_packet_mtus(tables: Tables, interface: SwInterface, mtus: list[int]) -> None:
    """Set the L3, IPv4, IPv6 and MPLS MTUs in bytes; VPP checks none of them."""
    if interface.mtus != mtus:
        interface.mtus = list(mtus)
        for hook in tables.mtu_hooks:
            hook(tables, interface.index)


def set_link_mtu(tables: Tables, port: HwInterface, mtu: int) -> None:
    """Set a port's link MTU in bytes, and with it the packet MTU of the port and of all on it.

    Raise RefusedError when the port is not Ethernet or its driver refuses.
    """
    if port.link_mtu == mtu:
        return
    _ask_driver(tables, port, mtu)
    port.link_mtu = mtu
    for index in [port.sw_if_index, *port.sub_interfaces.values()]:
        interface = tables.sw.get(index)
        if interface is not None:
            set_packet_mtus(tables, interface, [mtu, *interface.mtus[1:]])


def _ask_driver(tables: Tables, port: HwInterface, mtu: int) -> None:
    if port.device_class in _UNCHANGEABLE:
        text = "underlying driver doesn't support changing Max Frame Size"
        raise RefusedError(Retval.UNSUPPORTED, "" if port.device_class == "rdma" else text)
    if port.device_class == "af-packet":
        if not _LINUX_MIN_MTU <= mtu + _AF_PACKET_OVERHEAD <= port.max_link_mtu:
            raise RefusedError(Retval.SYSCALL_ERROR_1, "netlink error: rtnl_send_recv: Invalid argument")
    elif port.is_mtu_fixed_while_up and tables.sw[port.sw_if_index].is_up:
        raise RefusedError(Retval.BUSY, "port is running")
    elif mtu > port.max_link_mtu:
        raise RefusedError(Retval.INVALID_VALUE, "invalid MTU")


def set_mac(tables: Tables, interface: SwInterface, mac: bytes) -> None:
    """Set the MAC address; raise RefusedError where there is none to set.

    On a sub-interface VPP changes port 0, which is local0 and has none (vnet/interface_api.c).
    """
    port = tables.hw[interface.hw_index]
    if not port.is_ethernet:
        raise RefusedError(Retval.UNIMPLEMENTED, "MAC Address Change is not supported on this interface")
    old, port.mac = port.mac, mac
    if port.device_class in _TELLING_L2:
        l2.mac_changed(tables, port.sw_if_index, old, mac)


def slot_of(sub: SwInterface) -> Slot | None:
    """Return the place in the VLAN tables that a sub-interface takes (ethernet_sw_interface_get_config).

    None means that VPP has not implemented such a match.
    """
    flags = sub.flags
    if flags & Flag.DEFAULT:
        return ("default",)
    if flags & Flag.NO_TAGS or not flags:
        return _UNTAGGED
    protocol = "dot1ad" if flags & Flag.DOT1AD else "dot1q"
    if flags & Flag.ONE_TAG:
        return None if flags & Flag.OUTER_ANY else (protocol, sub.outer_vlan)
    if flags & Flag.INNER_ANY:
        return None if flags & Flag.OUTER_ANY else (protocol, sub.outer_vlan, "any")
    return (protocol, sub.outer_vlan, sub.inner_vlan)


def delete_interface(tables: Tables, to_delete: SwInterface) -> None:
    """Take an interface out of all tables, with what depends on it (vnet_delete_sw_interface)."""
    to_delete.tag = b""
    if to_delete.is_up:
        set_admin_state(tables, to_delete, False)
    for hook in tables.deleted_hooks:
        hook(tables, to_delete.index)
    port = tables.hw_of(to_delete)
    slot = slot_of(to_delete)
    if port.is_ethernet and slot is not None:
        port.encapsulations.discard(slot)
    tables.events.append(InterfaceEvent(sw_if_index=to_delete.index, is_deleted=True))
    tables.sw.remove(to_delete.index)


def delete_port(tables: Tables, hw_index: int) -> None:
    """Delete a port, its sub-interfaces and its interface (vnet_delete_hw_interface).

    VPP walks the sub-interfaces in the order of a hash table, which decides the order in which their indexes are
    used again; here it is that of their ids. The name may be unknown: VPP lets two ports be renumbered to the same one,
    and forgets it with the first.
    """
    port = tables.hw[hw_index]
    for _, index in sorted(port.sub_interfaces.items()):
        sub = tables.sw.get(index)
        if sub is not None:
            tables.children.pop((sub.sup_index, sub.sub_id), None)
            delete_interface(tables, sub)
    port.sub_interfaces.clear()
    delete_interface(tables, tables.sw[port.sw_if_index])
    tables.hw_by_name.pop(port.name, None)
    tables.hw.remove(hw_index)
