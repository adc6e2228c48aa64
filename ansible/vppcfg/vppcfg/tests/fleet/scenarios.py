# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The playbook on a fleet of simulated routers: what is promised holds, and the table says what is so.

Each scenario begins with all routers at one configuration. Afterwards every router is at the old or the new one, or is
said to be stranded, and the report agrees with the routers.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from routers import Fleet, configuration

SCENARIOS: dict[str, Callable[[Fleet], None]] = {}
OLD_MTU, NEW_MTU = 1500, 1450
BATCHES = [1, 2, "100%"]


def scenario(function: Callable[[Fleet], None]) -> Callable[[Fleet], None]:
    """Enter a scenario under the name of its function."""
    SCENARIOS[function.__name__] = function
    return function


def files(fleet: Fleet, mtu: int) -> dict[str, str]:
    """Return a configuration for each router."""
    return {name: configuration(number, mtu) for number, name in enumerate(fleet.names, start=1)}


def settle(fleet: Fleet) -> None:
    """Bring every router to the old configuration, without faults and without a history."""
    for name, text in files(fleet, OLD_MTU).items():
        fleet.start(name)
        fleet.forget(name)
    for name, text in files(fleet, OLD_MTU).items():
        fleet.await_answer(name)
        path = fleet.folder / name / "vppcfg.yaml"
        path.write_text(text)
        expect(fleet.run(name, "apply", "-q", "--yes", "-c", str(path)).returncode == 0, f"{name} is at the old file")


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
    """Raise AssertionError unless the routers stand as the report says."""
    old, new = files(fleet, OLD_MTU), files(fleet, NEW_MTU)
    for name, state in states(fleet).items():
        wanted = new if state in ("confirmed", "waiting") else old
        if state not in ("unknown", "stranded"):
            expect(fleet.is_at(name, wanted[name]), f"{name} is {state}, and so at {'new' if wanted is new else 'old'}")


def all_are_old_or_new(fleet: Fleet, window_s: float) -> None:
    """Wait for the windows, and raise AssertionError when a router is neither old nor new, or still waits."""
    deadline = time.monotonic() + window_s + 60
    old, new = files(fleet, OLD_MTU), files(fleet, NEW_MTU)
    for name in fleet.names:
        while "waiting to be confirmed" in fleet.run(name, "history").stdout:
            expect(time.monotonic() < deadline, f"{name} does not wait for ever")
            time.sleep(1)
        expect(fleet.is_at(name, old[name]) or fleet.is_at(name, new[name]), f"{name} is old or new")


def rollout(fleet: Fleet, *options: str, **common: object) -> tuple[int, str]:
    """Run the playbook to the new configuration."""
    return fleet.play("change", fleet.inventory(files(fleet, NEW_MTU), **common), *in_batches(), *options)


def in_batches() -> list[str]:
    """Return the options that say how large batches are; a play reads that before it knows any host."""
    return ["-e", json.dumps({"vppcfg_serial": BATCHES})]


@scenario
def change(fleet: Fleet) -> None:
    """Check mode says what the run does; the run changes all; a second one changes nothing."""
    code, checked = rollout(fleet, "--check", "--diff")
    expect(code == 0, "check mode succeeds")
    expect("mtu: 1500 -> 1450" in checked, "diff mode shows the words of the configuration")
    expect(all(fleet.is_at(name, text) for name, text in files(fleet, OLD_MTU).items()), "check mode changes nothing")
    code = rollout(fleet)[0]
    expect(code == 0, "the run succeeds")
    expect(set(states(fleet).values()) == {"confirmed"}, "all are confirmed")
    is_true(fleet)
    for name, text in files(fleet, NEW_MTU).items():
        expect((fleet.folder / name / "vppcfg.yaml").read_text() == text, f"the file of {name} is in place")
    code, said = rollout(fleet)
    recap = said[said.rindex("PLAY RECAP") :]
    expect(code == 0 and recap.count("changed=0") == len(fleet.names), "a second run changes nothing")
    expect(set(states(fleet).values()) == {"unchanged"}, "and says so")


@scenario
def refused(fleet: Fleet) -> None:
    """The canary refuses a step: it goes back, and nobody else begins."""
    break_down(fleet, "r1", "--fail-at", "1")
    code = rollout(fleet)[0]
    expect(code != 0, "the run fails")
    found = states(fleet)
    expect(found.pop("r1") == "gone back", "the canary went back")
    expect(set(found.values()) == {"not begun"}, "nobody else began")
    is_true(fleet)


@scenario
def one_of_batch_two(fleet: Fleet) -> None:
    """One of the second batch lies: neither it nor its neighbour stays, and the third batch never begins."""
    break_down(fleet, "r2", "--skip-at", "1-")
    code = rollout(fleet, vppcfg_confirm=1)[0]
    found = states(fleet)
    expect(code != 0, "the run fails")
    expect((found["r1"], found["r2"], found["r3"]) == ("confirmed", "gone back", "waiting"), f"the table: {found}")
    expect({found[name] for name in fleet.names[3:]} <= {"not begun"}, "the third batch never began")
    is_true(fleet)
    all_are_old_or_new(fleet, 60)
    expect(fleet.is_at("r3", files(fleet, OLD_MTU)["r3"]), "the neighbour went back")


@scenario
def all_of_batch_two(fleet: Fleet) -> None:
    """The whole second batch dies or goes mute."""
    break_down(fleet, "r2", "--die-at", "1", "--restart", "1")
    break_down(fleet, "r3", "--hang-at", "1", "--hang", "20")
    code = rollout(fleet, vppcfg_confirm=1)[0]
    found = states(fleet)
    expect(code != 0 and found["r1"] == "confirmed", "the canary is confirmed")
    expect(not {found["r2"], found["r3"]} & {"confirmed", "unchanged", "not begun"}, f"the batch has failed: {found}")
    expect({found[name] for name in fleet.names[3:]} <= {"not begun"}, "the third batch never began")
    is_true(fleet)


@scenario
def unreachable(fleet: Fleet) -> None:
    """The canary cannot be reached: nobody else begins."""
    code = rollout(fleet, unreachable="r1")[0]
    found = states(fleet)
    expect(code != 0 and found.pop("r1") == "unknown", f"the canary is unknown: {found}")
    expect(set(found.values()) == {"not begun"}, "nobody else began")
    expect(all(fleet.is_at(name, text) for name, text in files(fleet, OLD_MTU).items()), "all are old")


@scenario
def stranded(fleet: Fleet) -> None:
    """The canary can go neither on nor back: the table says stranded, and nobody else begins."""
    break_down(fleet, "r1", "--fail-at", "2-")
    code = rollout(fleet)[0]
    found = states(fleet)
    expect(code != 0 and found.pop("r1") in ("stranded", "gone back"), f"the canary is said: {found}")
    expect(set(found.values()) == {"not begun"}, "nobody else began")


@scenario
def gate(fleet: Fleet) -> None:
    """A command of the operator says no: the router goes back by itself."""
    commands = [{"command": "echo Down", "expect": "Established"}]
    code = rollout(fleet, vppcfg_confirm=0.5, vppcfg_gate_commands=commands)[0]
    found = states(fleet)
    expect(code != 0 and found.pop("r1") in ("waiting", "gone back"), "the canary is not confirmed")
    expect(set(found.values()) == {"not begun"}, "nobody else began")
    all_are_old_or_new(fleet, 30)
    expect(fleet.is_at("r1", files(fleet, OLD_MTU)["r1"]), "the canary is back")


@scenario
def controller_killed(fleet: Fleet) -> None:
    """The controller is killed between apply and confirm: the router goes back by itself."""
    inventory = fleet.inventory(files(fleet, NEW_MTU), vppcfg_confirm=0.7, vppcfg_gate_seconds=600)
    process = fleet.begin("change", inventory, *in_batches())
    deadline = time.monotonic() + 300
    while "waiting to be confirmed" not in fleet.run("r1", "history").stdout:
        expect(time.monotonic() < deadline, "the canary is changed")
        time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    all_are_old_or_new(fleet, 45)
    expect(fleet.is_at("r1", files(fleet, OLD_MTU)["r1"]), "the canary is back")
    fleet.play("collect", fleet.inventory(files(fleet, NEW_MTU)))
    expect(states(fleet)["r1"] == "gone back", "and says so")


def main() -> int:
    """Run the scenarios that are named, or all; return 1 when one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vppcfg", required=True, help="folder of the program vppcfg")
    parser.add_argument("--ansible", required=True, help="folder of the programs of Ansible")
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("names", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    args = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(Path(folder), args.size, args.vppcfg, args.ansible)
        try:
            for name in args.names or SCENARIOS:
                began = time.monotonic()
                try:
                    settle(fleet)
                    SCENARIOS[name](fleet)
                except AssertionError as error:
                    failed.append(name)
                    print(f"FAILED {name}: {error}\n{fleet.last_words()}", flush=True)
                else:
                    print(f"ok {name}, {args.size} routers, {time.monotonic() - began:.0f} s", flush=True)
        finally:
            fleet.stop_all()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
