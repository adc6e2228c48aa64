"""`vppcfg nat`: finds who has a port of an outside address, and how full NAT's tables are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from itertools import islice
from typing import Protocol

from vppcfg.app.target import Target
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.nat44.section import objects_of
from vppcfg.model.det44 import Det44Map
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatMapping, end_text
from vppcfg.model.nat_session import (
    Certainty,
    Det44MapUse,
    Det44Use,
    HostSessions,
    Nat44Use,
    NatPortHolder,
    NatSession,
    NatUse,
    PortAnswer,
    ThreadSessions,
)
from vppcfg.model.state import State

MOST_HOSTS_ASKED = 50
"""Hosts of DET44 that VPP is asked about one by one by default."""
MOST_WALKED = 1000
"""Sessions of NAT44 that VPP goes through by default, with its workers stopped: some 100 ns for each."""
_NOT_OF_MAP = "the address is in a DET44 map, which gives the port to no host"
_NO_RECORD = "VPP keeps no record of who had the port before"


class Sessions(Protocol):
    """What a VPP is asked; `vpp.nat_sessions` has it."""

    def nat44_limit(self) -> int | None:
        """Return how many sessions each thread keeps, None while NAT44 is off."""

    def nat44_count(self) -> int | None:
        """Return how many sessions there are, None while that is unknown."""

    def nat44_threads(self) -> tuple[ThreadSessions, ...]:
        """Return how many sessions each thread has."""

    def nat44_hosts(self) -> tuple[HostSessions, ...]:
        """Return how many sessions each host has, the busiest first."""

    def nat44_on_port(self, address: str, port: int) -> tuple[NatSession, ...]:
        """Return the sessions that have a port of an outside address."""

    def det44_counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many sessions each map has, by its prefixes."""

    def det44_of(self, host: str) -> tuple[NatSession, ...]:
        """Return the sessions of a host."""

    def det44_hosts(self, hosts: Iterable[str]) -> tuple[HostSessions, ...]:
        """Return how many sessions each of `hosts` has that has any, the busiest first."""


def port_holders_now(target: Target, address: str, port: int, *, walks: bool = False) -> PortAnswer:
    """Return who has a port of an outside address, as a VPP has it. Raise DataplaneError.

    With `walks`, VPP goes through its sessions however many these are.
    """
    vpp, _ = target.connect_apart()
    with vpp:
        return who_has(vpp.observe_nat(), vpp.nat(), address, port, walks=walks)


def use_now(target: Target, *, of_all_hosts: bool) -> NatUse:
    """Return how full the tables of a VPP are. Raise DataplaneError."""
    vpp, _ = target.connect_apart()
    with vpp:
        state = vpp.observe_nat()
        return use_of(state, vpp.nat(), of_all_hosts=of_all_hosts)


def port_holders_by_file(configuration: Configuration, address: str, port: int) -> PortAnswer:
    """Return who has a port of an outside address as long as a file is in force."""
    maps = configuration.det44.maps if configuration.det44 is not None else ()
    nat44 = configuration.nat44
    objects = objects_of(nat44, configuration) if nat44 is not None else ()
    addresses = _outside_addresses((each.name, each.addresses) for each in configuration.interfaces.values())
    mappings = [each for each in objects if isinstance(each, NatMapping)]
    holders = (*_by_maps(maps, address, port), *_by_mappings(mappings, addresses, address, port))
    note = "" if holders else _note_of_file(configuration, address)
    return PortAnswer(address=address, port=port, holders=holders, note=note)


def who_has(state: State, sessions: Sessions, address: str, port: int, *, walks: bool = False) -> PortAnswer:
    """Return who has a port of an outside address: by a map, by a mapping, or by sessions that there are now."""
    by_maps = [_with_sessions(each, sessions, port) for each in _by_maps(state.of(Det44Map).values(), address, port)]
    if by_maps:
        return PortAnswer(address=address, port=port, holders=tuple(by_maps))
    there = state.interfaces
    interfaces = ((name, there.get(each.unnumbered or name, each).in_order) for name, each in there.items())
    addresses = _outside_addresses(interfaces, state.facts.followed_addresses)
    unsearched = _too_many(sessions) if state.of(Nat44) and not walks else 0
    found = sessions.nat44_on_port(address, port) if state.of(Nat44) and not unsearched else ()
    mapped = [
        replace(each, sessions=tuple(session for session in found if _is_of(session, each)))
        for each in _by_mappings(state.of(NatMapping).values(), addresses, address, port)
    ]
    others = (each for each in found if not any(_is_of(each, holder) for holder in mapped))
    holders = (*mapped, *_by_sessions(others))
    note = "" if holders else _note(state, address)
    return PortAnswer(address=address, port=port, holders=holders, note=note, unsearched=unsearched)


def _too_many(sessions: Sessions) -> int:
    """Return how many sessions of NAT44 there are where VPP is not to go through them, else 0."""
    count = sessions.nat44_count() or 0
    return count if count > MOST_WALKED else 0


def _outside_addresses(addresses: Iterable[tuple[str, Sequence[str]]], taken: Collection[str] = ()) -> dict[str, str]:
    """Return by interface the IPv4 address that NAT44 has of its addresses: one that it has `taken`, or the first."""
    found = {}
    for name, prefixes in addresses:
        hosts = [each.partition("/")[0] for each in prefixes if ":" not in each]
        if own := [host for host in hosts if host in taken] or hosts:
            found[name] = own[0]
    return found


def _by_maps(maps: Iterable[Det44Map], address: str, port: int) -> Iterator[NatPortHolder]:
    """Yield the host of the first map that the address is in, as VPP looks (snat_det_map_by_out)."""
    asked = IPv4Address(address)
    found = next((each for each in maps if asked in IPv4Network(each.outside) and each.hosts_per_address), None)
    host = found.host_of(asked, port) if found is not None else None
    if found is not None and host is not None:
        ports = found.ports_of(host)[1]
        yield NatPortHolder(
            host=str(host),
            certainty=Certainty.CONFIGURED,
            by=f"the DET44 map {found.name}",
            first_port=ports.start,
            last_port=ports.stop - 1,
        )


def _with_sessions(holder: NatPortHolder, sessions: Sessions, port: int) -> NatPortHolder:
    found = (each for each in sessions.det44_of(holder.host) if each.outside_port == port)
    return replace(holder, sessions=tuple(found))


def _by_mappings(
    mappings: Iterable[NatMapping], addresses: Mapping[str, str], address: str, port: int
) -> Iterator[NatPortHolder]:
    for each in mappings:
        external = each.external or addresses.get(each.interface, "")
        is_whole = each.protocol is None
        if external == address and (is_whole or each.external_port == port):
            yield NatPortHolder(
                host=each.local,
                certainty=Certainty.CONFIGURED,
                by=f"the NAT44 mapping of {end_text(each.protocol, address, each.external_port)}",
                port=port if is_whole else each.local_port,
                protocol="" if each.protocol is None else each.protocol.value,
            )


def _is_of(session: NatSession, holder: NatPortHolder) -> bool:
    is_same = (session.host, session.host_port) == (holder.host, holder.port)
    return is_same and holder.protocol in ("", session.protocol)


def _by_sessions(found: Iterable[NatSession]) -> Iterator[NatPortHolder]:
    """Yield a holder for each host, port and protocol that sessions have."""
    groups: dict[tuple[str, int, str, int], list[NatSession]] = {}
    for each in found:
        groups.setdefault((each.host, each.host_port, each.protocol, each.fib_index), []).append(each)
    for (host, port, protocol, _), same in sorted(groups.items()):
        yield NatPortHolder(
            host=host,
            certainty=Certainty.NOW,
            by="a session of NAT44" if len(same) == 1 else f"{len(same)} sessions of NAT44",
            port=port,
            protocol=protocol,
            sessions=tuple(same),
        )


def _note_of_file(configuration: Configuration, address: str) -> str:
    maps = configuration.det44.maps if configuration.det44 is not None else ()
    if any(IPv4Address(address) in IPv4Network(each.outside) for each in maps):
        return _NOT_OF_MAP
    if configuration.nat44 is None:
        return "no map of the file has the address"
    return "no map and no mapping of the file has the port; a session of NAT44 may, which VPP alone knows"


def _note(state: State, address: str) -> str:
    """Return what is known of an address whose port is free."""
    if any(IPv4Address(address) in IPv4Network(each.outside) for each in state.of(Det44Map).values()):
        return _NOT_OF_MAP
    if any(each.address == address for each in state.of(NatAddress).values()):
        return f"the address is in the pool of NAT44; {_NO_RECORD}"
    if any(each.address == address for each in state.of(NatExemption).values()):
        return "the address is exempt from NAT44"
    owner = next(
        (each.name for each in state.interfaces.values() for own in each.addresses if own.startswith(f"{address}/")), ""
    )
    if owner and state.of(Nat44):
        return f"the address is that of {owner}; where NAT44 translates to it, {_NO_RECORD}"
    return f"the address is that of {owner}" if owner else "neither DET44 nor NAT44 has the address"


def use_of(state: State, sessions: Sessions, *, of_all_hosts: bool) -> NatUse:
    """Return how full the tables are; without `of_all_hosts`, hosts are asked about as far as that takes VPP no time.

    They are found among all sessions of NAT44, and asked about one by one of DET44.
    """
    limit = sessions.nat44_limit()
    nat44 = None
    if limit is not None:
        has_hosts = of_all_hosts or not _too_many(sessions)
        hosts = sessions.nat44_hosts() if has_hosts else ()
        threads = sessions.nat44_threads()
        nat44 = Nat44Use(most_per_thread=limit, threads=threads, hosts=hosts, has_hosts=has_hosts)
    maps = list(state.of(Det44Map).values())
    most_hosts = None if of_all_hosts else MOST_HOSTS_ASKED
    return NatUse(nat44=nat44, det44=_det44_use(maps, sessions, most_hosts) if maps else None)


def _det44_use(maps: list[Det44Map], sessions: Sessions, most_hosts: int | None) -> Det44Use:
    counts = sessions.det44_counts()
    uses = [
        Det44MapUse(
            name=each.name,
            hosts=each.hosts,
            ports_per_host=each.ports_per_host,
            sessions=counts.get((each.inside, each.outside), 0),
        )
        for each in maps
        if each.hosts_per_address
    ]
    busy = {(each.name): each.sessions for each in uses}
    hosts = (str(host) for each in maps if busy.get(each.name) for host in IPv4Network(each.inside))
    total = sum(each.hosts for each in uses if each.sessions)
    asked = islice(hosts, most_hosts)
    unread = 0 if most_hosts is None else max(0, total - most_hosts)
    return Det44Use(maps=tuple(uses), hosts=sessions.det44_hosts(asked), unread_hosts=unread)
