"""The kind of LCP pairs: the key `lcp` of interfaces, and a pair that is deleted with its interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.engine.kind import Kind
from vppcfg.kinds.lcp import reading
from vppcfg.kinds.lcp.entry import LCP, LCP_PLUGIN
from vppcfg.kinds.lcp.operations import HOST, CreateLcpPair, DeleteLcpPair, SetHostMtu
from vppcfg.kinds.lcp.rules import lcp_duplicate, linux_name, qinx_lcp, sub_lcp, sub_lcp_netns
from vppcfg.kinds.lcp.steps import copying_steps, host_mtu_steps, pair_steps, shut_device_steps
from vppcfg.operations.request import Known
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.shell import Shown


class LcpKind(Kind):
    """Pairs; `reading` has what is read of them, for which all interfaces must be known."""

    key = LCP.key
    operations = (CreateLcpPair, DeleteLcpPair, SetHostMtu)
    numbered = HOST
    rules = (lcp_duplicate, linux_name, sub_lcp, sub_lcp_netns, qinx_lcp)
    api_module = "lcp"
    capabilities: ClassVar[Mapping[str, str]] = {LCP_PLUGIN: reading.PAIRS}

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the first page of pairs."""
        return reading.requests(connection)

    def commands(self, connection: VppReader) -> list[str]:
        """Return the commands that show the plugin's switches, and whether its companion linux-nl runs."""
        return reading.commands(connection)

    def parts_present(self, connection: VppReader, shown: Shown) -> Iterable[str]:
        """Return the plugin and its companion."""
        return (*super().parts_present(connection, shown), *(["linux_nl"] if reading.has_listener(shown) else []))

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return the plugin's switches."""
        return {"lcp": reading.read_settings(connection, known.shown)}

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        """Ask VPP for the index of its side of each Linux device, by the name of the interface."""
        return reading.read_hosts(connection)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that create and delete pairs."""
        for change in transition.difference.lcps.values():
            yield from pair_steps(transition, change)
            yield from host_mtu_steps(transition, change)
        yield from shut_device_steps(transition)
        yield from copying_steps(transition)


KIND: Kind = LcpKind()
