"""What holds packets up: access lists and reverse path checks.

Sources: src/plugins/acl/public_inlines.h and dataplane_node.c, src/plugins/urpf/urpf_dp.h.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from vppcfg.common.packets import ICMP, ICMP6, TCP, UDP
from vppcfg.model.acl import AclAction, AclRule, MacipAction, MacipRule
from vppcfg.model.features import UrpfMode
from vppcfg.probe.frame import Frame, Packet
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.stages import Journey, of_interface


def refuses(way: Journey, name: str, packet: Packet, *, is_input: bool, is_switched: bool = False) -> bool:
    """Note whether the access lists of an interface let a packet pass, and drop it where they do not.

    What no rule of any list matches is denied.
    """
    binding = way.network.interface(name).acls
    lists = binding.input if is_input else binding.output
    if not lists:
        return False
    if is_switched:
        raise UndecidedError("access lists of switched interfaces are not followed")
    direction = "input" if is_input else "output"
    for acl_name in lists:
        acl = way.network.state.acls[acl_name]
        for number, rule in enumerate(acl.rules):
            if matches(rule, packet):
                blame = Blame(thing=f"access list {acl_name}", aspect=f"rule {number + 1}")
                way.note("filtered", name, blame, f"{direction} {acl_name} {number}")
                if rule.action is AclAction.DENY:
                    way.drop(Reason.ACL, blame)
                return rule.action is AclAction.DENY
    way.drop(Reason.ACL, Blame(thing=f"access list {lists[-1]}", aspect="what no rule matches"))
    return True


def matches(rule: AclRule, packet: Packet) -> bool:
    """Return whether a rule is about a packet."""
    family = ip_network(rule.source).version
    if (family == 6) != packet.is_ipv6:
        return False
    is_inside = ip_address(packet.source) in ip_network(rule.source)
    if not is_inside or ip_address(packet.destination) not in ip_network(rule.destination):
        return False
    if rule.protocol == 0:
        return True
    if rule.protocol != packet.protocol:
        return False
    if packet.protocol in (TCP, UDP, ICMP, ICMP6):
        for (first, last), number in zip((rule.source_ports, rule.destination_ports), packet.ports, strict=True):
            if not first <= number <= last:
                return False
    mask, value = rule.tcp_flags
    return packet.protocol != TCP or packet.tcp_flags & mask == value & mask


def keeps_out(way: Journey, name: str, frame: Frame | None) -> bool:
    """Note whether a station may not send by an interface, and drop what it sends.

    VPP asks the rules first that look at more bits (src/plugins/acl/acl.c, macip_create_classify_tables).
    """
    acl_name = way.network.interface(name).macip
    if acl_name is None:
        return False
    if frame is None or frame.tags:
        raise UndecidedError("which stations may send tagged frames is not followed")
    acl = way.network.state.macips[acl_name]
    found = [rule for rule in acl.rules if is_about_station(rule, frame)]
    found.sort(key=_bits, reverse=True)
    if len(found) > 1 and _bits(found[0]) == _bits(found[1]) and found[0].action is not found[1].action:
        raise UndecidedError("two rules about a station look at as many bits")
    if found and found[0].action is not MacipAction.DENY:
        return False
    way.drop(Reason.STATION, Blame(thing=f"MACIP access list {acl_name}"))
    return True


def is_about_station(rule: MacipRule, frame: Frame) -> bool:
    """Return whether a rule is about the station that a frame comes from."""
    mac, own, mask = (int(text.replace(":", ""), 16) for text in (frame.source, rule.mac, rule.mac_mask))
    prefix, source = ip_network(rule.source), ip_address(frame.packet.source)
    return mac & mask == own & mask and source.version == prefix.version and source in prefix


def _bits(rule: MacipRule) -> int:
    return int(rule.mac_mask.replace(":", ""), 16).bit_count() + ip_network(rule.source).prefixlen


def lacks_way_back(way: Journey, name: str, packet: Packet, *, is_input: bool) -> bool:
    """Note whether a packet comes from where there is no route to, where the interface checks that.

    The strict check asks on the way in for a route by the interface, and on the way out for one by any other.
    """
    for check in way.network.interface(name).urpf:
        if (check.is_ipv6, check.is_output) != (packet.is_ipv6, not is_input):
            continue
        table = way.network.table_of(name, is_ipv6=check.is_ipv6)
        back = way.network.way_to(table, packet.source)
        if (table, packet.source) in way.network.own:
            raise UndecidedError("it comes from an address of the router itself")
        is_known = back is not None
        if back is not None and check.mode is UrpfMode.STRICT:
            is_known = (back.interface == name) is is_input
        way.note("checked", name, of_interface(name, "urpf"))
        if not is_known:
            way.drop(Reason.NO_WAY_BACK, of_interface(name, "urpf"))
            return True
    return False
