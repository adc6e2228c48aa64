"""What makes interfaces switch rather than route: how VPP reports it, and when a plan changes it (vnet/l2/l2.api).

Bridge domains themselves are a kind of their own, with who is in them: `kinds/bridge.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.kinds import l2_steps
from vppcfg.kinds.kind import Kind
from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.kinds.l2xc_rules import RULES
from vppcfg.kinds.tag_rewrite import tag_rewrites
from vppcfg.plan.request import Known
from vppcfg.plan.stages import Step
from vppcfg.plan.transition import Transition
from vppcfg.vpp.reading import Replies, VppReader


class L2Kind(Kind):
    """The keys `l2xc` and `tag-rewrite` of interfaces, and their places in bridge domains in plans."""

    key = "l2xc"
    operations = (SetCrossConnect, JoinBridge, LeaveL2, SetTagRewrite)
    rules = (*RULES, tag_rewrites)
    on_interfaces = ("l2xc", "bridge", "tag_rewrite")

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all cross-connects."""
        return [connection.request("l2_xconnect_dump")[1]]

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, Any]]:
        """Return where every cross-connected interface sends what it receives."""
        rows = connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index")
        return {"l2xc": {index: known.names.get(target) for index, target in rows}}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that take an interface out of L2 mode and put it there."""
        return l2_steps.steps(transition, name)


KIND = L2Kind()
