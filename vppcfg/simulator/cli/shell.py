"""Finds the command that a CLI line starts with and runs it, as vlib/cli.c does, one command after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vppcfg.simulator.cli import (
    acl,
    bond,
    bridge,
    interface,
    l2xc,
    lcp,
    loopback,
    mpls,
    sflow,
    show,
    tap,
    unnumbered,
    vxlan,
)
from vppcfg.simulator.cli.grammar import Input
from vppcfg.simulator.releases import ACL, LINUX_CP, SFLOW, TAP, VXLAN
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables

if TYPE_CHECKING:
    from vppcfg.simulator.vpp import SimulatedVpp

Command = Callable[[Tables, Input], str]

_VNET: Mapping[str, Command] = {
    "set interface state": interface.set_state,
    "set interface mtu": interface.set_mtu,
    "set interface mac address": interface.set_mac,
    "set interface tag": interface.set_tag,
    "set interface ip address": interface.set_address,
    "set interface l2 xconnect": l2xc.set_xconnect,
    "set interface l2 tag-rewrite": l2xc.set_tag_rewrite,
    "set interface l3": l2xc.set_l3,
    "clear interface tag": interface.clear_tag,
    "create sub-interfaces": interface.create_sub_interfaces,
    "delete sub-interface": interface.delete_sub_interface,
    "set interface l2 bridge": bridge.set_member,
    "set interface unnumbered": unnumbered.set_unnumbered,
    "set interface mpls": mpls.set_interface,
    "set interface bond": bond.set_weight,
    "create loopback interface": loopback.create,
    "loopback create-interface": loopback.create,
    "delete loopback interface": loopback.delete,
    "loopback delete-interface": loopback.delete,
    "create bond": bond.create,
    "delete bond": bond.delete,
    "bond add": bond.add_member,
    "bond del": bond.delete_member,
    "create bridge-domain": bridge.create,
    "set bridge-domain learn": bridge.set_learn,
    "set bridge-domain forward": bridge.set_forward,
    "set bridge-domain flood": bridge.set_flood,
    "set bridge-domain uu-flood": bridge.set_uu_flood,
    "set bridge-domain arp term": bridge.set_arp_term,
    "set bridge-domain arp-ufwd": bridge.set_arp_ufwd,
    "set bridge-domain mac-age": bridge.set_mac_age,
    "mpls table": mpls.table,
    "show bond": bond.show,
    "show mpls interface": mpls.show_interfaces,
    "show interface": show.interfaces,
    "show mode": show.modes,
}
_LINUX_CP: Mapping[str, Command] = {
    "lcp create": lcp.create,
    "lcp delete": lcp.delete,
    "lcp default": lcp.set_default,
    "lcp lcp-sync": lcp.set_sync,
    "lcp lcp-auto-subint": lcp.set_auto_subint,
    "show lcp": lcp.show,
}
_PLUGINS: Mapping[str, Mapping[str, Command]] = {
    LINUX_CP: _LINUX_CP,
    VXLAN: {"create vxlan tunnel": vxlan.create},
    TAP: {"create tap": tap.create, "delete tap": tap.delete},
    ACL: {
        "set acl-plugin acl": acl.set_acl,
        "set acl-plugin interface": acl.set_interface,
        "delete acl-plugin acl": acl.delete_acl,
    },
    SFLOW: {
        "sflow enable-disable": sflow.set_enabled,
        "sflow sampling-rate": sflow.set_rate,
        "sflow polling-interval": sflow.set_interval,
        "sflow header-bytes": sflow.set_header,
        "sflow direction": sflow.set_direction,
        "show sflow": sflow.show,
    },
}
_SHOW_VERSION = "show version"


def run_line(vpp: SimulatedVpp, text: str) -> tuple[int, str]:
    """Run all commands in `text` and return VPP's code and what they print; the first refusal ends it."""
    rest = Input(text)
    printed = []
    try:
        while True:
            printed.append(_run_next(vpp, rest))
            if rest.is_at_end:
                return 0, "".join(printed)
    except RefusedError as refusal:
        printed.append(f"{refusal.text}\n")
        return Retval.UNSPECIFIED, "".join(printed)


def _run_next(vpp: SimulatedVpp, rest: Input) -> str:
    commands = dict(_VNET)
    for plugin in vpp.plugins:
        commands.update(_PLUGINS.get(plugin, {}))
    if rest.take_word("comment"):
        if rest.string() is None:
            raise rest.unknown()
        return ""
    path = _path(rest, [*commands, _SHOW_VERSION])
    rest.skip_space()
    if path == _SHOW_VERSION:
        return f"vpp v{vpp.version} built by root on vm at {vpp.build_date}\n"
    if path not in commands:
        raise rest.unknown(f"{path}: unknown input" if path else "unknown input")
    try:
        return commands[path](vpp.tables, rest)
    except RefusedError as refusal:
        raise RefusedError(refusal.retval, f"{path}: {refusal.text}") from None


def _path(rest: Input, commands: list[str]) -> str:
    """Take the words of the longest path that commands share with the input.

    The start of a word will do when only one word starts so.
    """
    taken: list[str] = []
    while True:
        depth = len(taken)
        follow = {command.split()[depth] for command in commands if command.split()[:depth] == taken != command.split()}
        written = rest.next_word
        fitting = [written] if written in follow else [word for word in follow if written and word.startswith(written)]
        if len(fitting) != 1 or not rest.take_word(written):
            return " ".join(taken)
        taken.append(fitting[0])
