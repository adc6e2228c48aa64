"""The section `vxlan_tunnels`: the ends of unicast VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.section import Entry, MadeSection, Plugin
from vppcfg.config.yaml.text import scalar
from vppcfg.model.state import State
from vppcfg.model.vxlan import Vxlan
from vppcfg.record import record

MAX_VNI = 0xFFFFFF


@record
class VxlanConfig(MadeConfig):
    """One entry below `vxlan_tunnels`."""

    local: str
    remote: str
    vni: int


def _parse(entry: Entry) -> VxlanConfig:
    local, remote = canonical_host(entry.raw["local"]), canonical_host(entry.raw["remote"])
    assert local is not None and remote is not None
    return VxlanConfig(
        name=entry.name,
        path=entry.path,
        local=local,
        remote=remote,
        vni=entry.raw["vni"],
        description=entry.description,
    )


def _resolve(config: VxlanConfig, before: Vxlan | None, observed: State) -> Vxlan:
    return Vxlan(local=config.local, remote=config.remote, vni=config.vni)


def _why_not(tunnel: Vxlan) -> str | None:
    if not tunnel.is_plain:
        return "it is a multicast tunnel, or has ports, a FIB table or a next node of its own"
    if not 1 <= tunnel.vni <= MAX_VNI:
        return f"its VNI {tunnel.vni} is outside of 1 to {MAX_VNI}"
    if not all(canonical_host(end) == end and is_unicast(end) for end in (tunnel.local, tunnel.remote)):
        return "one of its ends is no address of a host"
    return None


def _restate(name: str, tunnel: Vxlan, state: State) -> VxlanConfig:
    path = (SECTION.key, name)
    return VxlanConfig(name=name, path=path, local=tunnel.local, remote=tunnel.remote, vni=tunnel.vni)


def _lines(tunnel: VxlanConfig) -> Iterator[str]:
    yield f"local: {scalar(tunnel.local)}"
    yield f"remote: {scalar(tunnel.remote)}"
    yield f"vni: {tunnel.vni}"


SECTION = MadeSection(
    key="vxlan_tunnels",
    word="vxlan_tunnel",
    last=MAX_INSTANCE,
    thing="tunnel",
    config=VxlanConfig,
    making=Vxlan,
    plugin=Plugin(name="vxlan", reason="the file has a VXLAN tunnel", thing="a VXLAN tunnel"),
    parse_made=_parse,
    resolve_made=_resolve,
    why_not=_why_not,
    may_remove=lambda tunnel: tunnel.is_plain,
    restate_made=_restate,
    made_lines=_lines,
)
