"""Rules about GRE tunnels: what belongs to which mode, and what one that carries no Ethernet cannot do."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.gre import GreConfig
from vppcfg.model.gre import GreMode
from vppcfg.model.problem import KeyPath, Problem


def gre_mode(index: Index) -> Iterator[Problem]:
    """Find sessions and keys with a mode that has none, and ERSPAN tunnels without a session."""
    for tunnel in index.configuration.made_as(GreConfig).values():
        is_erspan = tunnel.mode is GreMode.ERSPAN
        if is_erspan and tunnel.session is None:
            text = f"{tunnel.name} is an ERSPAN tunnel; add its `session`"
            yield Problem(rule="gre-session", path=(*tunnel.path, "mode"), text=text)
        if not is_erspan and tunnel.session is not None:
            text = "only an ERSPAN tunnel has a `session`; remove it, or add `mode: erspan`"
            yield Problem(rule="gre-session", path=(*tunnel.path, "session"), text=text)
        if is_erspan and tunnel.key is not None:
            text = f"{tunnel.name} is an ERSPAN tunnel, which has a session instead of a key; remove `key`"
            yield Problem(rule="gre-key", path=(*tunnel.path, "key"), text=text)


def gre_duplicate(index: Index) -> Iterator[Problem]:
    """Find tunnels that VPP could not tell apart."""
    owners: dict[tuple[object, ...], str] = {}
    for tunnel in index.configuration.made_as(GreConfig).values():
        identity = (tunnel.encap_vrf, tunnel.local, tunnel.remote, tunnel.mode, tunnel.session or 0, tunnel.key or 0)
        first = owners.setdefault(identity, tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the same ends, VRF, mode, session and key; make one of them differ"
            yield Problem(rule="gre-duplicate", path=tunnel.path, text=text)


def gre_l3(index: Index) -> Iterator[Problem]:
    """Find what needs Ethernet on a tunnel that has none; VPP would take it."""
    for tunnel in index.configuration.made_as(GreConfig).values():
        if tunnel.mode is GreMode.L3:
            for path, thing in _with_ethernet(index, tunnel.name):
                text = f"{tunnel.name} carries packets without Ethernet and cannot {thing}; `mode: teb` can"
                yield Problem(rule="gre-l3", path=path, text=text)


def _with_ethernet(index: Index, name: str) -> Iterator[tuple[KeyPath, str]]:
    """Yield where the file says of an interface what needs Ethernet, and in words what that is."""
    interface = index.find(name)
    if interface is not None and interface.mac is not None:
        yield (*interface.path, "mac"), "have a MAC address"
    if interface is not None and interface.l2xc is not None:
        yield (*interface.path, "l2xc"), "be cross-connected"
    for child in index.children.get(name, ())[:1]:
        yield child.path, "have sub-interfaces"
    for source in index.sources.get(name, ()):
        yield (*source.path, "l2xc"), "be cross-connected"
    for bridge in index.bridges.get(name, ()):
        yield (*bridge.path, "interfaces", bridge.members.index(name)), "be a member of a bridge domain"
