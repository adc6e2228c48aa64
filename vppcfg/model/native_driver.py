"""VPP's own drivers of PCI devices, for the stanza `devices` of startup.conf: since when, and within what bounds.

From VNET_DEV_REGISTER_DRIVER and the ports that each driver adds, at the tags of the releases: plugins/dev_*/ before
26.02, drivers/ since.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.common.release import Release
from vppcfg.record import record

DEVICES_SINCE = Release(24, 10)
"""The first release whose stanza `devices` vppcfg writes (vnet/dev/config.c)."""
LONGEST_NAME = 31
"""Characters of a port's name (vnet_dev_if_name_t, vnet/dev/types.h)."""
PORT = 0
"""The only port that each of these drivers adds to a device."""


@record
class NativeDriver:
    """One driver, the bounds of a port that it adds, and what VPP takes when startup.conf sets nothing."""

    name: str
    since: Release
    queues: int
    """The most of one direction; a device may have fewer."""
    ring: tuple[int, int]
    """The fewest and the most descriptors of a queue."""
    step: int = 1
    is_power_of_two: bool = False
    descriptors: int = 512
    """Of a queue without its own."""
    plugin: str = ""
    """The plugin that held it, without _plugin.so."""
    plugin_until: Release | None = None
    """The first release whose VPP loads the driver without a plugin."""
    knows_queues: bool = True
    """Whether every device has as many queues as the driver can use."""

    def takes(self, descriptors: int) -> bool:
        """Return whether VPP takes a ring of that many descriptors (vnet/dev/api.c)."""
        lowest, highest = self.ring
        is_shaped = not self.is_power_of_two or descriptors & (descriptors - 1) == 0
        return lowest <= descriptors <= highest and descriptors % self.step == 0 and is_shaped

    @property
    def rings_text(self) -> str:
        """Return which rings the driver takes, for people."""
        shape = "a power of two" if self.is_power_of_two else f"a multiple of {self.step}"
        return f"{shape} from {self.ring[0]} to {self.ring[1]}"

    def absence(self, release: Release) -> str:
        """Return that a release does not have the driver, '' when it does."""
        if release >= self.since:
            return ""
        return f"VPP {release} has no driver {self.name} of its own for `devices`, which came with {self.since}"


NATIVE_DRIVERS: Mapping[str, NativeDriver] = {
    driver.name: driver
    for driver in (
        NativeDriver(name="atlantic", since=Release(26, 6), queues=4, ring=(64, 8184), step=8),
        NativeDriver(
            name="iavf",
            since=DEVICES_SINCE,
            queues=32,
            ring=(32, 4096),
            step=32,
            is_power_of_two=True,
            plugin="dev_iavf",
            plugin_until=Release(26, 2),
            knows_queues=False,
        ),
        NativeDriver(name="ige", since=Release(26, 2), queues=4, ring=(512, 32768), is_power_of_two=True),
        NativeDriver(
            name="octeon",
            since=DEVICES_SINCE,
            queues=64,
            ring=(256, 16384),
            step=32,
            descriptors=1024,
            plugin="dev_octeon",
            plugin_until=Release(26, 6),
        ),
    )
}
"""By name. An iavf device has the queues that its physical function allows."""


def port_name(driver: str, place: int) -> str:
    """Return what VPP calls the port of its device number `place`, counted from 0 (vnet/dev/port.c)."""
    return f"{driver}{place}/{PORT}"
