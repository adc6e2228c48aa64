"""The names of protocols and services, by which a file may call their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import yaml

from vppcfg import assets
from vppcfg.record import record

_TABLE = "schema/ip_names.yaml"


@record
class IpNames:
    """Numbers by name, in lower case."""

    protocols: Mapping[str, int]
    services: Mapping[str, int]
    """Ports, of TCP and UDP alike."""


@lru_cache(maxsize=1)
def read_ip_names() -> IpNames:
    """Return the names of protocols and services, which are read once."""
    table = yaml.load(assets.find(_TABLE).read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return IpNames(protocols=table["protocols"], services=table["services"])
