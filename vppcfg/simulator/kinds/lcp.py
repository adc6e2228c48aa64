"""Simulates LCP pairs: an interface, its host TAP or sub-interface, and the Linux device (plugins/linux-cp)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from vppcfg.common.names import natural_key
from vppcfg.errors import UsageError
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath, NetlinkMain
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import mpls, punt_redirect, sub_interface, tap
from vppcfg.simulator.kinds.address import check_addressable
from vppcfg.simulator.kinds.lcp_sync import NETNS_BYTES
from vppcfg.simulator.linux_side import Device
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Flag, Pair, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, cstring, fixed

_MAX_NAME = 15
_PUNCTUATION = frozenset("-_%@:.")
_DEFAULT_HOST_MTU = 9216
"""ETHERNET_MAX_PACKET_BYTES, where the interface has no packet MTU."""
_TUN = 1
"""LCP_API_ITF_HOST_TUN."""
_FIRST_TAP = 4096
_IS_FOUND_FIRST = ReleaseQuirk(span="24.02-", text="a second pair of an interface is refused as such (a1646361063)")
_NUMBERS_FROM_4096 = ReleaseQuirk(
    span="24.10-", text="host TAPs are numbered from 4096, not by the hardware index of the interface (2a5bb3b5ab3)"
)
_SHOWS_UNNUMBERED = ReleaseQuirk(span="26.06-", text="`show lcp` shows lcp-sync-unnumbered (466fb6da7c8)")
_PAGE_ROWS = 512
"""VPP shows pairs for a millisecond at a time and then has to be asked again, with the cursor it gives."""


@record
class PairRequest:
    """The pair that is asked for."""

    host_name: str
    netns: str = ""
    is_tun: bool = False


def create(tables: Tables, phy_index: int, request: PairRequest) -> Pair:
    """Pair an interface with a Linux device; raise RefusedError with VPP's code (lcp_itf_pair_create).

    In the oldest releases a second pair is refused only when something of it is already there.
    """
    if tables.release.has(_IS_FOUND_FIRST) and phy_index in tables.lcp.by_phy:
        raise RefusedError(Retval.VALUE_EXIST)
    phy = interfaces.require(tables, phy_index)
    if not _is_valid(request.host_name):
        raise RefusedError(Retval.INVALID_ARGUMENT)
    if not tables.hw_of(phy).is_ethernet and not request.is_tun:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    netns = request.netns or tables.lcp.default_netns
    if phy.is_sub:
        device, host = _create_host_sub_interface(tables, phy, request.host_name, netns)
    else:
        device, host = _create_host_tap(tables, phy, request, netns)
    placed = PairRequest(host_name=request.host_name, netns=netns, is_tun=request.is_tun)
    pair = _keep(tables, phy, host, device, placed)
    if tables.parent_of(host).is_up or not host.is_sub:
        interfaces.set_admin_state(tables, host, True)
    mpls.pair_created(tables, phy.index)
    for is_ipv6 in (False, True):
        path = FibPath(sw_if_index=host.index, is_ipv6=is_ipv6)
        punt_redirect.redirect(tables, is_ipv6, phy.index, (path,))
    return pair


def _is_valid(name: str) -> bool:
    return len(name) <= _MAX_NAME and all((c.isalnum() and c.isascii()) or c in _PUNCTUATION for c in name)


def _keep(tables: Tables, phy: SwInterface, host: SwInterface, device: Device, request: PairRequest) -> Pair:
    def pair_at(index: int) -> Pair:
        return Pair(
            index=index,
            phy=phy.index,
            host=host.index,
            host_name=request.host_name,
            vif_index=device.index,
            is_tun=request.is_tun,
            netns=request.netns,
        )

    pair = tables.lcp.pairs.add(pair_at)
    tables.lcp.by_phy[phy.index] = pair.index
    return pair


def _create_host_tap(tables: Tables, phy: SwInterface, request: PairRequest, netns: str) -> tuple[Device, SwInterface]:
    if "tap" not in tables.plugins:
        raise RefusedError(Retval.FEATURE_DISABLED)
    mtu = phy.mtus[0]
    desired = tap.TapRequest(
        number=NONE if tables.release.has(_NUMBERS_FROM_4096) else phy.hw_index,
        first_number=_FIRST_TAP,
        host_name=request.host_name,
        netns=netns,
        host_mac=bytes(6) if request.is_tun else tables.hw_of(phy).mac,
        host_mtu=mtu,
        flags=tap.TUN if request.is_tun else 0,
    )
    return tap.create(tables, desired, mtu or _DEFAULT_HOST_MTU)


def _create_host_sub_interface(
    tables: Tables, phy: SwInterface, host_name: str, netns: str
) -> tuple[Device, SwInterface]:
    try:
        check_addressable(tables, phy)
    except RefusedError:
        raise RefusedError(Retval.INVALID_ARGUMENT) from None
    parent = required(_pair_of(tables, phy.sup_index), retval=Retval.INVALID_SW_IF_INDEX)
    if not tables.linux.has(netns):
        raise RefusedError(Retval.UNSPECIFIED)
    device = tables.linux.device(netns, host_name) or _create_vlan(tables, phy, host_name, netns, parent)
    host = sub_interface.template_for(
        parent.host, phy.sub_id, phy.flags, outer_vlan=phy.outer_vlan, inner_vlan=phy.inner_vlan
    )
    if not tables.sw.has(parent.host) or (parent.host, phy.sub_id) in tables.children:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    try:
        return device, sub_interface.create(tables, host)
    except RefusedError:
        raise RefusedError(Retval.INVALID_ARGUMENT) from None


def _create_vlan(tables: Tables, phy: SwInterface, host_name: str, netns: str, parent: Pair) -> Device:
    """Make the VLAN device, on the device of the one-tag sub-interface when there are two tags."""
    is_dot1ad = bool(phy.flags & Flag.DOT1AD)
    linux_parent: Pair | None = parent
    vlan = (phy.outer_vlan, is_dot1ad)
    if phy.inner_vlan:
        linux_parent = _pair_by_outer_vlan(tables, phy, is_dot1ad)
        vlan = (phy.inner_vlan, False)
    device = linux_parent and tables.linux.add_vlan(netns, host_name, linux_parent.vif_index, *vlan)
    if not device:
        raise RefusedError(Retval.INVALID_ARGUMENT)
    return device


def _pair_by_outer_vlan(tables: Tables, phy: SwInterface, is_dot1ad: bool) -> Pair | None:
    for index in tables.hw_of(phy).sub_interfaces.values():
        sub = tables.sw.get(index)
        is_match = sub is not None and sub.inner_vlan == 0 and sub.outer_vlan == phy.outer_vlan
        if is_match and sub is not None and bool(sub.flags & Flag.DOT1AD) == is_dot1ad:
            return _pair_of(tables, index)
    return None


def _pair_of(tables: Tables, phy_index: int) -> Pair | None:
    index = tables.lcp.by_phy.get(phy_index)
    return None if index is None else tables.lcp.pairs[index]


def delete(tables: Tables, phy_index: int) -> None:
    """Delete the pair of an interface and its Linux device; raise RefusedError when there is none.

    Pairs on sub-interfaces stay, without a host interface, when the pair of their parent goes. Deleting such an
    orphan deletes whatever interface has its host's index by then: VPP does not look.
    """
    pair = required(_pair_of(tables, phy_index), retval=Retval.INVALID_SW_IF_INDEX)
    for is_ipv6 in (False, True):
        punt_redirect.stop(tables, is_ipv6, phy_index)
    del tables.lcp.by_phy[phy_index]
    tables.lcp.pairs.remove(pair.index)
    host = tables.sw.stale(pair.host)
    if host is not None and host.is_sub:
        tables.linux.remove(pair.netns, pair.host_name)
        if tables.sw.has(pair.host):
            sub_interface.delete(tables, pair.host)
    else:
        with suppress(RefusedError):
            tap.delete(tables, pair.host)


def _interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Delete the pair of an interface that goes away."""
    if sw_if_index in tables.lcp.by_phy:
        delete(tables, sw_if_index)


def _sub_interface_created(tables: Tables, sw_if_index: int) -> None:
    """With lcp-auto-subint, pair a new sub-interface when its parent has a pair; a failure goes unnoticed."""
    sub = tables.sw[sw_if_index]
    parent = _pair_of(tables, sub.sup_index)
    if not tables.lcp.is_auto_subint or parent is None:
        return
    request = PairRequest(host_name=f"{parent.host_name}.{sub.sub_id}", netns=parent.netns)
    with suppress(RefusedError):
        create(tables, sub.index, request)


def _answer_add_delete(call: Call, values: Values) -> Outgoing:
    """Make or delete a pair; the reply of version 2 has the host interface, that of version 3 its Linux index too."""
    tables, sw_if_index = call.tables, values["sw_if_index"]
    interfaces.require(tables, sw_if_index)
    if not values["is_add"]:
        delete(tables, sw_if_index)
        return call.reply(vif_index=NONE, host_sw_if_index=NONE)
    request = PairRequest(
        host_name=cstring(values["host_if_name"]),
        netns=cstring(values["netns"]),
        is_tun=values["host_if_type"] == _TUN,
    )
    pair = create(tables, sw_if_index, request)
    return call.reply(vif_index=pair.vif_index, host_sw_if_index=pair.host)


def _answer_get(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show pairs from the cursor on, a page at a time; version 2 that of one interface, or for ~0 all.

    VPP ends all of them with version 1's reply.
    """
    if values.get("sw_if_index", NONE) == NONE:
        yield from _page(call.tables, values["cursor"])
        return
    pair = _pair_of(call.tables, values["sw_if_index"])
    if pair is None:
        yield call.reply(retval=Retval.INVALID_SW_IF_INDEX, cursor=NONE)
        return
    yield _details(pair)
    yield call.reply(cursor=NONE)


def _page(tables: Tables, cursor: int) -> Iterator[Outgoing]:
    end = "lcp_itf_pair_get_reply"
    rows = [row for row in tables.lcp.pairs if row.index >= cursor]
    for row in rows[:_PAGE_ROWS]:
        yield _details(row)
    if not len(tables.lcp.pairs):
        yield end, {"cursor": 0}
    elif not rows:
        yield end, {"retval": Retval.INVALID_VALUE, "cursor": NONE}
    elif len(rows) > _PAGE_ROWS:
        yield end, {"retval": Retval.EAGAIN, "cursor": rows[_PAGE_ROWS].index}
    else:
        yield end, {"cursor": NONE}


def _details(pair: Pair) -> Outgoing:
    return "lcp_itf_pair_details", {
        "phy_sw_if_index": pair.phy,
        "host_sw_if_index": pair.host,
        "vif_index": pair.vif_index,
        "host_if_name": fixed(pair.host_name, 16),
        "host_if_type": _TUN if pair.is_tun else 0,
        "netns": fixed(pair.netns, NETNS_BYTES),
    }


_NO_INTERFACE = "interface name or sw_if_index required"


def _command_create(tables: Tables, rest: Input) -> None:
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
            raise line.unknown_word()
    if index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, _NO_INTERFACE)
    host_name = required(host_name, "host interface name required")
    if len(netns) >= NETNS_BYTES:
        text = f"Namespace name should be fewer than {NETNS_BYTES} characters"
        raise RefusedError(Retval.UNSPECIFIED, text)
    try:
        create(tables, index, PairRequest(host_name=host_name, netns=netns, is_tun=is_tun))
    except RefusedError as refusal:
        text = f"linux-cp pair creation failed ({refusal.retval})"
        raise RefusedError(Retval.UNSPECIFIED, text) from None


def _command_delete(tables: Tables, rest: Input) -> None:
    """`lcp delete <interface>`."""
    line = rest.line()
    index = NONE
    while not line.is_at_end:
        found = _index(tables, line)
        if found is None:
            raise line.unknown_word()
        index = found
    if index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, _NO_INTERFACE)
    try:
        delete(tables, index)
    except RefusedError as refusal:
        text = f"linux-cp pair deletion failed ({refusal.retval})"
        raise RefusedError(Retval.UNSPECIFIED, text) from None


def _index(tables: Tables, line: Input) -> int | None:
    number = line.number()
    if number is not None:
        return number
    row = line.interface(tables)
    return None if row is None else row.index


def _command_show(tables: Tables, line: Input) -> str:
    """`show lcp [phy <interface>]`: the settings and the pairs."""
    phy = None
    while not line.is_at_end:
        row = line.interface(tables) if line.take("phy") else None
        if row is None:
            line.skip_space()
            raise RefusedError(Retval.UNSPECIFIED, f"unknown input '{line.shown}'")
        phy = row.index
    pairs = [pair for pair in tables.lcp.pairs if phy in {None, pair.phy}]
    return "".join(_shown_settings(tables) + [_shown_pair(tables, pair) for pair in pairs])


def _shown_settings(tables: Tables) -> list[str]:
    settings = tables.lcp
    on_off = {True: "on", False: "off"}
    unnumbered = ["lcp lcp-sync-unnumbered on\n"] if tables.release.has(_SHOWS_UNNUMBERED) else []
    return [
        f"lcp default netns '{settings.default_netns or '<unset>'}'\n",
        f"lcp lcp-auto-subint {on_off[settings.is_auto_subint]}\n",
        f"lcp lcp-sync {on_off[settings.is_sync]}\n",
        *unnumbered,
        "lcp del-static-on-link-down off\n",
        "lcp del-dynamic-on-link-down off\n",
    ]


def _shown_pair(tables: Tables, pair: Pair) -> str:
    phy, host = tables.sw.get(pair.phy), tables.sw.get(pair.host)
    phy_name = tables.name_of(phy) if phy else "<no-phy-if>"
    host_name = tables.name_of(host) if host else "<no-host-if>"
    kind = "tun" if pair.is_tun else "tap"
    netns = f" netns {pair.netns}" if pair.netns else ""
    return f"itf-pair: [{pair.index}] {phy_name} {host_name} {pair.host_name}\0 {pair.vif_index} type {kind}{netns}\n"


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Make the pairs: first those that others depend on, last those that have lost their host interface.

    A lost host interface leaves an index that is free.
    """
    strangers = sorted(state.lcps.keys() - rows.keys())
    if strangers:
        raise UsageError(f"the state has an LCP pair on {strangers[0]} but no such interface")

    def order(name: str) -> tuple[object, ...]:
        return not state.lcps[name].has_host, rows[name].is_sub, rows[name].inner_vlan > 0, natural_key(name)

    for name in sorted(state.lcps, key=order):
        _load_pair(tables, rows[name], state.lcps[name])


def _load_pair(tables: Tables, row: SwInterface, pair: LcpPair) -> None:
    request = PairRequest(host_name=pair.host_name, netns=pair.netns, is_tun=pair.is_tun)
    if not pair.has_host:
        _load_orphan(tables, row, request)
        return
    default, tables.lcp.default_netns = tables.lcp.default_netns, ""
    try:
        made = create(tables, row.index, request)
    except RefusedError as refusal:
        text = f"VPP cannot have the LCP pair {pair.host_name} on {tables.name_of(row)} ({refusal.retval})"
        raise UsageError(text, "its parent needs a pair, Linux needs the namespace, and a name is used once") from None
    tables.lcp.default_netns = default
    if pair.host_mtu is not None:
        tables.sw[made.host].mtus[0] = pair.host_mtu


def _load_orphan(tables: Tables, row: SwInterface, request: PairRequest) -> None:
    """Keep a pair whose host sub-interface is gone, as the deletion of its parent's pair leaves it."""
    gone = tables.sw.add(lambda index: SwInterface(index=index, sup_index=0, is_sub=True))
    tables.sw.remove(gone.index)
    _keep(tables, row, gone, Device(name=request.host_name, index=0), request)


def _command_show_plugins(tables: Tables, _line: Input) -> str:
    """`show plugins`: the files of those that run, without what they are for."""
    running = {*tables.plugins, *(["linux_nl"] if tables.part(NetlinkMain).is_running else [])}
    lines = [f"{number:3}. {name}_plugin.so\n" for number, name in enumerate(sorted(running), 1)]
    return "".join([" Plugin path is: /usr/lib/vpp_plugins\n\n", *lines])


KIND = Kind(
    plugin="linux_cp",
    quirks=(_IS_FOUND_FIRST, _NUMBERS_FROM_4096, _SHOWS_UNNUMBERED),
    changes={
        "lcp_itf_pair_add_del": _answer_add_delete,
        "lcp_itf_pair_add_del_v2": _answer_add_delete,
        "lcp_itf_pair_add_del_v3": _answer_add_delete,
    },
    queries={"lcp_itf_pair_get": _answer_get, "lcp_itf_pair_get_v2": _answer_get},
    commands={
        "lcp create": _command_create,
        "lcp delete": _command_delete,
        "show lcp": _command_show,
        "show plugins": _command_show_plugins,
    },
    load=_load,
    created=_sub_interface_created,
    deleted=_interface_deleted,
)
