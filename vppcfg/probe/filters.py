"""Predicts what access lists, MACIP lists and reverse path checks drop, and which packets policy routes take.

A `Journey` collects the predicted way of one frame.

Sources: src/plugins/acl/public_inlines.h and dataplane_node.c, src/plugins/urpf/urpf_dp.h.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from ipaddress import ip_address, ip_network

from vppcfg.common.packets import ICMP, ICMP6, TCP, UDP
from vppcfg.model.acl import AclAction, AclRule, MacipAction, MacipRule
from vppcfg.model.features import UrpfMode
from vppcfg.model.interface import Interface
from vppcfg.model.policy_route import PolicyRoute
from vppcfg.probe.frame import Frame, Packet
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.stages import Journey, of_interface

FILTER_DROPS = (
    ("", "ACL deny packets", Reason.ACL),
    ("l2-input-acl", "input ACL session deny", Reason.STATION),
    ("l2-input-acl", "input ACL table-miss", Reason.STATION),
    ("", "uRPF Drop", Reason.NO_WAY_BACK),
)
"""Which node drops with which words what is held up here; '' for any node."""
SOURCE_CHECK = "-urpf-"
"""What stands in the name of each node that looks for a way back."""
FILTERS = frozenset({"urpf", "macip", "policy_routes"})
"""The features of interfaces whose effect is predicted here."""


def acl_denies(journey: Journey, name: str, packet: Packet, *, is_input: bool, is_switched: bool = False) -> bool:
    """Return whether the access lists of an interface deny a packet; the journey notes the rule that decides.

    What no rule of any list matches is denied.
    """
    binding = journey.network.interface(name).acls
    lists = binding.input if is_input else binding.output
    if not lists:
        return False
    if is_switched:
        raise UndecidedError("access lists of switched interfaces are not followed")
    direction = "input" if is_input else "output"
    for acl_name in lists:
        acl = journey.network.state.acls[acl_name]
        for number, rule in enumerate(acl.rules):
            if matches(rule, packet):
                blame = Blame(subject=f"access list {acl_name}", aspect=f"rule {number + 1}")
                journey.note("filtered", name, blame, f"{direction} {acl_name} {number}")
                if rule.action is AclAction.DENY:
                    journey.drop(Reason.ACL, blame)
                return rule.action is AclAction.DENY
    journey.drop(Reason.ACL, Blame(subject=f"access list {lists[-1]}", aspect="what no rule matches"))
    return True


def policy_route_for(journey: Journey, name: str, packet: Packet) -> PolicyRoute | None:
    """Return the policy route that takes a packet, None where the first rule about it denies or there is none.

    The access lists are asked in the order of the priorities (abf_input_inline in src/plugins/abf/abf_itf_attach.c).
    """
    routes = [each for each in journey.network.interface(name).policy_routes if each.is_ipv6 == packet.is_ipv6]
    if not routes:
        return None
    journey.note("steered", "", of_interface(name, "policy-routes"))
    for route in sorted(routes, key=lambda each: each.priority):
        for rule in journey.network.state.acls[route.acl].rules:
            if matches(rule, packet):
                return None if rule.action is AclAction.DENY else route
    return None


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


def drops_station(journey: Journey, name: str, frame: Frame | None) -> bool:
    """Return whether the MACIP list of an interface drops a frame for its sender's MAC and IP addresses.

    VPP sorts rules by what they look at, those first that look at more bits or are more, ten bits for each rule, and of
    two that look for the same it keeps the last (src/plugins/acl/acl.c, macip_create_classify_tables).
    """
    acl_name = journey.network.interface(name).macip
    if acl_name is None:
        return False
    if frame is None or frame.tags:
        raise UndecidedError("which stations may send tagged frames is not followed")
    if any(step.kind == "unwrapped" for step in journey.steps):  # h[0] = b[0]->data in src/vnet/ip/ip_in_out_acl.c
        raise UndecidedError("of what comes out of a tunnel VPP asks for the station of the packet around it")
    rules = journey.network.state.macips[acl_name].rules
    weights = station_weights(rules)
    found = [
        (weights[shape], shape, rule) for rule in rules if is_about_station(rule, frame) for shape in [_shape(rule)]
    ]
    heaviest = max((weight for weight, _, _ in found), default=0)
    first = {shape: rule.action for weight, shape, rule in found if weight == heaviest}
    if len(set(first.values())) > 1:
        raise UndecidedError("two rules about a station weigh the same")
    if first and MacipAction.DENY not in first.values():
        return False
    journey.drop(Reason.STATION, Blame(subject=f"MACIP access list {acl_name}"))
    return True


def is_about_station(rule: MacipRule, frame: Frame) -> bool:
    """Return whether a rule is about the station that a frame comes from."""
    mac, own, mask = (int(text.replace(":", ""), 16) for text in (frame.source, rule.mac, rule.mac_mask))
    prefix, source = ip_network(rule.source), ip_address(frame.packet.source)
    return mac & mask == own & mask and source.version == prefix.version and source in prefix


Shape = tuple[int, int, str]
"""What a MACIP rule looks at: the family, the length of its prefix, and the bits of the MAC address."""


def station_weights(rules: Iterable[MacipRule]) -> dict[Shape, int]:
    """Return how early VPP asks the rules that look at the same; the greater the earlier."""
    counts = Counter(map(_shape, rules))
    return {
        (version, length, mask): length + int(mask.replace(":", ""), 16).bit_count() + (version == 6) + 10 * count
        for (version, length, mask), count in counts.items()
    }


def _shape(rule: MacipRule) -> Shape:
    prefix = ip_network(rule.source)
    return prefix.version, prefix.prefixlen, rule.mac_mask


def checks_source(interface: Interface, *, is_ipv6: bool, is_output: bool) -> bool:
    """Return whether packets of a family that come in, or go out, must come from where there is a route to."""
    return any(check.applies_to(is_ipv6=is_ipv6, is_output=is_output) for check in interface.urpf)


def source_check_blame(name: str) -> Blame:
    """Return the blame for the check of an interface."""
    return of_interface(name, "urpf")


def fails_reverse_path_check(journey: Journey, name: str, packet: Packet, *, is_input: bool) -> bool:
    """Note whether a packet comes from where there is no route to, where the interface checks that.

    The strict check asks on the way in for a route by the interface, and on the way out for one by any other.
    """
    for check in journey.network.interface(name).urpf:
        if not check.applies_to(is_ipv6=packet.is_ipv6, is_output=not is_input):
            continue
        table = journey.network.table_of(name, is_ipv6=check.is_ipv6)
        back = journey.network.way_to(table, packet.source)
        if back is not None and back.route is not None and not back.interface:
            raise UndecidedError("it comes from a prefix that a route drops")
        if (table, packet.source) in journey.network.own:
            raise UndecidedError("it comes from an address of the router itself")
        is_known = back is not None
        if back is not None and check.mode is UrpfMode.STRICT:
            is_known = (back.interface == name) is is_input
        journey.note("checked", name, source_check_blame(name))
        if not is_known:
            journey.drop(Reason.NO_WAY_BACK, source_check_blame(name))
            return True
    return False
