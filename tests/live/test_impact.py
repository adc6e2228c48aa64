"""What the accidents of everyday do on a real VPP: they are named, refused where protected, and made gently else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.kinds.bond.reading import active_members
from vppcfg.kinds.interface import SetAdminState
from vppcfg.operations.operation import Operation
from vppcfg.vpp.live import LiveDataplane, connect

ONE, TWO, THREE = PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
SUBS = "\n".join(
    f"      {number}: {{ mtu: 1500, addresses: [ 10.0.{number}.1/30 ], acls: {{ input: customers }} }}"
    for number in range(100, 136)
)
ROUTER = f"""\
interfaces:
  {ONE}: {{ mtu: 2000 }}
  {TWO}: {{ mtu: 2000 }}
  {THREE}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ], mpls: true }}
  BondEthernet0:
    mtu: 2000
    sub-interfaces:
{SUBS}
bondethernets:
  BondEthernet0: {{ mode: xor, load-balance: l34, interfaces: [ {ONE}, {TWO} ] }}
acls:
  customers: {{ terms: [ {{ action: permit }} ] }}
"""
PROTECTED = f"protected: [ BondEthernet0, {THREE} ]\n"
EMPTIED = ROUTER.replace(f"[ {ONE}, {TWO} ]", "[]")
RENUMBERED = ROUTER.replace("192.0.2.1/24", "192.0.2.2/24")
BOND_MTU = ROUTER.replace("mtu: 2000", "mtu: 1900")
FILTERED = ROUTER.replace("addresses: [ 192.0.2.1/24 ]", "addresses: [ 192.0.2.1/24 ], acls: { input: customers }")
WITHOUT_MPLS = ROUTER.replace(", mpls: true", "")
DENYING = ROUTER.replace("action: permit", "action: deny")
UNBOUND = ROUTER.replace(", acls: { input: customers }", "")

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command for a configuration, on a VPP that is as ROUTER says."""

    def run(command: str, text: str, *options: str) -> tuple[int, str]:
        (tmp_path / "router.yaml").write_text(text)
        file = ["-c", str(tmp_path / "router.yaml")] if command != "rollback" else []
        capsys.readouterr()
        code = main([command, *file, "-a", str(vpp.socket_path), *options])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    assert run("apply", ROUTER, "--yes", "--again", "--allow-mass-deletion")[0] == ExitCode.DONE
    return run


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (EMPTIED, "remove on BondEthernet0"),
        (RENUMBERED, f"remove on {THREE}"),
        (BOND_MTU, "degrade on BondEthernet0"),
        (FILTERED, f"policy on {THREE}"),
        (WITHOUT_MPLS, f"policy on {THREE}"),
    ],
    ids=["emptied", "renumbered", "link MTU", "filtered", "MPLS off"],
)
def test_what_hurts_the_protected_is_refused_and_leaves_vpp_as_it_is(run: Run, text: str, said: str) -> None:
    for command in (("plan",), ("apply", "--yes")):
        code, output = run(command[0], text + PROTECTED, *command[1:])
        assert code == ExitCode.REFUSED
        assert "the plan has impact on what the file protects" in output
        assert said in output
    assert run("plan", ROUTER, "--detailed-exitcode")[0] == ExitCode.DONE
    assert run("apply", text + PROTECTED, "--yes", "--override-protected")[0] == ExitCode.DONE


def test_a_rollback_does_not_shut_what_is_protected(run: Run) -> None:
    shut = ROUTER.replace(f"{THREE}: {{ mtu: 1500,", f"{THREE}: {{ mtu: 1500, state: down,")
    assert run("apply", shut, "--yes")[0] == ExitCode.DONE
    assert run("apply", ROUTER + PROTECTED, "--yes")[0] == ExitCode.DONE
    code, output = run("rollback", ROUTER, "--yes")
    assert code == ExitCode.REFUSED
    assert f"remove on {THREE}" in output


@pytest.mark.parametrize("text", [DENYING, UNBOUND], ids=["permit becomes deny", "unbound"])
def test_other_filters_for_every_customer_are_said_and_asked(run: Run, text: str) -> None:
    code, output = run("apply", text)
    assert code == ExitCode.REFUSED
    assert "33 more change what they let through" in output
    assert "there is no terminal to ask at" in output
    assert run("plan", text, "--max-impact", "degrade")[0] == ExitCode.REFUSED
    assert run("apply", text, "--yes", "--max-impact", "policy")[0] == ExitCode.DONE


def test_a_bond_goes_on_while_its_link_mtu_changes(run: Run, vpp: RealVpp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ports of a real VPP without hardware take a link MTU while they are up, so they are told to be such as do not."""
    monkeypatch.setattr("vppcfg.model.interface.LINK_MTU_WHILE_UP", frozenset())
    counts: list[int] = []
    perform = LiveDataplane.perform

    def watched(plane: LiveDataplane, operations: list[Operation], *others: object) -> object:
        ends = [
            index
            for index, operation in enumerate(operations)
            if isinstance(operation, SetAdminState) and not operation.is_up
        ]
        if ends:
            with connect(str(vpp.socket_path)) as other:
                counts.append(active_members(other._connection)["BondEthernet0"])
        return perform(plane, operations, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(LiveDataplane, "perform", watched)
    code, output = run("apply", BOND_MTU, "--yes")
    assert code == ExitCode.DONE
    assert "BondEthernet0 and 36 sub-interfaces degrade, because both members go down for link MTU 1900" in output
    assert run("plan", BOND_MTU, "--detailed-exitcode")[0] == ExitCode.DONE
    with connect(str(vpp.socket_path)) as other:
        assert [active_members(other._connection)["BondEthernet0"]] == counts[:1]
