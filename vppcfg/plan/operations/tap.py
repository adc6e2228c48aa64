"""TAPs."""

from __future__ import annotations

from dataclasses import dataclass

from vppcfg.model.tap import Tap


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateTap:
    """tap_create: make `tapN` and its Linux device, born down."""

    interface: str
    instance: int
    tap: Tap


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTap:
    """tap_delete_v2: remove a TAP and its Linux device."""

    interface: str
