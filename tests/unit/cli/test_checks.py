"""Checks end to end on a simulated VPP: what is good before and after, and what they do to the change."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, consenting, two_ports
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.routing_daemons.daemon import Adjacency
from vppcfg.simulator.kinds.ping import Hosts
from vppcfg.simulator.vpp import SimulatedVpp

MAC = bytes.fromhex("020000000001")
INDEX = 1
"""Of GI1."""
Run = Callable[..., tuple[int, str]]


class Router:
    def __init__(self, vpp: SimulatedVpp, socket: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.vpp, self.folder = vpp, folder
        self._socket, self._capsys = socket, capsys
        assert self.run("apply", "-c", self.file())[0] == ExitCode.DONE
        self.host("192.0.2.2", INDEX)

    def host(self, address: str, index: int) -> None:
        self.vpp.tables.part(Hosts).answering[address] = (index, MAC)

    def file(self, *checks: Any, address: str = "192.0.2.1/24", **more: Any) -> str:
        path = self.folder / "router.yaml"
        ports = {GI1: {"addresses": [address]}, GI3: {"mtu": more.get("mtu", 1500)}}
        path.write_text(json.dumps({"interfaces": ports, "checks": list(checks)}))
        return str(path)

    def run(self, *words: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([*consenting(words), "-a", self._socket])
        captured = self._capsys.readouterr()
        return code, captured.out + captured.err

    def last(self) -> tuple[str, str]:
        change = json.loads(self.run("history", "--format", "json")[1].partition("\n[")[0])["changes"][-1]
        return change["status"], change["text"]

    def has(self, address: str) -> bool:
        return address in self.run("dump")[1]


@pytest.fixture
def router(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Router:
    vpp = SimulatedVpp(ports=two_ports())
    return Router(vpp, serve(vpp), tmp_path, capsys)


PING = {"ping": "192.0.2.2", "within": 1}
AWAY = "198.51.100.1/24"


def test_a_change_whose_checks_stay_good_is_confirmed_by_them(router: Router) -> None:
    code, said = router.run("apply", "-c", router.file(PING, mtu=1400), "--confirm", "1", "--check")
    assert code == ExitCode.DONE
    assert "The checks are good, and confirm the change" in said
    assert "will be rolled back" not in said
    assert router.last() == ("confirmed", "confirmed by its checks")


def test_a_change_that_breaks_a_check_goes_back_at_once_with_the_reason_in_the_journal(router: Router) -> None:
    code, said = router.run("apply", "-c", router.file(PING, address=AWAY), "--confirm", "1", "--check")
    assert code == ExitCode.ROLLED_BACK
    reason = "a check that was good before is not any more: ping 192.0.2.2: "
    assert reason[1:] in said
    status, text = router.last()
    assert status == "failed, undone"
    assert text.startswith(reason)
    assert router.has("192.0.2.1/24")


def test_what_was_bad_before_cannot_fail_a_change(router: Router) -> None:
    gone = {"ping": "192.0.2.99", "within": 1}
    code, said = router.run("apply", "-c", router.file(PING, gone, mtu=1400), "--confirm", "1", "--check")
    assert code == ExitCode.DONE
    assert "Does not count, for it was not good before the change: ping 192.0.2.99" in said
    assert router.last()[0] == "confirmed"


def test_a_change_that_no_check_speaks_for_waits(router: Router) -> None:
    gone = {"ping": "192.0.2.99", "within": 1}
    code, said = router.run("apply", "-c", router.file(gone, mtu=1400), "--confirm", "1", "--check")
    assert code == ExitCode.DONE
    assert "so they decide nothing: confirm it or roll back yourself" in said
    assert router.last()[0] == "waiting to be confirmed"
    assert router.run("rollback")[0] == ExitCode.DONE


def test_without_confirm_a_broken_check_is_reported_and_changes_the_exit_code(router: Router) -> None:
    code, said = router.run("apply", "-c", router.file(PING, address=AWAY), "--check")
    assert code == ExitCode.CHECK_FAILED
    assert "A check that was good before is not any more: ping 192.0.2.2: " in said
    assert "the change stays" in said
    assert router.last()[0] == "applied"
    assert router.has(AWAY)


def test_without_check_nothing_is_asked(router: Router) -> None:
    code, said = router.run("apply", "-c", router.file(PING, address=AWAY))
    assert (code, "192.0.2.2" in said) == (ExitCode.DONE, False)


def test_held_changes_wait_for_others_and_go_back_by_themselves(router: Router) -> None:
    words = ("--confirm", "1", "--check", "--hold")
    code, said = router.run("apply", "-c", router.file(PING, mtu=1400), *words)
    assert code == ExitCode.DONE
    assert "as --hold asks" in said
    assert router.last()[0] == "waiting to be confirmed"
    assert router.run("confirm")[0] == ExitCode.DONE
    assert router.run("apply", "-c", router.file(PING, address=AWAY), *words)[0] == ExitCode.ROLLED_BACK
    assert router.run("apply", "-c", router.file(PING), "--hold")[0] == ExitCode.INVALID


def test_an_arp_request_is_a_check(router: Router) -> None:
    check = {"arp": "192.0.2.2", "interface": GI1, "within": 1}
    assert router.run("apply", "-c", router.file(check, mtu=1400), "--confirm", "1", "--check")[0] == ExitCode.DONE
    router.vpp.tables.part(Hosts).answering.clear()
    code, said = router.run("apply", "-c", router.file(check, mtu=1300), "--check")
    assert (code, f"Check not good: arp 192.0.2.2 interface {GI1}: nothing answered" in said) == (ExitCode.DONE, True)


def test_an_interface_without_an_address_asks_nobody_and_says_so(router: Router) -> None:
    check = {"arp": "192.0.2.2", "interface": GI3, "within": 1}
    said = router.run("apply", "-c", router.file(check, mtu=1400), "--check")[1]
    assert f"{GI3} has no IPv4 address to ask from" in said


def test_a_command_must_end_well_and_print_what_it_must(router: Router) -> None:
    state = router.folder / "state"
    state.write_text("neighbor is Established\n")
    command = {"command": ["cat", str(state)], "contains": "Established", "within": 2}
    path = router.file(command, mtu=1400)
    assert router.run("apply", "-c", path, "--confirm", "1", "--check")[0] == ExitCode.DONE

    hook = {"after-apply": ["/bin/sh", "-c", f"echo Active > {state}"]}
    content = json.loads(Path(router.file(command, mtu=1300)).read_text())
    Path(path).write_text(json.dumps({**content, "hooks": hook}))
    code, said = router.run("apply", "-c", path, "--confirm", "1", "--check")
    assert code == ExitCode.ROLLED_BACK
    assert "its output does not contain 'Established' (it printed last: Active)" in said


def test_a_command_that_hangs_is_killed_at_its_deadline(router: Router) -> None:
    check = {"command": ["sleep", "60"], "within": 1}
    code, said = router.run("apply", "-c", router.file(check, mtu=1400), "--check")
    assert code == ExitCode.DONE
    assert "it took longer than it may, and was killed" in said


def test_checks_may_be_named_on_the_command_line(router: Router) -> None:
    path = router.file(address=AWAY)
    code, said = router.run("apply", "-c", path, "--confirm", "1", "--add-check", "ping: 192.0.2.2, within: 1s")
    assert code == ExitCode.ROLLED_BACK
    assert "ping 192.0.2.2" in said


def test_nothing_to_check_and_checks_that_take_too_long_are_refused(router: Router) -> None:
    code, said = router.run("apply", "-c", router.file(mtu=1400), "--check")
    assert (code, "there is nothing to check" in said) == (ExitCode.INVALID, True)
    slow = {**PING, "within": "2m"}
    code, said = router.run("apply", "-c", router.file(slow, mtu=1400), "--confirm", "1", "--check")
    assert code == ExitCode.INVALID
    assert "the checks may take 120 s, and the change waits 60 s to be confirmed" in said
    assert router.last()[0] == "applied"


def test_programs_read_what_each_check_found(router: Router) -> None:
    path = router.file(PING, address=AWAY)
    out = router.run("apply", "-c", path, "--check", "--format", "json")[1]
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    found = [(line["when"], line["check"], line["good"]) for line in lines if line["event"] == "check"]
    assert found == [("before", "ping 192.0.2.2", True), ("after", "ping 192.0.2.2", False)]
    assert lines[-1]["exit_code"] == ExitCode.CHECK_FAILED


def test_addresses_are_asked_for_before_they_are_set(router: Router) -> None:
    router.host("198.51.100.7", INDEX)
    path = router.folder / "more.yaml"
    ports = {
        GI1: {"addresses": ["192.0.2.1/24", "198.51.100.7/24", "100.64.0.8/24", "2001:db8::1/64"]},
        GI3: {"mtu": 1500, "addresses": ["203.0.113.1/24"]},
    }
    path.write_text(json.dumps({"interfaces": ports, "checks": [PING]}))
    code, said = router.run("plan", "-c", str(path), "--probe-addresses")
    assert code == ExitCode.DONE
    assert f"198.51.100.7 on {GI1} is taken: 02:00:00:00:00:01 answers for it" in said
    assert f"100.64.0.8 on {GI1} is free: no host answers" in said
    assert f"2001:db8::1 on {GI1} was not asked for: {GI1} has no IPv6 address to ask from" in said
    assert f"203.0.113.1 on {GI3} was not asked for: {GI3} has no IPv4 address to ask from" in said
    assert "192.0.2.1 on" not in said

    code, said = router.run("apply", "-c", str(path), "--check")
    assert code == ExitCode.REFUSED
    assert "is taken: 02:00:00:00:00:01 answers for it; nothing was changed" in said
    assert router.run("apply", "-c", str(path))[0] == ExitCode.DONE


def test_an_address_that_moves_within_the_router_is_not_asked_for(router: Router) -> None:
    router.host("192.0.2.1", INDEX)
    path = router.folder / "moved.yaml"
    ports = {GI1: {}, GI3: {"addresses": ["192.0.2.1/24"]}}
    path.write_text(json.dumps({"interfaces": ports}))
    assert "192.0.2.1 on" not in router.run("plan", "-c", str(path), "--probe-addresses")[1].split("[INFO", 1)[1]


def test_without_a_vpp_nobody_can_be_asked(router: Router) -> None:
    code, said = router.run("plan", "-c", router.file(), "--novpp", "--probe-addresses")
    assert (code, "--probe-addresses asks a running VPP" in said) == (ExitCode.INVALID, True)


@pytest.fixture
def late(router: Router, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, int]]:
    """Return a function that applies a file while a daemon has a session, and counts the runs of its check.

    The check is good so many times: once before the change, once after it.
    """
    monkeypatch.setattr("vppcfg.app.late_effects._SLACK_S", 0.0)
    monkeypatch.setattr("vppcfg.app.post_change._AGAIN_S", 0.1)
    monkeypatch.setattr("vppcfg.app.post_change._AGAIN_WITHIN_S", 0.2)
    runs = router.folder / "runs"

    def apply(held: Adjacency, *, good: int, mtu: int = 1400, **more: Any) -> tuple[int, str, int]:
        monkeypatch.setattr("vppcfg.app.post_change.adjacencies", lambda _: (held,))
        runs.write_text("")
        check = {"command": ["sh", "-c", f"echo >>{runs}; test $(wc -l <{runs}) -le {good}"], "within": 1, **more}
        code, said = router.run("apply", "-c", router.file(check, mtu=mtu), "--confirm", "1", "--check")
        return code, said, len(runs.read_text())

    return apply


def test_checks_look_until_the_sessions_that_the_change_touches_can_have_ended(
    router: Router, late: Callable[..., tuple[int, str, int]]
) -> None:
    near = Adjacency(text="BGP with 192.0.2.99", hold_s=0.6, peer="192.0.2.99")  # over GI1, which does not change
    assert (late(near, good=2)[0], router.last()[0]) == (ExitCode.DONE, "confirmed")
    remote = Adjacency(text="BGP with 203.0.113.9", hold_s=0.6, peer="203.0.113.9")
    code, said, runs = late(remote, good=99, mtu=1300)
    assert (code, router.last()[0]) == (ExitCode.DONE, "confirmed")
    assert runs > 3
    assert "must stay good for another 1 s: BGP with 203.0.113.9 ends by its hold time of 0.6 s" in said
    assert late(remote, good=3, mtu=1200)[0] == ExitCode.ROLLED_BACK
    assert router.last()[0] == "failed, undone"


def test_checks_that_end_too_early_do_not_confirm(router: Router, late: Callable[..., tuple[int, str, int]]) -> None:
    code, said, _ = late(Adjacency(text="BGP with 203.0.113.9", hold_s=180.0, peer="203.0.113.9"), good=99)
    assert (code, router.last()[0]) == (ExitCode.DONE, "waiting to be confirmed")
    assert "The checks end before that shows: BGP with 203.0.113.9 ends by its hold time of 180 s" in said
    assert router.run("confirm")[0] == ExitCode.DONE


def test_what_nobody_knows_when_to_expect_is_not_waited_for(
    router: Router, late: Callable[..., tuple[int, str, int]]
) -> None:
    """Such as a renewed DHCP lease; without a timer there is time without end."""
    late(Adjacency(text="a lease", hold_s=math.inf, peer="203.0.113.9"), good=99)
    router.run("confirm")
    path = router.file({"command": ["true"]}, mtu=1300)
    code, said = router.run("apply", "-c", path, "--check")
    assert code == ExitCode.DONE
    assert "The checks end before that shows: a lease" in said


def test_a_check_stays_good_for_as_long_as_the_file_says(
    router: Router, late: Callable[..., tuple[int, str, int]]
) -> None:
    near = Adjacency(text="BGP with 192.0.2.99", hold_s=9.0, peer="192.0.2.99")
    assert late(near, good=3, **{"for": "2s"})[0] == ExitCode.ROLLED_BACK
    assert "a check that was good before is not any more: command sh -c" in router.last()[1]
