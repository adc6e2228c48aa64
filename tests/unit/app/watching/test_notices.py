"""What a watch says is said once, each difference in the words of the file, and a summary stands for all of them."""

from collections.abc import Sequence

from vppcfg.app.watching.loop import changed_roles
from vppcfg.app.watching.notices import Differences, Notice, Reported
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VrrpState
from vppcfg.plan.diff import diff
from vppcfg.render.file_difference import file_difference


def state(**mtus: int) -> State:
    return State(
        interfaces={
            name: Interface(name=name, kind=InterfaceKind.PHYSICAL, link_mtu=9000, packet_mtu=mtu)
            for name, mtu in mtus.items()
        }
    )


WANTED = {f"eth{number}": 1500 for number in range(5)}


def drifted(**mtus: int) -> Differences:
    """Return the entries that differ when VPP has other MTUs than the file."""
    observed, desired = state(**{**WANTED, **mtus}), state(**WANTED)
    return {each.path: each for each in file_difference(observed, desired, diff(observed, desired))}


def told(said: Reported, found: Differences, problems: tuple[Problem, ...] = ()) -> list[Notice]:
    return list(said.after_look(found, problems))


def events(said: Reported, found: Differences) -> Sequence[str]:
    return [notice.event for notice in told(said, found)]


def test_a_difference_is_said_once_and_when_it_is_gone() -> None:
    said = Reported("a.yaml")
    assert events(said, drifted(eth0=9000)) == ["difference", "drift"]
    assert events(said, drifted(eth0=9000)) == []
    assert events(said, drifted()) == ["gone", "in_sync"]
    assert events(said, drifted()) == []


def test_the_line_says_what_is_news() -> None:
    said = Reported("a.yaml")
    told(said, drifted(eth0=9000))
    summary = told(said, drifted(eth0=9000, eth1=9000))[-1]
    assert summary.text == "VPP differs from a.yaml in 2 entries, 1 of them new: ~ interfaces.eth1"
    summary = told(said, drifted(eth1=9000))[-1]
    assert summary.text == "VPP differs from a.yaml in 1 entry; interfaces.eth0 matches the file again"
    gone = told(said, drifted())[0]
    assert (gone.text, gone.is_detail) == ("= interfaces.eth1 matches the file again", True)


def test_a_virtual_router_is_told_at_first_and_when_it_becomes_something_else() -> None:
    backup, master = {"lan 5": VrrpState.BACKUP, "new 6": None}, {"lan 5": VrrpState.MASTER, "new 6": None}
    found = [*changed_roles({}, backup), *changed_roles(backup, backup), *changed_roles(backup, master)]
    assert [each.data["former_state"] for each in found] == [None, VrrpState.BACKUP.value]
    assert [each.text.partition(" is ")[2] for each in found] == ["backup", "master now; it was backup"]
