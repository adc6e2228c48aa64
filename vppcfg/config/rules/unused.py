"""Rules about what a file has and nothing in it uses: only good to know, for files may share what they have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vppcfg.config.configuration import AclConfig, MacipConfig, VrfConfig
from vppcfg.config.rules.index import Index
from vppcfg.kinds.tunnel import EncapConfig
from vppcfg.model.problem import Problem, Severity


def acl_unused(index: Index) -> Iterator[Problem]:
    """Find ACLs and MACIP ACLs that no interface applies."""
    configuration = index.configuration
    if not index.is_whole or not (configuration.acls or configuration.macips):
        return
    applied = {name for each in index.interfaces for name in (*each.acls.input, *each.acls.output)}
    yield from _unused("acl-unused", configuration.acls, applied, "no interface applies")
    hosts = {each.macip for each in index.interfaces if each.macip is not None}
    yield from _unused("macip-unused", configuration.macips, hosts, "no interface has `macip` for")


def vrf_unused(index: Index) -> Iterator[Problem]:
    """Find VRFs that nothing is in."""
    configuration = index.configuration
    if not index.is_whole or not configuration.vrfs:
        return
    used = {interface.vrf for interface in index.interfaces}
    used |= {made.encap_vrf for made in configuration.virtual_as(EncapConfig).values()}
    used |= {each.vrf for each in configuration.proxy_arps}
    used |= {name for each in configuration.routes for name in (each.vrf, *(hop.vrf for hop in each.hops))}
    used.add(None if configuration.ipfix is None else configuration.ipfix.vrf)
    yield from _unused("vrf-unused", configuration.vrfs, used, "nothing in this file is in the VRF")


def _unused(
    rule: str, entries: Mapping[str, AclConfig | MacipConfig | VrfConfig], used: Iterable[str | None], words: str
) -> Iterator[Problem]:
    names = set(used)
    for name, entry in entries.items():
        if name not in names:
            yield Problem(rule=rule, path=entry.path, text=f"{words} {name}", severity=Severity.NOTICE)
