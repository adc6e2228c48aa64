"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from ipaddress import ip_address

from vppcfg.record import record
from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.mains.vxlan import Address, Tunnel, TunnelKey
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import FloodClass, HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE

DEVICE_CLASS = "VXLAN"
PORT = 4789
TO_L2 = 1
_NEXT_NODES = 2
"""What a tunnel can hand its payload to unless somebody adds a node: nothing, or L2."""
_BORN_MTU = 9000


@record
class Wish:
    """The tunnel that is asked for."""

    source: Address
    destination: Address
    vni: int
    number: int = NONE
    source_port: int = 0
    destination_port: int = 0
    mcast_sw_if_index: int = NONE
    table: int = 0
    decap_next: int = NONE
    is_l3: bool = False


def check(tables: Tables, wish: Wish) -> None:
    """Raise RefusedError for what the API refuses before it looks for a tunnel."""
    fib = tables.fib6 if wish.source.version == 6 else tables.fib4
    if wish.table not in fib.tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    if wish.source.version != wish.destination.version:
        raise RefusedError(Retval.INVALID_VALUE)
    if wish.source == wish.destination:
        raise RefusedError(Retval.SAME_SRC_DST)
    if wish.destination.is_multicast and not tables.sw.has(wish.mcast_sw_if_index):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)


def create(tables: Tables, wish: Wish) -> SwInterface:
    """Make vxlan_tunnelN, which is born up; raise RefusedError when there is such a tunnel or the number is taken."""
    key = _key(wish)
    if key in tables.vxlan.by_key:
        raise RefusedError(Retval.TUNNEL_EXIST, "tunnel already exists...")
    decap_next = TO_L2 if wish.decap_next == NONE else wish.decap_next
    if decap_next >= _NEXT_NODES:
        retval = Retval.INVALID_DECAP_NEXT
        raise RefusedError(retval, f"vnet_vxlan_add_del_tunnel returned {retval.value}")
    tunnel = tables.vxlan.tunnels.add(lambda index: _tunnel_at(index, wish, key, decap_next))
    if tunnel.number in tables.vxlan.numbers:
        tables.vxlan.tunnels.remove(tunnel.index)
        raise RefusedError(Retval.INSTANCE_IN_USE, "Instance is in use")
    row = _register(tables, tunnel, wish.is_l3)
    tables.vxlan.numbers.add(tunnel.number)
    tables.vxlan.by_key[key] = tables.vxlan.by_sw[row.index] = tunnel.index
    interface.set_admin_state(tables, row, True)
    row.flood_class = FloodClass.TUNNEL_MASTER if wish.destination.is_multicast else FloodClass.TUNNEL
    return row


def _key(wish: Wish) -> TunnelKey:
    """Return what VPP finds a tunnel by: over IPv6 and for a multicast group, that is without the local end."""
    port, vni = wish.source_port or PORT, wish.vni & 0xFFFFFF
    is_by_destination = wish.source.version == 6 or wish.destination.is_multicast
    source = ip_address(0) if is_by_destination else wish.source
    return wish.destination, source, port, wish.table, vni


def _tunnel_at(index: int, wish: Wish, key: TunnelKey, decap_next: int) -> Tunnel:
    return Tunnel(
        index=index,
        number=index if wish.number == NONE else wish.number,
        source=wish.source,
        destination=wish.destination,
        source_port=wish.source_port or PORT,
        destination_port=wish.destination_port or PORT,
        vni=wish.vni,
        mcast_sw_if_index=wish.mcast_sw_if_index,
        table=wish.table,
        decap_next=decap_next,
        key=key,
    )


def _register(tables: Tables, tunnel: Tunnel, is_l3: bool) -> SwInterface:
    def port_at(index: int) -> HwInterface:
        return HwInterface(
            index=index,
            name=f"vxlan_tunnel{tunnel.number}",
            device_class=DEVICE_CLASS,
            is_ethernet=not is_l3,
            mac=bytes(6) if is_l3 else interface.made_up_mac(0x7A000000 | (tunnel.number & 0xFFFFFF)),
            link_mtu=0 if is_l3 else _BORN_MTU,
            has_gso=False,
        )

    row = interface.create_port(tables, tables.hw.add(port_at), 0 if is_l3 else _BORN_MTU)
    tunnel.sw_if_index = row.index
    return row


def delete(tables: Tables, wish: Wish) -> int:
    """Delete the tunnel with these endpoints and return the index it had; raise RefusedError when there is none."""
    index = tables.vxlan.by_key.pop(_key(wish), None)
    if index is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY, "tunnel does not exist...")
    tunnel = tables.vxlan.tunnels[index]
    row = tables.sw[tunnel.sw_if_index]
    del tables.vxlan.by_sw[row.index]
    interface.delete_port(tables, tables.hw_of(row).index)
    tables.vxlan.numbers.discard(tunnel.number)
    tables.vxlan.tunnels.remove(index)
    return tunnel.sw_if_index
