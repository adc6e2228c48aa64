"""What others set on a real VPP by its prompt, its API or Linux, through linux-nl: plan of a file, and the way back.

A file that says nothing of it undoes it, leaves it alone or is refused; one that says the same has nothing to do, but
for objects that are its own; and whatever a change did to it, its rollback brings it back.
"""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.live.test_linux import wait_until
from tests.live.whole_state import unlike, whole_state
from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PAIRED, OTHER = "GigabitEthernet1/0/0", "GigabitEthernet3/0/0"
FILE = f"""
interfaces:
  {PAIRED}: {{ mtu: 1500, lcp: e1, addresses: [ 192.0.2.1/24 ]PAIRED }}
  {OTHER}: {{ mtu: 1500OTHER }}
"""
NEIGHBOR = ", neighbors: { 192.0.2.7: '02:00:00:00:00:07' }"
ROUTE = "routes: { 10.1.0.0/16: 192.0.2.9 }\n"
MAC = "02:00:00:00:00:07"
ALL = 0xFFFFFFFF
SETTLES_S = 0.3
"""linux-nl collects for 50 ms."""
UNDOES, LEAVES, IS_REFUSED = ExitCode.CHANGES_PENDING, ExitCode.DONE, ExitCode.REFUSED
"""What the plan of a silent file does."""


def file(paired: str = "", other: str = "", sections: str = "") -> str:
    return FILE.replace("PAIRED", paired).replace("OTHER", other) + sections


class Setting(NamedTuple):
    by: Callable[[RealVpp], object]
    silent: ExitCode
    declared: str = ""
    """The file that says the same, '' where none is looked at."""
    makes_own: bool = False
    """Whether that file makes an object of its own beside it, or in its place."""


def prompt(*lines: str) -> Callable[[RealVpp], object]:
    def run(vpp: RealVpp) -> None:
        for line in lines:
            assert vpp.cli(line)[0] == 0, line

    return run


def linux(words: str) -> Callable[[RealVpp], object]:
    return lambda vpp: vpp.ip(*words.split())


def api_route(vpp: RealVpp) -> None:
    hop = {"sw_if_index": ALL, "rpf_id": ALL, "weight": 1, "nh": {"address": {"ip4": "192.0.2.9"}}}
    path = {**hop, "n_labels": 0, "label_stack": [{}] * 16}
    route = {"prefix": "10.1.0.0/16", "n_paths": 1, "paths": [path]}
    assert vpp.client.api.ip_route_add_del(is_add=True, route=route).retval == 0


def api_acl(vpp: RealVpp) -> None:
    api = vpp.client.api
    rule = {"is_permit": 0, "src_prefix": "198.51.100.0/24", "dst_prefix": "0.0.0.0/0"}
    acl = api.acl_add_replace(acl_index=ALL, tag="agent", count=1, r=[rule]).acl_index
    (port,) = api.sw_interface_dump(name_filter_valid=True, name_filter=PAIRED)
    values = {"is_add": True, "is_input": True, "acl_index": acl}
    assert api.acl_interface_add_del(sw_if_index=port.sw_if_index, **values).retval == 0


LIST = "set acl-plugin acl deny src 198.51.100.0/24 tag agent"
TWO = file().replace("192.0.2.1/24", "192.0.2.1/24, 198.51.100.1/24")
ACL = "acls: { agent: { terms: [ { action: deny, family: ipv4, source: 198.51.100.0/24 } ] } }\n"
SETTINGS = {
    "address, prompt": Setting(prompt(f"set interface ip address {PAIRED} 198.51.100.1/24"), UNDOES, TWO),
    "address, Linux": Setting(linux("addr add 198.51.100.1/24 dev e1"), UNDOES, TWO),
    "address gone, Linux": Setting(linux("addr del 192.0.2.1/24 dev e1"), UNDOES),
    "neighbour, prompt": Setting(prompt(f"set ip neighbor {PAIRED} 192.0.2.7 {MAC} static"), UNDOES, file(NEIGHBOR)),
    "neighbour, Linux": Setting(
        linux(f"neigh add 192.0.2.7 lladdr {MAC} dev e1 nud permanent"), LEAVES, file(NEIGHBOR)
    ),
    "neighbour without ARP, Linux": Setting(
        linux(f"neigh add 192.0.2.7 lladdr {MAC} dev e1 nud noarp"), LEAVES, file(NEIGHBOR)
    ),
    "route, prompt": Setting(prompt("ip route add 10.1.0.0/16 via 192.0.2.9"), LEAVES, file(sections=ROUTE), True),
    "route, API": Setting(api_route, LEAVES, file(sections=ROUTE), True),
    "route, Linux": Setting(linux("route add 10.1.0.0/16 via 192.0.2.9"), LEAVES, file(sections=ROUTE), True),
    "access list, prompt": Setting(
        prompt(LIST, f"set acl-plugin interface {PAIRED} input acl 0"),
        IS_REFUSED,
        file(", acls: { input: agent }", sections=ACL),
        True,
    ),
    "access list, API": Setting(api_acl, IS_REFUSED, file(", acls: { input: agent }", sections=ACL), True),
    "MTU, prompt": Setting(prompt(f"set interface mtu packet 1400 {OTHER}"), UNDOES),
    "MTU, Linux": Setting(linux("link set e1 mtu 1400"), UNDOES),
    "state, prompt": Setting(prompt(f"set interface state {OTHER} down"), UNDOES, file(other=", state: down")),
    "state, Linux": Setting(linux("link set e1 down"), UNDOES, file(", state: down")),
    "bridge, prompt": Setting(
        prompt(f"set interface l2 bridge {OTHER} 20"),
        UNDOES,
        file(sections=f"bridgedomains: {{ bd20: {{ interfaces: [ {OTHER} ] }} }}\n"),
    ),
    "cross-connect, prompt": Setting(prompt(f"set interface l2 xconnect {OTHER} {PAIRED}"), UNDOES),
    "unnumbered, prompt": Setting(
        prompt(f"set interface unnumbered {OTHER} use {PAIRED}"), UNDOES, file(other=f", unnumbered: {PAIRED}")
    ),
    "tag, prompt": Setting(prompt(f"set interface tag {OTHER} uplink"), IS_REFUSED),
    "sub-interface, prompt": Setting(
        prompt(f"create sub-interfaces {OTHER} 100"), UNDOES, file(other=", sub-interfaces: { 100: { state: down } }")
    ),
    "pair, prompt": Setting(prompt(f"lcp create {OTHER} host-if e3"), UNDOES, file(other=", lcp: e3")),
}


@pytest.fixture
def vpp(switches: str, tmp_path: Path) -> Iterator[RealVpp]:
    """A VPP with the file, whose Linux has the address too, and no link-local ones, which come when they like."""
    with running((PAIRED, OTHER), linux_cp=switches, plugins=["linux_nl"]) as started:
        within = ("nsenter", "--target", str(started.pid), "--net", "sysctl", "-qw")
        subprocess.run([*within, "net.ipv6.conf.default.disable_ipv6=1"], check=True)
        assert run(started, tmp_path, file(), "apply") == ExitCode.DONE
        if not switches:
            started.ip("addr", "add", "192.0.2.1/24", "dev", "e1")
        time.sleep(SETTLES_S)
        yield started


def run(vpp: RealVpp, folder: Path, text: str, command: str, *words: str) -> int:
    (folder / "file.yaml").write_text(text)
    named = ["-c", str(folder / "file.yaml")] if command != "rollback" else []
    consent = [] if command == "plan" else ["-y", "--lose-unmanaged"]
    state = ["-a", str(vpp.socket_path), "--state-dir", str(folder / "state")]
    return main([command, "-q", *consent, *words, *named, *state])


@pytest.mark.parametrize("switches", ["", "lcp-sync"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_silent_file_undoes_it_or_not_one_that_says_it_has_nothing_to_do_and_a_rollback_brings_it_back(
    name: str, vpp: RealVpp, tmp_path: Path
) -> None:
    setting = SETTINGS[name]
    before = whole_state(vpp)
    setting.by(vpp)
    assert wait_until(lambda: whole_state(vpp) != before)
    time.sleep(SETTLES_S)
    there = whole_state(vpp)
    assert run(vpp, tmp_path, file(), "plan", "--detailed-exitcode") == setting.silent
    if setting.declared:
        expected = ExitCode.CHANGES_PENDING if setting.makes_own else ExitCode.DONE
        assert run(vpp, tmp_path, setting.declared, "plan", "--detailed-exitcode") == expected
    changed = f"{file()}loopbacks: {{ loop9: {{}} }}\n"
    assert run(vpp, tmp_path, changed, "apply", "--adopt") == ExitCode.DONE
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    time.sleep(SETTLES_S)
    left = [line for line in unlike(whole_state(vpp), there) if "/host MTUs/" not in line]
    assert left == [], "but for VPP's side of the device, which lcp-sync gives the MTU that Linux alone had"
