"""What was configured on a device is read, and made on another one, as `ip` sees it, on a kernel of its own making."""

import re
import subprocess
import threading
from collections.abc import Iterator

import pytest

from tests.unit.linux.machine import Machine, skip_reason
from vppcfg.linux.host import LinuxHost
from vppcfg.model.iproute2 import command, name_of
from vppcfg.model.linux import LinkOutcome
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting

REASON = skip_reason()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

CONFIGURED = (
    "link set e0 master br0",
    "addr add 192.0.2.9/24 dev e0",
    "addr add 192.0.2.5/24 dev e0 label e0:1",
    "addr add 192.0.2.7/24 brd 192.0.2.255 dev e0",
    "addr add 10.0.0.1 peer 10.0.0.2/32 dev e0 scope link",
    "addr add 2001:db8::9/64 dev e0 nodad",
    "addr add 2001:db8::10/64 dev e0 nodad preferred_lft 0",
    "addr add fe80::77/64 dev e0 nodad",
    "neigh add 192.0.2.77 lladdr 02:00:00:00:00:77 dev e0",
    "neigh add 2001:db8::77 lladdr 02:00:00:00:00:77 dev e0 router",
    "neigh add proxy 192.0.2.78 dev e0",
    "route add 10.1.0.0/16 via 192.0.2.1",
    "route append 10.1.0.0/16 via 192.0.2.2",
    "route add 10.2.0.0/16 via 192.0.2.1 table 77 metric 5 mtu 1400 src 192.0.2.5",
    "route add 10.3.0.0/16 nexthop via 192.0.2.1 weight 3 nexthop via 198.51.100.2 dev eth9",
    "route add default via 10.9.9.9 dev e0 onlink proto static",
    "-6 route add 2001:db8:1::/48 via 2001:db8::1",
    "-6 route add 2001:db8:2::/48 nexthop via 2001:db8::1 nexthop via 2001:db8::2",
    "-6 route add 2001:db8:3::/48 dev e0 metric 7",
)
SYSCTLS = ("net/ipv4/conf/e0/rp_filter=2", "net/ipv6/conf/e0/accept_ra=2", "net/ipv6/conf/e0/forwarding=1")
ANY = ("addr show", "route show table all", "-6 route show table all", "neigh show", "neigh show proxy")


@pytest.fixture
def machine() -> Iterator[Machine]:
    with Machine() as machine:
        machine.ip("netns", "add", "blue")
        for name in ("e0", "eth9"):
            add_device(machine, name)
        run(machine, "link add br0 type bridge")
        run(machine, "addr add 198.51.100.1/24 dev eth9")
        yield machine


@pytest.fixture
def host(machine: Machine) -> LinuxHost:
    return LinuxHost(machine.pid)


def run(machine: Machine, line: str) -> str:
    return machine.ip("-n", "blue", *line.split())


def add_device(machine: Machine, name: str, *, is_up: bool = True) -> None:
    run(machine, f"link add {name} type veth peer name {name}-peer")
    for end in (name, f"{name}-peer") if is_up else ():
        run(machine, f"link set {end} up")


def configure(machine: Machine) -> None:
    for line in CONFIGURED:
        run(machine, line)
    for setting in SYSCTLS:
        machine.ip("netns", "exec", "blue", "sysctl", "-qw", setting)


def read(host: LinuxHost, device: str = "e0") -> list[LinuxSetting]:
    found = host.read_settings("blue", {device: "loop0"}, {"loop0"})
    assert {name for name, _ in found} <= {"loop0"}
    return [setting for _, setting in found]


def shown(machine: Machine, device: str) -> list[str]:
    """Return what `ip` shows of a device, without its name, its state and what the kernel has made of its MAC."""
    lines = [line for what in ANY for line in run(machine, f"-o {what} dev {device}").splitlines()]
    return [re.sub(rf"\b{device}\b|^\d+: |tentative|\\.*", "", line).strip() for line in lines if "ff:fe" not in line]


def test_another_device_gets_what_the_former_one_had(machine: Machine, host: LinuxHost) -> None:
    configure(machine)
    before, found = shown(machine, "e0"), read(host)
    assert len(before) + len(SYSCTLS) >= len(found) == len(CONFIGURED) + len(SYSCTLS)
    run(machine, "link delete e0")
    add_device(machine, "x1")
    outcome = host.restore("blue", [setting.on({"loop0": "x1"}) for setting in found])
    assert outcome == LinkOutcome(done=tuple(range(len(found))))
    assert set(read(host, "x1")) == set(found)
    assert shown(machine, "x1") == before


def test_a_device_keeps_its_addresses_of_ipv6_in_the_vrf_that_it_gets_back(machine: Machine, host: LinuxHost) -> None:
    """VPP has copied them to the device, so nothing else brings them back."""
    try:
        run(machine, "link add red type vrf table 10")
    except subprocess.CalledProcessError:
        pytest.skip("this kernel has no VRFs")
    for line in ("link set red up", "link set e0 master red"):
        run(machine, line)
    found = read(host)
    run(machine, "link delete e0")
    add_device(machine, "x1")
    addresses = ["192.0.2.1/24", "2001:db8::2/64", "2001:db8::1/64"]
    for address in addresses:
        run(machine, f"addr add {address} dev x1")
    assert host.restore("blue", [each.on({"loop0": "x1"}) for each in found]) == LinkOutcome(done=(0,))
    assert [name_of(each) for each in read(host, "x1")] == ["red", *addresses]


def test_rules_are_read_that_name_a_device_and_stay_without_it(machine: Machine, host: LinuxHost) -> None:
    for line in ("rule add iif e0 lookup 77 pref 9", "rule add oif e0 iif eth9 lookup 78 pref 8"):
        run(machine, line)
    for line in ("-6 rule add from 2001:db8::/32 oif e0 lookup 77 pref 7", "rule add iif eth9 lookup 77 pref 6"):
        run(machine, line)
    found = [(each.kind, name_of(each), command(each.on({"loop0": "e0"}), "")) for each in read(host)]
    assert found == [
        (LinuxKind.RULE, "8: from all iif eth9 oif e0 lookup 78", None),
        (LinuxKind.RULE, "9: from all iif e0 lookup 77", None),
        (LinuxKind.RULE, "-6 7: from 2001:db8::/32 oif e0 lookup 77", None),
    ]
    run(machine, "link set e0 down")
    run(machine, "link set e0 name x1")
    assert read(host) == []
    assert run(machine, "rule show").count("e0 [detached]") == 2


def test_the_command_that_is_shown_makes_the_same(machine: Machine, host: LinuxHost) -> None:
    configure(machine)
    found = read(host)
    run(machine, "link delete e0")
    add_device(machine, "x1")
    for setting in found:
        line = command(setting.on({"loop0": "x1"}), "blue")
        assert line is not None
        machine.run(*line.split())
    assert set(read(host, "x1")) == set(found)


def test_what_is_there_already_is_made(machine: Machine, host: LinuxHost) -> None:
    configure(machine)
    before, found = shown(machine, "e0"), read(host)
    assert not host.restore("blue", [setting.on({"loop0": "e0"}) for setting in found]).refused
    assert shown(machine, "e0") == before


def test_what_comes_back_by_itself_is_left_out(machine: Machine, host: LinuxHost) -> None:
    for line in (
        "addr add 192.0.2.200/24 dev e0 valid_lft 600 preferred_lft 300",
        "neigh add 192.0.2.66 lladdr 02:00:00:00:00:66 dev e0 nud reachable",
        "neigh add 192.0.2.67 lladdr 02:00:00:00:00:66 dev e0 extern_learn",
        "route add 10.4.0.0/16 via 192.0.2.1 proto bird",
        "route add 10.5.0.0/16 via 192.0.2.1 proto dhcp",
        "-6 route add 2001:db8:5::/48 dev e0 proto ra",
        "route add blackhole 10.6.0.0/16",
        "route add 10.7.0.0/16 via 198.51.100.7",
    ):
        run(machine, line)
    assert read(host) == []


def test_what_the_kernel_chooses_for_a_device_without_a_mac_address_is_left_out(
    machine: Machine, host: LinuxHost
) -> None:
    run(machine, "tuntap add t0 mode tun")
    run(machine, "link set t0 up")
    assert read(host, "t0") == []


def test_a_route_by_a_next_hop_object_is_known_but_not_exactly(machine: Machine, host: LinuxHost) -> None:
    for line in (
        "addr add 192.0.2.9/24 dev e0",
        "nexthop add id 5 via 192.0.2.1 dev e0",
        "route add 10.6.0.0/16 nhid 5",
    ):
        run(machine, line)
    assert [(name_of(each), each.is_exact) for each in read(host)] == [
        ("192.0.2.9/24", True),
        ("10.6.0.0/16 via 192.0.2.1", False),
    ]


def test_a_device_that_comes_up_a_moment_later_is_waited_for(machine: Machine, host: LinuxHost) -> None:
    configure(machine)
    found = read(host)
    run(machine, "link delete e0")
    add_device(machine, "x1", is_up=False)
    timer = threading.Timer(0.5, lambda: [run(machine, f"link set {end} up") for end in ("x1", "x1-peer")])
    timer.start()
    outcome = host.restore("blue", [setting.on({"loop0": "x1"}) for setting in found])
    timer.join()
    assert not outcome.refused
    assert set(read(host, "x1")) == set(found)


@pytest.mark.parametrize(
    "text", ["../../../kernel/sysrq=1", "rp_filter=1\n", "rp_filter", "rp_filter=$(id)", "no_key=1"]
)
def test_a_sysctl_that_somebody_has_written_leads_nowhere_else_and_stops_nothing(
    host: LinuxHost, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    forged = LinuxSetting(kind=LinuxKind.SYSCTL, device="e0", family=2, sysctl=text)
    assert list(host.restore("blue", [forged]).refused) == []
    assert "bring back the sysctl" in caplog.text


def test_all_is_made_but_what_the_kernel_refuses(
    machine: Machine, host: LinuxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.linux.restoring.SETTLE_S", 0.3)
    configure(machine)
    found = [each for each in read(host) if each.kind is LinuxKind.ROUTE or "192.0.2.9" in name_of(each)]
    for device in ("e0", "eth9"):
        run(machine, f"link delete {device}")
    add_device(machine, "x1")
    outcome = host.restore("blue", [setting.on({"loop0": "x1"}) for setting in found])
    assert sorted(text for text in outcome.refused.values() if "2001" not in text) == [
        "Linux refuses to bring back the route 10.2.0.0/16 via 192.0.2.1 table 77 in namespace blue: Invalid prefsrc "
        "address",
        "there is no Linux device eth9 in namespace blue",
    ]
    assert len(outcome.refused) + len(outcome.done) == len(found)
    assert {name_of(each) for each in read(host, "x1")} == {name_of(found[place]) for place in outcome.done}
