"""Rules about unnumbered interfaces: who may borrow addresses, and from whom."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem


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


def _borrowers(index: Index) -> Iterator[tuple[InterfaceConfig, str]]:
    return ((interface, interface.unnumbered) for interface in index.interfaces if interface.unnumbered is not None)


def _problem(rule: str, borrower: InterfaceConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*borrower.path, "unnumbered"), text=text)
