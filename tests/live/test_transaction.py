"""Changes of a real VPP that is restarted in the middle, or refuses what others hang on."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.test_kills import patch_timers
from tests.live.accident import first, have_accident, nth, refuse
from tests.live.second_opinion import differences, read_state
from tests.real_vpp import RealVpp, can_do, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.dataplane import Performance
from vppcfg.errors import DataplaneError, ExitCode
from vppcfg.kinds.gre import DeleteGre
from vppcfg.kinds.mpls import SetMpls
from vppcfg.operations.operation import Operation

REASON = skip_reason()

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
CONFIGURATIONS = [
    file
    for file in sorted(Path(__file__).with_name("configurations").glob("*.yaml"))
    if REASON is not None or can_do(file)
]
RESTARTS = 6


def state(process: RealVpp) -> dict[str, Any]:
    return read_state(process.socket_path, process.api_dir)


def run(process: RealVpp, *words: str) -> int:
    return main([*words, "-q", "-a", str(process.socket_path)])


def apply(process: RealVpp, file: Path) -> int:
    return run(process, "apply", "-c", str(file), "--yes", "--allow-mass-deletion", "--again")


def steps_to(process: RealVpp, file: Path, folder: Path) -> int:
    """Return how many commands the plan has, about."""
    text = folder / "plan.txt"
    allowed = ("--allow-mass-deletion", "--again")
    assert run(process, "plan", "-c", str(file), "-o", str(text), *allowed) == ExitCode.DONE
    return sum(not line.startswith("comment") for line in text.read_text().splitlines())


def test_vpp_is_restarted_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(20260203)
    with running(PORTS, makes_vlan_devices=True) as vpp:

        def restart(operation: Operation) -> Performance:
            vpp.restart(PORTS)
            vpp.add_netns("dataplane")
            raise DataplaneError("VPP went away")

        vpp.add_netns("dataplane")
        for _ in range(RESTARTS):
            start, end = dice.sample(CONFIGURATIONS[2:], 2)
            assert apply(vpp, start) == ExitCode.DONE
            with monkeypatch.context() as patch:
                have_accident(patch, nth(dice.randrange(max(steps_to(vpp, end, tmp_path) // 2, 1))), restart)
                assert apply(vpp, end) == ExitCode.STRANDED
            assert apply(vpp, end) == ExitCode.DONE
            assert run(vpp, "plan", "-c", str(end), "--detailed-exitcode") == ExitCode.DONE


TUNNEL = """\
vrfs:
  transport: { id: 100 }
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500, vrf: transport, addresses: [ 192.0.2.1/30, 2001:db8::1/64 ] }
  GigabitEthernet3/0/0: { mtu: 1500 }
  TenGigabitEthernet5/0/0: { mtu: 1500, mpls: true, lcp: e5 }
  gre0: { mtu: 1400, addresses: [ 10.0.0.1/30 ] }
gre_tunnels:
  gre0: { local: 192.0.2.1, remote: 192.0.2.2, encap-vrf: transport }
"""
BARE = """\
interfaces:
  GigabitEthernet1/0/0: { mtu: 1500 }
  GigabitEthernet3/0/0: { mtu: 1500 }
  TenGigabitEthernet5/0/0: { mtu: 1500 }
"""


PLAIN = "interfaces:\n" + "".join(f"  {port}: {{ mtu: 1500 }}\n" for port in PORTS)
BOND = (
    f"{PLAIN}  BondEthernet0: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ], sub-interfaces: {{ 10: {{ mtu: 1400 }} }} }}\n"
    f"bondethernets:\n  BondEthernet0: {{ interfaces: [ {PORTS[0]}, {PORTS[1]} ] }}\n"
)


@pytest.mark.parametrize("words", [("rollback", "--yes"), ("rollback", "--unless-confirmed", "2")])
def test_a_removed_bond_comes_back_whose_ports_stayed_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Its first member shows the MAC of the bond with it and without."""
    patch_timers(monkeypatch)
    (tmp_path / "bond.yaml").write_text(BOND)
    (tmp_path / "plain.yaml").write_text(PLAIN)
    with running(PORTS) as vpp:
        assert apply(vpp, tmp_path / "bond.yaml") == ExitCode.DONE
        before = state(vpp)
        assert run(vpp, "apply", "-c", str(tmp_path / "plain.yaml"), "--yes", "--confirm=60") == ExitCode.DONE
        assert run(vpp, *words) == ExitCode.DONE
        assert differences(state(vpp), before) == []


@pytest.mark.parametrize("kind", [DeleteGre, SetMpls], ids=lambda kind: kind.__name__)
def test_what_hangs_on_a_refused_step_is_not_carried_out(
    kind: type[Operation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VPP 26.10 crashes on the way back when the table of a tunnel has gone before it."""
    (tmp_path / "tunnel.yaml").write_text(TUNNEL)
    (tmp_path / "bare.yaml").write_text(BARE)
    with running(PORTS, makes_vlan_devices=True) as vpp:
        assert apply(vpp, tmp_path / "tunnel.yaml") == ExitCode.DONE
        before = state(vpp)
        with monkeypatch.context() as patch:
            have_accident(patch, first(kind), refuse)
            assert apply(vpp, tmp_path / "bare.yaml") == ExitCode.ROLLED_BACK
        assert differences(state(vpp), before) == []
        assert apply(vpp, tmp_path / "bare.yaml") == ExitCode.DONE
        assert apply(vpp, tmp_path / "tunnel.yaml") == ExitCode.DONE
