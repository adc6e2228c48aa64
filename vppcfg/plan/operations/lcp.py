"""Linux Control Plane pairs."""

from __future__ import annotations

from vppcfg.record import record


@record
class CreateLcpPair:
    """lcp_itf_pair_add_del: mirror an interface as a Linux device."""

    interface: str
    host_name: str
    netns: str
    is_default_netns: bool
    """Whether `netns` is the one that VPP takes unasked."""


@record
class DeleteLcpPair:
    """lcp_itf_pair_add_del: remove the Linux device of an interface."""

    interface: str
