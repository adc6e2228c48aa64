"""TAPs."""

from __future__ import annotations

from vppcfg.model.tap import Tap
from vppcfg.record import record


@record
class CreateTap:
    """tap_create: make `tapN` and its Linux device, born down."""

    interface: str
    instance: int
    tap: Tap


@record
class DeleteTap:
    """tap_delete_v2: remove a TAP and its Linux device."""

    interface: str
