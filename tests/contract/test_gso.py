"""Contract: GSO is counted, goes with its interface, and is told of the interfaces that VPP has looked at."""

import pytest

from tests.contract.subject import PORTS, Subject


def set_gso(vpp: Subject, index: int, is_on: bool = True) -> int:
    return int(vpp.api.feature_gso_enable_disable(sw_if_index=index, enable_disable=is_on).retval)


def has(vpp: Subject, index: int, feature: str = "gso-ip4", path: str = "ip4-output") -> bool:
    reply = vpp.api.feature_is_enabled(arc_name=path, feature_name=feature, sw_if_index=index)
    assert reply.retval == 0
    return bool(reply.is_enabled)


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface of which VPP tells the truth, as it does once anything of its index had a feature."""
    index = vpp.sub(first, 100)
    assert set_gso(vpp, index) == set_gso(vpp, index, False) == 0
    return index


def test_it_is_counted_and_turning_it_off_too_often_does_no_harm(vpp: Subject, sub: int) -> None:
    seen = []
    for is_on in (True, True, False, False, False, True, False):
        assert set_gso(vpp, sub, is_on) == 0
        seen.append(has(vpp, sub))
    assert seen == [True, True, True, False, False, True, False]
    assert set_gso(vpp, 4711) == -2


def test_the_end_of_a_path_is_on_no_interface(vpp: Subject, sub: int) -> None:
    set_gso(vpp, sub)
    assert (has(vpp, sub), has(vpp, sub, "gso-ip6", "ip6-output")) == (True, True)
    assert not has(vpp, sub, "interface-output")
    assert (has(vpp, sub, "misspelt"), has(vpp, sub, path="misspelt")) == (True, True)


def test_vpp_says_yes_of_what_comes_after_all_that_ever_had_a_feature(vpp: Subject, first: int, sub: int) -> None:
    beyond = [vpp.sub(first, number) for number in range(200, 260)][-1]
    assert (has(vpp, beyond), has(vpp, beyond, "interface-output")) == (True, True)
    set_gso(vpp, beyond)
    set_gso(vpp, beyond, False)
    assert (has(vpp, beyond), has(vpp, beyond, "interface-output")) == (False, False)


def test_it_goes_with_its_interface(vpp: Subject, first: int, sub: int) -> None:
    set_gso(vpp, sub)
    vpp.api.delete_subif(sw_if_index=sub)
    assert vpp.sub(first, 200) == sub
    assert not has(vpp, sub)


def test_it_is_typed(vpp: Subject, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    assert vpp.cli(f"set interface feature gso {name} enable") == (0, "")
    assert has(vpp, sub)
    assert vpp.cli(f"set interface feature gso {name} disable") == (0, "")
    assert not has(vpp, sub)
    for words in (f"{name} enable sometimes", "nothing enable", "enable"):
        assert vpp.cli(f"set interface feature gso {words}") == (0, "")
    assert not has(vpp, sub)
