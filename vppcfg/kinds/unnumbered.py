"""Interfaces that borrow addresses of another one, the key `unnumbered` (vnet/ip/ip_interface.c).

Borrowing ends before own addresses come and begins after they are gone: VPP would put an address of a borrower on
its donor, and hide those that a borrower still has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.entries.interface_key import InterfaceKey
from vppcfg.kinds.address import routing_obstacle
from vppcfg.model.features import DELETED
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Predicate
from vppcfg.operations.request import ALL_INDEXES, Indexes, Known, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_DUMP = "ip_unnumbered_dump"


@record
class SetUnnumbered(InterfaceOperation):
    """sw_interface_set_unnumbered: borrow the addresses of `donor`."""

    donor: str

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if self.donor not in working.interfaces:
            return f"{self.donor} does not exist"
        if interface.addresses:
            return f"{interface.name} has addresses, which would vanish and still block"
        if interface.unnumbered is not None:
            return f"{interface.name} borrows from {interface.unnumbered}"
        if interface.tables != working.interfaces[self.donor].tables:
            return f"{interface.name} and {self.donor} are in different FIB tables"
        return routing_obstacle(interface)

    def apply_to(self, working: WorkingState) -> None:
        working.borrow(self.interface, self.donor)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _unnumbered(indexes.interface(self.donor), self.interface, indexes, is_add=1)

    def cli(self) -> str:
        return f"set interface unnumbered {self.interface} use {self.donor}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"borrows from {self.donor}", f"borrow from {self.donor}")


@record
class UnsetUnnumbered(InterfaceOperation):
    """sw_interface_set_unnumbered: stop borrowing the addresses of `donor`."""

    donor: str

    def _refusal(self, working: WorkingState) -> str | None:
        if working.interfaces[self.interface].unnumbered != self.donor:
            return f"{self.interface} does not borrow from {self.donor}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.borrow(self.interface, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name no donor: VPP does not look at it, and it may be gone (vnet/interface_api.c)."""
        return _unnumbered(0, self.interface, indexes, is_add=0)

    def cli(self) -> str:
        return f"set interface unnumbered del {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        after = desired.interfaces.get(self.interface)
        if after is not None and after.unnumbered == self.donor:
            anew = f"must borrow again from {self.donor}, which changes"
            return Predicate(anew, anew)
        return Predicate(f"stops borrowing from {self.donor}", f"stop borrowing from {self.donor}")


def _unnumbered(donor: Value, interface: str, indexes: Indexes, is_add: int) -> Request:
    """Name the donor in sw_if_index, as VPP has it (vnet/interface.api)."""
    values: dict[str, Value] = {
        "sw_if_index": donor,
        "unnumbered_sw_if_index": indexes.interface(interface),
        "is_add": is_add,
    }
    return Request("sw_interface_set_unnumbered", values)


def unnumbered_target(index: Index) -> Iterator[Problem]:
    """Find interfaces that borrow from one that has nothing to lend."""
    for borrower, donor_name in _borrowers(index):
        donor = index.find(donor_name)
        if donor_name == borrower.name:
            yield _problem("unnumbered-self", borrower, f"{borrower.name} cannot borrow its own addresses")
        elif not index.has(donor_name):
            text = f"{donor_name} is not in this file; add it to `interfaces` or `loopbacks`"
            text += did_you_mean(donor_name, index.names)
            yield _problem("unnumbered-target-missing", borrower, text)
        elif reason := index.why_switched(donor_name):
            text = f"{donor_name} {reason} and has no addresses to lend"
            yield _problem("unnumbered-l2", borrower, text)
        elif donor is not None and donor.unnumbered is not None:
            is_circle = donor.unnumbered == borrower.name
            instead = "give one of the two addresses of its own" if is_circle else f"name {donor.unnumbered} here"
            text = f"{donor_name} borrows its addresses itself; {instead}"
            yield _problem("unnumbered-unnumbered", borrower, text)


def unnumbered_borrower(index: Index) -> Iterator[Problem]:
    """Find interfaces that cannot borrow addresses."""
    for borrower, _ in _borrowers(index):
        if borrower.addresses:
            text = f"{borrower.name} has addresses of its own; remove one of the two keys"
            yield _problem("unnumbered-with-addresses", borrower, text)
        if reason := index.why_switched(borrower.name):
            text = f"{borrower.name} {reason} and cannot be unnumbered; remove one of them"
            yield _problem("l2-unnumbered", borrower, text)
        if borrower.encapsulation is not None and not borrower.encapsulation.is_exact:
            text = f"{borrower.name} is unnumbered and so must match its tags exactly; add `exact-match: true`"
            yield _problem("unnumbered-not-exact-match", borrower, text)


def dhcp_borrowed(index: Index) -> Iterator[Problem]:
    """Find interfaces that ask for an address and borrow one, of which VPP takes one only."""
    for interface in index.interfaces:
        if interface.dhcp_client is not None and interface.unnumbered is not None:
            text = (
                f"{interface.name} borrows the addresses of {interface.unnumbered} and asks for one; remove one of them"
            )
            yield Problem(rule="dhcp-unnumbered", path=(*interface.path, "dhcp-client"), text=text)


def _borrowers(index: Index) -> Iterator[tuple[InterfaceConfig, str]]:
    return ((interface, interface.unnumbered) for interface in index.interfaces if interface.unnumbered is not None)


def _problem(rule: str, borrower: InterfaceConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*borrower.path, "unnumbered"), text=text)


class UnnumberedKind(Kind, InterfaceKey):
    """Borrowed addresses."""

    key = attribute = "unnumbered"
    is_of_bond = True
    operations = (SetUnnumbered, UnsetUnnumbered)
    rules = (dhcp_borrowed, unnumbered_target, unnumbered_borrower)
    on_interfaces = ("unnumbered",)

    def parse(self, raw: str) -> str:
        """Return the name of the interface whose addresses are borrowed."""
        return raw

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, str]]:
        """Return the names of donors; VPP keeps the index of a deleted one."""
        donors = read_donors(connection, replies).items()
        return {self.attribute: {index: known.names.get(donor, DELETED) for index, donor in donors}}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that end and begin borrowing."""
        before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
        old = before.unnumbered if before else None
        new = after.unnumbered if after else None
        is_broken = before is not None and (before.name in transition.to_delete or transition.breaks_borrowing(before))
        if old == new and not is_broken:
            return
        if before is not None and old is not None:
            unset = UnsetUnnumbered(interface=before.name, donor=old)
            yield Step(stage=Stage.UNSET_UNNUMBERED, operation=unset)
        if after is not None and new is not None:
            yield Step(stage=Stage.SET_UNNUMBERED, operation=SetUnnumbered(interface=after.name, donor=new))


KIND = UnnumberedKind()


def read_donors(connection: VppReader, replies: Replies) -> dict[int, int]:
    """Return the donor of every unnumbered interface."""
    if not connection.offers(_DUMP):
        return {}
    return dict(connection.rows(replies, "ip_unnumbered_details", "sw_if_index", "ip_sw_if_index"))
