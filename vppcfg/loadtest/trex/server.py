"""One T-Rex server: what it is, its ports and their counters, in whichever mode it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Direction, Generator, Port, Tally
from vppcfg.loadtest.trex.answers import count, counter, items, measure, section, text
from vppcfg.loadtest.trex.channel import TrexChannel, host_and_port
from vppcfg.loadtest.trex.lease import port_of
from vppcfg.loadtest.trex.rpc import Call, Rpc, TrexApi
from vppcfg.record import record

_MOST_PORTS = 64
"""T-Rex has at most 32 (TREX_MAX_PORTS)."""


@record
class PortReading:
    """The counters of some ports and of the whole server, read with one message."""

    by_port: Mapping[str, Mapping[str, Any]]
    """The answer to `get_port_stats`."""
    queue_full: int
    cpu_share: float | None
    """Load of the cores that send."""


class TrexServer:
    """A server that is asked; the owners of its ports are elsewhere."""

    def __init__(self, address: str, clock: Clock, api: TrexApi) -> None:
        """Address one server, which is spoken to when something is asked of it. Raise EngineError."""
        self.host, port = host_and_port(address)
        self.channel = TrexChannel(self.host, port)
        self.rpc = Rpc(self.channel, clock, api)
        self._generator: Generator | None = None

    def describe(self) -> Generator:
        """Return the server and its ports."""
        if self._generator is None:
            version = self.rpc.connect()
            self._generator = self._described(version, self.rpc.call("get_system_info"))
        return self._generator

    def port(self, name: str) -> Port:
        """Return a port by name. Raise EngineError when there is none."""
        port = self.describe().port(name)
        if port is None:
            known = ", ".join(port.name for port in self.describe().ports)
            raise EngineError(f"T-Rex at {self.channel.peer} has no port {name}", f"its ports are: {known}")
        return port

    def states(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the answer to `get_port_status`, by name of the port."""
        return dict(zip(names, self._on_each("get_port_status", names, block=False), strict=True))

    def read(self, names: tuple[str, ...], *calls: Call) -> tuple[PortReading, list[Any]]:
        """Return the counters of ports, which T-Rex refreshes for each reading, and the answers to further calls."""
        of_ports = [Call(method="get_port_stats", arguments={"port_id": int(name)}) for name in names]
        answers = self.rpc.batch([*of_ports, Call(method="get_global_stats", arguments={}), *calls])
        *counters, whole = (section(answer) for answer in answers[: len(names) + 1])
        reading = PortReading(
            by_port=dict(zip(names, counters, strict=True)),
            queue_full=count(whole, "m_total_queue_full"),
            cpu_share=None if whole.get("m_cpu_util") is None else min(measure(whole, "m_cpu_util") / 100, 1.0),
        )
        return reading, answers[len(names) + 1 :]

    def close(self) -> None:
        """Forget the server's answers, and close the connection."""
        self._generator = None
        self.channel.close()

    def _described(self, version: str, described: object) -> Generator:
        facts = section(described)
        by_index = {count(port, "index"): port for port in items(facts, "ports")}
        if len(by_index) > _MOST_PORTS:
            raise EngineError(f"T-Rex at {self.channel.peer} reports {len(by_index)} ports, which it cannot have")
        indexes = sorted(by_index)
        states = self._on_each("get_port_status", tuple(str(index) for index in indexes), block=False)
        return Generator(
            engine="trex",
            version=version,
            server=self.channel.peer,
            ports=tuple(port_of(by_index[index], status) for index, status in zip(indexes, states, strict=True)),
            cores=count(facts, "dp_core_count") or None,
            facts=(f"{text(facts, 'core_type', 'unknown CPU')} on {text(facts, 'hostname', 'an unknown host')}",),
        )

    def _on_each(self, method: str, ports: tuple[str, ...], **arguments: Any) -> list[Any]:
        """Return the results of a call that needs no ownership, for each port, with one message."""
        return self.rpc.batch([Call(method=method, arguments={"port_id": int(name), **arguments}) for name in ports])


def tally_since(direction: Direction, now: PortReading, zero: PortReading) -> Tally:
    """Return the packets of a direction between two readings. Raise EngineError when counters went backwards."""
    return Tally(
        sent=_since(direction.source, "opackets", now, zero), received=_since(direction.sink, "ipackets", now, zero)
    )


def _since(port: str, name: str, now: PortReading, zero: PortReading) -> int:
    since = counter(now.by_port[port], name) - counter(zero.by_port[port], name)
    if since < 0:
        raise EngineError(
            f"the counters of port {port} went backwards", "T-Rex was restarted, or its counters were cleared"
        )
    return since
