"""Simulates the settings of linux-cp, and lcp-sync, which copies an interface to Linux (lcp_interface_sync.c).

Of Linux' side the addresses are kept; its own MTU and state cannot be seen through VPP's API and are not.
"""

from __future__ import annotations

import ipaddress

from vppcfg.model.state import State
from vppcfg.simulator.addresses import Assigned
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Pair, SwInterface, Tables
from vppcfg.simulator.wire import Values, cstring, fixed

NETNS_BYTES = 32
"""Longer names of namespaces have no place in VPP."""


def _admin_state_changed(tables: Tables, sw_if_index: int) -> None:
    """Bring a pair, or all pairs on a port that has one, in line after a change of state."""
    if tables.lcp.is_sync and sw_if_index in tables.lcp.by_phy:
        _sync_from(tables, tables.sw[sw_if_index])


def _mtu_changed(tables: Tables, sw_if_index: int) -> None:
    """Bring a pair, or all pairs on a port, in line after a change of MTU."""
    if tables.lcp.is_sync:
        _sync_from(tables, tables.sw[sw_if_index])


def _sync_from(tables: Tables, interface: SwInterface) -> None:
    indexes = [interface.index]
    if not interface.is_sub:
        indexes += tables.hw_of(interface).sub_interfaces.values()
    for index in indexes:
        if index in tables.lcp.by_phy:
            _sync(tables, tables.lcp.pairs[tables.lcp.by_phy[index]])


def _sync(tables: Tables, pair: Pair) -> None:
    """Give the interface and its host side one MTU that Linux can take: its parent's at most, never 0."""
    interface = tables.sw.get(pair.phy)
    if interface is None:
        return
    parent_mtu = tables.parent_of(interface).mtus[0]
    mtu = min(interface.mtus[0] or parent_mtu, parent_mtu)
    for index in (pair.phy, pair.host):
        side = tables.sw.get(index)
        if side is not None and side.mtus[0] != mtu:
            side.mtus[0] = mtu
            _mtu_changed(tables, index)
    _copy_addresses(tables, pair)


def address_changed(tables: Tables, assigned: Assigned, *, is_ipv6: bool, is_added: bool) -> None:
    """Copy an address to Linux when it comes, and take it away there when it goes."""
    index = tables.lcp.by_phy.get(assigned.sw_if_index)
    if index is None or not tables.lcp.is_sync:
        return
    found = _addresses_in_linux(tables, tables.lcp.pairs[index])
    (found.add if is_added else found.discard)(_text(assigned, is_ipv6=is_ipv6))


def _copy_addresses(tables: Tables, pair: Pair) -> None:
    """Copy all addresses of an interface, or those that it borrows, to Linux (lcp_itf_set_interface_addr)."""
    found, donor = _addresses_in_linux(tables, pair), tables.sw[pair.phy].unnumbered
    owner = pair.phy if donor is None else donor
    found |= {_text(each, is_ipv6=False) for each in tables.ip4.of(owner)}
    found |= {_text(each, is_ipv6=True) for each in tables.ip6.of(owner)}


def _addresses_in_linux(tables: Tables, pair: Pair) -> set[str]:
    """Return the addresses of a pair's device, to be changed; an unused set when it is gone."""
    device = tables.linux.device(pair.netns, pair.host_name)
    return device.addresses if device is not None and device.index == pair.vif_index else set()


def _text(assigned: Assigned, *, is_ipv6: bool) -> str:
    address = (ipaddress.IPv6Address if is_ipv6 else ipaddress.IPv4Address)(assigned.address)
    return f"{address}/{assigned.length}"


def _answer_set_netns(call: Call, values: Values) -> None:
    """Set the namespace of pairs that name none; '' is the one that VPP runs in."""
    call.tables.lcp.default_netns = cstring(values["netns"])


def _command_sync(tables: Tables, rest: Input) -> None:
    """`lcp lcp-sync on|off`; switching it on brings all pairs in line."""
    for is_on in _switches(rest):
        tables.lcp.is_sync = is_on
        for pair in list(tables.lcp.pairs) if is_on else ():
            _sync(tables, pair)


def _command_auto_subint(tables: Tables, rest: Input) -> None:
    """`lcp lcp-auto-subint on|off`."""
    for is_on in _switches(rest):
        tables.lcp.is_auto_subint = is_on


def _switches(rest: Input) -> list[bool]:
    line = rest.line()
    found = []
    while not line.is_at_end:
        if line.take("on") or line.take("enable"):
            found.append(True)
        elif line.take("off") or line.take("disable"):
            found.append(False)
        else:
            raise line.unknown_word()
    return found


def _command_default(tables: Tables, rest: Input) -> str:
    """`lcp default netns <namespace>`, `lcp default clear netns`."""
    line = rest.line()
    netns = ""
    while not line.is_at_end:
        if line.take("netns"):
            netns = line.string() or ""
        elif not line.take("clear", "netns"):
            raise line.unknown_word()
    if len(netns) >= NETNS_BYTES:
        raise RefusedError(Retval.UNSPECIFIED, "linux-cp set default netns failed (-1)")
    tables.lcp.default_netns = netns
    return f"lcp set default netns '{netns or '(nil)'}'\n"


def _configure(tables: Tables, state: State) -> None:
    """Set what its section of startup.conf does."""
    tables.lcp.default_netns = state.facts.lcp.default_netns
    tables.lcp.is_sync = state.facts.lcp.is_sync
    tables.lcp.is_auto_subint = state.facts.lcp.is_auto_subint
    for pair in tables.lcp.pairs if tables.lcp.is_sync else ():
        _copy_addresses(tables, pair)


KIND = Kind(
    plugin="linux_cp",
    changes={"lcp_default_ns_set": _answer_set_netns},
    queries={"lcp_default_ns_get": lambda call, _: call.reply(netns=fixed(call.tables.lcp.default_netns, NETNS_BYTES))},
    commands={
        "lcp default": _command_default,
        "lcp lcp-sync": _command_sync,
        "lcp lcp-auto-subint": _command_auto_subint,
    },
    configure=_configure,
    admin_changed=_admin_state_changed,
    mtu_changed=_mtu_changed,
)
