"""The section `nat44` of a file: parsed, resolved to objects, and written.

nat44:
  sessions: 100000
  pools: [ 203.0.113.8-203.0.113.15, { interface: wan0 } ]
  static: { ssh: { protocol: tcp, local: "192.168.1.10:22", external: "wan0:2222" } }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from itertools import chain
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import is_nat_name
from vppcfg.entries.nat44 import (
    Nat44Config,
    NatEnd,
    NatExemptConfig,
    NatLeakConfig,
    NatPoolConfig,
    NatStaticConfig,
    as_end,
)
from vppcfg.entries.section import Parsing, SettingsSection, Unmanaged, YamlEntry
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.nat44 import (
    MARK,
    NAT_OBJECTS,
    OF_THE_INSIDE,
    SECTION,
    USUAL_SESSIONS,
    Nat44,
    NatAddress,
    NatExemption,
    NatLeaks,
    NatMapping,
    NatObject,
    NatPool,
    NatProtocol,
    TwiceNat,
    end_text,
)
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import all_of
from vppcfg.model.vrf import table_key
from vppcfg.record import evolve

_MOST_NAMED = 3
_TIMEOUTS = {
    "udp": "udp_s",
    "tcp-established": "tcp_established_s",
    "tcp-transitory": "tcp_transitory_s",
    "icmp": "icmp_s",
}


class Nat44Section(SettingsSection):
    """The section `nat44`."""

    key = SECTION
    attribute = "nat44"
    is_optional = True

    def parse(self, parsing: Parsing) -> Nat44Config | None:
        """Return what is sound of the section, None where there is none."""
        raw = parsing.sound(parsing.content.get(self.key) or {}, (self.key,), depth=2)
        if self.key not in parsing.content or raw is None:
            return None
        before = len(parsing.problems)
        config = Nat44Config(
            sessions=raw.get("sessions"),
            is_forwarding=bool(raw.get("forwarding")),
            mss=raw.get("mss") or 0,
            timeouts=tuple((_TIMEOUTS[key], value) for key, value in (raw.get("timeouts") or {}).items() if value),
            pools=tuple(_pools(raw, parsing)),
            static=tuple(_static(raw, parsing)),
            exempt=tuple(_exempt(raw, parsing)),
            has_no_services=raw.get("exempt") == {},
            leaks=tuple(_leaks(raw, parsing)),
        )
        if len(parsing.problems) > before or parsing.is_bad(self.key):
            parsing.broken_entries[self.key] = frozenset({self.key})
        return config

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter what the file asks for; where it has nothing for NAT44 and no interface takes part, it is disabled.

        Interfaces that the file leaves alone are those that are entered already.
        """
        config = desired.configuration.nat44
        if config is None:
            return
        desired.owned |= all_of(*NAT_OBJECTS)
        for settings in desired.observed.of(Nat44).values():
            for what in settings.unsupported[:_MOST_NAMED]:
                text = f"VPP has {what}, which no file can express; remove it in VPP, or drop the section from the file"
                desired.problem("nat44-unsupported", (self.key,), text)
        sides = chain(
            (each.nat44 for each in desired.configuration.interfaces.values()),
            (each.nat44 for each in desired.interfaces.values()),
        )
        takes_part = any(side is not None for side in sides)
        if config.is_empty and not takes_part:
            return
        if not desired.has_plugin("nat", (self.key,), "the file configures NAT44"):
            return
        desired.enter(_settings(config))
        missing = {name for name, path in config.interfaces() if desired.lacks_unmanaged(name, "nat44-interface", path)}
        for each in objects_of(config, desired.configuration):
            if isinstance(each, NatAddress | NatLeaks) or each.interface not in missing:
                desired.enter(_as_typed(each, desired.observed))

    def from_state(self, state: State, unmanaged: Unmanaged) -> Nat44Config | None:
        """Return the section for what VPP has, None while NAT44 is disabled, or has what no file can express."""
        settings = next(iter(state.of(Nat44).values()), None)
        if settings is None or settings.unsupported:
            return None
        usual = Nat44()
        return Nat44Config(
            sessions=None if settings.sessions == USUAL_SESSIONS else settings.sessions,
            is_forwarding=settings.is_forwarding,
            mss=settings.mss,
            timeouts=tuple(
                (name, getattr(settings, name))
                for name in _TIMEOUTS.values()
                if getattr(settings, name) != getattr(usual, name)
            ),
            pools=tuple(_pool_entries(state)),
            static=tuple(_static_entries(state)),
            exempt=tuple(_exempt_entries(state)),
            leaks=tuple(_leak_entries(state)),
        )

    def setting_keys(self, settings: Nat44Config) -> Iterator[KeyValue]:
        static = tuple(KeyValue(each.name, tuple(_static_keys(each))) for each in settings.static)
        exempt = tuple(KeyValue(each.name, tuple(_exempt_keys(each))) for each in settings.exempt)
        yield from _own_keys(settings)
        yield from [KeyValue("static", static, is_block=True)] if static else []
        yield from [KeyValue("exempt", exempt, is_block=True)] if exempt else []

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section; an empty one stands there too, for it owns NAT44."""
        lines = list(super().lines(configuration, reasons))
        is_empty = configuration.nat44 is not None and not lines
        yield from [f"{SECTION}: {{}}"] if is_empty else lines

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        """Yield the section without its mappings and exemptions, then each of these."""
        config = configuration.nat44
        if config is None:
            return
        yield YamlEntry(path=(self.key,), name=Nat44().name, keys=tuple(_own_keys(config)))
        for each in config.static:
            yield YamlEntry(path=each.path, name=f"{MARK}{each.outer}", keys=tuple(_static_keys(each)))
        for exempt in config.exempt:
            yield YamlEntry(path=exempt.path, name=f"{MARK}{exempt.name}", keys=tuple(_exempt_keys(exempt)))


def _own_keys(settings: Nat44Config) -> Iterator[KeyValue]:
    """Yield the keys that have no entries of their own."""
    usual, given = Nat44(), dict(settings.timeouts)
    yield KeyValue("sessions", settings.sessions or USUAL_SESSIONS, is_default=settings.sessions is None)
    pools: list[Value] = [_pool_value(pool) for pool in settings.pools]
    yield from [KeyValue("pools", pools)] if pools else []
    leaks = tuple(KeyValue(each.vrf, list(each.targets)) for each in settings.leaks)
    yield from [KeyValue("leaks", leaks, is_block=True)] if leaks else []
    yield KeyValue("forwarding", settings.is_forwarding, is_default=not settings.is_forwarding)
    yield from [KeyValue("mss", settings.mss)] if settings.mss else []
    timeouts = tuple(KeyValue(key, given.get(name, getattr(usual, name))) for key, name in _TIMEOUTS.items())
    yield KeyValue("timeouts", timeouts, is_default=not given)


NAT44 = Nat44Section()


def _settings(config: Nat44Config) -> Nat44:
    settings = Nat44(sessions=config.sessions or USUAL_SESSIONS, is_forwarding=config.is_forwarding, mss=config.mss)
    return evolve(settings, **dict(config.timeouts))


def objects_of(
    config: Nat44Config, configuration: Configuration
) -> Iterator[NatAddress | NatPool | NatMapping | NatExemption | NatLeaks]:
    """Yield what the section asks for beside the settings."""
    for pool in config.pools:
        if pool.interface:
            yield NatPool(interface=pool.interface, is_twice=pool.is_twice)
            continue
        table = None if pool.vrf is None else _table_id(pool.vrf, configuration)
        for number in range(int(IPv4Address(pool.first)), int(IPv4Address(pool.last)) + 1):
            yield NatAddress(address=str(IPv4Address(number)), table_id=table, is_twice=pool.is_twice)
    for each in config.static:
        yield NatMapping(
            local=each.local.address,
            external=each.external.address,
            interface=each.external.interface,
            protocol=each.protocol,
            local_port=each.local.port,
            external_port=each.external.port,
            table_id=_table_id(each.vrf, configuration),
            twice=each.twice,
            is_out_to_in_only=each.is_out_to_in_only,
            tag=each.name,
        )
    for exempt in config.exempt:
        yield NatExemption(
            address=exempt.local.address,
            interface=exempt.local.interface,
            protocol=exempt.protocol,
            port=exempt.local.port,
            table_id=_table_id(exempt.vrf, configuration),
            tag=exempt.name,
        )
    for leak in config.leaks:
        targets = sorted({_table_id(target, configuration) for target in leak.targets})
        yield NatLeaks(table_id=_table_id(leak.vrf, configuration), targets=tuple(targets))


def _as_typed(item: NatObject, observed: State) -> NatObject:
    """Return what is mapped by an interface as VPP has it: typed without a table, it is of the table of the inside.

    That is the default table in each NAT44 that a file can have, and a message finds it by the number typed alone.
    """
    if isinstance(item, (NatMapping, NatExemption)) and item.interface and not item.table_id:
        typed = replace(item, table_id=OF_THE_INSIDE)
        known = observed.of(type(item)).get(typed.name)
        if known is not None and replace(known, is_idle=False) == typed:
            return typed
    return item


def _pools(raw: Mapping[str, Any], parsing: Parsing) -> Iterator[NatPoolConfig]:
    for position, given in enumerate(raw.get("pools") or ()):
        if given is None:
            continue
        path: KeyPath = (SECTION, "pools", position)
        keys = given if isinstance(given, dict) else {"range": given}
        interface, text = keys.get("interface") or "", keys.get("range") or ""
        if bool(interface) == bool(text):
            words = "a pool is either `range` or `interface`; write one of both"
            parsing.problems.append(Problem(rule="nat44-pool", path=path, text=words))
            continue
        vrf, is_twice = keys.get("vrf"), bool(keys.get("twice-nat"))
        if interface:
            if vrf is not None:
                words = "the address of an interface serves hosts of every VRF; remove `vrf`, or write `range`"
                parsing.problems.append(Problem(rule="nat44-pool", path=(*path, "vrf"), text=words))
            yield NatPoolConfig(path=path, interface=interface, is_twice=is_twice)
            continue
        ends = _ends(text)
        if ends is None:
            words = f"{text} ends before it begins; exchange both addresses"
            parsing.problems.append(Problem(rule="nat44-pool", path=path, text=words))
            continue
        yield NatPoolConfig(path=path, first=ends[0], last=ends[1], vrf=vrf, is_twice=is_twice)


def _ends(text: str) -> tuple[str, str] | None:
    """Return the first and the last address of a range or prefix, None where it has none."""
    if "/" in text:
        network = IPv4Network(text, strict=False)
        return str(network[0]), str(network[-1])
    first, dash, last = (part.strip() for part in text.partition("-"))
    ends = IPv4Address(first), IPv4Address(last if dash else first)
    return (str(ends[0]), str(ends[1])) if ends[0] <= ends[1] else None


def _static(raw: Mapping[str, Any], parsing: Parsing) -> Iterator[NatStaticConfig]:
    for name, given in (raw.get("static") or {}).items():
        path: KeyPath = (SECTION, "static", name)
        protocol = NatProtocol(given["protocol"]) if given.get("protocol") else None
        local = _end(given.get("local"), protocol, (*path, "local"), parsing)
        external = _end(given.get("external"), protocol, (*path, "external"), parsing)
        if not _is_name(name, path, parsing) or local is None or external is None:
            continue
        if local.interface:
            words = f"{local.interface} is no address; `local` is the host inside, such as 192.168.1.10"
            parsing.problems.append(Problem(rule="nat44-end", path=(*path, "local"), text=words))
            continue
        twice = given.get("twice-nat")
        yield NatStaticConfig(
            name=name,
            path=path,
            local=local,
            external=external,
            protocol=protocol,
            vrf=given.get("vrf"),
            twice=TwiceNat.SELF if twice == "self" else TwiceNat.YES if twice else TwiceNat.NO,
            is_out_to_in_only=bool(given.get("out-to-in-only")),
        )


def _exempt(raw: Mapping[str, Any], parsing: Parsing) -> Iterator[NatExemptConfig]:
    for name, given in (raw.get("exempt") or {}).items():
        path: KeyPath = (SECTION, "exempt", name)
        protocol = NatProtocol(given["protocol"]) if given.get("protocol") else None
        local = _end(given.get("local"), protocol, (*path, "local"), parsing)
        if _is_name(name, path, parsing) and local is not None:
            vrf = given.get("vrf")
            yield NatExemptConfig(name=name, path=path, local=local, protocol=protocol, vrf=vrf)


def _is_name(name: Any, path: KeyPath, parsing: Parsing) -> bool:
    if is_nat_name(name):
        return True
    text = f"{shown(name)} is no name here; write up to 40 letters, digits, `-`, `_`, `.` and `:`"
    parsing.problems.append(Problem(rule="nat44-name", path=path, text=text))
    return False


def _end(raw: Any, protocol: NatProtocol | None, path: KeyPath, parsing: Parsing) -> NatEnd | None:
    """Return an end that has a port where there is a protocol, and none otherwise; note what is wrong with others."""
    end = as_end(raw)
    if end is None:
        text = f"{shown(raw)} is no end of a mapping; write an IPv4 address or an interface, then `:` and a port"
    elif protocol is not None and not end.port:
        text = f"{end} has no port; write it behind a colon, or remove `protocol` to map all of the address"
    elif protocol is None and end.port:
        text = f"{end} has a port, which needs `protocol`: tcp, udp or icmp"
    else:
        return end
    parsing.problems.append(Problem(rule="nat44-end", path=path, text=text))
    return None


def _leaks(raw: Mapping[str, Any], parsing: Parsing) -> Iterator[NatLeakConfig]:
    for vrf, targets in (raw.get("leaks") or {}).items():
        path: KeyPath = (SECTION, "leaks", vrf)
        if isinstance(vrf, str):
            yield NatLeakConfig(vrf=vrf, path=path, targets=tuple(targets or ()))
        else:
            text = f"{shown(vrf)} is a number here, and no name of a VRF; put it in quotes"
            parsing.problems.append(Problem(rule="vrf-name", path=path, text=text))


def _table_id(vrf: str | None, configuration: Configuration) -> int:
    config = configuration.vrfs.get(vrf) if vrf is not None else None
    return 0 if config is None else config.table_id


def _vrf_of(table_id: int, state: State) -> str | None:
    table = state.vrfs.get(table_key(table_id, is_ipv6=False)) if table_id else None
    return None if table is None else table.name


def _pool_entries(state: State) -> Iterator[NatPoolConfig]:
    """Yield the addresses as ranges, by table and kind, then the interfaces."""
    from netaddr import IPAddress, IPSet  # slow to import, and of use only where NAT44 is read back

    groups: dict[tuple[bool, int], IPSet] = {}
    for each in state.of(NatAddress).values():
        group = groups.setdefault((each.is_twice, -1 if each.table_id is None else each.table_id), IPSet())
        group.add(each.address)
    for (is_twice, table_id), addresses in sorted(groups.items(), key=lambda item: item[0]):
        vrf = None if table_id < 0 else _vrf_of(table_id, state) or DEFAULT_VRF
        for found in addresses.iter_ipranges():
            first, last = str(IPAddress(found.first)), str(IPAddress(found.last))
            yield NatPoolConfig(path=(SECTION, "pools"), first=first, last=last, vrf=vrf, is_twice=is_twice)
    for pool in sorted(state.of(NatPool).values(), key=lambda each: (natural_key(each.interface), each.is_twice)):
        yield NatPoolConfig(path=(SECTION, "pools"), interface=pool.interface, is_twice=pool.is_twice)


def _static_entries(state: State) -> Iterator[NatStaticConfig]:
    found = state.of(NatMapping)
    names = _names(
        {key: (each.tag, _own_name(each.protocol, each.external or each.interface, each.external_port))}
        for key, each in found.items()
    )
    for key in sorted(found, key=lambda key: natural_key(names[key])):
        each = found[key]
        yield NatStaticConfig(
            name=names[key],
            path=(SECTION, "static", names[key]),
            local=NatEnd(address=each.local, port=each.local_port),
            external=NatEnd(address=each.external, interface=each.interface, port=each.external_port),
            protocol=each.protocol,
            vrf=_vrf_of(each.table_id, state),
            twice=each.twice,
            is_out_to_in_only=each.is_out_to_in_only,
        )


def _exempt_entries(state: State) -> Iterator[NatExemptConfig]:
    found = state.of(NatExemption)
    names = _names(
        {key: (each.tag, _own_name(each.protocol, each.address or each.interface, each.port, each.table_id))}
        for key, each in found.items()
    )
    for key in sorted(found, key=lambda key: natural_key(names[key])):
        each = found[key]
        local = NatEnd(address=each.address, interface=each.interface, port=each.port)
        vrf = _vrf_of(each.table_id, state)
        path = (SECTION, "exempt", names[key])
        yield NatExemptConfig(name=names[key], path=path, local=local, protocol=each.protocol, vrf=vrf)


def _names(tags: Iterable[Mapping[str, tuple[str, str]]]) -> dict[str, str]:
    """Return what a file calls each object: its tag, or where that is no name, or not its own, one made of its ends."""
    wanted = {key: pair for each in tags for key, pair in each.items()}
    count: dict[str, int] = {}
    for tag, _ in wanted.values():
        count[tag] = count.get(tag, 0) + 1
    return {key: tag if is_nat_name(tag) and count[tag] == 1 else own for key, (tag, own) in wanted.items()}


def _own_name(protocol: NatProtocol | None, holder: str, port: int, table_id: int = 0) -> str:
    text = end_text(protocol, holder, port).replace(" ", "-").replace("/", "_")
    return text if table_id in (0, OF_THE_INSIDE) else f"{text}-{table_id}"


def _leak_entries(state: State) -> Iterator[NatLeakConfig]:
    for each in sorted(state.of(NatLeaks).values(), key=lambda each: each.table_id):
        vrf = _vrf_of(each.table_id, state) or DEFAULT_VRF
        targets = tuple(_vrf_of(target, state) or DEFAULT_VRF for target in each.targets)
        yield NatLeakConfig(vrf=vrf, path=(SECTION, "leaks", vrf), targets=targets)


def _pool_value(pool: NatPoolConfig) -> Value:
    text = pool.first if pool.first == pool.last else f"{pool.first}-{pool.last}"
    keys = [KeyValue("interface", pool.interface) if pool.interface else KeyValue("range", text)]
    keys += [KeyValue("vrf", pool.vrf)] if pool.vrf is not None else []
    keys += [KeyValue("twice-nat", True)] if pool.is_twice else []
    return text if [key.key for key in keys] == ["range"] else tuple(keys)


def _static_keys(each: NatStaticConfig) -> Iterator[KeyValue]:
    yield from [KeyValue("protocol", each.protocol.value)] if each.protocol else []
    yield KeyValue("local", str(each.local))
    yield KeyValue("external", str(each.external))
    yield from [KeyValue("vrf", each.vrf)] if each.vrf is not None else []
    twice: Value = "self" if each.twice is TwiceNat.SELF else True
    yield from [KeyValue("twice-nat", twice)] if each.twice is not TwiceNat.NO else []
    yield from [KeyValue("out-to-in-only", True)] if each.is_out_to_in_only else []


def _exempt_keys(each: NatExemptConfig) -> Iterator[KeyValue]:
    yield from [KeyValue("protocol", each.protocol.value)] if each.protocol else []
    yield KeyValue("local", str(each.local))
    yield from [KeyValue("vrf", each.vrf)] if each.vrf is not None else []
