"""The notes about behaviour: each has a router that it is about, and one that it is not about."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.unit.upgrade.routers import ALL_ON, PLAIN, change, findings, router
from tests.wireguard_keys import PEERS, PUBLIC
from vppcfg.common.release import NEWEST, RELEASES, Release
from vppcfg.upgrade.finding import Weight, before
from vppcfg.upgrade.names import DOMAINS_COMMIT, DOMAINS_SINCE, HIGH_TAPS_COMMIT, HIGH_TAPS_SINCE
from vppcfg.upgrade.notes import NOTES, UNSEEN
from vppcfg.upgrade.startup_changes import _COMMITS, PLUGIN_COMMITS
from vppcfg.upgrade.subject import UpgradeSubject

SIMULATOR = Path(__file__).resolve().parents[3] / "vppcfg" / "simulator"
PORT = "GigabitEthernet1/0/0"
MAC = "'02:00:00:00:00:09'"
LCP = f"interfaces:\n  {PORT}: {{ mtu: 1500, device-type: memif, lcp: e0 }}\n"
DPDK = f"interfaces:\n  {PORT}: {{ mtu: 1500 }}\n"
BOND = f"""\
bondethernets: {{ BondEthernet0: {{ interfaces: [ {PORT} ] }} }}
interfaces: {{ {PORT}: {{}}, BondEthernet0: {{}} }}
"""
ACTIVE_BACKUP = f"""\
bondethernets: {{ BondEthernet0: {{ mode: active-backup, interfaces: [ {PORT} ] }} }}
interfaces: {{ {PORT}: {{}}, BondEthernet0: {{ addresses: [ 192.0.2.1/31 ] }} }}
"""
WIREGUARD = f"""\
interfaces:
  wg0: {{}}
wireguards:
  wg0: {{ local: 192.0.2.1, port: 51820, public-key: {PUBLIC[0]}, private-key-file: /a,
         peers: {{ b: {{ public-key: {PEERS[0]}, allowed-ips: [ 10.0.0.0/8 ] }} }} }}
"""
PROXIED = f"""\
interfaces:
  {PORT}: {{ vrf: blue, addresses: [ 192.0.2.1/24 ], proxy-arp: true }}
vrfs: {{ blue: {{ id: 7 }} }}
proxy_arp: {{ vrfs: {{ blue: [ 192.0.2.9-192.0.2.10 ] }} }}
"""
MTU = f"interfaces: {{{{ {PORT}: {{{{ addresses: [ 192.0.2.1/24 ] }}}} }}}}\npath-mtu: {{{{ {{}}: 1400 }}}}\n"
NAT = f"""\
interfaces: {{{{ {PORT}: {{{{ addresses: [ 192.0.2.1/24 ], nat44: inside }}}} }}}}
nat44: {{{{ pools: [ {{{{ range: {{}} }}}} ] }}}}
"""
MAPPED = NAT.format("203.0.113.4").replace("pools", "static: { a: { local: 192.0.2.9, external: 203.0.113.4 } }, pools")
URPF = f"interfaces: {{ {PORT}: {{ addresses: [ 192.0.2.1/24 ], urpf: {{ ipv4: strict }} }} }}"
CLIENT = f"interfaces: {{ {PORT}: {{ vrf: blue, dhcp-client: true }} }}\nvrfs: {{ blue: {{ id: 7 }} }}\n"
NETLINK = "plugins { plugin linux_nl_plugin.so { enable } plugin linux_cp_plugin.so { enable } }\n"
SYNC = "linux-cp { lcp-sync }\n"
DEVICES = "dpdk {{ dev 0000:01:00.0 {{ {} }} dev 0000:02:00.0 {{ {} }} }}"
DESCRIPTORS = DEVICES.format("num-tx-desc 4096", "")

ABOUT: dict[str, tuple[UpgradeSubject, UpgradeSubject]] = {
    "up-mpls-host": (router(LCP.replace("lcp: e0", "lcp: e0, mpls: true")), router(LCP)),
    "up-lcp-twice": (
        router(LCP, script=f"lcp create {PORT} host-if e9"),
        router(PLAIN, script=f"lcp create {PORT} host-if e9"),
    ),
    "up-lcp-loop": (router(LCP, NETLINK + SYNC), router(LCP, NETLINK)),
    "up-pinning": (router(startup="cpu { main-core 1 workers 2 }"), router(startup="cpu { thread-prefix x }")),
    "up-main-core": (router(startup="cpu { thread-prefix x }"), router(startup="cpu { main-core 1 }")),
    "up-bond-announced": (router(ACTIVE_BACKUP.replace("31", "32")), router(ACTIVE_BACKUP)),
    "up-lcp-names": (router(LCP), router()),
    "up-crypto": (router(WIREGUARD), router()),
    "up-tx-descriptors": (router(DPDK, DESCRIPTORS), router(DPDK, DESCRIPTORS.replace("num-tx", "num-rx"))),
    "up-af-xdp": (router(PLAIN.replace("memif", "af-xdp")), router()),
    "up-sysctl": (router(startup=ALL_ON), router(PLAIN + "dataplane: {}\n", ALL_ON)),
    "up-tx-prepare": (router(DPDK, ALL_ON), router(DPDK, ALL_ON + "plugins { plugin dpdk_plugin.so { disable } }")),
    "up-netlink-order": (router(LCP, NETLINK), router(LCP, ALL_ON)),
    "up-tap-class": (router("interfaces: { tap0: {} }\ntaps: { tap0: { host: { name: t0 } } }\n"), router()),
    "up-path-mtu": (router(MTU.format("203.0.113.9")), router(MTU.format("192.0.2.9"))),
    "up-nat44-address": (router(NAT.format("203.0.113.4-203.0.113.5")), router(NAT.format("203.0.113.4"))),
    "up-nat44-inside": (router(MAPPED), router(NAT.format("203.0.113.4"))),
    "up-neighbors": (
        router(f"interfaces: {{ {PORT}: {{ addresses: [ 192.0.2.1/24 ], neighbors: {{ 192.0.2.9: {MAC} }} }} }}"),
        router(f"interfaces: {{ {PORT}: {{ addresses: [ 192.0.2.1/24 ] }} }}"),
    ),
    "up-quic": (router(startup=ALL_ON), router(startup=ALL_ON + "plugins { plugin default { disable } }")),
    "up-virtio": (router(PLAIN.replace("memif", "virtio")), router()),
    "up-drivers": (router(startup=ALL_ON + "devices { dev pci/0000:01:00.0 }"), router(startup=ALL_ON)),
    "up-session-api": (router(startup="session { enable }"), router(startup="session { enable use-app-socket-api }")),
    "up-bond-link": (router(BOND), router()),
    "up-same-name": (
        router(DPDK, DEVICES.format("name x", "name x")),
        router(DPDK, DEVICES.format("name x", "name y")),
    ),
    "up-netlink-socket": (router(LCP, NETLINK), router(PLAIN, NETLINK)),
    "up-sub-id": (
        router(
            f"interfaces: {{ {PORT}: {{ sub-interfaces: {{ 2147483648: {{ encapsulation: {{ dot1q: 7 }} }} }} }} }}"
        ),
        router(
            f"interfaces: {{ {PORT}: {{ sub-interfaces: {{ 2147483647: {{ encapsulation: {{ dot1q: 7 }} }} }} }} }}"
        ),
    ),
    "up-placed-nowhere": (
        router(script=f"set interface rx-placement {PORT} queue 1"),
        router(script=f"set interface rx-placement {PORT} queue 1 worker 0"),
    ),
    "up-worker-behind": (
        router(script=f"set interface rx-placement {PORT} queue 1 worker 0"),
        router(script=f"set interface rx-placement worker 0 queue 1 {PORT}"),
    ),
    "up-proxy-arp": (router(PROXIED), router(PROXIED.replace("vrfs: { blue: [", "ranges: [").replace("] } }", "] }"))),
    "up-other-macs": (
        router(f"interfaces: {{ {PORT}: {{ addresses: [ 192.0.2.1/24 ] }} }}"),
        router(),
    ),
    "up-urpf-broadcast": (router(URPF), router(URPF.replace("ipv4", "ipv6"))),
    "up-dhcp-vrf": (router(CLIENT), router(CLIENT.replace("vrf: blue, ", ""))),
    "up-dhcp-id": (
        router(script=f"set dhcp client intfc {PORT} hostname r1"),
        router(script=f"set dhcp client del intfc {PORT}"),
    ),
    "up-generated": (
        router(script=f"packet-generator new {{ name x limit 1 interface {PORT} size 64-64 }}"),
        router(script="packet-generator new { name x limit 1 node ip4-input size 64-64 }"),
    ),
    "up-small-pages": (
        router(startup="buffers { page-size 4k }"),
        router(startup="buffers { page-size default-hugepage }"),
    ),
    "up-numbers": (
        router(script="set interface mtu 4294967296 loop0"),
        router(script="set interface mtu 4294967295 loop0\nset interface rx-placement loop0 queue 0 worker 0"),
    ),
}
"""A router that each note is about, and one like it that it is not about."""
BY_RULE = {note.rule: note for note in NOTES}


def test_every_note_has_its_routers() -> None:
    assert set(ABOUT) == set(BY_RULE) and len(BY_RULE) == len(NOTES)


@pytest.mark.parametrize("rule", BY_RULE)
def test_a_note_is_told_of_the_router_that_it_is_about_both_ways(rule: str) -> None:
    note, (about, other) = BY_RULE[rule], ABOUT[rule]
    older, newer = str(before(note.since)), str(note.since)
    for old, new in ((older, newer), (newer, older)):
        finding = findings(about, old, new)[rule]
        assert finding.objects and finding.weight is note.weight and finding.since == note.since
        assert finding.commits == note.commits
        assert f": {note.text}" in finding.text
        assert rule not in findings(other, old, new)


@pytest.mark.parametrize("rule", BY_RULE)
def test_a_note_is_told_only_where_the_release_is_crossed(rule: str) -> None:
    note, (about, _) = BY_RULE[rule], ABOUT[rule]
    since = note.since
    assert (rule in findings(about, str(since), str(NEWEST))) == (note.until is not None)
    if before(since) != RELEASES[0]:
        assert rule not in findings(about, str(RELEASES[0]), str(before(since)))


@pytest.mark.parametrize(
    ("startup", "script", "is_told"),
    [
        (NETLINK, "lcp lcp-sync off\nlcp lcp-sync enable", True),
        (NETLINK + SYNC, "lcp lcp-sync off", False),
        (SYNC, "", False),
    ],
)
def test_what_lcp_sync_does_with_linux_nl_is_told_where_both_are_on_in_the_end(
    startup: str, script: str, is_told: bool
) -> None:
    assert ("up-lcp-loop" in findings(router(LCP, startup, script), "23.06", "24.02")) == is_told


@pytest.mark.parametrize(
    ("command", "plugin", "old", "new"),
    [
        ("sr mpls policy add bsid 999 next 16001", "srmpls", "24.02", "24.06"),
        ("create vxlan-gpe tunnel local 192.0.2.1 remote 192.0.2.2 vni 7", "vxlan-gpe", "25.02", "25.06"),
        ("cre  tap id 0 host-if-name t0", "tap", "25.10", "26.02"),
        (f"lcp create {PORT} host-if e9", "tap", "25.10", "26.06"),
        ("policer add name a cir 100 cb 9 rate kbps", "policer", "26.02", "26.06"),
        ("ip punt policer add name a", "policer", "26.02", "26.10"),
        ("create ipip tunnel src 192.0.2.1 dst 192.0.2.2", "ipip", "26.06", "26.10"),
        ("create 6rd tunnel ip6-pfx 2002::/16", "ipip", "23.06", "26.10"),
    ],
)
def test_a_script_needs_what_became_a_plugin(command: str, plugin: str, old: str, new: str) -> None:
    alone = "plugins { plugin default { disable } plugin linux_cp_plugin.so { enable } }\n"
    found = findings(router(PLAIN, ALL_ON + alone, command), old, new)["up-plugin"]
    assert found.text.startswith(f"boot.vpp:1: the commands need the plugin {plugin}, ")
    assert found.mend == f"`plugin {plugin}_plugin.so {{ enable }}` in `plugins`"
    assert "up-plugin" not in findings(router(PLAIN, ALL_ON, command), old, new)


def test_every_habit_of_the_simulator_is_a_note_or_is_seen_by_nobody() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SIMULATOR.rglob("*.py")))
    quirks = set(re.findall(r"ReleaseQuirk\((?:[^()]|\([^()]*\))*?\(([0-9a-f]{11})\)", text))
    noted = {commit for note in NOTES for commit in note.commits}
    assert len(quirks) > 10
    assert quirks <= noted | set(UNSEEN)
    assert set(UNSEEN) <= quirks and not noted & set(UNSEEN)


def test_weights_come_in_their_order() -> None:
    subject = router(BOND, ALL_ON + "tap { host-mtu 1500 }\n")
    weights = [finding.weight for finding in findings(subject, "25.10", "26.06").values()]
    assert weights == sorted(weights, key=list(Weight).index) and len(set(weights)) == 3


def commits() -> dict[str, Release]:
    """Return every commit that is named, with the first release that has it."""
    named = {commit: note.since for note in NOTES for commit in note.commits}
    named |= {commit: since for (_, since), found in _COMMITS.items() for commit in found}
    named |= {commit: since for since, commit in PLUGIN_COMMITS.values()}
    return {**named, DOMAINS_COMMIT: DOMAINS_SINCE, HIGH_TAPS_COMMIT: HIGH_TAPS_SINCE}


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", os.environ["VPP_SOURCE"], *words], capture_output=True, text=True)


NEEDS_SOURCE = pytest.mark.skipif(
    "VPP_SOURCE" not in os.environ, reason="VPP_SOURCE names no clone of VPP's repository"
)


@NEEDS_SOURCE
def test_every_commit_is_in_the_release_that_is_named_and_in_none_before() -> None:
    for commit, since in commits().items():
        newest = "origin/master" if since == NEWEST else f"v{since}"
        assert git("merge-base", "--is-ancestor", commit, newest).returncode == 0, commit
        assert git("merge-base", "--is-ancestor", commit, f"v{before(since)}").returncode == 1, commit


@NEEDS_SOURCE
def test_every_file_that_is_named_was_changed_by_the_commit() -> None:
    for note in NOTES:
        changed = git("show", "--name-only", "--format=", "-M1%", note.commits[-1]).stdout.split()
        assert f"src/{note.file}" in changed, note.rule


LINES = {
    "up-sysctl": ("vpp/conf/80-vpp.conf", r"^(vm.max_map_count|kernel.shmmax)="),
    "up-quic": ("plugins/quic/quic.c", r"^ *\.default_disabled = 1"),
}
"""Of notes whose commits say little about the release: a line that the older releases have and the newer ones lack."""


@NEEDS_SOURCE
@pytest.mark.parametrize("rule", LINES)
def test_a_line_that_is_gone_is_gone_from_the_named_release_on(rule: str) -> None:
    file, line = LINES[rule]
    for release in RELEASES:
        revision = "origin/master" if release == NEWEST else f"v{release}"
        text = git("show", f"{revision}:src/{file}").stdout
        assert text and bool(re.search(line, text, re.MULTILINE)) == (release < BY_RULE[rule].since), release


def test_a_release_to_itself_changes_nothing() -> None:
    for about, _ in ABOUT.values():
        assert not findings(about, "25.10", "25.10")
    assert change("25.10", "25.10").passed() == ()
