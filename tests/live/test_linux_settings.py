"""What Linux has on the device of a pair outlives the device on a real VPP: made anew, moved, rolled back, failed."""

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.live.test_linux import wait_until
from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.linux.host import LinuxHost
from vppcfg.model.linux import LinkOutcome
from vppcfg.model.linux_setting import LinuxSetting

BEFORE = "loopbacks: { loop0: { lcp: lo0, mtu: 1500, addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] } }\n"
OTHER_PLACES = {
    "renamed": BEFORE.replace("lo0", "other"),
    "in another namespace": BEFORE.replace("lcp: lo0", "lcp: { name: lo0, netns: blue }"),
    "made anew": BEFORE.replace("mtu: 1500", "mtu: 1500, mac: '02:00:00:00:00:99'"),
    "made anew and renumbered": BEFORE.replace("lo0", "other").replace("192.0.2.1/24", "192.0.2.2/24"),
}
CONFIGURED = (
    "addr add 198.51.100.9/24 dev lo0",
    "addr add 198.51.100.5/24 dev lo0",
    "addr add 2001:db8:9::1/64 dev lo0 nodad",
    "addr add fe80::77/64 dev lo0 nodad",
    "neigh add 198.51.100.77 lladdr 02:00:00:00:00:77 dev lo0",
    "route add 10.1.0.0/16 via 198.51.100.7",
    "route add 10.2.0.0/16 via 198.51.100.7 table 77 metric 5 mtu 1400 src 198.51.100.5",
    "route add 10.4.0.0/16 via 198.51.100.7 proto bird",
    "route add default via 10.9.9.9 dev lo0 onlink",
    "-6 route add 2001:db8:a::/48 via 2001:db8:9::7",
)
LISTED = ("-4 addr show", "-6 addr show", "route show table all", "-6 route show table all", "neigh show nud permanent")


class Operator:
    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        self._vpp = vpp
        self.file = folder / "router.yaml"
        self._vpp_words = ["-a", str(vpp.socket_path)]
        self._journal = ["--state-dir", str(folder / "state")]

    def apply(self, text: str, *options: str) -> int:
        self.file.write_text(text)
        return main(["apply", "-qy", "--again", *options, *self._journal, *self._vpp_words, "-c", str(self.file)])

    def rollback(self) -> int:
        return main(["rollback", "-qy", *self._journal, *self._vpp_words])

    def ip(self, line: str, netns: str = "") -> str:
        return self._vpp.ip(*(["-n", netns] if netns else []), *line.split())

    def set_sysctl(self, text: str) -> None:
        subprocess.run(("nsenter", "--target", str(self._vpp.pid), "--net", "sysctl", "-qw", text), check=True)

    def plan(self, text: str) -> list[dict[str, Any]]:
        """Return what a plan does to what it does not manage."""
        self.file.write_text(text)
        folder = self.file.parent / "plan.json"
        words = ["plan", "-q", "--format", "json", "-o", str(folder), *self._vpp_words, "-c", str(self.file)]
        assert main(words) in (ExitCode.DONE, ExitCode.CHANGES_PENDING, ExitCode.REFUSED)
        found: list[dict[str, Any]] = json.loads(folder.read_text())["unmanaged"]
        return found

    def has(self, device: str = "lo0", netns: str = "") -> list[str]:
        """Return what `ip` shows of a device, but what a routing daemon and the kernel bring back by themselves."""
        lines = [line for what in LISTED for line in self.ip(f"-o {what} dev {device}", netns).splitlines()]
        own = [line for line in lines if not re.search(r"proto (bird|kernel)|fe80::\S*ff:fe|multicast ff00", line)]
        return sorted(re.sub(rf"\b{device}\b|^\d+: |tentative|\\.*", "", line).strip() for line in own)


@pytest.fixture(params=["", "lcp-sync"], ids=["without lcp-sync", "with lcp-sync"])
def operator(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Operator]:
    with RealVpp(linux_cp=request.param) as vpp:
        vpp.add_netns("blue")
        one = Operator(vpp, tmp_path)
        assert one.apply(BEFORE) == ExitCode.DONE
        for line in CONFIGURED:
            one.ip(line)
        if not request.param:
            one.ip("addr add 192.0.2.1/24 dev lo0")
        yield one


@pytest.mark.parametrize("place", OTHER_PLACES)
def test_a_device_made_anew_has_what_the_former_one_had(operator: Operator, place: str) -> None:
    text = OTHER_PLACES[place]
    device, netns = ("other" if "other" in text else "lo0"), ("blue" if "blue" in text else "")
    before = operator.has()
    assert len(before) >= len(CONFIGURED) - 1
    assert operator.apply(text) == ExitCode.DONE
    after = operator.has(device, netns)
    if "192.0.2.2" in text:  # an address that Linux alone has stays; VPP's own is copied to Linux by lcp-sync
        after = [line.replace("192.0.2.2/24", "192.0.2.1/24") for line in after]
    assert after == before
    assert operator.rollback() == ExitCode.DONE
    assert operator.has() == before


def test_without_the_pair_it_is_lost_not_before_somebody_agrees_and_comes_back(operator: Operator) -> None:
    before, without = operator.has(), BEFORE.replace("lcp: lo0, ", "")
    assert {(each["what"], each["outcome"], each["rollback"]) for each in operator.plan(without)} >= {
        ("address of Linux 198.51.100.9/24", "lost", True),
        ("route of Linux 10.1.0.0/16 via 198.51.100.7", "lost", True),
        ("neighbour of Linux 198.51.100.77", "lost", True),
    }
    assert not [each for each in operator.plan(without) if "192.0.2.1" in each["what"]]
    assert operator.apply(without) == ExitCode.REFUSED
    assert operator.apply(without, "--lose-unmanaged") == ExitCode.DONE
    with pytest.raises(RuntimeError, match="does not exist"):
        operator.has()
    assert operator.rollback() == ExitCode.DONE
    assert operator.has() == before


def test_an_apply_that_linux_refuses_brings_all_back(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first step that restores something fails once."""
    before = operator.has()
    refused: list[str] = []

    def refuse(self: LinuxHost, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        if not refused:
            refused.append(settings[0].device)
            return LinkOutcome(refused={0: "no"})
        return restore(self, netns, settings)

    restore = LinuxHost.restore
    monkeypatch.setattr(LinuxHost, "restore", refuse)
    assert operator.apply(OTHER_PLACES["renamed"]) == ExitCode.ROLLED_BACK
    assert refused == ["other"]
    assert operator.has() == before


def test_a_rollback_goes_on_without_what_linux_takes_no_more_and_names_it(
    operator: Operator, caplog: pytest.LogCaptureFixture
) -> None:
    """A route with a second next hop, over a device that somebody removes while the pair has another name."""
    before = operator.has()
    for line in (
        "link add u1 type veth peer name u1-peer",
        "addr add 203.0.113.1/24 dev u1",
        "link set u1 up",
        "route add 10.8.0.0/16 nexthop via 198.51.100.7 dev lo0 nexthop via 203.0.113.2 dev u1",
    ):
        operator.ip(line)
    assert operator.apply(OTHER_PLACES["renamed"]) == ExitCode.DONE
    assert "via 203.0.113.2 dev u1" in operator.ip("route show 10.8.0.0/16")
    operator.ip("link delete u1")
    assert operator.rollback() == ExitCode.STRANDED
    assert operator.has() == before
    assert "there is no Linux device u1" in caplog.text
    assert "Not back is what others had configured: loop0: route of Linux 10.8.0.0/16" in caplog.text
    assert "ip route replace 10.8.0.0/16 nexthop via 198.51.100.7 dev lo0" in caplog.text


def test_a_device_of_a_vrf_of_linux_is_in_it_again_with_its_addresses(operator: Operator) -> None:
    """The kernel takes addresses of IPv6 away as it puts a device into a VRF."""
    try:
        operator.ip("link add red type vrf table 10")
    except RuntimeError:
        pytest.skip("this kernel has no VRFs")
    for line in ("link set red up", "link set lo0 master red", "addr replace 2001:db8::1/64 dev lo0"):
        operator.ip(line)
    before = operator.has()
    assert any("2001:db8::1/64" in line for line in before)
    assert operator.apply(OTHER_PLACES["renamed"]) == ExitCode.DONE
    assert operator.has("other") == before
    assert operator.rollback() == ExitCode.DONE
    assert operator.has() == before


def test_where_new_devices_have_no_ipv6_one_that_has_keeps_its_addresses(tmp_path: Path) -> None:
    with RealVpp(linux_cp="lcp-sync") as vpp:
        one = Operator(vpp, tmp_path)
        one.set_sysctl("net.ipv6.conf.default.disable_ipv6=1")
        assert one.apply(BEFORE) == ExitCode.DONE
        one.set_sysctl("net.ipv6.conf.lo0.disable_ipv6=0")
        one.ip("addr add 2001:db8::1/64 dev lo0")
        before = one.has()
        assert one.apply(OTHER_PLACES["made anew"]) == ExitCode.DONE
        assert one.has() == before
        assert one.rollback() == ExitCode.DONE
        assert one.has() == before


@pytest.mark.parametrize("switches", ["", "lcp-sync"])
def test_where_linux_nl_listens_the_file_is_what_both_sides_have(tmp_path: Path, switches: str) -> None:
    """It copies addresses and neighbours into VPP, where they would be more than the file wants."""
    file = BEFORE.replace("}", ", neighbors: { 192.0.2.77: '02:00:00:00:00:77' } }", 1)
    with RealVpp(linux_cp=switches, plugins=["linux_nl"]) as vpp:
        one = Operator(vpp, tmp_path)
        assert one.apply(BEFORE) == ExitCode.DONE
        for line in (
            *([] if switches else ["addr add 192.0.2.1/24 dev lo0"]),
            "addr add 198.51.100.9/24 dev lo0",
            "neigh add 192.0.2.77 lladdr 02:00:00:00:00:77 dev lo0",
            "route add 10.1.0.0/16 via 192.0.2.7",
            "route add 10.2.0.0/16 via 198.51.100.7",
        ):
            one.ip(line)
        assert wait_until(lambda: "10.2.0.0/16" in vpp.cli("show ip fib 10.2.0.0/16")[1])
        before = one.has()
        assert one.apply(file.replace("lo0", "other"), "--lose-unmanaged") == ExitCode.DONE
        shown = one.has("other")
        assert [line for line in shown if "198.51.100" in line] == []
        assert [line.split()[0] for line in shown if "via" in line] == ["10.1.0.0/16"]
        assert main(["plan", "-a", str(vpp.socket_path), "-c", str(one.file)]) == ExitCode.DONE
        assert one.rollback() == ExitCode.DONE
        assert one.has() == before


def test_the_host_side_of_a_tap_that_is_made_anew_keeps_what_it_had(tmp_path: Path) -> None:
    with RealVpp() as vpp:
        one = Operator(vpp, tmp_path)
        taps = "interfaces: { tap0: { mtu: 1500 } }\ntaps: { tap0: { host: { name: vm0 } } }\n"
        assert one.apply(taps) == ExitCode.DONE
        for line in ("addr add 198.51.100.9/24 dev vm0", "route add 10.1.0.0/16 via 198.51.100.7"):
            one.ip(line)
        before = one.has("vm0")
        assert len(before) == 2
        assert one.apply(taps.replace("vm0", "vm1")) == ExitCode.DONE
        assert one.has("vm1") == before
        assert one.rollback() == ExitCode.DONE
        assert one.has("vm0") == before


def test_a_route_by_two_devices_is_lost_with_the_last_of_them_and_named_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays as long as one of them is up; Linux takes it again only where both are."""
    both = "loopbacks:\n  loop0: { lcp: lo0, mtu: 1500, addresses: [ 192.0.2.1/24 ]%s }\n"
    both += "  loop1: { lcp: lo1, mtu: 1500, addresses: [ 198.51.100.1/24 ]%s }\n"
    one, none = both % (", state: down", ""), both % (", state: down", ", state: down")
    with RealVpp(linux_cp="lcp-sync") as vpp:
        operator = Operator(vpp, tmp_path)
        assert operator.apply(both % ("", "")) == ExitCode.DONE
        operator.ip("route add 10.8.0.0/16 nexthop via 192.0.2.7 nexthop via 198.51.100.7")
        before = operator.ip("route show 10.8.0.0/16")
        assert operator.plan(one) == []
        assert [each["rollback"] for each in operator.plan(none)] == [True, True]
        assert operator.apply(none) == ExitCode.REFUSED
        assert operator.apply(none, "--lose-unmanaged") == ExitCode.DONE
        assert operator.ip("route show 10.8.0.0/16") == ""
        assert operator.rollback() == ExitCode.DONE
        assert operator.ip("route show 10.8.0.0/16") == before

        assert operator.apply(one) == ExitCode.DONE
        assert "dead" in operator.ip("route show 10.8.0.0/16")
        assert [each["rollback"] for each in operator.plan(none)] == [False]
        assert operator.apply(none, "--lose-unmanaged") == ExitCode.DONE
        caplog.clear()
        assert operator.rollback() == ExitCode.STRANDED
        assert "Not back is what others had configured: loop1: route of Linux 10.8.0.0/16" in caplog.text
        assert operator.rollback() == ExitCode.DONE


def test_a_route_by_two_devices_stays_when_one_of_them_loses_its_addresses(tmp_path: Path) -> None:
    both = "loopbacks:\n  loop0: { lcp: lo0, mtu: 1500, addresses: [ %s ] }\n"
    both += "  loop1: { lcp: lo1, mtu: 1500, addresses: [ %s ] }\n"
    first, second = "192.0.2.1/24", "198.51.100.1/24"
    with RealVpp(linux_cp="lcp-sync") as vpp:
        operator = Operator(vpp, tmp_path)
        assert operator.apply(both % (first, second)) == ExitCode.DONE
        operator.ip("route add 10.8.0.0/16 nexthop via 192.0.2.7 nexthop via 198.51.100.7")
        before = operator.ip("route show 10.8.0.0/16")
        for one, other in (("", second), ("", "")):
            assert [each["rollback"] for each in operator.plan(both % (one, other))] == ([] if other else [True, True])
            assert operator.apply(both % (one, other), "--lose-unmanaged") == ExitCode.DONE
            assert operator.ip("route show 10.8.0.0/16").count("nexthop") == (2 if other else 0)
            assert operator.rollback() == ExitCode.DONE
            assert operator.ip("route show 10.8.0.0/16") == before


def test_a_rule_by_the_name_of_a_device_is_dead_without_it_and_named_before(operator: Operator) -> None:
    """Linux gives it its effect back with the name."""
    operator.ip("rule add iif lo0 lookup 77 priority 100")
    named = {}
    for place in ("made anew", "renamed"):
        found = operator.plan(OTHER_PLACES[place])
        named[place] = [(each["outcome"], each["rollback"]) for each in found if "rule of Linux 100:" in each["what"]]
    assert named == {"made anew": [], "renamed": [("idle", True)]}
    assert operator.apply(OTHER_PLACES["renamed"]) == ExitCode.REFUSED
    assert operator.apply(OTHER_PLACES["renamed"], "--lose-unmanaged") == ExitCode.DONE
    assert "[detached]" in operator.ip("rule show")
    assert operator.rollback() == ExitCode.DONE
    assert "[detached]" not in operator.ip("rule show")


def test_routes_stay_with_an_address_that_linux_alone_has(tmp_path: Path) -> None:
    file = "loopbacks: { loop0: { lcp: lo0, mtu: 1500, addresses: [ %s ] } }\n"
    with RealVpp(linux_cp="lcp-sync") as vpp:
        operator = Operator(vpp, tmp_path)
        assert operator.apply(file % "192.0.2.1/24") == ExitCode.DONE
        operator.ip("addr add 203.0.113.1/24 dev lo0")
        operator.ip("route add 10.9.0.0/16 via 203.0.113.7")
        before = operator.has()
        assert operator.plan(file % "") == []
        assert operator.apply(file % "") == ExitCode.DONE
        assert operator.has() == [line for line in before if "192.0.2.1" not in line]
        assert operator.rollback() == ExitCode.DONE
        assert operator.has() == before
