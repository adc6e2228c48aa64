"""MPLS labels of VRFs, the key `label`: an L3VPN's packets from other routers arrive with it (vnet/mpls/mpls_api.c).

vrfs: { red: { id: 100, label: { ipv4: 1000, ipv6: 1001 } } }

A label is a route of MPLS table 0. VPP's dump does not report its source, but the prompt does: those of the API alone
are considered. A label that changes its family is removed first, because VPP keeps the family in the route.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.engine.object_kind import InFileForm, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection, vrf_of_table
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.next_hop import NORMAL, PATH
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State
from vppcfg.model.vpn_label import LABELS, VpnLabel, name_of
from vppcfg.model.vpp_object import OF_OTHERS, HiddenObject, by_name, is_owned
from vppcfg.model.vrf import LAST_TYPED, FibTable, table_key
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Predicate
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.mpls_label import API, PROMPT, ROUTE_OF_PROMPT, shown_labels, table_behind
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Commands, header_command

KEY = "label"
_SET, _DUMP, _DETAILS = "mpls_route_add_del", "mpls_route_dump", "mpls_route_details"
_TABLES = "mpls_table_dump"
_FAMILIES = ("ipv4", "ipv6")
_HEADS = tuple(f"mr_route.{each}" for each in ("mr_label", "mr_eos", "mr_eos_proto", "mr_is_multicast"))
_PATH = (*PATH, "n_labels")
_FIB_INDEX = re.compile(r"fib_index:(\d+)")
"""VPP's own number of a table, in the first line that the prompt shows of it."""
_MOVES = Predicate("leads to another FIB table", "lead to another FIB table")
Labels = Mapping[str, int]
"""By family."""


@record
class SetVpnLabel(SetObject):
    """mpls_route_add_del: set where packets with a label are looked up, instead of where they were."""

    item: VpnLabel

    def _refusal(self, working: WorkingState) -> str | None:
        if not working.has_mpls_table:
            return "there is no MPLS table"
        former = working.objects.get(VpnLabel, {}).get(self.item.name)
        if isinstance(former, VpnLabel) and former.is_ipv6 != self.item.is_ipv6:
            return f"{former.label} is of the other family, which VPP would keep"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        path = {
            "sw_if_index": NO_INDEX,
            "table_id": self.item.table_id,
            "proto": int(self.item.is_ipv6),
            "type": NORMAL,
            "weight": 1,
        }
        return Request(_SET, _values(self.item, is_add=1), "mr_paths", [path])

    def cli(self) -> None:
        """Return None: what is typed belongs to the source of the prompt."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return _MOVES if self.subject in observed.of(VpnLabel) else SetObject.effect(self, observed, desired)


@record
class RemoveVpnLabel(RemoveObject):
    """mpls_route_add_del: drop packets with a label, unless VPP's prompt has a route for it too."""

    item: VpnLabel

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_SET, _values(self.item, is_add=0), "mr_paths", [])

    def cli(self) -> None:
        """Return None: the prompt removes the routes of its own source only."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return _MOVES if self.subject in desired.of(VpnLabel) else RemoveObject.effect(self, observed, desired)


def _values(item: VpnLabel, *, is_add: int) -> dict[str, int]:
    return {
        "mr_is_add": is_add,
        "mr_is_multipath": 0,
        "mr_route.mr_table_id": 0,
        "mr_route.mr_label": item.number,
        "mr_route.mr_eos": 1,
        "mr_route.mr_eos_proto": int(item.is_ipv6),
    }


def vpn_label_duplicate(index: Index) -> Iterator[Problem]:
    """Find labels that stand for several tables."""
    known: dict[int, str] = {}
    for name, family, number, path in _labels_in(index):
        if number in known:
            text = f"{known[number]} has the label {number} already; take another"
            yield Problem(rule="vpn-label-duplicate", path=path, text=text)
        known.setdefault(number, f"IP{family[2:]} of {name}")


def vpn_label_family(index: Index) -> Iterator[Problem]:
    """Find labels of a family that the VRF has no table for."""
    for name, family, _, path in _labels_in(index):
        vrf = index.configuration.vrfs.get(name)
        if vrf is not None and not (vrf.has_ipv6 if family == "ipv6" else vrf.has_ipv4):
            text = f"{name} has no table for the family of this label"
            yield Problem(rule="vrf-family", path=path, text=text)


def vpn_label_mpls(index: Index) -> Iterator[Problem]:
    """Find labels in a file without an interface that takes labelled packets."""
    if index.is_whole and not any(each.has_mpls for each in index.interfaces):
        for _, _, number, path in _labels_in(index):
            text = f"no interface has `mpls: true`, so no packet with label {number} is taken"
            yield Problem(rule="vpn-label-mpls", path=path, text=text, severity=Severity.WARNING)
            return


def _labels_in(index: Index) -> Iterator[tuple[str, str, int, KeyPath]]:
    """Yield each label: the VRF, the family, the label and its path."""
    for name, entry in index.configuration.owned.get(KEY, {}).items():
        for family, number in entry.value.items():
            yield name, family, number, (*entry.path, family)


class VpnLabelKind(VppObjectKind[VpnLabel]):
    """The labels of VRFs in VPP."""

    key = KEY
    object_class = VpnLabel
    operations = (SetVpnLabel, RemoveVpnLabel)
    rules = (vpn_label_duplicate, vpn_label_family, vpn_label_mpls)
    api_module = "mpls"

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: VpnLabel) -> SetVpnLabel:
        return SetVpnLabel(item=item)

    def remove(self, item: VpnLabel) -> RemoveVpnLabel:
        return RemoveVpnLabel(item=item)

    def disturbed(self, before: Mapping[str, VpnLabel], after: Mapping[str, VpnLabel]) -> frozenset[str]:
        """Return the labels that change their family: VPP would look up packets of one in a table of the other."""
        both = before.keys() & after.keys()
        return frozenset(name for name in both if before[name].is_ipv6 != after[name].is_ipv6)

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[VpnLabel]:
        """Yield the labels of the API.

        VPP walks its MPLS table for them, to which routing daemons add as well. Where that is large, those are asked
        for that were set before.
        """
        if not self.is_in_use(connection, replies):
            return
        if connection.survey.walks_mpls:
            listed = list(_listed(connection))
            shown = shown_labels(connection, (each.number for each in listed))
            yield from (each for each in listed if shown[each.number].in_effect == API)
            return
        connection.survey.leave_out("labels of VRFs that neither the journal nor the file names")
        known = {each.name: each for each in connection.survey.known_objects() if isinstance(each, VpnLabel)}
        for found in _looked_up(connection, list(known.values())):
            if isinstance(found.found, VpnLabel) and not found.by:
                yield found.found

    def is_in_use(self, connection: VppReader, replies: Replies) -> bool:
        """Return whether VPP has the MPLS table: without it there is no label."""
        if not (connection.offers(_DUMP) and connection.offers(_TABLES)):
            return False
        return (0,) in connection.rows(replies, "mpls_table_details", "mt_table.mt_table_id")

    def hidden(
        self, connection: VppReader, items: Sequence[VpnLabel], names: Mapping[int, str]
    ) -> Iterator[HiddenObject]:
        """Yield the labels that Linux has a route for too, those that VPP has, and those of another program."""
        if items and connection.offers(_DUMP):
            yield from _looked_up(connection, items)

    def in_file_form(self, connection: VppReader, state: State, names: Mapping[int, str]) -> InFileForm:
        """Return a state with the labels of the prompt, where those of the API are no others."""
        listed = list(_listed(connection)) if connection.offers(_DUMP) else []
        shown = shown_labels(connection, (each.number for each in listed))
        typed = [each for each in listed if shown[each.number].parts.keys() == {PROMPT}]
        if not typed:
            return InFileForm(state)
        objects = {**state.objects, VpnLabel: {**state.of(VpnLabel), **by_name(typed)}}
        others = {(ROUTE_OF_PROMPT, f"eos {each.number} via {_look_up(each)}") for each in typed}
        return InFileForm(replace(state, objects=objects), frozenset(others))


def _look_up(label: VpnLabel) -> str:
    return f"ip{6 if label.is_ipv6 else 4}-lookup-in-table {label.table_id}"


def _listed(connection: VppReader) -> Iterator[VpnLabel]:
    """Yield the labels with one path, into a FIB table, whoever has set them; VPP walks its MPLS table."""
    replies = connection.ask([connection.request(_DUMP, {"table.mt_table_id": 0})[1]])
    for (number, is_last, family, is_multicast), paths in connection.lists(replies, _DETAILS, _HEADS, *_PATH):
        columns = [dict(zip(_PATH, path, strict=True)) for path in paths]
        table_id = table_behind(columns, family) if is_last and not is_multicast else 0
        if table_id and number in LABELS:
            yield VpnLabel(number=number, table_id=table_id, is_ipv6=bool(family))


def _looked_up(connection: VppReader, labels: Sequence[VpnLabel]) -> Iterator[HiddenObject]:
    """Yield what VPP has of the API for labels, and which of them Linux has; each takes VPP some microseconds."""
    shown = shown_labels(connection, (each.number for each in labels))
    typed = (each for each in labels if API in shown[each.number].parts and each.table_id <= LAST_TYPED)
    lines = {_place(each): header_command(each.table_id, is_ipv6=each.is_ipv6) for each in typed}
    commands = Commands(connection, list(lines.values()))
    heads = commands.read(connection, connection.ask(commands.requests)) if lines else {}
    indexes = {
        place: match[1] for place, line in lines.items() if (match := _FIB_INDEX.search(heads[line][1])) is not None
    }
    for each in labels:
        label = shown[each.number]
        is_there = label.own_table == ("6" if each.is_ipv6 else "4", indexes.get(_place(each)))
        if API in label.parts and not is_there:
            yield HiddenObject(item=each, by=OF_OTHERS, found=None)
        elif is_there or label.in_effect not in {"", API, PROMPT}:  # the API has precedence over the prompt
            by = "" if label.in_effect == API else label.in_effect
            yield HiddenObject(item=each, by=by, found=each if is_there else None)


def _place(label: VpnLabel) -> str:
    return table_key(label.table_id, is_ipv6=label.is_ipv6)


class VpnLabelSection(OwnedSection[Labels]):
    """The key `label` of VRFs."""

    key = KEY
    holders = (KeyHolder.VRF,)
    object_classes = (VpnLabel,)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Labels:
        return {family: raw[family] for family in _FAMILIES if raw.get(family) is not None}

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[VpnLabel]:
        if (vrf := configuration.vrfs.get(entry.name)) is not None:
            for family, number in entry.value.items():
                yield VpnLabel(number=number, table_id=vrf.table_id, is_ipv6=family == "ipv6")

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the labels; report those that VPP has for a table that stays and whose labels are not the file's."""
        OwnedSection.resolve(self, desired)
        taken = {
            name: each
            for name, each in desired.observed.of(VpnLabel).items()
            if not is_owned(each, frozenset(desired.owned)) and desired.vrfs.keys() & {_place(each)}
        }
        for entry in self.entries_in(desired.configuration).values():
            for family, number in entry.value.items():
                if (other := taken.get(name_of(number))) is not None:
                    text = f"VPP has the label {number} for {_place(other)}, of which the file sets no `label`"
                    hint = "set it there, be it empty, or take another label"
                    desired.problem("vpn-label-taken", (*entry.path, family), f"{text}; {hint}")

    def as_yaml(self, value: Labels) -> Value:
        return tuple(KeyValue(family, number) for family, number in value.items())

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Labels]]:
        """Yield the labels of each VRF that has no more than one for a family, as a file can have them."""
        count = Counter((each.table_id, each.is_ipv6) for each in state.of(VpnLabel).values())
        found: dict[str, dict[str, int]] = {}
        several = set[str]()
        for each in sorted(state.of(VpnLabel).values(), key=lambda label: (label.is_ipv6, label.number)):
            holder = vrf_of_table(each.table_id, state, is_ipv6=each.is_ipv6)
            if holder is not None:
                found.setdefault(holder[1], {})[_FAMILIES[each.is_ipv6]] = each.number
                several |= {holder[1]} if count[each.table_id, each.is_ipv6] > 1 else set()
        yield from ((KeyHolder.VRF, name, labels) for name, labels in found.items() if name not in several)


SECTION = VpnLabelSection()
KIND = VpnLabelKind()
