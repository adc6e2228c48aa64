"""The section `proxy_arp`: for which addresses of others VPP answers ARP, in the default table and in VRFs.

Ranges bear no tag: one that the file lacks is removed, unless its table is one that the file leaves alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release
from vppcfg.config.configuration import Configuration, ProxyArpRange
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.section import Parsing, SaidEntry, Section, Unmanaged
from vppcfg.config.yaml.text import KeyValue, Value, indented, key_lines
from vppcfg.model.features import ProxyArp
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key

_DASH = "-"
TOLD_SINCE = Release(25, 10)
"""Before, VPP tells of a range the index of its table, which nothing else tells (vnet/arp/arp_api.c, 89bbec8df64)."""


class ProxyArps(Section):
    """The section `proxy_arp`."""

    key = "proxy_arp"
    attribute = "proxy_arps"

    def parse(self, parsing: Parsing) -> tuple[ProxyArpRange, ...]:
        """Return the ranges in the order of the file, none when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        found = [_range(str(text), None, position) for position, text in enumerate(given.get("ranges") or ())]
        for vrf, texts in (given.get("vrfs") or {}).items():
            found += [_range(str(text), str(vrf), position) for position, text in enumerate(texts or ())]
        return tuple(found)

    def resolve(self, desired: DesiredState) -> None:
        """Enter the ranges of the file beside those that are not its own."""
        vrfs = desired.configuration.vrfs
        for each in desired.configuration.proxy_arps:
            vrf = vrfs.get(each.vrf) if each.vrf is not None else None
            if each.vrf is None or (vrf is not None and self._can_be_read(each, desired)):
                table_id = 0 if vrf is None else vrf.table_id
                desired.proxy_arps |= {ProxyArp(first=each.first, last=each.last, table_id=table_id)}

    @staticmethod
    def _can_be_read(of_vrf: ProxyArpRange, desired: DesiredState) -> bool:
        return desired.is_since(TOLD_SINCE, of_vrf.path, f"the ranges of {of_vrf.vrf} must be read again")

    def restate(self, state: State, unmanaged: Unmanaged) -> tuple[ProxyArpRange, ...]:
        """Return the ranges of the tables that are not left alone, in order."""
        found = []
        for each in sorted(state.proxy_arps, key=lambda each: each.order):
            key = table_key(each.table_id, is_ipv6=False)
            table = state.vrfs.get(key)
            is_said = table is not None and not table.is_unnamed and key not in unmanaged.vrfs
            if not each.table_id or is_said:
                vrf = table.name if table is not None and each.table_id else None
                found.append(ProxyArpRange(first=each.first, last=each.last, vrf=vrf, path=(self.key,)))
        return tuple(found)

    def said(self, configuration: Configuration) -> Iterator[SaidEntry]:
        """Yield the section itself."""
        yield SaidEntry(path=(self.key,), name=self.key, keys=tuple(_keys(configuration.proxy_arps)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section, nothing when it has no ranges."""
        lines = key_lines(_keys(configuration.proxy_arps))
        if lines:
            yield f"{self.key}:"
            yield from indented(lines, 1)


def _range(text: str, vrf: str | None, position: int) -> ProxyArpRange:
    first, dash, last = text.partition(_DASH)
    ends = [canonical_host(end.strip()) or end.strip() for end in (first, last if dash else first)]
    place: tuple[str | int, ...] = ("ranges",) if vrf is None else ("vrfs", vrf)
    return ProxyArpRange(first=ends[0], last=ends[1], vrf=vrf, path=("proxy_arp", *place, position))


def _keys(ranges: Iterable[ProxyArpRange]) -> Iterator[KeyValue]:
    by_vrf: dict[str | None, list[Value]] = {}
    for each in ranges:
        text = each.first if each.first == each.last else f"{each.first}{_DASH}{each.last}"
        by_vrf.setdefault(each.vrf, []).append(text)
    if None in by_vrf:
        yield KeyValue("ranges", by_vrf[None])
    named = sorted((vrf for vrf in by_vrf if vrf is not None), key=natural_key)
    if named:
        yield KeyValue("vrfs", tuple(KeyValue(vrf, by_vrf[vrf]) for vrf in named), is_block=True)


SECTION = ProxyArps()


def copy_what_is_not_ours(desired: DesiredState) -> None:
    """Enter the ranges of the tables that plans must not touch, and of those without a name, which are nobody's."""
    named = {config.table_id for config in desired.configuration.vrfs.values()}
    for each in desired.observed.proxy_arps:
        if each.table_id not in {0, *named} and table_key(each.table_id, is_ipv6=False) in desired.vrfs:
            desired.proxy_arps |= {each}
