"""The CLI command for VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from typing import Any

from vppcfg.simulator.mains.vxlan import Address
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import vxlan
from vppcfg.simulator.wire import NONE

_NUMBERS = ("instance", "encap-vrf-id", "vni", "src_port", "dst_port")


def create(tables: Tables, rest: Input) -> str:
    """`create vxlan tunnel src <address> dst <address> vni <vni> [instance <number>] [decap-next l2] [del]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    found: dict[str, Any] = {}
    while not line.is_at_end:
        _option(line, found)
    wish = _wish(tables, found)
    if found.get("del"):
        vxlan.delete(tables, wish)
        return ""
    return f"{tables.name_of(vxlan.create(tables, wish))}\n"


def _option(line: Input, found: dict[str, Any]) -> None:
    line.skip_space()
    refusal = RefusedError(Retval.UNSPECIFIED, f"parse error: '{line.shown}'")
    for word in ("src", "dst"):
        if (address := line.address_after(word)) is not None:
            found[word] = address
            return
    for word in _NUMBERS:
        if (number := line.number_after(word)) is not None:
            found[word] = number
            return
    if line.take("del"):
        found["del"] = True
    elif line.take("l3"):
        found["is_l3"] = True
    elif line.take("decap-next", "l2"):
        found["decap-next"] = vxlan.TO_L2
    else:
        raise refusal


def _wish(tables: Tables, found: dict[str, Any]) -> vxlan.Wish:
    source: Address | None = found.get("src")
    destination: Address | None = found.get("dst")
    vni, table = found.get("vni", 0), found.get("encap-vrf-id", 0)
    either = source or destination
    main = tables.fib6 if either is not None and either.version == 6 else tables.fib4
    problem = _problem(source, destination, vni)
    if table not in main.tables:
        problem = f"nonexistent encap-vrf-id {table}"
    if problem or source is None or destination is None:
        raise RefusedError(Retval.UNSPECIFIED, problem)
    return vxlan.Wish(
        source=source,
        destination=destination,
        vni=vni,
        number=found.get("instance", NONE),
        table=table,
        source_port=found.get("src_port", 0),
        destination_port=found.get("dst_port", 0),
        decap_next=found.get("decap-next", NONE),
        is_l3=found.get("is_l3", False),
    )


def _problem(source: Address | None, destination: Address | None, vni: int) -> str:
    if source is None or destination is None:
        return f"tunnel {'src' if source is None else 'dst'} address not specified"
    if destination.is_multicast:
        return "dst address must be unicast"
    if source.version != destination.version:
        return "both IPv4 and IPv6 addresses specified"
    if source == destination:
        return "src and dst addresses are identical"
    if vni == 0:
        return "vni not specified"
    return f"vni {vni} out of range" if vni >> 24 else ""
