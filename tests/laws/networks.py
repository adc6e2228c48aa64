"""Generated routers: configurations that the rules accept, and states that a VPP can be in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from vppcfg.config.assumed import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.model.configuration import Configuration, InterfaceConfig, LcpConfig
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.plan.effects.lcp import dependent_pairs

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet10/0/0", "TenGigabitEthernet2/0/0")
SUB_IDS = (100, 200, 1000, 4095, 2147483648)
MTUS = (1280, 1500, 2000, 9000)
ENCAPSULATIONS = (
    Encapsulation(outer=100, is_exact=True),
    Encapsulation(outer=100, is_exact=False),
    Encapsulation(outer=200, is_exact=True),
    Encapsulation(outer=100, is_dot1ad=True, is_exact=True),
    Encapsulation(outer=100, inner=10, is_exact=True),
    Encapsulation(outer=100, inner=20, is_exact=False),
    Encapsulation(outer=100, inner=10, is_dot1ad=True, is_exact=True),
    Encapsulation(outer=200, inner=10, is_exact=True),
)
PREFIXES = (
    ("10.0.0.1/24", "10.0.0.2/24"),
    ("10.0.1.1/24",),
    ("10.0.2.0/31",),
    ("192.0.2.1/32",),
    ("10.1.0.1/16", "10.1.255.1/16"),
    ("2001:db8::1/64", "2001:db8::2/64"),
    ("2001:db8:1::1/64",),
    ("2001:db8:2::/127",),
    ("2001:db8:ffff::1/128",),
)
LINUX_NAMES = ("e0", "e1", "be0.100", "loop.1", "x4")
DESCRIPTIONS = (None, None, "uplink", "ÄÖ é")
NETNS = (None, None, "dataplane")

booleans = st.booleans()


@st.composite
def configurations(draw: st.DrawFn) -> Configuration:
    """Return a configuration of all PORTS that every rule accepts."""
    drawn = _Network(draw)
    for port in PORTS:
        drawn.add_port(port)
    drawn.pair_up()
    drawn.hand_out_addresses()
    drawn.hand_out_linux_names()
    return Configuration(interfaces=drawn.interfaces)


class _Network:
    """A configuration in the making."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.interfaces: dict[str, InterfaceConfig] = {}
        self._switched: set[str] = set()

    def _pick(self, values: Any) -> Any:
        return self._draw(st.sampled_from(values))

    def add_port(self, name: str) -> None:
        is_up = self._draw(booleans)
        port = InterfaceConfig(
            name=name,
            path=("interfaces", name),
            mtu=self._pick(MTUS),
            is_up=is_up,
            description=self._pick(DESCRIPTIONS),
        )
        self.interfaces[name] = port
        tags = self._draw(st.lists(st.sampled_from(ENCAPSULATIONS), max_size=3, unique_by=lambda match: match.tags))
        ids = self._draw(st.permutations(SUB_IDS)) if tags else ()
        for sub_id, encapsulation in zip(ids, sorted(tags, key=lambda match: match.tag_count), strict=False):
            self._add_sub_interface(port, sub_id, encapsulation)

    def _add_sub_interface(self, port: InterfaceConfig, sub_id: int, encapsulation: Encapsulation) -> None:
        carrier = self._carrier(port.name, encapsulation)
        largest = min(port.mtu, carrier.mtu if carrier else port.mtu)
        name = f"{port.name}.{sub_id}"
        self.interfaces[name] = InterfaceConfig(
            name=name,
            path=(*port.path, "sub-interfaces", sub_id),
            parent=port.name,
            sub_id=sub_id,
            encapsulation=encapsulation,
            mtu=self._pick([mtu for mtu in MTUS if mtu <= largest]),
            is_up=port.is_up and self._draw(booleans),
            description=self._pick(DESCRIPTIONS),
        )

    def _carrier(self, port: str, inner: Encapsulation) -> InterfaceConfig | None:
        """Return the one-tag sub-interface that a two-tag one lies within."""
        for other in self.interfaces.values():
            if other.parent == port and other.encapsulation is not None and other.encapsulation.carries(inner):
                return other
        return None

    def pair_up(self) -> None:
        """Cross-connect some interfaces of the same MTU, in one direction or both."""
        parents = {interface.parent for interface in self.interfaces.values()}
        free = [name for name in self.interfaces if name not in parents]
        for source, target in zip(free[::2], free[1::2], strict=False):
            if self.interfaces[source].mtu != self.interfaces[target].mtu or not self._draw(booleans):
                continue
            self._switched |= {source, target}
            self.interfaces[source] = replace(self.interfaces[source], l2xc=target)
            if self._draw(booleans):
                self.interfaces[target] = replace(self.interfaces[target], l2xc=source)

    def _routed(self) -> list[InterfaceConfig]:
        return [
            interface
            for interface in self.interfaces.values()
            if interface.name not in self._switched
            and (interface.encapsulation is None or interface.encapsulation.is_exact)
        ]

    def hand_out_addresses(self) -> None:
        routed = [interface.name for interface in self._routed()]
        for prefix in PREFIXES if routed else ():
            owner = self._pick([None, *routed])
            if owner is not None:
                count = self._draw(st.integers(1, len(prefix)))
                had = self.interfaces[owner].addresses
                self.interfaces[owner] = replace(self.interfaces[owner], addresses=(*had, *prefix[:count]))

    def hand_out_linux_names(self) -> None:
        names = list(self._draw(st.permutations(LINUX_NAMES)))
        netns = self._pick(NETNS)
        for interface in self._routed():
            if names and self._may_have_lcp(interface) and self._draw(booleans):
                lcp = LcpConfig(host_name=names.pop(), netns=netns)
                self.interfaces[interface.name] = replace(self.interfaces[interface.name], lcp=lcp)

    def _may_have_lcp(self, interface: InterfaceConfig) -> bool:
        if interface.parent is None or interface.encapsulation is None:
            return True
        if self.interfaces[interface.parent].lcp is None:
            return False
        carrier = self._carrier(interface.parent, interface.encapsulation)
        return interface.encapsulation.tag_count == 1 or (carrier is not None and carrier.lcp is not None)


def _empty_vpp() -> State:
    """Return a VPP with unconfigured PORTS, each with a MAC of its own."""
    ports = {name: InterfaceConfig(name=name, path=("interfaces", name)) for name in PORTS}
    state = assumed_state(Configuration(interfaces=ports))
    macs = {name: f"02:00:00:00:00:{number:02x}" for number, name in enumerate(PORTS)}
    return replace(state, interfaces={n: replace(i, mac=macs[n]) for n, i in state.interfaces.items()})


EMPTY_VPP = _empty_vpp()


@st.composite
def states(draw: st.DrawFn) -> State:
    """Return a state that a VPP with PORTS can be in, made by vppcfg and by other hands."""
    state = resolve(draw(configurations()), EMPTY_VPP).desired
    interfaces, lcps = dict(state.interfaces), dict(state.lcps)
    for name in draw(st.lists(st.sampled_from(sorted(interfaces)), max_size=3, unique=True)):
        interfaces[name] = _tampered(draw, interfaces[name])
    if draw(booleans):
        other = _foreign_sub_interface(draw)
        interfaces.setdefault(other.name, other)
    for name in sorted(lcps):
        if interfaces[name].parent is not None and draw(st.integers(0, 9)) == 0:
            _orphan(name, interfaces, lcps)
    return replace(state, interfaces=interfaces, lcps=lcps)


def _orphan(name: str, interfaces: dict[str, Interface], lcps: dict[str, LcpPair]) -> None:
    """Take the Linux device of a pair away, and with it, as Linux does, what is stacked on it."""
    siblings = [other for other in lcps if interfaces[other].parent == interfaces[name].parent]
    for orphan in {name, *dependent_pairs(interfaces[name], interfaces, siblings)}:
        lcps[orphan] = replace(lcps[orphan], has_host=False)


def _tampered(draw: st.DrawFn, interface: Interface) -> Interface:
    """Return the interface after somebody typed one command at VPP's prompt."""
    is_sub = interface.kind is InterfaceKind.SUB_INTERFACE
    edits: list[dict[str, Any]] = [
        {"packet_mtu": 0 if is_sub else 1400},
        {"packet_mtu": 1300, "protocol_mtus": (1290, 0, 0)},
        {"is_up": False},
        {"tag": ""},
        {"tag": "vppcfg by hand"},
        {"tag_rewrite": TagRewrite(operation=1, push_dot1q=1, tag1=5)},
    ]
    if not is_sub:
        edits.append({"link_mtu": 4000, "packet_mtu": 4000})
    return replace(interface, **draw(st.sampled_from(edits)))


def _foreign_sub_interface(draw: st.DrawFn) -> Interface:
    """Return a sub-interface that is not ours: somebody else's tag, or a match that the language cannot say."""
    port = draw(st.sampled_from(PORTS))
    blank = Interface(name=f"{port}.7", kind=InterfaceKind.SUB_INTERFACE, parent=port, sub_id=7)
    if draw(booleans):
        return replace(blank, encapsulation=OtherMatch(flags=32))
    return replace(
        blank,
        encapsulation=Encapsulation(outer=7, is_exact=True),
        tag="somebody else",
        packet_mtu=draw(st.sampled_from((0, 1280, 1500))),
        addresses=frozenset(draw(st.sampled_from(((), ("198.51.100.1/24",))))),
    )
