"""A thousand random changes of NAT44 on a real VPP, each equal to what a new connection reads; NAT44 of others."""

import os
import re
from pathlib import Path

import pytest

from tests.laws.test_nat44_laws import assert_reached
from tests.nat44_changes import PORTS, configurations
from tests.real_vpp import running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.plan.diff import diff
from vppcfg.vpp.live import connect

COUNT = int(os.environ.get("NAT44_CHANGES", "1000"))


@pytest.mark.timeout(1800)
def test_every_change_is_what_a_new_connection_reads() -> None:
    with running(PORTS) as process, connect(str(process.socket_path)) as vpp:
        for number, configuration in enumerate(configurations(4, COUNT)):
            assert_reached(configuration, vpp, goes_back=number % 3 == 0)
            if number % 10 == 0:
                with connect(str(process.socket_path)) as other:
                    assert list(diff(other.observe(), vpp.observe().managed(frozenset()))) == []
                    assert other.observe().objects == vpp.observe().objects


def test_nat_of_others_follows_what_a_plan_does_to_addresses(tmp_path: Path) -> None:
    """Of several addresses VPP takes no other one by itself when the one goes that it has."""
    file = tmp_path / "router.yaml"
    text = "interfaces:\n  eth0: { addresses: [ %s ] }\n  eth1: { unnumbered: eth0 }\n  eth2: {}\n  eth3: {}\n"
    sub = "  eth2: { sub-interfaces: { 100: { addresses: [ 198.51.100.1/24 ] } } }\n"
    with running(("eth0", "eth1", "eth2", "eth3")) as vpp:

        def apply(addresses: str, *, has_sub: bool = True, words: tuple[str, ...] = ()) -> None:
            file.write_text(text.replace("  eth2: {}\n", sub if has_sub else "  eth2: {}\n") % addresses)
            command = ["apply", "-y", "-q", *words, "-a", str(vpp.socket_path), "-c", str(file)]
            assert main(command) == ExitCode.DONE
            assert main(["plan", "-q", "--detailed-exitcode", *command[-4:]]) == ExitCode.DONE

        def pool() -> set[str]:
            return set(re.findall(r"^(\d\S+)$", vpp.cli("show nat44 addresses")[1], re.MULTILINE))

        apply("192.0.2.1/24, 192.0.2.2/24, 192.0.2.3/24")
        for line in (
            *("nat44 plugin enable sessions 1000", "nat44 add interface address eth1 twice-nat"),
            *(f"nat44 add interface address {each}" for each in ("eth0", "eth2.100")),
            *("nat44 add static mapping tcp local 10.0.0.5 80 external eth0 8080", "set interface nat44 out eth0"),
            *(f"nat44 add identity mapping external {each} udp 500" for each in ("eth0", "eth2.100")),
        ):
            assert vpp.cli(line) == (0, ""), line
        assert pool() == {"192.0.2.1", "198.51.100.1"}
        apply("192.0.2.2/24, 192.0.2.3/24")
        assert pool() == {"192.0.2.2", "198.51.100.1"}
        mappings = vpp.cli("show nat44 static mappings")[1]
        assert "external 192.0.2.2:8080" in mappings and "identity mapping UDP 192.0.2.2:500" in mappings
        assert main(["rollback", "-y", "-q", "-a", str(vpp.socket_path)]) == ExitCode.DONE
        assert pool() == {"192.0.2.2", "198.51.100.1"}
        assert vpp.cli("nat44 add interface address eth0 del")[0] == vpp.cli("nat44 add interface address eth1")[0] == 0
        assert pool() == {"192.0.2.2", "198.51.100.1"}
        text = text.replace("eth1: { unnumbered: eth0 }", "eth1: {}")
        apply("192.0.2.2/24, 192.0.2.3/24", has_sub=False, words=("--lose-unmanaged",))
        assert pool() == set()
        assert not re.search(r"DELETED|eth2.100", vpp.cli("show nat44 static mappings")[1])
        assert "eth2.100" not in vpp.cli("show nat44 interface address")[1]


def test_nat_takes_the_address_that_is_first_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rollback that adds it again cannot make it the first one, and says so."""
    file = tmp_path / "router.yaml"
    text = "interfaces: { eth0: { addresses: [ %s ], nat44: outside } }\nnat44: { pools: [ { interface: eth0 } ] }\n"
    with running(("eth0",)) as vpp:

        def seen() -> tuple[list[str], list[str]]:
            """Return the addresses of eth0 in VPP's order, and those of the pool."""
            shown, pool = vpp.cli("show interface address eth0")[1], vpp.cli("show nat44 addresses")[1]
            return re.findall(r"L3 (\S+)", shown), re.findall(r"^(\d\S+)$", pool, re.MULTILINE)

        for addresses, lines in (
            ("203.0.113.1/24, 10.0.0.1/24", 0),
            ("10.0.0.1/24", 0),
            ("203.0.113.1/24, 10.0.0.1/24", 1),
        ):
            file.write_text(text % addresses)
            assert main(["apply", "-y", "-q", "-a", str(vpp.socket_path), "-c", str(file)]) == ExitCode.DONE
            assert capsys.readouterr().out.count("10.0.0.1/24 is VPP's first IPv4 address, not 203.0.113.1/24") == lines
            first = "10.0.0.1" if "," not in addresses or lines else "203.0.113.1"
            assert (seen()[0][0], seen()[1]) == (f"{first}/24", [first])
