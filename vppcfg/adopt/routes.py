"""Static routes set by `ip route` at VPP's CLI prompt: which of them an adopted file takes over, and from which lines.

They change their owner: the first `apply` sets them for the file, whose source wins over the prompt's, and those of the
prompt stay below until they are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from ipaddress import ip_interface, ip_network

from vppcfg.adopt.command_targets import UNSUPPORTED_PATH_WORDS
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.common.addresses import canonical_prefix
from vppcfg.common.names import natural_key
from vppcfg.common.release import is_older
from vppcfg.config.dump import expressible
from vppcfg.config.rules.rule_list import check_rules
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Parsed, index_of
from vppcfg.entries.section import Unmanaged
from vppcfg.kinds.route_section import KEY, SECTION
from vppcfg.model.attachment import Attachment
from vppcfg.model.problem import Severity
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vpp_object import by_name
from vppcfg.model.vrf import table_key
from vppcfg.record import record

COMMAND = "ip route"
_KIND = "route of the prompt"
"""What `vpp/unmanaged/routes.py` calls them."""
OWNER = "the first `apply` sets it for the file, above the one of the prompt, which `ip route del` then removes"
_DRIVES_OUT = "with it, other parts of the file would have to be left out"
_UNREADABLE = re.compile(
    r"\b(resolve-via-(?:host|attached)|classify|null-send-\w+|null|punt|out-labels|local|"
    rf"{'|'.join(sorted(UNSUPPORTED_PATH_WORDS))})\b"
)
"""Words of a path that VPP does not read back, or that lead where no file can."""
_COUNT = re.compile(r"\bcount (\d{1,20})")
_TABLE = re.compile(r"\btable (\d{1,18})\b")
_NAMED = 3
_MOST = 100_000
"""Routes of one command that are looked at one by one."""


@record
class Takeover:
    """What happens to the routes of the prompt."""

    routes: tuple[Route, ...] = ()
    """Those that the file has."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why it does not have others, by their names."""

    def into(self, state: State) -> State:
        """Return a state with these routes as those of the file."""
        if not self.routes:
            return state
        return replace(state, objects={**state.objects, Route: {**state.of(Route), **by_name(self.routes)}})

    def without(self, attachments: Iterable[Attachment]) -> Iterator[Attachment]:
        """Yield what others have and the file does not take over."""
        names = {route.name for route in self.routes}
        for each in attachments:
            if each.kind != _KIND or each.name.partition(" via ")[0] not in names:
                yield each

    def notices(self) -> list[str]:
        """Return a note on the routes of a running VPP that change their owner."""
        if not self.routes:
            return []
        names = ", ".join(sorted((route.name for route in self.routes), key=natural_key)[:_NAMED])
        names += f" and {len(self.routes) - _NAMED} more" if len(self.routes) > _NAMED else ""
        text = f"the file takes over routes of the prompt: {names}"
        stay = "which stay below until `ip route del` removes them"
        return [f"{text}; the first `apply` sets them above those of the prompt, {stay}"]


NOTHING = Takeover()


def takeover(state: State, known: Configuration, found: Iterable[Route]) -> Takeover:
    """Return which routes of the prompt the file `known`, which was written of `state`, can have too."""
    reasons: dict[str, str] = {}
    routes: dict[str, Route] = {}
    for route in found:
        reason = _why_not(route, state, known)
        if reason is not None:
            reasons[route.name] = reason
        elif route.name not in state.of(Route):
            routes[route.name] = route
    desired = Takeover(routes=tuple(routes.values())).into(state)
    configs = SECTION.from_state(desired, Unmanaged.nothing())
    index = index_of(Parsed(configuration=replace(known, routes=configs)))
    by_path = {config.path: config for config in configs}
    for problem in check_rules(index):
        config = next((by_path[problem.path[:end]] for end in (2, 4) if problem.path[:end] in by_path), None)
        if config is not None and problem.severity is Severity.ERROR:
            table_id = known.vrfs[config.vrf].table_id if config.vrf is not None else 0
            name = Route(prefix=config.prefix, table_id=table_id).name
            reasons[name] = problem.text
            routes.pop(name, None)
    while lost := _lost(routes.values(), state):
        reasons |= dict.fromkeys(lost, _DRIVES_OUT)
        routes = {name: route for name, route in routes.items() if name not in lost}
    return Takeover(routes=tuple(routes.values()), reasons=reasons)


def _lost(routes: Iterable[Route], state: State) -> frozenset[str]:
    """Return the names of those routes that a file has not although it was written with them."""
    routes = tuple(routes)
    if not routes:
        return frozenset()
    configuration, _ = expressible(Takeover(routes=routes).into(state))
    tables: dict[str | None, int] = {name: vrf.table_id for name, vrf in configuration.vrfs.items()}
    tables[None] = 0
    in_file = {(each.prefix, tables.get(each.vrf)) for each in configuration.routes}
    return frozenset(route.name for route in routes if (route.prefix, route.table_id) not in in_file)


def _why_not(route: Route, state: State, known: Configuration) -> str | None:
    tables = {route.table_id, *(hop.table_id for hop in route.hops if hop.table_id is not None)} - {0}
    named = {vrf.table_id for vrf in known.vrfs.values() if (vrf.has_ipv6 if route.is_ipv6 else vrf.has_ipv4)}
    if unnamed := sorted(tables - named):
        return f"the FIB table {table_key(unnamed[0], is_ipv6=route.is_ipv6)} is no VRF of the file"
    if route.end is not None and route.since is not None and is_older(state.facts.version, route.since):
        return f"VPP can have it {route.end.value} from {route.since} on"
    return None


def place_lines(lines: Sequence[SourceLine], taken: Takeover, known: Configuration, state: State) -> None:
    """Give each line that sets a route its place in the file `known`, or the reason why it has none there."""
    vrfs = {table.key: name for name, vrf in known.vrfs.items() for table in vrf.tables()}
    names = {route.name for route in taken.routes}
    connected = dict(_connected(state))
    for line in lines:
        if line.command == COMMAND and line.outcome is LineOutcome.UNMANAGED and line.rule == "adopt-rest":
            targets = targets_of(line.text)
            missing = [route for route in targets if route.name not in names]
            if targets and not missing:
                line.set_outcome(LineOutcome.FILE, OWNER, "adopt-route")
                vrf = vrfs.get(table_key(targets[-1].table_id, is_ipv6=targets[-1].is_ipv6))
                line.path = (KEY, targets[-1].prefix) if vrf is None else ("vrfs", vrf, KEY, targets[-1].prefix)
            else:
                line.why = _reason(line, missing, taken, connected)


def _connected(state: State) -> Iterator[tuple[str, str]]:
    """Yield the routes to the networks of interfaces by their names, each with its interface."""
    for name, interface in state.interfaces.items():
        for address in interface.addresses:
            network = str(ip_interface(address).network)
            yield Route(prefix=network, table_id=interface.table_of(address)).name, name


def _reason(line: SourceLine, missing: Sequence[Route], taken: Takeover, connected: Mapping[str, str]) -> str:
    if word := _UNREADABLE.search(line.text):
        return f"`{word[0]}` has no key in `routes`"
    known = next((taken.reasons[route.name] for route in missing if route.name in taken.reasons), None)
    if known is None and (owner := next((connected[each.name] for each in missing if each.name in connected), None)):
        return f"it is the network of {owner}, to which the connected route leads"
    return known or "the script ends without this route as a file can have it"


def with_unreadable_settings(lines: Iterable[SourceLine]) -> frozenset[str]:
    """Return the names of routes to which a line gives a setting that VPP does not read back."""
    return frozenset(
        route.name
        for line in lines
        if line.command == COMMAND and _UNREADABLE.search(line.text)
        for route in targets_of(line.text)
    )


def targets_of(text: str) -> list[Route]:
    """Return the prefixes and the table of a command `ip route`, with no next hops."""
    head = text.partition(" via ")[0] + " " + " ".join(word for word in text.split() if word.startswith("table"))
    table = _TABLE.search(re.sub(r"(?:next-hop-table|lookup[- ]in[- ]table) \d+", "", text))
    count = _COUNT.search(text)
    prefixes = [prefix for word in head.split() if "/" in word and (prefix := canonical_prefix(word)) is not None]
    table_id = int(table[1]) if table else 0
    number = min(int(count[1]), _MOST) if count else 1
    return [Route(prefix=each, table_id=table_id) for prefix in prefixes for each in _counted(prefix, number)]


def _counted(prefix: str, number: int) -> list[str]:
    if number == 1:
        return [prefix]
    network = ip_network(prefix)
    step = network.num_addresses
    first, bits = int(network.network_address), network.max_prefixlen
    hosts = (type(network.network_address)((first + step * place) % (1 << bits)) for place in range(number))
    return [f"{host}/{network.prefixlen}" for host in hosts]
