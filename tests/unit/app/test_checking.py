"""What a check comes to: who asks what, how often, and why it is not good."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from vppcfg.app.checking import CheckComparison, CheckResult, run_checks
from vppcfg.app.questions import question_of
from vppcfg.common.clock import SimulatedClock
from vppcfg.dataplane import Dataplane
from vppcfg.errors import DataplaneError
from vppcfg.model.checks import ArpCheck, Check, CommandCheck, PingCheck
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.question import AskOutcome, EchoQuestion, LinuxEchoQuestion, NeighborQuestion, Question
from vppcfg.model.state import Facts, State
from vppcfg.model.vrf import FibTable

STATE = State(
    interfaces={
        "eth0": Interface(name="eth0", kind=InterfaceKind.PHYSICAL, is_up=True, addresses=frozenset({"192.0.2.1/24"})),
        "eth1": Interface(
            name="eth1", kind=InterfaceKind.PHYSICAL, is_up=False, addresses=frozenset({"198.51.100.1/24"})
        ),
    },
    lcps={"eth0": LcpPair(host_name="e0", netns="dataplane")},
    vrfs={"ipv4-VRF:10": FibTable(table_id=10, name="red")},
    facts=Facts(lcp=LcpSettings(default_netns="dataplane")),
)
PING = PingCheck(address="192.0.2.2", within_s=3)


class Wires:
    """A VPP that answers in order what a test says, and the last answer for ever."""

    def __init__(self, *answers: AskOutcome | DataplaneError) -> None:
        self._answers = list(answers)
        self.asked: list[Question] = []

    def ask(self, question: Question) -> AskOutcome:
        self.asked.append(question)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, DataplaneError):
            raise answer
        return answer


def run(wires: Wires, *checks: Check, state: State = STATE, stop: bool = False) -> Sequence[CheckResult]:
    return run_checks(checks, state, cast(Dataplane, wires), lambda: stop, SimulatedClock())


YES, NO = AskOutcome(is_answered=True), AskOutcome()


def test_a_check_is_tried_again_until_it_is_good_or_its_time_is_over() -> None:
    late = Wires(NO, NO, YES)
    assert [result.is_good for result in run(late, PING)] == [True]
    assert len(late.asked) == 3
    never = Wires(NO)
    (result,) = run(never, PING)
    assert result.reason == "nothing answered in time"
    assert len(never.asked) == 6  # a try each half of a second, none at the end


def test_a_vpp_that_goes_away_fails_a_check_and_raises_nothing() -> None:
    results = run(Wires(DataplaneError("VPP is gone")), PING, PING)
    assert [result.reason for result in results] == ["VPP is gone"] * 2


def test_a_signal_ends_a_check() -> None:
    assert run(Wires(NO), PING, stop=True)[0].reason == "it was interrupted"


def test_linux_pings_where_vpp_lacks_the_means() -> None:
    wires = Wires(AskOutcome(cannot_ask="too old", is_unable=True), YES)
    assert run(wires, PING)[0].is_good
    assert wires.asked == [EchoQuestion(address="192.0.2.2"), LinuxEchoQuestion(address="192.0.2.2", netns="dataplane")]


@pytest.mark.parametrize(
    ("check", "state"),
    [(ArpCheck(address="192.0.2.2", interface="eth0", within_s=1), STATE), (PING, replace(STATE, lcps={}))],
    ids=["ARP", "no pair"],
)
def test_linux_can_ask_nothing_else_and_nothing_without_a_pair(check: Check, state: State) -> None:
    wires = Wires(AskOutcome(cannot_ask="too old", is_unable=True))
    assert [each.reason for each in run(wires, check, state=state)] == ["it could not be asked: too old"]
    assert LinuxEchoQuestion not in map(type, wires.asked)


@pytest.mark.parametrize(
    ("check", "question"),
    [
        (PING, EchoQuestion(address="192.0.2.2")),
        (
            PingCheck(address="192.0.2.2", source="eth0"),
            LinuxEchoQuestion(address="192.0.2.2", netns="dataplane", device="e0"),
        ),
        (
            PingCheck(address="192.0.2.2", source="192.0.2.1"),
            LinuxEchoQuestion(address="192.0.2.2", netns="dataplane", source="192.0.2.1"),
        ),
        (
            PingCheck(address="192.0.2.2", vrf="red"),
            LinuxEchoQuestion(address="192.0.2.2", netns="dataplane", table_id=10),
        ),
        (PingCheck(address="192.0.2.2", netns="mgmt"), LinuxEchoQuestion(address="192.0.2.2", netns="mgmt")),
        (PingCheck(address="192.0.2.2", vrf="blue"), "VPP has no VRF blue"),
        (
            PingCheck(address="192.0.2.2", source="eth1"),
            "eth1 has no LCP pair, and VPP cannot ping from an interface over its API",
        ),
        (ArpCheck(address="192.0.2.2", interface="eth0"), NeighborQuestion(interface="eth0", address="192.0.2.2")),
        (ArpCheck(address="198.51.100.2", interface="eth1"), "eth1 is down"),
        (ArpCheck(address="2001:db8::2", interface="eth0"), "eth0 has no IPv6 address to ask from"),
        (ArpCheck(address="192.0.2.2", interface="eth9"), "VPP has no interface eth9"),
    ],
)
def test_who_asks_what(check: PingCheck | ArpCheck, question: Question | str) -> None:
    assert question_of(check, STATE) == question


def test_a_command_is_judged_by_its_end_and_by_what_it_prints() -> None:
    good, silent, missing = (
        CommandCheck(command=("echo", "Established"), contains="Established"),
        CommandCheck(command=("true",), contains="Established", within_s=1),
        CommandCheck(command=("/nowhere/to/be/found",), within_s=1),
    )
    results = run(Wires(YES), good, silent, missing)
    assert [result.reason for result in results] == [
        "",
        "its output does not contain 'Established'",
        "/nowhere/to/be/found cannot be started: No such file or directory",
    ]


def test_a_program_is_looked_for_in_the_folders_of_the_system_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"/home/somebody/bin:{os.environ['PATH']}")
    monkeypatch.setenv("SECRET", "x")
    (result,) = run(Wires(YES), CommandCheck(command=("env",), contains="PATH=/usr/local/sbin:/usr/local/bin:"))
    assert result.is_good
    (result,) = run(Wires(YES), CommandCheck(command=("env",), contains="SECRET", within_s=1))
    assert not result.is_good


def test_no_shell_reads_a_command() -> None:
    (result,) = run(Wires(YES), CommandCheck(command=("echo", "$HOME;", "id"), contains="$HOME; id"))
    assert result.is_good


def test_a_namespace_that_has_no_name_is_refused() -> None:
    (result,) = run(Wires(YES), CommandCheck(command=("true",), netns="../x", within_s=1))
    assert "../x" in result.reason


def test_only_what_was_good_before_is_broken() -> None:
    good, bad = CheckResult(check=PING), CheckResult(check=PING, reason="no")
    comparison = CheckComparison(before=(good, bad, bad), after=(bad, bad, good))
    assert comparison.broken == (bad,)
    assert comparison.has_success
    assert not CheckComparison(before=(bad,), after=(bad,)).has_success
