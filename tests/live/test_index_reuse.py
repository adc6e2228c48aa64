"""A static neighbour of an interface that is gone must not land on the next one with its index, nor end a real VPP."""

from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.vpp.live import connect
from vppcfg.vpp.messages import interface

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
_FEWER = """
interfaces:
  GigabitEthernet1/0/0: { mtu: 2000 }
  GigabitEthernet3/0/0: { mtu: 2000 }
"""


def apply(vpp: RealVpp, text: str, folder: Path) -> None:
    file = folder / "config.yaml"
    file.write_text(text)
    assert (
        main(["apply", "-qy", "--allow-mass-deletion", "--again", "-a", str(vpp.socket_path), "-c", str(file)])
        == ExitCode.DONE
    )
    assert main(["plan", "-q", "-a", str(vpp.socket_path), "-c", str(file), "--detailed-exitcode"]) == ExitCode.DONE


@pytest.mark.parametrize(("gone", "subs"), [("1", "2"), ("2", "1")])
def test_a_cross_connect_that_a_script_has_left_is_on_no_other_interface(gone: str, subs: str, tmp_path: Path) -> None:
    """VPP keeps the one to a deleted interface, and in most cases that of one whose target was never in L2 mode."""
    keys = f"{{ mtu: 2000, sub-interfaces: {{ {subs}: {{ state: up }}, 7: {{ state: up }} }} }}"
    for _ in range(5):
        with running(PORTS) as vpp:
            for line in (
                *(f"create sub-interfaces {PORTS[0]} {sub}" for sub in (1, 2)),
                f"set interface l2 xconnect {PORTS[0]}.1 {PORTS[0]}.2",
                f"delete sub-interface {PORTS[0]}.{gone}",
            ):
                assert vpp.cli(line)[0] == 0, line
            apply(vpp, f"interfaces: {{ {PORTS[0]}: {keys}, {PORTS[1]}: {{ mtu: 2000 }} }}", tmp_path)
            assert "xconnect" not in vpp.cli("show mode")[1]


def indexes(vpp: RealVpp) -> dict[str, int]:
    with connect(str(vpp.socket_path)) as plane:
        return interface.read_names(plane._connection)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "interfaces:\n  GigabitEthernet1/0/0:\n    mtu: 2000\n    addresses: [ 192.0.2.1/24 ]\n"
            '    neighbors: { 192.0.2.9: "02:00:00:00:50:05" }\n  GigabitEthernet3/0/0: { mtu: 2000 }\n',
            "VPP would end when the static neighbour 192.0.2.9 is entered",
        ),
        (f"{_FEWER}loopbacks: {{ loop7: {{ mtu: 1500 }} }}\n", "which loop7 or another new interface would inherit"),
    ],
)
def test_a_neighbor_that_a_script_has_left_ends_no_vpp_and_lands_nowhere(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(PORTS) as vpp:
        apply(vpp, _FEWER, tmp_path)
        assert vpp.cli("create loopback interface")[0] == 0
        assert vpp.cli("set ip neighbor loop0 192.0.2.9 02:00:00:00:50:09 static") == (0, "")
        index = indexes(vpp)["loop0"]
        assert vpp.cli("delete loopback interface intfc loop0") == (0, "")
        if release() < "26.02":
            file = tmp_path / "config.yaml"
            file.write_text(text)
            assert main(["apply", "-qy", "-a", str(vpp.socket_path), "-c", str(file)]) == ExitCode.REFUSED
            said_of_it = capsys.readouterr().err
            assert said in said_of_it and f"192.0.2.9 at index {index}" in said_of_it
            assert vpp.cli("create loopback interface")[0] == 0
            assert indexes(vpp)["loop0"] == index
            assert vpp.cli("set ip neighbor del loop0 192.0.2.9 02:00:00:00:50:09") == (0, "")
            assert vpp.cli("delete loopback interface intfc loop0") == (0, "")
        apply(vpp, text, tmp_path)
