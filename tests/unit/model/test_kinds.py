"""What every kind of making must have, in the places that know it: a new one that lacks any of it fails here."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from tests.wireguard_keys import KEYS, PUBLIC
from vppcfg.kinds.interface import SetTag
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACE_CLASSES
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.bond import Bond, BondMode
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.kinds import as_created
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, GreMode, Ipip, Vxlan
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF, VirtualInterface
from vppcfg.model.wireguard import Wireguard
from vppcfg.operations.operation import DeleteInterface
from vppcfg.operations.working_state import WorkingState
from vppcfg.simulator.server import serve_stream
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES: dict[str, VirtualInterface] = {
    "BondEthernet3": Bond(mode=BondMode.BROADCAST, load_balance=None),
    "vxlan_tunnel3": Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=7),
    "gre3": Gre(local="192.0.2.1", remote="192.0.2.2", mode=GreMode.ERSPAN, session=5),
    "ipip3": Ipip(local="192.0.2.1", remote="192.0.2.2", dscp=10, flags=4),
    "wg3": Wireguard(local="192.0.2.1", port=51820, public_key=PUBLIC[0]),
    "host-e3": HostInterface(device="e3"),
    "memif0/3": Memif(role=MemifRole.SLAVE, mode=MemifMode.IP),
    "VirtualEthernet0/0/3": VhostUser(socket="/run/vm3.sock", role=VhostUserRole.CLIENT),
    "tap3": Tap(host_name="e3", host_mac="02:00:00:00:00:03", rx_ring_size=512),
}
"""One of each kind, by a name that VPP gives to such an interface."""
every_virtual = pytest.mark.parametrize("virtual", VIRTUAL_INTERFACE_CLASSES, ids=lambda virtual: virtual.__name__)
every_example = pytest.mark.parametrize(("name", "virtual"), EXAMPLES.items(), ids=EXAMPLES)


@pytest.fixture
def plane() -> Iterator[LiveDataplane]:
    ours, theirs = socket.socketpair()
    server = threading.Thread(target=serve_stream, args=(SimulatedVpp(), theirs))
    server.start()
    try:
        with LiveDataplane.over(ours) as dataplane:
            dataplane.use_keys(KEYS)
            yield dataplane
    finally:
        server.join()


def test_every_kind_has_an_example_here() -> None:
    assert {type(virtual) for virtual in EXAMPLES.values()} == set(VIRTUAL_INTERFACE_CLASSES)


def test_every_kind_has_a_table_of_its_own() -> None:
    assert (
        len({virtual.table for virtual in VIRTUAL_INTERFACE_CLASSES})
        == len(VIRTUAL_INTERFACE_OF)
        == len(VIRTUAL_INTERFACE_CLASSES)
    )


@every_virtual
def test_what_is_fixed_are_attributes(virtual: type[VirtualInterface]) -> None:
    assert set(virtual.recreate_on_change) <= {field.name for field in fields(virtual)}
    assert virtual.noun


@every_virtual
def test_a_golden_case_observes_one(virtual: type[VirtualInterface]) -> None:
    states = (ROOT / "tests" / "golden").glob("*/observed.yaml")
    assert any(f"\n{virtual.table}:" in state.read_text() for state in states)


@every_example
def test_what_creates_one_is_what_vpp_then_shows(name: str, virtual: VirtualInterface, plane: LiveDataplane) -> None:
    create = KIND_OF_VIRTUAL[type(virtual)].create(as_created(name, virtual.kind), virtual)
    steps = [create, SetTag(interface=name, tag=CREATED_MARK)] if virtual.is_owned_by_mark else [create]
    assert plane.perform(steps).done == tuple(range(len(steps)))
    state = plane.observe()
    assert state.virtual == {name: virtual}
    made, expected = state.interfaces[name], as_created(name, virtual.kind, virtual)
    told = ("kind", "link_mtu", "packet_mtu", "is_up")
    assert [getattr(made, each) for each in told] == [getattr(expected, each) for each in told]
    working = WorkingState(State())
    create.apply_to(working)
    assert working.virtual == {name: virtual}


@every_example
def test_what_deletes_one_leaves_nothing(name: str, virtual: VirtualInterface, plane: LiveDataplane) -> None:
    create, delete = (
        KIND_OF_VIRTUAL[type(virtual)].create(as_created(name, virtual.kind), virtual),
        KIND_OF_VIRTUAL[type(virtual)].delete(name, virtual),
    )
    assert isinstance(delete, DeleteInterface)
    assert delete.virtual is type(virtual)
    assert plane.perform([create, delete]).done == (0, 1)
    assert plane.observe().virtual == {}
