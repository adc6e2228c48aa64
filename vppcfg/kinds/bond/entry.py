"""The entries of the section `bondethernets`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.record import record


@record
class BondConfig(VirtualInterfaceConfig):
    """One entry below `bondethernets`."""

    mode: BondMode = BondMode.LACP
    load_balance: LoadBalance | None = LoadBalance.L34
    passive: tuple[str, ...] | None = None
    """Members that wait for LACP of the other side before they speak it; None leaves that as it is."""
    long_timeout: tuple[str, ...] | None = None
    """Members that ask the other side for LACP every 30 seconds instead of every second; None as above."""
    weights: Mapping[str, int] | None = None
    """How much members are preferred, 0 those that are not named; None as above."""
    is_numa_only: bool | None = None
    """Whether members on the socket of the sending thread send alone; None as above."""

    @property
    def options(self) -> Iterator[tuple[str, Collection[str], BondMode]]:
        """Yield each option of members that the entry has: its key, the members it names, and the mode it is for."""
        for key, names, mode in (
            ("lacp-passive", self.passive, BondMode.LACP),
            ("lacp-long-timeout", self.long_timeout, BondMode.LACP),
            ("weights", self.weights, BondMode.ACTIVE_BACKUP),
        ):
            if names is not None:
                yield key, names, mode
