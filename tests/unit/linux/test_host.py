"""Namespaces, bridges and devices as `ip` sees them, on a kernel of its own making: no trace of it stays."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.linux.machine import Machine, skip_reason
from vppcfg.errors import ExitCode, LinuxError
from vppcfg.linux.host import LinuxHost
from vppcfg.linux.inside import run_apart
from vppcfg.linux.netns import CLONE_NEWNET, unshare
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxDevice, LinuxSide

REASON = skip_reason()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


@pytest.fixture
def machine() -> Iterator[Machine]:
    with Machine() as machine:
        yield machine


@pytest.fixture
def host(machine: Machine) -> LinuxHost:
    return LinuxHost(machine.pid)


def set_link(host: LinuxHost, netns: str, name: str, *, mtu: int, is_up: bool) -> None:
    """Set one device, and raise what is said when that is refused."""
    outcome = host.set_links(netns, [LinkSetting(name=name, mtu=mtu, is_up=is_up)])
    if outcome.refused:
        raise LinuxError(outcome.refused[0])
    assert outcome.done == (0,)


def link(machine: Machine, name: str, netns: str = "") -> dict[str, object]:
    """Return what `ip` says of a device."""
    words = ("-n", netns) if netns else ()
    (found,) = json.loads(machine.ip(*words, "-json", "-details", "link", "show", "dev", name))
    assert isinstance(found, dict)
    return found


def is_up(found: dict[str, object]) -> bool:
    flags = found["flags"]
    assert isinstance(flags, list)
    return "UP" in flags


def traces() -> tuple[object, ...]:
    """Return everything of this process that the work for a VPP must leave as it was."""
    return (
        sorted(os.listdir("/proc/self/fd")),
        threading.active_count(),
        *(os.readlink(f"/proc/thread-self/ns/{kind}") for kind in ("net", "mnt")),
        os.getcwd(),
        os.readlink("/proc/self/root"),
        Path("/proc/self/mountinfo").read_text(),
    )


def test_a_namespace_is_made_where_vpp_looks_for_it(machine: Machine, host: LinuxHost) -> None:
    host.add_namespace("dataplane")
    assert machine.ip("netns").split() == ["dataplane"]
    assert machine.ip("netns", "exec", "dataplane", "ip", "-br", "link").split()[0] == "lo"
    assert machine.run("readlink", "/proc/self/ns/net") != machine.ip(
        "netns", "exec", "dataplane", "readlink", "/proc/self/ns/net"
    )
    assert not Path("/run/netns/dataplane").exists()


def test_a_namespace_that_is_there_stays_what_it_is(machine: Machine, host: LinuxHost) -> None:
    machine.ip("netns", "add", "dataplane")
    before = machine.run("stat", "--format", "%i", "/run/netns/dataplane")
    host.add_namespace("dataplane")
    assert machine.run("stat", "--format", "%i", "/run/netns/dataplane") == before


def test_ip_netns_deletes_a_namespace_made_here_and_it_can_be_made_again(machine: Machine, host: LinuxHost) -> None:
    for _ in range(2):
        host.add_namespace("dataplane")
        machine.ip("netns", "delete", "dataplane")
        assert host.observe([]).namespaces == frozenset()


def test_the_first_namespace_of_a_machine_gets_its_folder(machine: Machine, host: LinuxHost) -> None:
    machine.run("sh", "-c", "umount /run/netns; mount -t tmpfs none /run")
    assert host.observe([]).namespaces == frozenset()
    host.add_namespace("dataplane")
    assert machine.ip("netns").split() == ["dataplane"]


def test_a_file_left_over_from_a_namespace_is_none_and_takes_a_new_one(machine: Machine, host: LinuxHost) -> None:
    machine.run("touch", "/run/netns/dataplane")
    assert host.observe([("dataplane", "lo")]) == LinuxSide(devices={}, namespaces=frozenset(), bridges=frozenset())
    with pytest.raises(LinuxError, match="there is no network namespace dataplane"):
        host.add_bridge("dataplane", "br0")
    host.add_namespace("dataplane")
    assert host.observe([("dataplane", "lo")]).devices.keys() == {("dataplane", "lo")}


def test_a_namespace_cannot_take_the_place_of_a_folder(machine: Machine, host: LinuxHost) -> None:
    machine.run("mkdir", "/run/netns/dataplane")
    with pytest.raises(LinuxError, match="Linux refuses to make the network namespace dataplane: File exists"):
        host.add_namespace("dataplane")


def test_a_namespace_whose_folder_is_locked_is_not_waited_for_without_end(
    machine: Machine, host: LinuxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.linux.netns.LOCK_S", 0.2)
    locked = ("flock", "/run/netns", "sh", "-c", "echo locked; cat")
    command = ("nsenter", "--target", str(machine.pid), "--mount", *locked)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdin is not None
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(LinuxError, match="another process holds the lock of /run/netns"):
            host.add_namespace("dataplane")
        holder.stdin.close()
    host.add_namespace("dataplane")
    assert host.observe([]).namespaces == {"dataplane"}


@pytest.mark.parametrize("netns", ["", "dataplane"])
def test_a_bridge_is_made_and_set_up(machine: Machine, host: LinuxHost, netns: str) -> None:
    host.add_namespace("dataplane")
    host.add_bridge(netns, "br0")
    found = link(machine, "br0", netns)
    assert found["linkinfo"] and is_up(found)
    assert host.observe([(netns, "br0")]).bridges == {(netns, "br0")}


def test_a_bridge_that_is_there_is_left_as_it_is(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "br0", "mtu", "1400", "type", "bridge")
    before = link(machine, "br0")
    host.add_bridge("", "br0")
    assert link(machine, "br0") == before
    assert not is_up(before)


def test_a_bridge_cannot_take_the_name_of_something_else(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "br0", "type", "veth", "peer", "name", "peer")
    with pytest.raises(LinuxError) as caught:
        host.add_bridge("", "br0")
    assert caught.value.message == "the Linux device br0 is no bridge but of kind veth"
    assert caught.value.exit_code == ExitCode.DATAPLANE


def test_a_device_that_is_as_it_should_be_is_not_touched(
    machine: Machine, host: LinuxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.ip("link", "add", "br0", "up", "type", "bridge")
    machine.ip("link", "add", "e0", "mtu", "1400", "type", "veth", "peer", "name", "peer")
    machine.ip("link", "set", "e0", "master", "br0")
    monkeypatch.setitem(sys.modules, "pyroute2", None)
    set_link(host, "", "e0", mtu=1400, is_up=False)
    host.set_bridge("", "e0", "br0")
    host.set_bridge("", "peer", "")
    host.add_bridge("", "br0")
    with pytest.raises(LinuxError, match="pyroute2 is missing"):
        host.set_bridge("", "e0", "")


def bridges(machine: Machine, count: int) -> list[str]:
    names = [f"d{number}" for number in range(count)]
    machine.run("ip", "-batch", "-", stdin="".join(f"link add {name} type bridge\n" for name in names))
    return names


def test_many_devices_are_set_in_order(machine: Machine, host: LinuxHost) -> None:
    names = bridges(machine, 200)
    settings = [LinkSetting(name=name, mtu=1300 + place, is_up=place % 2 == 0) for place, name in enumerate(names)]
    again = [LinkSetting(name=names[7], mtu=1280, is_up=False)]
    assert host.set_links("", [*settings, *again]) == LinkOutcome(done=tuple(range(201)))
    wanted = {("", s.name): LinuxDevice(mtu=s.mtu, is_up=s.is_up) for s in (*settings, *again)}
    assert host.observe(wanted).devices == wanted


def test_nothing_that_is_unsent_follows_a_refusal(machine: Machine, host: LinuxHost) -> None:
    names = bridges(machine, 200)
    settings = [
        LinkSetting(name=name, mtu=99999 if place == 70 else 1400, is_up=True) for place, name in enumerate(names)
    ]
    outcome = host.set_links("", settings)
    assert outcome.done == (*range(70), *range(71, 128))
    assert outcome.refused == {
        70: "Linux refuses to give the device d70 an MTU of 99999 and set it up: mtu greater than device maximum"
    }
    assert host.observe([("", "d128")]).devices == {("", "d128"): LinuxDevice(mtu=1500, is_up=False)}


def test_devices_before_one_that_is_missing_are_set(machine: Machine, host: LinuxHost) -> None:
    names = bridges(machine, 20)
    names[12] = "missing"
    outcome = host.set_links("", [LinkSetting(name=name, mtu=1400, is_up=True) for name in names])
    assert outcome == LinkOutcome(done=tuple(range(12)), refused={12: "there is no Linux device missing"})


def test_nothing_to_set_is_no_error(host: LinuxHost) -> None:
    assert host.set_links("", []) == LinkOutcome()


def test_a_refused_mtu_comes_with_the_words_of_the_kernel(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "e0", "type", "veth", "peer", "name", "peer")
    with pytest.raises(LinuxError) as caught:
        set_link(host, "", "e0", mtu=99999, is_up=True)
    assert caught.value.message == (
        "Linux refuses to give the device e0 an MTU of 99999 and set it up: mtu greater than device maximum"
    )
    assert not is_up(link(machine, "e0"))


def test_a_device_moves_from_bridge_to_bridge_and_out(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "e0", "type", "veth", "peer", "name", "peer")
    for bridge in ("br0", "br1"):
        host.add_bridge("", bridge)
        host.set_bridge("", "e0", bridge)
        assert link(machine, "e0")["master"] == bridge
        assert host.observe([("", "e0")]).devices["", "e0"].bridge == bridge
    host.set_bridge("", "e0", "")
    assert "master" not in link(machine, "e0")


def test_a_device_is_no_port_of_what_is_no_bridge(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "e0", "type", "veth", "peer", "name", "peer")
    with pytest.raises(LinuxError, match="the Linux device peer is no bridge but of kind veth"):
        host.set_bridge("", "e0", "peer")
    with pytest.raises(LinuxError, match="there is no Linux device br0"):
        host.set_bridge("", "e0", "br0")


def test_what_is_observed_is_what_was_asked_for_and_exists(machine: Machine, host: LinuxHost) -> None:
    for netns in ("dataplane", "other"):
        machine.ip("netns", "add", netns)
    for words in ((), ("-n", "dataplane"), ("-n", "other")):
        machine.ip(*words, "link", "add", "br0", "up", "type", "bridge")
        machine.ip(*words, "link", "add", "e0", "mtu", "1400", "type", "veth", "peer", "name", "e1")
    machine.ip("-n", "dataplane", "link", "set", "e0", "up", "master", "br0")
    for device, state in (("e0", "permanent"), ("e0", "stale"), ("e1", "permanent")):
        host_part = 7 if state == "permanent" else 8
        neighbor = (f"192.0.2.{host_part}", "lladdr", f"02:00:00:00:00:0{host_part}", "dev", device, "nud", state)
        machine.ip("-n", "dataplane", "neigh", "add", *neighbor)
    group = ("ff02::16", "lladdr", "33:33:00:00:00:16", "dev", "e0", "nud", "noarp")
    machine.ip("-n", "dataplane", "neigh", "add", *group)
    asked = [("", "e1"), ("dataplane", "e0"), ("dataplane", "nope"), ("missing", "e0")]
    assert host.observe(asked) == LinuxSide(
        devices={
            ("", "e1"): LinuxDevice(mtu=1500, is_up=False),
            ("dataplane", "e0"): LinuxDevice(mtu=1400, is_up=True, bridge="br0"),
        },
        namespaces=frozenset({"dataplane", "other"}),
        bridges=frozenset({("", "br0"), ("dataplane", "br0")}),
        others=frozenset(
            {*(("", name) for name in ("lo", "br0", "e0")), *(("dataplane", name) for name in ("lo", "br0", "e1"))}
        ),
        neighbors=frozenset({(("dataplane", "e0"), "192.0.2.7", "02:00:00:00:00:07")}),
    )


def test_more_devices_than_one_message_holds_are_all_seen(machine: Machine, host: LinuxHost) -> None:
    lines = [f"link add d{number} mtu {1300 + number} type bridge\n" for number in range(150)]
    machine.run("ip", "-batch", "-", stdin="".join(lines))
    seen = host.observe([("", f"d{number}") for number in range(200)])
    assert seen.devices == {("", f"d{number}"): LinuxDevice(mtu=1300 + number, is_up=False) for number in range(150)}
    assert len(seen.bridges) == 150


def test_an_alternative_name_is_not_the_name_of_a_device(machine: Machine, host: LinuxHost) -> None:
    machine.ip("link", "add", "br0", "type", "bridge")
    machine.ip("link", "property", "add", "dev", "br0", "altname", "other")
    assert host.observe([("", "other")]).devices == {}
    with pytest.raises(LinuxError, match="there is no Linux device other"):
        set_link(host, "", "other", mtu=1500, is_up=True)


def test_a_missing_device_or_namespace_is_an_error_that_says_how_to_look(machine: Machine, host: LinuxHost) -> None:
    host.add_namespace("dataplane")
    with pytest.raises(LinuxError) as caught:
        set_link(host, "dataplane", "e0", mtu=1500, is_up=True)
    assert caught.value.message == "there is no Linux device e0 in namespace dataplane"
    with pytest.raises(LinuxError) as caught:
        host.set_bridge("dataplane", "e0", "br0")
    assert caught.value.hint == "`ip -n dataplane link` lists them"
    with pytest.raises(LinuxError, match="there is no network namespace other"):
        set_link(host, "other", "e0", mtu=1500, is_up=True)


def test_a_vpp_that_has_ended_is_said_to_be_gone() -> None:
    with Machine() as machine:
        host = LinuxHost(machine.pid)
    for work in (
        lambda: host.observe([]),
        lambda: host.observe([("", "lo")]),
        lambda: host.observe([("dataplane", "lo")]),
        lambda: host.add_namespace("dataplane"),
        lambda: host.add_bridge("", "br0"),
    ):
        with pytest.raises(LinuxError, match=f"VPP's process {machine.pid} is gone"):
            work()


def test_two_hundred_rounds_leave_no_trace_in_this_process(machine: Machine, host: LinuxHost) -> None:
    host.add_bridge("", "first")
    before = traces()
    for number in range(200):
        host.add_namespace("dataplane")
        host.add_bridge("dataplane", "br0")
        set_link(host, "dataplane", "br0", mtu=1400 + number, is_up=number % 2 == 0)
        host.observe([("", "lo"), ("dataplane", "br0"), ("missing", "br0")])
        with pytest.raises(LinuxError):
            set_link(host, "dataplane", "e0", mtu=1500, is_up=True)
        with pytest.raises(LinuxError):
            host.set_bridge("missing", "br0", "")
    assert traces() == before


def test_who_has_a_network_of_its_own_sees_that_of_vpp_all_the_same(host: LinuxHost) -> None:
    """As a service with PrivateNetwork=yes does."""

    def elsewhere() -> LinuxSide:
        unshare(CLONE_NEWNET)
        return host.observe({("", "lo"), ("", "br0")})

    host.add_bridge("", "br0")
    seen = run_apart(elsewhere)
    assert ("", "br0") in seen.devices
    assert seen == host.observe({("", "lo"), ("", "br0")})
