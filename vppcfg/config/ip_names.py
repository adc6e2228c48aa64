"""Names of IP protocols and of services, from the table that comes with vppcfg; the machine's own is not asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from vppcfg import assets

TABLE = "schema/ip_names.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class IpNames:
    """Numbers by name, in lower case."""

    protocols: Mapping[str, int]
    services: Mapping[str, int]
    """Ports, of TCP and UDP alike."""


def read_ip_names() -> IpNames:
    """Read the table."""
    table = yaml.load(assets.find(TABLE).read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return IpNames(protocols=table["protocols"], services=table["services"])
