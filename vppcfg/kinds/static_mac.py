"""Static MAC addresses of bridge domains: at members, at no interface (filtered), and at interfaces that are gone.

VPP reports all that it knows in one list, also what it has learnt, which is left out (vnet/l2/l2.api). The file has
them below bridge domains: `static-macs` and `filtered-macs`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from vppcfg.engine.kind import Kind
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.kinds.bridge_operations import l2fib_request, missing_bridge
from vppcfg.model.bridge import StaticMac, bridge_name, macs_in_order
from vppcfg.model.state import State
from vppcfg.operations.feature import Feature, SetFeature
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import evolve, record
from vppcfg.wire.reading import Replies, VppReader

_DUMP = "l2_fib_table_dump"
_DETAILS = "l2_fib_table_details"
_BRIDGES = "bridge_domain_details"
_PATHS = ("bd_id", "mac", "sw_if_index", "static_mac", "filter_mac", "bvi_mac")
_ALL_DOMAINS = 0xFFFFFFFF


class _Entry(NamedTuple):
    bd_id: int
    mac: str
    sw_if_index: int
    is_filter: bool


class MacsWithoutInterface(NamedTuple):
    """The MAC addresses of a bridge domain that no interface has."""

    filtered: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()
    """Of interfaces that are gone."""


@record
class SetStaticMac(SetFeature):
    """l2fib_add_del: make a MAC address of a bridge domain static at one interface, or remove that (vnet/l2/l2_fib.c).

    VPP keeps it when the interface leaves the bridge domain, and when either is deleted.
    """

    attribute = "static_macs"
    is_plural = is_value = True
    bd_id: int
    mac: str
    is_on: bool

    @property
    def part(self) -> Hashable:
        return self.bd_id, self.mac

    @property
    def inverse(self) -> SetStaticMac:
        """Return the operation that forgets it."""
        return SetStaticMac(interface=self.interface, bd_id=self.bd_id, mac=self.mac, is_on=False)

    def applied(self, value: Any) -> tuple[StaticMac, ...]:
        """Return the static MAC addresses that there are then."""
        own = StaticMac(bd_id=self.bd_id, mac=self.mac)
        others = [each for each in value if each != own]
        return macs_in_order([*others, own] if self.is_on else others)

    def _refusal(self, working: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, working):
            return missing
        holder = working.static_macs.get(self.bd_id, {}).get(self.mac)
        if not self.is_on:
            return None if holder == self.interface else f"{self.interface} has no static MAC address {self.mac}"
        if working.interfaces[self.interface].bridge is None:
            return f"{self.interface} is in no bridge domain"
        bridge = working.bridges[bridge_name(self.bd_id)]
        if (holder or self.interface) != self.interface or self.mac in (*bridge.filtered_macs, *bridge.stray_macs):
            return f"bridge domain {self.bd_id} has another entry for {self.mac}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        SetFeature.apply_to(self, working)
        known = working.static_macs.setdefault(self.bd_id, {})
        if self.is_on:
            known[self.mac] = self.interface
        else:
            known.pop(self.mac, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "static_mac": 1, "filter_mac": 0}
        return l2fib_request(self.mac, self.bd_id, values, is_add=self.is_on)

    def cli(self) -> str:
        """Write the command of vnet/l2/l2_fib.c, which forgets an entry wherever it leads."""
        if not self.is_on:
            return f"l2fib del {self.mac} {self.bd_id}"
        return f"l2fib add {self.mac} {self.bd_id} {self.interface} static"


def _setters(name: str, macs: tuple[StaticMac, ...]) -> Iterable[SetStaticMac]:
    return [SetStaticMac(interface=name, bd_id=each.bd_id, mac=each.mac, is_on=True) for each in macs]


class StaticMacKind(Kind):
    """The static MAC addresses of members of bridge domains."""

    key = "static-macs"
    is_read_closely = True
    operations = (SetStaticMac,)

    def features(self) -> Mapping[str, Feature]:
        return {"static_macs": Feature(_setters)}

    def restorable(self, state: State) -> State:
        """Return a state without those of interfaces that are in no bridge domain."""
        freed = {
            name: evolve(interface, static_macs=())
            for name, interface in state.interfaces.items()
            if interface.static_macs and interface.bridge is None
        }
        return replace(state, interfaces={**state.interfaces, **freed}) if freed else state

    def requests_about(self, connection: VppReader, replies: Replies, indexes: Sequence[int] | None) -> list[bytes]:
        """Return the request for what all bridge domains know, where there are any and that is looked for."""
        survey = connection.survey
        if not (connection.offers(_DUMP) and survey.walks_macs):
            return []
        has_bridges = survey.is_whole or bool(connection.rows(replies, _BRIDGES, "bd_id"))
        return [connection.request(_DUMP, {"bd_id": _ALL_DOMAINS})[1]] if has_bridges else []

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, tuple[StaticMac, ...]]]:
        return {"static_macs": _read(connection, replies, known.names)}


def static_macs(desired: DesiredStateBuilder) -> dict[str, list[StaticMac]]:
    """Return the MAC addresses that the file gives to members of bridge domains."""
    found: dict[str, list[StaticMac]] = {}
    for config in desired.configuration.bridges.values():
        for each in config.static_macs:
            if each.mac is not None and each.member in config.members:
                found.setdefault(each.member, []).append(StaticMac(bd_id=config.bd_id, mac=each.mac))
    return found


def _read(connection: VppReader, replies: Replies, names: Mapping[int, str]) -> dict[int, tuple[StaticMac, ...]]:
    """Return the static MAC addresses by the index of their interface."""
    found: dict[int, list[StaticMac]] = {}
    for entry in _entries(connection, replies):
        if not entry.is_filter and entry.sw_if_index in names:
            found.setdefault(entry.sw_if_index, []).append(StaticMac(bd_id=entry.bd_id, mac=entry.mac))
    return {index: macs_in_order(macs) for index, macs in found.items()}


def read_macs_without_interface(
    connection: VppReader, replies: Replies, names: Collection[int]
) -> dict[int, MacsWithoutInterface]:
    """Return by bridge domain the MAC addresses of none of the interfaces with an index among `names`."""
    found: dict[int, tuple[list[str], list[str]]] = {}
    for entry in _entries(connection, replies):
        if entry.is_filter or entry.sw_if_index not in names:
            filtered, stray = found.setdefault(entry.bd_id, ([], []))
            (filtered if entry.is_filter else stray).append(entry.mac)
    return {
        bd_id: MacsWithoutInterface(filtered=tuple(sorted(filtered)), stray=tuple(sorted(stray)))
        for bd_id, (filtered, stray) in found.items()
    }


def _entries(connection: VppReader, replies: Replies) -> Iterator[_Entry]:
    """Yield the static entries: what VPP has learnt, the MAC addresses of BVIs and what the bridge domains that
    are gone have left are left out."""
    if not connection.offers(_DUMP):
        return
    for bd_id, mac, index, is_static, is_filter, is_bvi in connection.rows(replies, _DETAILS, *_PATHS):
        if (is_static or is_filter) and not is_bvi and bd_id != _ALL_DOMAINS:
            yield _Entry(bd_id, mac.hex(":"), index, bool(is_filter))


KIND = StaticMacKind()
