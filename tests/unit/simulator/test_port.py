"""Ports as the command line names them."""

import pytest

from vppcfg.errors import UsageError
from vppcfg.simulator.port import PhysicalPort, generated_mac, parse_port


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("eth0", PhysicalPort(name="eth0")),
        ("GigabitEthernet1/0/0,class=rdma", PhysicalPort(name="GigabitEthernet1/0/0", device_class="rdma")),
        ("eth0,link-mtu=1500", PhysicalPort(name="eth0", link_mtu=1500, packet_mtu=1500)),
        ("eth0,link-mtu=2000,packet-mtu=1500", PhysicalPort(name="eth0", link_mtu=2000, packet_mtu=1500)),
        ("eth0,mac=02:AA:00:00:00:01", PhysicalPort(name="eth0", mac="02:aa:00:00:00:01")),
        ("eth0,max-link-mtu=9216", PhysicalPort(name="eth0", max_link_mtu=9216)),
        ("eth0,mtu-when-down", PhysicalPort(name="eth0", is_mtu_fixed_while_up=True)),
    ],
)
def test_a_port_is_read(text: str, port: PhysicalPort) -> None:
    assert parse_port(text) == port


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "1 to 63 characters"),
        (",class=dpdk", "1 to 63 characters"),
        ("x" * 64, "1 to 63 characters"),
        ("a b", "no spaces"),
        ("eth0,class", "'class' is not KEY=VALUE"),
        ("eth0,class=", "'class=' is not KEY=VALUE"),
        ("eth0,speed=10", "unknown key 'speed'"),
        ("eth0,link-mtu=big", "'big' is no MTU"),
        ("eth0,link-mtu=0", "'0' is no MTU"),
        ("eth0,packet-mtu=65536", "'65536' is no MTU"),
        ("eth0,mac=02", "'02' is no MAC address"),
    ],
)
def test_a_port_that_makes_no_sense_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_port(text)


def test_macs_that_are_made_up_are_local_and_differ() -> None:
    assert [generated_mac(position) for position in (1, 256)] == ["02:00:00:00:00:01", "02:00:00:00:01:00"]
