"""VPP's CLI grammar: each operation as the line that VPP reads at its prompt. Nothing else knows it.

`LINES` has a function for every type of operation; it returns None for what the CLI cannot say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vppcfg.common.numbers import cpu_text
from vppcfg.common.release import Release
from vppcfg.model.acl import AclRule
from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite
from vppcfg.model.iproute2 import command
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.plan import operations as op
from vppcfg.plan.operation import braced

_NO_TAGS, _TWO_TAGS, _DOT1AD, _EXACT_MATCH, _DEFAULT, _OUTER_ANY, _INNER_ANY = 1, 4, 8, 16, 32, 64, 128
"""Bits of VPP's sub_if_flags (vnet/interface_types.api)."""

_REWRITES = {
    1: "push {kind} {tag1}",
    2: "push {kind} {tag1} {tag2}",
    3: "pop 1",
    4: "pop 2",
    5: "translate 1-1 {kind} {tag1}",
    6: "translate 1-2 {kind} {tag1} {tag2}",
    7: "translate 2-1 {kind} {tag1}",
    8: "translate 2-2 {kind} {tag1} {tag2}",
}
"""The words for each vtr_op (vnet/l2/l2_vtr.c)."""

_BRIDGE_WORDS = {
    "learn": op.BridgeFlag.LEARN,
    "forward": op.BridgeFlag.UNICAST_FORWARD,
    "uu-flood": op.BridgeFlag.UNKNOWN_UNICAST_FLOOD,
    "flood": op.BridgeFlag.UNICAST_FLOOD,
    "arp-term": op.BridgeFlag.ARP_TERMINATION,
    "arp-ufwd": op.BridgeFlag.ARP_UNICAST_FORWARD,
}
"""The words of `create bridge-domain`."""
_BRIDGE_WORDS_LATER = {flag: word for word, flag in _BRIDGE_WORDS.items()} | {op.BridgeFlag.ARP_TERMINATION: "arp term"}
"""The words of `set bridge-domain`."""


# Any interface (vnet/interface_cli.c)


def _set_admin_state(operation: op.SetAdminState) -> str:
    return f"set interface state {operation.interface} {'up' if operation.is_up else 'down'}"


def _set_rx_mode(operation: op.SetRxMode) -> str:
    return f"set interface rx-mode {operation.interface} {operation.mode.value}"


def _set_rx_placement(operation: op.SetRxPlacement) -> str:
    """Name the thread first: VPP 25.06 forgets the port when a worker is named behind it (fc7b794758f)."""
    thread = f"worker {operation.thread - 1}" if operation.thread else "main"
    return f"set interface rx-placement {thread} queue {operation.queue} {operation.interface}"


def _set_tx_placement(operation: op.SetTxPlacement) -> str:
    return f"set interface tx-queue {operation.interface} queue {operation.queue} threads {cpu_text(operation.threads)}"


def _set_link_mtu(operation: op.SetLinkMtu) -> str:
    return f"set interface mtu {operation.mtu} {operation.interface}"


def _set_packet_mtu(operation: op.SetPacketMtu) -> str | None:
    """Say it in one line, which zeroes the MTUs of the protocols; others cannot be said in the same breath."""
    if any(operation.protocol_mtus):
        return None
    return f"set interface mtu packet {operation.mtu} {operation.interface}"


def _set_mac(operation: op.SetMac) -> str:
    return f"set interface mac address {operation.interface} {operation.mac}"


def _set_tag(operation: op.SetTag) -> str:
    if not operation.tag:
        return f"clear interface tag {operation.interface}"
    return f"set interface tag {operation.interface} {braced(operation.tag)}"


# Sub-interfaces (vnet/interface_cli.c)


def _create_sub_interface(operation: op.CreateSubInterface) -> str:
    return f"create sub-interfaces {operation.parent} {operation.sub_id} {encapsulation_words(operation.encapsulation)}"


def encapsulation_words(encapsulation: Encapsulation | OtherMatch) -> str:
    """Return a match as `create sub-interfaces` takes it."""
    if isinstance(encapsulation, OtherMatch):
        return _other_match(encapsulation)
    words = ["dot1ad" if encapsulation.is_dot1ad else "dot1q", str(encapsulation.outer)]
    if encapsulation.inner is not None:
        words += ["inner-dot1q", str(encapsulation.inner)]
    if encapsulation.is_exact:
        words.append("exact-match")
    return " ".join(words)


def _other_match(match: OtherMatch) -> str:
    if match.flags & _DEFAULT:
        return "default"
    if match.flags & _NO_TAGS:
        return "untagged"
    words = ["dot1ad" if match.flags & _DOT1AD else "dot1q", "any" if match.flags & _OUTER_ANY else str(match.outer)]
    if match.flags & _TWO_TAGS:
        words += ["inner-dot1q", "any" if match.flags & _INNER_ANY else str(match.inner)]
    if match.flags & _EXACT_MATCH:
        words.append("exact-match")
    return " ".join(words)


def _delete_sub_interface(operation: op.DeleteSubInterface) -> str:
    return f"delete sub-interface {operation.interface}"


# Addresses, own and borrowed (vnet/ip/ip46_cli.c, vnet/interface_cli.c)


def _add_address(operation: op.AddAddress) -> str:
    return f"set interface ip address {operation.interface} {operation.address}"


def _remove_address(operation: op.RemoveAddress) -> str:
    return f"set interface ip address del {operation.interface} {operation.address}"


def _set_unnumbered(operation: op.SetUnnumbered) -> str:
    return f"set interface unnumbered {operation.interface} use {operation.donor}"


def _set_neighbor(operation: op.SetNeighbor) -> str:
    line = f"set ip neighbor {operation.interface} {operation.address} {operation.mac} static"
    return line if operation.has_route else f"{line} no-fib-entry"


def _remove_neighbor(operation: op.RemoveNeighbor) -> str:
    return f"set ip neighbor del {operation.interface} {operation.address} {operation.mac}"


def _unset_unnumbered(operation: op.UnsetUnnumbered) -> str:
    return f"set interface unnumbered del {operation.interface}"


# FIB tables, whose routes and what the API holds of them no command lets go (vnet/ip/lookup.c, vnet/ip/table_api.c)


def _create_vrf(operation: op.CreateVrf) -> str | None:
    if operation.table_id > LAST_TYPED:
        return None
    return f"{_table(is_ipv6=operation.is_ipv6)} add {operation.table_id} name {operation.name}"


def _release_typed_vrf(operation: op.ReleaseTypedVrf) -> str:
    return f"{_table(is_ipv6=operation.is_ipv6)} del {operation.table_id}"


def _only_by_the_api(operation: op.Operation) -> None:
    return None


def _set_table(operation: op.SetTable) -> str | None:
    if operation.table_id > LAST_TYPED:
        return None
    return f"set interface {_table(is_ipv6=operation.is_ipv6)} {operation.interface} {operation.table_id}"


def _table(*, is_ipv6: bool) -> str:
    return "ip6 table" if is_ipv6 else "ip table"


# L2 mode and tag rewrites (vnet/l2/l2_input.c, l2_vtr.c)


def _set_cross_connect(operation: op.SetCrossConnect) -> str:
    return f"set interface l2 xconnect {operation.interface} {operation.target}"


def _join_bridge(operation: op.JoinBridge) -> str:
    line = f"set interface l2 bridge {operation.interface} {operation.bd_id}"
    if operation.is_bvi:
        return f"{line} bvi"
    return f"{line} {operation.split_horizon_group}" if operation.split_horizon_group else line


def _leave_l2(operation: op.LeaveL2) -> str:
    return f"set interface l3 {operation.interface}"


def _set_tag_rewrite(operation: op.SetTagRewrite) -> str:
    return f"set interface l2 tag-rewrite {operation.interface} {rewrite_words(operation.tag_rewrite)}"


def rewrite_words(rewrite: TagRewrite | None) -> str:
    """Return a tag rewrite as `set interface l2 tag-rewrite` takes it."""
    if rewrite is None:
        return "disable"
    kind = "dot1q" if rewrite.push_dot1q else "dot1ad"
    return _REWRITES[rewrite.operation].format(kind=kind, tag1=rewrite.tag1, tag2=rewrite.tag2)


# Bridge domains (vnet/l2/l2_bd.c)


def _create_bridge(operation: op.CreateBridge) -> str:
    settings = operation.settings
    words = [f"{word} {int(getattr(settings, flag.value))}" for word, flag in _BRIDGE_WORDS.items()]
    words.append(f"mac-age {settings.mac_age_minutes}")
    if operation.tag:
        words.append(f"bd-tag {braced(operation.tag)}")
    return f"create bridge-domain {operation.bd_id} {' '.join(words)}"


def _delete_bridge(operation: op.DeleteBridge) -> str:
    return f"create bridge-domain {operation.bd_id} del"


def _set_bridge_flag(operation: op.SetBridgeFlag) -> str:
    line = f"set bridge-domain {_BRIDGE_WORDS_LATER[operation.flag]} {operation.bd_id}"
    return line if operation.is_on else f"{line} disable"


def _set_bridge_mac_age(operation: op.SetBridgeMacAge) -> str:
    return f"set bridge-domain mac-age {operation.bd_id} {operation.minutes}"


def _set_static_mac(operation: op.SetStaticMac) -> str:
    """Write the command of vnet/l2/l2_fib.c, which forgets an entry wherever it leads."""
    if not operation.is_on:
        return f"l2fib del {operation.mac} {operation.bd_id}"
    return f"l2fib add {operation.mac} {operation.bd_id} {operation.interface} static"


def _filter_mac(operation: op.FilterMac) -> str:
    return f"l2fib add {operation.mac} {operation.bd_id} filter"


def _forget_mac(operation: op.ForgetMac) -> str:
    return f"l2fib del {operation.mac} {operation.bd_id}"


# Linux Control Plane pairs (linux-cp/lcp_cli.c)


def _create_lcp_pair(operation: op.CreateLcpPair) -> str:
    netns = "" if operation.is_default_netns else f" netns {operation.netns}"
    tun = " tun" if operation.is_tun else ""
    return f"lcp create {operation.interface} host-if {operation.host_name}{netns}{tun}"


def _delete_lcp_pair(operation: op.DeleteLcpPair) -> str:
    return f"lcp delete {operation.interface}"


# MPLS (vnet/mpls)


# Access lists, which the CLI names by index (plugins/acl/acl.c)


def _create_acl(operation: op.CreateAcl) -> str:
    return f"set acl-plugin acl {_acl_rules(operation.rules)} tag {braced(operation.tag)}"


def _replace_acl(operation: op.ReplaceAcl) -> str | None:
    if operation.index is None:
        return None
    return f"set acl-plugin acl index {operation.index} {_acl_rules(operation.rules)} tag {braced(operation.tag)}"


def _delete_acl(operation: op.DeleteAcl) -> str | None:
    return None if operation.index is None else f"delete acl-plugin acl index {operation.index}"


def _bind_acls(operation: op.BindAcls) -> None:
    """Return nothing: the CLI can add and remove one list, not set them all at once."""


def _acl_rules(rules: tuple[AclRule, ...]) -> str:
    return ", ".join(_acl_rule(rule) for rule in rules)


def _acl_rule(rule: AclRule) -> str:
    words = [rule.action.value, f"src {rule.source} dst {rule.destination} proto {rule.protocol}"]
    words.append(f"sport {_port_range(rule.source_ports)} dport {_port_range(rule.destination_ports)}")
    if rule.tcp_flags != (0, 0):
        mask, value = rule.tcp_flags
        words.append(f"tcpflags {value} mask {mask}")
    return " ".join(words)


def _port_range(ports: tuple[int, int]) -> str:
    return f"{ports[0]}-{ports[1]}"


# sFlow (plugins/sflow/sflow.c)


# Router advertisements (vnet/ip6-nd/ip6_ra.c). The prompt takes `ra-suppress-link-layer` for `ra-suppress`.


# The Linux side, in comments: VPP's prompt passes over them, a person can run them (iproute2)


def _create_namespace(operation: op.CreateNamespace) -> str:
    return f"comment {{ vppcfg: ip netns add {operation.netns} }}"


def _create_linux_bridge(operation: op.CreateLinuxBridge) -> str:
    return f"comment {{ vppcfg: {_ip_link(operation.netns)} add {operation.bridge} up type bridge }}"


def _set_linux_link(operation: op.SetLinuxLink) -> str:
    state = "up" if operation.is_up else "down"
    return f"comment {{ {_ip_link(operation.netns)} set {operation.host_name} mtu {operation.mtu} {state} }}"


def _set_linux_bridge(operation: op.SetLinuxBridge) -> str:
    master = f"master {operation.bridge}" if operation.bridge else "nomaster"
    return f"comment {{ {_ip_link(operation.netns)} set {operation.host_name} {master} }}"


def _ip_link(netns: str) -> str:
    return f"ip -n {netns} link" if netns else "ip link"


def _take_off(operation: op.TakeOff) -> str | None:
    return operation.attachment.removal or None


def _put_back(operation: op.PutBack) -> str | None:
    lines = operation.attachment.lines
    return lines[0] if len(lines) == 1 else None


def _restore_in_linux(operation: op.RestoreInLinux) -> str | None:
    line = command(operation.setting, operation.netns)
    return f"comment {{ {line} }}" if line is not None else None


LINES: dict[type[op.Operation], Callable[[Any], str | None]] = {
    op.TakeOff: _take_off,
    op.PutBack: _put_back,
    op.RestoreInLinux: _restore_in_linux,
    op.SetAdminState: _set_admin_state,
    op.SetRxMode: _set_rx_mode,
    op.SetRxPlacement: _set_rx_placement,
    op.SetTxPlacement: _set_tx_placement,
    op.SetLinkMtu: _set_link_mtu,
    op.SetPacketMtu: _set_packet_mtu,
    op.SetMac: _set_mac,
    op.SetTag: _set_tag,
    op.CreateSubInterface: _create_sub_interface,
    op.DeleteSubInterface: _delete_sub_interface,
    op.AddAddress: _add_address,
    op.RemoveAddress: _remove_address,
    op.SetUnnumbered: _set_unnumbered,
    op.SetNeighbor: _set_neighbor,
    op.RemoveNeighbor: _remove_neighbor,
    op.UnsetUnnumbered: _unset_unnumbered,
    op.CreateVrf: _create_vrf,
    op.MarkVrfRoutes: _only_by_the_api,
    op.SweepVrfRoutes: _only_by_the_api,
    op.ReleaseTypedVrf: _release_typed_vrf,
    op.DeleteVrf: _only_by_the_api,
    op.SetTable: _set_table,
    op.SetCrossConnect: _set_cross_connect,
    op.JoinBridge: _join_bridge,
    op.LeaveL2: _leave_l2,
    op.SetTagRewrite: _set_tag_rewrite,
    op.CreateBridge: _create_bridge,
    op.DeleteBridge: _delete_bridge,
    op.SetBridgeFlag: _set_bridge_flag,
    op.SetBridgeMacAge: _set_bridge_mac_age,
    op.SetStaticMac: _set_static_mac,
    op.FilterMac: _filter_mac,
    op.ForgetMac: _forget_mac,
    op.CreateLcpPair: _create_lcp_pair,
    op.DeleteLcpPair: _delete_lcp_pair,
    op.CreateAcl: _create_acl,
    op.ReplaceAcl: _replace_acl,
    op.DeleteAcl: _delete_acl,
    op.BindAcls: _bind_acls,
    op.CreateNamespace: _create_namespace,
    op.CreateLinuxBridge: _create_linux_bridge,
    op.SetLinuxLink: _set_linux_link,
    op.SetLinuxBridge: _set_linux_bridge,
}


def line_of(operation: op.Operation) -> str | None:
    """Return the line of VPP's CLI that does what an operation does; None where no command does."""
    write = LINES.get(type(operation))
    return operation.cli() if write is None else write(operation)


def since_of(operation: op.Operation) -> Release | None:
    """Return the first release whose CLI has the command of an operation; None where that came with the message."""
    return operation.cli_since
