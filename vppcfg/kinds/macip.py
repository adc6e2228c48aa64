"""The key `macip` of interfaces: which MACIP access list one applies to what comes in (plugins/acl/acl.c)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.yaml.text import Value
from vppcfg.kinds.acl_section import PLUGIN
from vppcfg.kinds.macip_acl import CLI_SINCE, DUMP, NOUN, read_names
from vppcfg.kinds.macip_acl_section import OTHERS
from vppcfg.model.interface import Interface
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Request, Vocabulary
from vppcfg.operations.request import Value as MessageValue
from vppcfg.operations.stages import Stage
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_BINDINGS = "macip_acl_interface_list_dump"


@record
class SetMacip(SetFeature):
    """macip_acl_interface_add_del: apply a MACIP access list to what comes in, in place of another one, or none."""

    cli_since = CLI_SINCE
    numbered = NOUN
    attribute = "macip"
    is_value = True
    macip: str | None
    """None applies none."""
    index: int | None = None
    """VPP's own number for the list, which its CLI needs; None for one that the same plan makes."""

    @property
    def inverse(self) -> SetMacip:
        """Return the operation that applies none."""
        return SetMacip(interface=self.interface, macip=None)

    @property
    def looks_at_frames(self) -> bool:
        """Return True: in L2 mode, VPP asks the list by a bit that it forgets on the way (vnet/l2/l2_input.c)."""
        return True

    def applied(self, value: Any) -> str | None:
        """Return the list that is applied then."""
        return self.macip

    def _refusal(self, working: WorkingState) -> str | None:
        if self.macip is None:
            is_bound = working.interfaces[self.interface].macip is not None
            return None if is_bound else f"{self.interface} applies no MACIP access list"
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        """Set what the interface applies, and note who applies what."""
        before = working.interfaces[self.interface].macip
        working.bound_macips.drop(self.interface, [] if before is None else [before])
        working.bound_macips.add(self.interface, [] if self.macip is None else [self.macip])
        SetFeature.apply_to(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name the list that is applied; VPP does not look at it where it applies none."""
        values: dict[str, MessageValue] = {
            "is_add": int(self.macip is not None),
            "sw_if_index": indexes.interface(self.interface),
            "acl_index": NO_INDEX if self.macip is None else indexes.number(NOUN, self.macip),
        }
        return Request("macip_acl_interface_add_del", values)

    def cli(self) -> str | None:
        """Write the command, which needs the number of a list also where it takes one off, and does not look at it."""
        if self.macip is None:
            return f"set acl-plugin macip interface {self.interface} del acl 0"
        if self.index is None:
            return None
        return f"set acl-plugin macip interface {self.interface} add acl {self.index}"


class MacipKind(FeatureKind[str | None]):
    """The key `macip` of interfaces."""

    nodes = "ip[46]-inacl|l2-input-acl"
    key = "macip"
    attribute = "macip"
    plugin = PLUGIN
    reason = "an interface applies a MACIP ACL"
    is_of_bond = True
    turn_on = Stage.BIND_ACLS
    operations = (SetMacip,)

    def completed(self, operation: SetFeature, transition: Transition) -> SetFeature:
        """Return an operation with VPP's number of its list, for the CLI."""
        if not isinstance(operation, SetMacip) or operation.macip is None:
            return operation
        known = transition.observed.macips.get(operation.macip)
        return operation if known is None else replace(operation, index=known.index)

    def parse(self, raw: str) -> str:
        return raw

    def as_yaml(self, value: str | None) -> Value:
        return value or ""

    def setters(self, name: str, value: str | None) -> Iterable[SetMacip]:
        """Return the operation that applies the list."""
        return [SetMacip(interface=name, macip=value)] if value is not None else []

    def has_nodes_on(self, interface: Interface) -> bool:
        """Return whether it has a list: others may have classifiers there."""
        return interface.macip is not None

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the interfaces that apply any."""
        return [connection.request(_BINDINGS, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(DUMP) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, str | None]:
        """Return the name of the list that each interface applies, by its index."""
        if not connection.offers(DUMP):
            return {}
        names = read_names(connection, replies)
        found: dict[int, str | None] = {}
        for (index,), lists in connection.lists(replies, "macip_acl_interface_list_details", ("sw_if_index",), ""):
            for (macip,) in lists:
                if macip != NO_INDEX:
                    found[index] = names.get(macip, f"{OTHERS}@{macip}")
        return found


KIND = MacipKind()
