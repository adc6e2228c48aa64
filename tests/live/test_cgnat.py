"""The CGNAT of the documents with packets of subscribers, through the changes that people make, and back."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.live import hosts
from tests.live.hosts import Hosts
from tests.real_vpp import RealVpp, router_vpp
from vppcfg.errors import ExitCode

PAGE = (Path(__file__).parents[2] / "docs/cgnat.md").read_text()
(FILE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
PORTS = tuple(re.findall(r"^  (Hun\S+):", FILE, re.MULTILINE))
WORLD, WORLD_BY_IPV6, SUBSCRIBER, OUTSIDE = "9.9.9.9", "2001:db8::1", "100.64.1.67", "203.0.113.5"
"""A subscriber that the page names with its address."""
SECOND = "100.64.15.9"

OUT, ANEW, SECOND_OUT, PLAIN, INTO, IPV6 = (
    "the subscriber as the page has it",
    "the subscriber as another address",
    "the second subscriber",
    "the subscriber as itself",
    "to a subscriber",
    "the router over IPv6",
)
ALL = frozenset({OUT, SECOND_OUT, IPV6})
ROUTER = frozenset({IPV6})

edited = partial(hosts.edited, FILE)
_MAP = "    100.64.0.0/20: 203.0.113.0/26\n"
_INSIDE, _OUTSIDE = "    det44: inside\n", "    det44: outside\n"


def inside(more: str, rest: str = "") -> str:
    return edited((_INSIDE, f"{_INSIDE}    {more}\n")) + rest


def outside(more: str, rest: str = "") -> str:
    return edited((_OUTSIDE, f"{_OUTSIDE}    {more}\n")) + rest


def acl(match: str) -> str:
    denied = f"{{ action: deny, family: ipv4, {match} }}"
    return f"acls: {{ some: {{ terms: [ {denied}, {{ action: permit }} ] }} }}\n"


CHANGES: dict[str, tuple[str, frozenset[str]]] = {
    "another map": (edited((_MAP, _MAP + "    100.64.16.0/24: 203.0.113.64/30\n")), ALL),
    "another outside prefix": (edited(("203.0.113.0/26", "203.0.113.64/26")), ROUTER | {ANEW, SECOND_OUT}),
    "a smaller map": (edited(("100.64.0.0/20: 203.0.113.0/26", "100.64.0.0/22: 203.0.113.0/28")), ROUTER | {OUT}),
    "two maps of one": (
        edited((_MAP, "    100.64.0.0/21: 203.0.113.0/27\n    100.64.8.0/21: 203.0.113.32/27\n")),
        ALL,
    ),
    "no map": (edited(("det44:\n  maps:\n" + _MAP, "det44: {}\n")), ROUTER),
    "DET44 off": (
        edited(("det44:\n  maps:\n" + _MAP, "det44: {}\n"), (_INSIDE, ""), (_OUTSIDE, "")),
        ROUTER | {PLAIN, INTO},
    ),
    "shorter timeouts": (edited(("det44:\n", "det44:\n  timeouts: { udp: 60, tcp-transitory: 60 }\n")), ALL),
    "fewer subscribers' addresses": (edited(("100.64.0.1/20", "100.64.0.1/21")), ALL - {SECOND_OUT}),
    "the subscribers' sources are checked": (inside("urpf: { ipv4: strict }"), ALL),
    "an access list inside": (inside("acls: { input: [ some ] }", acl("protocol: tcp, destination-port: 23")), ALL),
    "a subscriber without the world": (
        inside("acls: { input: [ some ] }", acl(f"source: {SECOND}/32")),
        ALL - {SECOND_OUT},
    ),
    "an access list outside": (outside("acls: { output: [ some ] }", acl("protocol: tcp, destination-port: 25")), ALL),
    "a smaller MTU": (outside("mtu: 1400"), ALL),
    "MSS clamping": (outside("mss-clamp: { ipv4: 1400 }"), ALL),
    "the subscribers' port down": (inside("state: down"), ROUTER),
    "the upstream's port down": (outside("state: down"), frozenset()),
    "another network to the upstream": (
        edited(("192.0.2.2/30", "192.0.2.6/30"), ("0.0.0.0/0: 192.0.2.1", "0.0.0.0/0: 192.0.2.5")),
        ALL,
    ),
    "a second way out": (
        outside("sub-interfaces: { 100: { addresses: [ 192.0.2.10/30 ], det44: outside } }"),
        ALL,
    ),
    "subscribers with a VLAN": (
        inside("sub-interfaces: { 100: { addresses: [ 100.64.16.1/24 ], det44: inside } }").replace(
            _MAP, _MAP + "    100.64.16.0/24: 203.0.113.64/30\n"
        ),
        ALL,
    ),
    "subscribers without NAT": (edited((_INSIDE, ""), (_OUTSIDE, "")), ROUTER | {PLAIN, INTO}),
    "the upstream in Linux": (outside("lcp: wan0"), ALL),
    "no default route": (edited(("  0.0.0.0/0: 192.0.2.1\n", "  10.0.0.0/8: 192.0.2.1\n")), ROUTER),
    "a policy route": (
        inside(
            "policy-routes: [ { acl: some, via: 192.0.2.1 } ]",
            f"acls: {{ some: {{ terms: [ {{ action: permit, family: ipv4, source: {SECOND}/32 }} ] }} }}\n",
        ),
        ALL,
    ),
}


class Cgnat(Hosts):
    """The router, the upstream with the world behind it, and two subscribers."""

    all_works = ALL

    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        super().__init__(vpp, folder, ("world", "subscribers"))
        for words in (
            "world address add 192.0.2.1/30 dev veth0-peer",
            "world address add 192.0.2.5/30 dev veth0-peer",
            f"world address add {WORLD_BY_IPV6}/64 dev veth0-peer nodad",
            f"world address add {WORLD}/32 dev lo",
            "world route add 203.0.113.0/24 nexthop via 192.0.2.2",
            "world route add 100.64.0.0/16 via 192.0.2.2",
            f"subscribers address add {SUBSCRIBER}/20 dev veth1-peer",
            f"subscribers address add {SECOND}/20 dev veth1-peer",
            "subscribers route add default via 100.64.0.1",
        ):
            vpp.ip("-n", *words.split())
        for address in (WORLD, WORLD_BY_IPV6):
            self.serve(address, 80, "world")
        self.serve(SUBSCRIBER, 443, "subscribers")

        self.after_return()

    def apply(self, text: str, *words: str) -> int:
        done = super().apply(text, *words)
        self._lead("192.0.2.6" if "192.0.2.6/30" in text else "192.0.2.2")
        return done

    def after_return(self) -> None:
        self._lead("192.0.2.2")

    def _lead(self, router: str) -> None:
        """Have the upstream send what is for subscribers to the router."""
        for prefix in ("203.0.113.0/24", "100.64.0.0/16"):
            self.vpp.ip("-n", "world", "route", "replace", prefix, "via", router)

    def trials(self) -> dict[str, Callable[[], bool]]:
        def seen(source: str) -> str:
            return self.seen_as(WORLD, 80, "subscribers", source)

        return {
            OUT: lambda: seen(SUBSCRIBER) == OUTSIDE,
            ANEW: lambda: seen(SUBSCRIBER) == "203.0.113.69",
            SECOND_OUT: lambda: seen(SECOND).startswith("203.0.113."),
            PLAIN: lambda: seen(SUBSCRIBER) == SUBSCRIBER,
            INTO: lambda: self.seen_as(SUBSCRIBER, 443, "world") != "",
            IPV6: lambda: self.run("ping", "-c1", "-W1", "2001:db8::2", at="world").returncode == 0,
        }


@pytest.fixture(name="cgnat", scope="module")
def running_cgnat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cgnat]:
    vpp = router_vpp()
    vpp.start(PORTS)
    cgnat = Cgnat(vpp, tmp_path_factory.mktemp("cgnat"))
    try:
        assert cgnat.apply(FILE) == ExitCode.DONE
        cgnat.settled(cgnat.works, ALL)
        yield cgnat
    finally:
        cgnat.close()
        vpp.stop()


def test_as_the_page_has_it_subscribers_reach_the_world_by_its_address(cgnat: Cgnat) -> None:
    assert cgnat.works() == ALL
    assert cgnat.vppcfg("verify", "--once") == ExitCode.DONE
    assert cgnat.vppcfg("plan", "--detailed-exitcode", "-c", str(cgnat.folder / "router.yaml")) == ExitCode.DONE


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_does_what_it_says_and_its_rollback_brings_all_of_it_back(cgnat: Cgnat, change: str) -> None:
    cgnat.try_and_take_back(*CHANGES[change])
