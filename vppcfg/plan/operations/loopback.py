"""Loopbacks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateLoopback:
    """create_loopback_instance: make `loopN`, born down."""

    interface: str
    instance: int
    mac: str
    """'' for one that VPP makes from the instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteLoopback:
    """delete_loopback: remove a loopback."""

    interface: str
