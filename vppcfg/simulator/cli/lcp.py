"""CLI commands for LCP pairs and linux-cp's settings (plugins/linux-cp/lcp_cli.c)."""

from __future__ import annotations

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Pair, Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import lcp, sync
from vppcfg.simulator.wire import NONE

_NETNS_BYTES = 32
_NO_INTERFACE = "interface name or sw_if_index required"


def create(tables: Tables, rest: Input) -> str:
    """`lcp create <interface> host-if <name> [netns <namespace>] [tun]`, in any order."""
    line = rest.line()
    index, host_name, netns, is_tun = NONE, None, "", False
    while not line.is_at_end:
        found = _index(tables, line)
        if found is not None:
            index = found
        elif line.take("host-if"):
            host_name = line.string()
        elif line.take("netns"):
            netns = line.string() or ""
        elif line.take("tun"):
            is_tun = True
        else:
            line.skip_space()
            raise line.unknown()
    if index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, _NO_INTERFACE)
    if host_name is None:
        raise RefusedError(Retval.UNSPECIFIED, "host interface name required")
    _create(tables, index, lcp.Wish(host_name=host_name, netns=netns, is_tun=is_tun))
    return ""


def _create(tables: Tables, index: int, wish: lcp.Wish) -> None:
    if len(wish.netns) >= _NETNS_BYTES:
        text = f"Namespace name should be fewer than {_NETNS_BYTES} characters"
        raise RefusedError(Retval.UNSPECIFIED, text)
    try:
        lcp.create(tables, index, wish)
    except RefusedError as refusal:
        text = f"linux-cp pair creation failed ({refusal.retval})"
        raise RefusedError(Retval.UNSPECIFIED, text) from None


def delete(tables: Tables, rest: Input) -> str:
    """`lcp delete <interface>`."""
    line = rest.line()
    index = NONE
    while not line.is_at_end:
        found = _index(tables, line)
        if found is None:
            line.skip_space()
            raise line.unknown()
        index = found
    if index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, _NO_INTERFACE)
    try:
        lcp.delete(tables, index)
    except RefusedError as refusal:
        text = f"linux-cp pair deletion failed ({refusal.retval})"
        raise RefusedError(Retval.UNSPECIFIED, text) from None
    return ""


def _index(tables: Tables, line: Input) -> int | None:
    number = line.number()
    if number is not None:
        return number
    row = line.interface(tables)
    return None if row is None else row.index


def set_sync(tables: Tables, rest: Input) -> str:
    """`lcp lcp-sync on|off`; switching it on brings all pairs in line."""
    for is_on in _switches(rest):
        tables.lcp.is_sync = is_on
        if is_on:
            sync.sync_all(tables)
    return ""


def set_auto_subint(tables: Tables, rest: Input) -> str:
    """`lcp lcp-auto-subint on|off`."""
    for is_on in _switches(rest):
        tables.lcp.is_auto_subint = is_on
    return ""


def _switches(rest: Input) -> list[bool]:
    line = rest.line()
    found = []
    while not line.is_at_end:
        if line.take("on") or line.take("enable"):
            found.append(True)
        elif line.take("off") or line.take("disable"):
            found.append(False)
        else:
            line.skip_space()
            raise line.unknown()
    return found


def set_default(tables: Tables, rest: Input) -> str:
    """`lcp default netns <namespace>`, `lcp default clear netns`."""
    line = rest.line()
    netns = ""
    while not line.is_at_end:
        if line.take("netns"):
            netns = line.string() or ""
        elif not line.take("clear", "netns"):
            line.skip_space()
            raise line.unknown()
    if len(netns) >= _NETNS_BYTES:
        raise RefusedError(Retval.UNSPECIFIED, "linux-cp set default netns failed (-1)")
    tables.lcp.default_netns = netns
    return f"lcp set default netns '{netns or '(nil)'}'\n"


def show(tables: Tables, line: Input) -> str:
    """`show lcp [phy <interface>]`."""
    phy = None
    while not line.is_at_end:
        row = line.interface(tables) if line.take("phy") else None
        if row is None:
            line.skip_space()
            raise RefusedError(Retval.UNSPECIFIED, f"unknown input '{line.shown}'")
        phy = row.index
    pairs = [pair for pair in tables.lcp.pairs if phy in {None, pair.phy}]
    return "".join(_settings(tables) + [_pair(tables, pair) for pair in pairs])


def _settings(tables: Tables) -> list[str]:
    settings = tables.lcp
    on_off = {True: "on", False: "off"}
    unnumbered = ["lcp lcp-sync-unnumbered on\n"] if tables.release.is_in("26.06-") else []
    return [
        f"lcp default netns '{settings.default_netns or '<unset>'}'\n",
        f"lcp lcp-auto-subint {on_off[settings.is_auto_subint]}\n",
        f"lcp lcp-sync {on_off[settings.is_sync]}\n",
        *unnumbered,
        "lcp del-static-on-link-down off\n",
        "lcp del-dynamic-on-link-down off\n",
    ]


def _pair(tables: Tables, pair: Pair) -> str:
    phy, host = tables.sw.get(pair.phy), tables.sw.get(pair.host)
    phy_name = tables.name_of(phy) if phy else "<no-phy-if>"
    host_name = tables.name_of(host) if host else "<no-host-if>"
    kind = "tun" if pair.is_tun else "tap"
    netns = f" netns {pair.netns}" if pair.netns else ""
    return f"itf-pair: [{pair.index}] {phy_name} {host_name} {pair.host_name}\0 {pair.vif_index} type {kind}{netns}\n"
