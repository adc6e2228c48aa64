"""OSI protocols on LCP pairs: the key `lcp-osi` of the file, for IS-IS in Linux (plugins/linux-cp/lcp.c).

lcp-osi: [ isis ]

VPP drops the frames of a protocol that is not enabled. It can enable one, and has no way to disable it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.release import Release
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import Value
from vppcfg.kinds.lcp.reading import SHOW_PLUGINS, runs
from vppcfg.model.osi import KEY, NAMES, PROTOCOLS, OsiProtocol
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Shown

_PLUGIN = "osi"
_ENABLE, _GET = "lcp_osi_proto_enable", "lcp_osi_proto_get"
Protocols = tuple[str, ...]


@record
class EnableOsiProtocol(SetObject):
    """lcp_osi_proto_enable: pass a protocol on between ports and Linux."""

    item: OsiProtocol
    why_unrehearsed = "the VPP of a rehearsal runs without the plugin osi"

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ENABLE, {"osi_proto": self.item.number})

    def cli(self) -> str:
        return f"lcp osi-proto enable 0x{self.item.number:x}"


class OsiKind(VppObjectKind[OsiProtocol]):
    """The protocols that VPP passes on."""

    key = KEY
    object_class = OsiProtocol
    operations = (EnableOsiProtocol,)
    sees_hosts = False
    api_module = "lcp"

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: OsiProtocol) -> EnableOsiProtocol:
        return EnableOsiProtocol(item=item)

    def remove(self, item: OsiProtocol) -> RemoveObject:
        """Raise NotImplementedError: it is permanent."""
        raise NotImplementedError(item.label)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_GET)[1]] if connection.offers(_GET) else []

    def commands(self, connection: VppReader) -> list[str]:
        """Return the command that shows whether the plugin osi runs, which has no message of its own."""
        return [SHOW_PLUGINS] if connection.offers(_ENABLE) else []

    def parts_present(self, connection: VppReader, shown: Shown) -> Iterable[str]:
        """Return the plugin where linux-cp can use it."""
        return [_PLUGIN] if connection.offers(_ENABLE) and runs(_PLUGIN, shown) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[OsiProtocol]:
        if not connection.offers(_GET):
            return
        for _, numbers in connection.lists(replies, f"{_GET}_reply", ("retval",), ""):
            yield from (OsiProtocol(number=number) for (number,) in numbers if number in NAMES)


class OsiSection(OwnedSection[Protocols]):
    """The key `lcp-osi`."""

    key = KEY
    holders = (KeyHolder.FILE,)
    object_classes = (OsiProtocol,)
    plugin = _PLUGIN
    reason = "the file passes OSI protocols on to Linux"
    since = Release(26, 6)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Protocols:
        return tuple(sorted({name for name in raw if name is not None}))

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[OsiProtocol]:
        yield from (OsiProtocol(number=PROTOCOLS[name]) for name in entry.value)

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the protocols; note those that stay on."""
        OwnedSection.resolve(self, desired)
        observed = desired.observed.of(OsiProtocol)
        for entry in self.entries_in(desired.configuration).values():
            if kept := sorted(observed.keys() - set(entry.value)):
                text = f"VPP cannot disable {' and '.join(kept)}; restart it, or add what stays on"
                desired.notice("lcp-osi-kept", entry.path, text)

    def as_yaml(self, value: Protocols) -> Value:
        return list(value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Protocols]]:
        if protocols := state.of(OsiProtocol):
            yield KeyHolder.FILE, "", tuple(sorted(protocols))


SECTION = OsiSection()
KIND = OsiKind()
