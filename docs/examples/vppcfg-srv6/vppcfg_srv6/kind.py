"""SRv6 local SIDs with the behaviour End: the section `srv6_localsids` (vnet/srv6/sr.api).

srv6_localsids:
  2001:db8:f::1: {}
  2001:db8:f::2: { psp: true, vrf: red }
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vppcfg.common.addresses import canonical_host
from vppcfg.engine.object_section import ObjectSection
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Index
from vppcfg.entries.section import NamedReference, Naming, Parsing, SectionEntry
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes, text_of_address
from vppcfg.wire.reading import Replies, VppReader

_SET, _DUMP, _DETAILS = "sr_localsid_add_del", "sr_localsids_dump", "sr_localsids_details"
_END = 1
"""The behaviour End (sr_behavior in vnet/srv6/sr_types.api)."""


@record
class LocalSid(VppObject):
    """An address of this router to which packets with a segment routing header are sent."""

    noun = "SRv6 local SID"
    table = "srv6_localsids"
    is_replaceable = False

    sid: str
    """Canonical IPv6 address."""
    table_id: int = 0
    """The FIB table that it is in."""
    pops_header: bool = False
    """Whether the last but one takes the header off."""

    @property
    def name(self) -> str:
        """Return the SID; VPP takes each once, whatever the table."""
        return self.sid

    def references(self) -> Iterator[Reference]:
        """Yield the table."""
        if self.table_id:
            yield Reference(Referent.TABLE, table_key(self.table_id, is_ipv6=True))


@record
class SetLocalSid(SetObject):
    """sr_localsid_add_del: answer to a SID. VPP refuses one that is there (sr_cli_localsid)."""

    item: LocalSid

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _request(self.item, is_del=0)

    def cli(self) -> str:
        """Return the command."""
        psp = " psp" if self.item.pops_header else ""
        table = f" fib-table {self.item.table_id}" if self.item.table_id else ""
        return f"sr localsid address {self.item.sid} behavior end{psp}{table}"


@record
class RemoveLocalSid(RemoveObject):
    """sr_localsid_add_del: answer to a SID no longer."""

    item: LocalSid

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _request(self.item, is_del=1)

    def cli(self) -> str:
        """Return the command."""
        table = f" fib-table {self.item.table_id}" if self.item.table_id else ""
        return f"sr localsid del address {self.item.sid}{table}"


def _request(sid: LocalSid, *, is_del: int) -> Request:
    values: dict[str, Value] = {
        "is_del": is_del,
        "localsid": family_and_bytes(sid.sid)[1],
        "end_psp": int(sid.pops_header),
        "behavior": _END,
        "fib_table": sid.table_id,
    }
    return Request(_SET, values)


@record
class LocalSidConfig:
    """One entry of the section."""

    sid: str
    """Canonical."""
    path: KeyPath
    pops_header: bool = False
    vrf: str | None = None
    """None is the default one."""


def _is_sid(name: object) -> bool:
    return isinstance(name, str) and ":" in name and canonical_host(name) == name


def sid_taken(index: Index) -> Iterator[Problem]:
    """Find SIDs that are addresses of interfaces: VPP has a FIB entry for them already."""
    own = {address.partition("/")[0]: each.name for each in index.interfaces for address in each.addresses}
    for entry in KIND.entries_in(index.configuration).values():
        if entry.sid in own:
            text = f"{entry.sid} is an address of {own[entry.sid]}; give the SID an address of its own"
            yield Problem(rule="srv6-sid-taken", path=entry.path, text=text)


class LocalSidKind(ObjectSection[LocalSid, LocalSidConfig]):
    """The section `srv6_localsids`, and the SIDs in VPP."""

    key = "srv6_localsids"
    foreign_keys = ("localsids", "srv6")
    naming = Naming(
        is_name=_is_sid,
        rule="srv6-sid",
        form="a SID is an IPv6 address in its canonical form, such as 2001:db8:f::1",
        pattern=("[0-9a-f:]+", 39),
    )
    entry_schema = ("psp: bool(required=False)", "vrf: vrf_name(required=False)")
    object_class = LocalSid
    operations = (SetLocalSid, RemoveLocalSid)
    rules = (sid_taken,)
    rule_texts = str(Path(__file__).with_name("rules.yaml"))
    api_module = "sr"

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> LocalSidConfig:
        """Return an entry."""
        raw = entry.raw
        return LocalSidConfig(sid=entry.name, path=entry.path, pops_header=bool(raw.get("psp")), vrf=raw.get("vrf"))

    def entry_keys(self, entry: LocalSidConfig) -> Iterator[KeyValue]:
        """Yield the keys of an entry."""
        yield KeyValue("psp", entry.pops_header, is_default=not entry.pops_header)
        if entry.vrf is not None:
            yield KeyValue("vrf", entry.vrf)

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        """Yield the VRFs that entries name."""
        for entry in self.entries_in(configuration).values():
            if entry.vrf is not None:
                yield NamedReference(Referent.TABLE, entry.vrf, (*entry.path, "vrf"))

    def to_object(self, entry: LocalSidConfig, configuration: Configuration) -> LocalSid | None:
        """Return the SID; None in a VRF that the file lacks."""
        vrf = configuration.vrfs.get(entry.vrf) if entry.vrf is not None else None
        if entry.vrf is not None and vrf is None:
            return None
        table_id = 0 if vrf is None else vrf.table_id
        return LocalSid(sid=entry.sid, table_id=table_id, pops_header=entry.pops_header)

    def entry_of(self, item: LocalSid, state: State) -> tuple[str, LocalSidConfig] | None:
        """Return the entry; None in a table that a file cannot name."""
        vrf = None
        if item.table_id:
            table = state.vrfs.get(table_key(item.table_id, is_ipv6=True))
            if table is None or table.is_unnamed:
                return None
            vrf = table.name
        config = LocalSidConfig(sid=item.sid, path=(self.key, item.sid), pops_header=item.pops_header, vrf=vrf)
        return item.sid, config

    def set(self, item: LocalSid) -> SetLocalSid:
        """Return the operation that sets a SID."""
        return SetLocalSid(item=item)

    def remove(self, item: LocalSid) -> RemoveLocalSid:
        """Return the operation that removes a SID."""
        return RemoveLocalSid(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all SIDs."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[LocalSid]:
        """Yield the SIDs with the behaviour End; VPP does not show all of the others."""
        if not connection.offers(_DUMP):
            return
        for raw, psp, behaviour, table_id in connection.rows(
            replies, _DETAILS, "addr", "end_psp", "behavior", "fib_table"
        ):
            if behaviour == _END:
                yield LocalSid(sid=text_of_address(1, raw), table_id=table_id, pops_header=bool(psp))


KIND = LocalSidKind()
