"""A configuration file as typed, canonical values: what the operator wants, before it meets a dataplane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vppcfg.model.interface import Encapsulation
from vppcfg.model.problem import KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class LcpConfig:
    """The `lcp` key: a Linux device name, and a namespace unless VPP's default is meant."""

    host_name: str
    netns: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceConfig:
    """One entry below `interfaces` or `sub-interfaces`, defaults filled in."""

    name: str
    path: KeyPath
    """Where it stands in the file."""
    parent: str | None = None
    sub_id: int = 0
    encapsulation: Encapsulation | None = None
    description: str | None = None
    device_type: str | None = None
    mtu: int = 1500
    """Bytes; a sub-interface without the key has its parent's."""
    is_up: bool = True
    addresses: tuple[str, ...] = ()
    """Canonical address/length, in the order of the file."""
    lcp: LcpConfig | None = None
    l2xc: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """A whole file. Sub-interfaces stand beside their parents, by their VPP name (`PARENT.ID`)."""

    interfaces: Mapping[str, InterfaceConfig] = field(default_factory=dict)
    unmanaged: tuple[str, ...] = ()
    """Globs over names of objects that are read past."""
