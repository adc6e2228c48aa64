"""CLI commands for interfaces and sub-interfaces (vnet/interface_cli.c, vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, SwInterface, Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import address, sub_interface
from vppcfg.simulator.wire import to_bytes

_EXPECTED_ID = "expected ID or ID MIN-MAX, got"
_PACKET_MTUS = ("packet", "ip4", "ip6", "mpls")


def set_state(tables: Tables, line: Input) -> str:
    """`set interface state <interface> up|down`."""
    row = line.require_interface(tables)
    if line.take("up"):
        interface.set_admin_state(tables, row, True)
    elif line.take("down"):
        interface.set_admin_state(tables, row, False)
    else:
        raise line.unknown("unknown flags")
    return ""


def set_mtu(tables: Tables, line: Input) -> str:
    """`set interface mtu [packet|ip4|ip6|mpls] <bytes> <interface>`; without a word it is the link MTU."""
    whole = line.unknown()
    kind = next((kind for kind in _PACKET_MTUS if line.take(kind)), None)
    mtu = line.number()
    row = line.interface(tables)
    if mtu is None or row is None or (kind is None and row.is_sub):
        raise whole
    if kind is not None:
        interface.set_packet_mtus(tables, row, [mtu if kind == other else 0 for other in _PACKET_MTUS])
    elif not tables.hw_of(row).is_ethernet:
        raise RefusedError(Retval.UNSPECIFIED, "not supported")
    else:
        interface.set_link_mtu(tables, tables.hw_of(row), mtu)
    return ""


def set_mac(tables: Tables, line: Input) -> str:
    """`set interface mac address <interface> <mac>`."""
    row = line.require_interface(tables)
    word = line.string() or ""
    try:
        mac = mac_bytes(word)
    except ValueError:
        mac = b""
    if len(mac) != 6 or not word:
        raise RefusedError(Retval.UNSPECIFIED, f"expected mac address `{word}'")
    interface.set_mac(tables, row, mac)
    return ""


def set_tag(tables: Tables, line: Input) -> str:
    """`set interface tag <interface> <tag>`."""
    whole = line.unknown()
    row = line.interface(tables)
    tag = line.string()
    if row is None or tag is None:
        raise whole
    row.tag = to_bytes(tag)
    return ""


def clear_tag(tables: Tables, line: Input) -> str:
    """`clear interface tag <interface>`."""
    line.require_interface(tables, "unknown input").tag = b""
    return ""


def set_address(tables: Tables, line: Input) -> str:
    """`set interface ip address [del] <interface> <address>/<length> | all`."""
    is_delete = line.take("del")
    row = line.require_interface(tables)
    if is_delete and line.take("all"):
        address.remove_all(tables, row.index)
        return ""
    prefix = line.prefix()
    if prefix is None:
        raise line.unknown("expected IP4/IP6 address/length")
    (address.remove if is_delete else address.add)(tables, row, *prefix)
    return ""


def create_sub_interfaces(tables: Tables, line: Input) -> str:
    """`create sub-interfaces <interface> <id>[-<id>] [default|untagged|dot1q|dot1ad ..]`; known ids are skipped."""
    port = line.port(tables)
    if port is None:
        raise line.unknown("unknown interface")
    row = tables.sw[port.sw_if_index]
    first, last, template = _encapsulation(line, row)
    made = []
    for sub_id in range(first, last + 1):
        if (row.index, sub_id) in tables.children:
            continue
        outer = sub_id if first < last else template.outer_vlan
        sub = sub_interface.template_for(row.index, sub_id, template.flags, outer, template.inner_vlan)
        made.append(tables.name_of(sub_interface.create(tables, sub)))
    return "".join(f"{name}\n" for name in made)


def _encapsulation(line: Input, parent: SwInterface) -> tuple[int, int, SwInterface]:
    """Read ids and match; return the first and the last id, and the sub-interface that the first one is."""
    whole = line.unknown(_EXPECTED_ID)
    first = line.number()
    if first is None:
        raise whole
    template = sub_interface.template_for(parent.index, first, Flag.ONE_TAG | Flag.EXACT_MATCH, 0, 0)
    if line.take("default"):
        template.flags = Flag.DEFAULT
    elif line.take("untagged"):
        template.flags = Flag.NO_TAGS | Flag.EXACT_MATCH
    elif line.take("dot1q"):
        _vlans(line, template, 0)
    elif line.take("dot1ad"):
        _vlans(line, template, Flag.DOT1AD)
    elif line.take("-"):
        last = line.number()
        if last is None or first > last:
            raise whole if last is None else line.unknown(_EXPECTED_ID)
        return first, last, template
    else:
        template.outer_vlan = first & 0xFFFF
    return first, first, template


def _vlans(line: Input, template: SwInterface, protocol: int) -> None:
    """Read `<outer>|any [inner-dot1q <inner>|any] [exact-match]`."""
    template.flags = protocol
    whole = line.unknown("expected dot1q config, got")
    is_outer_any = line.take("any")
    outer = 0 if is_outer_any else line.number()
    if outer is None:
        raise whole
    template.flags |= Flag.OUTER_ANY if is_outer_any else 0
    template.outer_vlan = outer & 0xFFFF
    if line.take("inner-dot1q"):
        template.flags |= Flag.TWO_TAGS
        inner = None if line.take("any") else line.number()
        template.flags |= Flag.INNER_ANY if inner is None else 0
        template.inner_vlan = (inner or 0) & 0xFFFF
    else:
        template.flags |= Flag.ONE_TAG
    if line.take("exact-match"):
        template.flags |= Flag.EXACT_MATCH


def delete_sub_interface(tables: Tables, line: Input) -> str:
    """`delete sub-interface <interface>`."""
    row = line.interface(tables)
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "interface doesn't exist")
    try:
        sub_interface.delete(tables, row.index)
    except RefusedError as refusal:
        raise RefusedError(refusal.retval, "delete_subinterface_interface failed") from None
    return ""
