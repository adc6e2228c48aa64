"""Names of IP protocols and of services, from the table that comes with vppcfg; the machine's own is not asked."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from vppcfg import assets
from vppcfg.record import record

TABLE = "schema/ip_names.yaml"


@record
class IpNames:
    """Numbers by name, in lower case."""

    protocols: Mapping[str, int]
    services: Mapping[str, int]
    """Ports, of TCP and UDP alike."""


def read_ip_names() -> IpNames:
    """Read the table."""
    table = yaml.load(assets.find(TABLE).read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return IpNames(protocols=table["protocols"], services=table["services"])
