"""Linux Control Plane pairs: a VPP interface mirrored as a Linux network device."""

from __future__ import annotations

from vppcfg.record import record


@record
class LcpPair:
    """The Linux side of one VPP interface."""

    host_name: str
    netns: str = ""
    """Name of the network namespace; '' is the one that VPP itself runs in."""
    has_host: bool = True
    """False when the Linux device is gone but VPP still keeps the pair and its name."""


@record
class LcpSettings:
    """How VPP's linux-cp plugin is set up."""

    default_netns: str = ""
    """Namespace of pairs made without naming one; '' is the one that VPP itself runs in."""
    is_sync: bool = False
    """lcp-sync: MTU and state of a VPP interface follow into Linux."""
    is_auto_subint: bool = False
    """lcp-auto-subint: VPP makes pairs for new sub-interfaces by itself."""
