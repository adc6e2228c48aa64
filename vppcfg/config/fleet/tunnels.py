"""Tunnels between two routers: every end has another one that mirrors it, and fits into what carries it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vppcfg.config.fleet.finding import FleetFinding, finding
from vppcfg.config.fleet.member import FleetTunnel, Member
from vppcfg.config.fleet.settings import FleetSettings
from vppcfg.entries.configuration import TunnelConfig
from vppcfg.model.problem import Severity

_Ends = tuple[type, str, str]


def found_on_tunnels(members: Sequence[Member], settings: FleetSettings, *, is_whole: bool) -> Iterator[FleetFinding]:
    """Yield what is wrong with tunnels; only where all files are known, what is missing."""
    tunnels = [tunnel for member in members for tunnel in member.tunnels if isinstance(tunnel.virtual, TunnelConfig)]
    hosts = known_hosts(members)
    by_ends: dict[_Ends, list[FleetTunnel]] = defaultdict(list)
    many = [tunnel for tunnel in tunnels if _config(tunnel).tunnel.is_multipoint]
    tunnels = [tunnel for tunnel in tunnels if not _config(tunnel).tunnel.is_multipoint]
    for tunnel in tunnels:
        by_ends[type(_config(tunnel).tunnel), tunnel.virtual.local, _config(tunnel).remote].append(tunnel)
    for kind, local, remote in list(by_ends):
        back = by_ends.get((kind, remote, local), [])
        if not back or local < remote:
            there = [each for each in by_ends[kind, local, remote] if back or not _is_of_many(each, many)]
            yield from _compared(there, back, hosts, settings, is_whole=is_whole)
    for tunnel in (*tunnels, *many):
        yield from _outer_size(tunnel)


def _is_of_many(tunnel: FleetTunnel, many: Sequence[FleetTunnel]) -> bool:
    """Return whether a tunnel to many routers is the other end of one to one router."""
    config = _config(tunnel)
    return any(
        (type(_config(each).tunnel), each.virtual.local) == (type(config.tunnel), config.remote)
        and (each.neighbors is None or any(one.next_hop == config.local for one in each.neighbors))
        for each in many
    )


def known_hosts(members: Sequence[Member]) -> frozenset[str]:
    """Return the addresses that routers have, on interfaces and as ends of tunnels."""
    return frozenset(
        [
            *(address.host for member in members for address in member.addresses),
            *(tunnel.virtual.local for member in members for tunnel in member.tunnels),
        ]
    )


def _compared(
    there: Sequence[FleetTunnel],
    back: Sequence[FleetTunnel],
    hosts: frozenset[str],
    settings: FleetSettings,
    *,
    is_whole: bool,
) -> Iterator[FleetFinding]:
    """Yield what is wrong between the tunnels from one address to another and those from there back."""
    left, left_back = list(there), list(back)
    for tunnel in there:
        mirror = next(
            (other for other in left_back if _config(other).tunnel.agreed == _config(tunnel).tunnel.agreed), None
        )
        if mirror is not None:
            left.remove(tunnel)
            left_back.remove(mirror)
            yield from _port(tunnel, mirror)
            yield from _underlay(tunnel, mirror)
    for tunnel, other in zip(left, left_back, strict=False):
        first, second = sorted((tunnel, other), key=lambda each: each.place)
        yield _unlike(second, first)
    if is_whole:
        for tunnel in [*left[len(left_back) :], *left_back[len(left) :]]:
            if not settings.is_external(_config(tunnel).remote):
                yield _alone(tunnel, hosts)


def _unlike(tunnel: FleetTunnel, other: FleetTunnel) -> FleetFinding:
    own, there = _config(tunnel).tunnel.agreed, _config(other).tunnel.agreed
    key = next(key for key, value in own.items() if value != there[key])
    text = f"{key} is {_or_none(own[key])}, that of {_named(other)} is {_or_none(there[key])}"
    return finding(f"fleet-{_word(tunnel)}-{key}", tunnel.place, text, _subject(tunnel))


def _port(tunnel: FleetTunnel, mirror: FleetTunnel) -> Iterator[FleetFinding]:
    """Find a tunnel that sends to another port than its mirror listens on, or the other way round."""
    first, second = sorted((tunnel, mirror), key=lambda each: each.place)
    for sender, listener in ((first, second), (second, first)):
        sent, heard = _config(sender).tunnel.ports, _config(listener).tunnel.ports
        if sent is not None and heard is not None and sent[1] != heard[0]:
            text = f"packets go to port {sent[1]}, and {_named(listener)} listens on {heard[0]}, its source-port"
            yield finding(f"fleet-{_word(sender)}-port", sender.place, text, _subject(sender))


def _underlay(tunnel: FleetTunnel, mirror: FleetTunnel) -> Iterator[FleetFinding]:
    """Find a tunnel of which one end alone is in a VRF; two VRFs may have different names on two routers."""
    first, second = sorted((tunnel, mirror), key=lambda each: each.place)
    own, there = _config(first).encap_vrf, _config(second).encap_vrf
    if (own is None) != (there is None):
        text = f"encap-vrf is {_or_none(own)}, that of {_named(second)} is {_or_none(there)}"
        yield finding("fleet-encap-vrf", first.place, text, _subject(first), Severity.WARNING)


def _alone(tunnel: FleetTunnel, hosts: frozenset[str]) -> FleetFinding:
    local, remote = _config(tunnel).local, _config(tunnel).remote
    if remote in hosts:
        text = f"the router with {remote} has no tunnel back from there to {local} like this one"
        return finding(f"fleet-{_word(tunnel)}-one-sided", tunnel.place, text, _subject(tunnel))
    text = f"no router has the other end, {remote}; name it below `external` in fleet.yml when it is none of these"
    return finding(f"fleet-{_word(tunnel)}-nobody", tunnel.place, text, _subject(tunnel), Severity.WARNING)


def _outer_size(tunnel: FleetTunnel) -> Iterator[FleetFinding]:
    added, local = _config(tunnel).added_bytes, tunnel.virtual.local
    if tunnel.outer_mtu is not None and tunnel.mtu + added > tunnel.outer_mtu:
        text = (
            f"packets of {tunnel.mtu} bytes have {tunnel.mtu + added} bytes in the tunnel, and from {local} "
            f"no more than {tunnel.outer_mtu} can be sent"
        )
        yield finding(f"fleet-{_word(tunnel)}-mtu", tunnel.place, text, _subject(tunnel), Severity.WARNING)


def _config(tunnel: FleetTunnel) -> TunnelConfig:
    assert isinstance(tunnel.virtual, TunnelConfig), "others are compared elsewhere"
    return tunnel.virtual


def _word(tunnel: FleetTunnel) -> str:
    return str(tunnel.virtual.path[0]).removesuffix("_tunnels")


def _subject(tunnel: FleetTunnel) -> str:
    return f"{tunnel.router}:{tunnel.virtual.name}"


def _named(tunnel: FleetTunnel) -> str:
    return f"{tunnel.router} {tunnel.virtual.name} ({tunnel.place.short})"


def _or_none(value: object) -> str:
    return "none" if value is None else str(value)
