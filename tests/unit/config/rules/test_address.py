"""Rules about addresses, and the overlap rule against a plain comparison of all pairs."""

from __future__ import annotations

import ipaddress
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from vppcfg.config.load import parse_text
from vppcfg.entries.configuration import Configuration, InterfaceConfig
from vppcfg.entries.index import Index, Parsed, index_of
from vppcfg.kinds.address_rules import address_host, address_overlap
from vppcfg.model.problem import Problem, Severity


def index(**addresses: tuple[str, ...]) -> Index:
    interfaces = {
        name: InterfaceConfig(name=name, path=("interfaces", name), addresses=values)
        for name, values in addresses.items()
    }
    return index_of(Parsed(configuration=Configuration(interfaces=interfaces)))


def places(problems: list[Problem]) -> list[tuple[str, str | int, str | int]]:
    return [(problem.rule, problem.path[1], problem.path[3]) for problem in problems]


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0/0", "0.0.0.0/8", "192.0.2.0/24", "192.0.2.255/24", "192.0.2.0/30", "192.0.2.3/30", "10.0.0.0/8",
        "224.0.0.1/24", "239.255.255.255/32", "255.255.255.255/32", "255.255.255.255/31", "0.0.0.0/32",
        "::/0", "::/128", "2001:db8::/64", "2001:db8::/126", "ff02::1/128", "ff02::1/64",
    ],
)  # fmt: skip
def test_an_address_that_no_host_can_have(address: str) -> None:
    (problem,) = address_host(index(eth0=(address,)))
    assert places([problem]) == [("address-invalid-host", "eth0", 0)]
    assert (problem.severity is Severity.WARNING) is (address in {"2001:db8::/64", "2001:db8::/126"})


@pytest.mark.parametrize(
    "address",
    [
        "192.0.2.1/24", "192.0.2.254/24", "192.0.2.0/31", "192.0.2.1/31", "192.0.2.0/32", "192.0.2.255/32",
        "10.0.1.0/8", "10.0.0.255/8", "192.0.2.1/30", "192.0.2.2/30", "169.254.0.1/16", "240.0.0.1/24",
        "2001:db8::1/64", "2001:db8::/127", "2001:db8::/128", "2001:db8::ffff:ffff:ffff:ffff/64", "fec0::1/64",
        "fd00::1/8",
    ],
)  # fmt: skip
def test_an_address_that_a_host_can_have(address: str) -> None:
    assert list(address_host(index(eth0=(address,)))) == []


def test_an_address_without_a_length_is_noted_where_neighbours_are() -> None:
    text = """
    interfaces:
      eth0:
        addresses: [ 192.0.2.1/24, 198.51.100.1, 2001:db8::1 ]
        sub-interfaces: { 5: { addresses: [ 203.0.113.1/32 ] } }
    loopbacks:
      loop0: { addresses: [ 10.0.0.1 ] }
      loop1: { addresses: [ 10.1.0.1 ] }
    bridgedomains:
      bd1: { bvi: loop1 }
    """
    problems = parse_text(text, "test").problems
    found = [each for each in problems if each.rule == "address-length"]
    assert places(found) == [
        ("address-length", "eth0", 1),
        ("address-length", "eth0", 2),
        ("address-length", "loop1", 0),
    ]
    assert {each.severity for each in found} == {Severity.NOTICE}
    assert (
        found[1].text == "2001:db8::1 has no length and counts as /128, a network without neighbours; write its length"
    )


@pytest.mark.parametrize("address", ["fe80::1/64", "fe80::1/128", "febf::/10", "fe80::/64"])
def test_link_local_addresses_are_left_to_vpp(address: str) -> None:
    assert places(list(address_host(index(eth0=(address,))))) == [("address-link-local", "eth0", 0)]


def test_link_local_addresses_do_not_overlap() -> None:
    assert list(address_overlap(index(eth0=("fe80::1/64",), eth1=("fe80::1/64",)))) == []


ADDRESSES = st.builds(
    lambda value, length: f"{ipaddress.IPv4Address(0xC0000200 + value)}/{length}",
    st.integers(0, 63),
    st.integers(25, 32),
)


def conflicts(configuration: dict[str, tuple[str, ...]]) -> set[str]:
    """Return the interfaces that take part in a conflict, by comparing all pairs as VPP does."""
    entries = [(name, ipaddress.ip_interface(text)) for name, texts in configuration.items() for text in set(texts)]
    found: set[str] = set()
    for (name, one), (other_name, other) in combinations(entries, 2):
        is_further_host = name == other_name and one.network.prefixlen == other.network.prefixlen
        if one.network.overlaps(other.network) and not is_further_host:
            found |= {name, other_name}
    return found


@examples(150)
@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.lists(ADDRESSES, max_size=4).map(tuple)))
def test_overlaps_are_those_that_comparing_all_pairs_finds(configuration: dict[str, tuple[str, ...]]) -> None:
    """One end of every conflict is named, and taking away what is named leaves none."""
    problems = list(address_overlap(index(**configuration)))
    assert {str(problem.path[1]) for problem in problems} <= conflicts(configuration)
    named = {(str(problem.path[1]), configuration[str(problem.path[1])][int(problem.path[3])]) for problem in problems}
    rest = {name: tuple(text for text in texts if (name, text) not in named) for name, texts in configuration.items()}
    assert conflicts(rest) == set()
