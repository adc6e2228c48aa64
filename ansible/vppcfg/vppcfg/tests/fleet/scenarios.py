# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The playbook on a fleet of simulated routers: what is promised holds, and the table says what is so.

Each scenario begins with all routers at one configuration. Afterwards every router is at the old or the new one, or is
said to be stranded, and the report agrees with the routers.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable

from routers import PORT, Fleet, configuration

SCENARIOS: dict[str, Callable[[Fleet], None]] = {}
OLD, NEW = (1500, 10), (1450, 20)
"""MTU and VNI before and after."""
BATCHES = [1, 2, "100%"]
CANARY, SECOND = ("r1",), ("r2", "r3")
WINDOW_MIN = 10
"""Longer than any playbook takes on a slow machine, so that what the report says is still so when it is looked at."""


class Skipped(Exception):
    """What a scenario needs is not there; the text says what."""


def scenario(function: Callable[[Fleet], None]) -> Callable[[Fleet], None]:
    """Enter a scenario under the name of its function."""
    SCENARIOS[function.__name__] = function
    return function


def files(fleet: Fleet, what: tuple[int, int]) -> dict[str, str]:
    """Return a configuration for each router."""
    return {name: configuration(number, *what) for number, name in enumerate(fleet.names, start=1)}


def break_down(fleet: Fleet, name: str, *fault: str) -> None:
    """Start the VPP of a router anew at the old configuration, with a fault in what comes then."""
    state = fleet.folder / name / "state.json"
    state.write_text(fleet.run(name, "dump", "-q", "--format", "json").stdout)
    fleet.start(name, "--state", str(state), *fault)
    fleet.await_answer(name)


def expect(holds: bool, what: str) -> None:
    """Raise AssertionError when something is not so."""
    if not holds:
        raise AssertionError(what)


def states(fleet: Fleet) -> dict[str, str]:
    """Return what the report says of each router."""
    return {name: row["state"] for name, row in fleet.report().items()}


def is_true(fleet: Fleet) -> None:
    """Raise AssertionError unless the routers stand as the report says.

    Whoever has not begun has no change besides the first one; the others are compared with the configurations.
    """
    old, new = files(fleet, OLD), files(fleet, NEW)
    found = states(fleet)
    expect(sorted(found) == sorted(fleet.names), f"every router has a row: {sorted(found)}")
    begun = [name for name in found if found[name] != "not begun"]
    for name in fleet.names:
        expect(name in begun or fleet.changes(name) == 1, f"{name} has not begun")

    def stands(name: str) -> bool:
        wanted = new if found[name] in ("confirmed", "unchanged", "waiting") else old
        return found[name] in ("unknown", "stranded") or fleet.is_at(name, wanted[name])

    for name, holds in fleet.each(stands, begun).items():
        expect(holds, f"{name} is {found[name]}, as the report says")
    for name, row in fleet.report().items():
        expect(row["state"] != "stranded" or bool(row["way_back"]), f"{name} is stranded, and the way back is told")


def all_are_old_or_new(fleet: Fleet) -> None:
    """Let the windows close, and raise AssertionError unless each router is old or new, or is said to be stranded."""
    old, new, found = files(fleet, OLD), files(fleet, NEW), states(fleet)
    for name in fleet.names:
        if found.get(name) in (None, "waiting"):
            close_window(fleet, name)
    moved = [name for name in fleet.names if fleet.changes(name) != 1 and found.get(name) != "stranded"]
    if moved:
        held = fleet.each(lambda name: fleet.is_at(name, old[name]) or fleet.is_at(name, new[name]), moved)
        expect(all(held.values()), f"all are old or new: {held}")


def close_window(fleet: Fleet, name: str) -> None:
    """Let the window of a change that waits close in a few seconds, and wait until its timer has done its work."""
    if not is_waiting(fleet, name):
        return
    fleet.run(name, "confirm", "--extend", "0.05")
    deadline = time.monotonic() + 120
    while is_waiting(fleet, name):
        expect(time.monotonic() < deadline, f"{name} does not wait for ever")
        time.sleep(1)


def is_waiting(fleet: Fleet, name: str) -> bool:
    """Return whether a change of a router waits to be confirmed."""
    return "waiting to be confirmed" in fleet.run(name, "history").stdout


def rollout(fleet: Fleet, *options: str, **common: object) -> tuple[int, str]:
    """Run the playbook to the new configuration."""
    inventory = fleet.inventory(files(fleet, NEW), **{"vppcfg_confirm": WINDOW_MIN, **common})
    return fleet.play("change", inventory, *in_batches(), *options)


def in_batches() -> list[str]:
    """Return the options that say how large batches are; a play reads that before it knows any host."""
    return ["-e", json.dumps({"vppcfg_serial": BATCHES})]


def are_alike(checked: dict[str, dict[str, object]], real: dict[str, dict[str, object]]) -> None:
    """Raise AssertionError unless a check run came to what the real run came to, on each router."""
    expect(bool(checked) and sorted(checked) == sorted(real), "both runs have results of the same routers")
    for name, result in checked.items():
        for key in ("changed", "failed", "commands", "diff", "impact", "summary", "problems", "exit_code", "msg"):
            expect(result.get(key) == real[name].get(key), f"{key} of {name}: {result.get(key)}, {real[name].get(key)}")


@scenario
def change(fleet: Fleet) -> None:
    """Check mode says what the run does; the run changes all; a second one changes nothing."""
    code, said = rollout(fleet, "--check", "--diff")
    checked = fleet.outcomes()
    expect(code == 0, "check mode succeeds")
    expect(set(states(fleet).values()) == {"to change"}, "the table says that all would be changed")
    expect("mtu: 1500 -> 1450" in said, "diff mode shows the words of the configuration")
    expect(all(fleet.changes(name) == 1 for name in fleet.names), "check mode changes nothing")
    code = rollout(fleet, "--diff")[0]
    expect(code == 0, "the run succeeds")
    are_alike(checked, fleet.outcomes())
    expect(sorted(checked) == sorted(fleet.names), "all have a result")
    expect(set(states(fleet).values()) == {"confirmed"}, "all are confirmed")
    is_true(fleet)
    for name, text in files(fleet, NEW).items():
        expect((fleet.folder / name / "vppcfg.yaml").read_text() == text, f"the file of {name} is in place")
    code, said = rollout(fleet)
    recap = said[said.rindex("PLAY RECAP") :]
    expect(code == 0 and recap.count("changed=0") == len(fleet.names), "a second run changes nothing")
    expect(set(states(fleet).values()) == {"unchanged"}, "and says so")
    expect(all(fleet.changes(name) == 2 for name in fleet.names), "and has begun nothing")


@scenario
def guarded(fleet: Fleet) -> None:
    """More impact than is allowed fails alike in check mode and in the run, and changes nothing."""
    expect(rollout(fleet, "--check", "--diff", vppcfg_max_impact="none")[0] != 0, "check mode fails")
    checked, report = fleet.outcomes(), fleet.report()
    expect({row["state"] for row in report.values()} == {"refused"}, f"check mode goes through all: {report}")
    expect(rollout(fleet, "--diff", vppcfg_max_impact="none")[0] != 0, "the run fails")
    are_alike({"r1": checked["r1"]}, fleet.outcomes())
    expect(fleet.report()["r1"] == report["r1"], "the tables are alike")
    found = states(fleet)
    expect(found.pop("r1") == "refused" and set(found.values()) == {"not begun"}, f"the table: {found}")
    expect(all(fleet.changes(name) == 1 for name in fleet.names), "nothing was changed")


@scenario
def checked_to_the_end(fleet: Fleet) -> None:
    """Check mode finds the faults of all routers, of those too that the run would not come to."""
    wrong = {"r1": {"vppcfg_max_impact": "none"}, "r3": {"vppcfg_file": f"interfaces:\n  {PORT}:\n    mtu: 1\n"}}
    at_end = {"vppcfg_confirm_each": "fleet", "vppcfg_confirm": 60, "vppcfg_play_minutes": 30}
    for way in ({}, at_end):
        expect(rollout(fleet, "--check", special=wrong, **way)[0] != 0, "check mode fails")
        found, why = states(fleet), {name: row["why"] for name, row in fleet.report().items()}
        expect([found[name] for name in ("r1", "r2", "r3")] == ["refused", "to change", "refused"], f"the table: {found}")
        expect("--max-impact" in why["r1"] and "1 is less than 128" in why["r3"] and not why["r2"], f"the reasons: {why}")
    expect(all(fleet.changes(name) == 1 for name in fleet.names), "nothing was changed")


FAULTS = {
    "refuse": (("--fail-at", "1"), {"gone back"}),
    "lie": (("--lie-at", "1"), {"gone back"}),
    "skip": (("--skip-at", "1-"), {"gone back"}),
    "half_way": (("--fail-at", "2-"), {"stranded"}),
    "die": (("--die-at", "1", "--restart", "1"), {"stranded"}),
    "hang": (("--hang-at", "2", "--hang", "15"), {"gone back", "stranded"}),
    "mute": (("--mute-at", "2"), {"stranded"}),
    "unreachable": ((), {"unknown"}),
}
"""How a router fails, and what the table may then say of it."""
NOWHERE = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
"""How Ansible is to reach a router that cannot be reached."""
PLACES = {"canary": CANARY, "one_of_batch_two": SECOND[:1], "all_of_batch_two": SECOND}


def failing(fleet: Fleet, fault: str, broken: tuple[str, ...]) -> None:
    """Routers fail in one way: they are told so, whoever comes after them does not begin, and all are old or new."""
    options, ends = FAULTS[fault]
    if options:
        fleet.each(lambda name: break_down(fleet, name, *options), broken)
    code = rollout(fleet, special={} if options else dict.fromkeys(broken, NOWHERE))[0]
    found = states(fleet)
    expect(code != 0, "the run fails")
    is_canary = broken == CANARY
    for name in fleet.names:
        if name in broken:
            wanted = ends
        elif is_canary or name not in CANARY + SECOND:
            wanted = {"not begun"}
        else:
            wanted = {"confirmed"} if name in CANARY else {"waiting"}
        expect(found[name] in wanted, f"{name} is {found[name]}, and not {wanted}: {fleet.report()[name]['why']}")
    is_true(fleet)
    all_are_old_or_new(fleet)
    for name in broken if fault == "die" else ():
        expect(fleet.run(name, "rollback", "--yes").returncode == 0, f"{name} goes the way back that the table names")
        expect(fleet.is_at(name, files(fleet, OLD)[name]), f"{name} is old again")
    for name in SECOND if not is_canary else ():
        if name not in broken:
            expect(fleet.is_at(name, files(fleet, OLD)[name]), f"{name}, whose neighbour failed, has gone back")


for _fault in FAULTS:
    for _place, _routers in PLACES.items():
        SCENARIOS[f"{_fault}:{_place}"] = lambda fleet, fault=_fault, broken=_routers: failing(fleet, fault, broken)


@scenario
def gate(fleet: Fleet) -> None:
    """A command of the operator says no: the router goes back by itself."""
    commands = [{"command": "echo Down", "expect": "Established"}]
    code = rollout(fleet, vppcfg_gate_commands=commands)[0]
    found = states(fleet)
    expect(code != 0 and found.pop("r1") == "waiting", "the canary is not confirmed")
    expect(set(found.values()) == {"not begun"}, "nobody else began")
    is_true(fleet)
    all_are_old_or_new(fleet)
    expect(fleet.is_at("r1", files(fleet, OLD)["r1"]), "the canary is back")


@scenario
def controller_killed(fleet: Fleet) -> None:
    """The controller is killed between apply and confirm: the router goes back by itself, and says so later."""
    inventory = fleet.inventory(files(fleet, NEW), vppcfg_confirm=WINDOW_MIN, vppcfg_gate_seconds=600)
    process = fleet.begin("change", inventory, *in_batches())
    deadline = time.monotonic() + 300
    while not is_waiting(fleet, "r1"):
        expect(time.monotonic() < deadline and process.poll() is None, "the canary is changed")
        time.sleep(0.5)
    fleet.kill(process)
    fleet.play("collect", inventory)
    expect(states(fleet)["r1"] == "waiting", "the canary waits")
    all_are_old_or_new(fleet)
    expect(fleet.is_at("r1", files(fleet, OLD)["r1"]), "the canary is back")
    fleet.play("collect", inventory)
    found = states(fleet)
    expect(found.pop("r1") == "gone back", "and says so")
    expect(all(fleet.changes(name) == 1 for name in fleet.names[1:]), "nobody else began")


@scenario
def interrupted(fleet: Fleet) -> None:
    """Ctrl-C in a window: no report of an earlier run is left, and `collect` makes the table."""
    inventory = fleet.inventory(files(fleet, NEW), vppcfg_confirm=WINDOW_MIN, vppcfg_gate_seconds=600)
    (fleet.folder / "report.json").write_text("an earlier one")
    process = fleet.begin("change", inventory, *in_batches())
    deadline = time.monotonic() + 300
    while not is_waiting(fleet, "r1"):
        expect(time.monotonic() < deadline and process.poll() is None, "the canary is changed")
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    expect(process.wait(60) == 99, "Ansible is interrupted")
    expect(not (fleet.folder / "report.json").exists(), "the earlier report is gone")
    expect(fleet.play("collect", inventory)[0] != 0, "the table is made, and is not as it should be")
    row = fleet.report()["r1"]
    expect(row["state"] == "waiting" and "goes back at" in row["why"], f"the canary waits: {row}")
    expect(all(fleet.changes(name) == 1 for name in fleet.names[1:]), "nobody else began")
    all_are_old_or_new(fleet)
    fleet.play("collect", inventory)
    row = fleet.report()["r1"]
    expect(row["state"] == "gone back" and "it was not confirmed in time" in row["why"], f"the canary has gone back: {row}")


@scenario
def cut_off(fleet: Fleet) -> None:
    """A router whose VPP falls silent is stranded: the table says why, then and later, and that its timer still works."""
    break_down(fleet, "r1", "--mute-at", "2")
    expect(rollout(fleet, vppcfg_confirm=0.1, vppcfg_gate_tune=False)[0] != 0, "the run fails")
    wanted = {"change": "vppcfg was killed", "collect": "change 2 was cut off"}
    for playbook, reason in wanted.items():
        if playbook == "collect":
            fleet.play("collect", fleet.inventory(files(fleet, NEW)))
        row = fleet.report()["r1"]
        expect(row["state"] == "stranded" and row["why"].startswith(reason), f"{playbook} says why: {row}")
        expect("its timer is still at work" in row["why"], f"{playbook} says that the timer still works: {row}")


@scenario
def batch_took_too_long(fleet: Fleet) -> None:
    """A healthy router goes back because another one of its batch was slow: the table says that, and no fault of its own."""
    break_down(fleet, "r2", "--pace", "2")
    expect(rollout(fleet, special={"r3": {"vppcfg_confirm": 0.1}}, vppcfg_gate_tune=False)[0] != 0, "the run fails")
    found, why = states(fleet), {name: row["why"] for name, row in fleet.report().items()}
    expect([found[name] for name in ("r1", "r2", "r3")] == ["confirmed", "waiting", "gone back"], f"the table: {found}")
    expect("change 2 was not confirmed in time" in why["r3"] and "its batch" in why["r3"], f"the reason: {why}")
    is_true(fleet)
    all_are_old_or_new(fleet)


@scenario
def resumed(fleet: Fleet) -> None:
    """A change that waits is refused to a second run, which goes on at the gates when it is told to."""
    commands = [{"command": "echo Down", "expect": "Established"}]
    expect(rollout(fleet, vppcfg_gate_commands=commands)[0] != 0, "the canary waits")
    expect(states(fleet)["r1"] == "waiting", "the canary waits")
    expect(rollout(fleet)[0] != 0, "a second run is refused")
    report = fleet.report()["r1"]
    expect(report["state"] == "waiting" and "waits to be confirmed" in report["why"], f"and says why: {report}")
    is_true(fleet)
    expect(rollout(fleet, vppcfg_resume=True)[0] == 0, "the run that goes on succeeds")
    expect(set(states(fleet).values()) == {"confirmed"}, f"all are confirmed: {states(fleet)}")
    expect(fleet.changes("r1") == 2, "the canary was changed once")
    is_true(fleet)


@scenario
def fleet_at_once(fleet: Fleet) -> None:
    """All are confirmed at the end: windows that the play outlasts are refused, and one that fails keeps all back."""
    at_end = {"vppcfg_confirm_each": "fleet", "vppcfg_confirm": 60}
    expect(rollout(fleet, **at_end, vppcfg_play_minutes=90)[0] != 0, "a short window is refused")
    expect("vppcfg_play_minutes" in fleet.report()["r1"]["why"], "and says why")
    expect(all(fleet.changes(name) == 1 for name in fleet.names), "nothing has begun")
    last = fleet.names[-1]
    break_down(fleet, last, "--fail-at", "1")
    expect(rollout(fleet, **at_end, vppcfg_play_minutes=30)[0] != 0, "one refuses")
    found = states(fleet)
    expect(found.pop(last) == "gone back" and set(found.values()) == {"waiting"}, f"nobody is confirmed: {found}")
    is_true(fleet)
    all_are_old_or_new(fleet)
    expect(all(fleet.is_at(name, text) for name, text in files(fleet, OLD).items()), "all have gone back")
    fleet.settle(files(fleet, OLD))
    expect(rollout(fleet, **at_end, vppcfg_play_minutes=30)[0] == 0, "all pass")
    expect(set(states(fleet).values()) == {"confirmed"}, "all are confirmed")
    is_true(fleet)
