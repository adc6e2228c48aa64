"""What the kinds say of themselves is complete, and fits together."""

from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from vppcfg.simulator import kinds
from vppcfg.simulator.api import documents
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.releases import RELEASES, Release
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.vpp import SimulatedVpp

ANSWERED = [name for kind in KINDS for name in (*kind.changes, *kind.queries)]


def test_every_module_is_in_the_list() -> None:
    assert kinds.__file__ is not None
    modules = {path.stem for path in Path(kinds.__file__).parent.glob("*.py")} - {"__init__"}
    by_module = {
        name: [each for each in vars(getattr(kinds, name)).values() if isinstance(each, Kind)] for name in modules
    }
    held = [each for found in by_module.values() for each in found]
    assert all(by_module.values())
    assert sorted(map(id, KINDS)) == sorted(map(id, held))


def test_every_message_that_is_answered_is_one_of_vpp_and_belongs_to_one_kind() -> None:
    requests = {name for release in RELEASES for file in documents(release, PLUGINS) for name in file["services"]}
    assert sorted(ANSWERED) == sorted(requests)


def test_every_command_belongs_to_one_kind() -> None:
    counts = Counter(words for kind in KINDS for words in kind.commands)
    assert [words for words, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_release_has_one_layout_of_each_message(release: Release) -> None:
    counts = Counter(message[0] for file in documents(release, PLUGINS) for message in file["messages"])
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("create host-interface name v1", "host-v1"),
        ("create host-interface name \udcff", "host-\udcff"),
        ("create interface memif id 3 master", "memif0/3"),
        ("create vhost-user socket /run/a renumber 3", "VirtualEthernet0/0/3"),
        ("create tap id 3", "tap3"),
        ("create bond mode lacp id 3", "BondEthernet3"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.2 vni 5 instance 3", "vxlan_tunnel3"),
    ],
)
def test_a_port_has_the_same_made_up_mac_whatever_was_made_before_it(command: str, name: str) -> None:
    """VPP draws them by lot; what is made in another order has to be comparable here all the same."""

    def mac_behind(*earlier: str) -> bytes:
        vpp = SimulatedVpp()
        assert [vpp.run_line(line)[0] for line in (*earlier, command)] == [0] * (len(earlier) + 1)
        row = vpp.tables.named(name)
        assert row is not None
        return vpp.tables.hw_of(row).mac

    assert mac_behind() == mac_behind("create loopback interface", "create host-interface name v2")


@pytest.mark.parametrize(("table", "lives"), [(0, True), (10, False)])
def test_a_tunnel_with_neighbours_in_a_vrf_ends_vpp_as_it_goes(table: int, *, lives: bool) -> None:
    vpp = SimulatedVpp()
    lines = (
        "ip table add 10",
        "create gre tunnel src 192.0.2.1 multipoint instance 7",
        f"set interface ip table gre7 {table}",
        "create teib gre7 peer 10.0.0.4 nh 192.0.2.4",
    )
    assert [vpp.run_line(line)[0] for line in lines] == [0] * 4
    with nullcontext() if lives else pytest.raises(DiedError):
        assert vpp.run_line("create gre tunnel src 192.0.2.1 multipoint instance 7 del")[0] == 0


def test_a_route_that_leads_to_its_own_table_has_no_gateway_to_lose() -> None:
    vpp = SimulatedVpp()
    lines = (
        "create loopback interface",
        "set interface state loop0 up",
        "set interface ip address loop0 192.0.2.1/24",
        "set ip neighbor loop0 192.0.2.9 02:00:00:00:00:09",
        "ip route add 0.0.0.0/0 via ip4-lookup-in-table 0",
        "ip route del 0.0.0.0/0",
    )
    assert [vpp.run_line(line)[0] for line in lines] == [0] * 6
