"""Asks on the wire for new addresses before a plan sets them: a host that has one already would lose it."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.app.questions import why_cannot_ask
from vppcfg.dataplane import Dataplane
from vppcfg.model.question import NeighborQuestion
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.transaction.guard import Objection

MOST = 64
"""Addresses that are asked for; each takes VPP a second in which its API answers no other client."""


@record
class AddressProbe:
    """The outcome of asking for an address that a plan sets."""

    interface: str
    address: str
    mac: str = ""
    """The MAC address of the host that has it; '' where VPP does not report it, or no host has it."""
    is_taken: bool = False
    not_asked: str = ""
    """Why it was not asked for, as the end of a sentence; '' when it was."""

    @property
    def text(self) -> str:
        """Return what was found, in words."""
        if self.not_asked:
            return f"{self.address} on {self.interface} was not asked for: {self.not_asked}"
        if self.is_taken:
            return f"{self.address} on {self.interface} is taken: {self.mac or 'another host'} answers for it"
        return f"{self.address} on {self.interface} is free: no host answers"


def probe_new_addresses(plan: Plan, dataplane: Dataplane) -> tuple[AddressProbe, ...]:
    """Ask for each address that a plan sets and no interface has yet. Raise DataplaneError."""
    probes: list[AddressProbe] = []
    for name, address in _new_addresses(plan.observed, plan.desired):
        asked = sum(not probe.not_asked for probe in probes)
        reason = why_cannot_ask(name, address, plan.observed)
        if not reason and asked >= MOST:
            reason = f"{MOST} addresses were asked for already, and each takes a second"
        if reason:
            probes.append(AddressProbe(interface=name, address=address, not_asked=reason))
            continue
        outcome = dataplane.ask(NeighborQuestion(interface=name, address=address))
        probes.append(
            AddressProbe(
                interface=name,
                address=address,
                mac=outcome.mac,
                is_taken=outcome.is_answered,
                not_asked=outcome.cannot_ask,
            )
        )
    return tuple(probes)


def about_taken(probes: tuple[AddressProbe, ...]) -> Iterator[Objection]:
    """Yield an objection to a plan for each address that another host has."""
    for probe in probes:
        if probe.is_taken:
            yield Objection(probe.text, "take another address, or apply it without --check once that host is gone")


def _new_addresses(observed: State, desired: State) -> Iterator[tuple[str, str]]:
    """Yield interface and host address of what is new; an address that moves within the router is not."""
    there = observed.interfaces.values()
    own = {(interface.tables, _host(address)) for interface in there for address in interface.addresses}
    for name, interface in sorted(desired.interfaces.items()):
        for address in sorted(interface.addresses):
            if (interface.tables, _host(address)) not in own:
                yield name, _host(address)


def _host(address: str) -> str:
    return address.partition("/")[0]
