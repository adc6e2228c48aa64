"""Driver classes and return codes: names and numbers of VPP's in, our own meaning out."""

import pytest

from vppcfg.model.interface import InterfaceKind
from vppcfg.vpp.devclass import has_link_mtu, kind_of
from vppcfg.vpp.retval import describe


@pytest.mark.parametrize(
    ("device_class", "name", "kind"),
    [
        ("dpdk", "TenGigabitEthernet1/0/0", InterfaceKind.PHYSICAL),
        *(("af-packet", "host-eth0", InterfaceKind.PHYSICAL), ("Loopback", "loop0", InterfaceKind.LOOPBACK)),
        *(("bond", "BondEthernet0", InterfaceKind.BOND), ("VXLAN", "vxlan_tunnel0", InterfaceKind.VXLAN)),
        *(("GRE tunnel device", "gre0", InterfaceKind.GRE), ("IPIP tunnel device", "ipip0", InterfaceKind.IPIP)),
        *(("IPIP tunnel device", "bern", InterfaceKind.PHYSICAL), ("ip6ip-6rd", "ip6ip-6rd0", InterfaceKind.PHYSICAL)),
        ("GRE tunnel device", "renamed", InterfaceKind.PHYSICAL),
        *(("Wireguard Tunnel", "wg0", InterfaceKind.WIREGUARD), ("Wireguard Tunnel", "bern", InterfaceKind.PHYSICAL)),
        *(("tap", "tap0", InterfaceKind.TAP), ("tap", "renamed", InterfaceKind.PHYSICAL)),
        *(("tap", "tun0", InterfaceKind.PHYSICAL), ("Loopback", "lo", InterfaceKind.PHYSICAL)),
        *(("virtio", "tap0", InterfaceKind.TAP), ("virtio", "virtio-0/0/4/0", InterfaceKind.PHYSICAL)),
        *(("virtio", "GigabitEthernet3/0/0", InterfaceKind.PHYSICAL), ("BVI", "bvi0", InterfaceKind.LOOPBACK)),
        ("BVI", "renamed", InterfaceKind.PHYSICAL),
        ("a driver of next year", "new0", InterfaceKind.PHYSICAL),
    ],
)
def test_what_vppcfg_does_not_create_is_a_physical_port(device_class: str, name: str, kind: InterfaceKind) -> None:
    assert kind_of(device_class, name) is kind


@pytest.mark.parametrize(
    ("device_class", "name", "expected"),
    [
        ("dpdk", "port", True),
        ("VXLAN", "vxlan_tunnel0", True),
        ("GRE tunnel device", "gre0", False),
        ("tap", "tap0", True),
        ("virtio", "tap0", True),
        ("virtio", "virtio-0/0/4/0", False),
        ("Loopback", "loop0", False),
        ("bond", "BondEthernet0", False),
        ("vhost-user", "VirtualEthernet0/0/0", False),
    ],
)
def test_a_link_mtu_is_what_can_be_set(device_class: str, name: str, expected: bool) -> None:
    assert has_link_mtu(device_class, name) is expected


@pytest.mark.parametrize(
    ("retval", "text"),
    [
        (-105, "Address in use (ADDRESS_IN_USE -105)"),
        (-126, "Unsupported (UNSUPPORTED -126)"),
        (-9999, "an error that vppcfg has no words for (-9999)"),
    ],
)
def test_a_return_code_has_vpps_words(retval: int, text: str) -> None:
    assert describe(retval) == text
