"""What others have in the Linux around a real VPP, and change while vppcfg is at work: no plan follows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.test_linux import wait_until
from tests.live.test_lists_of_others import run
from tests.real_vpp import RealVpp, running
from vppcfg.errors import ExitCode

PORT = "GigabitEthernet1/0/0"
FILE = f"interfaces: {{ {PORT}: {{ lcp: {{ name: e1, netns: dataplane }}, addresses: [ 192.0.2.1/24 ] }} }}\n"


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running((PORT,)) as started:
        started.add_netns("dataplane")
        started.add_netns("container")
        yield started


def test_a_namespace_that_ends_during_a_change_is_not_made_anew(vpp: RealVpp, tmp_path: Path) -> None:
    assert run(vpp, tmp_path, FILE, "apply") == ExitCode.DONE
    script = tmp_path / "end"
    script.write_text(f"#!/bin/sh\nnsenter --target {vpp.pid} --net --mount ip netns del container\nexit 1\n")
    script.chmod(0o755)
    failing = FILE.replace("192.0.2.1", "192.0.2.2") + f"hooks: {{ after-apply: {script} }}\n"
    assert run(vpp, tmp_path, failing, "apply") == ExitCode.ROLLED_BACK
    assert "container" not in vpp.ip("netns", "list")
    vpp.add_netns("container")
    assert run(vpp, tmp_path, FILE.replace("192.0.2.1", "192.0.2.3"), "apply") == ExitCode.DONE
    vpp.ip("netns", "del", "container")
    assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
    assert "container" not in vpp.ip("netns", "list")


def test_the_device_of_a_pair_stays_in_a_bridge_of_others(vpp: RealVpp, tmp_path: Path) -> None:
    assert run(vpp, tmp_path, FILE, "apply") == ExitCode.DONE
    in_netns = ("netns", "exec", "dataplane", "ip")
    vpp.ip(*in_netns, "link", "add", "br0", "type", "bridge")
    vpp.ip(*in_netns, "link", "set", "e1", "master", "br0")
    assert run(vpp, tmp_path, FILE, "plan", "--detailed-exitcode") == ExitCode.DONE
    assert run(vpp, tmp_path, FILE.replace("192.0.2.1", "192.0.2.2"), "apply") == ExitCode.DONE
    assert "master br0" in vpp.ip(*in_netns, "link", "show", "e1")
    assert run(vpp, tmp_path, FILE.replace("name: e1", "name: e2"), "apply") == ExitCode.DONE
    assert "master br0" in vpp.ip(*in_netns, "link", "show", "e2")


LOOP = "loopbacks: { loop0: { lcp: lo0, addresses: [ 192.0.2.1/24 ] } }\n"
NEIGHBOR = "192.0.2.7"


def static_neighbors(vpp: RealVpp) -> dict[str, str]:
    """Return the MAC addresses of VPP's static neighbours, as a client of its own asks."""
    rows = [row.neighbor for row in vpp.client.api.ip_neighbor_dump(sw_if_index=0xFFFFFFFF, af=0)]
    return {str(each.ip_address): str(each.mac_address) for each in rows if each.flags & 1}


@pytest.mark.parametrize("switches", ["", "lcp-sync"])
def test_a_static_neighbour_of_linux_stays_unless_the_file_declares_it(tmp_path: Path, switches: str) -> None:
    with RealVpp(linux_cp=switches, plugins=["linux_nl"]) as vpp:
        assert run(vpp, tmp_path, LOOP, "apply") == ExitCode.DONE
        two_addresses = LOOP.replace("192.0.2.1/24", "192.0.2.1/24, 198.51.100.1/24")
        own = {NEIGHBOR: "02:00:00:00:00:07"}
        vpp.ip("neigh", "add", NEIGHBOR, "lladdr", own[NEIGHBOR], "dev", "lo0", "nud", "permanent")
        assert wait_until(lambda: static_neighbors(vpp) == own)
        assert run(vpp, tmp_path, LOOP, "plan", "--detailed-exitcode") == ExitCode.DONE
        assert (
            run(vpp, tmp_path, LOOP.replace("192.0.2.1/24", "192.0.2.1/24, 198.51.100.1/24"), "apply") == ExitCode.DONE
        )
        assert static_neighbors(vpp) == own
        assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
        assert static_neighbors(vpp) == own
        declared = LOOP.replace("lcp: lo0", f"lcp: lo0, neighbors: {{ {NEIGHBOR}: '02:00:00:00:00:99' }}")
        assert run(vpp, tmp_path, declared, "apply") == ExitCode.DONE
        assert static_neighbors(vpp) == {NEIGHBOR: "02:00:00:00:00:99"}
        assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
        assert static_neighbors(vpp) == own
        assert run(vpp, tmp_path, LOOP.replace("lo0", "lo1"), "apply") == ExitCode.DONE
        assert wait_until(lambda: static_neighbors(vpp) == own)
        assert "02:00:00:00:00:07" in vpp.ip("neigh", "show", NEIGHBOR, "dev", "lo1")
        assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
        assert wait_until(lambda: static_neighbors(vpp) == own)
        assert run(vpp, tmp_path, two_addresses.replace("198.51.100.1", "198.51.100.2"), "apply") == ExitCode.DONE
        vpp.ip("neigh", "del", NEIGHBOR, "dev", "lo0")
        assert wait_until(lambda: static_neighbors(vpp) == {})
        assert run(vpp, tmp_path, "", "rollback") == ExitCode.DONE
        assert static_neighbors(vpp) == {}
