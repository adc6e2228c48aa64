"""LLDP: the ports that speak it, and what these have alike (plugins/lldp/lldp_cli.c)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.model.features import Lldp
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import SetFeature
from vppcfg.plan.operation import Operation
from vppcfg.record import record


@record
class SetLldp(SetFeature):
    """sw_interface_set_lldp: speak LLDP on a port, or no longer.

    Where it is spoken, VPP answers that all is well and changes nothing, so it is turned off in between.
    """

    attribute = "lldp"
    lldp: Lldp | None

    @property
    def undone(self) -> SetLldp:
        """Return the operation that speaks LLDP no longer."""
        return SetLldp(interface=self.interface, lldp=None)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether it says the same."""
        return former == self

    def applied(self, value: Any) -> Lldp | None:
        """Return what the port tells then."""
        return self.lldp

    def _refusal(self, draft: Draft) -> str | None:
        before = draft.interfaces[self.interface]
        if before.parent is not None:
            return f"{self.interface} is a sub-interface, which speaks no LLDP"
        if self.lldp is not None and before.lldp is not None:
            return f"{self.interface} speaks LLDP already, and would go on as before"
        return None


@record
class SetLldpSettings(Operation):
    """lldp_config: set what all ports have alike; None leaves a value as it is."""

    system_name: str | None = None
    hold: int | None = None
    interval_s: int | None = None

    @property
    def subject(self) -> str:
        """Return `lldp`."""
        return "lldp"

    def carry_out(self, draft: Draft) -> None:
        """Set what is given."""
        given: dict[str, Any] = {"system_name": self.system_name, "hold": self.hold, "interval_s": self.interval_s}
        draft.lldp = replace(draft.lldp, **{name: value for name, value in given.items() if value is not None})
