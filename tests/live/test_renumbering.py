"""Addresses change on a pair as Linux allows, within a network too; the routes of Linux that can live do."""

import re
import subprocess
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from tests.live.test_linux import wait_until
from tests.live.test_linux_settings import Operator
from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

V4, V6 = ("192.0.2.1/24", "198.51.100.1/24"), ("2001:db8::1/64", "2001:db8:5::1/64")
ROUTES = ("default via 192.0.2.254", "10.1.0.0/16 via 192.0.2.77", "10.2.0.0/16 via 198.51.100.7")
STEPS = (
    ("192.0.2.1/24", "198.51.100.1/24"),
    ("192.0.2.200/24", "198.51.100.1/24"),
    ("192.0.2.200/24", "192.0.2.5/24", "198.51.100.1/24"),
    ("192.0.2.5/24", "192.0.2.6/24", "198.51.100.1/24"),
    ("192.0.2.6/24", "198.51.100.9/24", "2001:db8::1/64"),
    ("192.0.2.1/24", "192.0.2.5/24", "198.51.100.1/24", "2001:db8::2/64"),
)


@dataclass(frozen=True)
class Shape:
    """An interface with a pair."""

    addresses: tuple[str, ...] = (*V4, *V6)
    device: str = "lo0"
    mtu: int = 1500
    vrf: str = ""
    state: str = "up"

    def text(self) -> str:
        """Return the file."""
        addresses = ", ".join(f'"{each}"' for each in self.addresses)
        vrf = f", vrf: {self.vrf}" if self.vrf else ""
        vrfs = f"vrfs: {{ {self.vrf}: {{ id: 100 }} }}\n" if self.vrf else ""
        more = f"mtu: {self.mtu}, state: {self.state}{vrf}"
        return f"loopbacks: {{ loop0: {{ lcp: {self.device}, {more}, addresses: [ {addresses} ] }} }}\n{vrfs}"


class Renumbered(Operator):
    def sysctl(self, *words: str) -> str:
        command = ("nsenter", "--target", str(self._vpp.pid), "--net", "sysctl", *words)
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()

    def has(self, device: str = "lo0", netns: str = "") -> list[str]:
        """Return what `ip` shows of a device, and its sysctls."""
        keys = (each.partition("=")[0] for each in SYSCTLS)
        values = ((key, self.sysctl("-n", key.replace("DEVICE", device))) for key in keys)
        return sorted([*super().has(device, netns), *(f"{key}={value}" for key, value in values if value)])

    def has_but_sources(self, shape: Shape, lines: list[str]) -> bool:
        """Return whether Linux has what is in `lines`; a route of IPv6 outlives the address that it has as source."""
        gone = " src 2001:db8:5::1" if V6[1] not in shape.addresses else "-"
        return self.has(shape.device) == sorted(line.replace(gone, "") for line in lines)

    def addresses(self) -> set[str]:
        """Return what Linux has, but for link-local addresses."""
        shown = (self.ip(f"-o {family} addr show dev lo0").split() for family in ("-4", "-6"))
        found = {
            word for words in shown for word, before in zip(words[1:], words, strict=False) if before[:4] == "inet"
        }
        return {each for each in found if not each.startswith("fe80")}

    def is_at(self, addresses: tuple[str, ...], routes: set[str]) -> bool:
        return self.addresses() == set(addresses) and self.routes() == routes

    def routes(self) -> set[str]:
        return {line for route in ROUTES if (line := self.ip(f"route show {route.split()[0]} dev lo0").strip())}


@pytest.mark.parametrize("promote", ["0", "1"])
@pytest.mark.parametrize("plugins", [(), ("linux_nl",)], ids=["lcp-sync", "lcp-sync and linux-nl"])
def test_linux_ends_with_the_addresses_of_the_file_and_its_routes(
    tmp_path: Path, plugins: tuple[str, ...], promote: str
) -> None:
    with RealVpp(linux_cp="lcp-sync", plugins=plugins) as vpp:
        one = Renumbered(vpp, tmp_path)
        assert one.apply(Shape(STEPS[0]).text()) == ExitCode.DONE
        one.sysctl("-qw", f"net.ipv4.conf.all.promote_secondaries={promote}")
        for route in ROUTES:
            one.ip(f"route add {route} dev lo0")
        before = one.routes()
        assert len(before) == len(ROUTES)
        for former, addresses in pairwise(STEPS):
            assert one.apply(Shape(addresses).text()) == ExitCode.DONE
            assert wait_until(partial(one.is_at, addresses, before)), (addresses, one.addresses(), one.routes())
            assert one.rollback() == ExitCode.DONE
            assert wait_until(partial(one.is_at, former, before)), (former, one.addresses(), one.routes())
            assert one.apply(Shape(addresses).text()) == ExitCode.DONE
        assert one.apply(Shape(()).text(), "--lose-unmanaged") == ExitCode.DONE
        assert wait_until(partial(one.is_at, (), set())), (one.addresses(), one.routes())
        assert one.rollback() == ExitCode.DONE
        assert wait_until(partial(one.is_at, STEPS[-1], before)), (one.addresses(), one.routes())
        assert one.apply(Shape(("203.0.113.1/24",)).text()) == ExitCode.DONE
        assert wait_until(partial(one.is_at, ("203.0.113.1/24",), before)), "the new one is there before the others go"


ON_DEVICE = (
    "route add default via 192.0.2.254",
    "route add 10.1.0.0/16 via 198.51.100.7 src 198.51.100.1 metric 7",
    "route add 10.2.0.0/16 via 192.0.2.77 proto bird",
    "-6 route add default via 2001:db8::fe",
    "-6 route add 2001:db8:a::/48 via 2001:db8:5::7",
    "-6 route add 2001:db8:c::/48 via 2001:db8::7 src 2001:db8:5::1",
    "neigh add 192.0.2.77 lladdr 02:00:00:00:00:77",
    "neigh add 2001:db8::7 lladdr 02:00:00:00:00:07",
)
SYSCTLS = (
    "net/ipv4/conf/DEVICE/rp_filter=2",
    "net/ipv4/conf/DEVICE/proxy_arp=1",
    "net/ipv6/conf/DEVICE/accept_ra=2",
    "net/ipv6/conf/DEVICE/forwarding=1",
)
CHANGES = {
    "another VRF": (Shape(vrf="blue"), ""),
    "another name": (Shape(device="other"), ""),
    "another name and MTU": (Shape(device="other", mtu=1400), ""),
    "one IPv6 address less": (Shape(addresses=(*V4, V6[0])), "2001:db8:5::1/64"),
    "no IPv6": (Shape(addresses=V4), "2001:db8:(5:)?:1/64"),
    "no IPv4": (Shape(addresses=V6), r"^inet |via 192|via 198"),
    "too small for IPv6": (Shape(addresses=V4, mtu=1200), r"^inet6|2001:db8|pref medium|net/ipv6"),
    "down": (Shape(state="down"), "via|lladdr"),
}
"""What a change is, and what Linux has no longer then."""


@pytest.mark.parametrize("promote", ["0", "1"])
@pytest.mark.parametrize("plugins", [(), ("linux_nl",)], ids=["lcp-sync", "lcp-sync and linux-nl"])
def test_what_linux_has_on_the_device_of_a_pair_lives_where_it_can_and_comes_back(
    tmp_path: Path, plugins: tuple[str, ...], promote: str
) -> None:
    with RealVpp(linux_cp="lcp-sync", plugins=plugins) as vpp:
        one = Renumbered(vpp, tmp_path)
        assert one.apply(Shape().text()) == ExitCode.DONE
        one.sysctl("-qw", f"net.ipv4.conf.all.promote_secondaries={promote}")
        assert wait_until(lambda: "tentative" not in one.ip("-6 addr show dev lo0"))
        for line in ON_DEVICE:
            one.ip(f"{line} dev lo0")
        for setting in SYSCTLS:
            one.sysctl("-qw", setting.replace("DEVICE", "lo0"))
        before = one.has()
        assert len(before) >= len(V4) + len(V6) + len(ON_DEVICE) - 1 + len(SYSCTLS)
        for name, (shape, lost) in CHANGES.items():
            assert one.apply(shape.text(), *(["--lose-unmanaged"] if lost else [])) == ExitCode.DONE, name
            left = [line for line in before if not (lost and re.search(lost, line))]
            assert wait_until(partial(one.has_but_sources, shape, left)), (name, one.has(shape.device))
            assert one.rollback() == ExitCode.DONE, name
            assert wait_until(lambda: one.has() == before), (name, one.has())


def test_verify_names_the_addresses_that_neither_side_has_any_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With lcp-sync what goes in VPP goes in Linux, and both are alike."""
    with RealVpp(linux_cp="lcp-sync", plugins=["linux_nl"]) as vpp:
        one = Renumbered(vpp, tmp_path)
        assert one.apply(Shape(V4).text()) == ExitCode.DONE
        look = ["verify", "--once", "-q", "-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
        assert main(look) == ExitCode.DONE
        assert vpp.cli(f"set interface ip address del loop0 {V4[1]}") == (0, "")
        assert wait_until(lambda: one.addresses() == {V4[0]})
        capsys.readouterr()
        assert main(look) == ExitCode.DRIFT
        assert "Configured, VPP and Linux lack: 1 address of loop0" in capsys.readouterr().out
