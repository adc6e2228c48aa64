"""The base of all operations, the single steps of a plan: what each is about, when VPP refuses it, what it does.

The operations of a kind of object stand in its module of `kinds/`, with their messages and lines of VPP's CLI. When the
turn of one is stands in `operations/stages`.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, NamedTuple

from vppcfg.common.release import Release
from vppcfg.model.bond import Bond
from vppcfg.model.interface import FEATURES, features_on
from vppcfg.model.linux import LEAST_IPV6_MTU
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.operations.pause import NO_PAUSE, Pause, PauseContext, of_address, of_deletion
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


class Predicate(NamedTuple):
    """What an operation does to its object, as the predicate of a sentence."""

    one: str
    many: str
    own: tuple[str, str] | None = None
    """The clause for an object that does it to itself, alone or with others; None for the predicate, '' for nothing."""


class Numbering(Enum):
    """What an operation does to the number that VPP has for its object."""

    USES = "uses"
    GIVES = "gives"
    """VPP picks one and returns it in its answer."""
    FREES = "frees"


@record
class Operation:
    """One API message to VPP, or one change of the Linux around it. It names objects by name, never by index.

    An operation can be tried on a working state: `precondition_error` returns why VPP would refuse it there,
    `apply_to` changes the working state as VPP changes. Proofs of plans and rollbacks are made of these two.
    """

    needs_vpp: ClassVar[bool] = True
    """False for what is done in Linux, of which VPP knows nothing."""
    why_unrehearsed: ClassVar[str] = ""
    """Why no rehearsal carries it out, '' for most: what it is about is not there."""
    has_host_device: ClassVar[bool] = False
    """Whether it is about the Linux device of an LCP pair, which not every kernel can have."""
    noun: ClassVar[str] = ""
    """What stands before the name of its object in a sentence; '' before that of an interface."""
    cli_since: ClassVar[Release | None] = None
    """The first release whose prompt has the command; None where that came with the message."""
    numbered: ClassVar[str] = ""
    """What its message calls by VPP's own numbers beside interfaces: the noun of these objects."""
    numbering: ClassVar[Numbering] = Numbering.USES
    """What happens to the number of its subject."""
    takes_mac: ClassVar[bool] = False
    """Whether its message may have the MAC address of an interface: `Indexes.mac`."""
    needs_fib_source: ClassVar[bool] = False
    """Whether VPP must have the FIB source of the routes of files before."""
    done_already: ClassVar[frozenset[int]] = frozenset()
    """The return codes by which VPP reports that all is as the operation would have it."""

    @property
    def subject(self) -> str:
        """Return the name of what it is about: an interface, a bridge, an access list, or a part of VPP."""
        raise NotImplementedError(type(self).__name__)

    @property
    def aspect(self) -> str:
        """Return the kind of what its subject has that it is about, where subjects have several kinds of things."""
        return ""

    def precondition_error(self, working: WorkingState) -> str | None:
        """Return why VPP would refuse it in this state, or what it would leave dangling; None when neither."""
        return self._refusal(working)

    def _refusal(self, working: WorkingState) -> str | None:
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Change the working state as VPP changes; only after `precondition_error` has returned None."""
        raise NotImplementedError(type(self).__name__)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object on the way from one state to the other."""
        return Predicate("changes", "change")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: for most, no time to speak of."""
        return NO_PAUSE

    def objection(self) -> str:
        """Return why VPP must not be sent it, '' when it may: its answer would mislead."""
        return ""

    def reason_of(self, retval: int) -> str:
        """Return what VPP most likely means by refusing it with a code, '' where that says enough by itself."""
        return ""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the API message that carries it out. Indexes are looked up, never stored."""
        raise NotImplementedError(type(self).__name__)

    def cli(self) -> str | None:
        """Return the line of VPP's prompt that does the same; None where no command does."""
        raise NotImplementedError(type(self).__name__)


@record
class InterfaceOperation(Operation):
    """An operation on an interface that exists: a missing one is refused before anything else is looked at."""

    interface: str

    @property
    def subject(self) -> str:
        return self.interface

    def precondition_error(self, working: WorkingState) -> str | None:
        """Return why VPP would refuse it in this state, or what it would leave dangling; None when neither."""
        if self.interface not in working.interfaces:
            return f"{self.interface} does not exist"
        return self._refusal(working)


@record
class CreateInterface(InterfaceOperation):
    """An operation that makes the interface that it names; VPP's answer has the index of the new one."""

    def precondition_error(self, working: WorkingState) -> str | None:
        """Return why VPP would refuse it in this state; one with this name is a reason."""
        return f"{self.interface} exists" if self.interface in working.interfaces else self._refusal(working)


@record
class DeleteInterface(InterfaceOperation):
    """An operation that removes the interface that it names; refused while anything is on it or points to it."""

    virtual: ClassVar[type[VirtualInterface] | None] = None
    """The kind of interface that it removes, where those have something that they are made with."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.virtual is not None and working.virtual_of(self.interface, self.virtual) is None:
            return f"{self.interface} is no {self.virtual.noun}"
        return dangling(self.interface, working)

    def apply_to(self, working: WorkingState) -> None:
        """Remove the interface from the working state, with what it was created with."""
        working.remove_interface(self.interface)
        working.virtual.pop(self.interface, None)

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: it is taken out of what has all interfaces."""
        return of_deletion(context)


@record
class AddressOperation(InterfaceOperation):
    """An operation that puts an address on an interface, or takes it off."""

    is_add: ClassVar[bool]
    address: str

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: VPP goes through those of its table."""
        return of_address(self.interface, context, is_ipv6=":" in self.address)


@record
class LinkOperation(InterfaceOperation):
    """An operation that sets the state or MTU of an interface or, where VPP is not needed, of its Linux device."""

    @property
    def new_state(self) -> bool | None:
        """Return whether the interface comes up or goes down; None where its state is left as it is."""
        return None

    @property
    def awaited_bond(self) -> str:
        """Return the bond that must use the interface again before anything else is done, '' for most."""
        return ""

    @property
    def new_mtu(self) -> int | None:
        """Return the MTU in bytes, 0 for that of the parent; None where it is left as it is."""
        return None

    @property
    def is_harmful_in_linux(self) -> bool:
        """Return whether a Linux device that follows loses addresses and routes, at least those of IPv6."""
        return self.new_state is False or (self.new_mtu is not None and 0 < self.new_mtu < LEAST_IPV6_MTU)


@record
class PairOperation(InterfaceOperation):
    """An operation that creates the LCP pair of an interface, or deletes it."""

    has_host_device = True
    is_add: ClassVar[bool]


def dangling(name: str, working: WorkingState) -> str | None:
    """Return what is still on, or points to, an interface that is to be deleted; None when nothing is.

    VPP would delete it nevertheless, and give what is left to the next interface with its index.
    """
    interface = working.interfaces[name]
    bond = working.virtual_of(name, Bond)
    if bond is not None and bond.members:
        return f"{name} has members"
    if name in working.lcps:
        return f"{name} has an LCP pair"
    if interface.addresses or interface.unnumbered:
        return f"{name} has addresses"
    if interface.is_l2 or working.references.to(name):
        return f"{name} is in L2 mode, or another interface sends to it or borrows from it"
    left = [
        *(each.label for each in working.unmanaged.get(name, ()) if each.outlives),
        *(FEATURES[attribute] for attribute in features_on(interface)),
        *(["access lists"] if interface.acls else []),
        *(["static neighbours"] if interface.neighbors else []),
    ]
    if left:
        return f"{name} has {' and '.join(left)}, which the next interface with its index would inherit"
    if others := working.referring.get(Reference(Referent.INTERFACE, name)):
        return f"{min(others)} refers to {name}"
    if working.mirrored.to(name):
        return f"another interface mirrors frames to {name}"
    if working.stacking.on_port(name):
        return f"{name} has sub-interfaces"
    if name in working.bond_of:
        return f"{name} is a member of {working.bond_of[name]}"
    return f"{name} is up" if interface.is_up else None


def missing_table(key: str, working: WorkingState) -> str | None:
    """Return that there is no such table, None when there is."""
    return None if key in working.vrfs else f"there is no {key}"


def braced(text: str) -> str:
    """Return a text as one word of VPP's CLI."""
    return f"{{{text}}}" if " " in text else text
