"""What a laboratory consists of, as data: namespaces, wires, addresses, routes. It makes nothing.

The addresses are those of a router and a bridge measured with a PC of two ports; streams have 16/8 and 48/8 behind the
ends, as T-Rex's profiles use them.
"""

from __future__ import annotations

from enum import Enum

from vppcfg.errors import UsageError
from vppcfg.linux.wire import End
from vppcfg.record import record

_LONGEST_NAME = 40
PREFIX_LENGTH = 24
BRIDGE = "br0"
LEFT_STREAMS, RIGHT_STREAMS = "16.0.0.0/8", "48.0.0.0/8"


class Dut(Enum):
    """What stands between the ends."""

    VPP = "vpp"
    BRIDGE = "bridge"
    ROUTER = "router"

    @property
    def routes(self) -> bool:
        """Return whether it forwards by IP address, each end being in a network of its own."""
        return self is not Dut.BRIDGE


@record
class Side:
    """One end of the laboratory and the port of the device that it is wired to."""

    end: End
    port: End
    address: str
    port_address: str
    """The device's, '' when it is a bridge."""
    streams: str
    """The network that streams from this end come from."""

    @property
    def network(self) -> str:
        """Return the network of the wire."""
        return self.address.rpartition(".")[0] + f".0/{PREFIX_LENGTH}"


@record
class Layout:
    """The two sides, and the device between them."""

    name: str
    dut: Dut
    left: Side
    right: Side
    link_bps: int | None = None
    """Speed of the wires as the device sends on them; None for as fast as they can."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """Return both."""
        return self.left, self.right

    @property
    def dut_netns(self) -> str:
        """Return the namespace of the device."""
        return self.left.port.netns

    @property
    def namespaces(self) -> tuple[str, str, str]:
        """Return the names of the three namespaces."""
        return namespaces_of(self.name)

    def next_mac(self, side: Side) -> str:
        """Return the MAC address that frames from a side are sent to."""
        return side.port.mac if self.dut.routes else self.other(side).end.mac

    def other(self, side: Side) -> Side:
        """Return the side across the device."""
        return self.right if side is self.left else self.left


def namespaces_of(name: str) -> tuple[str, str, str]:
    """Return the namespaces of the laboratory `name`: left, right, device. Raise UsageError."""
    if not name.replace("-", "").replace("_", "").isalnum() or name.startswith("-") or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"{name!r} cannot be the name of a laboratory", f"1 to {_LONGEST_NAME} letters, digits, - and _"
        )
    return f"{name}-left", f"{name}-right", f"{name}-dut"


def layout_of(name: str, dut: Dut, link_bps: int | None = None) -> Layout:
    """Return the laboratory `name` around a device. Raise UsageError."""
    left, right, middle = namespaces_of(name)
    routes = dut.routes
    return Layout(
        name=name,
        dut=dut,
        link_bps=link_bps,
        left=Side(
            end=End(netns=left, device="port0", mac="02:00:00:00:00:10"),
            port=End(netns=middle, device="dut0", mac="02:00:00:00:00:11"),
            address="192.168.10.1",
            port_address="192.168.10.2" if routes else "",
            streams=LEFT_STREAMS,
        ),
        right=Side(
            end=End(netns=right, device="port1", mac="02:00:00:00:00:30"),
            port=End(netns=middle, device="dut1", mac="02:00:00:00:00:31"),
            address="192.168.30.2" if routes else "192.168.10.2",
            port_address="192.168.30.1" if routes else "",
            streams=RIGHT_STREAMS,
        ),
    )
