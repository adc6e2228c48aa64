"""`vppcfg adopt` of a running VPP with services: what the file has is not left too, and all else is named."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")
LINES = (
    f"set interface state {GI1} up",
    f"set interface ip address {GI1} 192.0.2.1/24",
    "nat44 plugin enable",
    f"set interface nat44 out {GI1}",
    f"nat44 add interface address {GI1}",
    f"nat44 add static mapping tcp local 192.168.2.10 80 external {GI1} 8080",
    f"nat44 add identity mapping external {GI1} udp 500",
    "set dhcp proxy server 192.0.2.50 src-address 192.0.2.1",
    "qos egress map id 1 [ip][4]=4",
    f"qos mark ip {GI1} id 1",
    f"ip punt redirect add rx all via 192.0.2.77 {GI1}",
)
POLICY = (
    "set acl-plugin acl permit src 192.168.2.0/24 tag pol",
    f"abf policy add id 1 acl 0 via 192.0.2.9 {GI1}",
    f"abf attach ip4 policy 1 priority 10 {GI1}",
)


def serve_lines(serve: Serve, lines: tuple[str, ...]) -> str:
    simulated = SimulatedVpp(ports=two_ports())
    for line in lines:
        assert simulated.run_line(line)[0] == 0, line
    return serve(simulated)


def adopted(serve: Serve, lines: tuple[str, ...]) -> str:
    vpp = serve_lines(serve, lines)
    assert main(["adopt", "-a", vpp, "-o", "adopted.yaml"]) == ExitCode.DONE
    return vpp


def test_services_are_in_the_file_alone(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = adopted(serve, LINES)
    assert "unmanaged " not in "".join(capsys.readouterr())
    text = Path("adopted.yaml").read_text()
    assert f"tcp-{GI1.replace('/', '_')}:8080: {{" in text
    assert f"udp-{GI1.replace('/', '_')}:500: {{" in text
    assert main(["plan", "-c", "adopted.yaml", "-a", vpp, "--adopt", "--detailed-exitcode"]) == ExitCode.DONE


def test_services_of_interfaces_that_no_file_has_are_in_it_or_named(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["create loopback interface instance 5", "set interface name loop5 wan", *LINES[2:3]]
    lines += [line.replace(GI1, "wan") for line in LINES[3:7]]
    vpp = adopted(serve, (*lines, "enable ip6 interface wan", "set ip6 nd proxy wan 2001:db8::7"))
    shown = "".join(capsys.readouterr())
    assert "IPv6 ND proxy (1): 2001:db8::7 on ipv6-VRF:0" in shown
    text = Path("adopted.yaml").read_text()
    assert "pools: [ { interface: wan } ]" in text and "  udp-wan:500: {" in text and "nd-proxy" not in text
    assert main(["check", "-c", "adopted.yaml"]) == ExitCode.DONE
    assert "nat44-no-" not in "".join(capsys.readouterr())
    assert main(["plan", "-c", "adopted.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def test_nat44_that_no_file_can_have_is_named_and_its_interfaces_are_in_the_file(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    vpp = adopted(serve, (*LINES[:2], "nat44 plugin enable inside-vrf 7", LINES[3]))
    shown = "".join(capsys.readouterr())
    assert f"unmanaged   NAT44 outside (1): on {GI1}; 1 command" in shown
    assert "unmanaged   NAT44 (1): with 64512 sessions; 1 command" in shown
    text = Path("adopted.yaml").read_text()
    assert "192.0.2.1/24" in text and "nat44" not in text
    assert main(["plan", "-c", "adopted.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


@pytest.mark.parametrize(
    ("lines", "key"),
    [
        ((f"vrrp vr add {GI1} vr_id 2 priority 100 192.0.2.2",), f"interfaces.{GI1}.vrrp"),
        ((f"ip punt redirect add rx {GI1} via 2001:db8::1 {GI3}",), f"interfaces.{GI1}.punt-redirect"),
        (("det44 add in 10.1.0.0/30 out 10.1.0.0/30",), "det44"),
        (("nat44 plugin enable", "set nat timeout udp 0", LINES[3]), "nat44"),
        (("nat44 plugin enable", LINES[5], LINES[5].replace(GI1, GI3)), "nat44"),
    ],
)
def test_what_vpp_takes_and_check_refuses_is_left_out_with_its_key(
    serve: Serve, capsys: pytest.CaptureFixture[str], lines: tuple[str, ...], key: str
) -> None:
    vpp = adopted(serve, lines)
    assert f"key {key} is unmanaged: " in "".join(capsys.readouterr())
    assert main(["dump", "-a", vpp, "-o", "dump.yaml"]) == ExitCode.DONE
    assert f"{key} is left out, and stays as it is: " in "".join(capsys.readouterr())
    Path("into.yaml").write_text(f"interfaces: {{ {GI1}: {{ mtu: 1500 }} }}\n")
    assert main(["dump", "-a", vpp, "--into", "into.yaml"]) == ExitCode.DONE
    assert f"{key} is left out, and stays as it is: " in "".join(capsys.readouterr())
    for name in ("adopted.yaml", "dump.yaml", "into.yaml"):
        assert key.rpartition(".")[2] not in Path(name).read_text()
        assert main(["plan", "-c", name, "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def test_nat44_of_others_on_an_interface_that_is_left_alone_is_no_contradiction(serve: Serve) -> None:
    vpp = serve_lines(serve, ("nat44 plugin enable", LINES[3]))
    Path("file.yaml").write_text(f"interfaces: {{ {GI3}: {{ mtu: 1500 }} }}\nunmanaged: [ {GI1} ]\n")
    assert main(["apply", "-c", "file.yaml", "-a", vpp, "--yes"]) == ExitCode.DONE
    for section in ("", "nat44: {}\n"):
        Path("file.yaml").write_text(f"interfaces: {{ {GI3}: {{ mtu: 1500 }} }}\nunmanaged: [ {GI1} ]\n{section}")
        assert main(["plan", "-c", "file.yaml", "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def test_a_policy_whose_list_no_file_has_is_named(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    adopted(serve, LINES[:2] + POLICY)
    shown = "".join(capsys.readouterr())
    assert "policy of ABF (1): 1; it needs an access list by its number" in shown
    assert f"ABF policy (1): 1 priority 10 ip4 on {GI1}; it needs an access list by its number" in shown
    assert "policy-routes" not in Path("adopted.yaml").read_text()
