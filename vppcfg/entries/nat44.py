"""The section `nat44` as a file has it, every value in its canonical form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.common.numbers import whole_number
from vppcfg.entries.names import is_interface_name
from vppcfg.model.nat44 import NatProtocol, TwiceNat, end_text
from vppcfg.model.problem import KeyPath
from vppcfg.record import record


@record
class NatPoolConfig:
    """One entry of `pools`: the addresses `first` to `last`, or those that an interface gives."""

    path: KeyPath
    first: str = ""
    last: str = ""
    interface: str = ""
    vrf: str | None = None
    is_twice: bool = False


@record
class NatEnd:
    """One end of a mapping: an address or an interface, with a port or without."""

    address: str = ""
    interface: str = ""
    port: int = 0

    def __str__(self) -> str:
        holder = self.address or self.interface
        return f"{holder}:{self.port}" if self.port else holder


@record
class NatStaticConfig:
    """One entry of `static`."""

    name: str
    path: KeyPath
    local: NatEnd
    external: NatEnd
    protocol: NatProtocol | None = None
    vrf: str | None = None
    twice: TwiceNat = TwiceNat.NO
    is_out_to_in_only: bool = False

    @property
    def outer(self) -> str:
        """Return the outer end with the protocol, of which VPP takes one mapping."""
        return end_text(self.protocol, self.external.address or self.external.interface, self.external.port)


@record
class NatExemptConfig:
    """One entry of `exempt`."""

    name: str
    path: KeyPath
    local: NatEnd
    protocol: NatProtocol | None = None
    vrf: str | None = None


@record
class NatLeakConfig:
    """One entry of `leaks`."""

    vrf: str
    path: KeyPath
    targets: tuple[str, ...] = ()


@record
class Nat44Config:
    """The section; a setting that is None is VPP's own default."""

    sessions: int | None = None
    is_forwarding: bool = False
    mss: int = 0
    timeouts: tuple[tuple[str, int], ...] = ()
    """Seconds by attribute of the settings, those that the file has."""
    pools: tuple[NatPoolConfig, ...] = ()
    static: tuple[NatStaticConfig, ...] = ()
    exempt: tuple[NatExemptConfig, ...] = ()
    has_no_services: bool = field(default=False, compare=False)
    """Whether `exempt` is there and empty: nothing is to reach the router itself."""
    leaks: tuple[NatLeakConfig, ...] = ()

    def interfaces(self) -> Iterator[tuple[str, KeyPath]]:
        """Yield the interfaces whose addresses the entries are about, each with its place."""
        ends = [(each.external, (*each.path, "external")) for each in self.static]
        ends += [(each.local, (*each.path, "local")) for each in self.exempt]
        yield from ((pool.interface, pool.path) for pool in self.pools if pool.interface)
        yield from ((end.interface, path) for end, path in ends if end.interface)

    @property
    def is_empty(self) -> bool:
        """Return whether it asks for nothing, so that NAT44 is enabled only for interfaces that take part."""
        return self == Nat44Config()


def as_end(text: Any) -> NatEnd | None:
    """Return what a text of the form HOLDER or HOLDER:PORT means, None for anything else."""
    if not isinstance(text, str):
        return None
    holder, colon, digits = text.rpartition(":")
    if not colon:
        holder, digits = text, ""
    elif len(digits) > 5 or not 0 < (whole_number(digits) or 0) <= 0xFFFF:
        return None
    port = int(digits) if digits else 0
    host = canonical_host(holder)
    if host is not None:
        return None if ":" in host else NatEnd(address=host, port=port)
    return NatEnd(interface=holder, port=port) if is_interface_name(holder) and not holder[:1].isdigit() else None
