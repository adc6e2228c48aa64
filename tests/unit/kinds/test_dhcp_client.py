"""DHCP clients as VPP is told of them: each sends the MAC address that its interface has by then."""

from collections.abc import Iterator

import pytest

from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.kinds.dhcp_client import SetDhcpClient
from vppcfg.kinds.interface import SetMac
from vppcfg.kinds.sub_interface import CreateSubInterface
from vppcfg.model.features import DhcpClient
from vppcfg.model.interface import Encapsulation
from vppcfg.model.problem import Severity
from vppcfg.simulator.kinds.dhcp import DhcpMain
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

OLD, NEW, THIRD = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"


@pytest.fixture
def vpp() -> SimulatedVpp:
    return SimulatedVpp(ports=[PhysicalPort(name="eth0", mac=OLD), PhysicalPort(name="eth1", mac=THIRD)])


@pytest.fixture
def plane(vpp: SimulatedVpp) -> Iterator[LiveDataplane]:
    with connected(vpp) as dataplane:
        yield dataplane


def ids(vpp: SimulatedVpp) -> dict[str, str]:
    tables = vpp.tables
    return {tables.name_of(tables.sw[each.sw_if_index]): each.id.decode() for each in tables.part(DhcpMain).clients}


def asks(name: str) -> SetDhcpClient:
    return SetDhcpClient(interface=name, client=DhcpClient())


def test_a_client_sends_the_mac_address_that_an_operation_before_has_set(
    vpp: SimulatedVpp, plane: LiveDataplane
) -> None:
    done = plane.perform([SetMac(interface="eth0", mac=NEW), asks("eth0"), asks("eth1")])
    assert (done.refusals, ids(vpp)) == ((), {"eth0": NEW, "eth1": THIRD})


def test_a_client_of_an_interface_that_is_made_before_sends_the_mac_address_of_its_port(
    vpp: SimulatedVpp, plane: LiveDataplane
) -> None:
    tags = Encapsulation(outer=100, is_exact=True)
    made = CreateSubInterface(interface="eth0.100", parent="eth0", sub_id=100, encapsulation=tags)
    done = plane.perform([SetMac(interface="eth0", mac=NEW), made, asks("eth0.100")])
    assert (done.refusals, done.done, ids(vpp)) == ((), (0, 1, 2), {"eth0.100": NEW})


def test_typed_and_sent_clients_have_the_same_id(vpp: SimulatedVpp, plane: LiveDataplane) -> None:
    assert vpp.run_line("set dhcp client intfc eth1") == (0, "")
    typed = ids(vpp)
    assert plane.perform([SetDhcpClient(interface="eth1", client=None), asks("eth1")]).refusals == ()
    assert ids(vpp) == typed == {"eth1": THIRD}


@pytest.mark.parametrize(("addresses", "is_told"), [("192.0.2.1/24", True), ("2001:db8::1/64", False)])
def test_addresses_beside_a_client_are_noticed(addresses: str, is_told: bool) -> None:
    text = f"interfaces: {{ eth0: {{ dhcp-client: true, addresses: [ {addresses} ] }} }}"
    problems = parse_text(text, "test").problems
    assert [(each.rule, each.severity) for each in problems] == [("dhcp-addresses", Severity.NOTICE)] * is_told
