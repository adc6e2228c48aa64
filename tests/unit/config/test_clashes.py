"""What stands in the way of a file on a dataplane with objects of others."""

from __future__ import annotations

import pytest

from vppcfg.config.clashes import clashes
from vppcfg.config.configuration import Configuration
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State


@pytest.mark.parametrize(
    ("observed_names", "expected"),
    [
        (("port", "loop0"), ["port is not managed and refers to loop0, which the file lacks"]),
        (("port",), []),
    ],
    ids=["there", "gone"],
)
def test_only_what_is_there_can_be_lost(observed_names: tuple[str, ...], expected: list[str]) -> None:
    """VPP lets an interface borrow from one that was deleted: no plan takes that away from it."""
    port = Interface(name="port", kind=InterfaceKind.PHYSICAL, unnumbered="loop0")
    loopback = Interface(name="loop0", kind=InterfaceKind.LOOPBACK)
    observed = State(interfaces={name: {"port": port, "loop0": loopback}[name] for name in observed_names})
    untouched = desired = State(interfaces={"port": port})
    assert [problem.text for problem in clashes(Configuration(), untouched, observed, desired)] == expected
