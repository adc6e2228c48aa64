"""ACLs: their terms multiplied out into VPP's rules."""

from typing import Any

import pytest

from vppcfg.config.load import parse
from vppcfg.entries.index import Parsed
from vppcfg.kinds.acl_match import parse_range
from vppcfg.model.acl import AclRule
from vppcfg.model.problem import Problem, Severity

LISTS: dict[str, Any] = {
    "both": {"members": ["192.0.2.1", "10.0.0.1/8", "2001:db8::1/32", "10.9.9.9/8"]},
    "four": {"members": ["198.51.100.0/24"]},
    "six": {"members": ["2001:db8:6::/48"]},
    "none": None,
}
ALL, ALL6 = "0.0.0.0/0", "::/0"
ANY_PORT, ANY_ICMP = (0, 65535), (0, 255)


def parsed(*terms: dict[str, Any]) -> Parsed:
    return parse({"prefixlists": LISTS, "acls": {"a": {"terms": [{"action": "permit", **term} for term in terms]}}}, [])


def errors(result: Parsed) -> tuple[Problem, ...]:
    """Return the errors: the lists have host bits, and most of them are unused."""
    return tuple(problem for problem in result.problems if problem.severity is Severity.ERROR)


def rules(*terms: dict[str, Any]) -> tuple[AclRule, ...]:
    result = parsed(*terms)
    assert errors(result) == ()
    return result.configuration.acls["a"].rules


def flaws(*terms: dict[str, Any]) -> list[tuple[str, tuple[str | int, ...]]]:
    result = parsed(*terms)
    assert "a" not in result.configuration.acls
    assert result.broken_entries["acls"] == {"a"}
    return [(problem.rule, problem.path[4:]) for problem in errors(result)]


def ends(*terms: dict[str, Any]) -> list[tuple[str, str]]:
    return [(rule.source, rule.destination) for rule in rules(*terms)]


@pytest.mark.parametrize("term", [{"protocol": "udp"}, {"protocol": 6, "tcp-flags": ["syn", "not-syn"]}, {}])
def test_tcp_flags_that_no_tcp_packet_can_have_are_refused(term: dict[str, Any]) -> None:
    assert flaws({"tcp-flags": ["syn"], **term}) == [("acl-tcp-flags", ("tcp-flags",))]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ({"family": "ipv4"}, [(ALL, ALL)]),
        ({"family": "ipv6"}, [(ALL6, ALL6)]),
        ({"source": "any", "destination": "any", "family": "any"}, [(ALL, ALL), (ALL6, ALL6)]),
        ({"source": "192.0.2.77/24"}, [("192.0.2.0/24", ALL)]),
        ({"destination": "2001:DB8::1"}, [(ALL6, "2001:db8::1/128")]),
        ({"source": "both"}, [("192.0.2.1/32", ALL), ("10.0.0.0/8", ALL), ("2001:db8::/32", ALL6)]),
        ({"source": "both", "family": "ipv6"}, [("2001:db8::/32", ALL6)]),
        ({"source": "both", "destination": "six"}, [("2001:db8::/32", "2001:db8:6::/48")]),
        (
            {"source": "both", "destination": "four"},
            [("192.0.2.1/32", "198.51.100.0/24"), ("10.0.0.0/8", "198.51.100.0/24")],
        ),
    ],
)
def test_terms_are_multiplied_out_in_order(term: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert ends(term) == expected


@pytest.mark.parametrize(
    ("term", "protocol", "first", "second"),
    [
        ({"protocol": "any"}, 0, ANY_PORT, ANY_PORT),
        ({"protocol": "tcp"}, 6, ANY_PORT, ANY_PORT),
        ({"protocol": "TCP", "source-port": "any"}, 6, ANY_PORT, ANY_PORT),
        ({"protocol": 17, "destination-port": "domain"}, 17, ANY_PORT, (53, 53)),
        ({"protocol": "17", "destination-port": "1024-"}, 17, ANY_PORT, (1024, 65535)),
        ({"protocol": "udp", "source-port": -1024}, 17, (0, 1024), ANY_PORT),
        ({"protocol": "tcp", "source-port": "80-90", "destination-port": 0}, 6, (80, 90), (0, 0)),
        ({"protocol": "tcp", "destination-port": "ftp-data-ssh"}, 6, ANY_PORT, (20, 22)),
        ({"protocol": "gre"}, 47, ANY_PORT, ANY_PORT),
        ({"protocol": 255}, 255, ANY_PORT, ANY_PORT),
        ({"protocol": "icmp"}, 1, ANY_ICMP, ANY_ICMP),
        ({"protocol": "icmp", "icmp-type": 8, "icmp-code": "0-3"}, 1, (8, 8), (0, 3)),
        ({"protocol": "ipv6-icmp", "icmp-type": "128-"}, 58, (128, 255), ANY_ICMP),
    ],
)
def test_what_a_term_matches(
    term: dict[str, Any], protocol: int, first: tuple[int, int], second: tuple[int, int]
) -> None:
    (rule,) = rules({"family": "ipv4", **term})
    assert (rule.protocol, rule.source_ports, rule.destination_ports) == (protocol, first, second)


@pytest.mark.parametrize(
    ("protocol", "expected"), [("icmp", [1, 58]), (1, [1, 58]), ("icmpv6", [58, 58]), ("ipv6-icmp", [58, 58])]
)
def test_icmp_is_that_of_the_family(protocol: Any, expected: list[int]) -> None:
    assert [rule.protocol for rule in rules({"protocol": protocol})] == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ({"source": "four", "family": "ipv6"}, [("acl-source-empty", ("source",))]),
        ({"destination": "10.0.0.1", "family": "ipv6"}, [("acl-destination-empty", ("destination",))]),
        ({"source": "none"}, [("acl-source-empty", ("source",))]),
        ({"destination": "nolist"}, [("acl-destination-empty", ("destination",))]),
        ({"source": "four", "destination": "six"}, [("acl-family-mismatch", ("destination",))]),
        ({"protocol": "tpc"}, [("acl-protocol-unknown", ("protocol",))]),
        ({"protocol": 256}, [("acl-protocol-unknown", ("protocol",))]),
        ({"protocol": -1}, [("acl-protocol-unknown", ("protocol",))]),
        ({"protocol": "tpc", "source-port": 1, "icmp-type": 1}, [("acl-protocol-unknown", ("protocol",))]),
        ({"source-port": 80}, [("acl-ports-protocol", ("source-port",))]),
        ({"protocol": "sctp", "destination-port": 80}, [("acl-ports-protocol", ("destination-port",))]),
        ({"protocol": "tcp", "source-port": 65536}, [("acl-port-range", ("source-port",))]),
        ({"protocol": "tcp", "source-port": "90-80"}, [("acl-port-range", ("source-port",))]),
        ({"protocol": "tcp", "source-port": "nothing"}, [("acl-port-range", ("source-port",))]),
        ({"protocol": "tcp", "source-port": ""}, [("acl-port-range", ("source-port",))]),
        ({"protocol": "tcp", "source-port": "-"}, [("acl-port-range", ("source-port",))]),
        ({"protocol": "tcp", "icmp-type": 8}, [("acl-icmp-protocol", ("icmp-type",))]),
        ({"icmp-code": 8}, [("acl-icmp-protocol", ("icmp-code",))]),
        ({"protocol": "icmp", "icmp-type": 256}, [("acl-icmp-range", ("icmp-type",))]),
        ({"protocol": "icmp", "icmp-code": "http"}, [("acl-icmp-range", ("icmp-code",))]),
        (
            {"protocol": "icmp", "source-port": 1, "icmp-code": "5-4"},
            [("acl-ports-protocol", ("source-port",)), ("acl-icmp-range", ("icmp-code",))],
        ),
    ],
)
def test_a_term_that_cannot_be(term: dict[str, Any], expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert flaws(term) == expected


def test_all_terms_are_judged() -> None:
    terms: list[dict[str, Any]] = [{"protocol": 256}, {}, {"source": "x"}]
    assert [problem.path for problem in errors(parsed(*terms))] == [
        ("acls", "a", "terms", 0, "protocol"),
        ("acls", "a", "terms", 2, "source"),
    ]


@pytest.mark.parametrize(("terms", "bad"), [(5, ("terms",)), ([5], ("terms", 0))])
def test_an_acl_without_sound_terms_is_broken(terms: Any, bad: tuple[str | int, ...]) -> None:
    result = parse({"acls": {"a": {"terms": terms}}}, [("acls", "a", *bad)])
    assert result.broken_entries["acls"] == {"a"}
    assert errors(result) == ()


def test_a_list_with_a_problem_of_its_own_breaks_the_acl_in_silence() -> None:
    data = {"prefixlists": {"l": {"members": [5]}}, "acls": {"a": {"terms": [{"action": "deny", "source": "l"}]}}}
    result = parse(data, [("prefixlists", "l", "members", 0)])
    assert errors(result) == ()
    assert result.broken_entries == {
        "prefixlists": {"l"}, "acls": {"a"}, "bondethernets": set(), "bridgedomains": set(), "taps": set(),
        "vxlan_tunnels": set(),
        "gre_tunnels": set(), "ipip_tunnels": set(), "wireguards": set(), "vrfs": set(),
        "host_interfaces": set(), "memifs": set(), "vhost_users": set(), "macip_acls": set(),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("5", (5, 5)), ("5-7", (5, 7)), ("5 - 7", (5, 7)), ("-7", (0, 7)), ("7-", (7, 9)), ("any", (0, 9)),
        (None, (0, 9)), (-7, (0, 7)), (0, (0, 0)), ("a-b", (3, 3)), ("a-b-5", (3, 5)), ("A-B", (3, 3)), ("-", None),
        ("--", None), ("5-7-9", None), ("-a-b", (0, 3)), (10, None), (-10, None), ("10-", None), ("7-6", None),
        ("\u0663", None), ("9" * 5000, None),
    ],
)  # fmt: skip
def test_ranges(raw: Any, expected: tuple[int, int] | None) -> None:
    assert parse_range(raw, 9, {"a-b": 3}) == expected
