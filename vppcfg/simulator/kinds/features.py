"""Simulates the messages and commands that show and enable features by name (vnet/feature, vnet/interface_cli.c).

GSO (vnet/gso) and reassembly (vnet/ip/reass), which VPP counts, are no more than features here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import mpls
from vppcfg.simulator.kinds.acl import AclMain
from vppcfg.simulator.kinds.dhcp import DhcpMain
from vppcfg.simulator.kinds.macip import MacipMain
from vppcfg.simulator.kinds.sflow import Direction, SflowMain
from vppcfg.simulator.kinds.span import Source, SpanMain
from vppcfg.simulator.l2 import L2_INPUT, L2_OUTPUT, input_bits
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import Outgoing, Values, cstring

_RX, _TX = 1, 2


def _answer_enable(call: Call, values: Values) -> None:
    """Enable a feature once more or once less; raise RefusedError for one that its arc does not have."""
    interfaces.require(call.tables, values["sw_if_index"])
    feature = cstring(values["arc_name"]), cstring(values["feature_name"])
    if feature[1] not in arcs.ARCS.get(feature[0], ()):
        raise RefusedError(Retval.INVALID_VALUE)
    arcs.set_features(call.tables, values["sw_if_index"], [feature], is_on=values["enable"])


def _answer_is_enabled(call: Call, values: Values) -> Outgoing:
    """Report whether a feature is on: VPP answers yes, too, where it does not know."""
    index = values["sw_if_index"]
    interfaces.require(call.tables, index)
    arc, name = cstring(values["arc_name"]), cstring(values["feature_name"])
    is_known = arcs.is_known(call.tables, arc, name, index)
    return call.reply(is_enabled=not is_known or name in _on(call.tables, index)[arc])


def _on(tables: Tables, index: int) -> dict[str, list[str]]:
    """Return what is on by arc, in order: what was enabled, and what follows from the tables of other kinds."""
    own = Counter([*_filters(tables, index), *_observers(tables, index)])
    if not mpls.is_enabled(tables, index):
        own["mpls-input", "mpls-not-enabled"] = 1
    if index in tables.part(DhcpMain).by_sw:
        own["ip4-unicast", "ip4-dhcp-client-detect"] = 1
    found = arcs.on(tables, index)
    return {
        arc: [name for name in names for _ in range(found[arc].count(name) + own[arc, name])]
        for arc, names in arcs.ARCS.items()
    }


def _filters(tables: Tables, index: int) -> Iterator[arcs.Feature]:
    """Yield the features of access lists, which are on in L3 and L2 at once."""
    main = tables.part(AclMain)
    for direction, arc, lists in (("in", "unicast", main.inputs), ("out", "output", main.outputs)):
        if lists.of(index):
            yield from arcs.both(f"ip{{}}-{arc}", f"acl-plugin-{direction}-ip{{}}-fa")
            yield from arcs.both(f"l2-{direction}put-ip{{}}", f"acl-plugin-{direction}-ip{{}}-l2")
    if index in tables.part(MacipMain).applied:
        yield from arcs.both("ip{}-unicast", "ip{}-inacl")


def _observers(tables: Tables, index: int) -> Iterator[arcs.Feature]:
    """Yield the features that look at the packets of a port: sFlow, mirrors."""
    sflow, row = tables.part(SflowMain), tables.sw[index]
    if not row.is_sub and sflow.enabled.get(row.hw_index):
        if sflow.direction & Direction.RX:
            yield "device-input", "sflow"
        if sflow.direction & Direction.TX:
            yield "interface-output", "sflow-egress"
    states = tables.part(SpanMain).mirrors.get(Source(sw_if_index=index, is_l2=False), {}).values()
    if any(state & _RX for state in states):
        yield from (("port-rx-eth", "span-input"), ("device-input", "span-input"))
    if any(state & _TX for state in states):
        yield "interface-output", "span-output"


def show(tables: Tables, row: SwInterface) -> str:
    """Return the text of all arcs of an interface, and what it does with frames in L2."""
    lines = [f"Feature paths configured on {tables.name_of(row)}..."]
    for arc, names in _on(tables, row.index).items():
        lines += ["", f"{arc}:", *(f"  {name}" for name in names or ["none configured"])]
    bits = input_bits(tables, row.index), tables.l2_of(row.index).output_bits
    lines += ["", "l2-input:", *_l2(bits[0], L2_INPUT), "", "l2-output:", *_l2(bits[1], L2_OUTPUT)]
    return "\n".join(lines) + "\n"


def _l2(bits: int, words: tuple[tuple[str, str], ...]) -> list[str]:
    if not bits:
        return ["  none configured"]
    named = [each for bit, each in enumerate(words) if bits >> bit & 1 and each[0] != "DROP"]
    return [f"{word:>17} ({node})" for word, node in reversed(named)]


def _command_show(tables: Tables, line: Input) -> str:
    """`show interface features <interface>`."""
    row = required(line.interface(tables), "Interface not specified...")
    return show(tables, row)


def _command_set(tables: Tables, rest: Input) -> None:
    """`set interface feature <intfc> <feature_name> arc <arc_name> [disable]`."""
    line, row, feature, is_on = rest.line(), None, ("", ""), True
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            name = line.string() or ""
            arc = line.string() if line.take("arc") else None
            if arc is None:
                raise line.unknown("parse error")
            row, feature = found, (arc, name)
        elif line.take("disable"):
            is_on = False
        else:
            raise line.unknown("parse error")
    row = required(row, "Both feature name and arc required...")
    if feature[0] not in arcs.ARCS:
        raise RefusedError(Retval.UNSPECIFIED, f"Unknown arc name ({feature[0]})... ")
    if feature[1] not in arcs.ARCS[feature[0]]:
        text = f"Feature ({feature[1]}) not registered to arc ({feature[0]})... "
        raise RefusedError(
            Retval.UNSPECIFIED, f"{text}See 'show features verbose' for valid feature/arc combinations. "
        )
    arcs.set_features(tables, row.index, [feature], is_on=is_on)


_GSO_FEATURES = (*arcs.both("ip{}-output", "gso-ip{}"), *arcs.both("l2-output-ip{}", "gso-l2-ip{}"))


def set_gso(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Enable GSO once more or once less; nothing happens where it is not enabled and should be less so."""
    arcs.set_features(tables, sw_if_index, _GSO_FEATURES, is_on=is_on)


def _answer_gso(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    set_gso(call.tables, values["sw_if_index"], values["enable_disable"])


def _command_gso(tables: Tables, rest: Input) -> None:
    """`set interface feature gso <interface> [enable|disable]`; VPP reports nothing of what it does not understand."""
    line, row, is_on = rest.line(), None, False
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif line.take("enable"):
            is_on = True
        elif line.take("disable"):
            is_on = False
        else:
            return
    if row is not None:
        set_gso(tables, row.index, is_on)


def _load_gso(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        if state.interfaces[name].has_gso:
            set_gso(tables, row.index, True)


_REASSEMBLIES = ("full", "sv")


def _answer_reassembly(call: Call, values: Values) -> None:
    """Enable or disable reassembly for each family; VPP counts both."""
    interfaces.require(call.tables, values["sw_if_index"])
    name = f"ip{{}}-{_REASSEMBLIES[values['type'] & 1]}-reassembly-feature"
    for feature, is_on in zip(
        arcs.both("ip{}-unicast", name), (values["enable_ip4"], values["enable_ip6"]), strict=True
    ):
        arcs.set_features(call.tables, values["sw_if_index"], [feature], is_on=is_on)


KIND = Kind(
    changes={
        "feature_enable_disable": _answer_enable,
        "feature_gso_enable_disable": _answer_gso,
        "ip_reassembly_enable_disable": _answer_reassembly,
    },
    queries={"feature_is_enabled": _answer_is_enabled},
    commands={
        "show interface features": _command_show,
        "set interface feature": _command_set,
        "set interface feature gso": _command_gso,
    },
    deleted=arcs.interface_gone,
    load=_load_gso,
)
