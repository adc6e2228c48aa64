"""`vppcfg apply`: what it does, what it asks, and what it says when VPP does not go along."""

import io
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, L3, Serve, Terminal, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.usefixtures("files")

WITH_SUB = f"""\
interfaces:
  {GI1}:
    mtu: 1500
    sub-interfaces:
      100: {{ addresses: [ 192.0.2.1/24 ] }}
  {GI3}: {{ mtu: 1500 }}
"""


def is_reached(config: str, vpp: str, capsys: pytest.CaptureFixture[str]) -> bool:
    """Return whether nothing is left to do."""
    capsys.readouterr()
    return main(["plan", "-c", config, "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


def dump(vpp: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return everything that VPP has."""
    capsys.readouterr()
    assert main(["dump", "-a", vpp, "--format", "json"]) == ExitCode.DONE
    return capsys.readouterr().out


def test_vpp_is_brought_to_the_file(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert f"~ interfaces.{GI1}\n" in captured.out
    assert captured.err.endswith("Applied 10 steps\n")
    assert is_reached("l2xc.yaml", vpp, capsys)


def test_there_and_back_again(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    for config in ("l2xc.yaml", "l3.yaml", "l2xc.yaml"):
        assert main(["apply", "--yes", "-c", config, "-a", vpp]) == ExitCode.DONE
        assert is_reached(config, vpp, capsys)


def test_a_second_apply_has_nothing_to_do(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp])
    capsys.readouterr()
    assert main(["apply", "--yes", "-c", "l3.yaml", "-a", vpp]) == ExitCode.DONE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("Nothing to do\n")


@pytest.mark.parametrize("release", ["24.10", "25.10", "26.06"])
def test_sub_interfaces_with_the_largest_ids_are_made_and_removed_by_every_release(
    serve: Serve, capsys: pytest.CaptureFixture[str], release: str
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), release=release))
    tags = "encapsulation: { dot1q: 7, exact-match: true }, addresses: [ 192.0.2.1/24 ]"
    subs = f"        2147483648: {{ encapsulation: {{ dot1q: 8 }} }}\n        4294967295: {{ {tags}, mpls: true }}\n"
    large = L3.replace("    lcp: e1-0-0\n", f"    sub-interfaces:\n{subs}")
    Path("large.yaml").write_text(large)
    for config in ("large.yaml", "l2xc.yaml"):
        assert main(["apply", "--yes", "-c", config, "-a", vpp]) == ExitCode.DONE
        assert is_reached(config, vpp, capsys)


@pytest.mark.parametrize("position", range(1, 11))
def test_after_a_refusal_the_old_state_is_back_and_it_exits_6(
    serve: Serve, capsys: pytest.CaptureFixture[str], position: int
) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=position)))
    before = dump(vpp, capsys)
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.ROLLED_BACK
    captured = capsys.readouterr()
    assert f"Step {position} of 10 was refused" in captured.err
    assert "The old state is back" in captured.err
    assert dump(vpp, capsys) == before
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    assert is_reached("l2xc.yaml", vpp, capsys)


def test_a_vpp_that_dies_half_way_and_stays_away_exits_7(
    serve: Serve, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.transaction.transact.RECONNECT_S", 0.2)
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(die_at=4)))
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.STRANDED
    captured = capsys.readouterr()
    assert "there is no VPP API socket" in captured.err
    assert "reverse.txt has the commands of the whole way back" in captured.err


def test_an_obstacle_stops_it_before_anything_is_changed(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    vpp = serve(SimulatedVpp(ports=two_ports()))
    Path("one.yaml").write_text(f"interfaces: {{ {GI1}: {{ mtu: 1500 }} }}\n")
    assert main(["apply", "--yes", "-c", "one.yaml", "-a", vpp]) == ExitCode.REFUSED
    captured = capsys.readouterr()
    assert "[phy-unlisted]" in captured.err
    assert captured.err.endswith("Nothing was changed\n")
    assert main(["dump", "-a", vpp]) == ExitCode.DONE
    assert "mtu: 1500" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("before", "after", "allowed", "expected"),
    [
        ("l2xc.yaml", "l3.yaml", "none", ExitCode.REFUSED),
        ("l2xc.yaml", "l3.yaml", "remove", ExitCode.DONE),
        ("l2xc.yaml", "l3.yaml", "recreate", ExitCode.REFUSED),
        ("l3.yaml", "l2xc.yaml", "remove", ExitCode.DONE),
    ],
)
def test_a_plan_with_more_impact_than_allowed_is_refused(
    vpp: str, capsys: pytest.CaptureFixture[str], before: str, after: str, allowed: str, expected: ExitCode
) -> None:
    main(["apply", "--yes", "-c", before, "-a", vpp])
    assert main(["apply", "--yes", "-c", after, "-a", vpp, "--max-impact", allowed]) == expected
    assert is_reached(before if expected is ExitCode.REFUSED else after, vpp, capsys)


@pytest.mark.parametrize(
    ("answer", "options", "expected"),
    [
        ("y\n", [], ExitCode.DONE),
        ("Yes\n", [], ExitCode.DONE),
        ("n\n", [], ExitCode.REFUSED),
        ("\n", [], ExitCode.REFUSED),
        ("", [], ExitCode.REFUSED),
        ("n\n", ["--yes"], ExitCode.DONE),
    ],
)
def test_a_person_is_asked_before_something_is_removed(
    vpp: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    options: list[str],
    expected: ExitCode,
) -> None:
    Path("sub.yaml").write_text(WITH_SUB)
    main(["apply", "--yes", "-c", "sub.yaml", "-a", vpp])
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert main(["apply", "-c", "l2xc.yaml", "-a", vpp, *options]) == expected
    assert ("[y/N]" in capsys.readouterr().err) is (options == [])
    assert is_reached("l2xc.yaml" if expected is ExitCode.DONE else "sub.yaml", vpp, capsys)


def test_without_a_terminal_nobody_is_asked_and_it_wants_a_word(vpp: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sub.yaml").write_text(WITH_SUB)
    main(["apply", "--yes", "-c", "sub.yaml", "-a", vpp])
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["apply", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.REFUSED
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE


def test_a_person_is_not_asked_when_nothing_is_removed(
    vpp: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.DONE
    assert "[y/N]" not in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--keep"]])
def test_a_vpp_that_shows_something_else_exits_8_and_goes_back_unless_it_is_to_be_kept(
    vpp: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr("vppcfg.transaction.transact.SETTLE_S", 0.0)
    before = dump(vpp, capsys)
    monkeypatch.setattr("vppcfg.simulator.interfaces.set_admin_state", lambda *arguments, **named: None)
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp, *options]) == ExitCode.DIFFERENT
    assert "VPP shows something else" in capsys.readouterr().err
    assert (dump(vpp, capsys) == before) is (options == [])


def test_the_address_that_is_no_longer_first_is_named_when_the_old_state_is_back(
    serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    """NAT44, those who borrow and VPP's own packets take the first one; the order is no difference of the states."""
    for name, keys in (
        ("before.yaml", "mtu: 1500, addresses: [ 203.0.113.1/24, 10.0.0.1/24 ]"),
        ("after.yaml", "mtu: 1400, addresses: [ 10.0.0.1/24 ]"),
    ):
        Path(name).write_text(f"interfaces: {{ {GI1}: {{ {keys} }}, {GI3}: {{ mtu: 1500 }} }}\n")
    vpp = serve(SimulatedVpp(ports=two_ports(), faults=Faults(fail_at=10)))
    assert main(["apply", "--yes", "-c", "before.yaml", "-a", vpp]) == ExitCode.DONE
    assert main(["apply", "--yes", "-c", "after.yaml", "-a", vpp]) == ExitCode.ROLLED_BACK
    assert capsys.readouterr().err.endswith(
        f"{GI1}: 10.0.0.1/24 is VPP's first IPv4 address, not 203.0.113.1/24: VPP keeps the order in which they came\n"
    )


def test_after_a_bug_of_ours_the_old_state_is_back(
    vpp: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([ZeroDivisionError("nobody foresaw this"), None])

    def stumble_once(*arguments: object, **named: object) -> tuple[()]:
        if error := next(answers):
            raise error
        return ()

    before = dump(vpp, capsys)
    monkeypatch.setattr("vppcfg.transaction.transact.still_different", stumble_once)
    assert main(["apply", "--yes", "-c", "l2xc.yaml", "-a", vpp]) == ExitCode.BUG
    captured = capsys.readouterr()
    assert "The old state is back" in captured.err
    assert "internal error: ZeroDivisionError: nobody foresaw this" in captured.err
    assert dump(vpp, capsys) == before


def test_a_bond_that_gets_another_mode_takes_no_weights_along(vpp: str, capsys: pytest.CaptureFixture[str]) -> None:
    """VPP takes a weight in mode active-backup only."""
    text = f"""
interfaces: {{ BondEthernet0: {{}}, {GI1}: {{}}, {GI3}: {{}} }}
bondethernets: {{ BondEthernet0: {{ mode: active-backup, weights: {{ {GI1}: 7 }}, interfaces: [ {GI1}, {GI3} ] }} }}
"""
    Path("weighted.yaml").write_text(text)
    Path("plain.yaml").write_text(
        text.replace("active-backup", "round-robin").replace(f"weights: {{ {GI1}: 7 }}, ", "")
    )
    Path("open.yaml").write_text(text.replace(f"weights: {{ {GI1}: 7 }}, ", ""))
    for name in ("weighted.yaml", "open.yaml", "plain.yaml", "weighted.yaml"):
        assert main(["plan", "-c", name, "-a", vpp]) == ExitCode.DONE
        assert main(["apply", "--yes", "-c", name, "-a", vpp]) == ExitCode.DONE, capsys.readouterr().err
        assert main(["plan", "-c", name, "-a", vpp, "--detailed-exitcode"]) == ExitCode.DONE


@pytest.mark.parametrize(
    "words",
    [
        *(["--boot", "kept.plan"], ["--boot", "--confirm", "5"], ["--boot", "--rehearsed"]),
        *(["kept.plan", "--adopt"], ["kept.plan", "-c", "l3.yaml"]),
    ],
)
def test_what_would_have_no_effect_is_refused(vpp: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--yes", *words, "-a", vpp]) == ExitCode.INVALID
    assert "what was accepted" in (err := capsys.readouterr().err) or "a saved plan takes no" in err
