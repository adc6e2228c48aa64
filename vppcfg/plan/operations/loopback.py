"""Loopbacks."""

from __future__ import annotations

from vppcfg.record import record


@record
class CreateLoopback:
    """create_loopback_instance: make `loopN`, born down."""

    interface: str
    instance: int
    mac: str
    """'' for one that VPP makes from the instance."""


@record
class DeleteLoopback:
    """delete_loopback: remove a loopback."""

    interface: str
