"""What others have configured on a real VPP, through every way in which a plan can touch it, and back.

Nothing may be lost that the plan has not named, and a rollback brings back all that it does not except.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.others_opinion import forwards, read_others
from tests.live.test_transitions import ALL as CONFIGURATIONS
from tests.live.test_transitions import PORTS as TRANSITION_PORTS
from tests.real_vpp import RealVpp, can_do, prefix, release, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.vpp.live import connect

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "GigabitEthernet5/0/0")
BEFORE = """
vrfs: { red: { id: 10 } }
interfaces:
  GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ] }
  GigabitEthernet3/0/0:
    mtu: 1500
    addresses: [ 198.51.100.1/24 ]
    sub-interfaces:
      101: { encapsulation: { dot1q: 101, exact-match: true }, addresses: [ 10.1.1.1/24 ] }
  GigabitEthernet5/0/0: {}
  ipip0: { mtu: 1400, addresses: [ 10.9.9.1/30 ] }
loopbacks:
  loop10: { mtu: 1500, addresses: [ 192.168.10.1/24 ] }
  loop20: { mtu: 1500, vrf: red, addresses: [ 192.168.20.1/24 ] }
  loop30: { mtu: 1500, addresses: [ 192.168.30.1/24 ] }
bridgedomains:
  bd10: { bvi: loop30, interfaces: [ GigabitEthernet5/0/0 ] }
ipip_tunnels:
  ipip0: { local: 192.0.2.1, remote: 192.0.2.2 }
"""
CHANGES = {
    "loopback renamed": ("loop10:", "loop11:"),
    "loopback removed": ("  loop10: { mtu: 1500, addresses: [ 192.168.10.1/24 ] }\n", ""),
    "sub-interface with other tags": ("dot1q: 101", "dot1q: 1101"),
    "sub-interface replaced by another": ("      101: {", "      102: {"),
    "tunnel recreated": ("remote: 192.0.2.2", "remote: 192.0.2.2, dscp: ef"),
    "VRF renamed": ("red", "blue"),
    "VRF left": ("vrf: red, ", ""),
    "port bridged": (
        "GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ] }",
        "GigabitEthernet1/0/0: {}\n  GigabitEthernet9/0/0: {}",
    ),
    "port taken out of its bridge": ("interfaces: [ GigabitEthernet5/0/0 ]", "interfaces: []"),
    "bridge domain renamed": ("bd10", "bd11"),
    "MTU changed": ("    mtu: 1500\n", "    mtu: 1400\n"),
    "shut": ("ipip0: { mtu: 1400", "ipip0: { state: down, mtu: 1400"),
    "addresses swapped": (
        "192.0.2.1/24 ] }\n  GigabitEthernet3/0/0:\n    mtu: 1500\n    addresses: [ 198.51.100.1/24",
        "198.51.100.1/24 ] }\n  GigabitEthernet3/0/0:\n    mtu: 1500\n    addresses: [ 192.0.2.1/24",
    ),
    "port put into a bond": (
        "interfaces:\n  GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ] }",
        "bondethernets: { BondEthernet0: { interfaces: [ GigabitEthernet1/0/0 ] } }\n"
        "interfaces:\n  GigabitEthernet1/0/0: {}\n  BondEthernet0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] }",
    ),
    "renumbered": ("192.168.30.1/24", "192.168.31.1/24"),
}
_CRYPTO = (
    "crypto-alg aes-cbc-128 crypto-key 4a506a794f574265564551694d653768 integ-alg sha1-96 "
    "integ-key 4339314b55523947594d6d3547666b45764e6a58"
)
OTHERS = f"""
ipsec sa add 10 spi 1000 esp {_CRYPTO}
ipsec sa add 20 spi 1001 esp {_CRYPTO}
ipsec tunnel protect ipip0 sa-in 20 sa-out 10
ipsec spd add 500
set interface ipsec spd GigabitEthernet3/0/0.101 500
nat44 plugin enable sessions 1000
set interface nat44 in loop10
set interface nat44 out GigabitEthernet1/0/0
nat44 add interface address loop10
policer add name p1 cir 1000 cb 10000 rate kbps round closest type 1r2c conform-action transmit exceed-action drop
policer input name p1 loop10
policer input name p1 GigabitEthernet5/0/0
map interface GigabitEthernet3/0/0.101 map-t
classify table mask l3 ip4 dst buckets 2
classify session policer-hit-next p1 table-index 0 match l3 ip4 dst 10.1.1.7
set policer classify interface GigabitEthernet3/0/0.101 ip4-table 0
set policer classify interface loop10 ip4-table 0
vrrp vr add loop10 vr_id 7 priority 200 192.168.10.254
vrrp proto start loop10 vr_id 7
bfd udp session add interface loop10 local-addr 192.168.10.1 peer-addr 192.168.10.7 \
desired-min-tx 100000 required-min-rx 100000 detect-mult 3
set interface reassembly loop10 on
qos record ip GigabitEthernet3/0/0.101
ip mroute add 232.1.1.1/32 via GigabitEthernet3/0/0.101 Forward
ip mroute add 10.1.1.7 232.1.1.2 via loop10 Accept
set acl-plugin acl permit tag guests
abf policy add id 1 acl 0 via 192.168.10.8 loop10
abf attach ip4 policy 1 priority 10 loop10
abf attach ip4 policy 1 priority 10 GigabitEthernet3/0/0.101
ip route add 10.71.0.0/16 via 192.168.10.9 loop10
ip route add 10.72.0.0/16 via 10.9.9.2 ipip0
ip route add 10.73.0.0/16 via 10.1.1.9 GigabitEthernet3/0/0.101
ip route add 10.74.0.0/16 via 10.1.1.9 GigabitEthernet3/0/0.101 weight 3
ip route add 10.74.0.0/16 via 192.168.10.9 loop10 weight 2
ip route add 10.75.0.0/16 table 10 via 192.168.20.9 loop20
ip route add 10.76.0.0/16 table 10 via drop
mpls table add 0
mpls local-label add eos 100 via 10.1.1.9 GigabitEthernet3/0/0.101 out-labels 200
mpls local-label add eos 100 via 192.168.10.9 loop10 out-labels 201
mpls local-label add eos 101 via 10.9.9.2 ipip0 out-labels 202
set interface l2 learn GigabitEthernet5/0/0 disable
set interface l2 learn loop30 disable
set bridge-domain arp entry 10 192.168.30.9 02:00:00:00:00:09
set dhcp proxy server 203.0.113.1 src-address 192.168.20.1 rx-fib-id 10
"""


ROUTES = tuple(f"10.{number}.0.0/16" for number in range(71, 75))


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running(PORTS) as started:
        yield started


def arguments(vpp: RealVpp, tmp_path: Path) -> list[str]:
    return ["-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]


def prepare(vpp: RealVpp, tmp_path: Path) -> None:
    (tmp_path / "before.yaml").write_text(BEFORE)
    assert main(["apply", "-qy", "-c", str(tmp_path / "before.yaml"), *arguments(vpp, tmp_path)]) == ExitCode.DONE
    for line in OTHERS.strip().replace("\\\n", "").splitlines():
        retval, text = vpp.cli(line)
        assert retval == 0, (line, text)


def planned(vpp: RealVpp, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what a plan says of what others have configured; its file is `after.yaml`."""
    (tmp_path / "after.yaml").write_text(text)
    capsys.readouterr()
    words = ["plan", "-q", "--format", "json", "--lose-unmanaged", "-c", str(tmp_path / "after.yaml")]
    assert main([*words, *arguments(vpp, tmp_path)]) == ExitCode.DONE
    unmanaged: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["unmanaged"]
    return unmanaged


def lost(before: dict[str, list[str]], now: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return what each interface had and has no more, without what vppcfg or VPP itself has on its arcs."""
    gone = {
        name: [line for line in lines if line not in now.get(name, ()) and " ip6-not" not in line and "arp" not in line]
        for name, lines in before.items()
    }
    own = ("mpls-input", "interface-output", "l2-output", "l2-input")
    return {
        name: kept
        for name, lines in gone.items()
        if (kept := [line for line in lines if not line.startswith(own) or "POLICER" in line])
    }


def place_of(holder: str) -> str:
    """Return what `read_others` calls an interface or a table."""
    return re.sub(r"ipv[46]-VRF:", "table ", holder)


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_lost_that_the_plan_has_not_named(
    change: str, vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(vpp, tmp_path)
    before, forwarding = read_others(vpp), {prefix: forwards(vpp, prefix) for prefix in ROUTES}
    old, new = CHANGES[change]
    text = BEFORE.replace(old, new)
    if change == "port bridged":
        text = text.replace("\n  GigabitEthernet9/0/0: {}", "").replace("[ GigabitEthernet5/0/0 ]", f"{[*PORTS[::2]]}")
        text = text.replace("'", "")
    said = planned(vpp, tmp_path, text, capsys)
    named = {place_of(each["holder"]) for each in said if each["outcome"] != "carried"}
    words = ["apply", "-qy", "--lose-unmanaged", "-c", str(tmp_path / "after.yaml")]
    assert main([*words, *arguments(vpp, tmp_path)]) == ExitCode.DONE
    unsaid = {name: lines for name, lines in lost(before, read_others(vpp)).items() if name not in named}
    assert unsaid == {}
    if change != "shut":
        assert forwards(vpp, "10.72.0.0/16") == forwarding["10.72.0.0/16"], "the route through the tunnel"
    back = main(["rollback", "-qy", "--lose-unmanaged", *arguments(vpp, tmp_path)])
    excepted = {place_of(each["holder"]) for each in said if not each["rollback"]}
    assert back == (ExitCode.STRANDED if excepted else ExitCode.DONE)
    left = {name: lines for name, lines in lost(before, read_others(vpp)).items() if name not in excepted}
    assert left == {}
    assert {prefix: forwards(vpp, prefix) for prefix in forwarding} == forwarding


def test_nothing_that_a_file_configures_counts_as_somebody_elses(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    with running(TRANSITION_PORTS, makes_vlan_devices=True) as vpp:
        vpp.add_netns("dataplane")
        for file in filter(can_do, CONFIGURATIONS):
            words = ["apply", "-qy", "--allow-mass-deletion", "--lose-unmanaged", "-c", str(file)]
            assert main([*words, *arguments(vpp, tmp_path)]) == ExitCode.DONE
            with connect(str(vpp.socket_path)) as plane:
                state = plane.observe()
                others = plane.unmanaged({*state.interfaces, *state.vrfs, *state.bridges}, state)
            found[file.name] = [f"{each.holder}: {each.label}" for each in others]
    assert {name: labels for name, labels in found.items() if labels} == {}


def test_apply_asks_before_it_takes_away_what_others_have(vpp: RealVpp, tmp_path: Path) -> None:
    prepare(vpp, tmp_path)
    before = read_others(vpp)
    (tmp_path / "after.yaml").write_text(BEFORE.replace("loop10:", "loop11:"))
    words = ["apply", "-qy", "-c", str(tmp_path / "after.yaml"), *arguments(vpp, tmp_path)]
    assert main(words) == ExitCode.REFUSED
    assert read_others(vpp) == before
    (tmp_path / "after.yaml").write_text(f"protected: [ loop10 ]\n{BEFORE.replace('loop10:', 'loop11:')}")
    assert main([*words, "--lose-unmanaged", "--override-protected"]) == ExitCode.REFUSED
    assert read_others(vpp) == before


def test_the_next_interface_with_the_index_has_nothing_of_the_former_one(vpp: RealVpp, tmp_path: Path) -> None:
    prepare(vpp, tmp_path)
    (tmp_path / "after.yaml").write_text(
        BEFORE.replace("loop10:", "loop11:").replace("      101: {", "      102: {").replace("dot1q: 101", "dot1q: 102")
    )
    words = ["apply", "-qy", "--lose-unmanaged", "-c", str(tmp_path / "after.yaml"), *arguments(vpp, tmp_path)]
    assert main(words) == ExitCode.DONE
    inherited = read_others(vpp)
    with running(PORTS) as fresh:
        assert main([*words[:5], "-a", str(fresh.socket_path), "--state-dir", str(tmp_path / "fresh")]) == ExitCode.DONE
        expected = read_others(fresh)
    for name in ("loop11", "GigabitEthernet3/0/0.102"):
        assert inherited.get(name) == expected.get(name)


def test_what_the_file_in_force_set_without_a_mark_goes_with_its_interface_and_comes_back(
    vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = "  loop20: { mtu: 1500, vrf: red, addresses: [ 192.168.20.1/24 ] }\n"
    hop = "{ ipv4: { interface: GigabitEthernet1/0/0, gateway: 192.0.2.9 } }"
    keys = f"l3xc: {hop}, punt-redirect: {hop}, qos: {{ record: [ ip ], store: 46, mark: {{ ip: 1 }} }}, "
    keys += "vrrp: { 7: { addresses: [ 192.168.20.254 ], priority: 200, track: { GigabitEthernet1/0/0: 10 } } }"
    bridge = "  bd11: { settings: { arp-termination: true }, arp-entries: { 192.0.2.5: '02:00:00:00:00:05' } }\n"
    text = BEFORE.replace("ipip_tunnels:", f"{bridge}ipip_tunnels:").replace("] }\n  loop30", f"], {keys} }}\n  loop30")
    files = {"before": f"{text}qos_maps: {{ 1: {{ ip: {{ 184: 46 }} }} }}\n", "after": BEFORE.replace(loop, "")}
    for name, content in files.items():
        (tmp_path / f"{name}.yaml").write_text(f"{content}qos_maps: {{}}\n" if name == "after" else content)
    before, after = (["-c", str(tmp_path / f"{name}.yaml"), *arguments(vpp, tmp_path)] for name in files)
    assert main(["apply", "-qy", *before]) == ExitCode.DONE
    shown = read_others(vpp)
    with connect(str(vpp.socket_path)) as plane:
        objects = plane.observe().objects
    assert len(objects) == 8
    for verb, code in (("add", ExitCode.REFUSED), ("del", ExitCode.DONE)):
        assert vpp.cli(f"l3xc {verb} loop20 ip6 via 2001:db8::9 GigabitEthernet1/0/0") == (0, "")
        assert main(["plan", "-q", *after]) == code
    assert main(["apply", "-qy", *after]) == ExitCode.DONE
    with connect(str(vpp.socket_path)) as plane:
        assert not plane.observe().objects
    assert "loop20" not in read_others(vpp)
    assert main(["rollback", "-qy", *arguments(vpp, tmp_path)]) == ExitCode.DONE
    with connect(str(vpp.socket_path)) as plane:
        assert plane.observe().objects == objects
    assert read_others(vpp) == shown


_BALANCED = """
lb vip 90.0.0.0/8 encap gre4
lb as 90.0.0.0/8 192.0.2.2
lb vip 2001:db8:5::/64 encap gre6
lb set interface nat4 in loop0
"""
_TRANSLATED = """
cnat translation add proto TCP vip 10.9.9.9 80 to ->192.0.2.2 8080
cnat translation add proto UDP vip loop0 53 to ->192.0.2.2 53
set cnat snat-policy addr loop0
"""
_CNAT = skip_reason() is None and any((prefix() / "lib").rglob("cnat_plugin.so")) and release() < "26.06"


def test_load_balancers_of_others_are_named_and_stand_against_the_removal_of_their_interface(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "loopbacks: { loop0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n"
    (tmp_path / "with.yaml").write_text(text)
    (tmp_path / "anew.yaml").write_text(text.replace("loop0", "loop1"))
    with running((), plugins=("lb", "cnat") if _CNAT else ("lb",)) as vpp:
        words = ["-q", "-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
        assert main(["apply", "-y", *words, "-c", str(tmp_path / "with.yaml")]) == ExitCode.DONE
        for line in filter(None, (_BALANCED + _TRANSLATED * _CNAT).splitlines()):
            assert vpp.cli(line)[0] == 0, line
        assert main(["adopt", *words, "-o", str(tmp_path / "new.yaml")]) == ExitCode.DONE
        shown = capsys.readouterr().out
        assert "LB VIP (2): 90.0.0.0/8 with 1 server, 2001:db8:5::/64 with 0 servers" in shown
        assert "LB NAT (1): of IPv4 on loop0" in shown
        if _CNAT:
            assert "CNAT translation (2): of tcp 10.9.9.9 port 80, of udp loop0 port 53" in shown
            assert "CNAT source address (1): on loop0" in shown
        removal = ["-y", *words, "-c", str(tmp_path / "anew.yaml")]
        assert main(["apply", *removal]) == ExitCode.REFUSED
        expected = (
            "CNAT source address, CNAT translation of udp loop0 port 53, LB NAT of IPv4" if _CNAT else "LB NAT of IPv4"
        )
        assert f"loop0: {expected}: lost" in capsys.readouterr().out
        assert main(["apply", "--lose-unmanaged", *removal]) == ExitCode.DONE
        assert main(["plan", "--detailed-exitcode", *words, "-c", str(tmp_path / "anew.yaml")]) == ExitCode.DONE
        back = main(["rollback", "-y", *words])
        assert back == (ExitCode.STRANDED if _CNAT else ExitCode.DONE)
        assert "lb-nat4-in2out" in vpp.cli("show interface features loop0")[1]
        if _CNAT:
            assert "loop0" in vpp.cli("show cnat snat-policy")[1]
            assert "loop0" not in vpp.cli("show cnat translation")[1].partition("[1]")[2]
