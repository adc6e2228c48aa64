"""Simulates reassembly of fragments on an interface (vnet/ip/reass): VPP counts how often it was enabled."""

from __future__ import annotations

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.wire import Outgoing, Values

_NAMES = ("full", "sv")


def _answer(call: Call, values: Values) -> Outgoing:
    """Enable or disable reassembly for each family; VPP counts both."""
    interfaces.require(call.tables, values["sw_if_index"])
    name = f"ip{{}}-{_NAMES[values['type'] & 1]}-reassembly-feature"
    for feature, is_on in zip(
        arcs.both("ip{}-unicast", name), (values["enable_ip4"], values["enable_ip6"]), strict=True
    ):
        arcs.set_features(call.tables, values["sw_if_index"], [feature], is_on=is_on)
    return call.reply()


KIND = Kind(changes={"ip_reassembly_enable_disable": _answer})
