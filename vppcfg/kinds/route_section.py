"""Static routes in the file: `routes` of the default table, and `routes` of entries of `vrfs`.

routes:
  0.0.0.0/0: 192.0.2.1
  10.0.0.0/8: blackhole
  198.51.100.0/24: { via: [ { gateway: 192.0.2.2, weight: 3 }, { gateway: 192.0.2.3, interface: eth1 } ] }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import address_key, canonical_address, canonical_host, canonical_prefix
from vppcfg.entries.configuration import Configuration, HopConfig, RouteConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.section import NamedReference, Parsing, Section, Unmanaged, YamlEntry
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value, indented, key_lines
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.route import NextHop, Route, RouteEnd, in_order, is_holding, shadow_text
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.model.vrf import table_key

KEY = "routes"
DEFAULT_VRF = "default"
"""What `vrf` of a next hop calls the default table, unless the file has a VRF of that name."""
_ENDS = frozenset(end.value for end in RouteEnd)


class RouteSection(Section):
    """The section `routes`, with the routes of VRFs."""

    key = KEY
    attribute = "routes"

    def parse(self, parsing: Parsing) -> tuple[RouteConfig, ...]:
        """Return the routes of all tables in the order of the file, without those of a wrong shape."""
        vrfs = parsing.content.get("vrfs")
        tables: list[tuple[str | None, KeyPath, Any]] = [(None, (KEY,), parsing.content.get(KEY))]
        for name, entry in vrfs.items() if isinstance(vrfs, dict) else ():
            if isinstance(name, str) and isinstance(entry, dict):
                tables.append((name, ("vrfs", name, KEY), entry.get(KEY)))
        return tuple(route for vrf, path, raw in tables for route in _parsed(parsing, vrf, path, raw))

    def resolve(self, desired: DesiredStateBuilder) -> None:
        for config in desired.configuration.routes:
            route = route_of(config, desired.configuration)
            where = " in a VRF" if route.table_id else ""
            is_taken = (
                route.since is None
                or route.end is None
                or desired.is_since(route.since, config.path, f"{config.prefix} is {route.end.value}{where}")
            )
            if is_taken and not lacks_interface(config.hops, desired):
                desired.enter(route)
                _warn_of_shadow(route, config.path, desired)

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield the VRFs that next hops lead to."""
        for hop in (hop for route in configuration.routes for hop in route.hops):
            if hop.vrf not in (None, DEFAULT_VRF):
                yield NamedReference(Referent.TABLE, str(hop.vrf), (*hop.path, "vrf"))

    def from_state(self, state: State, unmanaged: Unmanaged) -> tuple[RouteConfig, ...]:
        """Return the routes of all tables, the default one first, by address; none that a killed change has left."""
        routes = sorted(state.of(Route).values(), key=lambda route: (route.table_id, address_key(route.prefix)))
        found = (_config(route, state) for route in routes if not is_holding(route))
        return tuple(config for config in found if config is not None)

    def yaml_entries(self, configuration: Configuration) -> Iterator[YamlEntry]:
        for config in configuration.routes:
            via = via_as_yaml(config.hops, config.end)
            name = Route(prefix=config.prefix, table_id=table_id_of(config.vrf, configuration)).name
            yield YamlEntry(path=config.path, name=name, keys=(KeyValue("via", via),))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the routes of the default table; `lines_of_vrf` has those of others."""
        yield from lines_of_vrf(configuration, None)


SECTION = RouteSection()


def lacks_interface(hops: Iterable[HopConfig], desired: DesiredStateBuilder) -> bool:
    """Return whether VPP lacks an interface of next hops that other programs are to create; report each."""
    missing = [hop for hop in hops if hop.interface and _is_missing(hop, desired)]
    return bool(missing)


def _is_missing(hop: HopConfig, desired: DesiredStateBuilder) -> bool:
    return desired.lacks_unmanaged(hop.interface, "route-interface", (*hop.path, "interface"))


def _warn_of_shadow(route: Route, path: KeyPath, desired: DesiredStateBuilder) -> None:
    """Report a route of the file that VPP has and a preferred source shadows: it is no difference, and unused."""
    if by := desired.observed.hidden_by.get(route.name):
        desired.warning("route-shadowed", path, shadow_text(route.name, by))


def lines_of_vrf(configuration: Configuration, vrf: str | None) -> Iterator[str]:
    """Yield the text of the routes of one VRF, nothing where it has none."""
    routes = [config for config in configuration.routes if config.vrf == vrf]
    if routes:
        yield f"{KEY}:"
        yield from indented(key_lines(KeyValue(config.prefix, _short(config)) for config in routes), 1)


def route_of(config: RouteConfig, configuration: Configuration) -> Route:
    """Return a route of a file as VPP has it."""
    return Route(
        prefix=config.prefix,
        table_id=table_id_of(config.vrf, configuration),
        hops=in_order(_next_hop(config, hop, configuration) for hop in config.hops),
        end=config.end,
    )


def _parsed(parsing: Parsing, vrf: str | None, path: KeyPath, raw: Any) -> Iterator[RouteConfig]:
    bad = {each[len(path)] for each in parsing.bad_paths if each[: len(path)] == path and len(each) > len(path)}
    if path in parsing.bad_paths or path[:-1] in parsing.bad_paths or not isinstance(raw, dict):
        return
    broken = set()
    for prefix, given in raw.items():
        problem = _wrong_prefix(prefix, (*path, prefix))
        if problem is not None:
            parsing.problems.append(problem)
        if problem is not None or prefix in bad:
            broken.add(str(prefix))
            continue
        yield _route(str(canonical_prefix(prefix)), vrf, (*path, prefix), given)
    parsing.broken_entries[KEY] = parsing.broken_entries.get(KEY, frozenset()) | broken


def _wrong_prefix(prefix: Any, path: KeyPath) -> Problem | None:
    canonical = canonical_prefix(prefix)
    if canonical is None:
        text = f"{shown(prefix)} is no prefix; write an address with its length, such as 10.0.0.0/8"
    elif canonical != canonical_address(prefix):
        text = f"{prefix} has bits set behind its length; write {canonical}"
    else:
        return None
    return Problem(rule="route-prefix", path=path, text=text)


def _route(prefix: str, vrf: str | None, path: KeyPath, given: Any) -> RouteConfig:
    """Return an entry of the right shape: one word, or `via` with one next hop or several."""
    has_key = isinstance(given, dict)
    hops, end = parse_via(given["via"] if has_key else given, (*path, "via") if has_key else path)
    return RouteConfig(prefix=prefix, vrf=vrf, path=path, hops=hops, end=end)


def parse_via(via: Any, path: KeyPath) -> tuple[tuple[HopConfig, ...], RouteEnd | None]:
    """Return the next hops that a value of `via` means, or the end, such as blackhole."""
    if isinstance(via, str) and via in _ENDS:
        return (), RouteEnd(via)
    listed = [(via, path)] if not isinstance(via, list) else [(hop, (*path, at)) for at, hop in enumerate(via)]
    return tuple(_hop(hop, at) for hop, at in listed), None


def _hop(given: Any, path: KeyPath) -> HopConfig:
    raw: Mapping[str, Any] = given if isinstance(given, dict) else {"gateway": given}
    return HopConfig(
        path=path,
        has_keys=isinstance(given, dict),
        gateway=canonical_host(raw.get("gateway")) or "",
        interface=raw.get("interface") or "",
        vrf=raw.get("vrf"),
        weight=raw.get("weight") or 1,
        preference=raw.get("preference") or 0,
    )


def _next_hop(config: RouteConfig, hop: HopConfig, configuration: Configuration) -> NextHop:
    """Return a next hop; VPP takes a host behind an interface for its own gateway."""
    prefix, _, length = config.prefix.partition("/")
    is_host = int(length) == (128 if ":" in prefix else 32)
    return NextHop(
        gateway=prefix if hop.interface and not hop.gateway and is_host else hop.gateway,
        interface=hop.interface,
        table_id=None if hop.vrf is None else table_id_of(hop.vrf, configuration),
        weight=hop.weight,
        preference=hop.preference,
    )


def table_id_of(vrf: str | None, configuration: Configuration) -> int:
    """Return the FIB table of a VRF of the file, the default one for none and for one that the file lacks."""
    config = configuration.vrfs.get(vrf) if vrf is not None else None
    return 0 if config is None else config.table_id


def _config(route: Route, state: State) -> RouteConfig | None:
    """Return the entry of an observed route, None where it is in a table that no file names."""
    vrf = _vrf(route.table_id, route, state)
    if route.table_id and vrf is None:
        return None
    path: KeyPath = (KEY, route.prefix) if vrf is None else ("vrfs", vrf, KEY, route.prefix)
    hops = (_hop_config(hop, route, state, (*path, at)) for at, hop in enumerate(route.hops))
    return RouteConfig(prefix=route.prefix, vrf=vrf, path=path, hops=tuple(hops), end=route.end)


def _hop_config(hop: NextHop, route: Route, state: State, path: KeyPath) -> HopConfig:
    is_own_host = hop.interface and hop.gateway == route.prefix.partition("/")[0]
    return HopConfig(
        path=path,
        gateway="" if is_own_host else hop.gateway,
        interface=hop.interface,
        vrf=None if hop.table_id is None else _vrf(hop.table_id, route, state) or DEFAULT_VRF,
        weight=hop.weight,
        preference=hop.preference,
    )


def _vrf(table_id: int, route: Route, state: State) -> str | None:
    table = state.vrfs.get(table_key(table_id, is_ipv6=route.is_ipv6)) if table_id else None
    return None if table is None or table.is_unnamed else table.name


def _short(config: RouteConfig) -> Value:
    """Return the value of an entry in its shortest form."""
    via = via_as_yaml(config.hops, config.end)
    return via if isinstance(via, str) else (KeyValue("via", via),)


def via_as_yaml(hops: Iterable[HopConfig], end: RouteEnd | None) -> Value:
    """Return the value of `via`."""
    if end is not None:
        return end.value
    values = [_hop_value(hop) for hop in hops]
    return values[0] if len(values) == 1 else values


def _hop_value(hop: HopConfig) -> Value:
    keys = tuple(_hop_keys(hop))
    return hop.gateway if [key.key for key in keys] == ["gateway"] else keys


def _hop_keys(hop: HopConfig) -> Iterable[KeyValue]:
    yield from [KeyValue("gateway", hop.gateway)] if hop.gateway else []
    yield from [KeyValue("interface", hop.interface)] if hop.interface else []
    yield from [] if hop.vrf is None else [KeyValue("vrf", hop.vrf)]
    yield from [KeyValue("weight", hop.weight)] if hop.weight != 1 else []
    yield from [KeyValue("preference", hop.preference)] if hop.preference else []
