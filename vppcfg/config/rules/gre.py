"""Rules about GRE tunnels: what belongs to which mode, and what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.gre import GreConfig
from vppcfg.model.gre import GreMode
from vppcfg.model.problem import Problem


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
