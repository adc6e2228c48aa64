"""A simulated device between simulated clients and servers: for tests, and for trying the command."""

from __future__ import annotations

from collections import deque

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Delay, Direction, Generator, Port, Tally
from vppcfg.loadtest.simulated import edge_us
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount, StatefulCount, StatefulTraffic
from vppcfg.loadtest.stateful.profile import Application, Transport
from vppcfg.record import record

_STEP_S = 0.1
"""Connections of so long begin together."""
_GIVEN_UP_S = {Transport.TCP: 5.0, Transport.UDP: 2.0}
"""So long after it began an unanswered connection has failed."""
_SYN_AGAIN = 2
_MOST_PAYLOAD = 1460
_COUNTED = ("begun", "answered", "ended", "failed", "sent", "received", "syn_again", "cut")
"""Connections, but for `sent` and `received`, which are bytes of payload."""
_PACKETS = {Transport.TCP: 3, Transport.UDP: 0}
"""Of a connection and each way, besides those with payload: what opens and closes it."""


@record
class SimulatedGateway:
    """How many connections a simulated device lets through."""

    capacity_cps: float = 1e6
    """It drops the packets of more."""
    most_open: float = 1e9
    """It knows no more connections at once, as a NAT does."""
    latency_us: float = 10.0
    generator_cps: float = float("inf")
    """More than that the generator cannot begin."""


class _Kind:
    """Connections of one application that are under way."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.answered: deque[tuple[float, float]] = deque()
        """Until when they are open, and how many: all that began together."""
        self.unanswered: deque[tuple[float, float]] = deque()
        """Likewise, until they have failed."""


class SimulatedStatefulEngine:
    """A generator with two ports and a simulated device between them."""

    def __init__(self, device: SimulatedGateway, clock: Clock) -> None:
        self._device = device
        self._clock = clock
        self._acquired: tuple[str, ...] = ()
        self._traffic: StatefulTraffic | None = None
        self._kinds: list[_Kind] = []
        self._rate_cps = 0.0
        self._stops_at_s = 0.0
        self._counted_s = clock.now()
        self._counts = dict.fromkeys(_COUNTED, 0.0)
        self._packets = [0.0, 0.0, 0.0, 0.0]
        """Sent and received on the way to the servers, then sent and received on the way back."""
        self._probes = 0.0

    @property
    def is_idle(self) -> bool:
        """Return whether nothing runs and no port is taken."""
        return self._rate_cps == 0 and not self._acquired

    def describe(self) -> Generator:
        """Return two ports."""
        ports = tuple(Port(name=name, driver="simulated") for name in ("0", "1"))
        return Generator(engine="simulated", ports=ports, facts=(f"a simulated device: {self._device}",))

    def acquire(self, ports: tuple[str, ...]) -> None:
        """Take the ports. Raise EngineError when there is no such port."""
        for port in ports:
            if port not in ("0", "1"):
                raise EngineError(f"the simulated generator has no port {port}", "its ports are 0 and 1")
        self._acquired = ports

    def prepare(self, traffic: StatefulTraffic) -> None:
        """Begin to count at zero."""
        self._traffic = traffic
        self._kinds = [_Kind(application) for application in traffic.profile.applications]
        self._counts = dict.fromkeys(self._counts, 0.0)
        self._packets = [0.0, 0.0, 0.0, 0.0]
        self._counted_s, self._rate_cps, self._probes = self._clock.now(), 0.0, 0.0

    def start(self, rate_cps: float, limit_s: float) -> None:
        """Begin connections."""
        self._advance()
        self._rate_cps = rate_cps
        self._stops_at_s = self._clock.now() + limit_s

    def update(self, rate_cps: float) -> None:
        """Change the rate."""
        self._advance()
        self._rate_cps = rate_cps

    def stop_new_connections(self) -> None:
        """Let those that are open end."""
        self.update(0.0)

    def count(self) -> StatefulCount:
        """Return what clients count."""
        self._advance()
        counts = {name: _whole(value) for name, value in self._counts.items()}
        there = Tally(sent=_whole(self._packets[0]), received=_whole(self._packets[1]))
        back = Tally(sent=_whole(self._packets[2]), received=_whole(self._packets[3]))
        directions = self._traffic.directions if self._traffic else ()
        return StatefulCount(
            at_s=self._clock.now(),
            connections=ConnectionCount(
                begun=counts["begun"],
                established=counts["answered"],
                answered=counts["answered"],
                ended=counts["ended"],
                failed=counts["failed"],
                sent_bytes=counts["sent"],
                received_bytes=counts["received"],
            ),
            open_now=_whole(self._open()),
            tallies=tuple(back if direction.is_return else there for direction in directions),
            errors=tuple(self._errors(counts)),
            cpu_share=0.0,
            queue_full=0,
        )

    def delays(self) -> tuple[Delay, ...]:
        """Return the latency of the device."""
        if self._traffic is None or not self._traffic.latency_pps:
            return ()
        self._advance()
        sent, time_us = int(self._probes), self._device.latency_us
        return tuple(self._delay(direction, sent, time_us) for direction in self._traffic.directions)

    def stop(self) -> None:
        """Cut what is still open."""
        self._advance()
        for kind in self._kinds:
            for queue in (kind.answered, kind.unanswered):
                for name in ("ended", "failed", "cut"):
                    self._counts[name] += sum(number for _, number in queue)
                queue.clear()
        self._rate_cps = 0.0

    def release(self) -> None:
        """Give the ports back."""
        self._acquired = ()

    def _open(self) -> float:
        return sum(number for kind in self._kinds for _, number in (*kind.answered, *kind.unanswered))

    def _advance(self) -> None:
        """Count what happened since the last look, up to the moment when the generator stops by itself."""
        now_s = self._clock.now()
        while self._counted_s < now_s:
            step_s = min(_STEP_S, now_s - self._counted_s)
            self._counted_s += step_s
            rate_cps = min(self._rate_cps, self._device.generator_cps) if self._counted_s <= self._stops_at_s else 0.0
            self._begin(rate_cps * step_s, step_s)
            self._end()
            if self._rate_cps and self._traffic is not None:
                self._probes += self._traffic.latency_pps * step_s

    def _begin(self, number: float, step_s: float) -> None:
        if not number or self._traffic is None:
            return
        known = sum(number for kind in self._kinds for _, number in kind.answered)
        room = max(self._device.most_open - known, 0.0)
        share = min(self._device.capacity_cps * step_s, room, number) / number
        for kind in self._kinds:
            begun = number * kind.application.weight / self._traffic.profile.weight
            self._begin_some(kind, begun, begun * share)

    def _begin_some(self, kind: _Kind, begun: float, answered: float) -> None:
        application = kind.application
        transport, lost = application.transport, begun - answered
        self._counts["begun"] += begun
        self._counts["answered"] += answered
        self._counts["received"] += answered * application.answer.size_bytes
        self._counts["sent"] += (answered if transport is Transport.TCP else begun) * application.request.size_bytes
        kind.answered.append((self._counted_s + _STEP_S + application.open_s, answered))
        kind.unanswered.append((self._counted_s + _GIVEN_UP_S[transport], lost))
        tries = 1
        if transport is Transport.TCP:
            self._counts["syn_again"] += _SYN_AGAIN * lost
            tries += _SYN_AGAIN
        there = answered * (_PACKETS[transport] + 1)
        back = answered * (_PACKETS[transport] + -(-application.answer.size_bytes // _MOST_PAYLOAD))
        for place, packets in enumerate((there + tries * lost, there, back, back)):
            self._packets[place] += packets

    def _end(self) -> None:
        for kind in self._kinds:
            for queue, names in ((kind.answered, ("ended",)), (kind.unanswered, ("ended", "failed"))):
                while queue and queue[0][0] <= self._counted_s:
                    _, number = queue.popleft()
                    for name in names:
                        self._counts[name] += number

    @staticmethod
    def _errors(counts: dict[str, int]) -> list[ErrorCount]:
        rows = (
            ("syn_again", "TCP", "retransmissions of a SYN because no answer came"),
            ("failed", "application", "connections that failed"),
            ("cut", "application", "connections cut because they had not ended when the test did"),
        )
        return [
            ErrorCount(side="client", protocol=protocol, name=name, meaning=meaning, count=counts[name])
            for name, protocol, meaning in rows
            if counts[name]
        ]

    @staticmethod
    def _delay(direction: Direction, sent: int, time_us: float) -> Delay:
        return Delay(
            direction=direction,
            sent=sent,
            received=sent,
            average_us=time_us,
            minimum_us=time_us,
            maximum_us=time_us,
            jitter_us=0.0,
            histogram=((edge_us(time_us), sent),) if sent else (),
        )


def _whole(value: float) -> int:
    """Return a number rounded to a whole one.

    A sum of floats may be a little less than one half, depending on the order in which its parts were added; it is
    rounded up all the same.
    """
    return int(value + 0.5 + 1e-6)
