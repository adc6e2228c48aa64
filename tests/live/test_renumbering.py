"""Addresses change on a pair as Linux allows, within a network too; the routes of Linux that can live do."""

import subprocess
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from tests.live.test_linux import wait_until
from tests.live.test_linux_settings import Operator
from tests.real_vpp import RealVpp
from vppcfg.errors import ExitCode

ROUTES = ("default via 192.0.2.254", "10.1.0.0/16 via 192.0.2.77", "10.2.0.0/16 via 198.51.100.7")
STEPS = (
    ["192.0.2.1/24", "198.51.100.1/24"],
    ["192.0.2.200/24", "198.51.100.1/24"],
    ["192.0.2.200/24", "192.0.2.5/24", "198.51.100.1/24"],
    ["192.0.2.5/24", "192.0.2.6/24", "198.51.100.1/24"],
    ["192.0.2.6/24", "198.51.100.9/24", "2001:db8::1/64"],
    ["192.0.2.1/24", "192.0.2.5/24", "198.51.100.1/24", "2001:db8::2/64"],
)


class Renumbered(Operator):
    def write(self, addresses: list[str], vrf: str = "") -> str:
        table = f", vrf: {vrf}" if vrf else ""
        shown = ", ".join(f'"{each}"' for each in addresses)
        vrfs = f"vrfs: {{ {vrf}: {{ id: 100 }} }}\n" if vrf else ""
        return f"loopbacks: {{ loop0: {{ lcp: lo0, mtu: 1500, addresses: [ {shown} ]{table} }} }}\n{vrfs}"

    def addresses(self) -> set[str]:
        """Return what Linux has, but for link-local addresses."""
        shown = (self.ip(f"-o {family} addr show dev lo0").split() for family in ("-4", "-6"))
        found = {
            word for words in shown for word, before in zip(words[1:], words, strict=False) if before[:4] == "inet"
        }
        return {each for each in found if not each.startswith("fe80")}

    def is_at(self, addresses: list[str], routes: set[str]) -> bool:
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
        assert one.apply(one.write(STEPS[0])) == ExitCode.DONE
        within = ("nsenter", "--target", str(vpp.pid), "--net")
        subprocess.run([*within, "sysctl", "-qw", f"net.ipv4.conf.all.promote_secondaries={promote}"], check=True)
        for route in ROUTES:
            one.ip(f"route add {route} dev lo0")
        before = one.routes()
        assert len(before) == len(ROUTES)
        for former, addresses in pairwise(STEPS):
            assert one.apply(one.write(addresses)) == ExitCode.DONE
            assert wait_until(partial(one.is_at, addresses, before)), (addresses, one.addresses(), one.routes())
            assert one.rollback() == ExitCode.DONE
            assert wait_until(partial(one.is_at, former, before)), (former, one.addresses(), one.routes())
            assert one.apply(one.write(addresses)) == ExitCode.DONE
        assert one.apply(one.write([]), "--lose-unmanaged") == ExitCode.DONE
        assert wait_until(partial(one.is_at, [], set())), (one.addresses(), one.routes())
        assert one.rollback() == ExitCode.DONE
        assert wait_until(partial(one.is_at, STEPS[-1], before)), (one.addresses(), one.routes())
        assert one.apply(one.write(["203.0.113.1/24"])) == ExitCode.DONE
        assert wait_until(partial(one.is_at, ["203.0.113.1/24"], before)), "the new one is there before the others go"
