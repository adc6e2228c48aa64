"""Changes that end a session of FRR some time later, by its hold time or a delay, are taken back by `apply --check`.

The session runs through VPP, by the LCP pair of a port.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.live.test_routing_daemons import FRR, PORTS, REASON, ROUTE, SPACE, Edge, FrrInstance, wait_for
from tests.real_vpp import router_vpp
from vppcfg.errors import ExitCode

pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

PEER = "192.0.2.2"
TEXT = FRR.format(remote=65002).replace("10.1.0.2", PEER)
ALL = {"action": "permit"}


def deny(**match: Any) -> dict[str, Any]:
    return {"action": "deny", "family": "ipv4", **match}


def filtered(direction: str, *terms: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the keys of the port, the rest of the file and FRR's file, with an access list on the port."""
    return {"acls": {direction: ["cut"]}}, {"acls": {"cut": {"terms": list(terms)}}}, TEXT


BGP = [deny(protocol="tcp", **{way: 179}) for way in ("source-port", "destination-port")]
POOL = {"pools": [{"range": "203.0.113.9"}]}
LATE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "BGP is denied inwards": filtered("input", *BGP, ALL),
    "BGP is denied outwards": filtered("output", *BGP, ALL),
    "the neighbour is denied": filtered("input", deny(source=f"{PEER}/32"), ALL),
    "what goes to the neighbour is denied": filtered("output", deny(destination=f"{PEER}/32"), ALL),
    "what comes to the router is denied": filtered("input", deny(destination="192.0.2.1/32"), ALL),
    "only ping is permitted": filtered("input", {"action": "permit", "family": "ipv4", "protocol": "icmp"}),
    "only other networks are permitted": filtered("input", {**ALL, "family": "ipv4", "source": "10.0.0.0/8"}),
    "another MAC address is permitted": (
        {"macip": "cut"},
        {"macip_acls": {"cut": {"terms": [{"action": "permit", "mac": "02:00:00:00:00:99", "source": "0.0.0.0/0"}]}}},
        TEXT,
    ),
    "NAT44 outside": ({"nat44": "outside"}, {"nat44": POOL}, TEXT),
    "NAT44 on output": ({"nat44": "output"}, {"nat44": POOL}, TEXT),
    "DET44": ({"det44": "outside"}, {"det44": {}}, TEXT),
    "a policy route into nothing": (
        {"policy-routes": [{"acl": "all", "via": "blackhole"}]},
        {"acls": {"all": {"terms": [ALL]}}},
        TEXT,
    ),
    "another address": ({"addresses": ["192.0.2.9/24"]}, {}, TEXT),
    "a password": ({}, {}, TEXT.replace(" timers connect 2", f" timers connect 2\n neighbor {PEER} password other")),
    "a route-map denies all": ({}, {}, TEXT.replace("route-map IN permit 10", "route-map IN deny 10")),
    "a prefix list denies the route": (
        {},
        {},
        f"ip prefix-list NONE deny {ROUTE}\n" + TEXT.replace(f"{PEER} route-map IN in", f"{PEER} prefix-list NONE in"),
    ),
    "a route-map for others": (
        {},
        {},
        TEXT.replace("permit 10\n", "permit 10\n match ip address prefix-list MISSING\n"),
    ),
    "another hop": ({}, {}, TEXT.replace("next-hop 192.0.2.2", "next-hop 10.77.0.1")),
}
FINE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a VRF": ({"vrf": "red"}, {"vrfs": {"red": {"id": 10}}}, TEXT),
    "a few prefixes": (
        {},
        {},
        TEXT.replace(
            f"{PEER} route-map", f"{PEER} maximum-prefix 1\n  neighbor {PEER} allowas-in 1\n  neighbor {PEER} route-map"
        ),
    ),
}
"""The session lives, and so does the route."""


@pytest.fixture(name="frr", scope="module")
def running_frr(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Edge, FrrInstance]]:
    folder = tmp_path_factory.mktemp("edge")
    for each in (folder, folder.parent):
        each.chmod(0o755)
    vpp = router_vpp()
    vpp.start(PORTS)
    edge = Edge(vpp, folder)
    frr = FrrInstance(edge.run, edge.folder)
    try:
        frr.file.write_text(TEXT)
        assert edge.apply(frr.section, checks(), "--confirm", "5", "--check") == ExitCode.DONE
        yield edge, frr
    finally:
        with suppress(OSError):
            edge.close()
        frr.remove()
        vpp.stop()


def checks() -> list[dict[str, Any]]:
    def asks(line: str, answer: str) -> dict[str, Any]:
        return {"command": ["vtysh", "-N", SPACE, "-c", line], "contains": answer, "within": "60s"}

    return [asks(f"show bgp neighbors {PEER}", "BGP state = Established"), asks(f"show ip route {ROUTE}", "Known via")]


def apply(frr: tuple[Edge, FrrInstance], change: tuple[dict[str, Any], dict[str, Any], str]) -> int:
    edge, instance = frr
    first, more, text = change
    wait_for(edge.has_route)
    instance.file.write_text(text)
    brief = [{**each, "within": "5s"} for each in checks()]
    code = edge.apply(instance.section, brief, "--confirm", "5", "--check", first=first, more=more)
    wait_for(edge.has_route)
    return code


@pytest.mark.parametrize("change", LATE)
def test_what_ends_a_session_late_is_taken_back(frr: tuple[Edge, FrrInstance], change: str) -> None:
    before = frr[1].startup.read_text()
    assert apply(frr, LATE[change]) == ExitCode.ROLLED_BACK
    assert frr[1].startup.read_text() == before


@pytest.mark.parametrize("change", FINE)
def test_what_ends_nothing_is_confirmed(frr: tuple[Edge, FrrInstance], change: str) -> None:
    assert apply(frr, FINE[change]) == ExitCode.DONE
