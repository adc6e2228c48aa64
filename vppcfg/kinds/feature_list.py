"""The features of interfaces, in the order in which a plan sets them and a file has them.

They stand apart from `kind_list` because other kinds look at them: a tunnel at what works on packets on their way out.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.engine.feature_kind import AnyFeature
from vppcfg.kinds import (
    det44,
    dhcp_client,
    gso,
    ipfix,
    link_local,
    lldp,
    macip,
    mirror,
    mpls,
    mss_clamp,
    proxy_arp,
    ra,
    sflow,
    urpf,
)
from vppcfg.kinds.nat44 import interface as nat44
from vppcfg.model.interface import InterfaceValues

FEATURE_KINDS: tuple[AnyFeature, ...] = (
    mpls.KIND,
    sflow.KIND,
    gso.KIND,
    proxy_arp.KIND,
    dhcp_client.KIND,
    urpf.KIND,
    mss_clamp.KIND,
    mirror.KIND,
    lldp.KIND,
    ra.KIND,
    link_local.KIND,
    macip.KIND,
    ipfix.KIND,
    det44.KIND,
    nat44.KIND,
)


def output_keys(interface: InterfaceValues) -> Iterator[tuple[str, ...]]:
    """Yield the keys of an interface that do something with packets on their way out."""
    for kind in FEATURE_KINDS:
        yield from kind.output_keys(getattr(interface, kind.attribute))
