# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""What each module returns for each exit code, on answers that vppcfg has given."""

from __future__ import annotations

import json

import pytest

GONE, CONTENT = "/nowhere/vppcfg.yaml", {"content": "interfaces: {}\n", "dest": "/nowhere/vppcfg.yaml"}
HISTORY = {"history": "history"}


def test_a_change_that_succeeds_is_reported_with_its_commands_and_number(player):
    answers = {"plan --format json": "plan", "apply": "apply"}
    result = player.play("config", answers, **CONTENT)
    assert result["changed"] and not result.get("failed")
    assert (result["change"], result["impact"], result["exit_code"]) == (1, "none", 0)
    assert "create vxlan tunnel" in " ".join(result["commands"])
    assert "--install-as /nowhere/vppcfg.yaml" in " ".join(player.ran[-1])


def test_check_mode_returns_what_the_run_does_and_runs_nothing(player):
    answers = {"plan --format json": "plan", "plan --format diff": "plan-diff", "apply": "apply"}
    checked = player.play("config", answers, check_mode=True, diff_mode=True, **CONTENT)
    assert not any(words[0] == "apply" for words in player.ran)
    real = player.play("config", answers, diff_mode=True, **CONTENT)
    for key in ("changed", "commands", "diff", "impact", "summary"):
        assert checked[key] == real[key]
    assert "+ vxlan_tunnels.vxlan_tunnel0" in checked["diff"]["prepared"]


def test_nothing_to_do_is_no_change_once_the_file_is_in_place(player, tmp_path):
    place = tmp_path / "vppcfg.yaml"
    answers = {"plan --format json": "plan-nothing", "apply": "apply-again"}
    arguments = {"content": CONTENT["content"], "dest": str(place)}
    assert player.play("config", answers, **arguments)["changed"], "the file is to be put in place"
    place.write_text(CONTENT["content"])
    result = player.play("config", answers, **arguments)
    assert (result["changed"], result["change"], result["commands"]) == (False, 0, [])


def test_a_mapping_is_written_as_text_that_vppcfg_reads(player, tmp_path):
    player.play("config", {"check": "check-invalid"}, content={"interfaces": {}}, state="parsed")
    assert not list(tmp_path.iterdir()), "the file is gone"


@pytest.mark.parametrize(
    ("recorded", "code", "text"),
    [
        ("plan-invalid", 3, "the configuration is not valid: "),
        ("vpp-gone", 4, "the machine itself does answer: "),
        ("plan-refused", 5, "refused, and nothing was changed: "),
        ("plan-impact", 5, "--max-impact"),
        ("plan-waiting", 5, "waits to be confirmed"),
        ("not-now", 12, "not now: "),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_what_stands_before_a_change_fails_alike_in_check_mode(player, recorded, code, text, check_mode):
    answers = {"plan --format json": recorded, "check": "check-invalid"}
    result = player.play("config", answers, check_mode=check_mode, **CONTENT)
    assert result["failed"] and not result["changed"]
    assert (result["exit_code"], text in result["msg"]) == (code, True), result["msg"]
    assert not result.get("unreachable") and not result.get("rolled_back")


def test_an_invalid_configuration_is_told_with_its_problems_the_first_one_in_the_message(player):
    result = player.play("config", {"plan": "plan-invalid", "check": "check-invalid"}, **CONTENT)
    assert result["problems"][0]["line"] == 3
    assert result["problems"][0]["text"] in result["msg"]


@pytest.mark.parametrize(
    ("recorded", "code", "is_back"),
    [("rolled-back", 6, True), ("stranded", 7, False), ("different", 8, True), ("not-confirmed", 9, True)],
)
def test_a_change_that_fails_says_whether_the_old_state_is_back(player, recorded, code, is_back):
    result = player.play("config", {"plan --format json": "plan", "apply": recorded}, **CONTENT)
    assert result["failed"] and result["exit_code"] == code
    assert result.get("rolled_back", False) is is_back
    assert result.get("stranded", False) is not is_back
    assert bool(result["way_back"]) is not is_back
    assert result["changed"] is (code in (7, 9))


def test_a_vppcfg_that_was_killed_is_named_so(player):
    killed = {"code": -9, "out": "", "err": ""}
    result = player.play("config", {"plan --format json": "plan", "apply": killed}, **CONTENT)
    assert result["failed"] and result["exit_code"] == -9
    assert result["msg"].startswith("vppcfg was killed")


def test_with_a_window_the_time_is_returned(player):
    answers = {"plan --format json": "plan", "apply": "apply-confirm", "history": "history-waiting"}
    result = player.play("config", answers, confirm=5.0, max_impact="flap", **CONTENT)
    assert result["change"] == 2 and result["confirm_until"].startswith("20")
    assert {"--confirm", "5", "--max-impact", "flap"} <= set(player.ran[-2])


@pytest.mark.parametrize("state", ["merged", "replaced", "deleted"])
def test_states_that_leave_things_behind_are_refused(player, state):
    result = player.play("config", {}, state=state, **CONTENT)
    assert "merge variables in the inventory" in result["msg"] and not player.ran


def test_the_other_states_touch_no_vpp_or_change_none(player):
    assert "interfaces:" in player.play("config", {"dump": "dump"}, state="gathered")["config"]
    rendered = player.play("config", {"plan --novpp": {"code": 0, "out": "a\nb\n", "err": ""}}, state="rendered", **CONTENT)
    assert rendered["commands"] == ["a", "b"]
    parsed = player.play("config", {"check": "check-invalid"}, state="parsed", **CONTENT)
    assert parsed["failed"] and parsed["problems"][0]["path"] == ["interfaces", "GigabitEthernet1/0/0", "mtu"]
    assert "needs content or src" in player.play("config", {}, state="parsed")["msg"]


def test_an_old_or_a_missing_vppcfg_is_refused(player):
    old = {"--version": {"code": 0, "out": "vppcfg 0.0.9\n", "err": ""}}
    assert "needs 1.0.0 or newer" in player.play("config", old, **CONTENT)["msg"]
    other = {"--version": {"code": 0, "out": "hello\n", "err": ""}}
    assert "does not print its version" in player.play("facts", other)["msg"]


def test_a_confirmation_is_no_change(player):
    done = {"code": 0, "out": "", "err": ""}
    result = player.play("confirm", {"confirm 1": done, "history": "history"}, number=1)
    assert (result["changed"], result["change"]["number"]) == (False, 1)
    refused = player.play("confirm", {"confirm 2": "confirm-nothing", "history": "history"}, number=2)
    assert (refused["failed"], refused["exit_code"]) == (True, 5)
    waiting = player.play("confirm", {"history": "history-waiting"}, number=2, check_mode=True)
    assert not waiting.get("failed") and all(words[0] != "confirm" for words in player.ran)
    assert player.play("confirm", {"history": "history"}, number=1, check_mode=True)["failed"]


def changes_of(*changes):
    """Return the answer of `history` with changes, each of a number, an origin, a target and a status."""
    keys = ("number", "origin", "target", "status")
    document = {"changes": [dict(zip(keys, change)) for change in changes]}
    return {"code": 0, "out": json.dumps(document), "err": ""}


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("way_back", "said"),
    [
        ([(3, "timer", 2, "applied")], "change 2 was not confirmed in time, and the old state is back"),
        ([(3, "rollback", 2, "applied")], "change 2 does not wait to be confirmed: it is rolled back"),
    ],
)
def test_a_confirmation_that_comes_too_late_says_what_became_of_the_change(player, check_mode, way_back, said):
    answers = {"history": changes_of((2, "apply", 0, "rolled back"), *way_back), "confirm 2": "confirm-nothing"}
    result = player.play("confirm", answers, number=2, check_mode=check_mode)
    assert result["failed"] and result["msg"] == said
    assert result["exit_code"] == 5 and not result["changed"]


def test_a_rollback_returns_its_change(player):
    result = player.play("rollback", {"rollback": "rollback"})
    assert result["changed"] and result["change"] > 0 and result["commands"]
    shown = player.play("rollback", {"history": "history", "diff 1": "diff-change"}, check_mode=True)
    assert shown["changed"] and "vxlan_tunnel0" in shown["diff"]["prepared"]
    nothing = player.play("rollback", {"history": "history"}, number=7, check_mode=True)
    assert nothing["failed"] and nothing["exit_code"] == 5


def test_facts_are_what_was_asked_for(player):
    result = player.play("facts", {"dump": "dump-json", "history": "history"}, gather=["state", "changes"])
    facts = result["ansible_facts"]["vppcfg"]
    assert sorted(facts) == ["changes", "state", "version"]
    assert "GigabitEthernet1/0/0" in facts["state"]["interfaces"]
    assert player.play("facts", {"dump": "vpp-gone"}, gather=["state"])["exit_code"] == 4


def test_a_difference_fails_unless_it_may_be(player):
    result = player.play("watch", {"watch": "watch-drift"}, **{"content": "a: 1"})
    assert result["failed"] and result["exit_code"] == 10
    assert "vxlan_tunnels.vxlan_tunnel0" in result["msg"]
    assert not player.play("watch", {"watch": "watch-drift"}, content="a: 1", fail_on="never").get("failed")
    assert player.play("watch", {"watch": "watch"}, content="a: 1")["differences"] == []
    assert player.play("watch", {"watch": "vpp-gone"}, content="a: 1")["exit_code"] == 4


@pytest.mark.parametrize(
    ("fail_on", "has_failed"), [("never", False), ("loss", False), ("risk", False), ("undecided", True)]
)
def test_the_tuner_fails_from_a_verdict_on(player, fail_on, has_failed):
    result = player.play("tune", {"tune": "tune"}, fail_on=fail_on)
    assert result["worst"] == "undecided"
    assert result.get("failed", False) is has_failed


STARTUP = "--- a\n+++ b\n\n/etc/vpp/startup.conf: 3 difference(s)\n/etc/sysctl.d/x.conf: new\nto put in force: %s\n"


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        ("nothing", "nothing"),
        ("`sysctl --system`", "reload"),
        ("a restart of VPP", "restart"),
        ("`update-grub` and a reboot", "reboot"),
    ],
)
def test_startup_says_what_puts_files_in_force_and_installs_where_something_differs(player, words, needs):
    answers = {"startup": {"code": 2, "out": STARTUP % words, "err": ""}}
    result = player.play("startup", answers, check_mode=True, config="a")
    assert (result["changed"], result["needs"]) == (True, needs)
    assert result["files"] == {"/etc/vpp/startup.conf": "3 difference(s)", "/etc/sysctl.d/x.conf": "new"}
    same = player.play("startup", {"startup": {"code": 0, "out": STARTUP % "nothing", "err": ""}}, config="a")
    assert not same["changed"] and not any("--install" in ran for ran in player.ran)
    wrong = {"startup": {"code": 2, "out": STARTUP % words, "err": ""}}
    failed = player.play("startup", wrong, config="a")
    assert failed["failed"] and "--install" in player.ran[-1]
