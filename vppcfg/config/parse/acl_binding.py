"""The `acls` key of an interface: which access lists it applies, in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.model.acl import AclBinding


def parse_acl_binding(raw: Mapping[str, Any] | None) -> AclBinding:
    """Parse the value of an `acls` key, each direction a name or a list of names."""
    if not raw:
        return AclBinding()
    return AclBinding(input=_names(raw.get("input")), output=_names(raw.get("output")))


def _names(raw: Any) -> tuple[str, ...]:
    return (raw,) if isinstance(raw, str) else tuple(raw or ())
