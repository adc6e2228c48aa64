"""`plan --rehearse` on a real VPP: what goes wrong between two steps is named at its step, and what does not is not.

REHEARSAL_PAIRS says how many random pairs of files are rehearsed, REHEARSAL_FIRST with which of them it begins.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from tests.laws.networks import numbered_network
from tests.live import random_services
from tests.real_vpp import prefix, since, stand_ins
from tests.wireguard_keys import KEYS
from vppcfg.app.plan_rehearsal import RehearsalTerms, rehearse_plan
from vppcfg.cli.main import main
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import ExitCode
from vppcfg.model.attachment import TUNNEL_PROTECTION, Attachment, index_placeholder, stored_call
from vppcfg.model.state import State
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.operations.stages import Step
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.probe.rehearsal import PlanRehearsal
from vppcfg.render.rehearsal_text import rehearsal_lines

pytestmark = since("26.02")

PAIRS = int(os.environ.get("REHEARSAL_PAIRS", "4"))
FIRST = int(os.environ.get("REHEARSAL_FIRST", "0"))
A, B, C, D = (f"GigabitEthernet1/0/{number}" for number in range(4))
ROUTER = f"""\
interfaces:
  {A}:
    mac: "02:00:00:00:01:00"
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    acls: {{ input: guard, output: outside }}
    sub-interfaces:
      100: {{ mtu: 1400, addresses: [ 198.51.100.1/24 ] }}
      200: {{ vrf: red, addresses: [ 10.2.0.1/24 ] }}
  {B}:
    mac: "02:00:00:00:01:01"
    addresses: [ 10.5.0.1/24 ]
    urpf: {{ ipv4: strict }}
    policy-routes: [ {{ acl: web, via: 198.51.100.9 }} ]
  {C}: {{ mac: "02:00:00:00:01:02", l2xc: {D} }}
  {D}: {{ mac: "02:00:00:00:01:03", l2xc: {C} }}
  GigabitEthernet1/0/4: {{ mac: "02:00:00:00:01:04" }}
  GigabitEthernet1/0/5: {{ mac: "02:00:00:00:01:05" }}
  gre0: {{ addresses: [ 10.9.0.1/30 ] }}
vrfs:
  red: {{ id: 100 }}
routes:
  0.0.0.0/0: 192.0.2.8
  "::/0": "2001:db8::8"
  203.0.113.0/24: 192.0.2.9
  198.18.5.0/24: blackhole
  "2001:db8:5::/48": "2001:db8::9"
loopbacks:
  loop0: {{ addresses: [ 10.3.0.1/24 ], mac: "02:00:00:00:03:01" }}
bridgedomains:
  bd10: {{ bvi: loop0, interfaces: [ GigabitEthernet1/0/4, GigabitEthernet1/0/5 ] }}
gre_tunnels: {{ gre0: {{ local: 192.0.2.1, remote: 192.0.2.9 }} }}
acls:
  guard:
    terms:
      - {{ action: deny, family: ipv4, protocol: udp, destination-port: 53 }}
      - {{ action: permit }}
  outside:
    terms:
      - {{ action: deny, family: ipv4, protocol: tcp, destination-port: 25 }}
      - {{ action: permit }}
  web:
    terms:
      - {{ action: permit, family: ipv4, protocol: tcp, destination-port: 80 }}
"""
SERVICES = f"""\
interfaces:
  {A}: {{ mac: "02:00:00:00:01:00", addresses: [ 203.0.113.2/24 ], nat44: outside, lcp: e0 }}
  {B}:
    mac: "02:00:00:00:01:01"
    addresses: [ 192.168.1.1/24 ]
    nat44: inside
    lcp: {{ name: e1, netns: dataplane }}
  {C}:
    mac: "02:00:00:00:01:02"
    addresses: [ 10.2.0.1/24 ]
    vrrp: {{ 5: {{ addresses: [ 10.2.0.254 ], priority: 200 }} }}
    sub-interfaces:
      100: {{ encapsulation: {{ dot1q: 100, exact-match: true }}, addresses: [ 10.3.0.1/24 ] }}
  {D}: {{ mac: "02:00:00:00:01:03", addresses: [ 100.64.0.1/24 ], det44: inside }}
  GigabitEthernet1/0/4: {{ mac: "02:00:00:00:01:04", addresses: [ 198.51.100.2/24 ], det44: outside }}
  ipip0: {{ mtu: 1400, addresses: [ 10.8.8.1/30 ] }}
routes: {{ 0.0.0.0/0: 203.0.113.1, 198.18.0.0/15: 198.51.100.1 }}
nat44:
  pools: [ {{ range: 203.0.113.10 }} ]
  static:
    web: {{ protocol: tcp, local: "192.168.1.20:8080", external: "203.0.113.30:80" }}
    host: {{ local: 192.168.1.30, external: 203.0.113.31 }}
  exempt: {{ ike: {{ protocol: udp, local: "203.0.113.2:500" }} }}
det44: {{ maps: {{ 100.64.0.0/24: 198.51.100.4/30 }} }}
ipip_tunnels: {{ ipip0: {{ local: 10.3.0.1, remote: 10.3.0.9 }} }}
loopbacks:
  loop0: {{ addresses: [ 10.4.0.1/24 ], mac: "02:00:00:00:03:01" }}
"""
LOST = {
    "an address": (", 2001:db8::1/64", ""),
    "the only IPv4 address": ("192.0.2.1/24, ", ""),
    "an input list": ("input: guard, ", ""),
    "an output list": (", output: outside", ""),
    "all lists": ("    acls: { input: guard, output: outside }\n", ""),
    "a source check": ("    urpf: { ipv4: strict }\n", ""),
    "a sub-interface": ("      100: { mtu: 1400, addresses: [ 198.51.100.1/24 ] }\n", ""),
    "the MTU of a sub-interface": ("mtu: 1400, ", ""),
    "the address of a sub-interface": ("mtu: 1400, addresses: [ 198.51.100.1/24 ]", "mtu: 1400"),
    "a VRF's sub-interface": ("      200: { vrf: red, addresses: [ 10.2.0.1/24 ] }\n", ""),
    "a VRF": ("vrf: red, ", ""),
    "a state": (f"  {B}:\n", f"  {B}:\n    state: down\n"),
    "a default route": ("  0.0.0.0/0: 192.0.2.8\n", ""),
    "a policy route": ("    policy-routes: [ { acl: web, via: 198.51.100.9 } ]\n", ""),
    "a cross-connect": (f", l2xc: {D}", ""),
    "the other way of a cross-connect": (f", l2xc: {C}", ""),
    "a route": ("  203.0.113.0/24: 192.0.2.9\n", ""),
    "a route that drops": ("  198.18.5.0/24: blackhole\n", ""),
    "an IPv6 route": ('  "2001:db8:5::/48": "2001:db8::9"\n', ""),
    "a gateway": ("203.0.113.0/24: 192.0.2.9", "203.0.113.0/24: 192.0.2.10"),
    "the address of a BVI": ("addresses: [ 10.3.0.1/24 ], ", ""),
    "a BVI": ("bvi: loop0, ", ""),
    "a member of a bridge": (
        "interfaces: [ GigabitEthernet1/0/4, GigabitEthernet1/0/5 ]",
        "interfaces: [ GigabitEthernet1/0/4 ]",
    ),
    "the address of a tunnel": ("gre0: { addresses: [ 10.9.0.1/30 ] }", "gre0: {}"),
    "the end of a tunnel": ("remote: 192.0.2.9 }", "remote: 192.0.2.10 }"),
    "the port of a rule": ("protocol: udp, destination-port: 53", "protocol: udp, destination-port: 54"),
    "the action of a rule": (
        "action: deny, family: ipv4, protocol: tcp",
        "action: permit, family: ipv4, protocol: tcp",
    ),
    "what a policy route takes": ("protocol: tcp, destination-port: 80", "protocol: tcp, destination-port: 81"),
    "a MAC address": ('mac: "02:00:00:00:01:01"', 'mac: "02:00:00:00:01:11"'),
    "an MTU": (f"  {B}:\n", f"  {B}:\n    mtu: 1400\n"),
}
"""What is taken away for two steps, and brought back."""
LOST_SERVICES = {
    "the only address of a pool": ("pools: [ { range: 203.0.113.10 } ]", "pools: []"),
    "another address of a pool": ("range: 203.0.113.10", "range: 203.0.113.11"),
    "a mapping of a port": (
        '    web: { protocol: tcp, local: "192.168.1.20:8080", external: "203.0.113.30:80" }\n',
        "",
    ),
    "the host of a mapping": ("192.168.1.20:8080", "192.168.1.21:8080"),
    "a mapping of a host": ("    host: { local: 192.168.1.30, external: 203.0.113.31 }\n", ""),
    "an exemption": ('exempt: { ike: { protocol: udp, local: "203.0.113.2:500" } }', "exempt: {}"),
    "the inside of NAT44": ("    nat44: inside\n", ""),
    "the outside of NAT44": (", nat44: outside", ""),
    "a map of DET44": ("{ 100.64.0.0/24: 198.51.100.4/30 }", "{}"),
    "the addresses of a map": ("198.51.100.4/30", "198.51.100.8/30"),
    "the inside of DET44": (", det44: inside", ""),
    "the outside of DET44": (", det44: outside", ""),
    "a virtual router": ("    vrrp: { 5: { addresses: [ 10.2.0.254 ], priority: 200 } }\n", "    vrrp: {}\n"),
    "an LCP pair": (", lcp: e0", ""),
    "an LCP pair in a namespace": ("    lcp: { name: e1, netns: dataplane }\n", ""),
}


PLACE: dict[str, int | str | bytes] = {"sw_if_index": index_placeholder("ipip0"), "nh.af": 0, "nh.un": bytes(16)}
PROTECTION = Attachment(
    holder="ipip0",
    kind=TUNNEL_PROTECTION,
    put=stored_call(
        "ipsec_tunnel_protect_update",
        {**{f"tunnel.{path}": value for path, value in PLACE.items()}, "tunnel.sa_out": 10},
        "sa_in",
        [{"": 20}],
    ),
    take=stored_call("ipsec_tunnel_protect_del", PLACE),
    outlives=True,
    guards=True,
    lines=("ipsec tunnel protect ipip0 sa-in 20 sa-out 10",),
    removal="ipsec tunnel protect ipip0 del",
)


def with_bystander(router: str) -> str:
    """Return a file with one more interface, which nothing else has to do with."""
    return router.replace("loopbacks:\n", "loopbacks:\n  loop9: { addresses: [ 10.99.0.1/32 ] }\n")


@pytest.fixture(autouse=True)
def _devices(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let VPP make Linux devices on a kernel that lacks vhost, or 802.1Q."""
    folder = tmp_path_factory.mktemp("stand-ins")
    for name, value in stand_ins(folder, makes_vlan_devices=True).items():
        monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.app.keys.read_key", lambda key: KEYS[key.name])


def configuration_of(text: str) -> Configuration:
    found = parse_text(text, "router.yaml").configuration
    assert found is not None
    return found


def reached(configuration: Configuration, observed: State) -> State:
    resolution = resolve(configuration, observed)
    assert resolution.is_possible, resolution.problems
    return make_plan(observed, resolution.desired).reached


def plan_between(before: str, after: str) -> Plan:
    """Return the plan from one file to another."""
    configuration = configuration_of(before)
    observed = reached(configuration, assumed_state(configuration))
    observed = replace(observed, unmanaged=(PROTECTION,) if "ipip0" in observed.interfaces else ())
    resolution = resolve(configuration_of(after), observed)
    assert resolution.is_possible, resolution.problems
    return make_plan(observed, resolution.desired)


def rehearsed(plan: Plan) -> PlanRehearsal:
    return rehearse_plan(plan, RehearsalTerms(prefix=prefix()), lambda name: False)


def with_a_hole(plan: Plan, router: str, without: str) -> tuple[Plan, int, int]:
    """Return a plan in which something is missing between two of its steps, and behind which steps it is.

    The impact is that of the plan without the hole, as if nobody had thought of it.
    """
    away, back = plan_between(router, without).steps, plan_between(without, router).steps
    steps = (plan.steps[0], *away, plan.steps[1], *back, *plan.steps[2:])
    broken = replace(plan, steps=steps)
    vars(broken)["effects"] = plan.effects
    return broken, 2, 2 + len(away) + len(back)


CARRIED = (RemoveAttachment, RestoreInVpp)
LASTING = {"a virtual router"}
"""What is not over with the last step of the hole: an election takes seconds, which pass before the next step."""
HOLES = {
    **{lost: (ROUTER, *change) for lost, change in LOST.items()},
    **{lost: (SERVICES, *change) for lost, change in LOST_SERVICES.items()},
}


@pytest.mark.parametrize("lost", HOLES)
def test_what_is_missing_between_two_steps_is_named_there(lost: str) -> None:
    router, gone, instead = HOLES[lost]
    assert gone in router
    plan, first, last = with_a_hole(plan_between(router, with_bystander(router)), router, router.replace(gone, instead))
    rehearsal = rehearsed(plan)
    assert rehearsal.refused is None, rehearsal.refused
    assert rehearsal.unannounced, [*rehearsal_lines(rehearsal)]
    end = last if lost in LASTING else last - 1
    assert all(first <= each.first <= each.last <= end for each in rehearsal.unannounced)


def test_what_no_longer_leaves_translated_is_judged_by_new_connections() -> None:
    rehearsal = rehearsed(
        plan_between(SERVICES, SERVICES.replace("198.18.0.0/15: 1", "198.18.0.0/16: 10.2.0.9, 198.18.0.0/15: 1"))
    )
    assert not rehearsal.has_failed, [*rehearsal_lines(rehearsal)]


def test_a_tunnel_that_is_not_protected_between_two_steps_is_named_there() -> None:
    plan = plan_between(SERVICES, with_bystander(SERVICES))
    off, on = (Step(stage=plan.steps[0].stage, operation=each(attachment=PROTECTION)) for each in CARRIED)
    broken = replace(plan, steps=(plan.steps[0], off, plan.steps[1], on, *plan.steps[2:]))
    rehearsal = rehearsed(broken)
    assert [(each.first, each.last) for each in rehearsal.unannounced] == [(2, 3)] * len(rehearsal.unannounced)
    assert {each.frame.probe.about.subject for each in rehearsal.unannounced} == {"interface ipip0"}
    assert rehearsal.backs_unlike == ()


def test_a_tunnel_that_is_recreated_keeps_its_protection_on_the_way_and_on_the_way_back() -> None:
    rehearsal = rehearsed(plan_between(SERVICES, SERVICES.replace("remote: 10.3.0.9", "remote: 10.3.0.10")))
    assert not rehearsal.has_failed, [*rehearsal_lines(rehearsal)]
    assert rehearsal.left_out == ()


@pytest.mark.parametrize("router", [ROUTER, SERVICES], ids=["router", "services"])
def test_a_change_without_a_hole_is_quiet(router: str) -> None:
    rehearsal = rehearsed(plan_between(router, with_bystander(router)))
    assert not rehearsal.has_failed, [*rehearsal_lines(rehearsal)]
    assert rehearsal.transients == ()
    assert rehearsal.frames > 100
    assert rehearsal.unclear == 0
    assert rehearsal.left_out == ()


def random_pair(number: int) -> tuple[Configuration, Configuration]:
    """Return two random files: every other time of the whole language, else of services that the laws do not draw."""
    if number % 2 == 0:
        return numbered_network(number), numbered_network(number + 1000)
    before, after = (with_more_services(random_services.configuration(2 * number + at)) for at in (0, 1))
    return configuration_of(random_services.text_of(before)), configuration_of(random_services.text_of(after))


def with_more_services(data: dict[str, Any]) -> dict[str, Any]:
    """Return a file with services that there are no routers with in other tests, the same for the same file."""
    dice = random.Random(random_services.text_of(data))
    lan, wan, third = (data["interfaces"][name] for name in random_services.PORTS[:3])
    if dice.random() < 0.4:
        lan["lcp"] = dice.choice(["lan", {"name": "lan", "netns": "dataplane"}])
    if dice.random() < 0.4:
        wan["lcp"] = dice.choice(["wan", "uplink"])
    if dice.random() < 0.4:
        data["policers"] = {"gold": {"rate": dice.choice(["10M", "20M"])}}
        lan["police"] = "gold"
    if "nat44" not in data and dice.random() < 0.4:
        lan["det44"], wan["det44"] = "inside", "outside"
        outside = dice.choice(["203.0.113.64/30", "203.0.113.128/29"])
        data["det44"] = {"maps": {dice.choice(["192.0.2.0/24", "192.0.0.0/16"]): outside}}
    if third.get("addresses") and dice.random() < 0.5:
        data["ipip_tunnels"] = {"ipip0": {"local": "198.51.100.1", "remote": f"198.51.100.{dice.choice([7, 8])}"}}
        data["interfaces"]["ipip0"] = {"mtu": 1400, "addresses": ["10.8.8.1/30"]}
    return data


def test_what_needs_linux_is_left_out() -> None:
    lines = f"interfaces: {{ {A}: {{ mac: '02:00:00:00:01:00', addresses: [ 192.0.2.1/24 ] }} }}\n"
    plan = plan_between(lines, f"{lines.replace('addresses', 'lcp: e0, addresses')}lcp-osi: [ isis ]\n")
    rehearsal = rehearsed(plan)
    assert rehearsal.refused is None and not rehearsal.has_failed, [*rehearsal_lines(rehearsal)]


@pytest.mark.parametrize("number", range(FIRST, FIRST + PAIRS))
def test_what_happens_on_the_way_from_file_to_file_is_announced(
    number: int,
) -> None:
    before, after = random_pair(number)
    ports, others = assumed_state(before), assumed_state(after)
    observed = reached(before, replace(ports, interfaces={**others.interfaces, **ports.interfaces}))
    resolution = resolve(after, observed)
    assert resolution.is_possible
    rehearsal = rehearsed(make_plan(observed, resolution.desired))
    assert not rehearsal.has_failed, "\n".join(rehearsal_lines(rehearsal))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Return the names of two files and of a state document of the first one."""
    found = {}
    for name, text in (("before", ROUTER), ("after", with_bystander(ROUTER))):
        (tmp_path / f"{name}.yaml").write_text(text)
        found[name] = str(tmp_path / f"{name}.yaml")
    yield found


def test_the_command_shows_it(files: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["plan", "-c", files["after"], "--novpp", "--rehearse", str(prefix()), "--format", "json"]
    assert main(arguments) == ExitCode.DONE
    captured = capfd.readouterr()
    assert '"succeeded": true' in captured.out
    assert "The rehearsal succeeded: no frame went astray" in captured.err


MACHINE = """\
for own in /tmp /run /dev/shm; do mount -t tmpfs none $own || exit; done
mkdir -p /run/vpp && touch /run/vpp/api.sock /dev/shm/vpp-segment &&
ip netns add dataplane && ip link add port1 type veth peer name vppcfg1 && ip link set port1 up && exec "$0" "$@"
"""
"""Namespaces with what a rehearsal must not touch, where nobody else changes anything meanwhile."""
IS_ALONE = "REHEARSAL_IS_ALONE"


def machine() -> dict[str, list[str]]:
    """Return what a rehearsal must not touch: devices, routes, namespaces, mounts, files of sockets and memory."""
    commands = {
        "devices": ["ip", "-brief", "link"],
        "routes": ["ip", "route", "show", "table", "all"],
        "namespaces": ["ip", "netns"],
        "mounts": ["findmnt", "--list", "--noheadings", "--output", "TARGET,FSTYPE"],
    }
    found = {
        name: sorted(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())
        for name, command in commands.items()
    }
    places = [Path(place) for place in ("/dev/shm", "/run", "/run/vpp", "/run/netns", "/tmp", "/dev/hugepages")]
    found["files"] = sorted(str(file) for place in places if place.is_dir() for file in place.iterdir())
    pools = Path("/sys/kernel/mm/hugepages").glob("*/free_hugepages")
    found["hugepages"] = sorted(f"{pool}: {pool.read_text()}" for pool in pools)
    found["VPPs"] = [path for path in os.listdir("/proc") if path.isdigit() and is_rehearsal(Path("/proc") / path)]
    return found


def changes(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, set[str]]:
    """Return what was not there before, or is there no more."""
    return {name: found for name, each in after.items() if (found := set(each) ^ set(before[name]))}


def is_rehearsal(process: Path) -> bool:
    """Return whether a process is a VPP of a rehearsal that this test has begun."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
        is_own = f"{IS_ALONE}={os.environ[IS_ALONE]}".encode() in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return is_own and words[1:3] == [b"-c", b"/dev/stdin"] and words[0].endswith(b"vpp")


def test_nothing_of_the_machine_is_touched_by_two_at_once_nor_left_by_a_killed_one(
    files: dict[str, str], request: pytest.FixtureRequest
) -> None:
    if IS_ALONE not in os.environ:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "LD_"))}
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", request.node.nodeid]
        command = ["unshare", "--net", "--mount", "sh", "-c", MACHINE, *words]
        environment = {**own, IS_ALONE: str(os.getpid())}
        done = subprocess.run(
            command, env=environment, cwd=request.config.rootpath, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return
    before = machine()
    command = [sys.executable, "-m", "vppcfg", "plan", "-q", "-c", files["after"], "--novpp", "-o", "/dev/null"]
    command += ["--rehearse", str(prefix())]
    running = [subprocess.Popen(command) for _ in range(3)]
    deadline = time.monotonic() + 120
    while len(machine()["VPPs"]) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    during = machine()
    running[0].kill()
    assert [process.wait(120) for process in running] == [-SIGKILL, 0, 0]
    while machine()["VPPs"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(during.pop("VPPs")) == 3
    assert changes(before, machine()) == {}
    assert changes(before, during) == {}
