"""LLDP, the section and the key `lldp` of ports: which speak it, what they send and have alike (plugins/lldp).

VPP reports what a port sends from 26.10 on; before, it is not asked. What ports have alike comes with each of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_host
from vppcfg.common.release import Release
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.section import Parsing, Section, SettingsSection, Unmanaged
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import Lldp
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import LldpSettings, State
from vppcfg.operations.change import Change, ObjectKind, attribute_changes, setting_changes
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.request import Value as MessageValue
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.shell import Shown

_SET = "sw_interface_set_lldp"
_DUMP, _DETAILS = "lldp_dump", "lldp_details"
_PATHS = ("sw_if_index", "mgmt_ip4", "mgmt_ip6", "mgmt_oid", "port_desc")
_SETTINGS = ("system_name", "tx_hold", "tx_interval")
_REPORTED = "lldp_settings"
"""The part of a VPP that reports what its ports send."""
_UNCHANGED = 0
"""In place of a number that stays as it is."""
_LONGEST = 255
"""Bytes, of a description of a port or the name of a system in a frame of LLDP."""


@record
class SetLldp(SetFeature):
    """sw_interface_set_lldp: speak LLDP on a port, or no longer.

    Where it is spoken, VPP answers that all is well and changes nothing, so it is turned off in between.
    """

    attribute = "lldp"
    lldp: Lldp | None

    @property
    def inverse(self) -> SetLldp:
        """Return the operation that speaks LLDP no longer."""
        return SetLldp(interface=self.interface, lldp=None)

    def replaces(self, former: SetFeature) -> bool:
        return former == self

    def applied(self, value: Any) -> Lldp | None:
        return self.lldp

    def _refusal(self, working: WorkingState) -> str | None:
        before = working.interfaces[self.interface]
        if before.parent is not None:
            return f"{self.interface} is a sub-interface, which speaks no LLDP"
        if self.lldp is not None and before.lldp is not None:
            return f"{self.interface} speaks LLDP already, and would go on as before"
        return None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        lldp = self.lldp or Lldp()
        values: dict[str, MessageValue] = {
            "sw_if_index": indexes.interface(self.interface),
            "mgmt_ip4": ip_address(lldp.ipv4 or "0.0.0.0").packed,
            "mgmt_ip6": ip_address(lldp.ipv6 or "::").packed,
            "mgmt_oid": lldp.oid,
            "enable": int(self.lldp is not None),
        }
        return Request(_SET, values, text=lldp.description, text_name="port_desc")

    def cli(self) -> str | None:
        """Return the command of plugins/lldp/lldp_cli.c, which reads a description as one word."""
        lldp = self.lldp
        if lldp is None:
            return f"set interface lldp {self.interface} disable"
        if lldp.description.split() not in ([], [lldp.description]):
            return None
        words = [f"set interface lldp {self.interface}"]
        words += [f"port-desc {lldp.description}"] if lldp.description else []
        words += [f"mgmt-ip4 {lldp.ipv4}"] if lldp.ipv4 else []
        words += [f"mgmt-ip6 {lldp.ipv6}"] if lldp.ipv6 else []
        return " ".join([*words, f"mgmt-oid {lldp.oid}"] if lldp.oid else words)


@record
class SetLldpSettings(Operation):
    """lldp_config: set what all ports have alike; None leaves a value as it is."""

    system_name: str | None = None
    hold: int | None = None
    interval_s: int | None = None

    @property
    def subject(self) -> str:
        return "lldp"

    def apply_to(self, working: WorkingState) -> None:
        given: dict[str, Any] = {"system_name": self.system_name, "hold": self.hold, "interval_s": self.interval_s}
        working.lldp = replace(working.lldp, **{name: value for name, value in given.items() if value is not None})

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, MessageValue] = {
            "tx_hold": self.hold or _UNCHANGED,
            "tx_interval": self.interval_s or _UNCHANGED,
        }
        return Request("lldp_config", values, text=self.system_name or "", text_name="system_name")

    def cli(self) -> str | None:
        """Return the command, which reads a name as one word."""
        if len((self.system_name or "").split()) > 1:
            return None
        words = ["set lldp"]
        words += [f"system-name {self.system_name}"] if self.system_name else []
        words += [f"tx-hold {self.hold}"] if self.hold is not None else []
        return " ".join([*words, f"tx-interval {self.interval_s}"] if self.interval_s is not None else words)


def lldp_ports(index: Index) -> Iterator[Problem]:
    """Find what speaks LLDP and is no port, and management addresses of the other family."""
    for interface in index.interfaces:
        lldp, path = interface.lldp, (*interface.path, "lldp")
        if lldp is None:
            continue
        if interface.kind is not InterfaceKind.PHYSICAL:
            text = f"{interface.name} is created by VPP, and only physical ports run LLDP; remove it"
            yield Problem(rule="lldp-not-port", path=path, text=text)
        for key, address, is_ipv6 in (("management-ipv4", lldp.ipv4, False), ("management-ipv6", lldp.ipv6, True)):
            if address and (":" in address) != is_ipv6:
                text = f"{address} is no IPv{6 if is_ipv6 else 4} address"
                yield Problem(rule="lldp-address", path=(*path, key), text=text)
        yield from _texts((*path, "description"), lldp.description)


def lldp_settings(index: Index) -> Iterator[Problem]:
    """Find a name that no frame can have, and settings without effect."""
    settings = index.configuration.lldp
    yield from _texts(("lldp", "system-name"), settings.system_name or "")
    is_set = any(value is not None for value in (settings.system_name, settings.hold, settings.interval_s))
    if is_set and index.is_whole and not any(interface.lldp is not None for interface in index.interfaces):
        text = "no interface has `lldp`, so this section does nothing"
        yield Problem(rule="lldp-unused", path=("lldp",), text=text, severity=Severity.WARNING)


def _texts(path: KeyPath, text: str) -> Iterator[Problem]:
    if not _is_text(text):
        words = "a text of LLDP has up to 255 printable ASCII characters, and no spaces around it"
        yield Problem(rule="lldp-text", path=path, text=words)


def _is_text(text: str) -> bool:
    """Return whether a description or a name fits into a frame, and VPP sends it as it was."""
    return text.isascii() and text.isprintable() and text == text.strip() and len(text) <= _LONGEST


def _fits_file(text: str) -> bool:
    return _is_text(text) and not set("'\"") & set(text)


class LldpKind(FeatureKind[Lldp | None]):
    """The key `lldp` of interfaces, and the settings in VPP."""

    nodes = "lldp"
    key = "lldp"
    command = "set interface lldp"
    attribute = "lldp"
    plugin = "lldp"
    reason = "a port speaks LLDP"
    since = Release(26, 10)
    shown_by = _REPORTED
    operations = (SetLldp, SetLldpSettings)
    rules = (lldp_ports, lldp_settings)
    api_module = "lldp"
    capabilities: ClassVar = {"lldp": _SET}

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def parse(self, raw: bool | Mapping[str, Any]) -> Lldp | None:
        """Return what an entry has a port send, None for nothing."""
        if isinstance(raw, bool):
            return Lldp() if raw else None
        return Lldp(
            description=raw.get("description") or "",
            ipv4=canonical_host(raw.get("management-ipv4")) or "",
            ipv6=canonical_host(raw.get("management-ipv6")) or "",
        )

    def as_yaml(self, value: Lldp | None) -> Value:
        if value is None:
            return False
        given = (("description", value.description), ("management-ipv4", value.ipv4), ("management-ipv6", value.ipv6))
        return tuple(KeyValue(key, text) for key, text in given if text) or True

    def unsupported_reason(self, value: Lldp | None) -> str | None:
        if value is not None and value.oid:
            return "it sends an OID by LLDP"
        if value is not None and not _fits_file(value.description):
            return "it sends a description by LLDP that a configuration cannot express"
        return None

    def setters(self, name: str, value: Lldp | None) -> Iterable[SetLldp]:
        """Return the operation that speaks LLDP."""
        return [] if value is None else [SetLldp(interface=name, lldp=value)]

    def parts_present(self, connection: VppReader, shown: Shown) -> Iterable[str]:
        """Return the plugin, and whether it reports what its ports send."""
        return (*super().parts_present(connection, shown), *([_REPORTED] if _reports_all(connection) else []))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the first page of ports, where VPP reports all of them."""
        return [connection.request(_DUMP, {"cursor": 0})[1]] if _reports_all(connection) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, Lldp | None]:
        """Return what each port that speaks LLDP sends, by its index. Further pages are asked for here."""
        if not _reports_all(connection):
            return {}
        found: dict[int, Lldp | None] = {}
        for page in connection.pages(replies, _DUMP, {}, "ports with LLDP"):
            for index, ipv4, ipv6, oid, description in connection.rows(page, _DETAILS, *_PATHS):
                found[index] = Lldp(
                    description=text_of(description), ipv4=_address(ipv4), ipv6=_address(ipv6), oid=text_of(oid)
                )
        return found

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return what ports have alike, nothing when none speaks LLDP."""
        rows = connection.rows(replies, _DETAILS, *_SETTINGS) if _reports_all(connection) else []
        for name, hold, interval in rows:
            return {"lldp": LldpSettings(system_name=text_of(name) or None, hold=hold, interval_s=interval)}
        return {}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield what ports are to have alike and have not; None is open."""
        attributes = tuple(each for each in attribute_changes(observed.lldp, desired.lldp) if each.new is not None)
        return setting_changes(ObjectKind.LLDP, observed.lldp, desired.lldp, attributes)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the step that sets what differs, before ports begin to speak."""
        for change in transition.difference.of(ObjectKind.LLDP):
            given: dict[str, Any] = {attribute.name: attribute.new for attribute in change.attributes}
            yield Step(stage=Stage.SET_LLDP, operation=SetLldpSettings(**given))


def _reports_all(connection: VppReader) -> bool:
    """Return whether VPP reports what its ports send, and not only which ones speak LLDP."""
    return connection.offers(_DUMP) and connection.has_field(_DETAILS, "port_desc")


def _address(raw: bytes) -> str:
    return str(ip_address(raw)) if any(raw) else ""


KIND = LldpKind()


class LldpSection(SettingsSection):
    """The section `lldp`: what all ports that speak LLDP have alike. What it leaves out stays as it is."""

    key = "lldp"
    attribute = "lldp"

    def parse(self, parsing: Parsing) -> LldpSettings:
        """Return the settings, none when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        return LldpSettings(
            system_name=given.get("system-name") or None, hold=given.get("hold"), interval_s=given.get("interval")
        )

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Set the settings of the file where a port speaks LLDP: VPP reports them with these alone."""
        if any(interface.lldp is not None for interface in desired.interfaces.values()):
            desired.lldp = desired.configuration.lldp

    def from_state(self, state: State, unmanaged: Unmanaged) -> LldpSettings:
        """Return the settings of VPP, without a name that no file can set."""
        return state.lldp if _fits_file(state.lldp.system_name or "") else replace(state.lldp, system_name=None)

    def setting_keys(self, lldp: LldpSettings) -> Iterator[KeyValue]:
        for key, value in (("system-name", lldp.system_name), ("hold", lldp.hold), ("interval", lldp.interval_s)):
            if value is not None:
                yield KeyValue(key, value)


SECTION = LldpSection()
