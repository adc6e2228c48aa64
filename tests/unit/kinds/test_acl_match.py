"""The table of protocol and service names."""

from vppcfg.entries.names import read_ip_names
from vppcfg.kinds.acl_match import ANY

NAMES = read_ip_names()


def test_the_names_that_people_use_are_there() -> None:
    assert {name: NAMES.protocols[name] for name in ("icmp", "tcp", "udp", "gre", "esp", "ipv6-icmp", "ospf")} == {
        "icmp": 1, "tcp": 6, "udp": 17, "gre": 47, "esp": 50, "ipv6-icmp": 58, "ospf": 89,
    }  # fmt: skip
    assert {name: NAMES.services[name] for name in ("ssh", "domain", "http", "www", "https", "bgp", "ntp")} == {
        "ssh": 22, "domain": 53, "http": 80, "www": 80, "https": 443, "bgp": 179, "ntp": 123,
    }  # fmt: skip


def test_all_names_are_lower_case_words_and_all_numbers_fit() -> None:
    for table, largest in ((NAMES.protocols, 255), (NAMES.services, 65535)):
        for name, number in table.items():
            assert isinstance(name, str)
            assert name == name.lower() != ANY
            assert not name.isdigit()
            assert 0 <= number <= largest
