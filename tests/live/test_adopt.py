"""Published scripts on a real VPP: it takes what the replay takes, and the plan of what was adopted is empty there."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.golden_adopt.test_golden_adopt import CASES
from tests.real_vpp import RealVpp, prefix, release, running, skip_reason
from vppcfg.adopt.others import OthersOfKind, others_in
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.adopt.simulation import ports_of
from vppcfg.adopt.unsupported_commands import rest_of_others
from vppcfg.app.rest import LineEnd, run_rest
from vppcfg.app.target import Target
from vppcfg.cli.main import main
from vppcfg.common.release import release_of
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.kinds.interface import SetLinkMtu, SetPacketMtu, SetTag
from vppcfg.kinds.linux_device import SetLinuxLink
from vppcfg.kinds.route import SetRoute
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import make_plan

REASON = skip_reason()

PORTS = ("eth0", "eth1", "eth2", "eth3")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_real_vpp_ends_where_the_replay_does(case: Path) -> None:
    text = (case / "script.vpp").read_text()
    vpp = RealVpp(makes_vlan_devices=True)
    vpp.start(PORTS)
    try:
        for netns in ("dataplane", "red", "blue"):
            vpp.add_netns(netns)
        for device in re.findall(r"create host-interface name (\S+)", text):
            vpp.add_host_device(device)
        target = Target(api_socket=str(vpp.socket_path), json_dir=str(vpp.api_dir))
        with target.connect() as dataplane:
            ports = ports_of(dataplane.observe())
        setup = ReplaySetup(release=release_of(release()), ports=ports, may_assume=False, is_running=True)
        adopted = adopt_scripts([Script(name="script.vpp", text=text)], setup, lambda *_: None)
        for line in adopted.report.lines:
            run(vpp, line)
        with target.connect() as dataplane:
            state = dataplane.observe()
        configuration = parse_text(adopted.text, "adopted").configuration
        assert configuration is not None
        resolution = resolve(configuration, state, adopt=True)
        planned = make_plan(state, resolution.desired).operations
        operations = [each for each in planned if not isinstance(each, SetRoute)]  # their owner changes, as reported
        linked = {each.interface for each in operations if isinstance(each, SetLinkMtu)}
        assert [each for each in operations if not is_said_besides(each, linked)] == []
    finally:
        vpp.stop()


def run(vpp: RealVpp, line: SourceLine) -> None:
    """Run a line, and compare what VPP says to it; a command of a plugin that is not built here says nothing."""
    if line.outcome is LineOutcome.NEVER_RAN or line.command in {"define", "undefine"}:
        return
    code, printed = vpp.cli(line.text)
    if line.is_left:
        return
    assert (code == 0) == (line.rule != "adopt-refused"), (line.text, printed)


def is_said_besides(operation: Operation, linked: set[str]) -> bool:
    """Return whether an operation says what a file does and most scripts do not: docs/adopt.md names them.

    A new link MTU sets the MTU of packets, too, which is then set again: `linked` are the ports with one.
    """
    if isinstance(operation, SetPacketMtu):
        return operation.interface in linked
    return isinstance(operation, (SetTag, SetLinkMtu, SetLinuxLink))


COMMENTS = (
    *("comment {", "comment{", "comment{a b}", "comment {{a} b}", "comment a}", "comment a{b", "commentary", "vpplog{"),
    *("comment", "comment {a} b", "comment {a}b", "comment a {", "comment two words", "comment } a", "}"),
    *("uncomment{show version}", "uncomment {show version", "uncomment {show versions}"),
)


def test_vpp_reads_comments_as_the_replay_does(vpp: RealVpp) -> None:
    setup = ReplaySetup(release=release_of(release()))
    for line in COMMENTS:
        adopted = adopt_scripts([Script(name="script.vpp", text=line)], setup, lambda *_: None)
        assert (vpp.cli(line)[0] == 0) == (adopted.report.lines[0].rule != "adopt-refused"), line


def test_the_installed_vpp_is_asked_and_cannot_write_on_the_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, spoilt = tmp_path / "script.vpp", tmp_path / "m.sock"
    refused = "app ns add id x secret 1 if eth0"
    script.write_text(
        f"set interface state eth0 up\ncreate memif socket id 1 filename {spoilt}\n"
        f"create interface memif id 0 socket-id 1 master\n{refused}\nset interface state eth1 up\n"
    )
    words = ["adopt", "--from", str(script), "--vpp-version", release(), "--vpp-prefix", str(prefix())]
    assert main(words) == ExitCode.DONE
    shown = "".join(capsys.readouterr())
    shown_line = refused.replace("secret 1", "secret <withheld>")
    assert f"`{shown_line}`: the simulated VPP takes it, the installed one refuses it: app ns: " in shown
    assert "never ran   set interface state eth1 up" in shown
    assert not spoilt.exists()


def test_the_installed_vpp_gets_into_no_network_of_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = "ip tuntap add dev guest mode tap vnet_hdr && ip link set guest up && echo up && exec cat"
    with subprocess.Popen(
        ["unshare", "--net", "sh", "-c", machine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "up\n"
        script = tmp_path / "script.vpp"
        script.write_text(
            "".join(
                f"create tap id {number} host-ns {place} host-if-name guest attach num-rx-queues 1 num-tx-queues 1\n"
                for number, place in enumerate((f"pid:{other.pid}", f"/proc/{other.pid}/ns/net"))
            )
        )
        main(["adopt", "--from", str(script), "--vpp-version", release(), "--vpp-prefix", str(prefix())])
        assert "the installed one refuses it: create tap: clib_netns_open" in "".join(capsys.readouterr())
        devices = ["nsenter", "--target", str(other.pid), "--net", "ip", "-brief", "link"]
        assert "guest" in subprocess.run(devices, capture_output=True, text=True, check=True).stdout


SERVICES = (
    "create loopback interface instance 10",
    "set interface state loop10 up",
    "set interface ip address loop10 192.168.2.1/24",
    "set interface ip address eth0 192.0.2.1/24",
    "set interface state eth0 up",
    "nat44 plugin enable sessions 1000",
    "nat44 add interface address eth0",
    "nat44 add address 198.51.100.1",
    "nat44 add static mapping tcp local 192.168.2.11 80 external 198.51.100.1 8081",
    "nat44 add static mapping tcp local 192.168.2.10 80 external eth0 8080",
    "nat44 add identity mapping 192.168.2.12",
    "set interface nat44 in loop10",
    "set interface nat44 out eth0",
    "ip table add 7",
    "ip route add 10.7.0.0/16 table 7 via 192.168.2.98 loop10",
    "ip route add 10.8.0.0/16 via drop",
    "ip route add 10.9.0.0/16 via 192.168.2.99 loop10",
    "qos record ip loop10",
    "qos egress map id 1 [ip][4]=4",
    "qos mark ip loop10 id 1",
    "abf policy add id 1 acl 0 via 192.168.2.99 loop10",
    "abf policy add id 1 acl 0 via 192.168.2.98 loop10",
    "abf attach ip4 policy 1 priority 10 loop10",
    "bfd udp session add interface loop10 local-addr 192.168.2.1 peer-addr 192.168.2.9 desired-min-tx 100000 "
    "required-min-rx 100000 detect-mult 3",
    "vrrp vr add loop10 vr_id 5 priority 100 192.168.2.254",
    "set interface reassembly loop10 on",
    "set interface reassembly eth1 ip6",
    "set dhcp proxy server 192.168.2.50 src-address 192.168.2.1",
    "ip punt redirect add rx loop10 via 192.168.2.77 loop10",
    "ipsec sa add 10 spi 1001 esp crypto-alg aes-gcm-128 crypto-key 4a506a794f574265564551694d653768",
    "ipsec spd add 1",
    "ipsec policy add spd 1 priority 100 inbound action bypass protocol 50",
    "policer add name pol1 type 1r2c cir 1000 cb 2000 rate kbps round closest",
    "policer input name pol1 loop10",
    "classify table mask l3 ip4 src buckets 16",
    "set acl-plugin acl permit src 10.0.0.0/8 tag foreign",
)
INTERFACES = 5
"""The first lines, which are those of interfaces and addresses."""


@contextmanager
def fresh_vpp() -> Iterator[Target]:
    vpp = RealVpp()
    vpp.start(("eth0", "eth1"))
    try:
        yield Target(api_socket=str(vpp.socket_path), json_dir=str(vpp.api_dir))
    finally:
        vpp.stop()


def run_all(lines: Sequence[str], target: Target) -> None:
    failed = [line for line in run_rest(enumerate(lines), target) if line.end is LineEnd.FAILED]
    assert [(line.text, line.answer) for line in failed] == []


def others_of(target: Target) -> tuple[OthersOfKind, ...]:
    vpp, _ = target.connect_apart()
    with closing(vpp):
        state = vpp.observe()
        tables = {"ipv4-VRF:0", "ipv6-VRF:0", *state.vrfs}
        return others_in(vpp.standalone(state), vpp.unmanaged({*state.interfaces, *tables}, state))


@pytest.mark.skipif(REASON is not None or release_of(release()) < release_of("26.10"), reason="tried on 26.10")
def test_what_others_have_is_accounted_for_and_comes_back_again_and_again() -> None:
    with fresh_vpp() as target:
        run_all(SERVICES, target)
        others = others_of(target)
        run_all(SERVICES, target)
        assert others_of(target) == others
    rest = rest_of_others(others)
    assert "4a506a794f574265564551694d653768" not in rest.last_text + str([each.document for each in others])
    counts = {each.kind: len(each.names) for each in others}
    assert counts["NAT44 static mapping"] == 2
    assert "policy of ABF" not in counts, "it is a policy route of the file"
    assert counts["IPsec SA"] == counts["IPsec SPD"] == counts["classifier table"] == counts["policer"] == 1
    assert counts["route of the prompt"] == 3
    with fresh_vpp() as target:
        run_all(SERVICES[:INTERFACES], target)
        for _ in range(2):
            run_all(rest.commands, target)
            back = {each.kind: each for each in others_of(target)}
            assert [each for each in others if not each.why and back.get(each.kind) != each] == []


RUNNING = (
    *SERVICES[:5],
    "set interface ip address eth0 2001:db8:1::1/64",
    "create bridge-domain 20 arp-term 1",
    "create loopback interface instance 12",
    "set interface l2 bridge loop12 20 bvi",
    "set interface state loop12 up",
    "set bridge-domain arp entry 20 192.168.4.9 02:00:00:00:00:09",
    *SERVICES[5:13],
    "nat44 add identity mapping external eth0 udp 500",
    "set nat timeout udp 200",
    "create loopback interface instance 11",
    "set interface ip address loop11 192.168.3.1/24",
    "set interface state loop11 up",
    "l3xc add loop11 via 192.0.2.7 eth0",
    "ip table add 7",
    "ip route add 10.7.0.0/16 table 7 via 192.168.2.98 loop10",
    "ip route add 10.8.0.0/16 via drop",
    "ip route add 10.9.0.0/16 via 192.0.2.3 eth0 out-labels 33 34",
    "vrrp vr add eth0 vr_id 5 priority 150 accept_mode 192.0.2.254",
    "vrrp proto start eth0 vr_id 5",
    "set dhcp proxy server 192.0.2.50 src-address 192.168.2.1",
    "set dhcpv6 proxy server 2001:db8:1::50 src-address 2001:db8:1::1",
    "qos record ip loop10",
    "qos egress map id 1 [ip][4]=4",
    "qos mark ip eth0 id 1",
    "ip punt redirect add rx all via 192.0.2.77 eth0",
    "set ip neighbor eth0 192.0.2.2 02:00:00:00:00:02 static",
    "create gre tunnel src 192.0.2.1 instance 3 multipoint",
    "set interface ip address gre3 10.3.0.1/24",
    "create teib gre3 peer 10.3.0.2 nh 192.0.2.30",
    "set interface tcp-mss-clamp loop10 ip4 enable ip4-mss 1400 ip6 disable",
    "set urpf ip4 rx strict loop10",
    "det44 plugin enable",
    "det44 add in 10.99.0.0/24 out 203.0.113.0/30",
    "set interface det44 inside loop11",
)
NOT_WRITTEN = ("set acl-plugin acl permit src 192.168.2.0/24 tag pol", "abf policy add id 1 acl 0 via 192.0.2.9 eth0")


@pytest.mark.skipif(REASON is not None or release_of(release()) < release_of("26.10"), reason="tried on 26.10")
def test_the_services_of_a_running_vpp_come_back_by_the_file_and_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ports = ("eth0", "eth1")
    with running(ports) as vpp:
        for line in (*RUNNING, *NOT_WRITTEN):
            assert vpp.cli(line)[0] == 0, line
        words = ["-q", "-a", str(vpp.socket_path)]
        assert main(["adopt", *words, "-o", "first.yaml", "--rest", "first.vpp"]) == ExitCode.DONE
        shown = "".join(capsys.readouterr())
        assert "policy of ABF (1): 1" in shown
        text, rest = Path("first.yaml").read_text(), Path("first.vpp").read_text()
        assert [word for word in ("dhcp", "qos", "punt", "nat44", "det44", "vrrp", "l3xc") if word in rest] == []
        assert main(["plan", *words, "-c", "first.yaml", "--adopt", "--format", "diff"]) == ExitCode.DONE
        assert capsys.readouterr().out.endswith("impact: none\n")
        vpp.restart(ports)
        assert main(["apply", "--yes", *words, "-c", "first.yaml"]) == ExitCode.DONE
        assert main(["rest", *words, "first.vpp"]) == ExitCode.DONE
        assert main(["adopt", *words, "-o", "again.yaml", "--rest", "again.vpp"]) == ExitCode.DONE
        assert Path("again.yaml").read_text() == text.partition("\nunmanaged:")[0].rstrip() + "\n"
        assert Path("again.vpp").read_text() == "".join(
            line for line in rest.splitlines(keepends=True) if not line.startswith("# Not written: policy of ABF")
        )
