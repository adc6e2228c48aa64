"""The section `policers`, and the keys `police` and `police-hosts` of interfaces and sub-interfaces.

policers: { gold: { rate: 100M }, trial: { rate: 2M, burst: 50k, excess: { mark: cs1 } } }
interfaces: { eth1: { police: gold }, eth0: { police-hosts: { destination: { 198.51.100.10: trial } } } }

A name stands for a rate. Each interface, host or prefix that has it has a bucket of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any, NamedTuple

from vppcfg.common.addresses import address_key, canonical_prefix
from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.common.rates import parse_figure, with_letter
from vppcfg.common.release import Release
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import LIST
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.rate_limit import (
    DELETED,
    EVERY_PACKET,
    LAYERS,
    LimitedInterface,
    LimitTable,
    Policer,
    RateLimit,
    TableShape,
    chain,
    user_of,
)
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject

POLICERS, POLICE, POLICE_HOSTS = "policers", "police", "police-hosts"
PLUGIN = "policer"
_PLUGIN_SINCE = Release(26, 6)
NAME_LENGTH = 24
SIDES = ("destination", "source")
IP_LAYERS, _FRAMES = LAYERS[:2], LAYERS[2]
_ETHERNET_BYTES, _TAG_BYTES = 14, 4
_OFFSETS = {("destination", False): 16, ("destination", True): 24, ("source", False): 12, ("source", True): 8}
"""Bytes of an IP header before an address, by whether it is IPv6."""
_LENGTHS = (32, 128)
HOSTS_MOST = 20_000
"""Of one interface."""
_MOST_HOST_BITS = 14
_BURST_S = 0.1
_LEAST_BURST_BYTES = 15_000
"""Ten packets of the usual size: with less, TCP is far below the rate."""
_MARKS = {number: name for name, number in DSCP_NAMES.items()}


class PolicerRate(NamedTuple):
    """What a file has for a name."""

    name: str
    rate_kbps: int
    burst_bytes: int
    dscp: int | None = None

    def policer(self, user: str) -> Policer:
        """Return the bucket of one user."""
        return Policer(
            policer=self.name,
            user=user_of(self.name, user),
            rate_kbps=self.rate_kbps,
            burst_bytes=self.burst_bytes,
            dscp=self.dscp,
        )


Rates = tuple[PolicerRate, ...]


def rates_in(configuration: Configuration) -> Mapping[str, PolicerRate]:
    """Return the rates of a file by name."""
    entry = configuration.owned.get(POLICERS, {}).get("")
    return {rate.name: rate for rate in entry.value} if entry is not None else {}


def usual_burst_bytes(rate_kbps: int) -> int:
    """Return the burst of a rate that names none."""
    return max(_LEAST_BURST_BYTES, int(rate_kbps * 1000 / 8 * _BURST_S))


class Policers(OwnedSection[Rates]):
    """The section `policers`, of rates: only where one is used, VPP has a policer."""

    key = POLICERS
    holders = (KeyHolder.FILE,)
    object_classes = ()
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Rates:
        """Return the rates in the order of the file; note names that are none."""
        for name in raw:
            if not is_name(name):
                form = f"a lower case letter, then up to {NAME_LENGTH - 1} of a-z, 0-9 and `-`"
                text = f"{shown(name)} is no name: {form}"
                problems.append(Problem(rule="policer-name", path=(*path, name), text=text))
        return tuple(_rate(name, given) for name, given in raw.items() if is_name(name))

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return nothing: the keys of interfaces make policers."""
        return ()

    def as_yaml(self, value: Rates) -> Value:
        """Return the rates by name."""
        return tuple(KeyValue(rate.name, tuple(_keys(rate)), is_block=True) for rate in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Rates]]:
        """Yield the rates of the policers."""
        rates = {
            each.policer: PolicerRate(each.policer, each.rate_kbps, each.burst_bytes, each.dscp)
            for _, each in sorted(state.of(Policer).items(), reverse=True)
        }
        if rates:
            yield KeyHolder.FILE, "", tuple(rates[name] for name in sorted(rates))


def is_name(name: Any) -> bool:
    """Return whether a file can have a policer of this name."""
    return isinstance(name, str) and len(name) <= NAME_LENGTH and LIST.fullmatch(name) is not None


def _rate(name: str, raw: Mapping[str, Any]) -> PolicerRate:
    rate_kbps = int(parse_figure(raw["rate"])) // 1000
    burst, excess = raw.get("burst"), raw.get("excess")
    burst_bytes = usual_burst_bytes(rate_kbps) if burst is None else int(parse_figure(str(burst)))
    mark = excess["mark"] if isinstance(excess, Mapping) else None
    dscp = DSCP_NAMES[mark] if isinstance(mark, str) else mark
    return PolicerRate(name, rate_kbps, burst_bytes, dscp)


def _keys(rate: PolicerRate) -> Iterator[KeyValue]:
    yield KeyValue("rate", with_letter(rate.rate_kbps * 1000))
    is_usual = rate.burst_bytes == usual_burst_bytes(rate.rate_kbps)
    yield KeyValue("burst", with_letter(rate.burst_bytes), is_default=is_usual)
    if rate.dscp is not None:
        yield KeyValue("excess", (KeyValue("mark", _MARKS.get(rate.dscp, rate.dscp)),))


class Police(OwnedSection[str]):
    """The key `police`; its value is the name of a rate."""

    key = POLICE
    holders = (KeyHolder.INTERFACE,)
    object_classes = (LimitedInterface,)
    plugin = PLUGIN
    plugin_since = _PLUGIN_SINCE
    reason = "limits rates"

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> str:
        """Return the name."""
        return str(raw)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return nothing: what an interface needs depends on whether it routes, and on the tables that VPP has."""
        return ()

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter nothing before the interfaces are there."""

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Enter what limits each interface and its hosts, and what limits those that the file leaves alone."""
        _copy_unmanaged(desired)
        limiter = _Limiter(desired)
        for entry in self.entries_in(desired.configuration).values():
            if entry.name in desired.interfaces and self._is_possible(entry, desired):
                limiter.limit(entry)
        for entry in HOSTS_SECTION.entries_in(desired.configuration).values():
            if entry.value.rates and entry.name in desired.interfaces and self._is_possible(entry, desired):
                limiter.limit_hosts(entry)

    def as_yaml(self, value: str) -> Value:
        """Return the name."""
        return value

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, str]]:
        """Yield the name of the rate of each interface."""
        tables, limits = state.of(LimitTable), _limits_by_table(state)
        found: dict[str, str] = {}
        for use in state.of(LimitedInterface).values():
            table = tables.get(str(use.number)) if not use.is_deleted else None
            if table is not None and table.next is None and table.shape == EVERY_PACKET:
                found |= ((use.interface, policer.policer) for _, policer in limits.get(table.number, ()))
        for interface, name in found.items():
            yield KeyHolder.INTERFACE, interface, name


class HostRates(NamedTuple):
    """The limits of hosts of one interface."""

    side: str
    """One of `SIDES`."""
    rates: tuple[tuple[str, str], ...]
    """Prefixes, each with the name of a rate."""


class PoliceHosts(OwnedSection[HostRates]):
    """The key `police-hosts`: rates by host or prefix, of what they send or of what is sent to them."""

    key = POLICE_HOSTS
    holders = (KeyHolder.INTERFACE,)
    object_classes = (LimitedInterface,)
    plugin = PLUGIN
    plugin_since = _PLUGIN_SINCE
    reason = "limits rates"
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> HostRates:
        """Return the rates of one side; note prefixes that are none, stand there twice or are divided otherwise."""
        sides = [side for side in SIDES if raw.get(side) is not None]
        if len(sides) == 2:
            text = "VPP goes by the first match, so that packets of both sides would count once; keep one side here"
            problems.append(Problem(rule="police-hosts-side", path=path, text=text))
        found: dict[str, str] = {}
        for side in sides[:1]:
            for key, given in raw[side].items():
                text = _enter(found, key, given)
                if text:
                    problems.append(Problem(rule="police-hosts-prefix", path=(*path, side, key), text=text))
        return HostRates(sides[0] if sides else SIDES[0], tuple(found.items()))

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return nothing: `police` enters what both need."""
        return ()

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter nothing: `police` enters what both need."""

    def as_yaml(self, value: HostRates) -> Value:
        """Return the rates by prefix; a host is written without a length."""
        rates = tuple(KeyValue(_as_key(prefix), name) for prefix, name in value.rates)
        return (KeyValue(value.side, rates, is_block=True),) if rates else ()

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, HostRates]]:
        """Yield the rates of the hosts of each interface."""
        tables, limits = state.of(LimitTable), _limits_by_table(state)
        found: dict[str, tuple[set[str], dict[str, str]]] = {}
        for use in sorted(state.of(LimitedInterface).values(), key=lambda use: use.layer):
            tags = tags_of(state.interfaces.get(use.interface))
            for table in _host_tables(tables, use.number) if not use.is_deleted else ():
                sides, rates = found.setdefault(use.interface, (set(), {}))
                sides |= {side for side in SIDES if table.offset == offset_of(side, tags, is_ipv6=table.is_ipv6)}
                for prefix, policer in limits.get(table.number, ()):
                    rates[prefix or ("::/0" if table.is_ipv6 else "0.0.0.0/0")] = policer.policer
        for name, (sides, rates) in found.items():
            ordered = sorted(rates.items(), key=lambda rate: address_key(rate[0]))
            yield KeyHolder.INTERFACE, name, HostRates(min(sides, default=SIDES[0]), tuple(ordered))


def _enter(found: dict[str, str], key: Any, given: Any) -> str:
    """Enter the rate of a prefix, or of each part of it; return what is wrong, '' for nothing."""
    prefix = canonical_prefix(key)
    if prefix is None:
        return f"{shown(key)} is no host or prefix"
    address, _, length = prefix.partition("/")
    name, each = (given["policer"], given.get("each")) if isinstance(given, Mapping) else (given, None)
    parts = [prefix]
    if each is not None:
        longest = _LENGTHS[":" in address]
        if not int(length) <= each <= longest:
            return f"`each` of {prefix} is a length from {length} to {longest}, not {each}"
        if each - int(length) > _MOST_HOST_BITS:
            return f"{prefix} has more than {HOSTS_MOST:,} parts of the length {each}; limit larger ones"
        parts = [canonical_prefix(str(part)) or "" for part in ip_network(prefix).subnets(new_prefix=each)]
    if twice := next((part for part in parts if part in found), None):
        return f"{twice} has a rate already"
    found.update(dict.fromkeys(parts, str(name)))
    return f"more than {HOSTS_MOST:,} hosts and prefixes have a rate here" if len(found) > HOSTS_MOST else ""


def _as_key(prefix: str) -> str:
    address, _, length = prefix.partition("/")
    return address if int(length) == _LENGTHS[":" in address] else prefix


def offset_of(side: str, tags: int, *, is_ipv6: bool) -> int:
    """Return how many bytes of a frame with VLAN tags are before an address."""
    return _ETHERNET_BYTES + _TAG_BYTES * tags + _OFFSETS[side, is_ipv6]


def tags_of(interface: Interface | None) -> int:
    """Return how many VLAN tags frames of an interface have; none of one that a part of a state lacks."""
    encapsulation = None if interface is None else interface.encapsulation
    return encapsulation.tag_count if isinstance(encapsulation, Encapsulation) else 0


def _host_tables(tables: Mapping[str, LimitTable], head: int | None) -> list[LimitTable]:
    """Return the tables of a chain that looks at hosts; none of one that takes every packet."""
    found = list(chain(tables, head))
    return found if any(table.length for table in found) else []


def _limits_by_table(state: State) -> Mapping[int, list[tuple[str, Policer]]]:
    policers = state.of(Policer)
    found: dict[int, list[tuple[str, Policer]]] = {}
    for each in state.of(RateLimit).values():
        if each.policer in policers:
            found.setdefault(each.number, []).append((each.prefix, policers[each.policer]))
    return found


def host_limits(
    interface: str, side: str, offset: int, rates: Iterable[tuple[str, PolicerRate]], *, is_ipv6: bool
) -> dict[TableShape, list[tuple[str, Policer]]]:
    """Return what tables send to policers for prefixes of one family, by their shape; there is one for single hosts."""
    limits: dict[TableShape, list[tuple[str, Policer]]] = {TableShape(is_ipv6, offset, _LENGTHS[is_ipv6]): []}
    for prefix, rate in rates:
        length = int(prefix.partition("/")[2])
        shape = TableShape(is_ipv6, offset if length else 0, length)
        user = f"{interface}{'>' if side == SIDES[0] else '<'}{_as_key(prefix)}"
        limits.setdefault(shape, []).append((prefix if length else "", rate.policer(user)))
    return limits


def limit_objects(
    interface: str,
    layers: Iterable[str],
    limits: Mapping[TableShape, Sequence[tuple[str, Policer]]],
    number_of: Callable[[TableShape], int],
) -> Iterator[VppObject]:
    """Yield a chain of tables, those that look at most of an address first, and what gives it to layers."""
    shapes = sorted(limits, key=lambda shape: -shape.length)
    numbers = [number_of(shape) for shape in shapes]
    for shape, number, after in zip(shapes, numbers, (*numbers[1:], None), strict=True):
        yield LimitTable(number=number, next=after, **shape._asdict())
        for prefix, policer in limits[shape]:
            yield policer
            yield RateLimit(number=number, prefix=prefix, policer=policer.name, offset=shape.offset)
    for layer in layers:
        yield LimitedInterface(interface=interface, layer=layer, number=numbers[0])


class _Limiter:
    """Enters what limits interfaces. One keeps the numbers of its tables, and a new table gets one that none has."""

    def __init__(self, desired: DesiredStateBuilder) -> None:
        self._desired = desired
        self._rates = rates_in(desired.configuration)
        tables = desired.observed.of(LimitTable)
        self._taken = {table.number for table in tables.values()}
        self._own: dict[tuple[str, TableShape], int] = {}
        uses = desired.observed.of(LimitedInterface).values()
        for use in sorted(uses, key=lambda use: use.is_deleted):
            for table in chain(tables, use.number):
                if table.number not in self._own.values():
                    self._own.setdefault((use.interface, table.shape), table.number)

    def limit(self, entry: OwnedConfig) -> None:
        """Enter what limits all that comes in on an interface."""
        rate, is_l2 = self._rates.get(entry.value), self._desired.interfaces[entry.name].is_l2
        layers = (_FRAMES,) if is_l2 else IP_LAYERS
        if rate is not None and self._is_free(entry, layers):
            self._enter(entry.name, layers, {EVERY_PACKET: [("", rate.policer(entry.name))]})

    def limit_hosts(self, entry: OwnedConfig) -> None:
        """Enter what limits hosts, of each family with a table of single ones first, which stays when others change."""
        side, rates = entry.value
        tags = tags_of(self._desired.interfaces[entry.name])
        for is_ipv6, layer in enumerate(IP_LAYERS):
            own = [(prefix, self._rates.get(name)) for prefix, name in rates if (":" in prefix) == bool(is_ipv6)]
            if own and self._is_free(entry, (layer,)):
                known = [(prefix, rate) for prefix, rate in own if rate is not None]
                offset = offset_of(side, tags, is_ipv6=bool(is_ipv6))
                limits = host_limits(entry.name, side, offset, known, is_ipv6=bool(is_ipv6))
                self._enter(entry.name, (layer,), limits)

    def _is_free(self, entry: OwnedConfig, layers: Sequence[str]) -> bool:
        """Return whether no other program limits these layers of an interface; report one that does."""
        observed = self._desired.observed.of(LimitedInterface)
        uses = [observed[key] for layer in layers if (key := f"{entry.name} {layer}") in observed]
        if all(use.number is not None for use in uses):
            return True
        text = f"another program has rate limits on {entry.name}, and VPP takes no others beside them; remove those"
        self._desired.problem("police-taken", entry.path, text)
        return False

    def _enter(
        self, interface: str, layers: Sequence[str], limits: Mapping[TableShape, Sequence[tuple[str, Policer]]]
    ) -> None:
        for item in limit_objects(interface, layers, limits, lambda shape: self._number_of(interface, shape)):
            self._desired.enter(item)

    def _number_of(self, interface: str, shape: TableShape) -> int:
        number = self._own.get((interface, shape))
        left = [key for key in self._own if key[0].startswith(DELETED) and key[1] == shape]
        if number is None and left:
            number = self._own.pop(left[0])
        elif number is None:
            number = next(number for number in range(len(self._taken) + 1) if number not in self._taken)
            self._taken.add(number)
        return number


def _copy_unmanaged(desired: DesiredStateBuilder) -> None:
    """Enter as it is what limits interfaces that the file leaves alone, and what other programs have."""
    observed = desired.observed
    tables = observed.of(LimitTable)
    kept = [
        each
        for each in observed.of(LimitedInterface).values()
        if each.number is None or each.is_deleted or desired.globs.matches(each.interface)
    ]
    numbers = {table.number for each in kept for table in chain(tables, each.number)}
    full = {table.number for each in kept if not each.is_deleted for table in chain(tables, each.number)}
    limits = [each for each in observed.of(RateLimit).values() if each.number in full]
    names = {each.policer for each in limits}
    policers = [each for name, each in observed.of(Policer).items() if name in names]
    for item in (*policers, *(tables[str(number)] for number in numbers), *limits, *kept):
        desired.enter(item)


POLICERS_SECTION, POLICE_SECTION, HOSTS_SECTION = Policers(), Police(), PoliceHosts()
