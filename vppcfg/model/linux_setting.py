"""Addresses, routes and the like that Linux has on the device of an LCP pair or a TAP, as the kernel writes them.

They go with the device when it is deleted, and can be put on the next one: devices are named, never numbered, and the
rest is what netlink has, so that nothing that the kernel knows about them is lost on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import Enum

from vppcfg.record import record

OF_INTERFACE = "@"
"""Before the name of a VPP interface: its Linux device, whatever that is called. Other names are those of devices."""


class LinuxKind(Enum):
    """What a setting is; each value is what an operator calls one of them, and they are made in this order."""

    SYSCTL = "sysctl"
    """A value below net.ipv4.conf.DEVICE or net.ipv6.conf.DEVICE that is not the one that a new device gets."""
    MASTER = "master device"
    """The bridge or VRF of Linux that the device belongs to."""
    ADDRESS = "address"
    NEIGHBOR = "neighbour"
    ROUTE = "route"
    RULE = "rule"
    """One of policy routing that names a device. Linux keeps it without the device, and never needs it made again."""


@record
class LinuxHop:
    """One of several next hops of a route."""

    device: str
    hops: int = 0
    """Its weight less one."""
    flags: int = 0
    attributes: tuple[str, ...] = ()


@record
class LinuxSetting:
    """One address, route or the like. Two are equal when they configure the same, whatever the devices."""

    kind: LinuxKind
    device: str = ""
    """The device that it is on; '' for a route with several next hops."""
    family: int = 0
    fields: tuple[int, ...] = ()
    """The rest of the message's header: of an address length, flags and scope; of a route destination and source
    length, tos, table, protocol, scope, type and flags; of a neighbour state, flags and type."""
    attributes: tuple[str, ...] = ()
    """`number=value`, the value in hexadecimal as on the wire, in order of the numbers."""
    hops: tuple[LinuxHop, ...] = ()
    label: str = ""
    """What follows the name of the device in the label of an IPv4 address."""
    master: str = ""
    sysctl: str = ""
    """`key=value`, as `rp_filter=2`."""
    rule: str = ""
    """As `ip rule` shows it."""
    netns: str | None = None
    """The namespace of the devices that it names and that belong to no interface; None where it names none."""
    is_exact: bool = field(default=True, compare=False)
    """Whether Linux would take it again as it is: not a route with a next-hop object, which is not known here, or with
    a next hop over a device that is down."""
    position: int = field(default=0, compare=False)
    """Its place among those of the device: the first address of a subnet is the one that packets are sent from."""

    def devices(self) -> Iterator[str]:
        """Yield the devices that it needs, by their names here."""
        yield from filter(None, (self.device, self.master, *(hop.device for hop in self.hops)))

    def interfaces(self) -> Iterator[str]:
        """Yield the VPP interfaces whose devices it needs."""
        yield from (name.removeprefix(OF_INTERFACE) for name in self.devices() if name.startswith(OF_INTERFACE))

    def on(self, names: Mapping[str, str]) -> LinuxSetting:
        """Return it with the names of Linux devices in place of those of interfaces."""

        def named(device: str) -> str:
            is_ours = device.startswith(OF_INTERFACE)
            return names[device.removeprefix(OF_INTERFACE)] if is_ours else device

        hops = tuple(replace(hop, device=named(hop.device)) for hop in self.hops)
        return replace(self, device=named(self.device), master=named(self.master), hops=hops)

    def values(self) -> dict[int, bytes]:
        """Return its attributes by their numbers."""
        return values_of(self.attributes)


_TYPE_MASK = 0x3FFF
"""The two bits above it are flags of an attribute (linux/netlink.h)."""


def values_of(attributes: tuple[str, ...]) -> dict[int, bytes]:
    """Return attributes by their numbers."""
    return {number & _TYPE_MASK: value for number, value in decoded(attributes)}


def decoded(attributes: tuple[str, ...]) -> Iterator[tuple[int, bytes]]:
    """Yield attributes, each with its number and the flags that the kernel has in it."""
    for pair in attributes:
        number, _, value = pair.partition("=")
        yield int(number), bytes.fromhex(value)


def encoded(values: Mapping[int, bytes]) -> tuple[str, ...]:
    """Return attributes as a setting has them."""
    return tuple(f"{number}={values[number].hex()}" for number in sorted(values))
