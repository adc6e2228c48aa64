"""The edge of the documents with FRR, with packets of a customer, through the changes that people make, and back."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.live import hosts
from tests.live.hosts import Hosts
from tests.live.test_routing_daemons import REASON, SPACE, FrrInstance
from tests.live.whole_state import Whole
from tests.real_vpp import RealVpp, router_vpp
from vppcfg.errors import ExitCode

pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")

PAGE = (Path(__file__).parents[2] / "docs/edge.md").read_text()
(FILE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(FRR,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
PORTS = ("eth0", "eth1")
WORLD, UPSTREAM, CUSTOMER = "198.51.100.1", "192.0.2.2", "203.0.113.130"
UPSTREAM_BY_IPV6 = "2001:db8:0:1::2"
BIRD = f"""
log "/dev/null" all;
router id {UPSTREAM};
protocol device {{ }}
protocol static {{ ipv4; route 198.51.100.0/24 unreachable; }}
protocol static {{ ipv6; route 2001:db8:f::/48 unreachable; }}
protocol kernel {{ ipv4 {{ export where source = RTS_BGP; }}; }}
protocol kernel {{ ipv6 {{ export where source = RTS_BGP; }}; }}
template bgp edge {{
  hold time 6; connect delay time 1; connect retry time 1; error wait time 1, 2; graceful restart off;
}}
protocol bgp by_ipv4 from edge {{
  local {UPSTREAM} as 65002; neighbor 192.0.2.1 as 65001; ipv4 {{ import all; export where source = RTS_STATIC; }};
}}
protocol bgp renumbered from edge {{
  local 192.0.2.6 as 65002; neighbor 192.0.2.5 as 65001; ipv4 {{ import all; export where source = RTS_STATIC; }};
}}
protocol bgp by_ipv6 from edge {{
  local {UPSTREAM_BY_IPV6} as 65002; neighbor 2001:db8:0:1::1 as 65001;
  ipv6 {{ import all; export where source = RTS_STATIC; }};
}}
"""
OWN_BIRD = f"""
log "/dev/null" all;
router id 203.0.113.1;
protocol device {{ }}
protocol static {{ ipv4; route 203.0.113.0/24 blackhole; }}
protocol kernel {{ ipv4 {{ export where source = RTS_BGP; }}; }}
protocol bgp upstream {{
  local 192.0.2.1 as 65001; neighbor {UPSTREAM} as 65002;
  hold time 6; connect delay time 1; connect retry time 1; error wait time 1, 2;
  ipv4 {{ import all; export where source = RTS_STATIC; }};
}}
"""

SESSION, OUT, IN, LINUX, IPV6 = "a session", "to the world", "to the customer", "Linux to the world", "IPv6 upstream"
ALL = frozenset({SESSION, OUT, IN, LINUX, IPV6})
LINK = frozenset({IPV6})
"""What works without a session."""

vpp_edited, frr_edited = partial(hosts.edited, FILE), partial(hosts.edited, FRR)
_LAN = "    addresses: [ 203.0.113.129/25 ]\n"
_WAN = "    addresses: [ 192.0.2.1/30, 2001:db8:0:1::1/64 ]\n"
_IMPORT = "route-map UPSTREAM-IN permit 10\n"


def at_customers(more: str, rest: str = "") -> str:
    return vpp_edited((_LAN, f"{_LAN}    {more}\n")) + rest


def at_upstream(more: str, rest: str = "") -> str:
    return vpp_edited((_WAN, f"{_WAN}    {more}\n")) + rest


def acl(*denied: str) -> str:
    terms = [f"{{ action: deny, family: ipv4, protocol: tcp, {each} }}" for each in denied]
    return f"acls: {{ some: {{ terms: [ {', '.join([*terms, '{ action: permit }'])} ] }} }}\n"


CHANGES: dict[str, tuple[str, str, frozenset[str]]] = {
    "fewer addresses of customers": (vpp_edited(("203.0.113.129/25", "203.0.113.193/26")), FRR, ALL - {OUT, IN}),
    "a customer with a VLAN": (at_customers("sub-interfaces: { 100: { addresses: [ 203.0.113.65/26 ] } }"), FRR, ALL),
    "a customer's own network": (
        FILE,
        frr_edited(("ip prefix-list", f"ip route 203.0.113.64/26 {CUSTOMER}\nip prefix-list")),
        ALL,
    ),
    "IPv6 for customers": (
        vpp_edited((_LAN, "    addresses: [ 203.0.113.129/25, '2001:db8:1::1/64' ]\n    ra: {}\n")),
        FRR,
        ALL,
    ),
    "no web for customers": (at_customers("acls: { input: [ some ] }", acl("destination-port: 80")), FRR, ALL - {OUT}),
    "an access list without BGP": (
        at_upstream("acls: { input: [ some ] }", acl("source-port: 179", "destination-port: 179")),
        FRR,
        LINK,
    ),
    "customers' sources are checked": (at_customers("urpf: { ipv4: strict, ipv6: strict }"), FRR, ALL),
    "larger MTUs": (FILE.replace("mtu: 1500", "mtu: 9000"), FRR, ALL),
    "another loopback": (
        vpp_edited(("loopbacks:\n", "loopbacks:\n  loop1: { lcp: lo1, addresses: [ 203.0.113.2/32 ] }\n")),
        FRR,
        ALL,
    ),
    "another prefix list": (
        FILE,
        frr_edited(("OWN permit 203.0.113.0/24", "OWN permit 203.0.112.0/24")),
        LINK | {SESSION, LINUX},
    ),
    "a customer with BGP and another preference": (
        FILE,
        frr_edited(
            (" address-family", f" neighbor {CUSTOMER} remote-as 65010\n address-family"),
            (_IMPORT, f"{_IMPORT} set local-preference 200\n"),
        ),
        ALL,
    ),
    "a session over IPv6": (
        FILE,
        frr_edited(
            (" address-family ipv4", f" neighbor {UPSTREAM_BY_IPV6} remote-as 65002\n address-family ipv4"),
            (
                " exit-address-family\n",
                " exit-address-family\n address-family ipv6 unicast\n"
                f"  neighbor {UPSTREAM_BY_IPV6} activate\n  neighbor {UPSTREAM_BY_IPV6} route-map UPSTREAM-IN in\n"
                " exit-address-family\n",
            ),
        ),
        ALL,
    ),
    "the upstream's network of IPv6": (vpp_edited((", 2001:db8:0:1::1/64", ", 2001:db8:0:9::1/64")), FRR, ALL - {IPV6}),
    "another name towards customers": (vpp_edited(("lcp: lan0", "lcp: cust0")), FRR, ALL),
    "another name towards the upstream": (vpp_edited(("lcp: wan0", "lcp: up0")), FRR, ALL),
    "a VRF for management": (
        vpp_edited(("loopbacks:\n", "loopbacks:\n  loop1: { vrf: mgmt, addresses: [ 10.255.0.1/32 ] }\n"))
        + "vrfs: { mgmt: { id: 10, routes: { 10.0.0.0/8: { via: blackhole } } } }\n",
        FRR,
        ALL,
    ),
    "customers by a bond": (
        vpp_edited(
            ("  eth1:\n", "  eth1: { mtu: 1500 }\n  BondEthernet0:\n"), ("interface: eth1", "interface: BondEthernet0")
        )
        + "bondethernets: { BondEthernet0: { interfaces: [ eth1 ], mode: active-backup } }\n",
        FRR,
        ALL,
    ),
    "the upstream without Linux": (vpp_edited(("    lcp: wan0\n", "")), FRR, frozenset()),
    "the upstream's port down": (at_upstream("state: down"), FRR, frozenset()),
    "another network to the upstream": (
        vpp_edited(("192.0.2.1/30", "192.0.2.5/30")),
        FRR.replace(UPSTREAM, "192.0.2.6"),
        ALL,
    ),
    "another upstream's AS": (FILE, frr_edited(("remote-as 65002", "remote-as 65009")), LINK),
    "BIRD in place of FRR": (
        vpp_edited(("  frr:", "  bird: { file: BIRD, socket: SOCKET, startup: STARTUP }\n  frr:")),
        "frr defaults traditional\nip route 203.0.113.0/24 blackhole\n",
        ALL,
    ),
}


class Edge(Hosts):
    """The router with its FRR, the upstream with BIRD, and a customer."""

    all_works = ALL
    settle_s = 20.0

    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        super().__init__(vpp, folder, ("upstream", "customer"))
        for words in (
            f"upstream address add {UPSTREAM}/30 dev veth0-peer",
            "upstream address add 192.0.2.6/30 dev veth0-peer",
            f"upstream address add {UPSTREAM_BY_IPV6}/64 dev veth0-peer nodad",
            f"upstream address add {WORLD}/32 dev lo",
            f"customer address add {CUSTOMER}/25 dev veth1-peer",
            "customer route add default via 203.0.113.129",
        ):
            vpp.ip("-n", *words.split())
        self.run("sysctl", "-qw", "net.ipv4.ip_forward=1", at="upstream")
        self.upstream = self.bird("upstream", BIRD, at="upstream")
        own = self.bird("own", 'log "/dev/null" all;\nrouter id 203.0.113.1;\nprotocol device { }\n')
        (file := folder / "bird.conf").write_text(OWN_BIRD)
        self.frr = FrrInstance(self.start, folder)
        self.head = self.frr.startup.read_text()
        self._places = (
            ("/etc/vpp/frr.conf", f"{self.frr.file}, pathspace: {SPACE}"),
            ("vtysh,", f"vtysh, -N, {SPACE},"),
            ("BIRD", str(file)),
            ("SOCKET", str(own)),
            ("STARTUP", str(folder / "own.conf")),
        )
        for address, at in ((WORLD, "upstream"), (UPSTREAM_BY_IPV6, "upstream")):
            self.serve(address, 80, at)
        self.serve(CUSTOMER, 443, "customer")

    def bird(self, name: str, text: str, at: str = "") -> Path:
        """Start a BIRD with a configuration, and return its socket."""
        config, sock = self.folder / f"{name}.conf", self.folder / f"{name}.ctl"
        config.write_text(text)
        self.start("bird", "-f", "-c", str(config), "-s", str(sock), at=at)
        return sock

    def set(self, text: str, frr: str, *words: str) -> int:
        """Apply a file with one for FRR."""
        self.frr.file.write_text(self.head + frr)
        return self.apply(self.here(text), *words)

    def here(self, text: str) -> str:
        """Return a file with the paths of this machine."""
        for old, new in self._places:
            text = text.replace(old, new)
        return text

    def trials(self) -> dict[str, Callable[[], bool]]:
        return {
            SESSION: lambda: "Established" in self.run("birdc", "-s", str(self.upstream), "show", "protocols").stdout,
            OUT: lambda: self.seen_as(WORLD, 80, "customer") == CUSTOMER,
            IN: lambda: self.seen_as(CUSTOMER, 443, "upstream") != "",
            LINUX: lambda: self.seen_as(WORLD, 80) != "",
            IPV6: lambda: self.seen_as(UPSTREAM_BY_IPV6, 80) != "",
        }

    def state(self) -> Whole:
        startup = self.frr.startup.read_text()
        return {**super().state(), "FRR": self.frr.vtysh("show running-config"), "FRR's startup file": startup}


@pytest.fixture(name="edge", scope="module")
def running_edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    folder = tmp_path_factory.mktemp("edge")
    for each in (folder, folder.parent):
        each.chmod(0o755)
    vpp = router_vpp()
    vpp.start(PORTS)
    edge = Edge(vpp, folder)
    try:
        yield edge
    finally:
        edge.close()
        edge.frr.remove()
        vpp.stop()


def test_the_page_s_change_is_confirmed_by_its_checks(edge: Edge) -> None:
    assert edge.set(FILE, FRR, "--confirm", "5", "--check") == ExitCode.DONE
    assert edge.settled(edge.works, ALL) == ALL
    assert edge.frr.startup.read_text() == edge.frr.file.read_text()
    file = edge.folder / "router.yaml"
    assert edge.vppcfg("plan", "--detailed-exitcode", "-c", str(file)) == ExitCode.DONE


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_does_what_it_says_and_its_rollback_brings_all_of_it_back(edge: Edge, change: str) -> None:
    text, frr, left = CHANGES[change]
    edge.frr.file.write_text(edge.head + frr)
    edge.try_and_take_back(edge.here(text), left)
